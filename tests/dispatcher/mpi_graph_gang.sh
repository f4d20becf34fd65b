#!/usr/bin/env bash
#
# mpi_graph_gang.sh - ranks that divide a graph among them make the same result as one
# process that has it all, also after kills and stops.
. "$(dirname "$0")/../support/shell_test.sh"
need_mpirun
need_h5py

# directed_graph NODES EDGES: print arcs; some nodes have none that leave them.
directed_graph()
{
    awk -v n="$1" -v m="$2" 'BEGIN { srand(5)
        for (i = 0; i < m; i++)
            print 3 * int(rand() * n / 2), 3 * int(rand() * n) }'
}

# divided N ALGORITHM OPTION...: N ranks make the same as `serial`; n_ranks_of x.h5 is N.
divided()
{
    local n=$1

    shift
    "$RIBOGRID" graph "$@" -q --force --kernel serial -o one.h5
    if [ "$n" -eq 1 ]; then
        check "$*, 1 rank" expect_exit 0 "$RIBOGRID" graph "$@" -v --force --verify \
            --partition on -o x.h5
    else
        check "$*, $n ranks" expect_exit 0 mpi "$n" "$RIBOGRID" graph "$@" -v --force \
            --verify --partition on -o x.h5
    fi
    check "$*, $n ranks: the graph is divided" test \
        "$(grep -c 'this rank holds' "$err")" -eq "$n"
    check "$*, $n ranks: equal" equal one.h5 x.h5
}

test_ranks()
{
    local n

    "$RIBOGRID" graph make rmat --scale 11 -q -o rmat.h5
    "$RIBOGRID" graph make rmat --scale 11 --directed -q -o web.h5
    "$RIBOGRID" graph make grid --rows 20 --columns 30 -q -o grid.h5
    directed_graph 900 2000 >directed.txt
    printf '1 2\n2 3\n' >tiny.txt
    printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n700 700 3\n2 1\n' >isolated.mtx
    printf '700 699\n400 70\n' >>isolated.mtx
    for n in 1 2 3 5; do
        divided $n pagerank rmat.h5
    done
    divided 2 bfs grid.h5
    divided 3 bfs web.h5
    divided 3 components web.h5
    divided 3 pagerank directed.txt --dangling leak
    divided 5 components isolated.mtx
    divided 5 pagerank tiny.txt
}

test_choice()
{
    check "a graph that a rank does not hold" expect_exit 0 mpi 2 "$RIBOGRID" graph pagerank \
        rmat.h5 -v --device-memory 100K -o large.h5
    check "... is divided, and the log has the reason" grep -q \
        'pagerank takes about .* GB .*: it is divided among the ranks' "$err"
    check "... and the result has what was exchanged" test \
        "$(field exchange_bytes large.h5)" -gt 1000
    check "the graph is not divided by itself" expect_exit 0 "$RIBOGRID" graph pagerank \
        rmat.h5 -v --device-memory 100K -o small.h5
    check "... with one rank" grep -q 'not divided, because there is one rank' "$err"
    check "... and nothing is exchanged" test "$(field exchange_bytes small.h5)" -eq 0
    check "equal" equal large.h5 small.h5
    check "other algorithms are refused" refused 2 \
        '--partition on is for bfs, pagerank, components, not for mst' "$RIBOGRID" graph \
        mst rmat.h5 --partition on -o y.h5
    check "so are several sources" refused 2 'leave out --sources' "$RIBOGRID" graph bfs \
        rmat.h5 --sources 2 --partition on -o y.h5
    check "nothing is left" absent y.h5 y.h5.part
}

# A file whose rows only other ranks read.
test_damaged_file()
{
    "$PYTHON" - <<'END'
import h5py
with h5py.File("rmat.h5", "r") as f, h5py.File("bad.h5", "w") as g:
    for key, value in f.attrs.items():
        g.attrs.create(key, value, dtype=f.attrs.get_id(key).dtype)
    for name in f:
        if name == "run":
            continue
        values = f[name][:]
        if name == "to":
            values[-1] = len(f["id"])
        g.create_dataset(name, data=values)
END
    check "a damaged file is refused" expect_exit 1 mpi 3 "$RIBOGRID" graph pagerank bad.h5 \
        --partition on -o y.h5
    check "... by the rank that has its arc, alone" test \
        "$(grep -c '^ribogrid.*bad.h5: /to leads to a node that does not exist' "$err")" -eq 1
    check "nothing is left" absent y.h5 y.h5.part
}

test_resume()
{
    local job=(graph pagerank rmat.h5 --tolerance 0 --max-iterations 8000) how

    is_sanitized && job[6]=2000
    "$RIBOGRID" "${job[@]}" -q -o whole.h5
    for how in kill stop; do
        rm -f job.h5 job.h5.part
        check "$how" interrupted $how 17000 "$RIBOGRID" "${job[@]}" --partition on
        check "$how: info names the job" test "$(field algorithm job.h5.part)" = pagerank
        check "$how: a whole graph is another job" refused 1 \
            "job.h5.part is of another job: there 'partition=64'" "$RIBOGRID" "${job[@]}" \
            --partition off --resume -o job.h5
        if [ $how = kill ]; then
            check "$how: resumed on 2 ranks" expect_exit 0 mpi 2 "$RIBOGRID" "${job[@]}" \
                --resume -o job.h5
        else
            check "$how: resumed on 1 rank" expect_exit 0 "$RIBOGRID" "${job[@]}" --resume \
                -o job.h5
        fi
        check "$how: it continues" grep -q 'resuming: [1-9][0-9]* steps are done' "$err"
        check "$how: equal to an unbroken run" equal whole.h5 job.h5
        check "$how: no log is left" absent job.h5.part job.h5.tmp-*
    done
}

test_ranks
test_choice
test_damaged_file
test_resume
finish
