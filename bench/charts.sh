#!/usr/bin/env bash
# charts.sh - measure and draw the charts of docs/performance.md, on a machine with a GPU.
#
# usage: [COMMIT=...] bench/charts.sh [RIBOGRID_BENCH [OUT_DIR]]
#                                                  (build/gpu/ribogrid-bench bench/results)
#
# Writes OUT_DIR/GPU-{memory,pairs,length,buffers}.tsv, where GPU is the last word of the
# device's name, and draws performance-*.svg in the same folder.  Takes about 80 seconds.  To
# draw again:
#
#   for chart in memory pairs length buffers; do
#       docs/performance.py $chart bench/results/h200-$chart.tsv docs/performance-$chart.svg
#   done
set -u
cd "$(dirname "$0")/.." || exit 1
program=${1:-build/gpu/ribogrid-bench}
out=${2:-bench/results}
commit=${COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}
IFS=, read -r name driver < <(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
gpu=$(echo "${name##* }" | tr '[:upper:]' '[:lower:]')
failed=0
mkdir -p "$out"

# begin CHART COMMAND: start OUT_DIR/GPU-CHART.tsv, to which `run` appends
begin() {
    file=$out/$gpu-$1.tsv
    {
        echo "# $name, driver$driver, $cpu; commit $commit; bench/charts.sh"
        echo "# ribogrid-bench align $2 --emit score --ends count --tsv"
    } >"$file"
}
# run OPTION...: run `ribogrid-bench align`
run() {
    local start=$SECONDS

    "$program" align --emit score --ends count --peers off --peer-pairs 8 --tsv "$@" \
        >>"$file" || failed=1
    echo "$((SECONDS - start)) s: $*"
}
# both GPU_RUNS CPU_RUNS OPTION...: all kernels of the GPU, and simd on 8 threads
both() {
    run --device cuda --kernel all --runs "$1" "${@:3}"
    run --device cpu --kernel simd --threads 8 --runs "$2" "${@:3}"
}

begin memory "--kernel baseline --init host|device --pinned on|off --pairs 16"
for init in host device; do
    for pinned in on off; do
        run --kernel baseline --init $init --pinned $pinned --pairs 16 --runs 5 \
            --length 500,1000,2000,4000
    done
done

begin pairs "--device cuda --kernel all, --device cpu --kernel simd --threads 8"
both 5 3 --pairs 256,1024,4096,16384
both 5 1 --pairs 65536,262144

begin length "--pairs 16384..262144 --device cuda --kernel all, --device cpu --kernel simd --threads 8"
both 5 2 --length 100,200,500 --pairs 262144
both 5 2 --length 1000,1500,2000 --pairs 65536
both 3 1 --length 4000 --pairs 16384

begin buffers "--kernel dscan --pairs 1048576 --length 250 --gap -8 --buffers 1|2 --pinned on|off"
for buffers in 1 2; do
    for pinned in on off; do
        run --device cuda --kernel dscan --pairs 1048576 --length 250 --gap -8 --runs 5 \
            --buffers $buffers --pinned $pinned --batches 1,4,16,64
    done
done

echo "$SECONDS s in all"
if command -v python3 >/dev/null; then
    for chart in memory pairs length buffers; do
        docs/performance.py $chart "$out/$gpu-$chart.tsv" "$out/performance-$chart.svg" ||
            failed=1
    done
fi
exit $failed
