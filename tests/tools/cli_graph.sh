#!/usr/bin/env bash
#
# cli_graph.sh - `ribogrid graph`: results by hand, verified results of every algorithm,
# similarity graphs against `cluster` and scipy, and what is refused.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
algorithms='bfs sssp pagerank betweenness spmv components mst mis coloring triangles'

# graph ALGORITHM GRAPH OPTION...: write x.h5.
graph()
{
    "$RIBOGRID" graph "$@" --force -q -o x.h5
}

# gives WANT ALGORITHM GRAPH OPTION...: view prints these lines, each as "a b c,".
gives()
{
    local want=$1

    shift
    expect_exit 0 graph "$@" --verify && silent "$err" || return 1
    "$RIBOGRID" view --no-header x.h5 | tr '\t\n' ' ,' >got.txt
    [ "$(cat got.txt)" = "$want" ] && return
    echo "not $want:"
    cat got.txt
    return 1
}

# A square 10-20-30-40 with a tail 40-700 and a pair 5-6; weights as in the third column.
make_square()
{
    printf '# Undirected graph\r\n# a comment\r\n'
    printf '10\t20\t4\r\n20 30 1\r\n30\t40\t1\r\n40 10 7\r\n40 700 0\r\n6 5 2\r\n'
}

test_by_hand()
{
    make_square >square.txt
    check "bfs: depths, and the smallest parents" gives \
        '5 -1 -1,6 -1 -1,10 0 10,20 1 10,30 2 20,40 1 10,700 2 40,' \
        bfs square.txt --source 10
    check "bfs: the header names the columns" test \
        "$("$RIBOGRID" view x.h5 | head -n 1)" = "$(printf 'id\tdepth\tparent')"
    check "sssp" gives '5 -1,6 -1,10 0,20 4,30 5,40 6,700 6,' sssp square.txt --source 10
    check "sssp without weights" gives '5 -1,6 -1,10 0,20 1,30 2,40 1,700 2,' \
        sssp square.txt --source 10 --weights unit
    check "sssp of two sources" gives \
        '5 5 0,5 6 2,6 5 2,6 6 0,' sssp pair.txt --sources 2
    check "components are named by their smallest ids" gives \
        '5 5,6 5,10 10,20 10,30 10,40 10,700 10,' components square.txt
    check "mst leaves out the heaviest edge of the cycle" gives \
        '5 6 2,10 20 4,20 30 1,30 40 1,40 700 0,' mst square.txt
    check "mst: its header" test \
        "$("$RIBOGRID" view x.h5 | head -n 1)" = "$(printf 'source\ttarget\tweight')"
    check "mis takes small ids first" gives '5 1,6 0,10 1,20 0,30 1,40 0,700 1,' mis \
        square.txt
    check "coloring takes large degrees first" gives \
        '5 0,6 1,10 1,20 0,30 1,40 0,700 1,' coloring square.txt
    check "triangles" gives '1 1,2 1,3 1,4 0,' triangles triangle.txt --symmetrize
    check "betweenness: pairs of nodes, once" gives '1 0,2 1,3 0,4 0,' betweenness star.txt \
        --symmetrize --source 1
    check "betweenness of all sources" gives '5 0,6 0,10 1,20 0.5,30 1,40 3.5,700 0,' \
        betweenness square.txt
    check "spmv" gives '5 2,6 2,10 11,20 5,30 2,40 8,700 0,' spmv square.txt
    check "pagerank of a cycle" gives '1 0.25,2 0.25,3 0.25,4 0.25,' pagerank cycle.txt
}

# The same graph in each format.
make_formats()
{
    printf '1 2 3\n2 3 1\n3 1 2\n4 3 5\n' >same.txt
    sed '1i # Undirected' same.txt >undirected.txt
    {
        printf '%%%%MatrixMarket matrix coordinate integer symmetric\n4 4 4\n'
        printf '2 1 3\n3 2 1\n3 1 2\n4 3 5\n'
    } >same.mtx
    {
        printf 'c comment\np sp 4 8\n'
        awk '{ print "a", $1, $2, $3; print "a", $2, $1, $3 }' same.txt
    } >same.gr
    printf '4 4 1\n2 3 3 2\n1 3 3 1\n2 1 1 2 4 5\n3 5\n' >same.graph
    gzip -k same.mtx
}

test_formats()
{
    local algorithm file

    make_formats
    for algorithm in sssp mst; do
        graph $algorithm undirected.txt && mv x.h5 want.h5
        for file in same.mtx same.gr same.graph same.mtx.gz; do
            graph $algorithm $file
            check "$algorithm: $file as the edge list" equal want.h5 x.h5
        done
        graph $algorithm - --input-format edges <undirected.txt
        check "$algorithm: stdin as the edge list" equal want.h5 x.h5
        graph $algorithm same.txt --symmetrize
        check "$algorithm: --symmetrize as the edge list" equal want.h5 x.h5
    done
}

test_verified()
{
    local algorithm

    awk 'BEGIN { srand(3); print "# Undirected"
        for (i = 0; i < 3000; i++) print int(rand() * 500), int(500 * rand() ^ 3), int(rand() * 9) }' \
        >random.txt
    for algorithm in $algorithms; do
        check "$algorithm of a random graph is verified" expect_exit 0 "$RIBOGRID" graph \
            "$algorithm" random.txt --verify --force -o x.h5
        check "$algorithm: the check is reported" grep -q ': verified: ' "$err"
    done
    for algorithm in bfs sssp pagerank betweenness spmv components; do
        check "$algorithm of a directed graph is verified" expect_exit 0 "$RIBOGRID" \
            graph "$algorithm" random.txt --directed --verify --force -q -o x.h5
    done
    check "pagerank: other options" expect_exit 0 graph pagerank random.txt --directed \
        --damping 0.5 --tolerance 1e-9 --max-iterations 7 --dangling leak --verify
    check "mis by degree" expect_exit 0 graph mis random.txt --order degree --seed 5 --verify
    check "spmv with a random vector" expect_exit 0 graph spmv random.txt --vector random \
        --verify
    check "random weights" expect_exit 0 graph sssp random.txt --weights uniform:1-255:7 \
        --verify
    check "a graph without edges" expect_exit 0 graph bfs no_edges.mtx --verify
    check "a graph without nodes" expect_exit 0 graph betweenness nothing.txt --verify
    check "it has no lines" test -z "$("$RIBOGRID" view --no-header x.h5)"
}

# leaves_of TREE.nwk: how many leaves each clade has, in the order of their ends, by
# counting brackets.
leaves_of()
{
    "$PYTHON" - "$1" <<'EOF'
import re
import sys
stack, text = [], open(sys.argv[1]).read().strip()
for token in re.findall(r"'[^']*'|[(),;]|[^(),;']+", text):
    if token == "(":
        stack.append(0)
    elif token == ")":
        done = stack.pop()
        print(done)
        if stack:
            stack[-1] += done
    elif token not in ",;" and last != ")":
        print(1)
        stack[-1] += 1
    last = token
EOF
}

test_trees()
{
    local kernel

    printf "((a:1,b:2)ab:.5,(c:1,'d e':2.5):1,[no]f:3)root;\n" >tree.nwk
    check "tree-descendants of a Newick file" gives \
        '1 a 0 1,2 b 0 1,3 ab 2 2,4 c 0 1,5 d e 0 1,6  2 2,7 f 0 1,8 root 7 5,' \
        tree-descendants tree.nwk
    check "tree-heights of a Newick file" gives \
        '1 a 0,2 b 0,3 ab 1,4 c 0,5 d e 0,6  1,7 f 0,8 root 2,' tree-heights tree.nwk
    check "lengths of branches from the root" gives \
        '1 a 1.5,2 b 2.5,3 ab 0.5,4 c 2,5 d e 3.5,6  1,7 f 3,8 root 0,' \
        sssp tree.nwk --source root
    check "arcs of an edge list, in two trees" gives '1 2,2 1,3 0,4 0,7 1,8 0,' \
        tree-heights - <<<$'1 2\n2 3\n1 4\n7 8'
    graph mst random.txt --weights file --newick forest.nwk
    head -n 1 forest.nwk >first.nwk
    cat first.nwk first.nwk >two.nwk
    printf '1 2\n3 2\n' >parents.txt
    printf '1 9\n3 2\n2 4\n4 3\n' >turns.txt
    leaves_of first.nwk >want.txt
    check "tree-descendants of what mst has written" expect_exit 0 graph tree-descendants \
        first.nwk --verify
    check "its leaves are those between the brackets" same want.txt \
        <("$RIBOGRID" view --no-header x.h5 | awk -F '\t' '{ print $NF }')
    mv x.h5 want.h5
    for kernel in serial cpu; do
        graph tree-descendants first.nwk --kernel $kernel
        check "$kernel: equal trees" equal want.h5 x.h5
    done
    check "two trees in a file" refused 1 'two.nwk:2: text behind the tree' "$RIBOGRID" \
        graph tree-heights two.nwk -o y.h5
    check "two parents" refused 1 'node 2 has two parents, but tree-heights is for trees' \
        "$RIBOGRID" graph tree-heights parents.txt -o y.h5
    check "a cycle" refused 1 'node 2 is on a cycle' "$RIBOGRID" graph tree-descendants \
        turns.txt -o y.h5
    check "an undirected graph" refused 1 'or give --directed' "$RIBOGRID" graph \
        tree-heights square.txt -o y.h5
}

# Counts of leaves: by hand, beside a recursion in Python, and what is refused.
test_leaf_weights()
{
    local kernel

    printf '#OTU ID\tsoil\tsea\ttaxonomy\nb\t3\t0\tBacteria; Bacilli\n' >reads.tsv
    printf 'd e\t5\t7\tBacteria\nf\t1\t100000000000\tArchaea\n' >>reads.tsv
    check "counts of samples" gives \
        '1 a 0 1 0 0,2 b 0 1 3 0,3 ab 2 2 3 0,4 c 0 1 0 0,5 d e 0 1 5 7,6  2 2 5 7,7 f 0 1 1 100000000000,8 root 7 5 9 100000000007,' \
        tree-descendants tree.nwk --leaf-weights reads.tsv -q
    check "view names the samples" test "$("$RIBOGRID" view x.h5 | head -n 1)" = \
        $'id\tname\tdescendants\tleaves\tsoil\tsea'
    check "leaves without counts are counted" expect_exit 0 "$RIBOGRID" graph \
        tree-descendants tree.nwk --leaf-weights reads.tsv --force -o x.h5
    check "and the first one named" grep -q \
        'reads.tsv: 2 of 5 leaves of tree.nwk have no line and count 0, the first is node 1, a$' \
        "$err"
    check "info counts samples" test "$(field samples x.h5)" = 2
    mv x.h5 want.h5
    gzip -kf reads.tsv
    graph tree-descendants tree.nwk --leaf-weights reads.tsv.gz
    check "a compressed table" equal want.h5 x.h5
    check "one count without a header" gives '1 a 0 1 0,2 b 0 1 4,3 ab 2 2 4,4 c 0 1 0,5 d e 0 1 0,6  2 2 0,7 f 0 1 0,8 root 7 5 4,' \
        tree-descendants tree.nwk --leaf-weights - -q <<<$'b\t4'
    check "leaves by id" gives '1 2 2 7,2 0 1 3,3 0 1 4,' tree-descendants fork.txt \
        --leaf-weights - <<<$'3\t4\n2\t3'
    graph tree-descendants first.nwk
    "$RIBOGRID" view --no-header x.h5 | awk -F '\t' 'BEGIN { OFS = "\t"
        print "leaf", "a", "b" } $3 == 0 { print $2, $1 * 7919 % 13, $1 * $1 }' >many.tsv
    graph tree-descendants first.nwk --leaf-weights many.tsv --kernel serial && mv x.h5 want.h5
    graph tree-descendants first.nwk --leaf-weights many.tsv --kernel cpu --verify
    check "cpu: equal counts" equal want.h5 x.h5
    check "the root has the sum" test \
        "$("$RIBOGRID" view x.h5 | tail -n 1 | cut -f 5,6)" = \
        "$(awk -F '\t' '{ a += $2; b += $3 } END { print a "\t" b }' many.tsv)"
    check "a leaf twice" refused_for tree.nwk $'b\t4\nb\t4' \
        "table.tsv:2: 'b' has another line above"
    check "no leaf" refused_for tree.nwk $'b\t4\nab\t4' "table.tsv:2: 'ab' is no leaf of tree.nwk"
    check "a negative number" refused_for tree.nwk $'b\t-4' "table.tsv:1: '-4' is not a count"
    check "a fraction" refused_for tree.nwk $'b\t4.5' "table.tsv:1: '4.5' is not a count"
    check "a sum beyond 2^63 - 1" refused_for tree.nwk $'b\t9223372036854775807\na\t1' \
        "table.tsv:2: the counts of 'all' add up to more than"
    check "of tree-descendants alone" refused 2 \
        '--leaf-weights is for tree-descendants, not for tree-heights' "$RIBOGRID" graph \
        tree-heights tree.nwk --leaf-weights reads.tsv -o y.h5
}

# refused_for TREE TABLE REGEX: counts of leaves are refused.
refused_for()
{
    printf '%s\n' "$2" >table.tsv
    refused 1 "$3" "$RIBOGRID" graph tree-descendants "$1" --leaf-weights table.tsv -o y.h5
}

test_sources()
{
    graph bfs random.txt --source max-degree && "$RIBOGRID" view x.h5 >max.tsv
    graph bfs random.txt && "$RIBOGRID" view x.h5 >default.tsv
    check "the default is the node of the highest degree" same max.tsv default.tsv
    graph bfs random.txt --sources 5 --seed 2 && cp x.h5 five.h5
    graph bfs random.txt --sources 5 --source random --seed 2
    check "equal seeds draw equal sources" equal five.h5 x.h5
    graph bfs random.txt --sources 5 --seed 3
    check "other seeds draw others" test "$("$RIBOGRID" view x.h5 | cut -f 1 | uniq | md5sum)" \
        != "$("$RIBOGRID" view five.h5 | cut -f 1 | uniq | md5sum)"
    check "five sources, ascending" test "$("$RIBOGRID" view five.h5 --no-header | cut -f 1 |
        uniq | sort -nu | wc -l)" -eq 5
    graph betweenness random.txt --sources 500 --source max-degree && cp x.h5 all.h5
    graph betweenness random.txt
    check "betweenness of all nodes as of all sources" equal all.h5 x.h5
}

# groups FILE: the clusters of a .list file at its only cutoff, as sorted lines of names.
groups_of_list()
{
    tail -n 1 "$1" | cut -f 3- | tr '\t' '\n' | while read -r otu; do
        tr ',' '\n' <<<"$otu" | sort | tr '\n' ' '
        echo
    done | sort
}

groups_of_components()
{
    "$RIBOGRID" view --no-header "$1" | sort -t "$(printf '\t')" -k 3,3 -k 2,2 |
        awk -F '\t' '$3 != last { if (NR > 1) print ""; last = $3 } { printf "%s ", $2 }
            END { print "" }' | sort
}

test_pairs()
{
    local id

    "$RIBOGRID" simulate 120 --length 200 --divergence 12 --seed 4 -o plain.fa
    awk '/^>/ { $0 = $1 ";size=" NR * 7919 % 13 + 1 } { print }' plain.fa >sized.fa
    "$RIBOGRID" align sized.fa --sizein -q -o pairs.h5
    for id in 0.99 0.97 0.93 0.9; do
        "$RIBOGRID" cluster pairs.h5 --id $id --method single -q --force -o single
        graph components pairs.h5 --id $id
        groups_of_list single.list >want.txt
        groups_of_components x.h5 >got.txt
        check "components at $id are the clusters of single linkage" same want.txt got.txt
        "$RIBOGRID" cluster pairs.h5 --id $id --method centroid -q --force -o centroid
        graph mis pairs.h5 --id $id --order abundance
        grep '^>' centroid.reps.fasta | sed 's/.* //' | sort >want.txt
        "$RIBOGRID" view --no-header x.h5 | awk -F '\t' '$3 == 1 { print $2 }' | sort >got.txt
        check "mis at $id has the centroids" same want.txt got.txt
    done
    check "there are several clusters" test "$(wc -l <want.txt)" -gt 3
    check "mst, with the dendrogram" expect_exit 0 graph mst pairs.h5 --newick tree.nwk \
        --verify
    check "view names the sequences of edges" test "$("$RIBOGRID" view x.h5 | head -n 1)" = \
        "$(printf 'source\ttarget\tsource_name\ttarget_name\tweight')"
    if has_modules scipy; then
        check "the dendrogram is single linkage" "$PYTHON" "$here/tools/graph_newick.py" \
            pairs.h5 tree.nwk
        "$PYTHON" "$here/tools/graph_newick.py" pairs.h5 tree.nwk >/dev/null
        graph mst pairs.h5 --id 0.97 --newick part.nwk
        check "a dendrogram of a part has all sequences" test \
            "$(tr -cd , <part.nwk | wc -c)" -eq 119
    fi
}

# Two families, and a sequence that is similar to both.
test_bridge()
{
    awk 'BEGIN {
        a = "ACGTTGCAAGCTTGACCGTA"; for (i = 0; i < 4; i++) a = a a
        b = a; gsub("GTTG", "GATC", b)
        for (i = 0; i < 4; i++) {
            print ">a" i "\n" substr(a, 1, 20 * i) "T" substr(a, 20 * i + 2)
            print ">b" i "\n" substr(b, 1, 20 * i) "T" substr(b, 20 * i + 2)
        }
        print ">chimera\n" substr(a, 1, 160) substr(b, 161) }' >bridge.fa
    "$RIBOGRID" align bridge.fa -q --ends count -o bridge.h5
    check "betweenness at 0.94" expect_exit 0 graph betweenness bridge.h5 --id 0.94 --verify
    "$RIBOGRID" view x.h5 --no-header | sort -t "$(printf '\t')" -k 3,3gr | head -n 1 \
        >top.tsv
    check "the sequence that joins two families is first" grep -q 'chimera' top.tsv
    check "all pairs of the families run through it" test "$(cut -f 3 top.tsv)" = 16
}

# makes NODES ARCS FILE KIND OPTION...: the graph has this size, with one and two threads.
makes()
{
    local nodes=$1 arcs=$2 file=$3

    shift 3
    "$RIBOGRID" graph make "$@" --threads 1 -q --force -o "$file" && mv "$file" "one_$file" &&
        expect_exit 0 "$RIBOGRID" graph make "$@" --threads 2 --force -o "$file" &&
        expect_line "$file: $nodes nodes, $arcs arcs, " "$err" && same "one_$file" "$file"
}

test_make()
{
    local p

    check "make grid" makes 12 34 grid.mtx grid --rows 3 --columns 4
    check "make tree" makes 13 12 tree.txt tree --depth 3 --min-children 3 --max-children 3
    check "make rmat" makes 256 '[0-9]+' rmat.gr rmat --scale 8 --drop-loops --dedupe \
        --weights uniform:1-255
    check "make road" makes 1000 '[0-9]+' road.graph road --nodes 1000
    printf '2 3\n1 2\n' >degrees.txt
    check "make clone" makes 5 '[0-9]+' clone.txt clone:degrees.txt
    check "make HDF5" expect_exit 0 "$RIBOGRID" graph make rmat --scale 8 -q -o rmat.h5
    check "another seed is another graph" expect_exit 0 "$RIBOGRID" graph make rmat --scale 8 \
        --seed 2 -q -o other.h5
    check "sssp of a generated graph" expect_exit 0 graph sssp rmat.gr --verify
    check "components of a generated graph" expect_exit 0 graph components rmat.h5 --verify
    check "bfs of a grid: corners are farthest" gives '1 3 2,2 2 3,3 1 4,4 0 4,5 4 1,6 3 2,7 2 3,8 1 4,9 5 5,10 4 6,11 3 7,12 2 8,' \
        bfs grid.mtx --source 4
    check "make rmat: Graph500's probabilities" expect_exit 0 "$RIBOGRID" graph make rmat \
        --scale 8 --probabilities 0.57,0.19,.190,0.05 -q -o same.h5
    check "make rmat: are the default" equal rmat.h5 same.h5
    check "make rmat: others" expect_exit 0 "$RIBOGRID" graph make rmat --scale 8 \
        --probabilities 0.45,0.15,0.15,0.25 -q -o other.txt
    check "make rmat: the same on every machine" test "$(md5sum <other.txt | cut -c 1-32)" = \
        863e3a369b63491734d903cacf93dea2
    for p in 0.57,0.19,0.19,0.06 0.57,0.19,0.24 0.57,0.19,0.19,0.05,0 1.2,-0.2,0,0 x; do
        check "make rmat: --probabilities $p" refused 2 "--probabilities $p: give four" \
            "$RIBOGRID" graph make rmat --probabilities $p -o y.h5
    done
    check "make grid: --probabilities" refused 2 '--probabilities is for rmat, not for grid' \
        "$RIBOGRID" graph make grid --probabilities 0.25,0.25,0.25,0.25 -o y.h5
    "$RIBOGRID" graph make grid --rows 3 --columns 4 -q -o grid.el
    check "make: to stdout" expect_exit 0 "$RIBOGRID" graph make grid --rows 3 --columns 4 -q \
        -o - --format edges
    check "... the same bytes" cmp -s "$out" grid.el
    check "make: a format instead of the name's" expect_exit 0 "$RIBOGRID" graph make grid \
        --rows 3 --columns 4 -q -o grid.any --format edges
    check "... the same bytes" cmp -s grid.any grid.el
    check "make: stdout without a format" refused 2 '-: the end of the name says no format' \
        "$RIBOGRID" graph make grid -o -
    check "make: HDF5 to stdout" refused 2 'HDF5 cannot be written to stdout' "$RIBOGRID" graph \
        make grid -o - --format hdf5
    check "make: an existing file" refused 1 'rmat.h5 exists' "$RIBOGRID" graph make rmat -o \
        rmat.h5
    check "make: an unknown kind" refused 2 "'ring': give rmat, grid" "$RIBOGRID" graph make \
        ring -o y.h5
    check "make: clone without degrees" refused 2 "'clone': give" "$RIBOGRID" graph make clone \
        -o y.h5
    check "make: another kind's option" refused 2 '--scale is for rmat, not for grid' \
        "$RIBOGRID" graph make grid --scale 3 -o y.h5
    check "make: an unknown format" refused 2 'y.xyz: ' "$RIBOGRID" graph make grid -o y.xyz
    check "make: no output" refused 2 'give -o FILE' "$RIBOGRID" graph make grid
    check "make: weights of no file" refused 2 '--weights file: give' "$RIBOGRID" graph make \
        grid --weights file -o y.h5
}

test_refused_options()
{
    local option

    check "no graph" refused 2 'graph: missing argument; give ALGORITHM GRAPH' "$RIBOGRID" graph bfs
    check "an unknown algorithm" refused 2 "unknown algorithm 'dfs'" "$RIBOGRID" graph dfs \
        square.txt -o y.h5
    check "no output" refused 2 'give -o OUT.h5' "$RIBOGRID" graph bfs square.txt
    check "stdout" refused 2 'cannot be written to stdout' "$RIBOGRID" graph bfs square.txt -o -
    for option in '--damping 0.5' '--tolerance 1' '--max-iterations 3' '--dangling leak' \
        '--order degree' '--vector ones' '--newick t.nwk'; do
        # shellcheck disable=SC2086 # an option and its value
        check "bfs $option" refused 2 "${option%% *} is for .*, not for bfs" "$RIBOGRID" \
            graph bfs square.txt $option -o y.h5
    done
    check "components --source" refused 2 '--source is for bfs, sssp, betweenness' "$RIBOGRID" \
        graph components square.txt --source 10 -o y.h5
    check "--source with a word" refused 1 'there is no node x; give another source' \
        "$RIBOGRID" graph bfs square.txt --source x -o y.h5
    check "--source ID --sources" refused 2 'leave out --sources' "$RIBOGRID" graph bfs \
        square.txt --source 10 --sources 2 -o y.h5
    check "--seed that nothing uses" refused 2 '--seed needs' "$RIBOGRID" graph bfs \
        square.txt --seed 1 -o y.h5
    for option in uniform uniform:5-1 uniform:1-5:x uniform:1-99999999999 some; do
        check "--weights $option" refused 2 '--weights .*: give file, unit or uniform' \
            "$RIBOGRID" graph sssp square.txt --weights $option -o y.h5
    done
    check "--weights where none is used" refused 2 'bfs uses no weights' "$RIBOGRID" graph bfs \
        square.txt --weights unit -o y.h5
    check "--directed --symmetrize" refused 2 'not both' "$RIBOGRID" graph bfs square.txt \
        --directed --symmetrize -o y.h5
    check "mst --directed" refused 2 'mst is for undirected graphs' "$RIBOGRID" graph mst \
        square.txt --directed -o y.h5
    check "--force --resume" refused 2 'not both' "$RIBOGRID" graph bfs square.txt --force \
        --resume -o y.h5
    check "an unknown kernel" refused 2 'no such kernel' "$RIBOGRID" graph bfs square.txt \
        --kernel x -o y.h5
    check "--template where no kernel obeys it" refused 2 '--template warp-mapped is for .*(--kernel cuda, not|kernels on GPUs)' \
        "$RIBOGRID" graph bfs square.txt --kernel cpu --template warp-mapped -o y.h5
    check "--variant of another algorithm" refused 2 '--variant is for (bfs, sssp, not|kernels on GPUs)' \
        "$RIBOGRID" graph pagerank square.txt --variant U_B_QU -o y.h5
    check "--tolerance with a word" refused 2 '--tolerance x: give' "$RIBOGRID" graph pagerank \
        square.txt --tolerance x -o y.h5
    check "nothing was written" absent y.h5 y.h5.part
}

test_refused_graphs()
{
    check "a missing file" refused 1 'cannot read none.txt: No such file' "$RIBOGRID" graph bfs none.txt \
        -o y.h5
    printf '1 2\n2 x\n' >bad.txt
    "$RIBOGRID" graph make grid --rows 3 --columns 4 -q -o target.h5
    "$PYTHON" -c 'import h5py; h5py.File("target.h5", "r+")["to"][3] = 99'
    check "a damaged arc of a graph that is divided" refused 1 'to a node that does not exist' \
        "$RIBOGRID" graph bfs target.h5 --partition on -o y.h5
    check "a damaged line" refused 1 'bad.txt:2: ' "$RIBOGRID" graph bfs bad.txt -o y.h5
    check "no such source" refused 1 'there is no node 11; give another source' "$RIBOGRID" \
        graph bfs square.txt --source 11 -o y.h5
    check "too many sources" refused 1 'there are 7 nodes with arcs for 8 sources' \
        "$RIBOGRID" graph bfs square.txt --sources 8 -o y.h5
    check "a directed graph" refused 1 'is directed, but triangles is for undirected graphs' \
        "$RIBOGRID" graph triangles triangle.txt -o y.h5
    check "negative weights" refused 1 'real.mtx:3: the value -0.5 is negative' "$RIBOGRID" \
        graph sssp real.mtx -o y.h5
    check "no abundances" refused 1 'square.txt has no abundances' "$RIBOGRID" graph mis \
        square.txt --order abundance -o y.h5
    graph bfs square.txt
    check "a result of graph is no graph" refused 1 'x.h5: ' "$RIBOGRID" graph bfs x.h5 -o y.h5
    "$RIBOGRID" cluster pairs.h5 --id 0.9 -q --force -o otus
    check "OTUs are no graph" refused 1 'otus.groups.h5: ' "$RIBOGRID" graph bfs \
        otus.groups.h5 -o y.h5
    check "nothing was written" absent y.h5 y.h5.part t.nwk
}

test_other_commands()
{
    graph bfs square.txt --source 10
    check "cluster refuses it" refused 1 'x.h5: .*graph' "$RIBOGRID" cluster x.h5 --id 0.9 -o y
    check "export refuses it" refused 1 'x.h5: .*graph' "$RIBOGRID" export x.h5 --format paf
    check "report draws it" expect_exit 0 "$RIBOGRID" report x.h5 -o y.html
    check "report --groups is refused" refused 2 'x.h5 holds results of .ribogrid graph' \
        "$RIBOGRID" report x.h5 --groups y.h5 -o z.html
    rm -f y.html
    check "view --id is refused" refused 2 '--id, --region and --sort are for pairs' "$RIBOGRID" view \
        x.h5 --id 0.9
    check "info" expect_exit 0 "$RIBOGRID" info x.h5
    # shellcheck disable=SC2016  # the dollar is awk's
    check "info prints lines of three columns" awk -F '\t' \
        'NF != 3 || $1 !~ /^(file|job|run)$/ { exit 1 }' "$out"
    check "info: the algorithm" test "$(field algorithm x.h5)" = bfs
    check "info: the source" test "$(field source x.h5)" = 10
    check "info: seconds and arcs" test -n "$(field seconds_kernels x.h5)" -a \
        "$(field arcs_visited x.h5)" -gt 0
}

test_outputs()
{
    check "an existing file is kept" refused 1 'x.h5 exists' "$RIBOGRID" graph bfs square.txt \
        -o x.h5
    check "the input is kept" refused 2 'same.gr is .*input|same.gr' "$RIBOGRID" graph bfs \
        same.gr --force -o same.gr
    graph bfs square.txt --source 10
    check "a finished job" expect_exit 0 "$RIBOGRID" graph bfs square.txt --source 10 --resume \
        -o x.h5
    check "is reported" expect_line 'x.h5 is already finished: nothing to do' "$err"
    "$RIBOGRID" graph components pairs.h5 -q -o pairs_c.h5
    check "a finished job of an HDF5 file" expect_exit 0 "$RIBOGRID" graph components \
        pairs.h5 --resume -o pairs_c.h5
    check "is reported" expect_line 'pairs_c.h5 is already finished: nothing to do' "$err"
    check "another source is another job" refused 1 \
        "x.h5 is of another job: there 'source=10', now 'source=20'" \
        "$RIBOGRID" graph bfs square.txt --source 20 --resume -o x.h5
    check "another algorithm is another job" refused 1 "now 'algorithm=components'" \
        "$RIBOGRID" graph components square.txt --resume -o x.h5
    sed 's/^30/20/' square.txt >other.txt
    check "another graph is another job" refused 1 "now 'graph_digest=" \
        "$RIBOGRID" graph bfs other.txt --source 10 --resume -o x.h5
    graph mst pairs.h5
    check "a finished forest without its dendrogram" refused 1 \
        'x.h5 exists, but late.nwk does not; give --force' "$RIBOGRID" graph mst pairs.h5 \
        --resume --newick late.nwk -o x.h5
    check "-v prints times and kernels" expect_exit 0 "$RIBOGRID" graph bfs square.txt -v \
        --force -o x.h5
    check "seconds" grep -q 'seconds: read .*, copy .*, kernels ' "$err"
    check "a named kernel" expect_exit 0 graph bfs square.txt --kernel serial
    check "no log is left" absent x.h5.part
}

printf '# Undirected\n5 6 2\n' >pair.txt
printf '1 2\n2 3\n1 3\n3 4\n4 3\n' >triangle.txt
printf '2 1\n2 3\n2 4\n' >star.txt
printf '1 2\n2 3\n3 4\n4 1\n' >cycle.txt
printf '# nothing\n' >nothing.txt
printf '1 2\n1 3\n' >fork.txt
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 3 0\n' >no_edges.mtx
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 -0.5\n' >real.mtx
test_by_hand
test_formats
test_verified
test_trees
test_leaf_weights
test_sources
test_pairs
test_bridge
test_make
test_refused_options
test_refused_graphs
test_other_commands
test_outputs
finish
