#!/usr/bin/env bash
# gpu_targets.sh - measure the rates that the GPU kernels should reach, as one table.
#
# usage: bench/gpu_targets.sh [RIBOGRID_BENCH [READS.fa[.gz]]]
#
# One line per target: what, kernel, TCUPS (10^12 cells of the full matrices per second,
# median of 5 runs), pairs, median seconds.  Targets with a band are effective rates, because
# fewer cells may be computed.  If a target names several kernels, the fastest is shown.
#
# A short run finds the number of pairs that take one second.  With real sequences it is four
# seconds, because the last pairs of a batch take longest there: batches then have as many
# pairs as in `align`.  The pairs are cut into four batches, two of them in flight.  Without
# READS, targets with real sequences are left out.
set -u
cd "$(dirname "$0")/.." || exit 1
program=${1:-build/gpu/ribogrid-bench}
reads=${2:-}
unit="--match 4 --mismatch -5 --gap -7"
general="--match 4 --mismatch -5 --gap -8"
affine="--match 2 --mismatch -4 --gap-open 20 --gap-extend 2"
min_pairs=1024
max_pairs=33554432
trial_pairs=65536
seconds=1
batches=4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# field NAME FILE: the value in the first line that has times
field() {
    awk -F '\t' -v name="$1" '
        $1 == "what" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["gcups"] != "NA" { print $at[name]; exit }' "$2"
}
# bench FILE OPTIONS: write the TSV to FILE
bench() {
    "$program" align --device cuda --peers off --peer-pairs 8 --tsv "${@:2}" \
        >"$1" 2>"$work/errors"
}
# measure KERNEL PAIRS OPTIONS: write $work/KERNEL; PAIRS 0: as many as take $seconds
measure() {
    local file=$work/$1 pairs=$2 n_batches=1

    if [ "$pairs" = 0 ]; then
        bench "$file" --kernel "$1" --pairs "$trial_pairs" --runs 1 "${@:3}" || return 1
        pairs=$(field pairs_per_s "$file" |
            awk -v min=$min_pairs -v max=$max_pairs -v seconds="$seconds" '{ n = int($1 * seconds) }
                END { print (n < min ? min : n > max ? max : n) }')
        n_batches=$batches
    fi
    bench "$file" --kernel "$1" --pairs "$pairs" --batches $n_batches --runs 5 "${@:3}" ||
        return 1
    [ -n "$(field gcups "$file")" ]
}
# target WHAT KERNELS PAIRS OPTIONS
target() {
    local kernel rate best=0 line="" why=""

    for kernel in $2; do
        # shellcheck disable=SC2086
        if ! measure "$kernel" "$3" $4; then
            why=$(cat "$work/errors")
            [ -n "$why" ] || why="$kernel does not take such pairs"
            echo "$1: ${why%%;*}" >&2
            continue
        fi
        rate=$(field gcups "$work/$kernel")
        if awk -v a="$rate" -v b="$best" 'BEGIN { exit !(a > b) }'; then
            best=$rate
            line=$(printf '%-20s  %8.2f  %8s  %8.4f' \
                "$(field what "$work/$kernel" | sed 's:/.*::')" \
                "$(echo "$rate" | awk '{ print $1 / 1000 }')" \
                "$(field sizes "$work/$kernel" | cut -d x -f 1)" \
                "$(field median_s "$work/$kernel")")
        fi
    done
    [ -n "$line" ] || line="none"
    printf '%-44s  %s\n' "$1" "$line"
}
# real WHAT KERNELS OPTIONS: a target with the sequences of $reads
real() {
    local trial_pairs=1048576 seconds=4

    [ -z "$reads" ] || target "$1" "$2" 0 "--input $reads $3"
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
"$program" --version | head -n 1
printf '%-44s  %-20s  %8s  %8s  %8s\n' what kernel TCUPS pairs "median s"
target "unit cost, count, score, 1500" bscan 0 "$unit --ends count --emit score"
real "unit cost, count, score, RDP, band" bscan "$unit --ends count --emit score --band auto"
target "general, count, score, 1500" "rscan dscan" 0 "$general --ends count --emit score"
real "general, count, score, RDP, band" rscan "$general --ends count --emit score --band auto"
target "general, count, identity, 1500" rscan 0 "$general --ends count --emit identity"
real "general, count, identity, RDP, band" rscan \
    "$general --ends count --emit identity --band auto"
target "default, free, score, 1500" rscan 0 "$unit --ends free --emit score"
target "default, free, identity, 1500" rscan 0 "$unit --ends free --emit identity"
real "default, free, identity, RDP, band" rscan "$unit --ends free --emit identity --band auto"
target "general, count, score, 250" rscan 0 "$general --ends count --emit score --length 250"
target "unit cost, count, score, one pair of 100,000" tiled-dscan 1 \
    "$unit --ends count --emit score --length 100000"
target "general, count, cigar, 1500" rscan 0 "$general --ends count --emit cigar"
target "default, free, cigar, 1500" rscan 0 "$unit --ends free --emit cigar"
target "default, free, cigar, one pair of 30,000" tiled-dscan 1 \
    "$unit --ends free --emit cigar --length 30000"
target "affine, count, score, 1500" "sscan ascan" 0 "$affine --ends count --emit score"
target "affine, free, score, 1500" ascan 0 "$affine --ends free --emit score"
target "affine, priced, score, 1500" ascan 0 \
    "$affine --end-gap-open 2 --end-gap-extend 1 --emit score"
target "affine, count, identity, 1500" ascan 0 "$affine --ends count --emit identity"
target "affine, free, identity, 1500" ascan 0 "$affine --ends free --emit identity"
real "affine, count, score, RDP, band" "sscan ascan" "$affine --ends count --emit score --band auto"
real "affine, free, identity, RDP, band" ascan \
    "$affine --ends free --emit identity --band auto"
real "affine, priced, identity, RDP, band" ascan \
    "$affine --end-gap-open 2 --end-gap-extend 1 --emit identity --band auto"
target "affine, count, cigar, 1500" ascan 0 "$affine --ends count --emit cigar"
target "affine, free, cigar, 1500" ascan 0 "$affine --ends free --emit cigar"
target "affine, count, score, one pair of 100,000" tiled-dscan 1 \
    "$affine --ends count --emit score --length 100000"
target "affine, free, cigar, one pair of 30,000" tiled-dscan 1 \
    "$affine --ends free --emit cigar --length 30000"
protein="--alphabet protein --length 512"
target "protein, count, score, 512" tiled-dscan 0 "$protein --ends count --emit score"
target "protein, free, score, 512" tiled-dscan 0 "$protein --ends free --emit score"
target "protein, free, identity, 512" tiled-dscan 0 "$protein --ends free --emit identity"
target "protein, free, cigar, 512" tiled-dscan 0 "$protein --ends free --emit cigar"
target "protein, local, score, 512" lscan 0 "$protein --mode local --emit score"
target "protein, local, identity, 512" lscan 0 "$protein --mode local --emit identity"
local_dna="--mode local --match 5 --mismatch -4 --gap-open 10 --gap-extend 1"
target "local, score, 1500" lscan 0 "$local_dna --emit score"
target "local, identity, 1500" lscan 0 "$local_dna --emit identity"
target "local, cigar, 1500" lscan 0 "$local_dna --emit cigar"
target "local, score, one pair of 100,000" wavefront 1 "$local_dna --unchecked --emit score --length 100000"
target "local, cigar, one pair of 100,000" wavefront 1 "$local_dna --unchecked --emit cigar --length 100000"
target "local, cigar, one pair of 30,000" wavefront 1 "$local_dna --emit cigar --length 30000"
target "local, score, 1,541 in 5,000,000" wavefront 1 "$local_dna --unchecked --emit score --length 1541x5000000"
echo "$SECONDS s in all"
