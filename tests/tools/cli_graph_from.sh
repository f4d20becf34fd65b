#!/usr/bin/env bash
#
# cli_graph_from.sh - `ribogrid graph pagerank|components --from OLD.h5` after `graph update`:
# results hold as those of a fresh run, with fewer arcs visited, and what is refused.
. "$(dirname "$0")/../support/shell_test.sh"
data=${RIBOGRID_DATA:-}/graphs

# run_of NAME FILE: an attribute of /run.
run_of()
{
    "$RIBOGRID" info "$2" | awk -F'\t' -v name="$1" '$1 == "run" && $2 == name { print $3 }'
}

# edges N IDS SEED: random edges.
edges()
{
    awk -v n="$1" -v ids="$2" -v seed="$3" 'BEGIN { srand(seed)
        for (i = 0; i < n; i++) { a = int(rand() * ids); b = int(rand() * ids)
            if (a != b) print a, b } }'
}

# update NAME REMOVED ADDED IDS [OPTION...]: NAME.h5 becomes NAME.new.h5, without some of its
# edges and with random ones; the results on the first are NAME.ALGORITHM.h5.
update()
{
    local name=$1 removed=$2 added=$3 ids=$4 algorithm

    shift 4
    "$RIBOGRID" graph update "$name.h5" --add none.txt -q -o "$name.el" --force
    grep -v '^#' "$name.el" | awk -v n="$removed" 'NR % 11 == 3 && k++ < n' >removed.txt
    edges "$added" "$ids" 5 >added.txt
    "$RIBOGRID" graph update "$name.h5" --remove removed.txt --add added.txt -q \
        -o "$name.new.h5" "$@" || return 1
    for algorithm in pagerank components; do
        "$RIBOGRID" graph $algorithm "$name.h5" -q -o "$name.$algorithm.h5" || return 1
    done
}

# as_fresh NAME: each way to begin gives a result that holds, and the same by any kernel.
as_fresh()
{
    local name=$1 way

    "$RIBOGRID" graph components "$name.new.h5" -q --force -o fresh.h5
    check "$name: components" expect_exit 0 "$RIBOGRID" graph components "$name.new.h5" --verify \
        --from "$name.components.h5" --threads 3 -q --force -o got.h5
    check "$name: those of a fresh run" equal fresh.h5 got.h5
    for way in auto cold warm set; do
        check "$name: pagerank, $way" expect_exit 0 "$RIBOGRID" graph pagerank "$name.new.h5" \
            --from "$name.pagerank.h5" --restart $way --verify --kernel serial --force \
            -o "$name.$way.h5"
        check "$name: by three threads, $way" expect_exit 0 "$RIBOGRID" graph pagerank \
            "$name.new.h5" --from "$name.pagerank.h5" --restart $way --threads 3 -q --force \
            -o got.h5
        check "$name: the same ranks, $way" equal "$name.$way.h5" got.h5
    done
}

# fewer NAME WAY PART: a way visits less than that part of a cold run's arcs.
fewer()
{
    local cold way

    cold=$(run_of arcs_visited "$1.cold.h5")
    way=$(run_of arcs_visited "$1.$2.h5")
    echo "$2: $way of $cold"
    [ "$way" -lt $((cold * $3 / 100)) ]
}

test_graphs()
{
    "$RIBOGRID" graph make grid --rows 256 --columns 256 -q -o grid.h5
    check "a grid" update grid 3 6 65536
    as_fresh grid
    check "a working set on a grid" fewer grid set 15
    check "is what is chosen" test "$(run_of arcs_visited grid.set.h5)" -eq \
        "$(run_of arcs_visited grid.auto.h5)"
    check "the run says so" grep -q 'restart auto: [1-9][0-9]* passes over working sets, 1 over' \
        <(run_of decisions grid.auto.h5)
    "$RIBOGRID" graph make rmat --scale 11 -q -o rmat.h5
    check "R-MAT, with new nodes" update rmat 20 40 3000
    as_fresh rmat
    check "from old ranks on R-MAT" fewer rmat auto 115
    edges 3000 2500 9 >directed.txt
    "$RIBOGRID" graph update directed.txt --add none.txt --directed -q -o directed.h5
    check "a directed graph, with new nodes between its own" update directed 40 30 2800
    as_fresh directed
    "$RIBOGRID" graph make rmat --scale 8 -q -o small.h5
    check "mostly new nodes" update small 0 2000 4000
    as_fresh small
    check "equal ranks are chosen" equal small.cold.h5 small.auto.h5
}

# Many components: only those that lost edges are looked at again.
test_components()
{
    edges 3000 9000 4 | sed '1i # Undirected' >many.txt
    "$RIBOGRID" graph update many.txt --add none.txt -q -o many.h5
    check "many components" update many 5 5 9000
    as_fresh many
    "$RIBOGRID" graph components many.new.h5 --from many.components.h5 -q --force -o got.h5
    check "few arcs" test "$(run_of arcs_visited got.h5)" -lt 500
    check "the run says so" grep -q 'restart set: the arcs of [1-9]' <(run_of decisions got.h5)
}

# real NAME FILE OPTION...: a graph of the collection.
real()
{
    local name=$1 file=$data/$2

    shift 2
    [ -r "$file" ] || return
    "$RIBOGRID" graph update "$file" --add none.txt -q "$@" -o "$name.h5"
    check "$name" update "$name" 10 10 30000
    as_fresh "$name"
}

# The graph of the result itself, to a smaller tolerance.
test_unchanged()
{
    check "the same graph" expect_exit 0 "$RIBOGRID" graph pagerank grid.h5 --from \
        grid.pagerank.h5 --tolerance 1e-9 --verify -q -o finer.h5
    "$RIBOGRID" graph pagerank grid.h5 --tolerance 1e-9 -q -o whole.h5
    check "takes fewer iterations" test "$(run_of iterations finer.h5)" -lt \
        "$(run_of iterations whole.h5)"
    check "components of the same graph" expect_exit 0 "$RIBOGRID" graph components grid.h5 \
        --from grid.components.h5 -q -o same.h5
    check "no arcs" test "$(run_of arcs_visited same.h5)" -eq 0
    check "are those" equal grid.components.h5 same.h5
}

test_refused()
{
    "$RIBOGRID" graph update grid.new.h5 --add added.txt -q -o twice.h5
    check "another algorithm" refused 1 'components.h5: it is a result of another algorithm; give' \
        "$RIBOGRID" graph pagerank grid.new.h5 --from grid.components.h5 -o no.h5
    check "another graph" refused 1 'rmat.pagerank.h5: it is a result on another graph; give' \
        "$RIBOGRID" graph pagerank grid.new.h5 --from rmat.pagerank.h5 -o no.h5
    check "a graph that changed twice" refused 1 'it is a result on another graph; give' \
        "$RIBOGRID" graph components twice.h5 --from grid.components.h5 -o no.h5
    check "text, which does not say where it is from" refused 1 'on another graph; give' \
        "$RIBOGRID" graph pagerank directed.txt --from grid.pagerank.h5 -o no.h5
    check "no result" refused 1 'grid.h5: ' "$RIBOGRID" graph pagerank grid.new.h5 \
        --from grid.h5 -o no.h5
    check "another algorithm's option" refused 2 '--from is for pagerank, components, not for bfs' \
        "$RIBOGRID" graph bfs grid.new.h5 --from grid.pagerank.h5 -o no.h5
    check "--restart of components" refused 2 '--restart is for pagerank, not for components' \
        "$RIBOGRID" graph components grid.new.h5 --from grid.components.h5 --restart set -o no.h5
    check "--restart alone" refused 2 '--restart needs --from OLD.h5' \
        "$RIBOGRID" graph pagerank grid.new.h5 --restart set -o no.h5
    check "a divided graph" refused 2 '--from is for whole graphs; leave out --partition on' \
        "$RIBOGRID" graph pagerank grid.new.h5 --from grid.pagerank.h5 --partition on -o no.h5
    check "nothing is written" absent no.h5 no.h5.part
}

printf '# Nodes: 0\n' >none.txt
test_graphs
test_components
real p2p p2p-Gnutella31.txt.gz
real luxembourg luxembourg_osm.edges1.txt.gz
test_unchanged
test_refused
finish
