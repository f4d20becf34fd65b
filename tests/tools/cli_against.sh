#!/usr/bin/env bash
#
# cli_against.sh - `ribogrid align --against` from the outside: the same hits as all pairs
# of queries and references, sorted out afterwards.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/shell_test.sh
. "$(dirname "$0")/../support/shell_test.sh"
# shellcheck source-path=SCRIPTDIR source=../support/hits_test.sh
. "$here/support/hits_test.sh"
need_h5py
cd "$tmp" || exit 1
n_queries=18
n_references=75

# Every third query is turned; one reference is there twice, so that there are ties.
make_reads()
{
    "$RIBOGRID" simulate $((n_queries + n_references - 1)) --length 110 --seed 2 -o all.fa
    awk -v n=$n_queries '/^>/ { k++ } k <= n' all.fa >plain.fa
    awk -v n=$n_queries '/^>/ { k++ } k > n' all.fa >references.fa
    awk '/^>/ { k++ } k == 5' references.fa | sed 's/^>/>again_/' >again.fa
    cat again.fa >>references.fa
    "$PYTHON" "$here/tools/best_hits.py" --reverse plain.fa >turned.fa
    cat plain.fa turned.fa | awk -v n=$n_queries '/^>/ { k++ }
        (k - 1) % n % 3 == 0 ? k > n : k <= n' >mixed.fa
    "$PYTHON" "$here/tools/best_hits.py" --reverse mixed.fa >mixed_turned.fa
}

# all_pairs QUERIES TABLE OPTION...: all pairs of queries and references, the long way.
all_pairs()
{
    local queries=$1 table=$2

    shift 2
    cat "$queries" references.fa >long.fa
    "$RIBOGRID" align long.fa -q --force -o long.h5 "$@"
    "$RIBOGRID" view --no-header long.h5 >"$table" --region \
        "1-$n_queries,$((n_queries + 1))-$((n_queries + n_references))"
}

# finds TABLE TURNED N ID OPTION...: align finds what the tables have.
finds()
{
    local plus=$1 minus=$2 top=$3 id=$4

    shift 4
    "$PYTHON" "$here/tools/best_hits.py" "$plus" "$minus" "$top" "$id" >want.tsv
    [ "$top" = 0 ] || set -- "$@" --top "$top"
    [ "$id" = 0 ] || set -- "$@" --id "$id"
    expect_exit 0 "$RIBOGRID" align mixed.fa --against references.fa -q --force -o x.h5 \
        "$@" && "$RIBOGRID" view --no-header x.h5 >got.tsv && same want.tsv got.tsv
}

test_brute_force()
{
    local ends top id

    for ends in free count; do
        all_pairs mixed.fa plus.tsv --ends $ends
        all_pairs mixed_turned.fa minus.tsv --ends $ends
        for top in 0 1 5; do
            for id in 0 0.85; do
                check "$ends ends, --top $top, --id $id" finds plus.tsv - $top $id \
                    --ends $ends
                check "$ends ends, --top $top, --id $id, both strands" finds plus.tsv \
                    minus.tsv $top $id --ends $ends --strand both
            done
        done
    done
    check "scipy" scipy_loads x.h5
    check "more than there are" finds plus.tsv - 1000 0 --ends count
}

# The turned queries' hits are those of the plain ones, on the other strand.
test_strands()
{
    local file

    for file in plain turned mixed; do
        check "$file queries" expect_exit 0 "$RIBOGRID" align $file.fa --against \
            references.fa --strand both --top 1 -o $file.h5
        "$RIBOGRID" view --no-header $file.h5 | cut -f 1,2,4,5 >$file.tsv
    done
    check "what became of the pairs" grep -q \
        ": $((2 * n_queries * n_references)) pairs: .*aligned, " "$err"
    check "turned queries find the same" same plain.tsv turned.tsv
    sort plain.tsv >plain_sorted.tsv # mixed.fa has the turned ones at its end
    sort mixed.tsv >mixed_sorted.tsv
    check "mixed ones, too" same plain_sorted.tsv mixed_sorted.tsv
    check "a third is turned" test \
        "$("$RIBOGRID" view --no-header mixed.h5 | cut -f 1,7 | sort -u |
            grep -c -- '-$')" -eq $((n_queries / 3))
    check "CIGARs" expect_exit 0 "$RIBOGRID" align mixed.fa --against references.fa -q \
        --strand both --top 2 --emit cigar -o cigar.h5
    check "CIGARs: scipy" scipy_loads cigar.h5
    "$RIBOGRID" view --no-header cigar.h5 | awk -F '\t' '$7 == "-"' | cut -f 1,2,8 \
        >turned_cigars.tsv
    cat mixed_turned.fa references.fa >long.fa
    "$RIBOGRID" align long.fa -q --emit cigar -o long_cigar.h5
    "$RIBOGRID" view --no-header long_cigar.h5 | cut -f 1,2,7 | sort >long_cigars.tsv
    check "they are of the reverse complement" test -z \
        "$(sort turned_cigars.tsv | comm -23 - long_cigars.tsv)"
    check "and there are some" test -s turned_cigars.tsv
}

test_view()
{
    "$RIBOGRID" view mixed.h5 >view.tsv
    check "a column of strands" test "$(head -n 1 view.tsv | tr '\t' ' ')" = \
        'query target score matches columns identity strand'
    check "rows" test "$("$RIBOGRID" view --no-header mixed.h5 --region 2-3 | cut -f 1 |
        sort -u | wc -l)" -eq 2
    check "rows and columns beyond the file" refused 2 \
        "rows within 1-$n_queries, columns within 1-$n_references" "$RIBOGRID" view \
        mixed.h5 --region 1-19
    check "info" test "$(field sequences mixed.h5) $(field references mixed.h5) $(field \
        pairs mixed.h5) $(field top mixed.h5) $(field strand mixed.h5)" = \
        "$n_queries $n_references $((n_queries * n_references)) 1 both"
}

test_few()
{
    : >none.fa
    for pair in "none.fa references.fa" "plain.fa none.fa" "none.fa none.fa"; do
        # shellcheck disable=SC2086  # two words
        set -- $pair
        check "$pair" expect_exit 0 "$RIBOGRID" align "$1" --against "$2" --top 1 \
            --strand both --force -o x.h5
        check "$pair: a warning" grep -q 'holds no sequence' "$err"
        check "$pair: no hits" test "$(count_hits x.h5)" -eq 0
        check "$pair: scipy" scipy_loads x.h5
    done
    head -n 2 references.fa >one.fa
    check "one against one" expect_exit 0 "$RIBOGRID" align one.fa --against one.fa -q \
        --force -o x.h5
    check "is itself" test "$("$RIBOGRID" view --no-header x.h5 | cut -f 6)" = 1.000000
    check "stdin" expect_exit 0 "$RIBOGRID" align - --against one.fa -q --force -o y.h5 <one.fa
    check "is as a file" equal x.h5 y.h5
    check "and of references" expect_exit 0 "$RIBOGRID" align one.fa --against - -q \
        --force -o y.h5 <one.fa
    check "is as a file, too" equal x.h5 y.h5
}

test_usage()
{
    local ours=("$RIBOGRID" align plain.fa -o n.h5)

    check "scores alone" refused 2 '--against needs identities' "${ours[@]}" \
        --against references.fa --emit score
    check "--top 0" refused 2 '--top 0: give a whole number from 1' "${ours[@]}" \
        --against references.fa --top 0
    check "stdin twice" refused 2 'stdin cannot be both' "$RIBOGRID" align - -o n.h5 \
        --against -
    check "no such references" refused 1 'nothing.fa: ' "${ours[@]}" --against nothing.fa
    printf '>bad\nAC!GT\n' >bad.fa
    check "bad references" refused 1 'bad.fa:2: ' "${ours[@]}" --against bad.fa
    printf '>even\nACGT\n' >even.fa
    printf '>odd\nACGW\n' >odd.fa
    check "a letter that a matrix lacks" refused 1 "odd.fa: record 1 'odd' has the letter W," \
        "$RIBOGRID" align even.fa -o n.h5 --against odd.fa --matrix "$here/golden/hand.matrix"
    printf '>query\nACGS\n>has\nACGR\n' >query.fa
    sed '/^Y/d; s/  Y//' "$here/golden/hand.matrix" | awk '!/^#/ && NR > 2 { $7 = "" } 1' \
        >few.matrix
    check "a letter that a complement brings" refused 1 \
        "query.fa: record 2 'has' has the letter Y as its reverse complement, which" \
        "$RIBOGRID" align query.fa -o n.h5 --against even.fa --strand both --matrix few.matrix
    check "nothing is left" absent n.h5 n.h5.part n.h5.tmp
}

make_reads
test_brute_force
test_strands
test_view
test_few
test_usage
finish
