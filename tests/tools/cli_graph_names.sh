#!/usr/bin/env bash
#
# cli_graph_names.sh - `ribogrid graph` on tables of named nodes with real weights: results by
# hand and beside Dijkstra's and Kruskal's algorithms in Python, names in all outputs, and
# weights that are refused where they matter.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

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

# A triangle a b c, of which a - c is the longest edge, and a pair d e.
test_by_hand()
{
    printf 'source,target,weight\na,b,0.7\nb,c,0.25\n' >links.csv
    printf 'c,a,1\nd,e,1e-3\n' >>links.csv
    check "sssp: real distances, by name" gives '1 a 0,2 b 0.7,3 c 0.95,4 d -1,5 e -1,' \
        sssp links.csv --symmetrize --source a
    check "sssp follows arcs" gives '1 a 1,2 b 1.7,3 c 0,4 d -1,5 e -1,' sssp links.csv \
        --source c
    check "mst: both ends by name" gives '1 2 a b 0.7,2 3 b c 0.25,4 5 d e 0.001,' mst \
        links.csv --symmetrize
    check "bfs: parents by name" gives '1 a 1 2 b,2 b 0 2 b,3 c 1 2 b,4 d -1 -1 -,5 e -1 -1 -,' \
        bfs links.csv --symmetrize --source b
    check "the header names all columns" test "$("$RIBOGRID" view x.h5 | head -n 1)" = \
        "$(printf 'id\tname\tdepth\tparent\tparent_name')"
    check "several sources by name" gives \
        '1 d 1 d 0,1 d 2 e 1,2 e 1 d 1,2 e 2 e 0,' sssp pair.tsv --sources 2
    check "their header" test "$("$RIBOGRID" view x.h5 | head -n 1)" = \
        "$(printf 'source\tsource_name\tid\tname\tdistance')"
    check "the log names the source" expect_exit 0 "$RIBOGRID" graph bfs links.csv --source d \
        --force -o x.h5
    check "and its id" grep -q ': source: node 4, d$' "$err"
    check "results keep names" test "$("$PYTHON" -c 'import h5py
print(h5py.File("x.h5")["nodes/name"].asstr()[2])')" = c
}

# The same graph as a table in other words.
test_tables()
{
    local name

    graph sssp links.csv --source a && cp x.h5 want.h5
    tail -n +2 links.csv >bare.csv
    tr , '\t' <links.csv >links.tsv
    tr , ' ' <bare.csv >links.txt
    sed 's/^\([a-z]*\),\([a-z]*\)/"\1", "\2"/; s/$/\r/' links.csv >quoted.csv
    sort -r bare.csv >sorted.csv
    gzip -k links.tsv
    cp bare.csv other.dat
    for name in bare.csv links.tsv links.txt quoted.csv sorted.csv links.tsv.gz other.dat; do
        graph sssp $name --source a
        check "$name as links.csv" equal want.h5 x.h5
    done
    graph sssp - --input-format csv --source a <links.csv
    check "stdin as links.csv" equal want.h5 x.h5
    printf '7,a,1\n007,7,1\na,8,2.5\n' >numbers.csv
    check "names that are numbers" gives '1 007 0,2 7 1,3 8 4.5,4 a 2,' sssp numbers.csv \
        --source 007
    printf '7,07,1\n' >numbers.csv
    check "numbers are ids" gives '7 0,' sssp numbers.csv --source 7
    check "unless they are --names" gives '1 07 1,2 7 0,' sssp numbers.csv --source 7 --names
}

test_newick()
{
    check "mst writes a dendrogram per component" expect_exit 0 graph mst links.csv \
        --symmetrize --newick links.nwk
    check "with the names" test "$(cat links.nwk)" = "$(printf \
        '(a:0.35,(b:0.125,c:0.125):0.225);\n(d:0.0005,e:0.0005);')"
    printf '%s\n' '# Undirected' '3 5 4' '5 9 2' >whole.txt
    check "of whole weights" expect_exit 0 graph mst whole.txt --newick whole.nwk
    check "with the ids" test "$(cat whole.nwk)" = '(3:2,(5:1,9:1):1);'
    printf 'a b,c(d),1\n' >odd.csv
    graph mst odd.csv --symmetrize --newick odd.nwk
    check "names are quoted where they have to be" test "$(cat odd.nwk)" = \
        "('a b':0.5,'c(d)':0.5);"
    check "heights are not negative" refused 1 'low.csv:2: the weight -1 is negative' \
        "$RIBOGRID" graph mst low.csv --symmetrize --newick low.nwk -o y.h5
    check "but weights of mst may be" gives '1 2 a b 2,2 3 b c -1,' mst low.csv --symmetrize
}

# in_python FILE ALGORITHM: the distances from the first node, or the edges of the forest,
# of links of names "n1" and so on, and of weights as they are written.
in_python()
{
    "$PYTHON" - "$@" <<'END'
import csv, heapq, sys
import h5py, numpy
arcs, edges = {}, []
for a, b, w in csv.reader(open(sys.argv[1])):
    for s, t in ((a, b), (b, a)):
        arcs.setdefault(s, []).append((t, float(w)))
    if a != b:
        edges.append((float(w), min(a, b), max(a, b)))
names = sorted(arcs)
file = h5py.File("x.h5")
if list(file["nodes/name"].asstr()) != names:
    sys.exit("other names")
if sys.argv[2] == "sssp":
    done, heap = {}, [(0.0, names[0])]
    while heap:
        d, u = heapq.heappop(heap)
        if u not in done:
            done[u] = d
            for v, w in arcs[u]:
                heapq.heappush(heap, (d + w, v))
    want = [done.get(u, -1) for u in names]
    sys.exit(not numpy.array_equal(file["nodes/distance"][:], want))
root = {u: u for u in names}
def find(u):
    while root[u] != u:
        u = root[u]
    return u
want = []
for w, a, b in sorted(edges):
    if find(a) != find(b):
        root[find(a)] = find(b)
        want.append((a, b, w))
got = [(names[s - 1], names[t - 1], w) for s, t, w in
       zip(file["edges/source"], file["edges/target"], file["edges/weight"])]
sys.exit(got != sorted(want))
END
}

# Sums of tenths depend on their order; a quarter of the weights are 0 or equal.
test_beside_python()
{
    local kernel threads

    awk 'BEGIN { srand(5); for (i = 0; i < 3000; i++)
        printf "n%d,n%d,%s\n", rand() * 400, 400 * rand() ^ 2,
            i % 4 ? int(rand() * 1000) / 10 : i % 8 / 40 }' >random.csv
    for kernel in serial cpu; do
        for threads in 1 3; do
            graph sssp random.csv --symmetrize --source n0 --kernel $kernel --threads $threads \
                --verify
            check "sssp, $kernel, $threads threads: all bits as in Python" in_python random.csv \
                sssp
            graph mst random.csv --symmetrize --kernel $kernel --threads $threads --verify
            check "mst, $kernel, $threads threads: as in Python" in_python random.csv mst
        done
    done
}

test_pairs()
{
    "$RIBOGRID" simulate 40 --length 200 --divergence 12 --seed 4 -o some.fa
    "$RIBOGRID" align some.fa -q -o pairs.h5
    name=$(sed -n '1s/>\([^ ]*\).*/\1/p' some.fa)
    check "sssp of pairs, from a sequence" expect_exit 0 graph sssp pairs.h5 --id 0.9 \
        --source "$name" --verify
    cp x.h5 named.h5
    graph sssp pairs.h5 --id 0.9 --source 1
    check "as from its id" equal named.h5 x.h5
}

test_unused_weights()
{
    printf '1 2 heavy\n2 3 nan\n3 4\n4 1 -7\n' >odd.txt
    printf 'a,b,very heavy\nb,c,n/a\n' >odd.csv
    printf '%%%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 0.5 x\n' >odd.mtx
    for algorithm in bfs pagerank betweenness components; do
        check "$algorithm reads no weights" expect_exit 0 graph $algorithm odd.txt --verify
    done
    check "of a table" gives '1 a 0 1 a,2 b 1 1 a,3 c 2 2 b,' bfs odd.csv --source a
    check "of a matrix" gives '1 0 1,2 1 1,' bfs odd.mtx --source 1
    check "--weights unit reads none" gives '1 a 0,2 b 1,3 c 2,' sssp odd.csv --source a \
        --weights unit
    "$PYTHON" -c 'import h5py, numpy
with h5py.File("weights.h5", "r+") as f:
    del f["weight"]
    f["value"] = numpy.full(len(f["to"]), numpy.nan)'
    check "bfs reads none of HDF5" expect_exit 0 graph bfs weights.h5 --verify
    check "sssp does" refused 1 'weights.h5: .*/*value.* is not finite at value 1' "$RIBOGRID" \
        graph sssp weights.h5 -o y.h5
}

test_refused()
{
    local weight

    for weight in nan inf -inf 1e999 x 0x10; do
        printf 'a,b,1\nb,c,%s\n' "$weight" >bad.csv
        check "sssp: the weight $weight" refused 1 \
            "bad.csv:2: the weight '$weight' is not a finite number" "$RIBOGRID" graph sssp \
            bad.csv -o y.h5
        check "mst: the weight $weight" refused 1 \
            "bad.csv:2: the weight '$weight' is not a finite number" "$RIBOGRID" graph mst \
            bad.csv --symmetrize -o y.h5
    done
    check "sssp: a negative weight" refused 1 'low.csv:2: the weight -1 is negative' \
        "$RIBOGRID" graph sssp low.csv -o y.h5
    printf 'a,b,1e308\nb,c,1e308\n' >high.csv
    check "sssp: weights whose sum is infinite" refused 1 \
        'high.csv: the weight 1e.308 is too large' "$RIBOGRID" graph sssp high.csv -o y.h5
    check "mst adds no weights" expect_exit 0 graph mst high.csv --symmetrize
    check "no such name" refused 1 'links.csv: there is no node f; give another source' \
        "$RIBOGRID" graph bfs links.csv --source f -o y.h5
    check "an identity of a table" refused 1 'links.csv: --id is for the pairs of' "$RIBOGRID" \
        graph bfs links.csv --id 0.97 -o y.h5
    check "an identity of a graph in HDF5" refused 1 'weights.h5: --id is for the pairs of' \
        "$RIBOGRID" graph bfs weights.h5 --id 0.97 -o y.h5
    check "an identity of a graph that is divided" refused 1 \
        'weights.h5: --id is for the pairs of' "$RIBOGRID" graph bfs weights.h5 --id 0.97 \
        --partition on -o y.h5
    check "--names of a graph in HDF5" refused 1 'weights.h5: --names is for edge lists' \
        "$RIBOGRID" graph bfs weights.h5 --names -o y.h5
    check "--directed of a graph in HDF5" refused 1 'weights.h5: --directed is for edge lists' \
        "$RIBOGRID" graph bfs weights.h5 --directed -o y.h5
    check "abundances of a table" refused 1 'links.csv has no abundances' "$RIBOGRID" graph mis \
        links.csv --symmetrize --order abundance -o y.h5
    check "nothing was written" absent y.h5 y.h5.part
}

printf 'd\te\t1\n' >pair.tsv
sed -i '1i # Undirected' pair.tsv
printf 'a,b,2\nb,c,-1\n' >low.csv
"$RIBOGRID" graph make grid --rows 3 --columns 4 --weights uniform:1-9 -q -o weights.h5
test_by_hand
test_tables
test_newick
test_beside_python
test_pairs
test_unused_weights
test_refused
finish
