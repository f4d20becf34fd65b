#!/usr/bin/env bash
#
# cli_bench_graph.sh - `ribogrid-bench graph`: tables, TSV and the heat map of small runs, and
# what is refused.
. "$(dirname "$0")/../support/shell_test.sh"
algorithms='bfs sssp pagerank betweenness spmv components mst mis coloring triangles'

# bench GRAPH OPTION...: on the CPU, as short as possible.
bench()
{
    "$RIBOGRID-bench" graph "$@" --device cpu --runs 2
}

# has N REGEX FILE: N lines match.
has()
{
    [ "$(grep -Ec -- "$2" "$3")" -eq "$1" ] && return
    echo "not $1 lines as /$2/:"
    cat "$3"
    return 1
}

is_table()
{
    awk -F '\t' 'NR == 1 { n = NF; next }
        NF != n || n != 15 { print "columns: " $0; exit 1 }
        !($8 > 0 && $8 <= $9 && $9 <= $10 && $11 > 0) { print "times: " $0; exit 1 }
        $2 == "serial" && $14 != 1 { print "speed-up: " $0; exit 1 }
        $15 > 1 || $15 <= 0 { print "of the best: " $0; exit 1 }' "$1"
}

test_tables()
{
    local algorithm

    check "a table" expect_exit 0 bench rmat:7 --threads 1,2
    check "its head" has 1 '^rmat:7: 128 nodes, [0-9,]+ arcs, undirected, degrees up to' "$out"
    check "and the reference" has 1 '; compared with serial$' "$out"
    check "another reference" expect_exit 0 bench rmat:7 --algorithm bfs --reference cpu
    check "is named" has 1 '; compared with cpu$' "$out"
    check "a table" expect_exit 0 bench rmat:7 --threads 1,2
    check "a row for each algorithm and setting" has 30 '^(serial|cpu-1|cpu-2) ' "$out"
    check "TSV" expect_exit 0 bench rmat:7:4 --tsv --threads 2
    check "TSV: columns, ordered times, ratios" is_table "$out"
    for algorithm in $algorithms; do
        check "TSV: $algorithm" has 2 "^$algorithm	(serial|cpu-2)	rmat:7:4	128	" "$out"
    done
    check "some algorithms and settings" expect_exit 0 bench rmat:7 --tsv --algorithm mst,bfs \
        --setting cpu-1 --threads 1
    check "are two results" has 2 '^(bfs|mst)	cpu-1	' "$out"
    check "and no others" test "$(wc -l <"$out")" -eq 3
    check "--seconds 0" expect_exit 0 bench rmat:7 --algorithm bfs --seconds 0
    check "measures once" has 1 '^0 runs: the run to warm up took longer' "$out"
}

test_graphs()
{
    local graph

    for graph in grid:5:7=35 grid:6=36 road:50=50 tree:3:4=21 same.txt=3; do
        check "$graph nodes" expect_exit 0 bench "${graph%=*}" --tsv --algorithm bfs
        check "$graph nodes: their number" has 2 "^bfs	.*	${graph%=*}	${graph#*=}	" "$out"
    done
    check "--directed" expect_exit 0 bench same.txt --directed --algorithm bfs,triangles
    check "leaves out algorithms on undirected graphs" grep -q \
        'triangles is left out: .* has no kernel for it on this graph' "$err"
    check "too many paths" expect_exit 0 bench grid:600 --algorithm betweenness,components \
        --sources 1 --tsv
    check "leaves out betweenness" grep -q 'betweenness is left out' "$err"
    check "and measures others" has 2 '^components	' "$out"
    check "weights of a file" expect_exit 0 bench same.txt --algorithm sssp --source 1
    check "another source" expect_exit 0 bench same.txt --algorithm sssp --source random
}

test_chart()
{
    check "a heat map" expect_exit 0 bench rmat:6 --algorithm bfs,mst --svg map.svg
    check "has a cell per result" has 4 '^<g data-algorithm="(bfs|mst)" data-setting="' map.svg
    if command -v python3 >/dev/null; then
        check "is XML" python3 -c 'import xml.etree.ElementTree as e; e.parse("map.svg")'
    fi
    check "it is kept" refused 1 'map.svg exists' bench rmat:6 --svg map.svg
    check "--force" expect_exit 0 bench rmat:6 --algorithm bfs --svg map.svg --force
    check "is drawn again" has 2 '^<g data-algorithm' map.svg
    check "the input is kept" refused 2 'same.txt is an input' bench same.txt --svg same.txt \
        --force
}

test_refused()
{
    check "no graph" refused 2 'missing argument' "$RIBOGRID-bench" graph
    check "a missing file" refused 1 'cannot read none.txt' bench none.txt
    check "a kind without a size" refused 2 'rmat:x: give rmat:SCALE' bench rmat:x
    check "a size out of range" refused 2 'rmat:99: give rmat:SCALE' bench rmat:99
    check "a word too many" refused 2 'road:5:5: give rmat:SCALE' bench road:5:5
    check "an unknown algorithm" refused 2 '--algorithm bfs,dfs: give' bench rmat:6 \
        --algorithm bfs,dfs
    check "an unknown setting" refused 2 '--setting gpu: choose from serial cpu-[0-9]+;' bench \
        rmat:6 --setting gpu
    check "--threads 0" refused 2 '--threads 0: give' bench rmat:6 --threads 0
    check "--seconds x" refused 2 '--seconds x: give' bench rmat:6 --seconds x
    check "--weights x" refused 2 '--weights x: give' bench rmat:6 --weights x
    check "--source x" refused 2 '--source x: give' bench rmat:6 --source x
    check "no such source" expect_exit 1 bench same.txt --algorithm bfs --source 99
    check "no such source: a message" expect_line 'there is no node 99' "$err"
    check "no edges" refused 1 'nothing.mtx has no edges' bench nothing.mtx
    check "an unknown device" refused 2 '--device gpu: give' "$RIBOGRID-bench" graph rmat:6 \
        --device gpu
    check "no such GPU" refused 1 '--device cuda:77: not found' "$RIBOGRID-bench" graph rmat:6 \
        --device cuda:77
}

has_children()
{
    [ -n "$(children "$1")" ]
}

# A damaged file crashes HDF5: here a signal does it.
test_child()
{
    local parent child

    check "a graph in HDF5" expect_exit 0 "$RIBOGRID" graph make rmat --scale 17 -q -o graph.h5
    check "is measured" expect_exit 0 bench graph.h5 --algorithm bfs --setting serial --tsv
    check "as such" has 1 '^bfs	serial	graph.h5	131072	' "$out"
    if is_sanitized; then
        return
    fi
    "$RIBOGRID-bench" graph graph.h5 --device cpu --algorithm bfs 2>"$err" >/dev/null &
    parent=$!
    check "HDF5 is read in a child" until_true 100 has_children $parent
    child=$(children $parent)
    kill -s SEGV "$child"
    wait $parent
    check "a crash: exit 1" test $? -eq 1
    check "a crash: one line" expect_line \
        '(graph.h5|the command): reading it ended in a crash.*signal 11.*the file is damaged' "$err"
}

printf '1 2 7\n2 3 1\n3 1 4\n' >same.txt
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 3 0\n' >nothing.mtx
test_tables
test_graphs
test_chart
test_child
test_refused
finish
