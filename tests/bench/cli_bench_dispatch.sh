#!/usr/bin/env bash
#
# cli_bench_dispatch.sh - `ribogrid-bench` and `ribogrid-bench dispatch`: output of small runs, and
# refused options.
. "$(dirname "$0")/../support/shell_test.sh"
export TMPDIR=$tmp
bench=("$RIBOGRID-bench" dispatch --folder "$tmp" --tile-bytes 20000)

# value NAME [ROW]: print the value in a column and row of $out.
value()
{
    awk -F '\t' -v name="$1" -v row="${2:-1}" \
        'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
         NR == row + 1 { print $at }' "$out"
}

# holds EXPRESSION: an awk expression is true.
holds()
{
    awk "BEGIN { exit !($1) }" || { echo "not so: $1"; false; }
}

no_logs()
{
    absent "$tmp"/ribogrid-bench-*
}

test_dispatch()
{
    check "a small run succeeds" expect_exit 0 "${bench[@]}" --ranks 8 --sequences 3000
    check "it prints one row below the names" test "$(wc -l <"$out")" = 2
    check "every row has as many fields as there are names" \
        test "$(awk -F '\t' '{ print NF }' "$out" | uniq | wc -l)" = 1
    check "it prints the ranks" test "$(value ranks)" = 8
    check "it prints the tiles" test "$(value tiles)" = 300
    check "it prints the bytes" test "$(value tile_bytes)" = 20000
    check "every worker is used" test "$(value unused)" = 0
    check "workers are busy more than half of the time" holds "$(value utilization) > 0.5"
    check "rank 0 has something to do" holds "$(value rank0_load) > 0"
    check "a message names the limit of rank 0" expect_line 'saturated at about' "$err"
    check "the log is removed" no_logs
    check "--store real succeeds" expect_exit 0 \
        "${bench[@]}" --ranks 4 --sequences 3000 --store real
    check "its log is removed" no_logs
    check "a run with a packed tile succeeds" expect_exit 0 \
        "$RIBOGRID-bench" dispatch --ranks 2 --sequences 1000
    check "the packed tile has a size" holds "$(value tile_bytes) > 1000"
}

test_limits()
{
    check "a run with a slow log succeeds" expect_exit 0 \
        "${bench[@]}" --ranks 64 --sequences 6000 --store-rate 100K
    check "the log is named as the limit" test "$(value limit)" = store
    check "the log is always busy" holds "$(value store_busy) > 0.99"
    check "workers wait for the log" holds "$(value utilization) < 0.5"
    check "a run with a slow link succeeds" expect_exit 0 \
        "${bench[@]}" --ranks 64 --sequences 6000 --store-rate 1T --bandwidth 100K
    check "the link is named as the limit" test "$(value limit)" = link
    check "a run with slow messages succeeds" expect_exit 0 \
        "${bench[@]}" --ranks 64 --sequences 6000 --store-rate 1T --message-ns 100000000
    check "the dispatcher is named as the limit" test "$(value limit)" = dispatcher
}

test_sweep()
{
    check "a sweep with SVG succeeds" \
        expect_exit 0 "${bench[@]}" --ranks 5 --sweep \
        --sequences 2000 --svg x.svg
    check "it has 1, 2, 4 and 5 ranks" \
        test "$(tail -n +2 "$out" | cut -f 1 | tr '\n' ' ')" = '1 2 4 5 '
    check "the SVG is XML" python3 -c \
        'import xml.dom.minidom as m; m.parse("x.svg")'
    check "the SVG has three curves" test "$(grep -c 'class="series"' x.svg)" = 3
}

test_help()
{
    check "--help succeeds" expect_exit 0 "$RIBOGRID-bench" --help
    check "--help lists dispatch" grep -q '^  dispatch ' "$out"
    check "dispatch --help succeeds" expect_exit 0 "$RIBOGRID-bench" dispatch --help
    check "dispatch --help lists --sweep" grep -q -- '--sweep' "$out"
}

test_usage()
{
    check "a missing benchmark is refused" expect_exit 2 "$RIBOGRID-bench"
    check "... by what --help prints" grep -q '^usage: ribogrid-bench COMMAND' "$err"
    check "an unknown benchmark is refused" refused 2 \
        "^ribogrid-bench: unknown command 'x'; .ribogrid-bench --help. lists" "$RIBOGRID-bench" x
    check "--ranks 0 is refused" \
        refused 2 '--ranks 0: give a whole number' "${bench[@]}" --ranks 0
    check "an argument is refused" refused 2 'unexpected argument' "${bench[@]}" 4
    check "an unknown option is refused" \
        refused 2 'unknown option --rank; did you mean --ranks.; see .ribogrid-bench dispatch --help.$' "${bench[@]}" --rank 4
    check "a fraction above 1 is refused" refused 2 '--jitter 2' "${bench[@]}" --jitter 2
    check "an unknown --store is refused" \
        refused 2 'one of measured.real' "${bench[@]}" --store none
    check "--bandwidth 0 is refused" \
        refused 2 'nothing would arrive' "${bench[@]}" --bandwidth 0
    check "--sequences 1 is refused" refused 2 'no pair' "${bench[@]}" --sequences 1
    check "a log above --max-log is refused" refused 2 \
        'would write [0-9.]* MiB, more than --max-log, 1 MiB; ' \
        "${bench[@]}" --ranks 4 --sequences 3000 --store real --max-log 1M
    check "a missing folder is reported" refused 1 '/none/' \
        "$RIBOGRID-bench" dispatch --ranks 2 --folder "$tmp/none"
    check "an unwritable SVG fails" expect_exit 1 \
        "${bench[@]}" --ranks 2 --sequences 1000 --svg "$tmp/none/x.svg"
}

test_dispatch
test_limits
test_sweep
test_help
test_usage
finish
