#!/usr/bin/env bash
#
# cli_view_info.sh - `ribogrid view` and `ribogrid info`: selected pairs, described files.
# cli_view_refused.sh has refused files.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
golden=$here/golden

# repeat N LETTER: print a letter N times.
repeat()
{
    printf "%$1s" '' | tr ' ' "$2"
}

# shows PAIRS ARGUMENT...: view prints these pairs, each as "query target,".
shows()
{
    local want=$1

    shift
    expect_exit 0 "$RIBOGRID" view --no-header "$@" && silent "$err" || return 1
    [ "$(cut -f 1,2 "$out" | tr '\t\n' ' ,')" = "$want" ] && return
    echo "not $want:"
    cat "$out"
    return 1
}

# Identities of 7, 10 and 97 in 100 columns: mismatches are cheaper than gaps.
test_id()
{
    {
        printf '>base\n%s%s\n' "$(repeat 7 A)" "$(repeat 93 C)"
        printf '>far\n%s%s\n' "$(repeat 7 A)" "$(repeat 93 G)"
        printf '>near\n%s%s%s\n' "$(repeat 7 A)" "$(repeat 90 C)" "$(repeat 3 G)"
    } >exact.fa
    "$RIBOGRID" align exact.fa -q --ends count -o exact.h5
    check "view prints all pairs" shows 'base far,base near,far near,' exact.h5
    check "identities of 7, 97 and 10 in 100" \
        test "$(cut -f 4- "$out" | tr '\t\n' ' ,')" = \
        '7 100 0.070000,97 100 0.970000,10 100 0.100000,'
    check "0.97 keeps 97/100" shows 'base near,' exact.h5 --id 0.97
    check "0.9700 is 0.97" shows 'base near,' exact.h5 --id=0.9700
    check "0.970001 drops 97/100" shows '' exact.h5 --id 0.970001
    check "0.07 keeps 7/100 (7.000000000000001 as floats have it)" \
        shows 'base far,base near,far near,' exact.h5 --id 0.07
    check "0.0700001 drops 7/100" shows 'base near,far near,' exact.h5 --id 0.0700001
    check "0.1 keeps 10/100" shows 'base near,far near,' exact.h5 --id .1
    check "1 drops all pairs" shows '' exact.h5 --id 1
    "$RIBOGRID" align "$golden/mixed.fa" -q -o mixed.h5
    check "1 keeps identical pairs" shows \
        'plain inside,plain longer,changed inside,missing inside,missing codes,inside codes,inside codes_too,inside longer,' \
        mixed.h5 --id 1
    check "0 drops pairs without an identity" \
        test "$("$RIBOGRID" view mixed.h5 --id 0 | grep -c NA)" -eq 0
    check "0 keeps all other pairs" \
        test "$("$RIBOGRID" view mixed.h5 --id 0 | wc -l)" -eq 23
    "$RIBOGRID" align exact.fa -q --emit score -o score.h5
    check "--id needs identities" refused 2 '--id: score.h5 holds only scores' \
        "$RIBOGRID" view score.h5 --id 0.97
}

# region TEXT ROW0 ROW1 COL0 COL1: view prints the pairs that awk selects from the whole table.
region()
{
    awk -F '\t' -v a="$2" -v b="$3" -v c="$4" -v d="$5" '
        { i = substr($1, 4) + 0; k = substr($2, 4) + 0 }
        i >= a && i <= b && k >= c && k <= d' all.tsv >part.tsv
    expect_exit 0 "$RIBOGRID" view --no-header sim.h5 --region "$1" && same part.tsv \
        "$out"
}

test_region()
{
    "$RIBOGRID" simulate 50 --length 60 -o sim.fa
    "$RIBOGRID" align sim.fa -q -o sim.h5
    "$RIBOGRID" view --no-header sim.h5 >all.tsv
    check "50 sequences make 1225 pairs" test "$(wc -l <all.tsv)" -eq 1225
    check "tiles of 4, so that regions cross them" test "$(field tile sim.h5)" = '4 x 4'
    check "one row is selected" region 7 7 7 1 50
    check "the first row is selected" region 1-1 1 1 1 50
    check "the last row has no pair" region 50 50 50 1 50
    check "several rows are selected" region 3-18 3 18 1 50
    check "all rows are selected" region 1-50 1 50 1 50
    check "rows and columns are selected" region 3-18,10-31 3 18 10 31
    check "one pair is selected" region 3,30 3 3 30 30
    check "one column is selected" region 1-50,30 1 50 30 30
    check "a square on the diagonal is selected" region 9-13,9-13 9 13 9 13
    check "below the diagonal there is no pair" region 30-40,1-20 30 40 1 20
    check "--region and --id are combined" test \
        "$("$RIBOGRID" view --no-header sim.h5 --id 0.9 --region 3-18)" \
        = "$("$RIBOGRID" view --no-header sim.h5 --id 0.9 | awk -F '\t' '
            { i = substr($1, 4) + 0 } i >= 3 && i <= 18')"
}

test_header()
{
    check "the header has six columns" \
        test "$("$RIBOGRID" view exact.h5 | head -n 1 | tr '\t' ' ')" = \
        'query target score matches columns identity'
    check "the header of scores has three columns" \
        test "$("$RIBOGRID" view score.h5 | head -n 1 | tr '\t' ' ')" = \
        'query target score'
    check "--no-header omits the header" \
        test "$("$RIBOGRID" view --no-header exact.h5 | wc -l)" -eq 3
    "$RIBOGRID" view sim.h5 2>pipe.txt | head -n 1 >/dev/null
    check "a closed pipe prints no message" silent pipe.txt
}

# info_is FILE NAME VALUE: info prints this value.
info_is()
{
    [ "$(field "$2" "$1")" = "$3" ] && return
    echo "$2 is '$(field "$2" "$1")', not '$3'"
    return 1
}

test_info()
{
    check "info succeeds" expect_exit 0 "$RIBOGRID" info mixed.h5
    # shellcheck disable=SC2016  # the dollar is awk's
    check "info prints lines of three columns" awk -F '\t' \
        'NF != 3 || $1 !~ /^(file|job|run)$/ { exit 1 }' "$out"
    check "info prints no message" silent "$err"
    check "format" info_is mixed.h5 format 'ribogrid-pairs 1.6'
    check "sequences" info_is mixed.h5 sequences 8
    check "pairs" info_is mixed.h5 pairs 28
    check "datasets" info_is mixed.h5 datasets 'score matches columns'
    check "datasets of --emit score" info_is score.h5 datasets score
    check "ends" info_is mixed.h5 ends free
    check "ends, counted" info_is exact.h5 ends count
    check "min_overlap" info_is mixed.h5 min_overlap 1/2
    check "no min_overlap where ends count" info_is exact.h5 min_overlap ''
    check "scores" test \
        "$(field match mixed.h5) $(field mismatch mixed.h5) $(field gap mixed.h5)" = \
        '4 -5 -7'
    check "ambiguity" info_is mixed.h5 ambiguity n-mismatch
    check "pairs_computed" info_is mixed.h5 pairs_computed 28
    check "command" \
        info_is mixed.h5 command "ribogrid align $golden/mixed.fa -q -o mixed.h5"
    check "info prints a line about the device" grep -Eq \
        '^run.device.rank=0 host=.* kernel=.* threads=[0-9]+ tiles=3 ' "$out"
    "$RIBOGRID" align "$golden/mixed.fa" -q --matrix "$golden/hand.matrix" -o matrix.h5
    check "a matrix has a digest" test "$(field matrix_digest matrix.h5 | wc -c)" -eq 17
    check "a matrix has no match score" info_is matrix.h5 match ''
}

# What `cluster` and an unfinished `align` leave is described as well; `view` names it.
test_other_files()
{
    "$RIBOGRID" cluster mixed.h5 --id 0.9 --min-size 2 -q -o otus
    check "info describes OTUs" expect_exit 0 "$RIBOGRID" info otus.groups.h5
    # shellcheck disable=SC2016  # the dollar is awk's
    check "OTUs: lines of three columns" awk -F '\t' \
        'NF != 3 || $1 !~ /^(file|otus|run)$/ { exit 1 }' "$out"
    check "OTUs: the format" grep -q '^file.format.ribogrid-groups 1' "$out"
    check "OTUs: how they were found" grep -Pq '^otus\tmethod\topti$' "$out"
    check "OTUs: the identity" info_is otus.groups.h5 id 9/10
    check "OTUs: their number" info_is otus.groups.h5 otus \
        "$(grep -c '^Otu' otus.otus.tsv)"
    check "OTUs: sequences" info_is otus.groups.h5 sequences 8
    check "OTUs: sequences left out" info_is otus.groups.h5 sequences_left_out \
        $((8 - $(awk -F '\t' 'NR > 1 { n += $2 } END { print n }' otus.otus.tsv)))
    check "OTUs: the MCC and its counts" test \
        $(($(field tp otus.groups.h5) + $(field tn otus.groups.h5) + $(field fp \
            otus.groups.h5) + $(field fn otus.groups.h5))) -eq 28
    check "OTUs: their input" info_is otus.groups.h5 input mixed.h5
    check "OTUs are no pairs" refused 1 'OTUs that .ribogrid cluster. wrote, not pairs' \
        "$RIBOGRID" export otus.groups.h5 --format paf
    check "their sequences are viewed" expect_exit 0 "$RIBOGRID" view otus.groups.h5 --no-header
    check "each has a line" test "$(wc -l <"$out")" -eq "$(field sequences otus.groups.h5)"
    check "a BIOM table is no result" refused 1 'not a ribogrid result' "$RIBOGRID" info \
        otus.biom
    (
        ulimit -f 4
        "$RIBOGRID" align sim.fa -q -o part.h5 2>/dev/null
    )
    cp part.h5.part before
    check "info describes the log of an unfinished run" expect_exit 0 "$RIBOGRID" info \
        part.h5.part
    check "the log: how to continue" grep -Pq '^file\tstate\tan unfinished run: .*--resume' \
        "$out"
    check "the log: finished tasks" test "$(field finished part.h5.part) $(field tasks \
        part.h5.part)" = "$(log_state part.h5.part | cut -d ' ' -f 1) 91"
    check "the log: its job" grep -Pq '^job\tsequences\t50$' "$out"
    check "the log is left as it was" same before part.h5.part
    check "the log is no result" refused 1 \
        'the log of an unfinished run, which --resume continues' "$RIBOGRID" view \
        part.h5.part
}

# repacked PAIRS OPTION...: h5repack changes the storage of a file, but not what view prints,
# which is in want.tsv.
repacked()
{
    h5repack "${@:2}" "$1" repacked.h5 || return 1
    "$RIBOGRID" view repacked.h5 >got.tsv && same want.tsv got.tsv
}

test_repacked()
{
    local file option

    command -v h5repack >/dev/null || return 0
    for file in mixed.h5 "$golden/old_dense.h5" "$golden/old_hits.h5"; do
        "$RIBOGRID" view "$file" >want.tsv
        for option in -L '-l CONTI' '-f NONE' '-f GZIP=9' '-f SHUF -f GZIP=1'; do
            # shellcheck disable=SC2086 # two words
            check "$file is read after h5repack $option" repacked "$file" $option
        done
    done
}

test_id
test_region
test_header
test_info
test_other_files
test_repacked
finish
