#!/usr/bin/env bash
#
# cli_align_usage.sh - command lines of `ribogrid align` that are refused; the help of every
# command, and options that print more or less.
. "$(dirname "$0")/../support/shell_test.sh"
golden=$here/golden
mixed=$golden/mixed.fa

# nothing_left CODE REGEX ARGUMENT...: align refuses the arguments and leaves no n.h5*.
nothing_left()
{
    local code=$1 regex=$2

    shift 2
    refused "$code" "$regex" "$RIBOGRID" align "$@" && absent n.h5 n.h5.tmp-* n.h5.part
}

test_usage()
{
    # shellcheck disable=SC2016  # these are the program's back quotes
    local usage='see `ribogrid align --help`$'

    check "no input" nothing_left 2 "$usage" -o n.h5
    check "no output" nothing_left 2 "give -o.*$usage" "$mixed"
    check "a file twice" nothing_left 1 "mixed.fa is given twice" "$mixed" "$mixed" -o n.h5
    check "-o -" nothing_left 2 "stdout.*$usage" "$mixed" -o -
    check "-o without a value" nothing_left 2 "needs a value.*$usage" "$mixed" -o
    check "unknown option" nothing_left 2 "unknown option --frce; did you mean --force?.*$usage" "$mixed" -o \
        n.h5 \
        --frce
    check "unknown short option" nothing_left 2 "unknown option -x.*$usage" "$mixed" -o \
        n.h5 -x
    check "flag with a value" nothing_left 2 "takes no value.*$usage" "$mixed" -o n.h5 \
        --force=1
    check "--force --resume" nothing_left 2 "not both.*$usage" "$mixed" -o n.h5 \
        --force --resume
    check "unknown kernel" nothing_left 2 "no such kernel.*$usage" "$mixed" -o n.h5 \
        --kernel fast
    check "unknown device" nothing_left 2 "--device tpu.*$usage" "$mixed" -o n.h5 \
        --device tpu
    check "kernel on the wrong device" nothing_left 2 "does not run on.*$usage" "$mixed" \
        -o n.h5 --kernel scalar --device cuda
    check "--match = --mismatch" nothing_left 2 "--match must be more" "$mixed" -o n.h5 \
        --match -1 --mismatch -1
    check "--match < --mismatch" nothing_left 2 "--match must be more" "$mixed" -o \
        n.h5 --match -6
    for gap in 0 1 -1000001 7.5 -7x '' 99999999999999999999; do
        check "--gap '$gap'" nothing_left 2 "--gap .*: give a number.*$usage" \
            "$mixed" \
            -o n.h5 --gap "$gap"
    done
    for fraction in 1.1 -0.5 x '' . 0.5.5 5e-1; do
        check "--min-overlap '$fraction'" nothing_left 2 \
            "--min-overlap .*: give a decimal.*$usage" \
            "$mixed" -o n.h5 --min-overlap "$fraction"
    done
    check "--min-overlap 50 is percent" nothing_left 2 \
        "--min-overlap 50: give a decimal from 0 to 1; did you mean 0.5[?]" "$mixed" \
        -o n.h5 --min-overlap 50
    check "a result above --max-output: sizes have units" nothing_left 1 \
        'make 384 bytes of .* more than --max-output, 100 bytes; raise it' "$mixed" \
        -o n.h5 --max-output 100
    for size in -1 x 1Q 1KB 99999999T ''; do
        check "--max-output '$size'" nothing_left 2 \
            "--max-output .*: give bytes.*$usage" \
            "$mixed" -o n.h5 --max-output "$size"
    done
    for n in 0 -1 4097 two; do
        check "--threads $n" nothing_left 2 "--threads $n: give.*$usage" "$mixed" -o \
            n.h5 --threads $n
    done
    for option in emit ends ambiguity; do
        check "--$option x" nothing_left 2 "--$option x: give one of.*$usage" "$mixed" \
            -o n.h5 --$option x
        check "--$option ''" nothing_left 2 "--$option : give one of.*$usage" "$mixed" \
            -o n.h5 --$option ''
    done
    for option in memory device-memory; do
        check "--$option 100" nothing_left 2 "--$option of 100 bytes: give .*M or more.*$usage" \
            "$mixed" -o n.h5 --$option 100
        check "--$option x" nothing_left 2 "--$option x: give bytes.*$usage" "$mixed" \
            -o n.h5 --$option x
    done
    check "--device-memory with --device cpu" nothing_left 2 "--device is cpu.*$usage" \
        "$mixed" \
        -o n.h5 --device-memory 1G --device cpu
    check "--device-memory with a kernel for CPUs" nothing_left 2 \
        "--device is cpu.*$usage" \
        "$mixed" -o n.h5 --device-memory 1G --kernel scalar
    check "--matrix with --match" nothing_left 2 "--matrix replaces --match" "$mixed" -o \
        n.h5 \
        --matrix "$golden/hand.matrix" --match 4
    check "--matrix with --ambiguity" nothing_left 2 "--matrix replaces --match" \
        "$mixed" -o \
        n.h5 \
        --matrix "$golden/hand.matrix" --ambiguity match
    check "--min-overlap with --ends count" nothing_left 2 \
        "only to identities with --ends free or --end-gap-open" "$mixed" -o n.h5 \
        --min-overlap 0.5 --ends count
    check "unknown command" refused 2 "unknown command 'algin'; did you mean align?" "$RIBOGRID" algin
    check "no command: the help, as an error" expect_exit 2 "$RIBOGRID"
    for group in cnn graph classify; do
        check "$group alone: its help, as an error" expect_exit 2 "$RIBOGRID" $group
        check "... of all of it" cmp -s "$err" <("$RIBOGRID" help $group)
    done
    check "an unknown command of a group" refused 2 "unknown command 'trian'; did you mean train?" \
        "$RIBOGRID" cnn trian
    check "a command that is another program" refused 2 'a program of its own: ribogrid-bench' \
        "$RIBOGRID" bench align
    check "a misspelt kernel" nothing_left 2 "no such kernel in this build; did you mean simd?" \
        "$mixed" -o n.h5 --kernel simdd
    check "a misspelt algorithm" refused 2 "'bsf'; did you mean bfs?" "$RIBOGRID" graph bsf x -o y
    check "a misspelt graph" refused 2 "or tree; did you mean rmat?" "$RIBOGRID" graph make rmt -o y
    check "a misspelt network" refused 1 "kmer-lenet; did you mean lenet?" "$RIBOGRID" cnn plan lenett
}

ends_with_example()
{
    expect_exit 0 "$@" --help && silent "$err" && tail -n 2 "$out" | head -n 1 | grep \
        -qx 'example:' &&
        tail -n 1 "$out" | grep -q '^  ribogrid '
}

# options_are_accepted COMMAND: all options of its help, with a value if they take one.
options_are_accepted()
{
    local option value words=()

    # shellcheck disable=SC2086 # a command may be two words
    "$RIBOGRID" $1 --help |
        sed -En 's/^  (-[a-z]), (--[a-z0-9-]+) ?([^ ]*).*/\1 \3\n\2 \3/p
                 s/^      (--[a-z0-9-]+) ?([^ ]*).*/\1 \2/p' >options.txt
    while read -r option value; do
        case $option:$value in
        -h:* | --help:*) continue ;; # ends the line
        --gap:N) value=-4 ;;
        --gaps:N) value=1 ;;
        --tile-side:N) value=32 ;;
        *:N | *:K | *:COST | *:SECONDS) value=4 ;;
        *:FRACTION*) value=0.5 ;;
        *:S | *:X | *:PERCENT | *:ANGLE | *:AREA | *:E) value=10 ;;
        *:SIZE | *:SIZE,...) value=1G ;;
        *) value=${value%%|*} ;;
        esac
        words+=("$option" ${value:+"$value"})
    done <options.txt
    [ ${#words[@]} -gt 0 ] || return 1
    # --help exits 0 only if the parser accepts all options before it
    # shellcheck disable=SC2086 # a command may be two words
    expect_exit 0 "$RIBOGRID" $1 "${words[@]}" --help
}

test_help()
{
    check "--help" ends_with_example "$RIBOGRID"
    check "--version" expect_exit 0 "$RIBOGRID" --version
    check "version is the same" same "$out" <("$RIBOGRID" version)
    check "help COMMAND is COMMAND --help" same <("$RIBOGRID" help view) <("$RIBOGRID" view --help)
    check "also of two words" same <("$RIBOGRID" help graph make) <("$RIBOGRID" graph make --help)
    check "help of what is no command" refused 2 "unknown command 'views'" "$RIBOGRID" help views
    check "help of three words" refused 2 "unexpected argument 'x'" "$RIBOGRID" help graph make x
    check "help of a word before others" ends_with_example "$RIBOGRID" cnn
    "$RIBOGRID" help --commands >commands.txt
    while read -r command; do
        # shellcheck disable=SC2086 # a command may be two words
        check "$command --help ends with an example" ends_with_example "$RIBOGRID" \
            $command </dev/null
        check "$command accepts the options of its help" options_are_accepted "$command"
    done <commands.txt
    check "all commands are listed" test "$(wc -l <commands.txt)" -ge 19
    check "-q is silent" expect_exit 0 "$RIBOGRID" align "$mixed" -q -o quiet.h5
    check "nothing on stderr" silent "$err"
    check "nothing on stdout" silent "$out"
    check "-v prints more" expect_exit 0 "$RIBOGRID" align "$mixed" -v -o verbose.h5
    check "-v prints the parts of the start and of the end" test \
        "$(grep -Ec '(started|ended) in [0-9.]+ s: [a-z ]+ [0-9.]+, ' "$err")" -eq 2
    check "-v prints a line about the rank" grep -q 'rank=0 .*tiles=' "$err"
    check "nothing on stdout" silent "$out"
    check "--recompute checks every tile" expect_exit 0 "$RIBOGRID" align "$mixed" -q --force \
        -o checked.h5 --recompute 100
    check "--recompute finds nothing" silent "$err"
    check "--recompute does not change the result" same <("$RIBOGRID" view quiet.h5) \
        <("$RIBOGRID" view checked.h5)
    check "fewer ranks than --redundancy" refused 2 \
        '--redundancy 2: there is only 1 rank; start more, or give --recompute' \
        "$RIBOGRID" align "$mixed" -o none.h5 --redundancy 2
    check "--verify still works" expect_exit 0 "$RIBOGRID" align "$mixed" --force \
        -o checked.h5 --verify 100
    check "with a warning" test "$(grep -c -- '--verify is now --recompute;' "$err")" -eq 1
    check "--redundancy and --recompute" refused 2 'leave out --recompute' \
        "$RIBOGRID" align "$mixed" -o none.h5 --redundancy 2 --recompute 5
    check "--recompute and --top" refused 2 '--recompute does not go with --top' "$RIBOGRID" \
        align "$mixed" --against "$mixed" --top 1 -o none.h5 --recompute 5
}

test_usage
test_help
finish
