#!/usr/bin/env bash
#
# cli_clades.sh - `ribogrid clades`: its numbers are those of a loop over `view`, of real
# genes where there are any; files of hits, all cuts, charts, odd input.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/shell_test.sh
. "$(dirname "$0")/../support/shell_test.sh"
PYTHON=python3
has_modules subprocess || skip "no Python"
cd "$tmp" || exit 1
data=${RIBOGRID_DATA:-}/16s

# make_genes: at most six genes of each genus of four families, of lineages of all ranks, or
# made ones; some lineages end early.
make_genes()
{
    if [ -r "$data/rdp_trainset18.fasta.gz" ] && [ -r "$data/rdp_trainset18.tax.tsv.gz" ]; then
        zcat "$data/rdp_trainset18.tax.tsv.gz" | awk -F '\t' -v n="$1" '
            $2 ~ /;(Vibrionaceae|Enterobacteriaceae|Bacillaceae_1|Methanobacteriaceae);/ &&
                genus[$2]++ < 6 && k++ < n { if (k % 20 == 0) sub(/;[^;]*$/, "", $2)
                print $1 "\t" $2 }' >genes.tax
        zcat "$data/rdp_trainset18.fasta.gz" | awk 'NR == FNR { is_in[">" $1] = 1; next }
            /^>/ { p = is_in[$1] } p' genes.tax - >genes.fa
    else
        "$RIBOGRID" simulate "$1" --length 200 --seed 2 -o genes.fa
        awk '/^>/ { n++; print substr($1, 2) "\tBacteria;P" n % 3 ";C;O;F" n % 21 (n % 10 ? ";G" n % 42 : "") }' \
            genes.fa >genes.tax
    fi
}

loop()
{
    "$PYTHON" "$here/tools/clades_loop.py" "$RIBOGRID" pairs.h5 genes.tax "$@"
}

test_numbers()
{
    local words n=0

    for words in "" "--cuts genus --bins 37" "--cuts every:7 --bins 1000" "--cuts all --bins 1" "--cuts 2"; do
        # shellcheck disable=SC2086 # options
        check "clades $words" expect_exit 0 "$RIBOGRID" clades pairs.h5 --taxonomy genes.tax \
            --threads 2 -q $words -o c$n.h5
        check "clades $words: as a loop" loop c$n.h5 "$([[ $words == *--bins* ]] && echo "${words##* }" || echo 100)"
        n=$((n + 1))
    done
}

# Of pairs from 0.9 on, the same but for those below.
test_hits()
{
    check "hits" expect_exit 0 "$RIBOGRID" align genes.fa --id 0.9 -q -o hits.h5
    check "hits: counts" expect_exit 0 "$RIBOGRID" clades hits.h5 --taxonomy genes.tax -q -o h.h5
    check "hits: two taxa" expect_exit 0 "$RIBOGRID" clades h.h5 "$a" "$b"
    check "hits: what is unknown" expect_line 'h.h5: it is of a file of hits: pairs below an identity of 9/10' "$err"
    sed '1,/^$/d' "$out" >hits.tsv
    "$RIBOGRID" clades c0.h5 "$a" "$b" | sed '1,/^$/d' | awk 'NR == 1 || $1 >= 0.9' >dense.tsv
    check "hits: bins from there on" same hits.tsv dense.tsv
}

test_pictures()
{
    check "a picture" expect_exit 0 "$RIBOGRID" clades c0.h5 --svg ranks.svg
    check "a picture: charts" test "$(grep -c 'class="series"' ranks.svg)" -ge 8
    check "a picture: it exists" refused 1 'ranks.svg exists' "$RIBOGRID" clades c0.h5 --svg ranks.svg
    check "a page" expect_exit 0 "$RIBOGRID" report c0.h5 -q -o page.html
    check "a page: charts" grep -q '<svg id="rank-5"' page.html
    check "a page: taxa" grep -q 'table id="taxa"' page.html
    check "info" grep -qx $'file\tblocks\t[0-9]*' <("$RIBOGRID" info c0.h5)
    check "view: a line per sequence" test "$("$RIBOGRID" view c0.h5 | wc -l)" -eq $(($(wc -l <genes.tax) + 1))
}

# The most similar sequences by level, of the first sequence of `view`.
test_view()
{
    local name rest

    read -r name rest < <("$RIBOGRID" view c0.h5 | sed -n 2p)
    "$RIBOGRID" view c0.h5 | sed -n 2p | cut -f 3- | tr '\t' '\n' | grep -v '^-' | sort -r | head -1 >best
    "$RIBOGRID" view pairs.h5 | awk -F '\t' -v name="$name" '$1 == name || $2 == name {
        if ($4 / $5 > max) max = $4 / $5 } END { printf "%.6f\n", max }' >want
    check "view: the most similar sequence" same best want
}

test_questions()
{
    local p=${a%;*}

    check "a lineage" expect_exit 0 "$RIBOGRID" clades c0.h5 "$a" "${b##*;}"
    check "one is a part" refused 1 "A and B share sequences of .*; give two taxa of which" \
        "$RIBOGRID" clades c0.h5 "$a" "$p"
    check "the same" refused 1 "A and B are both ${a##*;}; give two taxa" \
        "$RIBOGRID" clades c0.h5 "$a" "${a##*;}"
    check "an unknown one" refused 1 "none of its sequences is of a taxon 'Nonesuch'; " \
        "$RIBOGRID" clades c0.h5 "$a" Nonesuch
    check "no cut" refused 1 "the borders of .* are no cuts; give --pairs-file PAIRS.h5, or make it" \
        "$RIBOGRID" clades c4.h5 "$a" "$b"
    check "other pairs" refused 1 "hits.h5: its pairs are not those of c4.h5; give the file" \
        "$RIBOGRID" clades c4.h5 "$a" "$b" --pairs-file hits.h5
    check "one taxon" refused 2 "give two taxa, A and B, or none" "$RIBOGRID" clades c0.h5 "$a"
    check "--pairs-file without taxa" refused 2 "give A and B" "$RIBOGRID" clades c0.h5 --pairs-file pairs.h5
    check "--bins of a question" refused 2 "are for counts of PAIRS.h5" "$RIBOGRID" clades c0.h5 --bins 9
    check "a question and counts" refused 2 "are questions to C.h5" \
        "$RIBOGRID" clades pairs.h5 A B --taxonomy genes.tax -o z.h5
    check "a question to pairs" refused 1 "not a result of .ribogrid clades" "$RIBOGRID" clades pairs.h5 A B
    check "a full disk" refused 1 "cannot write to stdout: No space" \
        bash -c '"$RIBOGRID" clades c0.h5 -q >/dev/full'
}

test_refused()
{
    local to=(--taxonomy genes.tax -q -o z.h5)

    sed 1,2d genes.tax >short.tax
    check "no lineage" refused 1 "short.tax: it has no lineage for 2 of [0-9]* sequences of pairs.h5, the first is [^ ]*; add" \
        "$RIBOGRID" clades pairs.h5 --taxonomy short.tax -q -o z.h5
    check "no taxonomy" refused 2 "give --taxonomy FILE" "$RIBOGRID" clades pairs.h5 -o z.h5 --plan
    check "no output" refused 2 "no output file; give -o C.h5" "$RIBOGRID" clades pairs.h5 --taxonomy genes.tax
    check "no rank" refused 1 "its lineages have only 6 ranks, and not 9" "$RIBOGRID" clades pairs.h5 "${to[@]}" --cuts 9
    check "odd cuts" refused 2 "--cuts x: give a rank" "$RIBOGRID" clades pairs.h5 "${to[@]}" --cuts x
    check "counts, not pairs" refused 1 "c0.h5: " "$RIBOGRID" clades c0.h5 "${to[@]}"
    "$RIBOGRID" align genes.fa --against genes.fa --top 1 -q -o against.h5
    check "references" refused 1 "queries against references" "$RIBOGRID" clades against.h5 "${to[@]}"
    check "scores" refused 1 "only scores" eval \
        '"$RIBOGRID" align genes.fa --emit score -q -o scores.h5 && "$RIBOGRID" clades scores.h5 --taxonomy genes.tax -q -o z.h5'
    head -c 20000 c0.h5 >cut.h5
    check "a cut file" refused 1 "cut.h5: " "$RIBOGRID" clades cut.h5
    # all cuts by 10,001 bins
    check "a large table" refused 1 "blocks by 10001 bins make a table of .* values, and the limit" \
        "$RIBOGRID" clades large.h5 --taxonomy large.tax -q -o z.h5 --cuts all --bins 10000
    check "nothing is left" absent z.h5 z.h5.part
}

make_genes 120
check "pairs" expect_exit 0 "$RIBOGRID" align genes.fa --threads 2 -q -o pairs.h5
a=$(cut -f 2 genes.tax | cut -d ';' -f 1-5 | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
b=$(cut -f 2 genes.tax | cut -d ';' -f 1-5 | sort | uniq -c | sort -rn | awk 'NR == 2 { print $2 }')
"$RIBOGRID" simulate 1200 --length 10 --seed 1 -o large.fa
awk '/^>/ { print substr($1, 2) "\tA" }' large.fa >large.tax
"$RIBOGRID" align large.fa --threads 2 -q -o large.h5
export RIBOGRID
test_numbers
test_hits
test_pictures
test_view
test_questions
test_refused
finish
