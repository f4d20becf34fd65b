#!/usr/bin/env bash
#
# cli_bench_device.sh - `ribogrid-bench device`: invalid options, an end that does not answer,
# and a row for each number of messages and size, beside the model.
. "$(dirname "$0")/../support/shell_test.sh"

bench=$RIBOGRID-bench
[ -x "$bench" ] || skip "ribogrid-bench is not built"
check "no buffers" refused 2 'buffers 0: give' "$bench" device --buffers 0
check "sizes that fall" refused 2 'sizes: give 1 to 1G, in ascending order' \
    "$bench" device --sizes 2K,1K
check "another program" expect_exit 1 timeout 20 "$bench" device --through true
check "as a line says" grep -q 'true: the other end does not answer' "$err"
check "an end that sends what is none" expect_exit 1 timeout 20 "$bench" device \
    --through 'echo Welcome to gpu.lab; cat >/dev/null'
check "a table" expect_exit 0 "$bench" device --sizes 1,64K --buffers 1,3 --seconds 0.05
check "with the model" grep -q '^model, down: ' "$out"
check "as numbers" expect_exit 0 "$bench" device --sizes 1K,64K --buffers 1,3 --seconds 0.05 \
    --tsv --svg d.svg --through "'$bench' device --echo"
check "a row for each" test "$(grep -cP '^(up|down)\t[13]\t(1024|65536)\t[0-9]' "$out")" = 8
check "a chart" grep -q '</svg>' d.svg
finish
