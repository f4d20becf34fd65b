#!/usr/bin/env bash
# graph_programs.sh - time `graph run` of shipped programs on a GPU and as C, beside the
# algorithms of `graph`.
#
# usage: bench/graph_programs.sh BUILD_DIR [DEVICE [SCALE]]
#
# Graphs of 2^SCALE (18) nodes: R-MAT and a grid.  One line per run: graph, arcs, algorithm, what
# computes it, iterations, arcs visited by arcs of the graph, seconds of compiling and of copying
# the graph to the device, milliseconds of computing (minimum and median of 5 runs), and whether
# the result is that of the algorithm.
set -eu
build=$1
device=${2:-cuda}
scale=${3:-18}
program=$build/ribogrid
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# of NAME: a value of the last run.
of() {
    awk -F '\t' -v name="$1" '$2 == name { print $3; found = 1 }
        END { if (!found) print 0 }' "$work/info"
}

# compute WAY WORD...: run five times, and print the line.
compute() {
    local way=$1 ms=() result=

    for _ in 1 2 3 4 5; do
        "$program" "${@:2}" -q --force -o "$work/out.h5"
        "$program" info "$work/out.h5" >"$work/info"
        ms+=("$(of seconds_kernels)")
    done
    "$program" view "$work/out.h5" >"$work/out.txt"
    if [ "$way" = "graph $device" ]; then
        mv "$work/out.txt" "$work/want.txt"
    else
        result=$(cmp -s "$work/want.txt" "$work/out.txt" && echo equal || echo DIFFERENT)
    fi
    mapfile -t ms < <(printf '%s\n' "${ms[@]}" | sort -g)
    awk -v a="$(of arcs_visited)" -v n="$(of arcs)" -v lo="${ms[0]}" -v mid="${ms[2]}" \
        -v head="$name	$(of arcs)	$algorithm	$way	$(of iterations)" \
        -v c="$(of seconds_compile)" -v copy="$(of seconds_copy)" -v result="$result" '
        BEGIN { printf "%s\t%.1f\t%.2f\t%.3f\t%.3f\t%.3f\t%s\n", head, a / n, c, copy,
            1000 * lo, 1000 * mid, result }'
}

# graph NAME MAKE...: all runs on a graph.
graph() {
    local name=$1 algorithm from=() set=()

    "$program" graph make "${@:2}" -q --force -o "$work/g.h5"
    for algorithm in bfs pagerank components; do
        from=() set=()
        [ $algorithm != bfs ] || from=(--source max-degree) set=(--set source=max-degree)
        compute "graph $device" graph $algorithm "$work/g.h5" --device "$device" \
            ${from[0]+"${from[@]}"}
        compute "run $device" graph run $algorithm "$work/g.h5" --device "$device" \
            ${set[0]+"${set[@]}"}
        compute "run c" graph run $algorithm "$work/g.h5" --kernel c ${set[0]+"${set[@]}"}
    done
}

printf 'graph\tarcs\talgorithm\tby\titerations\tpasses\tcompile\tcopy\tmin\tmedian\tresult\n'
graph "rmat:$scale" rmat --scale "$scale"
graph "grid:$scale" grid --rows $((1 << scale / 2)) --columns $((1 << (scale + 1) / 2))
