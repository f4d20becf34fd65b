#!/usr/bin/env bash
# graph_from.sh - time `graph pagerank` and `components` after a change, from equal ranks and
# from an earlier result.
#
# usage: bench/graph_from.sh BUILD_DIR [DEVICE [PERCENT...]]
#
# PERCENT (0.01 1) of a graph's edges are new, between random nodes.  Graphs: two grids, roads
# and R-MAT, undirected and directed.
#
# One line per run: graph, percent, algorithm, how it began, iterations, arcs visited by arcs of
# the graph, milliseconds of kernels (median of 5 runs), and whether the result was verified.
set -eu
build=$1
device=${2:-cpu}
shift "$(($# < 2 ? $# : 2))"
percents=("${@:-0.01}")
[ $# -gt 0 ] || percents=(0.01 1)
program=$build/ribogrid
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compute WAY ALGORITHM OPTION...: run five times, and print the line.
compute() {
    local way=$1 seconds=()

    for _ in 1 2 3 4 5; do
        "$program" graph "${@:2}" "$work/new.h5" --device "$device" -q --force \
            -o "$work/out.h5"
        "$program" info "$work/out.h5" >"$work/info"
        seconds+=("$(awk -F '\t' '$2 == "seconds_kernels" { print $3 }' "$work/info")")
    done
    "$program" graph "${@:2}" "$work/new.h5" --device "$device" -q --force --verify \
        -o "$work/out.h5" || way+="?"
    awk -F '\t' -v way="$way" -v what="$name" -v percent="$percent" -v algorithm="$2" \
        -v s="$(printf '%s\n' "${seconds[@]}" | sort -g | sed -n 3p)" '
        { of[$2] = $3 }
        END { printf "%s\t%s\t%s\t%s\t%d\t%.2f\t%.3f\t%s\n", what, percent, algorithm, way,
            of["iterations"], of["arcs_visited"] / of["arcs"], 1000 * s,
            way ~ /[?]/ ? "WRONG" : "verified" }' "$work/info"
}

# graph NAME MAKE...: all runs on a graph.
graph() {
    local name=$1 percent

    "$program" graph make "${@:2}" -q --force -o "$work/old.h5"
    for algorithm in pagerank components; do
        "$program" graph $algorithm "$work/old.h5" -q --force -o "$work/$algorithm.h5"
    done
    "$program" info "$work/pagerank.h5" >"$work/info"
    for percent in "${percents[@]}"; do
        awk -F '\t' -v percent="$percent" '{ of[$2] = $3 }
            END { srand(7); n = of["arcs"] / 2 * percent / 100
                while (n-- > 0) {
                    u = int(rand() * of["nodes"]); v = int(rand() * of["nodes"])
                    if (u != v) print u, v } }' "$work/info" >"$work/new.txt"
        "$program" graph update "$work/old.h5" --add "$work/new.txt" -q --force \
            -o "$work/new.h5"
        for way in cold warm set auto; do
            compute $way pagerank --from "$work/pagerank.h5" --restart $way
        done
        compute cold components
        compute from components --from "$work/components.h5"
    done
}

printf 'graph\tpercent\talgorithm\tbegins\titerations\tpasses\tms\tresult\n'
graph grid:2^18 grid --rows 512 --columns 512
graph grid:2^22 grid --rows 2048 --columns 2048
graph roads road
graph rmat:16 rmat --scale 16
graph rmat-directed:16 rmat --scale 16 --directed
