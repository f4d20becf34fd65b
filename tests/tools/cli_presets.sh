#!/usr/bin/env bash
#
# cli_presets.sh - tests `ribogrid align --preset`: the options that a preset stands for,
# scores in halves, and that the programs themselves score real genes alike.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
mixed=$here/golden/mixed.fa

# align FILE OPTION...: write x.h5, and replace it if it exists; messages are in $err.
align()
{
    expect_exit 0 "$RIBOGRID" align "$@" --force -o x.h5
}

# The options that the last run printed for its preset.
printed()
{
    sed -n 's/^ribogrid: preset [a-z]*: //p' "$err"
}

# pasted PRESET: the options that it prints give the same file.
pasted()
{
    local options

    align "$mixed" --preset "$1" && options=$(printed) && [ -n "$options" ] &&
        mv x.h5 y.h5 || return 1
    # shellcheck disable=SC2086 # several options
    align "$mixed" $options && equal x.h5 y.h5
}

# prints WANT OPTION...: the preset's options beside those given.
prints()
{
    local want=$1

    shift
    align "$mixed" "$@" && test "$(printed)" = "$want"
}

test_options()
{
    local preset

    for preset in vsearch mothur needle blastn unit; do
        check "$preset: its options give the same file" pasted "$preset"
        check "$preset: --help has them" grep -q -e "^  $preset  *--m" <("$RIBOGRID" align \
            --help)
    done
    check "an option overrides" prints \
        "--mismatch -4 --ambiguity neutral --gap-open 20 --gap-extend 2 --end-gap-open 2 \
--end-gap-extend 1 --iddef 2 --min-overlap 0.5" --preset vsearch --match 3
    check "an option leaves out those that it excludes" prints \
        "--match 2 --mismatch -4 --ambiguity neutral --iddef 2" --preset vsearch \
        --gap -3 --ends count
    check "one of two costs" prints "--matrix NUC.4.4 --gap-extend 0.5 --ends free" \
        --preset needle --gap-open 12 --emit score
    check "scores have no definition of identity" prints \
        "--match 1 --mismatch -1 --ambiguity same --gap -2 --ends free" --preset mothur \
        --emit score
    check "counted ends have no minimum overlap" prints \
        "--matrix BLASTN.2.3 --gap-open 7 --gap-extend 2" --preset blastn \
        --ends count
    check "local alignments have their own minimum overlap" prints \
        "--match 2 --mismatch -4 --ambiguity neutral --gap-open 20 --gap-extend 2" \
        --preset vsearch --mode local
    check "an unknown preset" refused 2 '--preset blat: give one of vsearch|' "$RIBOGRID" \
        align "$mixed" -o no.h5 --preset blat
}

# Under vsearch's preset N and R, which may be A, match A and score 0; Y is a mismatch of 0.
test_codes()
{
    printf '>a\nACGTAACGT\n>n\nACGTNACGT\n>r\nACGTRACGT\n>y\nACGTYACGT\n' >codes.fa
    align codes.fa --preset vsearch
    check "neutral codes" same - <(printf 'n 16 9\nr 16 9\ny 16 8\nr 16 9\ny 16 9\ny 16 8\n') < \
        <("$RIBOGRID" view --no-header x.h5 | awk '{ print $2, $3, $4 }')
    align codes.fa --preset mothur
    check "codes that are not the same" test "$("$RIBOGRID" view --no-header x.h5 |
        awk '{ print $3, $4 }' | uniq)" = "7 8"
}

# double_matrix FROM TO: write a matrix with doubled scores.
double_matrix()
{
    awk '/^#/ || n++ == 0 { print; next }
        { printf "%s", $1; for (i = 2; i <= NF; i++) printf " %d", 2 * $i; print "" }' \
        "$1" >"$2"
}

# A gap of 4 bases costs 10 + 3 x 0.5; 12 matches score 60.
test_halves()
{
    printf '>a\nACGTTGTACAGG\n>b\nACGTTGCCCCTACAGG\n' >halves.fa
    align halves.fa --preset needle --emit cigar
    check "a score in halves" test "$("$RIBOGRID" view --no-header x.h5 | cut -f 3)" = 48.5
    check "in userout" test "$("$RIBOGRID" export x.h5 --format userout --userfields \
        raw)" = 48.5
    check "in paf" grep -q 'AS:f:48.5' <("$RIBOGRID" export x.h5 --format paf)
    check "its unit" test "$(field score_unit x.h5)" = 0.5
    align halves.fa --gap-open 10 --gap-extend 1 --matrix NUC.4.4
    check "whole numbers have no unit" test -z "$(field score_unit x.h5)"
    cat >nuc <<'TEXT'
A C G T
A 5 -4 -4 -4
C -4 5 -4 -4
G -4 -4 5 -4
T -4 -4 -4 5
TEXT
    sed -i '1s/^/  /' nuc
    double_matrix nuc double
    align halves.fa --matrix nuc --gap-open 10 --gap-extend 0.5
    "$RIBOGRID" view --no-header x.h5 >got
    align halves.fa --matrix double --gap-open 20 --gap-extend 1
    check "all scores twice as large" same <(awk '{ $3 /= 2; print }' <("$RIBOGRID" view \
        --no-header x.h5)) <(awk '{ $1 = $1; print }' got)
    check "a quarter" refused 2 '--gap-extend 0.25: give a number' "$RIBOGRID" align \
        halves.fa -o no.h5 --gap-open 10 --gap-extend 0.25
    check "more bases must not cost more" refused 2 \
        '--gap-open 0.5 is less than --gap-extend 2' "$RIBOGRID" align halves.fa -o \
        no.h5 --gap-open 0.5 --gap-extend 2
}

# with_program NAME: run the comparison of bench/presets.py if the program is there.
with_program()
{
    command -v "$2" >/dev/null || { echo "no $2: not compared" && return; }
    check "$1 scores real genes alike" expect_exit 0 "$PYTHON" \
        "$here/../bench/presets.py" check "$1" "$RIBOGRID" genes.fa
}

test_programs()
{
    local genes=${RIBOGRID_DATA:-}/16s/rdp_testDMtrain.fasta.gz

    [ -r "$genes" ] || { echo "no real genes: not compared with other programs" && return; }
    zcat "$genes" | awk '/^>/ { n++ } n % 23 == 1' >genes.fa
    with_program vsearch vsearch
    with_program needle needleall
    with_program mothur mothur
}

test_options
test_codes
test_halves
test_programs
finish
