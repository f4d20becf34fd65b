#!/usr/bin/env bash
#
# cli_names.sh - names that are cut at a blank, whole headers, and names that are not text.
. "$(dirname "$0")/../support/shell_test.sh"
tab=$'\t'
gene=ACGTACGTTGCAGGATCCATTGCA

align()
{
    expect_exit 0 "$RIBOGRID" align "$@" --force
}

# names FILE: the names of its first column, one per line.
names()
{
    "$RIBOGRID" view --no-header "$1" | cut -f "${2:-1}" | sort -u
}

# warns REGEX: the last command printed one warning, which matches.
warns()
{
    grep '^ribogrid: warning: ' "$err" >warnings
    expect_line "^ribogrid: warning: $1" warnings
}

test_cut_names()
{
    printf '>g 1\n%s\n>g 2\n%s\n>h\n%s\n' $gene ${gene}A ${gene}C >cut.fa
    printf '>g 1\n%s\n>g 1\n%s\n>h\n%s\n' $gene ${gene}A ${gene}C >same.fa
    check "names are cut at a blank" align cut.fa -o x.h5
    check "the warning names --full-names" warns \
        "cut.fa: 1 records .* only because names end at the first blank.*'g'; --full-names"
    check "really equal names" align same.fa -o x.h5
    check "the warning does not name --full-names" \
        warns "same.fa: 1 records have a name that occurred before, the first is 'g'; they"
    check "whole headers" align cut.fa -o full.h5 --full-names
    check "nothing to warn of" test "$(grep -c warning "$err")" -eq 0
    check "names are whole headers" test "$(names full.h5 | tr '\n' ,)" = 'g 1,g 2,'
    check "whole headers of references" \
        align cut.fa --against cut.fa -o against.h5 --id 0.9 --full-names
    check "names of references are whole headers" test "$(names against.h5 2 |
        tr '\n' ,)" = 'g 1,g 2,h,'
}

# The log has one finished tile; the other run has other names.
test_resume()
{
    "$RIBOGRID" simulate 120 --length 100 --seed 3 -o many.fa
    (ulimit -f 8 && exec "$RIBOGRID" align many.fa -q -o r.h5) 2>/dev/null
    check "the run is interrupted" test -s r.h5.part
    check "--resume with --full-names is refused, although no header has a blank" \
        refused 1 "full_names" "$RIBOGRID" align many.fa -q -o r.h5 --resume --full-names
    check "--resume without it" expect_exit 0 \
        "$RIBOGRID" align many.fa -q -o r.h5 --resume
}

test_sizes()
{
    printf '>g;size=3 from soil\n%s\n>h;size=2; from sea\n%s\n' $gene ${gene}A >sizes.fa
    check "sizes in whole headers" align sizes.fa -o x.h5 --full-names --sizein -q
    check "are cut out" test "$(names x.h5 1,2)" = "g from soil${tab}h from sea"
}

# exports FORMAT: of the file with whole headers; warnings go to $err.
exports()
{
    expect_exit 0 "$RIBOGRID" export cigar.h5 --format "$1"
}

test_blanks_in_outputs()
{
    align cut.fa -q -o cigar.h5 --full-names --emit cigar
    for format in blast6 paf userout; do
        check "$format" exports $format
        check "blanks stay in $format" grep -q "g 1${tab}.*g 2${tab}" "$out"
        check "$format: nothing to warn of" silent "$err"
    done
    check "uc" exports uc
    check "blanks stay in uc" grep -q "${tab}g 1${tab}g 2\$" "$out"
    for format in column phylip; do
        check "$format" exports $format
        check "blanks become _ in $format" grep -q "^g_2${tab}" "$out"
        check "$format: with a warning" \
            warns "cigar.h5: 2 names contain characters that $format.* become '_'"
    done
    check "OTUs" expect_exit 0 "$RIBOGRID" cluster full.h5 --id 0.99 --method single -o otus
    check "blanks become _ in the list" grep -q "${tab}g_1" otus.list
    check "with a warning" warns '.*a blank, which becomes ._. in the .list'
    check "the header of a representative has the whole name" grep -q '^>Otu1 g 1$' \
        otus.reps.fasta
    printf 'g 1\tBacteria;Bacilli\ng 2\tBacteria\nh\tBacteria\n' >full.tax
    check "taxonomy finds whole headers" expect_exit 0 \
        "$RIBOGRID" taxonomy against.h5 --taxonomy full.tax --format tsv
    check "blanks stay" grep -q "^g 1${tab}Bacteria" "$out"
    check "taxonomy for mothur" expect_exit 0 \
        "$RIBOGRID" taxonomy against.h5 --taxonomy full.tax --format mothur
    check "blanks become _" grep -q "^g_1${tab}Bacteria" "$out"
    check "taxonomy: with a warning" warns 'names contain blanks, which mothur'
}

# Latin-1 in the sequences and in the tables.
test_tables()
{
    printf '>Jos\xe9\n%s\n>b\x01\n%s\n' $gene ${gene}A >latin.fa
    printf 'Representative_Sequence\ttotal\tM\xe4rz\nJos\xe9\t5\t5\nb\x01\t2\t2\n' >latin.count
    printf 'Jos\xe9\tM\xe4rz\t5\nb\\x01\tMai\t2\n' >latin.samples
    printf 'Jos\xe9\tBacteria\nb\x01\tBacteria;B\xe4\n' >latin.tax
    check "names that are not text" align latin.fa -o x.h5
    check "are reported once" warns "latin.fa:1: record 1: .*'Jos.xe9', .*so do others"
    check "and escaped" test "$(names x.h5 1,2)" = "Jos\\xe9${tab}b\\x01"
    check "a count table with such names" align latin.fa -o x.h5 --count-table latin.count
    check "is not reported again" warns "latin.fa:1: record 1"
    check "samples with such names, one as we print it" \
        align latin.fa -q -o x.h5 --samples latin.samples --against latin.fa --id 0.5
    check "taxonomy finds them" \
        expect_exit 0 "$RIBOGRID" taxonomy x.h5 --taxonomy latin.tax
    check "and escapes taxa" grep -q '^Jos.xe9'"${tab}Bacteria" "$out"
}

test_cut_names
test_resume
test_sizes
test_blanks_in_outputs
test_tables
finish
