#!/usr/bin/env bash
# graph_ranks.sh - time graph jobs on several ranks, and compare their results.
#
# usage: bench/graph_ranks.sh BUILD_DIR [SCALE [RANKS [SOURCES]]]
#
# Runs with as many GPUs as RANKS (2); without GPUs, on CPUs.
#
# pagerank, components and bfs of an R-MAT graph of 2^SCALE (22) nodes with 16 edges each: by
# one rank that has the whole graph, then divided among 1 and RANKS ranks.  betweenness from
# SOURCES (8192) sources of one of 2^(SCALE - 4) nodes: by 1 and RANKS ranks, whose tasks are
# free.
#
# One line per run: what, ranks, iterations, seconds of kernels (of betweenness: of all ranks
# together), of exchanges, and from the first step or task to the last result; 10^9 arcs per
# second of kernels and exchanges (of betweenness: of the time in all), where pagerank and
# betweenness visit all arcs per iteration and source; megabytes sent per iteration; whether
# the result is that of the first run.
set -eu
build=$1
scale=${2:-22}
ranks=${3:-2}
sources=${4:-8192}
program=$build/ribogrid
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# on N ARGUMENT...: run N ranks.
on() {
    if [ "$1" -eq 1 ]; then
        "$program" graph "${@:2}"
    else
        mpirun --oversubscribe --bind-to none -n "$1" "$program" graph "${@:2}"
    fi
}

# line WHAT N ARCS: print the line of out.h5, each of whose iterations visits ARCS arcs.
line() {
    local equal=first

    "$program" view "$work/out.h5" >"$work/out.tsv"
    if [ -e "$work/first.tsv" ]; then
        equal=$(cmp -s "$work/first.tsv" "$work/out.tsv" && echo equal || echo DIFFERENT)
    else
        mv "$work/out.tsv" "$work/first.tsv"
    fi
    "$program" info "$work/out.h5" | awk -F '\t' -v what="$1" -v n="$2" -v arcs="$3" \
        -v equal="$equal" '
        $1 == "run" { of[$2] = $3 }
        END {
            seconds = of["seconds_kernels"] + of["seconds_exchange"]
            if (what == "betweenness")
                seconds = of["seconds"]
            if (of["iterations"] > 0)
                sent = of["exchange_bytes"] / of["iterations"] / 1e6
            printf "%s\t%d\t%d\t%.4f\t%.4f\t%.4f\t%.2f\t%.2f\t%s\n", what, n,
                of["iterations"], of["seconds_kernels"], of["seconds_exchange"],
                of["seconds"], arcs / seconds / 1e9, sent, equal
        }'
}

# arcs_of: print the number of arcs of the graph of out.h5.
arcs_of() {
    "$program" info "$work/out.h5" | awk -F '\t' '$2 == "arcs" { print $3 }'
}

# divided ALGORITHM OPTION...: whole, then divided among 1 and all ranks.
divided() {
    local how n arcs times

    rm -f "$work/first.tsv"
    for how in "1 off" "1 on" "$ranks on"; do
        n=${how% *}
        on "$n" "$@" "$work/rmat.h5" --partition "${how#* }" -q --force -o "$work/out.h5"
        arcs=$(arcs_of)
        times=1
        [ "$1" = pagerank ] && times=$("$program" info "$work/out.h5" |
            awk -F '\t' '$2 == "iterations" { print $3 }')
        line "$1, partition ${how#* }" "$n" $((arcs * times))
    done
}

printf 'what\tranks\titerations\tkernels_s\texchange_s\ttotal_s\tGarcs/s\tMB/iteration\tresult\n'
"$program" graph make rmat --scale "$scale" -q -o "$work/rmat.h5"
divided pagerank --tolerance 0 --max-iterations 100
divided components
divided bfs
"$program" graph make rmat --scale $((scale - 4)) -q --force -o "$work/rmat.h5"
rm -f "$work/first.tsv"
for n in 1 "$ranks"; do
    on "$n" betweenness "$work/rmat.h5" --sources "$sources" -q --force -o "$work/out.h5"
    line betweenness "$n" $(($(arcs_of) * sources))
done
