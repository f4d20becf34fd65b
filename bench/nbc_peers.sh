#!/usr/bin/env bash
# nbc_peers.sh - time naive Bayes on the CPU next to vsearch --sintax.
#
# usage: bench/nbc_peers.sh BUILD_DIR GENES.fa[.gz] TAXONOMY.tsv[.gz] [THREADS [EVERY]]
#
# BUILD_DIR, with RIBOGRID_BENCH=ON, has tests/bench_nbc.  The genes are the references; the reads are the V4 regions
# of every EVERYth of them (20; bench/amplicons.py cuts them), and every EVERYth gene itself.
# Both programs try both strands, with 100 resamples, on THREADS threads (all).  The time that
# vsearch takes for a single read is left out.  One line per kind of reads: reads per second
# of both, from wall time and from processor time, and ours over vsearch's.
set -eu
build=$1
genes=$2
taxonomy=$3
threads=${4:-$(nproc)}
every=${5:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%R %U %S'

text() { case $1 in *.gz) gzip -cd "$1" ;; *) cat "$1" ;; esac }
one_in() { awk -v every="$every" '/^>/ { n++ } n % every == 1 % every' "$1"; }

# Genes with other letters than those of DNA are left out.
text "$genes" | awk '/^>/ { if (seq != "") print name "\n" seq; name = $1; seq = ""; next }
    { if ($0 ~ /[^ACGTUNRYSWKMBDHVacgtunryswkmbdhv]/) name = ""; seq = seq $0 }
    END { if (seq != "") print name "\n" seq }' | grep -A 1 '^>.' | grep -v '^--$' >"$work/genes.fa"
text "$taxonomy" | awk -F '\t' '
    FNR == NR {
        n = split($2, taxon, ";"); tax = ""
        for (i = 1; i <= n && i <= 7; i++) {
            gsub(/[, ]/, "_", taxon[i])
            tax = tax (i > 1 ? "," : "") substr("dpcofgs", i, 1) ":" taxon[i]
        }
        of[">" $1] = tax
        next
    }
    /^>/ { print $0 ";tax=" of[$0] ";"; next }
    { print }' - "$work/genes.fa" >"$work/sintax.fa"
python3 "$(dirname "$0")/amplicons.py" cut "$work/genes.fa" 1000000000 >"$work/all_v4.fa"
one_in "$work/all_v4.fa" >"$work/v4.fa"
one_in "$work/genes.fa" >"$work/genes_of_reads.fa"
head -2 "$work/v4.fa" >"$work/one.fa"

sintax() { # READS: wall and processor seconds
    { time vsearch --sintax "$1" --db "$work/sintax.fa" --tabbedout "$work/out.tsv" \
        --strand both --threads "$threads" --quiet 2>/dev/null; } 2>&1 |
        awk '{ print $1, $2 + $3 }'
}
compare() { # NAME READS
    local n ours start theirs

    n=$(grep -c '^>' "$2")
    ours=$("$build/tests/bench_nbc" "$work/genes.fa" "$taxonomy" "$2" "$threads" 3 cpu \
        2>/dev/null | awk -F '\t' '{ print $5, $7 }')
    start=$(sintax "$work/one.fa")
    theirs=$(sintax "$2")
    awk -v what="$1" -v n="$n" -v a="$ours" -v s="$start" -v b="$theirs" 'BEGIN {
        split(a, x, " "); split(b, y, " "); split(s, z, " ")
        wall = y[1] - z[1]; processor = y[2] - z[2]
        printf "%s\t%d\t%.0f\t%.0f\t%.1f\t%.0f\t%.0f\t%.1f\n", what, n, n / x[1], n / wall,
            wall / x[1], n / x[2], n / processor, processor / x[2] }'
}

printf 'what\treads\tours\tvsearch\tratio\tours_per_processor_s\tvsearch_per_processor_s\tratio\n'
compare v4 "$work/v4.fa"
compare genes "$work/genes_of_reads.fa"
