#!/usr/bin/env bash
# gpu_check.sh - everything that has to be shown on a machine with a GPU, in one go.
#
# usage: bench/gpu_check.sh [READS.fa[.gz] [OUT_DIR]]
#
# Builds for this GPU and as compute_75 PTX, runs the GPU tests on both, compute-sanitizer
# on the first, compares whole runs on 1, 2 and 5 ranks with the CPU's, and prints the
# bench lines.  Ends with 'N passed, N failed'; exit 1 on any failure.
set -u
cd "$(dirname "$0")/.." || exit 1
reads=${1:-}
out=${2:-build/gpu-check}
mkdir -p "$out"
passed=0
failed=0
note() {
    if "${@:2}" >"$out/last.log" 2>&1; then
        passed=$((passed + 1)) && echo "ok      $1"
    else
        failed=$((failed + 1)) && echo "FAILED  $1" && tail -n 15 "$out/last.log"
    fi
}
jobs=$(nproc)
build() { # name, architectures
    cmake -S . -B "build/$1" -DCMAKE_BUILD_TYPE=Release -DRIBOGRID_CUDA=ON \
        -DCMAKE_CUDA_ARCHITECTURES="$2" && cmake --build "build/$1" -j "$jobs"
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader

# Checks that say nothing of time run side by side: begin, then collect in order.
begin() { # name, command
    ("${@:2}" >"$out/$1.log" 2>&1) &
    begun[$1]=$!
}
collect() { # name, what it shows
    if wait "${begun[$1]}"; then
        passed=$((passed + 1)) && echo "ok      $2"
    else
        failed=$((failed + 1)) && echo "FAILED  $2" && tail -n 15 "$out/$1.log"
    fi
}
declare -A begun
test_all() { ctest --test-dir build/gpu -L gpu --output-on-failure --no-tests=error; }
test_ptx() { # a fifth of the settings: the compiler is another, the code is not
    build/gpu75/tests/gpu_align 200 && build/gpu75/tests/gpu_filter 1000 &&
        build/gpu75/tests/gpu_edit_filter 20000
}
sanitize() { # tool, test and its arguments
    compute-sanitizer --tool "$1" --error-exitcode 9 "build/gpu/tests/$2" "${@:3}"
}
begin build-gpu build gpu 90a-real
begin build-ptx build gpu75 75-virtual
collect build-gpu "it builds for this GPU"
collect build-ptx "it builds as compute_75 PTX"
begin test-gpu test_all
begin test-ptx test_ptx
for tool in memcheck racecheck initcheck synccheck; do
    begin $tool sanitize $tool gpu_align 8
done
collect test-gpu "the GPU tests pass"
collect test-ptx "the GPU tests pass as compute_75 PTX"
begin many build/gpu/tests/gpu_align --many 1000000
begin edits sanitize memcheck gpu_edit_filter 1000
begin filter sanitize memcheck gpu_filter 300
begin filter-races sanitize racecheck gpu_filter 300 13
for tool in memcheck racecheck initcheck synccheck; do
    collect $tool "compute-sanitizer $tool finds nothing in the aligners"
done
collect edits "nor memcheck in the edits"
collect filter "nor memcheck in the filter"
collect filter-races "nor racecheck, in a part of its cases"
collect many "10^6 random pairs of 1 to 3,000 letters agree, 10^5 with their CIGARs"

program=$PWD/build/gpu/ribogrid
"$program" --version
"$program" devices
note "bench align is right with its options of GPUs" env RIBOGRID="$program" \
    tests/tools/cli_bench_align.sh
if [ -z "$reads" ]; then
    reads=$out/reads.fa
    "$program" simulate 250 --force -o "$reads"
fi
digest() { "$program" view "$1" | md5sum; }
run() { # name, ranks, options
    local name=$1 ranks=$2
    shift 2
    if [ "$ranks" = 1 ]; then
        "$program" align "$reads" -o "$out/$name.h5" --force "$@" || return 1
    else
        mpirun --oversubscribe --bind-to none -n "$ranks" "$program" align "$reads" \
            -o "$out/$name.h5" --force "$@" || return 1
    fi
    "$program" info "$out/$name.h5" | grep '^run.device'
    [ "$("$program" info "$out/$name.h5" | grep '^run.device' | grep -vc 'tiles=0 ')" = "$ranks" ]
}
for options in "" "--ends count" "--emit score" "--ambiguity match"; do
    # shellcheck disable=SC2086
    note "the CPU runs [$options]" run simd 1 --device cpu $options
    wanted=$(digest "$out/simd.h5")
    for ranks in 1 2 5; do
        # shellcheck disable=SC2086
        note "every one of $ranks ranks computes on the GPU [$options]" \
            run cuda "$ranks" --device cuda $options
        cat "$out/last.log"
        note "$ranks ranks on the GPU give what the CPU gives [$options]" \
            test "$(digest "$out/cuda.h5")" = "$wanted"
    done
done
# shellcheck disable=SC2016
note "CPU and GPU ranks mixed give the same" bash -c 'mpirun --oversubscribe --bind-to none \
    -n 1 "$1" align "$2" -o "$3" --force --ambiguity match --device cuda : \
    -n 2 "$1" align "$2" -o "$3" --force --ambiguity match --device cpu' _ "$program" \
    "$reads" "$out/mixed.h5"
cat "$out/last.log"
note "and equal datasets" test "$(digest "$out/mixed.h5")" = "$wanted"

echo "commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
for options in "--device cuda --kernel all --pairs 131072 --runs 7" \
    "--device cpu --kernel simd --pairs 16384 --threads $jobs --peers off"; do
    # shellcheck disable=SC2086
    note "kernels are right and timed [$options]" "$program" bench align --gap -7,-8 $options
    cat "$out/last.log"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
