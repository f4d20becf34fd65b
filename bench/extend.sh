#!/usr/bin/env bash
# extend.sh - time `align NEW --extend OLD` beside a run over all sequences.
#
# usage: bench/extend.sh BUILD_DIR READS.fa[.gz] N_OLD N_NEW [ALIGN_OPTION...]
#
# The first N_OLD sequences are old, N_NEW that follow them are new.  BUILD_DIR has ribogrid and
# tests/equal_datasets.
#
# One line per run: which, sequences, pairs that it computed, seconds of the whole program, and
# by the seconds of the fresh run.  The exit code is 1 if the datasets differ.
set -eu
build=$1
reads=$2
n_old=$3
n_new=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run NAME READS [ALIGN_OPTION...]: align, and print the line.
run() {
    local name=$1 begin seconds

    begin=$(date +%s.%N)
    "$build/ribogrid" align "${@:2}" -q -o "$work/$name.h5"
    seconds=$(awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
    [ "$name" != fresh ] || fresh=$seconds
    "$build/ribogrid" info "$work/$name.h5" |
        awk -F '\t' -v name="$name" -v s="$seconds" -v fresh="$fresh" '
            { of[$2] = $3 }
            END { printf "%s\t%d\t%d\t%.2f\t%.3f\n", name, of["sequences"],
                of["pairs_computed"], s, s / fresh }'
}

gzip -cdf "$reads" | awk -v n_old="$n_old" -v n_new="$n_new" -v work="$work" '
    /^>/ { n++ }
    n > n_old + n_new { exit }
    { print > (work (n > n_old ? "/new.fa" : "/old.fa")) }'
printf 'run\tsequences\tpairs computed\tseconds\tof the fresh run\n'
run fresh "$work/old.fa" "$work/new.fa" "$@"
run old "$work/old.fa" "$@"
run extended "$work/new.fa" --extend "$work/old.h5"
"$build/tests/equal_datasets" "$work/fresh.h5" "$work/extended.h5"
echo 'the datasets are equal'
