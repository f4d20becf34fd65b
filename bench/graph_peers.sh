#!/usr/bin/env bash
# graph_peers.sh - time graph algorithms on the CPU next to the GAP benchmark's own code.
#
# usage: bench/graph_peers.sh BUILD_DIR GAPBS_DIR [SCALE [THREADS [ROUNDS]]]
#
# BUILD_DIR (RIBOGRID_BENCH=ON) has ribogrid and tests/bench_graph_cpu; GAPBS_DIR has the programs of
# https://github.com/sbeamer/gapbs.  All read one symmetric R-MAT graph of 2^SCALE (18) nodes
# with 16 edges each and weights of 1 to 255.  The two take turns, algorithm by algorithm.
# BFS and SSSP start from another node in each of the ROUNDS (16); betweenness has 4 sources.
#
# One line per algorithm: what, ours and GAP's minimum and median milliseconds, and GAP's
# median over ours.  PageRank: both by Jacobi iterations, per iteration.
set -eu
build=$1
gap=$2
scale=${3:-18}
export OMP_NUM_THREADS=${4:-$(nproc)}
rounds=${5:-16}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$build/ribogrid" graph make rmat --scale "$scale" --dedupe --drop-loops \
    --weights uniform:1-255 -q -o "$work/rmat.txt"
grep -v '^#' "$work/rmat.txt" >"$work/rmat.wel"

# ours ALGORITHM: minimum and median milliseconds, of PageRank per iteration
ours() {
    "$build/tests/bench_graph_cpu" "$work/rmat.txt" "$OMP_NUM_THREADS" "$rounds" "$1" |
        awk -F '\t' -v per_iteration="$2" '{
            n = per_iteration ? $7 : 1
            printf "%.3f %.3f\n", 1e3 * $3 / n, 1e3 * $4 / n }'
}
# theirs PROGRAM PER_ITERATION OPTIONS: the same of the GAP benchmark
theirs() {
    "$gap/$1" -f "$work/rmat.wel" -s -n "$rounds" "${@:3}" |
        awk -v per_iteration="$2" '
            /^ *[0-9]+ +[0-9.e-]+$/ { n_iterations++ }
            /^Trial Time:/ {
                print 1e3 * $3 / (per_iteration && n_iterations ? n_iterations : 1)
                n_iterations = 0
            }' | sort -g |
        awk '{ ms[NR] = $1 } END { printf "%.3f %.3f\n", ms[1], ms[int(NR / 2) + 1] }'
}
compare() { # ALGORITHM PROGRAM PER_ITERATION OPTIONS
    local a b

    read -ra a <<<"$(ours "$1" "$3")"
    read -ra b <<<"$(theirs "$2" "$3" "${@:4}")"
    awk -v what="$1" -v a0="${a[0]}" -v a1="${a[1]}" -v b0="${b[0]}" -v b1="${b[1]}" \
        'BEGIN { printf "%s\t%s\t%s\t%s\t%s\t%.2f\n", what, a0, a1, b0, b1, b1 / a1 }'
}

printf 'what\tours_min_ms\tours_median_ms\tgap_min_ms\tgap_median_ms\tgap/ours\n'
compare bfs bfs 0
compare sssp sssp 0 -d 2
compare pagerank pr_spmv 1 -l
compare components cc 0
compare betweenness bc 0 -i 4
compare triangles tc 0
