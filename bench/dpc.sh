#!/usr/bin/env bash
# dpc.sh - programs that `ribogrid dpc` translated, beside launches as they were written,
# consolidated by hand, and none (bench_dpc_spmv.cu), on a GPU.
#
# usage: bench/dpc.sh BUILD_DIR [ROWS...]     (2500 400000)
#
# Prints the child's kind, the variant, rows, the median of the milliseconds of 9 processes
# with 100 runs each (their medians differ by a tenth, so that the processes take turns), and
# how many rows are wrong.  The launches as written run once and with up to 10,000 rows: a GPU
# loses those beyond 2,048 that are pending.
set -eu
build=$1
shift
[ $# -gt 0 ] || set -- 2500 400000
source=$(dirname "$0")/../tests/tools/dpc/bench_dpc_spmv.cu
nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile FILE KIND: FILE.exe
compile() {
    "$nvcc" -rdc=true -arch=native -std=c++17 -O3 ${2:+"$2"} "$1" -o "$1.exe" -lcudadevrt
}

printf 'child\tvariant\trows\tms\twrong\n'
for kind in threads barriers; do
    [ $kind = threads ] && macro="" || macro="-DBARRIER"
    sed '/#pragma dp/d' "$source" >"$work/plain.cu"
    compile "$work/plain.cu" "$macro" &
    for level in warp block grid; do
        sed "s/LEVEL/$level/" "$source" >"$work/in.cu"
        "$build/ribogrid" dpc "$work/in.cu" ${macro:+-D BARRIER} --force -q \
            -o "$work/$level.cu"
        compile "$work/$level.cu" "$macro" &
    done
    wait
    for rows in "$@"; do
        [ "$rows" -gt 10000 ] || "$work/plain.cu.exe" "as written" "$rows"
        for _ in 1 2 3 4 5 6 7 8 9; do
            for level in warp block grid; do
                timeout 60 "$work/$level.cu.exe" "$level" "$rows" 100
            done
            "$work/plain.cu.exe" hand "$rows" 100
        done
    done | python3 -c '
import collections
import statistics
import sys

runs = collections.defaultdict(list)
for line in sys.stdin:
    name, rows, ms, wrong = line.rstrip("\n").split("\t")
    runs[name, rows].append((float(ms), int(wrong)))
for (name, rows), values in runs.items():
    print(sys.argv[1], name, rows, f"{statistics.median(ms for ms, _ in values):.4f}",
          max(wrong for _, wrong in values), sep="\t")' $kind
done
