#!/usr/bin/env bash
# peers.sh - time the whole program next to vsearch: all pairs of one file, same threads.
#
# usage: bench/peers.sh RIBOGRID READS.fa[.gz] [RUNS [THREADS [ID [STEP [DEVICE]]]]]
#
# vsearch also aligns every pair exactly, with affine gaps and its own defaults; its identity
# definition 2 leaves out terminal gaps, like --ends free.  With ID, both programs report only
# pairs that reach that identity.  vsearch still aligns all pairs, so to limit its run time it
# gets only every STEP-th record: compare pairs/s.  DEVICE is cpu (the default) or another
# value of `align --device`.  The two programs run in turn.
#
# One line per program: what, reads, threads, records, pairs, min, median, max seconds,
# pairs/s.
set -eu
program=$1
reads=$2
runs=${3:-5}
threads=${4:-$(nproc)}
id=${5:-}
step=${6:-1}
device=${7:-cpu}
command -v vsearch >/dev/null || { echo "peers.sh: vsearch not found; install it (Debian: vsearch)" >&2 && exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds FILE COMMAND...: append the run time to FILE
seconds() {
    local start end
    start=$(date +%s.%N)
    "${@:2}" >/dev/null 2>&1
    end=$(date +%s.%N)
    awk -v a="$start" -v b="$end" 'BEGIN { printf "%.3f\n", b - a }' >>"$1"
}
# line NAME FILE RECORDS: print the line of a program; FILE holds its run times
line() {
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
awk -v step="$step" '/^>/ { n++ } n % step == 1 || step == 1' "$work/reads.fa" >"$work/some.fa"
ours=(--skip-bad)
theirs=(--acceptall)
if [ -n "$id" ]; then
    ours+=(--id "$id")
    theirs=(--id "$id")
fi
for ((run = -1; run < runs; run++)); do # run -1 warms up
    out=$work/times
    [ "$run" -lt 0 ] && out=$work/warm
    seconds "$out.ours" "$program" align "$work/reads.fa" -o "$work/o.h5" --force -q \
        --device "$device" --threads "$threads" "${ours[@]}"
    seconds "$out.vsearch" vsearch --allpairs_global "$work/some.fa" --iddef 2 "${theirs[@]}" \
        --threads "$threads" --userout "$work/o.tsv" --userfields query+target+id2
done
line "$("$program" --version | head -n 1) align${id:+ --id $id} --device $device" "$work/times.ours" \
    "$(grep -c '^>' "$work/reads.fa")"
line "$(vsearch --version 2>&1 | head -n 1 | cut -d, -f1) allpairs_global${id:+ --id $id}" \
    "$work/times.vsearch" "$(grep -c '^>' "$work/some.fa")"
