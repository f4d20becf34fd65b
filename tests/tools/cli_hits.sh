#!/usr/bin/env bash
#
# cli_hits.sh - tests that `ribogrid align --id` keeps the same pairs and values as filtering
# all pairs afterwards.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/hits_test.sh"
need_h5py

hits()
{
    expect_exit 0 "$RIBOGRID" align "$@" --force -o x.h5
}

# same_hits INPUT OPTION...: for the identities in $ids, with free and counted ends.
same_hits()
{
    local input=$1 ends id

    shift
    for ends in free count; do
        "$RIBOGRID" align "$input" -q --force --ends $ends -o dense.h5 "$@"
        for id in ${ids:-0 0.97}; do
            check "$input, $ends ends, --id $id $*" hits "$input" -q --ends $ends \
                --id $id "$@"
            check "$input, $ends ends, --id $id $*: as filtered afterwards" \
                same_as_filtered dense.h5 $id x.h5
        done
        check "$input, $ends ends $*: the file is kept" keep_for_scipy x.h5
    done
}

test_simulated()
{
    "$RIBOGRID" simulate 90 --length 150 --seed 3 -o sim.fa
    ids='0 1 0.97 0.8' same_hits sim.fa
    "$RIBOGRID" simulate 40 --length 120 --seed 4 -o short.fa
    same_hits short.fa --emit cigar
    same_hits "$here/golden/mixed.fa"
    check "--id 0 drops pairs without an identity" test \
        "$("$RIBOGRID" view dense.h5 | grep -c NA)" -eq 0
    "$RIBOGRID" simulate 30 --length 90 --ambiguous 0 -o bases.fa
    "$RIBOGRID" align bases.fa -q --ends count --matrix "$here/golden/hand.matrix" -o m.h5
    check "a matrix" hits bases.fa -q --id 0.7 --ends count --matrix \
        "$here/golden/hand.matrix"
    check "a matrix: as filtered afterwards" same_as_filtered m.h5 0.7 x.h5
}

# The first sequences of a real file.
test_real()
{
    local data=${RIBOGRID_DATA:-}/16s/rdp_testDMtrain.fasta.gz

    [ -e "$data" ] || return 0
    zcat "$data" | awk '/^>/ { n++ } n <= 40' >real.fa
    ids='0.97 0.8' same_hits real.fa
}

test_exact()
{
    local name

    for name in a b; do
        printf '>%s\n' $name
        printf 'ACGTTGCAAC%.0s' 1 2 3 4 5 6 7 8 9 10
        echo
    done >exact.fa
    {
        printf '>c\n'
        printf 'ACGTTGCAAC%.0s' 1 2 3 4 5 6 7 8 9
        echo ACGTTGCTTC
    } >>exact.fa
    check "98 of 100 matches reach 0.98" hits exact.fa --id 0.98 --ends count
    check "three pairs" test "$(count_hits x.h5)" -eq 3
    check "a message counts the pairs" grep -q \
        ': 3 pairs: .*aligned, 3 kept$' "$err"
    check "98 of 100 matches do not reach 0.980001" hits exact.fa --id 0.980001 --ends \
        count
    check "one pair" test "$(count_hits x.h5)" -eq 1
    check "--id 1 keeps identical sequences" hits exact.fa --id 1
    check "one pair again" test "$(count_hits x.h5)" -eq 1
    check "info prints the layout" test "$(field layout x.h5) $(field hits x.h5) $(field \
        min_identity x.h5)" = "hits 1 1/1"
    check "info prints the counts" test "$(field pairs_kept x.h5)" = 1
    check "view refuses an --id below that of the file" refused 1 \
        'only pairs with an identity of at least 1/1' "$RIBOGRID" view x.h5 --id 0.99
}

# Each pair is either filtered or aligned; dissimilar pairs are filtered.
test_counts()
{
    check "pairs above 0.97" hits sim.fa --id 0.97
    check "filtered and aligned pairs add up to all pairs" test \
        "$("$RIBOGRID" info x.h5 | awk -F '\t' '
        $2 ~ /^pairs_(filtered_|aligned)/ { n += $3 } END { print n }')" -eq 4005
    check "most pairs are filtered" test "$(field pairs_aligned x.h5)" -lt 2000
    check "the message has the same counts" grep -q \
        " $(field pairs_aligned x.h5) aligned, $(field \
        pairs_kept x.h5) kept" "$err"
    check "pairs above 0.88" hits sim.fa --id 0.88
    check "edits rule out pairs that k-mers do not" test \
        "$(field pairs_filtered_edits x.h5)" -gt 1000
    check "the counts of all stages add up" test \
        $(($(field pairs_filtered_edits x.h5) + $(field \
        pairs_aligned x.h5) + $(field pairs_filtered_kmers x.h5) + $(field \
        pairs_filtered_overlap x.h5))) -eq 4005
    check "--id 0 filters nothing" hits sim.fa --id 0
    check "all pairs are aligned" test "$(field pairs_aligned x.h5)" -eq 4005
}

test_few()
{
    local n

    for n in 0 1 2; do
        "$RIBOGRID" simulate 2 --length 50 --seed 1 | awk -v n=$n '/^>/ { k++ } k <= n' \
            >few.fa
        check "$n sequences" hits few.fa --id 0
        check "$n sequences: pairs" test "$(count_hits x.h5)" -eq $((n / 2))
        check "$n sequences: the file is kept" keep_for_scipy x.h5
        check "$n sequences: CIGARs" hits few.fa --id 0 --emit cigar
        check "$n sequences: the file with CIGARs is kept" keep_for_scipy x.h5
    done
    printf '>a\nAAAAAAAA\n>b\nCCCCCCCC\n>c\nGGGGGGGG\n' >unlike.fa
    check "no hit at all" hits unlike.fa --id 0.5 --emit cigar
    check "is an empty result" test "$(count_hits x.h5)" -eq 0
    check "which is kept" keep_for_scipy x.h5
    check "and info describes it" test "$(field hits x.h5)" -eq 0
}

test_limits()
{
    check "a run with all threads" hits sim.fa -q --id 0.5
    cp x.h5 one.h5
    check "a run with one thread and little memory" hits sim.fa -q --id 0.5 \
        --threads 1 --memory 1M
    check "gives an equal file" equal one.h5 x.h5
    rm -f x.h5
    check "--max-output stops" refused 1 \
        'hits take more than --max-output, 9.8 KiB; .*--resume with a larger' \
        "$RIBOGRID" align sim.fa -q --id 0.5 -o x.h5 --threads 1 --memory 1M \
        --max-output 10000
    check "no result" absent x.h5 x.h5.tmp-*
    check "the log is kept" test -e x.h5.part
    check "its hits count towards --max-output" refused 1 'hits take more than' \
        "$RIBOGRID" align sim.fa -q --id 0.5 -o x.h5 --resume --max-output 10000
    check "another --id is another job" refused 1 "there 'min_identity=1/2', now" \
        "$RIBOGRID" align sim.fa -q --id 0.6 -o x.h5 --resume
    check "a run without --id is another job" refused 1 "x.h5.part is of another job" \
        "$RIBOGRID" align sim.fa -q -o x.h5 --resume
    check "a larger --max-output continues" expect_exit 0 "$RIBOGRID" align sim.fa -q \
        --id 0.5 -o x.h5 \
        --resume --max-output 1G
    check "equal to an uninterrupted run" equal one.h5 x.h5
}

test_usage()
{
    check "--id with scores alone" refused 2 '--id needs identities' \
        "$RIBOGRID" align sim.fa -o n.h5 --id 0.9 --emit score
    check "--id above 1" refused 2 '--id 97: give a decimal from 0 to 1' \
        "$RIBOGRID" align sim.fa -o n.h5 --id 97
    check "--top without --against" refused 2 '--top and --strand need --against' \
        "$RIBOGRID" align sim.fa -o n.h5 --id 0.9 --top 3
    check "--strand without --against" refused 2 '--top and --strand need --against' \
        "$RIBOGRID" align sim.fa -o n.h5 --strand plus
    check "no file is left" absent n.h5 n.h5.part n.h5.tmp-*
}

# region TEXT ROW0 ROW1 COL0 COL1: view --region prints the same lines as awk selects.
region()
{
    awk -F '\t' -v a="$2" -v b="$3" -v c="$4" -v d="$5" '
        { i = substr($1, 4) + 0; k = substr($2, 4) + 0 }
        i >= a && i <= b && k >= c && k <= d' all.tsv >part.tsv
    expect_exit 0 "$RIBOGRID" view --no-header one.h5 --region "$1" && same part.tsv \
        "$out"
}

test_view()
{
    "$RIBOGRID" view --no-header one.h5 >all.tsv
    check "some rows" region 3-18 3 18 1 90
    check "rows and columns" region 3-18,10-31 3 18 10 31
    check "the last row" region 90 90 90 1 90
    check "below the diagonal" region 30-40,1-20 30 40 1 20
    check "with --id" test "$("$RIBOGRID" view --no-header one.h5 --id 0.8 | wc -l)" -eq \
        "$(awk '$6 >= 0.8' all.tsv | wc -l)"
}

# The Python code in docs/file-format.md that reads hits runs as it is.
test_docs()
{
    has_modules scipy || return 0
    awk '/^```python/ { on = 1; text = ""; next }
        /^```/ { if (on && text ~ /csr_matrix/) printf "%s", text; on = 0 }
        on { text = text $0 "\n" }' "$here/../docs/file-format.md" >read.py
    check "the page has code that reads hits" test -s read.py
    cp one.h5 pairs.h5
    check "the code runs" expect_exit 0 "$PYTHON" read.py
    check "and prints the pairs from 0.97" test "$(wc -l <"$out")" -eq \
        "$(awk '$6 >= 0.97' all.tsv | wc -l)"
}

test_simulated
test_real
test_exact
test_counts
test_few
test_limits
test_usage
test_view
test_docs
check "scipy loads the files that were kept" scipy_loads_kept
finish
