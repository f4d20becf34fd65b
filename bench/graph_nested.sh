#!/usr/bin/env bash
# graph_nested.sh - kernels that launch kernels, beside those that do not, on a GPU; and what
# having them costs other commands.
#
# usage: bench/graph_nested.sh BUILD_DIR [OUT_DIR [PART...]]           (bench/results; all parts)
#
#   loops   templates, levels, children and allocators on a graph like CiteSeer, and a star:
#           OUT_DIR/GPU-nested-loops.tsv and graph-nested.svg
#   trees   descendants of full trees of four levels by the children of a node, of sparse ones,
#           of a chain and of a star: OUT_DIR/GPU-nested-trees.tsv
#   datasets  descendants and heights of dataset2 and dataset1 of Wu et al. 2016: trees of five
#           levels, 41 and some 170 million nodes: OUT_DIR/GPU-nested-datasets.tsv
#   ncu     of spmv and tree-descendants: launches; by Nsight Compute warp efficiency, occupancy
#           and megabytes of device memory: one line per template
#   start   seconds of commands with the library of these kernels, and without it
#
# GPU is the device's, as h100.  Times are medians of 9 runs, fewer where these take long.
#
#   for chart in trees launches sparsity; do
#       docs/performance.py $chart OUT_DIR/h100-nested-trees.tsv $chart.svg
#   done
set -eu
build=$1
out=${2:-bench/results}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- loops trees datasets ncu start
program=$build/ribogrid
benchmark=$(find "$build" -name ribogrid-bench -type f | head -n 1)
IFS=, read -r name driver < <(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)
gpu=$(grep -oE '[A-Z]+[0-9]+' <<<"$name" | head -n 1 | tr '[:upper:]' '[:lower:]')
commit=${COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# begin PART: start OUT_DIR/GPU-nested-PART.tsv, to which `run` appends.
begin() {
    file=$out/$gpu-nested-$1.tsv
    echo "# $name, driver$driver; commit $commit; bench/graph_nested.sh" >"$file"
}

# run GRAPH OPTION...: measure; settings that take long get few runs.
run() {
    "$benchmark" graph "$@" --runs 9 --seconds 2 --tsv >>"$file"
}

# list PREFIX WORD...: PREFIX+WORD,...
list() {
    local prefix=$1 words=

    shift
    for word in "$@"; do
        words+=,$prefix+$word
    done
    echo "${words#,}"
}

loops() {
    local flat=auto,thread-mapped,dual-queue,dbuf-global,dbuf-shared,merge-path
    local plain=dpar-naive,dpar-opt levels more

    levels=$(list dpar-naive warp block grid)
    more=$(list dpar-naive warp+pool warp+malloc block+pool block+malloc warp+1-1 warp+KC_16 \
        block+1-1 block+KC_32 block+KC_1 grid+1-1 grid+KC_16 grid+132x256 grid+pool grid+malloc)
    begin loops
    run clone:citeseer --algorithm sssp,spmv,coloring --setting "$flat,$plain,$levels,$more" \
        --svg "$out/graph-nested.svg" --force
    awk 'BEGIN { for (u = 2; u <= 1000000; u++) print 1, u }' >"$work/star.txt"
    run "$work/star.txt" --algorithm sssp,spmv,coloring --setting "$flat,$plain,$levels"
    sed -i "s#$work/##" "$file" "$out/graph-nested.svg"
}

trees() {
    local settings=auto,flat,rec-naive,rec-hier children sparsity

    settings+=,$(list rec-naive warp block grid)
    begin trees
    for children in 32 64 128 256; do
        run "tree:4:$children" --directed --algorithm tree-descendants --setting "$settings"
    done
    for sparsity in 1 2 3 4; do
        run "tree:4:256:$sparsity" --directed --algorithm tree-descendants \
            --setting "$settings"
    done
    # a chain would take flat hours
    awk 'BEGIN { for (u = 1; u < 1000000; u++) print u, u + 1 }' >"$work/chain.txt"
    run "$work/chain.txt" --directed --algorithm tree-descendants \
        --setting auto,rec-naive,rec-naive+block
    awk 'BEGIN { for (u = 2; u <= 1000000; u++) print 1, u }' >"$work/star.txt"
    run "$work/star.txt" --directed --algorithm tree-descendants --setting "$settings"
    sed -i "s#$work/##" "$file"
}

datasets() {
    local settings

    settings=auto,flat,rec-naive,rec-hier,$(list rec-naive warp block grid)
    begin datasets
    "$program" graph make tree --depth 5 --min-children 32 --max-children 128 -q \
        -o "$work/dataset2.h5"
    "$program" graph make tree --depth 5 --min-children 128 --max-children 256 --sparsity 1 \
        -q -o "$work/dataset1.h5"
    for set in dataset2 dataset1; do
        run "$work/$set.h5" --directed --algorithm tree-descendants,tree-heights \
            --setting "$settings"
    done
    sed -i "s#$work/##" "$file"
}

# profile ALGORITHM GRAPH OPTION...: print the line of a command.
profile() {
    local metrics=gpu__time_duration.sum,dram__sectors_read.sum,dram__sectors_write.sum

    metrics+=,smsp__thread_inst_executed_per_inst_executed.ratio
    metrics+=,sm__warps_active.avg.pct_of_peak_sustained_active
    "$program" graph "$@" --force -v -o "$work/o.h5" 2>&1 | sed -n 's/.*\(launches: .*\)/\1/p' \
        >"$work/launches"
    "$ncu" --csv --page raw --print-units base --metrics "$metrics" \
        "$program" graph "$@" --force -q -o "$work/o.h5" >"$work/ncu.csv" 2>"$work/ncu.log" ||
        cat "$work/ncu.log" >&2
    python3 - "$work/ncu.csv" "$work/launches" "$*" "$metrics" <<'P'
import csv
import sys

lines = [line for line in open(sys.argv[1]) if line.startswith('"')]
rows = [row for row in csv.DictReader(lines) if row["ID"]]
number = {name: [float(row[name].replace(",", "")) for row in rows]
          for name in sys.argv[4].split(",")} if rows else {}
time = number.get("gpu__time_duration.sum", [])
mean = {name: sum(t * x for t, x in zip(time, values)) / sum(time)
        for name, values in number.items()}
words = sys.argv[3].split()
print(words[0], " ".join(words[2:]) or "auto", sep="\t", end="\t")
if rows:
    print(f'{100 * mean["smsp__thread_inst_executed_per_inst_executed.ratio"] / 32:.0f}',
          f'{mean["sm__warps_active.avg.pct_of_peak_sustained_active"]:.0f}',
          f'{32e-6 * sum(number["dram__sectors_read.sum"] + number["dram__sectors_write.sum"]):.0f}',
          sep="\t", end="\t")
print(open(sys.argv[2]).read().strip())
P
}

profiles() {
    local level

    # shellcheck disable=SC2012
    ncu=$(command -v ncu || ls /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu \
        2>/dev/null | tail -n 1)
    "$program" graph make clone:citeseer --force -q -o "$work/c.h5"
    "$program" graph make tree --min-children 128 --force -q -o "$work/t.h5"
    printf 'algorithm\toptions\twarp efficiency, %%\toccupancy, %%\tDRAM, MB\tlaunches\n'
    profile spmv "$work/c.h5" --template thread-mapped
    profile spmv "$work/c.h5" --template dbuf-global
    profile spmv "$work/c.h5" --template dpar-naive
    for level in warp block grid; do
        profile spmv "$work/c.h5" --consolidate $level
    done
    profile tree-descendants "$work/t.h5" --template flat
    profile tree-descendants "$work/t.h5" --template rec-naive
    profile tree-descendants "$work/t.h5" --template rec-hier
    for level in warp block grid; do
        profile tree-descendants "$work/t.h5" --consolidate $level
    done
}

# compare COMMAND: time both programs in turn, and print medians of 20 runs.
compare() {
    python3 - "$program" "$work/ribogrid" "$@" <<'P'
import statistics
import subprocess
import sys
import time

programs, words = sys.argv[1:3], sys.argv[3].split()
times = {program: [] for program in programs}
for _ in range(21):
    for program in programs:
        begin = time.perf_counter()
        subprocess.run([program, *words], check=True, stdout=subprocess.DEVNULL)
        times[program].append(time.perf_counter() - begin)
print(sys.argv[3], *(f"{statistics.median(times[program][1:]):.4f}" for program in programs),
      sep="\t")
P
}

# Link the program again, with a backend that takes nothing in place of the library.
start() {
    cat >"$work/none.c" <<'C'
#include "kernels/graph/common/graph_backend.h"

static bool takes(const graph_context_t *context)
{
    (void)context;
    return false;
}

const graph_backend_t nested_graph_backend = {.base = {"nested", DEVICE_CUDA, 1}, .takes = takes};
C
    cc -c -I"$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")" \
        "$work/none.c" -o "$work/none.o"
    (cd "$build" && eval "$(ninja -t commands ribogrid | tail -n 1 |
        sed "s#kernels/libribogrid_nested.a#$work/none.o#; s#kernels/libribogrid_nested.a##g; \
            s# -o ribogrid # -o $work/ribogrid #")")
    printf '>a\nACGTACGTAC\n>b\nACGTTCGTAC\n' >"$work/two.fa"
    printf 'command\twith, s\twithout, s\n'
    compare --version | sed "s#$work/##g"
    compare "align $work/two.fa --device cpu --force -q -o $work/o.h5" | sed "s#$work/##g"
    compare "align $work/two.fa --device cuda --force -q -o $work/o.h5" | sed "s#$work/##g"
}

for part in "$@"; do
    case $part in
    loops | trees | datasets | start) $part ;;
    ncu) profiles ;;
    *)
        echo "graph_nested.sh: unknown part '$part'" >&2
        exit 2
        ;;
    esac
done
