#!/usr/bin/env bash
#
# mpi_graph.sh - results of `graph` are the same on any number of ranks, and after kills and
# stops.
. "$(dirname "$0")/../support/shell_test.sh"
need_mpirun

# random_graph NODES EDGES: print weighted edges.
random_graph()
{
    awk -v n="$1" -v m="$2" 'BEGIN { srand(3); print "# Undirected"
        for (i = 0; i < m; i++)
            print 3 * int(rand() * n), 3 * int(rand() * n), 1 + int(rand() * 99) }'
}

# each_way RANKS ALGORITHM OPTION...: these numbers of ranks make the same as one process.
each_way()
{
    local n ranks=$1

    shift
    "$RIBOGRID" graph "$@" -q --force -o one.h5
    for n in $ranks; do
        check "$1, $n ranks" expect_exit 0 mpi $n "$RIBOGRID" graph "$@" -q --force --verify \
            -o x.h5
        check "$1, $n ranks: as one process" equal one.h5 x.h5
    done
}

test_ranks()
{
    random_graph 300 1500 >small.txt
    each_way "1 2 5" bfs small.txt --sources 9
    each_way 3 sssp small.txt --sources 9
    grep -v '^#' small.txt | awk '{ print "n" $1 ",n" $2 "," $3 / 7 }' >named.csv
    each_way 3 sssp named.csv --symmetrize --sources 9
    each_way 3 mst named.csv --symmetrize
    each_way 3 betweenness small.txt
    each_way 3 pagerank small.txt --directed
    each_way 3 mst small.txt
    each_way 3 mis small.txt --order degree
    each_way 3 spmv small.txt --vector random
    "$RIBOGRID" graph make tree --depth 3 --min-children 2 --max-children 9 -q -o tree.h5
    "$RIBOGRID" graph tree-descendants tree.h5 -q --force -o x.h5
    "$RIBOGRID" view x.h5 --no-header | awk 'BEGIN { print "leaf\ta\tb\tc\td" }
        $2 == 0 { print $1 "\t" $1 % 7 "\t" $1 "\t0\t" $1 "00000000000" }' >reads.tsv
    each_way "2 3" tree-descendants tree.h5 --leaf-weights reads.tsv
    check "an error of rank 0 is logged once" refused_once 'there is no node 1; give' \
        "$RIBOGRID" graph bfs small.txt --source 1 -o y.h5
    check "an error of the command line, too" refused_once 'unknown algorithm' \
        "$RIBOGRID" graph x small.txt -o y.h5
    check "nothing is left" absent y.h5 y.h5.part
}

# From a result on an earlier graph.
test_from()
{
    local algorithm

    random_graph 300 600 >before.txt
    echo '3 4 1' >new.txt
    "$RIBOGRID" graph update before.txt --add new.txt -q -o new.h5
    for algorithm in pagerank components; do
        "$RIBOGRID" graph $algorithm before.txt -q -o $algorithm.h5
        each_way 3 $algorithm new.h5 --from $algorithm.h5
    done
}

# refused_once REGEX COMMAND...: two ranks fail with one line that matches.
refused_once()
{
    local regex=$1

    shift
    mpi 2 "$@" >/dev/null 2>"$err" && return 1
    [ "$(grep -c -- "$regex" "$err")" -eq 1 ]
}

test_resume()
{
    local how n=2500

    is_sanitized && n=1000
    random_graph $n $((10 * n)) >large.txt
    "$RIBOGRID" graph betweenness large.txt -q -o whole.h5
    for how in kill stop; do
        rm -f job.h5 job.h5.part
        check "$how" interrupted $how 60000 "$RIBOGRID" graph betweenness large.txt \
            --kernel serial --threads 1
        check "$how: info names the job" test "$(field algorithm job.h5.part)" = betweenness
        check "$how: without --resume it is refused" refused 1 \
            'job.h5.part holds an unfinished run' "$RIBOGRID" graph betweenness large.txt \
            -o job.h5
        check "$how: another job is refused" refused 1 \
            "job.h5.part is of another job: there .*, now 'algorithm=bfs'" "$RIBOGRID" graph \
            bfs large.txt --resume -o job.h5
        check "$how: resumed" expect_exit 0 mpi 2 "$RIBOGRID" graph betweenness large.txt \
            --resume -o job.h5
        check "$how: it continues" grep -q 'resuming: [1-9].* of 64 blocks' "$err"
        check "$how: equal to an unbroken run" equal whole.h5 job.h5
        check "$how: no log is left" absent job.h5.part job.h5.tmp-*
    done
}

# Distances that are not whole, of sources by number.
test_resume_real()
{
    local n=2500

    is_sanitized && n=1000
    random_graph $n $((10 * n)) | awk '!/#/ { print "n" $1 "\tn" $2 "\t" $3 / 7 }' >real.tsv
    "$RIBOGRID" graph sssp real.tsv --symmetrize --sources 300 -q -o whole_real.h5
    check "sssp of real weights: killed" interrupted kill 60000 "$RIBOGRID" graph sssp real.tsv \
        --symmetrize --sources 300 --kernel serial --threads 1
    check "resumed" expect_exit 0 mpi 2 "$RIBOGRID" graph sssp real.tsv --symmetrize \
        --sources 300 --resume -o job.h5
    check "it continues" grep -q 'resuming: [1-9].* of 300 sources' "$err"
    check "equal to an unbroken run" equal whole_real.h5 job.h5
}

test_ranks
test_from
test_resume
rm -f job.h5
test_resume_real
finish
