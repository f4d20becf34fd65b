#!/usr/bin/env bash
#
# cli_iddef.sh - tests `ribogrid align --iddef`: each definition of identity by hand, from
# the alignments, and compared with vsearch.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/hits_test.sh"
need_h5py
definitions="0 1 2 3 4 onegap nogaps eachgap"

# is SCORE MATCHES COLUMNS FILE OPTION...: the values of a file of two sequences.
is()
{
    local want file=$4

    want=$(printf 'q\tt\t%s\t%s\t%s' "$1" "$2" "$3")
    shift 4
    "$RIBOGRID" align "$file" -q --force -o x.h5 "$@" || return
    test "$("$RIBOGRID" view --no-header x.h5 | cut -f -5)" = "$want" && return
    "$RIBOGRID" view x.h5
    return 1
}

# 20 matches, a gap of 2 bases in t, 20 columns with one mismatch; t has 5 more bases at the
# start and q 4 more at the end: 39 matches, 1 mismatch, gaps of 5, 2 and 4 bases; 46 and 45
# bases in all.
make_hand()
{
    local a=ACGTTGCAACGTCAGTCCAT

    printf '>q\n%s\n>t\n%s\n' ${a}CCTTAGCAGGATGCGATTACGAGTGT \
        GGGGG${a}TTAGCAGGATCCGATTACGA >hand.fa
    # --ACGTAC
    # CCC-GTA-  if a mismatch costs more than two gaps: 2D 1I 4= 1I, as CGTA matches
    printf '>q\nACGTAC\n>t\nCCCGTA\n' >both.fa
}

# Scores: 39 * 4 - 5 - 2 * 7 = 137 with free ends, 137 - 9 * 7 = 74 with counted ends.
test_hand()
{
    local ends score

    make_hand
    for ends in "free 137" "count 74"; do
        score=${ends#* }
        ends=${ends% *}
        check "0, $ends: the shorter's" is "$score" 39 45 hand.fa --ends "$ends" --iddef 0
        check "1, $ends: all columns" is "$score" 39 51 hand.fa --ends "$ends" --iddef 1
        check "2, $ends: without ends" is "$score" 39 42 hand.fa --ends "$ends" --iddef 2
        check "3, $ends: 46 - 1 - 3" is "$score" 42 46 hand.fa --ends "$ends" --iddef 3
        check "4, $ends: as 1" is "$score" 39 51 hand.fa --ends "$ends" --iddef 4
        check "nogaps, $ends" is "$score" 39 40 hand.fa --ends "$ends" --iddef nogaps
    done
    check "onegap, free: one gap" is 137 39 41 hand.fa --iddef onegap
    check "onegap, counted: three" is 74 39 43 hand.fa --ends count --iddef onegap
    check "eachgap, free" is 137 39 42 hand.fa --iddef eachgap
    check "eachgap, counted" is 74 39 51 hand.fa --ends count --iddef eachgap
}

# Scores: 4 * 4 - 2 with free ends (the D and the last I are free), 4 * 4 - 4 * 2 with counted
# ends.
test_both()
{
    local expensive="--mismatch -9 --gap -2" x="--ends count"

    # shellcheck disable=SC2086 # several words
    {
        check "2: the inner gap is a column" is 14 4 5 both.fa $expensive --iddef 2
        check "eachgap: it is not" is 14 4 4 both.fa $expensive --iddef eachgap
        check "onegap: nor here" is 14 4 4 both.fa $expensive --iddef onegap
        check "3: three gaps" is 14 3 6 both.fa $expensive --iddef 3
        check "1: four bases in gaps" is 14 4 8 both.fa $expensive --iddef 1
        check "2, ends counted: ties are broken as ever" is 8 4 5 both.fa $expensive $x \
            --iddef 2
        check "onegap, ends counted" is 8 4 7 both.fa $expensive $x --iddef onegap
        check "eachgap, ends counted" is 8 4 8 both.fa $expensive $x --iddef eachgap
    }
}

# by_alignments NAME OPTION...: every definition, computed from the alignments of set.fa; the
# files are called NAME.DEFINITION.h5.
by_alignments()
{
    local name=$1 d files=()

    shift
    "$RIBOGRID" align set.fa -q --force --emit cigar --cigar-style eqx -o cigars.h5 \
        "$@" || return
    for d in $definitions; do
        "$RIBOGRID" align set.fa -q --force --iddef "$d" -o "$name.$d.h5" "$@" || return
        files+=("$d=$name.$d.h5")
    done
    "$PYTHON" "$here/tools/identity_values.py" cigars.h5 "${files[@]}"
}

# Families with ambiguity codes, pieces of them, and the sequences of mixed.fa.
make_set()
{
    "$RIBOGRID" simulate 24 --length 120 --seed 5 -o families.fa
    {
        cat families.fa
        awk '/^>/ { h = $0; getline s
                    if (++n % 3 == 0) print h "_piece\n" substr(s, 1 + n, 30 + 2 * n) }' \
            <(awk '/^>/ { if (n++) print ""; print; next } { printf "%s", $0 }
                   END { print "" }' families.fa)
        cat "$here/golden/mixed.fa"
    } >set.fa
    # some mismatches cost less than a gap, of 4, and some more than two gaps
    awk 'BEGIN { n = split("A C G T R Y S W K M B D H V N", letter, " ")
                 for (i = 1; i <= n; i++) printf "%s%s", letter[i], i < n ? " " : "\n"
                 for (i = 1; i <= n; i++) {
                     printf "%s", letter[i]
                     for (k = 1; k <= n; k++) printf " %d", i == k ? 5 : -(i * k % 10)
                     print "" } }' >any.matrix
}

test_random()
{
    make_set
    check "a matrix" by_alignments other --matrix any.matrix --gap -4
    check "a matrix, counted ends" by_alignments other --matrix any.matrix --gap -4 --ends \
        count
    check "mismatch = gap" by_alignments other --mismatch -7
    check "a mismatch that costs more than a gap" by_alignments other --mismatch -9 --gap \
        -6 \
        --min-overlap 0.1
    check "a mismatch that costs more than two gaps, N matches" by_alignments other \
        --mismatch -9 --gap -3 \
        --ambiguity match
    check "affine gaps, counted ends" by_alignments other --gap-open 9 --gap-extend 3 \
        --ends count
    # shellcheck disable=SC2046 # several options
    check "affine gaps" by_alignments affine $(options_of affine)
    check "ends of their own costs" by_alignments other --end-gap-open 2 \
        --end-gap-extend 0
    # shellcheck disable=SC2046 # several options
    check "those of vsearch" by_alignments priced $(options_of priced)
    check "free ends" by_alignments free --ends free
    check "counted ends" by_alignments count --ends count
}

# options_of NAME: what the files of test_random with that name were made with.
options_of()
{
    case $1 in
        affine) echo --gap-open 12 --gap-extend 1 ;;
        priced) echo --match 2 --mismatch -4 --gap-open 20 --gap-extend 2 \
            --end-gap-open 2 --end-gap-extend 1 ;;
        *) echo --ends "$1" ;;
    esac
}

test_hits()
{
    local name d

    for name in affine priced free count; do
        for d in $definitions; do
            # shellcheck disable=SC2046 # several options
            check "--id 0.9 --iddef $d, $name" expect_exit 0 "$RIBOGRID" align set.fa -q \
                --force --iddef "$d" --id 0.9 -o x.h5 $(options_of $name)
            check "the same as filtering afterwards" same_as_filtered "$name.$d.h5" 0.9 \
                x.h5
            check "some pairs are kept" test "$(count_hits x.h5)" -ge 5
        done
    done
}

test_filter()
{
    check "definition 1 has a filter" expect_exit 0 "$RIBOGRID" align set.fa -v --force \
        --iddef 1 \
        --id 0.9 -o x.h5
    check "which rules out pairs by length, too" grep -Eq \
        '[1-9][0-9]* filtered by length' "$err"
    check "definition 0 has none" expect_exit 0 "$RIBOGRID" align set.fa -v --force \
        --iddef 0 \
        --id 0.9 -o x.h5
    check "and -v prints why" grep -q 'no filter is proved for --iddef 0 with free' "$err"
}

same_numbers()
{
    "$RIBOGRID" view "$1" | cut -f -6 >one.tsv && "$RIBOGRID" view "$2" | cut -f -6 \
        >two.tsv && same one.tsv two.tsv
}

# Identities do not depend on what else is stored, or on the strands.
test_other_outputs()
{
    local d

    for d in 3 eachgap; do
        check "$d with CIGARs" expect_exit 0 "$RIBOGRID" align set.fa -q --force \
            --iddef "$d" --emit cigar -o c.h5
        check "$d with CIGARs: the same" same_numbers free.$d.h5 c.h5
    done
    check "3 against itself" expect_exit 0 "$RIBOGRID" align families.fa -q --force \
        --against families.fa --strand both --iddef 3 -o a.h5
    "$RIBOGRID" align families.fa -q --force --iddef 3 -o d.h5
    check "3 against itself: the same" test "$("$RIBOGRID" view --no-header d.h5 |
        cut -f -6 | sort | comm -12 - <("$RIBOGRID" view --no-header a.h5 | cut -f -6 |
            sort) | wc -l)" -eq $((24 * 23 / 2))
}

strands_of()
{
    expect_exit 0 "$RIBOGRID" align short.fa -q --force --against short.fa --strand both \
        --match 2 --mismatch -1 --gap -2 -o x.h5 "${@:2}" &&
        "$RIBOGRID" view --no-header x.h5 | cut -f 1-3,7 >"$1"
}

# Short, unrelated sequences have equal scores on both strands.  The strand with more matches
# may then have more gaps and mismatches, too.
test_strands()
{
    awk 'BEGIN { srand(1)
                 for (i = 1; i <= 60; i++) {
                     printf ">s%d\n", i
                     for (k = 0; k < 14; k++)
                         printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
                     print "" } }' >short.fa
    check "both strands" strands_of default.tsv
    check "both strands, 3" strands_of three.tsv --iddef 3
    check "--iddef does not change the better strand" same default.tsv three.tsv
    check "both strands occur" test "$(cut -f 4 default.tsv | sort -u | wc -l)" -eq 2
}

test_words()
{
    check "the default is 2" is 137 39 42 hand.fa
    check "the file names it" test "$(field identity_definition x.h5), $(field iddef x.h5), \
$(field identity x.h5)" = "2, 2, matches / columns"
    check "with counted ends 1" is 74 39 51 hand.fa --ends count
    check "the file names it" test "$(field identity_definition x.h5)" = 1
    check "another definition" is 137 39 40 hand.fa --iddef nogaps
    check "the file describes it" test "$(field identity_definition x.h5), $(field identity \
        x.h5)" = "nogaps, matches / columns with two letters"
    check "another definition is another job" refused 1 'x.h5' "$RIBOGRID" align hand.fa \
        -q \
        --resume --iddef 0 -o x.h5
    check "the same definition is the same job" expect_exit 0 "$RIBOGRID" align hand.fa \
        -q --resume --iddef \
        nogaps -o x.h5
    check "--iddef with scores alone" refused 2 '^ribogrid.*--iddef needs identities' \
        "$RIBOGRID" align hand.fa -q --emit score --iddef 1 -o y.h5
    check "an unknown definition" refused 2 '--iddef 5: give one of 0.1' "$RIBOGRID" \
        align \
        hand.fa -q --iddef 5 -o y.h5
    check "no file is left" absent y.h5 y.h5.part y.h5.tmp-*
}

# exports FIELDS LINE OPTION...: export of hand.fa prints the line.
exports()
{
    local fields=$1 line=$2

    shift 2
    "$RIBOGRID" align hand.fa -q --force -o x.h5 "$@" &&
        "$RIBOGRID" export x.h5 --format userout --userfields "$fields" >x.user &&
        test "$(cat x.user)" = "$line" && return
    cat x.user
    return 1
}

no_field()
{
    "$RIBOGRID" align hand.fa -q --force -o x.h5 "${@:3}" &&
        refused 1 "$2" "$RIBOGRID" export x.h5 --format userout --userfields "$1"
}

# Fields follow from the definition, or are refused.
test_exports()
{
    local tab=$'\t'

    check "1 gives pairs" exports id+id1+mism+pairs "76.5${tab}76.5${tab}1${tab}40" \
        --iddef 1
    check "nogaps gives pairs" exports id+id1+mism+pairs \
        "97.5${tab}76.5${tab}1${tab}40" --iddef nogaps
    check "2 gives columns, with counted ends, too" exports id+id2+alnlen \
        "92.9${tab}92.9${tab}42" --iddef 2 --ends count
    check "0 gives matches" exports id+id0+ids "86.7${tab}86.7${tab}39" --iddef 0
    check "3 gives its own value" exports id 91.3 --iddef 3
    check "1 does not give alnlen" no_field alnlen 'alnlen needs alignments' --iddef 1
    check "0 does not give mism" no_field mism 'mism needs alignments' --iddef 0
    check "2 with counted ends does not give mism" no_field mism 'mism needs alignments' \
        --iddef 2 \
        --ends count
    check "3 does not give ids" no_field ids 'not in a file of --iddef 3' --iddef 3
    check "3 with CIGARs with M does not" no_field ids 'cigar-style eqx' --iddef 3 \
        --emit cigar
    check "3 with CIGARs with = does" exports id+ids+id3+mism+alnlen \
        "91.3${tab}39${tab}91.3${tab}1${tab}42" --iddef 3 --emit cigar --cigar-style eqx
    check "any other does with M" exports id+ids+id3+mism+alnlen \
        "95.1${tab}39${tab}91.3${tab}1${tab}42" --iddef onegap --emit cigar
}

# With a gap score of -11 nearly all alignments are the same as those of vsearch.
test_vsearch()
{
    local k

    command -v vsearch >/dev/null || { echo "no vsearch: not compared" && return; }
    "$RIBOGRID" simulate 40 --length 300 --ambiguous 0 --divergence 15 -o sim.fa
    "$RIBOGRID" align sim.fa -q --force --gap -11 --emit cigar -o cigar.h5
    "$RIBOGRID" export cigar.h5 --format userout --userfields query+target+raw+caln |
        sort >caln
    for k in 0 1 2 3 4; do
        vsearch --allpairs_global sim.fa --acceptall --match 4 --mismatch -5 \
            --gapopen 11I/0E --gapext 11I/0E --qmask none --minseqlength 1 --threads 1 \
            --iddef $k --userfields query+target+raw+caln+id --userout v.user 2>/dev/null
        "$RIBOGRID" align sim.fa -q --force --gap -11 --iddef $k -o x.h5
        "$RIBOGRID" export x.h5 --format userout --userfields query+target+id |
            sort >id
        check "vsearch --iddef $k: most alignments are equal" test \
            "$(cut -f -4 v.user | sort | comm -12 - caln | wc -l)" -ge 700
        check "vsearch --iddef $k: these have equal identities" test -z \
            "$(awk -F '\t' '
                FILENAME == "caln" { of[$1, $2] = $4 }
                FILENAME == "id" { id[$1, $2] = $3 }
                FILENAME == "v.user" && of[$1, $2] == $4 && id[$1, $2] != $5 {
                    print $0, id[$1, $2] }' caln id v.user | tee differ | head -1)"
    done
}

test_hand
test_both
test_random
test_hits
test_filter
test_other_outputs
test_strands
test_words
test_exports
test_vsearch
finish
