#!/usr/bin/env bash
# peers.sh - the whole tool beside vsearch: every pair of one file, both with all threads.
#
# usage: bench/peers.sh RIBOGRID READS.fa[.gz] [RUNS [THREADS [ID [PART [DEVICE]]]]]
#
# vsearch aligns every pair exactly too (identity of definition 2, which leaves terminal
# gaps out, as --ends free does), with affine gaps and its own defaults.  With ID both
# report only the pairs that reach it; vsearch, which aligns all the same, is given every
# PART-th record, so that one need not wait for it: compare pairs/s.  DEVICE: cpu, or what
# else `align --device` takes.  Runs alternate.  A line a program: what, reads, threads,
# records, pairs, min, median, max seconds, pairs/s.
set -eu
program=$1
reads=$2
runs=${3:-5}
threads=${4:-$(nproc)}
id=${5:-}
part=${6:-1}
device=${7:-cpu}
command -v vsearch >/dev/null || { echo "peers.sh: there is no vsearch here" >&2 && exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

seconds() { # file to append to, command...
    local start end
    start=$(date +%s.%N)
    "${@:2}" >/dev/null 2>&1
    end=$(date +%s.%N)
    awk -v a="$start" -v b="$end" 'BEGIN { printf "%.3f\n", b - a }' >>"$1"
}
line() { # name, file of seconds, records
    sort -n "$2" | awk -v name="$1" -v n="$3" -v reads="$(basename "$reads")" \
        -v threads="$threads" '{ t[NR] = $1 }
        END { pairs = n * (n - 1) / 2; median = t[int((NR + 1) / 2)]
              printf "%s\t%s\t%d threads\t%d records\t%d pairs\t%s\t%s\t%s\t%.0f pairs/s\n",
                     name, reads, threads, n, pairs, t[1], median, t[NR], pairs / median }'
}
case $reads in
*.gz) gzip -dc "$reads" >"$work/reads.fa" ;;
*) cp "$reads" "$work/reads.fa" ;;
esac
awk -v part="$part" '/^>/ { n++ } n % part == 1 || part == 1' "$work/reads.fa" >"$work/part.fa"
ours=(--skip-bad)
theirs=(--acceptall)
if [ -n "$id" ]; then
    ours+=(--id "$id")
    theirs=(--id "$id")
fi
for ((run = -1; run < runs; run++)); do # the first warms up
    out=$work/times
    [ "$run" -lt 0 ] && out=$work/warm
    seconds "$out.ours" "$program" align "$work/reads.fa" -o "$work/o.h5" --force -q \
        --device "$device" --threads "$threads" "${ours[@]}"
    seconds "$out.vsearch" vsearch --allpairs_global "$work/part.fa" --iddef 2 "${theirs[@]}" \
        --threads "$threads" --userout "$work/o.tsv" --userfields query+target+id2
done
line "$("$program" --version | head -n 1) align${id:+ --id $id} --device $device" "$work/times.ours" \
    "$(grep -c '^>' "$work/reads.fa")"
line "$(vsearch --version 2>&1 | head -n 1 | cut -d, -f1) allpairs_global${id:+ --id $id}" \
    "$work/times.vsearch" "$(grep -c '^>' "$work/part.fa")"
