#!/usr/bin/env bash
#
# cli_bench_mesh.sh - `ribogrid-bench mesh`: a line per step, of a mesh that is verified.
. "$(dirname "$0")/../support/shell_test.sh"

bench=$RIBOGRID-bench
[ -x "$bench" ] || skip "ribogrid-bench is not built"
check "random points" expect_exit 0 "$bench" mesh --device cpu --points 500 --runs 2 --threads 2
check "a line each" test "$(cut -f 1,3 "$out" | xargs)" = "what points triangulate 500 refine 500"
check "triangles" test "$(awk '/^refine/ { print ($4 > 994) }' "$out")" = 1
"$RIBOGRID" mesh make grid --points 100 -q -o grid
check "a file" expect_exit 0 "$bench" mesh grid.poly --device cpu --runs 1 --steiner circumcenter
check "whose triangles are good" test "$(cut -f 3,4 "$out" | sed 1d | xargs)" = "100 162 100 162"
check "a variant for GPUs" refused 2 'variant dpar needs a GPU' "$bench" mesh --device cpu \
    --points 100 --variant dpar
check "all variants" expect_exit 0 "$bench" mesh --device cpu --points 500 --runs 1 --variant all
check "of processors" test "$(sed 1d "$out" | cut -f 9 | uniq | xargs)" = "rounds base"
check "no such file" refused 1 'nonesuch.poly' "$bench" mesh nonesuch.poly
finish
