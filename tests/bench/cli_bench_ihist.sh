#!/usr/bin/env bash
#
# cli_bench_ihist.sh - `ribogrid-bench ihist`: a line per kernel, whose counts are right.
. "$(dirname "$0")/../support/shell_test.sh"

bench=$RIBOGRID-bench
[ -x "$bench" ] || skip "ribogrid-bench is not built"
check "all kernels" expect_exit 0 "$bench" ihist --width 70 --height 45 --bins 5 --runs 1 --kernel all
check "a line each" test "$(cut -f 1 "$out" | xargs)" = "kernel tiled serial"
check "the first kernel" expect_exit 0 "$bench" ihist --width 70 --height 45 --bins 5 --runs 2 --frames 3
check "is the fastest" test "$(cut -f 1 "$out" | xargs)" = "kernel tiled"
check "its size" test "$(cut -f 3 "$out" | sort -u | xargs)" = "70x45x5/64 size"
check "no such device" refused 2 'device gpu' "$bench" ihist --device gpu
check "an odd tile" refused 2 'tile-side: give a multiple of 32' "$bench" ihist --tile-side 33
check "no such kernel" refused 2 'wavefront' "$bench" ihist --kernel wavefront
finish
