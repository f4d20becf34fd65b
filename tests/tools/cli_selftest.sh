#!/usr/bin/env bash
#
# cli_selftest.sh - `ribogrid selftest`: every kernel is in its table, and none differs.
. "$(dirname "$0")/../support/shell_test.sh"

# has REGEX: a line of the last output matches.
has()
{
    grep -Eq -- "$1" "$out" && return
    echo "no line matches /$1/:"
    cat "$out"
    return 1
}

test_table()
{
    local kernel

    check "every check passes" expect_exit 0 "$RIBOGRID" selftest
    check "no message is printed" silent "$err"
    check "the CPU is listed" has '^cpu: .*, [0-9]+ threads$'
    check "the table has a header" has \
        '^device +kernel +output +ends +band +pairs +GCUPS +result$'
    for output in score identity; do
        for ends in free count query priced local; do
            check "scalar computes $output with ends $ends" has \
                "^cpu +scalar +$output +$ends +off +[1-9][0-9]* +[0-9.]+  ok$"
        done
    done
    "$RIBOGRID" devices | sed -En 's/.*\tkernels([^\t]*).*/\1/p' >kernels.txt
    for kernel in $(cat kernels.txt); do
        check "kernel $kernel is in the table" \
            has " $kernel +[a-z]+ +[a-z]+ +off +[1-9][0-9]* +[0-9.]+  ok$"
    done
    # shellcheck disable=SC2016  # the dollar is awk's
    check "the last line counts the checks" \
        awk '/  ok$/ { n++ } END { exit !($0 == n " good, 0 bad") }' "$out"
    check "there is no colour without a terminal" has_no_escape
}

has_no_escape()
{
    ! grep -q "$(printf '\033')" "$out"
}

test_usage()
{
    check "an argument is refused" refused 2 'unexpected argument' "$RIBOGRID" selftest cpu
    check "an unknown option is refused" \
        refused 2 'unknown option --fast' "$RIBOGRID" selftest --fast
    check "--seconds x is refused" refused 2 '--seconds x: give a number' \
        "$RIBOGRID" selftest --seconds x
    check "--threads 0 is refused" refused 2 '--threads 0: give a whole number' \
        "$RIBOGRID" selftest --threads 0
    check "--help succeeds" expect_exit 0 "$RIBOGRID" selftest --help
    check "--help has an example" has '^  ribogrid selftest$'
}

# With sanitizers it would take minutes; there, unit tests compare the kernels.
is_sanitized || test_table
test_usage
finish
