#!/usr/bin/env bash
#
# cli_bench_sync.sh - `ribogrid-bench sync`: invalid options, and without a GPU the reason;
# with one, a line for each barrier, beside the model, and programs, which compare their
# results with the CPU's.
. "$(dirname "$0")/../support/shell_test.sh"

bench=$RIBOGRID-bench
[ -x "$bench" ] || skip "ribogrid-bench is not built"
check "no such barrier" refused 2 'barrier fence' "$bench" sync --barrier fence
check "half a warp" refused 2 'block-threads' "$bench" sync --block-threads 48
check "no blocks" refused 2 'blocks 0' "$bench" sync --blocks 0
check "no such program" refused 2 'program sort' "$bench" sync --program sort
check "too small a size" refused 2 'from 12 to 24' "$bench" sync --program bitonic --sizes 3
check "a program of nodes that repeat" refused 2 'barrier while-node' \
    "$bench" sync --program fft --barrier while-node
check "sizes of no program" refused 2 'give --program' "$bench" sync --sizes 12
if "$RIBOGRID" devices 2>&1 | grep -q '^cuda:0'; then
    check "rounds" expect_exit 0 "$bench" sync --blocks 1,16 --rounds 1000 --tsv --svg s.svg
    check "each kind" test "$(sed 1d "$out" | cut -f 1 | sort -u | grep -c .)" -ge 9
    check "a model" test "$(sed 1d "$out" | awk '!($6 > 0)' | grep -c .)" = 0
    check "a chart" grep -q '</svg>' s.svg
    for program in fft fft-radix-2 bitonic bitonic-strides sw-naive sw-simple sw-coalesced sw-tiled; do
        case $program in sw-*) sizes=5,9 ;; *) sizes=12,15 ;; esac
        check "$program" expect_exit 0 "$bench" sync --program $program --sizes $sizes --tsv
        check "$program with each kind" test \
            "$(sed 1d "$out" | cut -f 4 | sort -u | grep -c .)" -ge 7
    done
    check "shares" expect_exit 0 "$bench" sync --program sw-tiled --sizes 7 --svg p.svg
    check "a chart of shares" grep -q 'synchronisation' p.svg
else
    check "no GPU" refused 2 'no GPU' "$bench" sync
fi
finish
