#!/usr/bin/env bash
#
# cli_bench_automata.sh - `ribogrid-bench automata`: tables of small runs, peers that find the
# same, and what is refused.
. "$(dirname "$0")/../support/shell_test.sh"
printf 'needle\n/^hay.*NEEDLE/i\n[0-9]{3}\nab.*cd[^x]*ef\n' >patterns.txt

bench()
{
    "$RIBOGRID-bench" automata "$@" --device cpu --runs 2
}

# is_table FILE: of results whose times ascend.
is_table()
{
    awk -F '\t' 'NF != 8 { print "columns: " $0; exit 1 }
        NR == 1 { next }
        !($4 > 0 && $4 <= $5 && $5 <= $6 && $7 > 0) { print "times: " $0; exit 1 }
        $8 ~ /differ/ || $8 !~ /^[1-9][0-9]* (matches|patterns)$/ { print "found: " $0; exit 1 }' "$1"
}

test_table()
{
    local kernel

    for kernel in nfa dfa adfa lazy scalar; do
        check "$kernel" expect_exit 0 bench patterns.txt made --bytes 600K --kernel $kernel \
            --threads 2
        check "$kernel: a table" is_table "$out"
        check "$kernel: one thread and two" test "$(grep -c "^$kernel" "$out")" -eq 2
    done
}

test_input()
{
    printf 'hay needle 123, ab cd ef' >input
    check "a file" expect_exit 0 bench patterns.txt input --bytes 24 --threads 1 --no-peers
    check "its matches" grep -q '^nfa.*[[:space:]]4 x 24[[:space:]].*[[:space:]]4 matches$' "$out"
    check "repeated" expect_exit 0 bench patterns.txt input --bytes 48 --threads 1 --no-peers
    check "its matches, too" grep -q '[[:space:]]4 x 48[[:space:]].*[[:space:]]8 matches$' "$out"
    check "no peers" test "$(wc -l <"$out")" -eq 2
}

test_refused()
{
    check "an empty input" expect_exit 1 bench patterns.txt /dev/null
    check "an unknown kernel" expect_exit 2 bench patterns.txt input --kernel none
    check "no input" expect_exit 2 bench patterns.txt
}

test_table
test_input
test_refused
finish
