#!/usr/bin/env bash
#
# cli_bench_align.sh - `ribogrid bench align` from the outside: its rows, its forms of
# output, and what it refuses.
set -u

# shellcheck source-path=SCRIPTDIR source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
cd "$tmp" || exit 1

# bench ARGUMENT...: a tiny one
bench()
{
    "$RIBOGRID" bench align --device cpu --length 60 --pairs 20 --runs 2 "$@"
}

# column NAME [FILE]: of the rows of a TSV
column()
{
    awk -F '\t' -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        { print $at }' "${2:-rows.tsv}"
}

# within LEAST MOST: every line of stdin is a number in there
within()
{
    awk -v least="$1" -v most="$2" '
        !($1 >= least && $1 <= most) { print; wrong = 1 } END { exit wrong || NR == 0 }'
}

test_rows()
{
    check "all kernels run" expect_exit 0 bench --kernel all --peers off --gap -7,-8 --tsv
    cp "$out" rows.tsv
    check "without a word" silent "$err"
    check "every line has as many columns as the head" \
        test "$(awk -F '\t' '{ print NF }' rows.tsv | sort -u | wc -l)" -eq 1
    check "both scorings are there" \
        test "$(column scores | sort -u | tr '\n' ' ')" = '4/-5/-7 4/-5/-8 '
    check "scalar gives every output with both kinds of ends, for each" \
        test "$(column what | grep -c '^scalar/')" -eq 8
    # shellcheck disable=SC2016
    check "times are in order" \
        awk -F '\t' 'NR > 1 && !($4 <= $5 && $5 <= $6) { wrong = 1 } END { exit wrong }' rows.tsv
    bench --length 900 --identity 0.7,0.8,0.97 --pairs 45 --emit score --ends count \
        --peers off --tsv >rows.tsv
    check "the identity is near the wanted one" \
        within -0.02 0.02 < <(paste <(column identity) <(column identity_wanted) |
            awk '{ print $1 - $2 }')
    check "codes are in, and results still right" \
        expect_exit 0 bench --codes 100 --threads 2 --kernel all
    check "one letter will do" expect_exit 0 bench --length 1,2,3 --identity 0.6,1
    check "so will a band" expect_exit 0 bench --band auto
}

test_forms()
{
    check "a table is for people" expect_exit 0 bench
    check "with a head" grep -q '^ends  *output  *what  *on  *thr  *pairs  *min s' "$out"
    if command -v python3 >/dev/null; then
        bench --json >rows.json
        check "JSON is JSON" python3 -c '
import json
rows = json.load(open("rows.json"))["rows"]
assert sum(not row["peer"] for row in rows) == 4, rows
assert all(row["min_s"] <= row["median_s"] for row in rows if "absent" not in row)'
    fi
}

test_peers()
{
    bench --codes 20 --tsv >rows.tsv
    check "six peers have a row, in every build" \
        test "$(column what | grep -cE '^(parasail|edlib|WFA2)')" -eq 6
    if grep -q 'not in this build' rows.tsv; then
        return
    fi
    check "and a ratio" within 0 1e9 < <(column to_parasail | grep -v NA)
    check "edlib has no other than equal costs" \
        grep -q 'mismatches and gaps cost the same there' <(bench --gap -8)
    check "parasail's 16 bits are not enough for everything" \
        grep -q 'scores leave its 16 bits' <(bench --length 5000 --pairs 1 --runs 1 --ends count)
}

test_input()
{
    "$RIBOGRID" simulate 12 --length 80 -o reads.fa
    bench --input reads.fa --pairs 1000 --tsv --peers off >rows.tsv
    check "all pairs of a file" \
        test "$(column sizes | cut -d x -f 1 | sort -u)" = 66
    printf '>a\nACGT\n' >one.fa
    check "one sequence makes no pair" \
        refused 1 'one.fa: a pair takes two sequences' bench --input one.fa
    check "an absent file" refused 1 'nowhere.fa' bench --input nowhere.fa
}

test_refusals()
{
    check "no gap for nothing" refused 2 '--gap 0: give' bench --gap 0
    check "no list with words" refused 2 '--gap -7,x: give' bench --gap -7,x
    check "no half letters" refused 2 '--length 7.5: give' bench --length 7.5
    check "no identity that chance exceeds" refused 2 '--identity .5: give' bench --identity .5
    check "no unknown kernel" refused 2 'no such kernel' bench --kernel nope
    check "no GPU kernel on a CPU, or none at all" refused 2 '--kernel dscan' \
        bench --kernel dscan
    check "no unknown device" refused 2 '--device gpu: give' bench --device gpu
    check "a match is better than none" refused 2 '--match must be more' \
        bench --match 0 --mismatch 0
    check "one form of output" refused 2 '--json or --tsv' bench --json --tsv
    check "no more words" refused 2 'one word too many' bench reads.fa
}

test_rows
test_forms
test_peers
test_input
test_refusals
finish
