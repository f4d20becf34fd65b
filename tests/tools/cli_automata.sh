#!/usr/bin/env bash
#
# cli_automata.sh - `ribogrid automata`: patterns, matches in one record and in lines, what is
# refused, sets that must not blow up, and real sets of patterns.
. "$(dirname "$0")/../support/shell_test.sh"

build=("$RIBOGRID" automata build)
match=("$RIBOGRID" automata match)

# hits FILE: "line:end:number" or "end:number" of each match, in a line.
hits()
{
    "$RIBOGRID" view "$1" | tail -n +2 | awk -F'\t' '{ $NF = ""; gsub(/ +$/, ""); gsub(/ /, ":")
        printf "%s%s", sep, $0; sep = " " }' OFS=' '
}

test_matches()
{
    local kernel

    printf 'needle\n/^hay.*NEEDLE/i\n[0-9]{3}$\n' >patterns.txt
    printf 'hay needle 123\nneedle needle\n12 123' >input
    check "build" expect_exit 0 "${build[@]}" patterns.txt -o a.h5
    check "the input" grep -q 'patterns.txt: 3 patterns with 19 positions, 0 left out' "$err"
    check "the result" grep -q '1 group with [0-9]* states; 0 patterns run as bits' "$err"
    for kernel in nfa dfa lazy scalar; do
        check "$kernel" expect_exit 0 "${match[@]}" a.h5 input -q --force --kernel $kernel -o m.h5
        check "$kernel: one record" test "$(hits m.h5)" = "10:1 10:2 21:1 28:1 35:3"
        check "$kernel: lines" expect_exit 0 "${match[@]}" a.h5 input --lines -q --force \
            --kernel $kernel -o m.h5
        check "$kernel: of each line" test "$(hits m.h5)" = "1:10:1 1:10:2 1:14:3 2:6:1 2:13:1 3:6:3"
    done
    check "info" expect_exit 0 "$RIBOGRID" info m.h5
    check "what was found" grep -q $'^file\tpatterns_found\t3' "$out"
    check "a pipe, compressed" expect_exit 0 "${match[@]}" a.h5 - -q -o p.h5 < <(gzip -c input)
    check "the same" test "$(hits p.h5)" = "10:1 10:2 21:1 28:1 35:3"
    check "an empty input" expect_exit 0 "${match[@]}" a.h5 /dev/null -q -o e.h5
    check "no matches" test -z "$(hits e.h5)"
    check "dot" expect_exit 0 "${build[@]}" patterns.txt -q --force -o a.h5 --dot a.dot
    check "a digraph" grep -q '^digraph' a.dot
}

# Pieces of 256 KiB: what begins in one goes on into the others, whatever the kernel.
test_pieces()
{
    local kernel

    printf 'begin.*end\nbegin[^z]*end\nx{5}y\n' >patterns.txt
    awk 'BEGIN { printf "begin "; for (i = 0; i < 70000; i++) printf "straw %d ", i
                 printf "end zxxxxxy end" }' >input
    "${build[@]}" patterns.txt -q --force -o a.h5
    for kernel in nfa dfa lazy; do
        check "$kernel" expect_exit 0 "${match[@]}" a.h5 input -q --force --kernel $kernel -o m.h5
        check "$kernel: over pieces" test "$(hits m.h5)" = \
            "$(wc -c <input | awk '{ n = $1; printf "%d:1 %d:2 %d:3 %d:1", n - 12, n - 12, n - 4, n }')"
    done
}

# Default transitions: the same matches, over pieces too, and fewer transitions.
test_compressed()
{
    local rule whole=("${match[@]}" c.h5 input -q --force)

    printf 'begin.*end\nbegin[^z]*end\n^straw|[0-9]{5}$\n(a|b)*a(a|b){40}\n' >patterns.txt
    awk 'BEGIN { printf "begin "; for (i = 0; i < 70000; i++) printf "straw %d ", i
                 printf "end zxxxxxy end 12345" }' >input
    "${build[@]}" patterns.txt -q -o c.h5
    "${whole[@]}" -o whole.h5
    for rule in "skip --d 1" "skip --d 3" "within --d 1"; do
        # shellcheck disable=SC2086 # words
        check "$rule" expect_exit 0 "$RIBOGRID" automata compress c.h5 --rule $rule --force -o d.h5
        check "$rule: counts" expect_line '1 group with ([0-9]+) states: [0-9]+ of [0-9]+ trans' \
            "$err"
        # shellcheck disable=SC2016 # of awk
        check "$rule: fewer" awk '/transitions/ { exit !($7 < $9 && $11 < $13) }' "$err"
        check "$rule: match" expect_exit 0 "${match[@]}" d.h5 input -q --force --kernel adfa -o m.h5
        check "$rule: the same" test "$(hits m.h5)" = "$(hits whole.h5)"
    done
    check "other kernels" expect_exit 0 "${match[@]}" d.h5 input -q --force -o m.h5
    check "the same" test "$(hits m.h5)" = "$(hits whole.h5)"
    check "dfa of compressed ones" refused 2 'compressed; give --kernel adfa' \
        "${match[@]}" d.h5 input -q --kernel dfa -o x.h5
    check "adfa of others" refused 2 'not compressed; run .automata compress' \
        "${match[@]}" c.h5 input -q --kernel adfa -o x.h5
    check "compressed twice" refused 1 'd.h5: its automata are compressed' \
        "$RIBOGRID" automata compress d.h5 -o x.h5
    check "info" grep -q $'^file\tcompressed\tyes' <("$RIBOGRID" info d.h5)
}

test_refusals()
{
    printf 'ok\n(a)\\1\na(?=b)\nb*+c\n' >bad.txt
    check "a back-reference" refused 1 \
        'bad.txt:2: column 4: back-references are not supported; correct it, or give --skip' \
        "${build[@]}" bad.txt -o b.h5
    check "no file" absent b.h5
    check "left out" expect_exit 0 "${build[@]}" bad.txt --skip-unsupported -o b.h5
    check "each is listed" test "$(grep -c 'left out' "$err")" = 4
    check "look-around" grep -q 'bad.txt:3: column 2: look-around' "$err"
    check "the count" grep -q '1 pattern .* 3 left out' "$err"
    check "no output" refused 2 'give -o AUTOMATA.h5' "${build[@]}" bad.txt
    check "an allocator of CPUs" refused 2 'allocator is of GPUs; give --device cuda' \
        "${build[@]}" patterns.txt --allocator blocks -o x.h5
    check "no automata" refused 1 'patterns.txt' "${match[@]}" patterns.txt input -o x.h5
    check "another kind of file" refused 1 'm.h5: .*automata build' "${match[@]}" m.h5 input -o x.h5
    check "no such kernel" refused 2 'nothing' "${match[@]}" a.h5 input --kernel nothing -o x.h5
    check "existing output" refused 1 'm.h5 exists' "${match[@]}" a.h5 input -o m.h5
}

# Sets that a careless program blows up on: within seconds, and half a GiB.
test_bombs()
{
    printf '(a|b)*a(a|b){40}\n.{9999}\nabc\n' >bombs.txt
    check "counted repeats" expect_exit 0 "${build[@]}" bombs.txt -q -o bombs.h5
    check "have no groups" test "$("$RIBOGRID" view bombs.h5 | cut -f 3 | xargs)" = "group NA NA 1"
    awk 'BEGIN { for (i = 0; i < 10050; i++) printf "%s", i % 3 ? "a" : "b" }' >ab.txt
    check "they are found" expect_exit 0 "${match[@]}" bombs.h5 ab.txt -q -o ab.h5
    check ".{9999}" test "$("$RIBOGRID" view ab.h5 | awk -F'\t' '$2 == 2' | wc -l)" = 52
    check "the last byte is 41 behind an a" test \
        "$("$RIBOGRID" view ab.h5 | awk -F'\t' '$2 == 1' | wc -l)" = \
        "$(awk '{ for (i = 1; i <= length($0) - 40; i++) n += substr($0, i, 1) == "a"; print n }' ab.txt)"
    awk 'BEGIN { for (i = 0; i < 2^20; i++) printf "%s%x", i ? "|" : "", i }' >long.txt
    check "2^20 alternatives in a pattern" refused 1 'long.txt:1: column 1: the pattern has more than' \
        "${build[@]}" long.txt -o long.h5
    check "nested repeats" refused 1 'column 1: the pattern has more than 16384 positions' \
        "${build[@]}" <(echo '((a{9999}){9999}){9999}') -o long.h5
    is_sanitized || check "a budget beyond memory" refused 1 'memory for 1 automaton of 1000000000 states at a time' \
        bash -c 'ulimit -v 4000000 && exec "$@"' - "${build[@]}" bombs.txt -q -o x.h5 --threads 1 \
        --budget 1000000000 --memory 100G
}

# 16.8 million matches, 270 MB in the log: memory does not grow with them.
test_many()
{
    yes x | head -n 16 >many.txt
    head -c 1048576 /dev/zero | tr '\0' x >many.bin
    "${build[@]}" many.txt -q -o many.h5
    check "many matches" expect_exit 0 bash -c 'ulimit -v 500000 && exec "$@"' - \
        "${match[@]}" many.h5 many.bin --threads 1 --device cpu -o many.m.h5
    check "all of them" grep -q '16777216 matches of 16 patterns' "$err"
    check "their count" grep -q $'^file\tmatches\t16777216' <("$RIBOGRID" info many.m.h5)
}

# Of a group that takes a minute a signal is seen while it is built.
test_stop()
{
    local kernel pid begin code

    printf '(a|b)*a(a|b){22}\n' >long.txt
    for kernel in cpu serial; do
        "${build[@]}" long.txt --budget 100000000 --kernel $kernel -o long.h5 2>stop.txt &
        pid=$!
        until_true 100 test -e long.h5.part
        sleep 0.5
        begin=$(now_ms)
        kill $pid
        code=0
        wait $pid || code=$?
        check "$kernel: stopped" test $code -eq 75
        check "$kernel: at once" test $(($(now_ms) - begin)) -lt 1500
        check "$kernel: may be resumed" grep -q 'run again with --resume' stop.txt
        rm -f long.h5.part
    done
}

# Becchi's automata with their patterns, and ANMLZoo's PowerEN with its input: 3,132 pairs, as
# Hyperscan 5.4 finds them.
test_data()
{
    local data=$RIBOGRID_DATA/regex name

    for name in simple.regex simple.nfa simple_1_1.dfa; do
        check "$name" expect_exit 0 "${build[@]}" "$data/dfage/$name" -q -o "$name.h5"
        check "$name: six states" grep -q $'^file\tstates\t6$' <("$RIBOGRID" info "$name.h5")
        "${match[@]}" "$name.h5" "$data/dfage/simple.input" -q -o "$name.m.h5"
        check "$name: the same matches" test "$(hits "$name.m.h5")" = "$(hits simple.regex.m.h5)"
    done
    is_sanitized && return
    # the first quarter of them, at night all
    local patterns=700 want='1316 matches of 92 patterns'
    [ "${RIBOGRID_PATTERNS:-}" = all ] && patterns=2860 want='3132 matches of 142 patterns'
    head -n $patterns "$data/anmlzoo_poweren.regex" >pe.regex
    check "PowerEN" expect_exit 0 "${build[@]}" pe.regex -q -o pe.h5
    for kernel in nfa lazy; do
        check "PowerEN: $kernel" expect_exit 0 "${match[@]}" pe.h5 \
            "$data/anmlzoo_poweren_1MB.input.gz" --force --kernel $kernel -o pe.m.h5
        check "PowerEN: $kernel, all pairs" grep -q "$want" "$err"
    done
}

test_matches
test_pieces
test_compressed
test_refusals
test_bombs
test_stop
[ "${RIBOGRID_PATTERNS:-}" = all ] && test_many
[ -r "${RIBOGRID_DATA:-}/regex/dfage/simple.nfa" ] && test_data
finish
