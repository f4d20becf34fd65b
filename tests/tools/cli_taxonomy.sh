#!/usr/bin/env bash
#
# cli_taxonomy.sh - `ribogrid taxonomy`: lineages worked out by hand in three formats, read by
# pandas and mothur if installed, and refused input.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

# Hits: q1 has none; q2 has one; q3 has two Lactobacillus and one Pediococcus; q4 has r1 and r4,
# which share no taxon; q5 has r1 and r3, which share three taxa.
printf '%s\n' 'r1	Bacteria;Bacilli;Lactobacillaceae;Lactobacillus' \
    'r2	Bacteria;Bacilli;Lactobacillaceae;Lactobacillus' \
    'r3	Bacteria;Bacilli;Lactobacillaceae;Pediococcus sp' 'r4	Archaea' >lineages
"$PYTHON" "$here/tools/make_hits.py" hits.h5 q1,q2,q3,q4,q5 r1,r2,r3,r4,r5 1,2,97,100 \
    2,0,99,100 2,1,98,100 2,2,97,100 3,0,80,100 3,3,80,100 4,0,90,100 4,2,90,100

# classify FORMAT OPTION...: write x.FORMAT.
classify()
{
    local format=$1

    shift
    expect_exit 0 "$RIBOGRID" taxonomy hits.h5 --taxonomy lineages --format "$format" \
        --force -o "x.$format" "$@"
}

# equals_stdin FILE: the file equals stdin.
equals_stdin()
{
    same - "$1"
}

test_formats()
{
    local bacilli='Bacteria;Bacilli;Lactobacillaceae'

    check "tsv is written" classify tsv
    check "no message is printed" silent "$err"
    check "tsv has one line per query" equals_stdin x.tsv <<END
query	lineage	consensus	agreeing	hits
q1	Unassigned	0.000000	0	0
q2	$bacilli;Pediococcus sp	1.000000	1	1
q3	$bacilli;Lactobacillus	0.666667	2	3
q4	Unassigned	0.000000	0	2
q5	$bacilli	1.000000	2	2
END
    check "stdout gets the same" \
        test "$("$RIBOGRID" taxonomy hits.h5 --taxonomy lineages | cksum)" \
        = "$(cksum <x.tsv)"
    check "--min-consensus 0.666666666 succeeds" classify tsv --min-consensus 0.666666666
    check "two of three hits suffice for it" grep -q '^q3.*;Lactobacillus	' x.tsv
    check "--min-consensus 0.666666667 succeeds" classify tsv --min-consensus 0.666666667
    check "two of three hits do not suffice for it" \
        grep -q "^q3	$bacilli	1.000000	3	3\$" x.tsv
    check "mothur's format is written" classify mothur
    check "blanks are reported once" expect_line "warning: names contain blanks" "$err"
    check "mothur's format has supports" equals_stdin x.mothur <<END
q1	unknown(0);
q2	Bacteria(100);Bacilli(100);Lactobacillaceae(100);Pediococcus_sp(100);
q3	Bacteria(100);Bacilli(100);Lactobacillaceae(100);Lactobacillus(66);
q4	unknown(0);
q5	Bacteria(100);Bacilli(100);Lactobacillaceae(100);
END
    check "QIIME 2's format is written" classify qiime2
    check "QIIME 2's format has a header" equals_stdin x.qiime2 <<END
Feature ID	Taxon	Consensus
q1	Unassigned	0.000000
q2	Bacteria; Bacilli; Lactobacillaceae; Pediococcus sp	1.000000
q3	Bacteria; Bacilli; Lactobacillaceae; Lactobacillus	0.666667
q4	Unassigned	0.000000
q5	Bacteria; Bacilli; Lactobacillaceae	1.000000
END
}

# The output can be read as lineages.
test_round()
{
    local format

    "$PYTHON" "$here/tools/make_hits.py" again.h5 p q1,q2,q3 0,2,1,1
    for format in mothur qiime2; do
        check "$format is accepted as lineages" \
            expect_exit 0 "$RIBOGRID" taxonomy again.h5 --taxonomy \
            "x.$format"
        check "$format keeps the lineage" grep -q \
            '^p	Bacteria;Bacilli;Lactobacillaceae;Lactobacillus	1.000000	1	1$' "$out"
    done
}

read_by_pandas()
{
    "$PYTHON" - <<'END'
import pandas as pd

table = pd.read_csv("x.qiime2", sep="\t", index_col="Feature ID")
assert list(table.columns) == ["Taxon", "Consensus"], table.columns
assert table.Consensus.dtype == float and len(table) == 5
assert table.Taxon["q3"].split("; ")[3] == "Lactobacillus"
table = pd.read_csv("x.tsv", sep="\t").set_index("query")
assert (table.agreeing <= table.hits).all() and table.hits.sum() == 8
END
}

test_readers()
{
    if has_modules pandas; then
        check "pandas reads them" read_by_pandas
    fi
    if command -v mothur >/dev/null; then
        mothur "#summary.tax(taxonomy=x.mothur)" >mothur.log 2>&1
        check "mothur reads it" grep -Eq '^4	[0-9.]+	Lactobacillus	0	1' \
            x.*tax.summary
        check "mothur finds all five queries" grep -Eq '^0	0	Root	[0-9]+	5' x.*tax.summary
    fi
}

test_refused()
{
    "$PYTHON" "$here/tools/make_hits.py" all.h5 a,b - 0,1,9,10
    check "all against all is refused" \
        refused 1 'holds all pairs of one set; give a file of queries' "$RIBOGRID" taxonomy \
        all.h5 --taxonomy lineages
    "$PYTHON" "$here/tools/make_hits.py" lost.h5 q r1,r5 0,1,9,10
    check "a reference without lineage fails" expect_exit 1 "$RIBOGRID" taxonomy lost.h5 \
        --taxonomy lineages -o lost.tsv
    check "the reference is named, and the remedy" expect_line \
        "lineages has no lineage for 1 of .* is 'r5'; .*, or --allow-missing$" "$err"
    check "no file is left" absent lost.tsv lost.tsv.tmp-*
    printf 'r1 Bacteria\n' >bad
    check "a malformed line is refused" \
        refused 1 'bad:1: no tab and lineage; give name TAB lineage, such as "[^	]*<TAB>Bact' \
        "$RIBOGRID" taxonomy hits.h5 --taxonomy bad -o bad.tsv
    check "a missing --taxonomy is refused" \
        refused 2 'give --taxonomy FILE' "$RIBOGRID" taxonomy hits.h5
    check "--min-consensus 0.5 is refused" \
        refused 2 '--min-consensus: give a decimal above 0.5 and at most 1' \
        "$RIBOGRID" taxonomy hits.h5 --taxonomy lineages --min-consensus 0.5
    check "an unknown format is refused" \
        refused 2 '--format biom: give one of' "$RIBOGRID" \
        taxonomy hits.h5 --taxonomy lineages --format biom
    check "an existing file is refused" refused 1 'x.tsv exists; give --force' "$RIBOGRID" \
        taxonomy hits.h5 --taxonomy lineages -o x.tsv
}

# q1 has good hits, q2 two of three, q3 one of three; nothing is printed before all hits
# have been looked up.
test_missing()
{
    local bacilli='Bacteria;Bacilli;Lactobacillaceae'

    "$PYTHON" "$here/tools/make_hits.py" some.h5 q1,q2,q3 r1,r2,r5,r6 0,0,9,10 0,1,9,10 \
        1,0,9,10 1,1,9,10 1,2,9,10 2,0,9,10 2,2,9,10 2,3,9,10
    check "missing lineages leave nothing on stdout" refused 1 \
        "for 2 of the references that have hits, the first is 'r5'; " "$RIBOGRID" taxonomy some.h5 \
        --taxonomy lineages
    check "--allow-missing succeeds" expect_exit 0 "$RIBOGRID" taxonomy some.h5 \
        --taxonomy lineages --allow-missing
    check "one line counts the hits" expect_line \
        "warning: .* for 2 of the .*, the first is 'r5'; their 3 hits support no taxon" \
        "$err"
    check "such hits count, but support no taxon" equals_stdin "$out" <<END
query	lineage	consensus	agreeing	hits
q1	$bacilli;Lactobacillus	1.000000	2	2
q2	$bacilli;Lactobacillus	0.666667	2	3
q3	Unassigned	0.000000	0	3
END
    check "--allow-missing without anything missing is silent" classify tsv --allow-missing
    check "no message is printed" silent "$err"
}

# Half of the records are queries, the others references with the same genera.
test_real()
{
    local fasta=${RIBOGRID_DATA:-}/16s/rdp_testDMtrain.fasta.gz

    [ -r "$fasta" ] || return 0
    zcat "$fasta" | awk '/^>/ { n++ } { print > (n % 2 ? "queries.fa" : "refs.fa") }'
    zcat "$fasta" | sed -n 's/^>\([^	]*\)	*/\1	/p' >real.tax
    check "align runs" expect_exit 0 "$RIBOGRID" align queries.fa \
        --against refs.fa --top 3 -q -o real.h5
    check "the queries are classified" \
        expect_exit 0 "$RIBOGRID" taxonomy real.h5 --taxonomy real.tax -o real.tsv
    check "there are 125 queries" test "$(wc -l <real.tsv)" -eq 126
    # Nearly all lineages are right in their first two taxa.
    check "domain and phylum are right" awk -F '\t' '
        NR == FNR { known[$1] = $2; next }
        FNR > 1 && split($2, a, ";") > 1 {
            split(known[$1], b, ";"); n++; good += a[1] == b[1] && a[2] == b[2] }
        END { print good " of " n; exit !(n > 100 && good >= 0.95 * n) }' real.tax real.tsv
}

test_formats
test_round
test_readers
test_refused
test_missing
test_real
finish
