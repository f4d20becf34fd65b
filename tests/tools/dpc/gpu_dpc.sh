#!/usr/bin/env bash
#
# gpu_dpc.sh - translated programs compute the same as the host, at every level.  Exits 77
# without a GPU, nvcc or libclang.
. "$(dirname "$0")/../../support/shell_test.sh"
programs=$here/tools/dpc/programs
nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc) || skip "no nvcc"
nvidia-smi -L >/dev/null 2>&1 || skip "no GPU"
printf '#pragma dp consldt(block) work(a)\n' >none.cu
"$RIBOGRID" dpc none.cu -o - 2>&1 | grep -q 'libclang was not found' && skip "no libclang"

# run NAME FILE: translate, compile and run a file.
run()
{
    expect_exit 0 "$RIBOGRID" dpc --port "$2" -I "$programs" --pool-size 64M --force -o "$1.cu" &&
        expect_exit 0 "$nvcc" -rdc=true -arch=native -std=c++17 -I "$programs" "$1.cu" \
            -o "$1.exe" -lcudadevrt && expect_exit 0 timeout 10 "./$1.exe"
}

for program in "$programs"/*.cu; do
    name=$(basename "$program" .cu)
    levels="warp block grid"
    grep -q '#pragma dp' "$program" || levels=block
    for level in $levels; do
        sed -E "s/consldt\((warp|block|grid)\)/consldt($level)/" "$program" >in.cu
        check "$name per $level" run "$name" in.cu
    done
done
finish
