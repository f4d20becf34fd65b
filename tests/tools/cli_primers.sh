#!/usr/bin/env bash
#
# cli_primers.sh - `ribogrid primers`: reads and pairs of reads as FASTA and FASTQ, plain and
# compressed; hits, panels, coverage; bad input.
. "$(dirname "$0")/../support/shell_test.sh"

primers=("$RIBOGRID" primers)
pair=(--primers ACGTCA/AACCCC --primer-mismatches 1 -q)

# The gene has ACGTCA, the region, and GGGGTT.  b is a's reverse complement; c has one
# mismatch in each primer; d none of the primers, e a region of one base, f is empty.
make_input()
{
    {
        printf '@a one two\nTTACGTCAtttgGGGGTTA\n+\nABCDEFGHIJKLMNOPQRS\n'
        printf '@b\nTAACCCCCAAATGACGTAA\n+\nABCDEFGHIJKLMNOPQRS\n'
        printf '@c\nACCTCATTGGCGTT\n+c\nABCDEFGHIJKLMN\n'
        printf '@d\nNNNN\n+\n!!!!\n@e\nACGTCAAGGGGTT\n+\nABCDEFGHIJKLM\n@f\n\n+\n\n'
    } >reads.fq
    {
        printf '>a one two\r\nTTACGTC\r\nAtttgGG\r\n\r\nGGTTA\r\n>b\r\nTAACCCCCAAATGACGTAA\r\n'
        printf '>c\nACCTCATTGGCGTT\n>d\nNNNN\n>e\nACGTCA\nAGGGGTT\n>f\n'
    } >reads.fa
    # mates: the second read begins with the reverse primer; p2 is swapped, p3 lacks it, and
    # the reads of p4 go beyond the amplicon AT
    {
        printf '@p1/1\nGACGTCATTTT\n+\nABCDEFGHIJK\n@p2/1\nAACCCCGG\n+\nABCDEFGH\n'
        printf '@p3/1\nACGTCAT\n+\nABCDEFG\n@p4/1\nACGTCAATGGGGTTC\n+\nABCDEFGHIJKLMNO\n'
    } >r1.fq
    {
        printf '@p1/2\nAACCCCAAA\n+\nabcdefghi\n@p2/2\nACGTCACC\n+\nabcdefgh\n'
        printf '@p3/2\nTTTTTT\n+\nabcdef\n@p4/2\nAACCCCATTGACGT\n+\nabcdefghijklmn\n'
    } >r2.fq
}

test_reads()
{
    printf '@a one two\ntttg\n+\nIJKL\n@b\nTTTG\n+\nKJIH\n@c\nTT\n+\nGH\n@e\nA\n+\nG\n' >want.fq
    printf '>a one two\ntttg\n>b\nTTTG\n>c\nTT\n>e\nA\n' >want.fa
    check "FASTQ" expect_exit 0 "${primers[@]}" reads.fq "${pair[@]}" -o out.fq --untrimmed rest.fq
    check "... is cut, with its qualities" same want.fq out.fq
    check "... what lacks a primer stays as it is" same rest.fq \
        <(printf '@d\nNNNN\n+\n!!!!\n@f\n\n+\n\n')
    check "FASTQ to FASTA" "${primers[@]}" reads.fq "${pair[@]}" -o out.fa
    check "... has no qualities" same want.fa out.fa
    check "FASTA of several lines" "${primers[@]}" reads.fa "${pair[@]}" -o lines.fa
    check "... is the same" same want.fa lines.fa
    check "stdin and stdout" same want.fa <("${primers[@]}" - "${pair[@]}" -o - <reads.fa)
    gzip -k reads.fq
    check "gzip" "${primers[@]}" reads.fq.gz "${pair[@]}" -o out.fq.gz --untrimmed rest.fq.gz \
        --threads 2
    check "... is written as gzip" same want.fq <(gzip -dc out.fq.gz)
    check "... all of it" same rest.fq <(gzip -dc rest.fq.gz)
    printf '>x\nACGT\n' >none.fa
    check "no hit" expect_exit 0 "${primers[@]}" none.fa --primers ACGTCA/AACCCC -o none.out.gz
    check "... is a warning" grep -q 'no read has both primers' "$err"
    check "... and an empty file of gzip" test "$(gzip -dc none.out.gz | wc -c)" = 0
    : >empty.fa
    check "no reads" expect_exit 0 "${primers[@]}" empty.fa "${pair[@]}" -o empty.out
    check "... give none" test ! -s empty.out
    for kernel in sliced scalar; do
        check "kernel $kernel" "${primers[@]}" reads.fq "${pair[@]}" -o k.fq --force -k $kernel \
            --device cpu
        check "... finds the same" same want.fq k.fq
    done
}

test_options()
{
    "${primers[@]}" reads.fa "${pair[@]}" --keep-primers -o kept.fa
    check "primers are kept" same kept.fa \
        <(printf '>a one two\nACGTCAtttgGGGGTT\n>b\nACGTCATTTGGGGGTT\n>c\nACCTCATTGGCGTT\n>e\nACGTCAAGGGGTT\n')
    check "lengths" expect_exit 0 "${primers[@]}" reads.fa --primers ACGTCA/AACCCC \
        --primer-mismatches 1 --min-length 2 --max-length 3 -o length.fa
    check "... are limited" same length.fa <(printf '>c\nTT\n')
    check "... and counted" grep -q \
        '4 of 6 reads have both primers, 1 of them reversed; 1 were too short, 2 too long' "$err"
    "${primers[@]}" reads.fa --primers ACGTCA/AACCCC --primer-mismatches 0 -q -o exact.fa
    check "no mismatches" same exact.fa <(printf '>a one two\ntttg\n>b\nTTTG\n>e\nA\n')
    # c: ACCTCA has its mismatch at the fourth base from the 3' end, GGCGTT at the third
    "${primers[@]}" reads.fa "${pair[@]}" --three-prime 3 -o three.fa
    check "3' ends" same three.fa exact.fa
    "${primers[@]}" reads.fa "${pair[@]}" --three-prime 2 -o two.fa
    check "... of fewer bases" same two.fa want.fa
    check "missing primers" refused 1 "2 of 6 reads lack a primer, the first is 'd'" \
        "${primers[@]}" reads.fa "${pair[@]}" --missing-primers stop -o x.fa
    check "... leave no file" absent x.fa
}

test_hits()
{
    "${primers[@]}" reads.fa "${pair[@]}" -o x.fa --force --hits hits.tsv
    printf 'read\tmate\tpair\tprimer\tstrand\tstart\tend\tmismatches\tgaps\tcigar\n' >want.tsv
    while read -r read primer strand start end n cigar; do
        printf '%s\t1\tACGTCA/AACCCC\t%s\t%s\t%s\t%s\t%s\t0\t%s\n' "$read" "$primer" "$strand" \
            "$start" "$end" "$n" "$cigar" >>want.tsv
    done <<'END'
a forward + 3 8 0 6=
a reverse - 13 18 0 6=
b forward - 12 17 0 6=
b reverse + 2 7 0 6=
c forward + 1 6 1 2=1X3=
c reverse - 9 14 1 2=1X3=
e forward + 1 6 0 6=
e reverse - 8 13 0 6=
END
    check "a line per primer" same want.tsv hits.tsv
}

# m has a base more in the forward primer, and lacks one of the reverse primer; n is m's
# reverse complement.
test_gaps()
{
    printf '>m\nTACGGTCATTTTGGGTTA\n>n\nTAACCCAAAATGACCGTA\n' >gaps.fa
    "${primers[@]}" gaps.fa --primers ACGTCA/AACCCC --primer-mismatches 0 -q --gaps 1 -o gaps.out --hits gaps.tsv
    check "gaps" same gaps.out <(printf '>m\nTTTT\n>n\nTTTT\n')
    check "... have a CIGAR along the read" diff <(cut -f 1,4- gaps.tsv | tail -n +2) - <<'END'
m	forward	+	2	8	0	1	2=1I4=
m	reverse	-	13	17	0	1	1=1D4=
n	forward	-	11	17	0	1	3=1I3=
n	reverse	+	2	6	0	1	2=1D3=
END
    "${primers[@]}" gaps.fa --primers ACGTCA/AACCCC --primer-mismatches 0 -q --gaps 1 --three-prime 6 -o three.out
    check "... but not among bases that have to match" test ! -s three.out
    printf '>p\nACGTCATTTTGGGTTCC\n' >g1.fa # of AACCCC it has GGGTT, a base less
    printf '>p\nAACCCCAAAATGACGTCC\n' >g2.fa
    "${primers[@]}" g1.fa g2.fa --primers ACGTCA/AACCCC --primer-mismatches 0 -q --gaps 1 \
        --keep-primers -o g1.out --output2 g2.out
    check "the other primer of a mate is kept with its gaps" same \
        <(printf '>p\nACGTCATTTTGGGTT\n>p\nAACCCCAAAATGACGT\n') <(cat g1.out g2.out)
    "${primers[@]}" reads.fa "${pair[@]}" --gaps 2 -o more.fa
    check "reads without gaps stay what they are" same more.fa want.fa
}

test_pairs_of_reads()
{
    check "pairs of reads" expect_exit 0 "${primers[@]}" r1.fq r2.fq --primers ACGTCA/AACCCC \
        --primer-mismatches 1 -o o1.fq --output2 o2.fq --untrimmed u1.fq --untrimmed2 u2.fq \
        --hits pairs.tsv
    check "... are counted" grep -q \
        '3 of 4 pairs of reads have both primers, 1 of them reversed' "$err"
    check "... the first output has the forward primer" same o1.fq \
        <(printf '@p1/1\nTTTT\n+\nHIJK\n@p2/2\nCC\n+\ngh\n@p4/1\nAT\n+\nGH\n')
    check "... the second one the reverse primer" same o2.fq \
        <(printf '@p1/2\nAAA\n+\nghi\n@p2/1\nGG\n+\nGH\n@p4/2\nAT\n+\ngh\n')
    check "... others stay as they are" same u2.fq <(printf '@p3/2\nTTTTTT\n+\nabcdef\n')
    check "... hits name the mate" grep -q $'^p2/2\t2\t[A-Z/]*\tforward\t+\t1\t6\t0\t0\t6=$' pairs.tsv
    check "kept primers" "${primers[@]}" r1.fq r2.fq "${pair[@]}" --keep-primers -o k1.fa \
        --output2 k2.fa
    check "... also of the other end" same k1.fa \
        <(printf '>p1/1\nACGTCATTTT\n>p2/2\nACGTCACC\n>p4/1\nACGTCAATGGGGTT\n')
    check "one output" refused 2 'give --output2' "${primers[@]}" r1.fq r2.fq "${pair[@]}" -o x.fq
    check "one file of untrimmed reads" refused 2 'both --untrimmed and --untrimmed2' \
        "${primers[@]}" r1.fq r2.fq "${pair[@]}" -o x.fq --output2 y.fq --untrimmed z.fq
    check "outputs of pairs without pairs" refused 2 'give READS2' "${primers[@]}" r1.fq \
        "${pair[@]}" -o x.fq --output2 y.fq
    head -n 4 r2.fq >short.fq
    check "fewer mates" refused 1 'r1.fq has 4 records, but short.fq has 1' "${primers[@]}" r1.fq \
        short.fq "${pair[@]}" -o x.fq --output2 y.fq
    sed 's/p2/p9/' r2.fq >other.fq
    check "other mates" refused 1 "other.fq:5: record 2 'p9/2' is not the mate of 'p2/1', r1.fq:5" \
        "${primers[@]}" r1.fq other.fq "${pair[@]}" -o x.fq --output2 y.fq
    check "mates in another format" refused 1 'r1.fq is FASTQ, but reads.fa is FASTA' \
        "${primers[@]}" r1.fq reads.fa "${pair[@]}" -o x.fq --output2 y.fq
}

# Both pairs are in a without a mismatch.
test_panel()
{
    printf '# pairs\nfirst\tACGTCA\tAACCCC\nother\tTTACG\tTAACC\n' >panel.tsv
    "${primers[@]}" reads.fa --panel panel.tsv --primer-mismatches 1 -q -o p.fa --hits p.tsv
    check "the first of equal pairs cuts" same p.fa want.fa
    check "hits of all pairs" test "$(grep -c '^a.*other' p.tsv)" = 2
    "${primers[@]}" reads.fa --panel panel.tsv --primer-mismatches 1 -q -o p3.fa --max-length 3 \
        --counts counts.tsv
    check "reads are counted by pairs" diff counts.tsv - <<'END'
pair	reads	found	cut	reversed	too_short	too_long
first	6	4	4	1	0	2
other	6	2	0	0	0	0
all	6	4	4	1	0	2
END
    printf 'other\tTTACG\tTAACC\nfirst\tACGTCA\tAACCCC\n' >turned.tsv
    "${primers[@]}" reads.fa --panel turned.tsv --primer-mismatches 1 -q -o t.fa
    check "... by their order" grep -q '^TCAtttgGG$' t.fa
    printf 'a\t515F\t806R\nb\t515F\n' >bad.tsv
    check "a bad line" refused 1 '^ribogrid: bad.tsv:2: expected a name' "${primers[@]}" reads.fa \
        --panel bad.tsv -q -o bad.out
    printf 'a\tACG\tACGT\n' >short.tsv
    check "short primers" refused 1 "short.tsv: 2 mismatches are more than a third of a primer of 'a'" \
        "${primers[@]}" reads.fa --panel short.tsv -q -o bad.out
    check "a panel and a pair" refused 2 'not both' "${primers[@]}" reads.fa "${pair[@]}" --panel \
        panel.tsv -o x.fa
    check "neither" refused 2 'no primers' "${primers[@]}" reads.fa -o x.fa
}

# Of Bacteria, a and b have no mismatch, c one, d no primer; e of Archaea has none.
test_coverage()
{
    printf 'a\tBacteria;X\nb\tBacteria;X\nc\tBacteria;Y\nd\tBacteria;Y\ne\tArchaea;Z\nf\tArchaea;Z\n' \
        >genes.tax
    check "coverage" "${primers[@]}" reads.fa "${pair[@]}" -o c.fa --coverage genes.tax \
        --coverage-table c.tsv --svg c.svg
    printf 'pair\trank\ttaxon\tgenes\t0\t1\n' >want.tsv
    while read -r rank taxon genes none one; do
        printf 'ACGTCA/AACCCC\t%s\t%s\t%s\t%s\t%s\n' "$rank" "${taxon#-}" "$genes" "$none" "$one"
    done >>want.tsv <<'END'
0 - 6 0.5000 0.6667
1 Bacteria 4 0.5000 0.7500
2 Bacteria;X 2 1.0000 1.0000
2 Bacteria;Y 2 0.0000 0.5000
1 Archaea 2 0.5000 0.5000
2 Archaea;Z 2 0.5000 0.5000
END
    check "a row per taxon" same want.tsv c.tsv
    check "a chart" grep -q 'ACGTCA/AACCCC: Y: 1 mismatch, 50 %' c.svg
    printf 'a\tBacteria;X\n' >few.tax
    check "genes without lineage" expect_exit 0 "${primers[@]}" reads.fa --primers ACGTCA/AACCCC \
        --primer-mismatches 1 -o x.fa --force --coverage few.tax --coverage-table few.tsv
    check "... are a warning" grep -q '5 of 6 genes have no lineage in few.tax' "$err"
    check "... and do not count" grep -q $'\t0\t\t1\t1.0000\t1.0000$' few.tsv
    printf 'z\tBacteria;X\n' >none.tax
    check "no lineage at all" refused 1 'none.tax has no lineage of a gene in reads.fa' \
        "${primers[@]}" reads.fa "${pair[@]}" -o y.fa --coverage none.tax --svg x.svg
    check "... leaves no file" absent y.fa x.svg
    check "no output of it" refused 2 'needs an output' "${primers[@]}" reads.fa "${pair[@]}" -o \
        y.fa --coverage genes.tax
    check "no lineages" refused 2 'give --coverage' "${primers[@]}" reads.fa "${pair[@]}" -o y.fa \
        --svg x.svg
}

# refuse_reads TEXT WHY
refuse_reads()
{
    printf "%b" "$1" >bad.fx
    check "$2" refused 1 "$2" "${primers[@]}" bad.fx "${pair[@]}" -o x.out
}

test_bad_input()
{
    refuse_reads '>a\nACGT\n>b\nAC!T\n' \
        "bad.fx:3: record 2 'b': base 3, byte 0x21 .'!'. is not a nucleotide letter"
    check "--skip-bad" expect_exit 0 "${primers[@]}" bad.fx "${pair[@]}" -o skipped.fa --skip-bad \
        --untrimmed left.fa
    check "... drops such reads" same left.fa <(printf '>a\nACGT\n')
    printf '>a\nACGT\n>b\nACTT\n' >good.fx
    check "... and their mates" expect_exit 0 "${primers[@]}" bad.fx good.fx --primers ACGTCA/AACCCC \
        -o m1.fa --output2 m2.fa --skip-bad --untrimmed l1.fa --untrimmed2 l2.fa
    check "... with a warning" grep -q 'bad.fx: 1 of 2 records dropped, the first in line 3' "$err"
    check "... in both files" same l2.fa <(printf '>a\nACGT\n')
    refuse_reads '@a\nACGT\n+\nIII\n' "bad.fx:4: record 1 'a': 3 qualities for 4 bases"
    refuse_reads '@a\nACGT\n+\nII I\n' "bad.fx:4: record 1 'a': byte 0x20 is not a quality"
    refuse_reads '@a\nACGT\n-\nIIII\n' "bad.fx:3: record 1 'a': a line that begins with '\+'"
    refuse_reads '@a\nACGT\n+b\nIIII\n' "bad.fx:3: record 1 'a': the header after '\+'"
    refuse_reads '@a\nACGT\n' "bad.fx:3: record 1 'a': the file ends within the record"
    refuse_reads '@a\nA\n+\nI\nb\n' "bad.fx:5: record 2: the header of a FASTQ record"
    refuse_reads '>a\rACGT\r>b\rACGT\r' 'bad.fx:1: record 1: a carriage return within a line'
    refuse_reads '>\nACGT\n' 'bad.fx:1: record 1: no name'
    refuse_reads 'ACGT\n>a\nA\n' 'bad.fx:1: record 1: text before the first header'
    check "FASTA to FASTQ" refused 1 'reads.fa is FASTA, which has no qualities' "${primers[@]}" \
        reads.fa "${pair[@]}" -o x.fastq.gz
    check "a compression that is only read" refused 2 'x.fa.xz: reads are written plain or as gzip' \
        "${primers[@]}" reads.fa "${pair[@]}" -o x.fa --untrimmed x.fa.xz
    check "too many mismatches" refused 2 'above a third' "${primers[@]}" reads.fa --primers \
        ACGTCA/AACCCC --primer-mismatches 3 -o x.fa
    check "an unknown primer" refused 2 \
        "'806F' is neither a primer's name .27F .* 1492R. nor .*; did you mean 806R" \
        "${primers[@]}" reads.fa --primers 515F/806F -o x.fa
    check "an existing file" refused 1 'out.fq exists' "${primers[@]}" reads.fq "${pair[@]}" -o \
        out.fq
    check "a finished one is recognised" expect_exit 0 "${primers[@]}" reads.fq --primers \
        ACGTCA/AACCCC --primer-mismatches 1 -o out.fq --resume
    check "... not with other options" refused 1 "now 'mismatches=0'" "${primers[@]}" reads.fq \
        --primers ACGTCA/AACCCC --primer-mismatches 0 -q -o out.fq --resume
}

make_input
test_reads
test_options
test_hits
test_gaps
test_pairs_of_reads
test_panel
test_coverage
test_bad_input
finish
