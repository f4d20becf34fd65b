#!/usr/bin/env bash
#
# cli_bench.sh - `ribogrid bench` and `ribogrid bench dispatch` from the outside: small
# runs, what they print, and what is refused.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/shell_test.sh
. "$(dirname "$0")/../support/shell_test.sh"
cd "$tmp" || exit 1
export TMPDIR=$tmp
bench=("$RIBOGRID" bench dispatch --folder "$tmp" --tile-bytes 20000)

# The value in a column of a row of $out: value NAME [ROW]
value()
{
    awk -F '\t' -v name="$1" -v row="${2:-1}" \
        'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
         NR == row + 1 { print $at }' "$out"
}

# holds EXPRESSION: true in awk.
holds()
{
    awk "BEGIN { exit !($1) }" || { echo "not so: $1"; false; }
}

no_logs()
{
    absent "$tmp"/ribogrid-bench-*
}

is_json()
{
    python3 -c '
import json, sys
rows = json.load(open(sys.argv[1]))
assert [r["ranks"] for r in rows] == [1, 2, 4, 5], rows
assert all(0 < r["utilization"] <= 1.2 for r in rows), rows
assert all(r["limit"] in ("store", "dispatcher", "link") for r in rows), rows
' "$1"
}

test_dispatch()
{
    check "a small run" expect_exit 0 "${bench[@]}" --ranks 8 --sequences 3000
    check "one row under the names" test "$(wc -l <"$out")" = 2
    check "as many fields as names" \
        test "$(awk -F '\t' '{ print NF }' "$out" | uniq | wc -l)" = 1
    check "it tells the ranks" test "$(value ranks)" = 8
    check "it tells the tiles" test "$(value tiles)" = 300
    check "it tells the bytes" test "$(value tile_bytes)" = 20000
    check "every worker has worked" test "$(value unused)" = 0
    check "workers are used well" holds "$(value utilization) > 0.5"
    check "rank 0 has something to do" holds "$(value rank0_load) > 0"
    check "where rank 0 is saturated is said" expect_line 'saturated at about' "$err"
    check "no log stays" no_logs
    check "real results in a real log" expect_exit 0 \
        "${bench[@]}" --ranks 4 --sequences 3000 --store real
    check "no real log stays" no_logs
    check "a packed tile is the default" expect_exit 0 \
        "$RIBOGRID" bench dispatch --ranks 2 --sequences 1000
    check "which has a size" holds "$(value tile_bytes) > 1000"
}

test_limits()
{
    check "a slow log is the limit" expect_exit 0 \
        "${bench[@]}" --ranks 64 --sequences 6000 --store-rate 100K
    check "and is named" test "$(value limit)" = store
    check "and rank 0 waits for it" holds "$(value store_busy) > 0.99"
    check "and workers do" holds "$(value utilization) < 0.5"
    check "a slow link is the limit" expect_exit 0 \
        "${bench[@]}" --ranks 64 --sequences 6000 --store-rate 1T --bandwidth 100K
    check "and is named, too" test "$(value limit)" = link
    check "slow messages are the limit" expect_exit 0 \
        "${bench[@]}" --ranks 64 --sequences 6000 --store-rate 1T --message-ns 100000000
    check "and are named, too" test "$(value limit)" = dispatcher
}

test_sweep()
{
    check "a sweep, as JSON, with a figure" expect_exit 0 "${bench[@]}" --ranks 5 --sweep \
        --sequences 2000 --json --svg x.svg
    check "JSON of 1, 2, 4, 5 ranks" is_json "$out"
    check "the figure is XML" python3 -c \
        'import xml.dom.minidom as m; m.parse("x.svg")'
    check "with three curves" test "$(grep -c '<polyline' x.svg)" = 3
}

test_help()
{
    check "bench --help" expect_exit 0 "$RIBOGRID" bench --help
    check "names dispatch" grep -q '^  dispatch ' "$out"
    check "bench dispatch --help" expect_exit 0 "$RIBOGRID" bench dispatch --help
    check "names --sweep" grep -q -- '--sweep' "$out"
}

test_usage()
{
    check "bench of nothing" refused 2 'give BENCHMARK' "$RIBOGRID" bench
    check "bench of something else" refused 2 "unknown benchmark 'x'" "$RIBOGRID" bench x
    check "no ranks" refused 2 '--ranks 0: give a whole number' "${bench[@]}" --ranks 0
    check "words" refused 2 'unexpected argument' "${bench[@]}" 4
    check "an unknown option" refused 2 'unknown option --rank' "${bench[@]}" --rank 4
    check "a share above 1" refused 2 '--jitter 2' "${bench[@]}" --jitter 2
    check "another store" refused 2 'one of measured.real' "${bench[@]}" --store none
    check "no bandwidth" refused 2 'nothing would arrive' "${bench[@]}" --bandwidth 0
    check "one sequence" refused 2 'no pair' "${bench[@]}" --sequences 1
    check "too large a log" refused 2 'more than --max-log' \
        "${bench[@]}" --ranks 4 --sequences 3000 --store real --max-log 1M
    check "no such folder" refused 1 '/none/' \
        "$RIBOGRID" bench dispatch --ranks 2 --folder "$tmp/none"
    check "no place for the figure" expect_exit 1 \
        "${bench[@]}" --ranks 2 --sequences 1000 --svg "$tmp/none/x.svg"
}

test_dispatch
test_limits
test_sweep
test_help
test_usage
finish
