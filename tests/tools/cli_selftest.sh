#!/usr/bin/env bash
#
# cli_selftest.sh - `ribogrid selftest` from the outside: every kernel is in its table, and
# none differs.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/shell_test.sh
. "$(dirname "$0")/../support/shell_test.sh"
cd "$tmp" || exit 1

# has REGEX: a line of the last output.
has()
{
    grep -Eq -- "$1" "$out" && return
    echo "no line as /$1/:"
    cat "$out"
    return 1
}

test_table()
{
    local kernel

    check "all is well" expect_exit 0 "$RIBOGRID" selftest
    check "not a word beside the table" silent "$err"
    check "the machine" has '^cpu: .*, [0-9]+ threads$'
    check "the columns" has \
        '^device +kernel +output +ends +band +pairs +GCUPS +result$'
    for output in score identity; do
        for ends in free count query; do
            check "scalar, $output, $ends" has \
                "^cpu +scalar +$output +$ends +off +[1-9][0-9]* +[0-9.]+  ok$"
        done
    done
    "$RIBOGRID" devices | sed -n 's/.*kernels//p' >kernels.txt
    for kernel in $(cat kernels.txt); do
        check "kernel $kernel" has " $kernel +[a-z]+ +[a-z]+ +off +[1-9][0-9]* +[0-9.]+  ok$"
    done
    # shellcheck disable=SC2016  # the dollar is awk's
    check "the last line counts them" \
        awk '/  ok$/ { n++ } END { exit !($0 == n " good, 0 bad") }' "$out"
    check "no colour but on a terminal" refuse_escape
}

refuse_escape()
{
    ! grep -q "$(printf '\033')" "$out"
}

test_usage()
{
    check "one word too many" refused 2 'unexpected argument' "$RIBOGRID" selftest cpu
    check "an unknown option" refused 2 'unknown option --fast' "$RIBOGRID" selftest --fast
    check "--seconds x" refused 2 '--seconds x: give a whole number' \
        "$RIBOGRID" selftest --seconds x
    check "--threads 0" refused 2 '--threads 0: give a whole number' \
        "$RIBOGRID" selftest --threads 0
    check "help" expect_exit 0 "$RIBOGRID" selftest --help
    check "with an example" has '^  ribogrid selftest$'
}

# With sanitizers it takes minutes, and unit tests compare the kernels there.
is_sanitized || test_table
test_usage
finish
