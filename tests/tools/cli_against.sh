#!/usr/bin/env bash
#
# cli_against.sh - tests that `ribogrid align --against` gives the same hits as selecting
# them from all pairs of queries and references.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/hits_test.sh"
need_h5py
n_queries=18
n_references=75

# Every third query is reverse-complemented; one reference occurs twice, which makes ties.
make_reads()
{
    "$RIBOGRID" simulate $((n_queries + n_references - 1)) --length 110 --seed 2 -o all.fa
    awk -v n=$n_queries '/^>/ { k++ } k <= n' all.fa >forward.fa
    awk -v n=$n_queries '/^>/ { k++ } k > n' all.fa >references.fa
    awk '/^>/ { k++ } k == 5' references.fa | sed 's/^>/>again_/' >again.fa
    cat again.fa >>references.fa
    "$PYTHON" "$here/tools/best_hits.py" --reverse forward.fa >reversed.fa
    cat forward.fa reversed.fa | awk -v n=$n_queries '/^>/ { k++ }
        (k - 1) % n % 3 == 0 ? k > n : k <= n' >mixed.fa
    "$PYTHON" "$here/tools/best_hits.py" --reverse mixed.fa >mixed_reversed.fa
}

# all_pairs QUERIES TABLE OPTION...: align all sequences, and select queries x references.
all_pairs()
{
    local queries=$1 table=$2

    shift 2
    cat "$queries" references.fa >long.fa
    "$RIBOGRID" align long.fa -q --force -o long.h5 "$@"
    "$RIBOGRID" view --no-header long.h5 >"$table" --region \
        "1-$n_queries,$((n_queries + 1))-$((n_queries + n_references))"
}

# finds WANT N ID OPTION...: align gives the hits in WANT.N.ID.tsv, of best_hits.py.
finds()
{
    local want=$1.$2.$3.tsv top=$2 id=$3

    shift 3
    [ "$top" = 0 ] || set -- "$@" --top "$top"
    [ "$id" = 0 ] || set -- "$@" --id "$id"
    expect_exit 0 "$RIBOGRID" align mixed.fa --against references.fa -q --force -o x.h5 \
        "$@" && "$RIBOGRID" view --no-header x.h5 >got.tsv && same "$want" got.tsv
}

test_brute_force()
{
    local affine="--gap-open 20 --gap-extend 2" options top id

    # shellcheck disable=SC2086 # several options
    for options in "--ends free" "$affine --end-gap-open 2 --end-gap-extend 1" \
        "$affine --ends count" "--ends count"; do
        all_pairs mixed.fa plus.tsv $options
        all_pairs mixed_reversed.fa minus.tsv $options
        "$PYTHON" "$here/tools/best_hits.py" plus.tsv - one 0,1,5,1000 0,0.85
        "$PYTHON" "$here/tools/best_hits.py" plus.tsv minus.tsv both 0,1,5 0,0.85
        for top in 0 1 5; do
            for id in 0 0.85; do
                check "$options, --top $top, --id $id" finds one $top $id $options
                check "$options, --top $top, --id $id, both strands" finds both $top $id \
                    $options --strand both
            done
        done
    done
    check "the last file is kept" keep_for_scipy x.h5
    check "--top above the number of references" finds one 1000 0 --ends count
}

# Reverse-complemented queries have the same hits as forward ones, on the other strand.
test_strands()
{
    local file

    for file in forward reversed mixed; do
        check "$file queries" expect_exit 0 "$RIBOGRID" align $file.fa --against \
            references.fa --strand both --top 1 -o $file.h5
        "$RIBOGRID" view --no-header $file.h5 | cut -f 1,2,4,5 >$file.tsv
    done
    check "a message counts the pairs of both strands" grep -q \
        ": $((2 * n_queries * n_references)) pairs of both strands: .*aligned, " "$err"
    check "reverse-complemented queries have the same hits" same forward.tsv reversed.tsv
    sort forward.tsv >forward_sorted.tsv # mixed.fa has the reversed ones at its end
    sort mixed.tsv >mixed_sorted.tsv
    check "so have queries of mixed strands" same forward_sorted.tsv mixed_sorted.tsv
    check "a third of the queries has hits on the reverse strand" test \
        "$("$RIBOGRID" view --no-header mixed.h5 | cut -f 1,7 | sort -u |
            grep -c -- '-$')" -eq $((n_queries / 3))
    check "CIGARs" expect_exit 0 "$RIBOGRID" align mixed.fa --against references.fa -q \
        --strand both --top 2 --emit cigar -o cigar.h5
    check "CIGARs are kept" keep_for_scipy cigar.h5
    "$RIBOGRID" view --no-header cigar.h5 | awk -F '\t' '$7 == "-"' | cut -f 1,2,8 \
        >reversed_cigars.tsv
    cat mixed_reversed.fa references.fa >long.fa
    "$RIBOGRID" align long.fa -q --emit cigar -o long_cigar.h5
    "$RIBOGRID" view --no-header long_cigar.h5 | cut -f 1,2,7 | sort >long_cigars.tsv
    check "CIGARs on the reverse strand are those of the reverse complement" test -z \
        "$(sort reversed_cigars.tsv | comm -23 - long_cigars.tsv)"
    check "there are such CIGARs" test -s reversed_cigars.tsv
}

# x.h5 has five hits per query with ties: view and export print them in the same order.
sorts()
{
    "$RIBOGRID" align mixed.fa --against references.fa -q --force --strand both --top 5 \
        --emit cigar -o x.h5 || return 1
    "$RIBOGRID" view --no-header x.h5 >best.tsv
    "$RIBOGRID" view --no-header x.h5 --sort row >row.tsv
    "$RIBOGRID" view --no-header x.h5 --sort identity >identity.tsv
    "$RIBOGRID" export x.h5 --format userout --userfields query+target >best.user
    "$RIBOGRID" export x.h5 --format userout --userfields query+target --sort row >row.user
    same best.tsv identity.tsv && ! cmp -s best.tsv row.tsv &&
        same <(sort best.tsv) <(sort row.tsv) && same <(cut -f 1,2 best.tsv) best.user &&
        same <(cut -f 1,2 row.tsv) row.user
}

test_view()
{
    check "best hits come first, and in the order of the file with --sort row" sorts
    "$RIBOGRID" view mixed.h5 >view.tsv
    check "the table has a column for the strand" test \
        "$(head -n 1 view.tsv | tr '\t' ' ')" = \
        'query target score matches columns identity strand'
    check "--region selects rows" test "$("$RIBOGRID" view --no-header mixed.h5 --region 2-3 | cut -f 1 |
        sort -u | wc -l)" -eq 2
    check "a region outside of the file" refused 2 \
        "rows within 1-$n_queries, columns within 1-$n_references" "$RIBOGRID" view \
        mixed.h5 --region 1-19
    check "info prints the shape" test "$(field sequences mixed.h5) $(field references mixed.h5) $(field \
        pairs mixed.h5) $(field top mixed.h5) $(field strand mixed.h5)" = \
        "$n_queries $n_references $((n_queries * n_references)) 1 both"
}

test_few()
{
    : >none.fa
    for pair in "none.fa references.fa" "forward.fa none.fa" "none.fa none.fa"; do
        # shellcheck disable=SC2086  # two words
        set -- $pair
        check "$pair" expect_exit 0 "$RIBOGRID" align "$1" --against "$2" --top 1 \
            --strand both --force -o x.h5
        check "$pair: a warning" grep -q 'holds no sequence' "$err"
        check "$pair: no hits" test "$(count_hits x.h5)" -eq 0
        check "$pair: the file is kept" keep_for_scipy x.h5
    done
    head -n 2 references.fa >one.fa
    check "one against one" expect_exit 0 "$RIBOGRID" align one.fa --against one.fa -q \
        --force -o x.h5
    check "a sequence matches itself" test \
        "$("$RIBOGRID" view --no-header x.h5 | cut -f 6)" = 1.000000
    check "queries from stdin" expect_exit 0 "$RIBOGRID" align - --against one.fa -q \
        --force -o y.h5 <one.fa
    check "give the same result" equal x.h5 y.h5
    check "references from stdin" expect_exit 0 "$RIBOGRID" align one.fa --against - -q \
        --force -o y.h5 <one.fa
    check "give the same result, too" equal x.h5 y.h5
}

# x.h5 and its hits in one command.
one_command()
{
    rm -f x.b6
    expect_exit 0 "$RIBOGRID" align mixed.fa --against references.fa -q --force \
        --strand both --top 3 -o x.h5 --blast6out x.b6 || return 1
    "$RIBOGRID" export x.h5 --format blast6 >want.b6
    [ -s x.b6 ] && same want.b6 x.b6
}

test_blast6out()
{
    local ours=("$RIBOGRID" align forward.fa --against references.fa -o n.h5 --blast6out)

    check "--blast6out writes what export writes" one_command
    check "an existing file stops before the run" refused 1 'x.b6 exists; give --force' \
        "${ours[@]}" x.b6
    check "--emit identity" refused 2 '--blast6out needs --emit cigar' "${ours[@]}" n.b6 \
        --emit identity
    check "--iddef 3" refused 2 'needs --cigar-style eqx' "${ours[@]}" n.b6 --iddef 3
    check "one file for both" refused 2 'are the same file' "${ours[@]}" n.h5
    check "no result is left" absent n.h5 n.b6 n.h5.part
}

test_usage()
{
    local ours=("$RIBOGRID" align forward.fa -o n.h5)

    check "--against with scores alone" refused 2 '--against needs identities' \
        "${ours[@]}" \
        --against references.fa --emit score
    check "--top 0" refused 2 '--top 0: give a whole number from 1' "${ours[@]}" \
        --against references.fa --top 0
    check "stdin twice" refused 2 'stdin .* two inputs' "$RIBOGRID" align - -o n.h5 \
        --against -
    check "missing references" refused 1 'nothing.fa: ' "${ours[@]}" --against nothing.fa
    printf '>bad\nAC!GT\n' >bad.fa
    check "invalid references" refused 1 'bad.fa:2: ' "${ours[@]}" --against bad.fa
    check "invalid references: --skip-bad-references is advised" grep -q \
        'drop such records with --skip-bad-references$' "$err"
    check "--skip-bad-references needs --against" refused 2 \
        '--skip-bad-references and --degap-references need --against' "${ours[@]}" \
        --skip-bad-references
    printf '>even\nACGT\n' >even.fa
    printf '>odd\nACGW\n' >odd.fa
    check "a letter that the matrix does not score" refused 1 \
        "odd.fa: record 1 'odd' has the letter W," \
        "$RIBOGRID" align even.fa -o n.h5 --against odd.fa --matrix \
        "$here/golden/hand.matrix"
    printf '>query\nACGS\n>has\nACGR\n' >query.fa
    sed '/^Y/d; s/  Y//' "$here/golden/hand.matrix" | awk \
        '!/^#/ && NR > 2 { $7 = "" } 1' \
        >few.matrix
    check "a letter that only the reverse complement has" refused 1 \
        "query.fa: record 2 'has' has the letter Y as its reverse complement, which" \
        "$RIBOGRID" align query.fa -o n.h5 --against even.fa --strand both --matrix \
        few.matrix
    check "no file is left" absent n.h5 n.h5.part n.h5.tmp-*
}

# Of either input three sequences are good, one is bad and one has gaps.
test_switches()
{
    local good=$'>a\nACGTACGT\n>b\nACGTTCGT\n>c\nTCGTACGT'
    local bad=$'>bad\nAC!GT' gaps=$'>gaps\nACG-T.CG'
    local ours=("$RIBOGRID" align --force -q -o s.h5)

    printf '%s\n' "$good" >good.fa
    printf '%s\n' "$good" "$bad" >bad.fa
    printf '%s\n' "$good" "$gaps" >gaps.fa
    check "strict with references" refused 1 'bad.fa:8: .*--skip-bad-references$' \
        "${ours[@]}" good.fa --against bad.fa --skip-bad
    check "lenient with references" expect_exit 0 "${ours[@]}" good.fa --against bad.fa \
        --skip-bad-references
    check "lenient with references: the bad one is dropped" test "$(field references \
        s.h5)" -eq 3
    check "strict with queries" refused 1 'bad.fa:8: .*--skip-bad$' "${ours[@]}" bad.fa \
        --against good.fa --skip-bad-references
    check "lenient with queries" expect_exit 0 "${ours[@]}" bad.fa --against good.fa \
        --skip-bad
    check "lenient with queries: the bad one is dropped" test "$(field sequences \
        s.h5)" -eq 3
    check "gaps in references" refused 1 'gaps.fa:8: .*--degap-references$' "${ours[@]}" \
        good.fa --against gaps.fa --degap
    check "--degap-references" expect_exit 0 "${ours[@]}" good.fa --against gaps.fa \
        --degap-references
    check "gaps in queries" refused 1 'gaps.fa:8: .*--degap$' "${ours[@]}" gaps.fa \
        --against good.fa --degap-references
    check "--degap" expect_exit 0 "${ours[@]}" gaps.fa --against good.fa --degap
    check "the switches are no part of the job, the sequences are" expect_exit 0 \
        "$RIBOGRID" align gaps.fa --against good.fa --degap --degap-references -q \
        --resume -o s.h5
    check "other references are another job" refused 1 's.h5 is of another job: ' \
        "$RIBOGRID" align gaps.fa --against gaps.fa --degap --degap-references -q \
        --resume -o s.h5
}

make_reads
test_brute_force
test_strands
test_view
test_few
test_blast6out
test_usage
test_switches
check "scipy loads the files that were kept" scipy_loads_kept
finish
