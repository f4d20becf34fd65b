#!/usr/bin/env bash
# many_gpus.sh - how the jobs scale from one GPU to all of a machine.
#
# usage: bench/many_gpus.sh BUILD_DIR READS.fa[.gz] [RANKS...]
#
# Each number of ranks (1 2 4 8, as far as there are GPUs) has a GPU per rank.  These
# variables may be set:
#   SEQUENCES  simulated ones for hits (1000000)
#   SCALE      of the R-MAT graph for pagerank: 2^SCALE nodes (24)
#   NETS       of bench/cnn_ranks.sh (alexnet:128 vgg-a:64)
#
# First, every number of ranks must give the results of one for 250 sequences.  Then a line
# per run: what, ranks, seconds of work (pagerank: of kernels and exchanges), in % of a rate
# that grows with the ranks, seconds in all, and whether the first 300,000 results are those
# of one rank.  Last, the lines of cnn_ranks.sh.  Exit code 1: results differ.
set -eu
build=$1
reads=$2
shift 2
program=$build/ribogrid
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
n_gpus=$(nvidia-smi -L 2>/dev/null | wc -l || true)
if [ $# -eq 0 ]; then
    for n in 1 2 4 8; do
        [ "$n" -gt "$n_gpus" ] || set -- "$@" "$n"
    done
fi
if [ $# -eq 0 ]; then
    echo "many_gpus.sh: there is no GPU; name numbers of ranks to run on CPUs" >&2
    exit 2
fi
failed=0

# on N ARGUMENT...: run N ranks; messages in $work/log, the seconds in all in $in_all
on() {
    local n=$1 command=() begin

    shift
    [ "$n" -eq 1 ] || command=(mpirun --oversubscribe --bind-to none -n "$n")
    begin=$(date +%s.%N)
    "${command[@]}" "$program" "$@" 2>"$work/log" || {
        cat "$work/log" >&2
        exit 1
    }
    in_all=$(echo "$begin $(date +%s.%N)" | awk '{ printf "%.2f", $2 - $1 }')
}

# line WHAT N SECONDS: print the line of out.h5
line() {
    local digest

    digest=$("$program" view "$work/out.h5" 2>"$work/log" | head -n 300000 | md5sum)
    if [ "$2" = 1 ]; then
        one_digest=$digest one_seconds=$3
    fi
    [ "$digest" = "$one_digest" ] || failed=1
    printf '%s\t%d\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" \
        "$(echo "$one_seconds $3 $2" |
            awk '{ print ($2 > 0 ? sprintf("%.1f", 100 * $1 / $2 / $3) : "-") }')" \
        "$in_all" "$([ "$digest" = "$one_digest" ] && echo equal || echo DIFFERENT)"
}

# info NAME...: print the sum of these lines of out.h5
info() {
    "$program" info "$work/out.h5" | awk -F '\t' -v names=" $* " '
        index(names, " " $2 " ") { sum += $3 }
        END { printf "%.3f", sum }'
}

# align_on WHAT READS OPTION...: align on every number of ranks
align_on() {
    local what=$1 n

    shift
    for n in "${all[@]}"; do
        on "$n" align "$@" -o "$work/out.h5" --force -q
        line "$what" "$n" "$(info seconds)"
    done
}

all=("$@")
[ "${all[0]}" = 1 ] || all=(1 "${all[@]}")
printf 'what\tranks\tseconds\tlinear, %%\tin all\tresults\n'
"$program" simulate 250 -o "$work/few.fa" 2>"$work/log"
align_on 'few: identities' "$work/few.fa"
align_on 'few: hits' "$work/few.fa" --id 0.9
align_on 'few: affine' "$work/few.fa" --gap-open 20 --gap-extend 2 --match 2 --mismatch -4
if [ "$failed" = 1 ]; then
    echo "many_gpus.sh: results differ; nothing was timed" >&2
    exit 1
fi

align_on 'identities' "$reads" --skip-bad
align_on 'affine scores' "$reads" --skip-bad --emit score --gap-open 20 --gap-extend 2 \
    --match 2 --mismatch -4
"$program" simulate "${SEQUENCES:-1000000}" -o "$work/many.fa" 2>"$work/log"
align_on 'hits at 0.97' "$work/many.fa" --id 0.97
rm "$work/many.fa"
"$program" graph make rmat --scale "${SCALE:-24}" -o "$work/graph.h5" 2>"$work/log"
for n in "${all[@]}"; do
    on "$n" graph pagerank "$work/graph.h5" --partition on -o "$work/out.h5" --force
    line 'pagerank, divided' "$n" "$(info seconds_kernels seconds_exchange)"
done
rm "$work/graph.h5" "$work/out.h5"
for n in "${all[@]}"; do
    # shellcheck disable=SC2086 # NETS is a list of words
    [ "$n" = 1 ] || "$(dirname "$0")/cnn_ranks.sh" "$build" "$n" "${TYPE:-tf32}" \
        ${NETS:-alexnet:128 vgg-a:64}
done
exit "$failed"
