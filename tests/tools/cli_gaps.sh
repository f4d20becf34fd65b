#!/usr/bin/env bash
#
# cli_gaps.sh - tests the costs of gaps of `ribogrid align`: affine gaps, and terminal gaps
# with costs of their own.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/hits_test.sh"
mixed=$here/golden/mixed.fa

# align FILE OPTION...: write x.h5, and replace it if it exists.
align()
{
    "$RIBOGRID" align "$@" -q --force -o x.h5
}

# same_results FILE 'OPTIONS' 'OPTIONS': both give the same file, digest of the job included.
same_results()
{
    # shellcheck disable=SC2086 # several options
    align "$1" $2 && mv x.h5 y.h5 && align "$1" $3 && equal x.h5 y.h5
}

# wrong REGEX OPTION...: refused in one line, with the exit code of a command line.
wrong()
{
    local regex=$1

    shift
    check "refused: $*" refused 2 "align: $regex" "$RIBOGRID" align "$mixed" -o no.h5 "$@"
}

test_refusals()
{
    wrong '--gap-open and --gap-extend go together; give both' --gap-open 20
    wrong '--gap-open and --gap-extend go together; give both' --gap-extend 2
    wrong '--gap-open and --gap-extend replace --gap; give one or the other' --gap -7 \
        --gap-open 7 --gap-extend 7
    wrong '--gap-open 2 is less than --gap-extend 20: the first base' --gap-open 2 \
        --gap-extend 20
    wrong '--gap-open 0: give a number from 0.5' --gap-open 0 --gap-extend 0
    wrong '--gap-open -7: give a number from 0.5' --gap-open -7 --gap-extend 1
    wrong '--end-gap-open and --end-gap-extend go together' --end-gap-open 1
    wrong '--end-gap-open and --end-gap-extend replace --ends' --end-gap-open 1 \
        --end-gap-extend 1 --ends free
    wrong '--end-gap-open 1 is less than --end-gap-extend 2' --end-gap-open 1 \
        --end-gap-extend 2
    wrong '--end-gap-open -1: give a number from 0' --end-gap-open -1 \
        --end-gap-extend 0
    wrong '--min-overlap applies only to identities with --ends free' --min-overlap 0.5 \
        --end-gap-open 7 --end-gap-extend 7
    check "nothing is written" absent no.h5 no.h5.part
}

test_equal_models()
{
    check "--gap-open 7 --gap-extend 7 is --gap -7" same_results "$mixed" "--gap -7" \
        "--gap-open 7 --gap-extend 7"
    check "end gaps of 0 are free" same_results "$mixed" "--ends free --gap -5" \
        "--gap -5 --end-gap-open 0 --end-gap-extend 0"
    check "end gaps like other ones are counted" same_results "$mixed" "--ends count" \
        "--end-gap-open 7 --end-gap-extend 7"
    check "with affine gaps, too" same_results "$mixed" \
        "--ends count --gap-open 9 --gap-extend 3" \
        "--gap-open 9 --gap-extend 3 --end-gap-open 9 --end-gap-extend 3"
}

# scores FILE WANT OPTION...: the scores of the first sequence with each of the others.
scores()
{
    local file=$1 want=$2

    shift 2
    align "$file" "$@" && test "$("$RIBOGRID" view --no-header x.h5 |
        awk '$1 == "whole" { print $3 }' | paste -sd ' ')" = "$want"
}

# vsearch's default, 20I/2E and 2I/1E: gaps of 1 and 3 bases cost 20 and 24 inside, and 2 and
# 4 at the ends.
test_hand()
{
    local a=ACGTTGCAACGTCAGTCCATGGATTCGCTA b=GCTTAAGCGACCTGTATCGGCATCAGGTCC
    local match="--match 2 --mismatch -4" inside="--gap-open 20 --gap-extend 2"
    local ends="--end-gap-open 2 --end-gap-extend 1"

    printf '>whole\n%s\n' ${a}TCA$b ${a:1}TCA$b ${a:3}TCA$b ${a}CA$b $a$b |
        awk '/^>/ && n++ { $0 = ">part_" n } { print }' >hand.fa
    # 62 matches - 2, 60 - 4, 62 - 20, 60 - 24
    # shellcheck disable=SC2086 # several options
    check "terminal gaps cost less" scores hand.fa "122 116 104 96" $match $inside $ends
    # shellcheck disable=SC2086 # several options
    check "terminal gaps cost nothing" scores hand.fa "124 120 104 96" $match $inside
    # shellcheck disable=SC2086 # several options
    check "terminal gaps count" scores hand.fa "104 96 104 96" $match $inside --ends count
    check "as one line each in info" test "$(for name in gap_open gap_extend ends; do
        field $name x.h5; done | paste -sd ' ')" = "20 2 count"
    check "which has no linear gap" test -z "$(field gap x.h5)"
}

# What a job was begun with is what it is continued with.
test_resume()
{
    local costs="--gap-open 9 --gap-extend 3 --end-gap-open 2 --end-gap-extend 1"

    # shellcheck disable=SC2086 # several options
    check "a run with priced ends" align "$mixed" $costs
    check "its ends" test "$(field ends x.h5)" = priced
    # shellcheck disable=SC2086 # several options
    check "the same again" expect_exit 0 "$RIBOGRID" align "$mixed" -o x.h5 --resume $costs
    check "is finished" grep -q 'already finished' "$err"
    # shellcheck disable=SC2086 # several options
    check "another cost of further bases" refused 1 'x.h5.*gap_extend' "$RIBOGRID" align \
        "$mixed" -q -o x.h5 --resume ${costs/extend 3/extend 4}
    # shellcheck disable=SC2086 # several options
    check "another cost of terminal gaps" refused 1 'x.h5.*end_gap_extend' "$RIBOGRID" \
        align "$mixed" -q -o x.h5 --resume ${costs/%1/0}
    check "linear gaps" refused 1 'x.h5' "$RIBOGRID" align "$mixed" -q -o x.h5 --resume
}

# Other commands take such files; only alignments tell how many columns are mismatches.
test_readers()
{
    local options

    for options in "--gap-open 9 --gap-extend 3" "--end-gap-open 3 --end-gap-extend 3"; do
        # shellcheck disable=SC2086 # several options
        align "$mixed" $options
        check "$options: numbers tell no mismatches" refused 1 'mism needs alignments' \
            "$RIBOGRID" export x.h5 --format userout --userfields query+target+mism
        check "$options: cluster" expect_exit 0 "$RIBOGRID" cluster x.h5 --id 0.9 -q \
            --force -o otus
        check "$options: report" expect_exit 0 "$RIBOGRID" report x.h5 --force -o r.html
        # shellcheck disable=SC2086 # several options
        align "$mixed" $options --emit cigar
        check "$options: CIGARs do" expect_exit 0 "$RIBOGRID" export x.h5 --format \
            userout --userfields query+target+mism
        check "$options: paf" expect_exit 0 "$RIBOGRID" export x.h5 --format paf
    done
}

# Real genes without ambiguity codes, which vsearch scores in a way of its own.
make_genes()
{
    zcat "$RIBOGRID_DATA/16s/rdp_testDMtrain.fasta.gz" | awk '
        /^>/ { if (s != "" && s !~ /[^ACGT]/ && ++n % 3 == 0) print h "\n" s
               h = $1; s = ""; next }
        { s = s toupper($0) }' >genes.fa
}

# Scores are those of vsearch; where the alignment is the same, everything else is, too.
test_vsearch()
{
    local fields=query+target+raw+caln+id0+id1+id2+id3+id4+alnlen+mism+opens+gaps+ids+exts

    fields=$fields+qilo+qihi+tilo+tihi+qcov+tcov
    command -v vsearch >/dev/null || { echo "no vsearch: not compared" && return; }
    [ -r "${RIBOGRID_DATA:-}/16s/rdp_testDMtrain.fasta.gz" ] ||
        { echo "no real genes: not compared with vsearch" && return; }
    make_genes
    vsearch --allpairs_global genes.fa --acceptall --qmask none --minseqlength 1 \
        --threads 1 --userfields $fields --userout v.user 2>/dev/null
    check "real genes" align genes.fa --match 2 --mismatch -4 --gap-open 20 \
        --gap-extend 2 --end-gap-open 2 --end-gap-extend 1 --emit cigar
    "$RIBOGRID" export x.h5 --format userout --userfields $fields >our.user
    check "there are more than 1000 pairs" test "$(wc -l <our.user)" -gt 1000
    check "their scores are those of vsearch" same <(cut -f -3 v.user | sort) \
        <(cut -f -3 our.user | sort)
    check "a quarter of the alignments, too" test \
        "$(cut -f -4 v.user | sort | comm -12 - <(cut -f -4 our.user | sort) | wc -l)" \
        -ge "$(($(wc -l <our.user) / 4))"
    check "all fields of these are equal" test -z "$(awk -F '\t' '
        NR == FNR { caln[$1, $2] = $4; line[$1, $2] = $0; next }
        caln[$1, $2] == $4 && line[$1, $2] != $0' our.user v.user)"
}

test_refusals
test_equal_models
test_hand
test_resume
test_readers
test_vsearch
finish
