#!/usr/bin/env bash
#
# cli_counts.sh - what `ribogrid align` says about its pairs is true: pairs without an
# identity are counted, and cells that were not computed are not claimed.
. "$(dirname "$0")/../support/shell_test.sh"

# random N MIN MAX SEED: random sequences, most of which overlap each other only a little.
random()
{
    awk -v n="$1" -v min="$2" -v max="$3" -v seed="$4" 'BEGIN {
        srand(seed)
        for (i = 1; i <= n; i++) {
            printf ">r%d\n", i
            for (k = min + int(rand() * (max - min)); k > 0; k--)
                printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
            print ""
        }
    }'
}

align()
{
    expect_exit 0 "$RIBOGRID" align "$@" --force -o x.h5
}

# without TABLE: print the lines of a table of `view` whose pair has no identity.
without()
{
    grep -c NA "$1"
}

# counted N PAIRS: N of PAIRS have no identity, says the message in $err and the file x.h5.
counted()
{
    grep -E "have no identity" "$err"
    [ "$(grep -c "have no identity" "$err")" -eq 1 ] &&
        grep -q "^ribogrid: $1 of $2 pairs have no identity: " "$err" &&
        [ "$(field pairs_without_identity x.h5)" = "$1" ]
}

# all_have_identities: no line mentions pairs without one, and x.h5 has none.
all_have_identities()
{
    ! grep "no identity" "$err" && [ "$(field pairs_without_identity x.h5)" = 0 ]
}

test_dense()
{
    random 60 20 60 1 >r.fa
    check "random sequences" align r.fa
    "$RIBOGRID" view x.h5 >x.tsv
    n=$(without x.tsv)
    check "some pairs have no identity, some have one" test "$n" -gt 100 -a "$n" -lt 1700
    check "they are counted" counted "$n" 1770
    check "the message names the cause" grep -q \
        'they overlap by less than --min-overlap 0.5 of the shorter sequence$' "$err"
    check "one thread counts the same" align r.fa --threads 1 --kernel scalar --memory 1M
    check "one thread: counted" counted "$n" 1770
    check "CIGARs" align r.fa --emit cigar
    check "CIGARs: counted" counted "$n" 1770
    check "half of the overlap" align r.fa --min-overlap 0.25
    check "half of the overlap: fewer pairs" test "$(field pairs_without_identity x.h5)" \
        -lt "$n"
    check "the message has that overlap" grep -q 'than --min-overlap 0.25 of' "$err"
    check "counted ends" align r.fa --ends count
    check "counted ends: every pair has an identity" all_have_identities
    check "scores alone" align r.fa --emit score
    check "scores alone: there is nothing to count" test -z \
        "$(grep "no identity" "$err")$(field pairs_without_identity x.h5)"
}

test_definition()
{
    printf '>a\nACGTACGTAC\n>b\nACGTACGTAC\n' >same.fa
    check "--iddef nogaps" align same.fa --iddef nogaps
    check "nogaps: both sequences are alike" all_have_identities
    printf '>a\nAAAA\n>b\nCCCC\n' >unlike.fa
    check "gaps alone" align unlike.fa --iddef nogaps --ends count --mismatch -20
    check "gaps alone: counted" counted 1 1
    check "the message names the definition" grep -q \
        'identity: --iddef nogaps counts none of their columns$' "$err"
}

# A disk that fills up stops a run; a resumed run counts the pairs of both.
test_resume()
{
    random 150 20 60 2 >long.fa
    check "a whole run" align long.fa
    n=$(field pairs_without_identity x.h5)
    check "a whole run: counted" counted "$n" 11175
    rm -f x.h5
    (
        ulimit -f 24
        "$RIBOGRID" align long.fa -q -o x.h5 2>/dev/null
    )
    check "a full disk leaves a part of the tiles" larger_than 8000 x.h5.part
    check "--resume" expect_exit 0 "$RIBOGRID" align long.fa -o x.h5 --resume
    check "--resume: continues" grep -q 'resuming: [1-9]' "$err"
    check "--resume: counts the pairs of both runs" counted "$n" 11175
}

test_hits()
{
    check "--id 0 keeps pairs with an identity" align r.fa --id 0
    n=$(without x.tsv.all)
    check "hits: counted" counted "$n" 1770
    check "hits: the others are kept" test "$(field pairs_kept x.h5)" -eq $((1770 - n))
    check "--against" align r.fa --against r.fa --strand both
    check "--against: counts pairs whose better strand has no identity" \
        test "$(field pairs_without_identity x.h5)" -eq $((3600 - $(field hits x.h5)))
    check "--against: counted" counted "$(field pairs_without_identity x.h5)" 3600
    check "--top" align r.fa --against r.fa --top 2 --strand plus
    "$RIBOGRID" simulate 90 --length 150 --seed 3 >sim.fa
    cat sim.fa r.fa >mixed.fa
    check "pairs are filtered" align mixed.fa --id 0.8
    check "not all are aligned" test "$(field pairs_aligned x.h5)" -lt \
        "$(field pairs x.h5)"
    check "what is known is said: that of aligned pairs" grep -q \
        "[1-9] of $(field pairs_aligned x.h5) aligned pairs have no identity: " "$err"
}

# Rates are of what was done.
test_rates()
{
    check "all pairs" align r.fa
    check "all pairs: cells per second" grep -q \
        '1770 pairs in .* s: .* pairs/s, .* GCUPS$' "$err"
    check "all pairs: info has the cells" test "$(field cells_computed x.h5)" -gt 100000
    check "a filter" align r.fa --id 0.97
    check "a filter: pairs per second alone" grep -Eq \
        '1770 pairs in [0-9.]+ s: [0-9.]+( [kMG])? pairs/s$' "$err"
    "$RIBOGRID" info x.h5 >info.tsv
    check "a filter: info has no cells" test "$(grep -c 'cells' info.tsv)" -eq 0
    check "a filter: info does not claim that all pairs were computed" test \
        "$(grep -c 'pairs_computed' info.tsv)" -eq 0
    check "whole numbers have all their digits" test "$(grep -c 'e+' info.tsv)" -eq 0
    printf '>a\nACGT\n' >one.fa
    check "one sequence" align one.fa
    check "one sequence: no rate of nothing" test "$(grep -c 'pairs/s' "$err")" -eq 0
}

test_average()
{
    check "pairs to cluster" align r.fa
    check "average" expect_exit 0 "$RIBOGRID" cluster x.h5 --id 0.5 --method average -o a
    check "average says how it takes pairs without an identity" grep -q \
        "x.h5: $(without x.tsv.all) of 1770 pairs have no identity; average linkage takes it as 0$" \
        "$err"
    check "opti" expect_exit 0 "$RIBOGRID" cluster x.h5 --id 0.5 -o o
    check "opti needs no such line" test "$(grep -c 'no identity' "$err")" -eq 0
}

# Where limits drop records, the file is not said to be empty.
test_few()
{
    check "every record is too short" align r.fa --min-length 100
    check "no sequence is left" grep -q \
        'r.fa: no sequence is left of 60 records: there is no pair to align$' "$err"
    printf '>a\nACGT\n>b\nACGT\n' >twice.fa
    check "two equal records" align twice.fa --derep
    check "one sequence is left" grep -q \
        'twice.fa: one sequence is left of 2 records: there is no pair' "$err"
    : >none.fa
    check "an empty file" align none.fa
    check "holds no sequence" grep -q 'none.fa holds no sequence: there is no pair' "$err"
}

test_dense
cp x.tsv x.tsv.all
test_definition
test_resume
test_hits
test_average
test_few
test_rates
finish
