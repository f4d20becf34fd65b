#!/usr/bin/env bash
#
# cli_graph_run.sh - `ribogrid graph run`: shipped programs beside the algorithms, programs of
# one's own, and what is refused.
. "$(dirname "$0")/../support/shell_test.sh"

# same ALGORITHM GRAPH [OPTION...]: the shipped program has the values of the algorithm.
same()
{
    local algorithm=$1 graph=$2 set=()

    shift 2
    case $algorithm in bfs | sssp) set=(--set source=max-degree) ;; esac
    expect_exit 0 "$RIBOGRID" graph "$algorithm" "$graph" --symmetrize --drop-loops --dedupe \
        "$@" --force -q -o a.h5 &&
        expect_exit 0 "$RIBOGRID" graph run "$algorithm" "$graph" --symmetrize --drop-loops \
            --dedupe "$@" ${set[0]+"${set[@]}"} --force -q -o b.h5 || return 1
    "$RIBOGRID" view a.h5 >a.txt && "$RIBOGRID" view b.h5 >b.txt && cmp a.txt b.txt
}

# refused CODE WANT WORD...: exit code, one line with WANT, and no output.
refused()
{
    local code=$1 want=$2

    shift 2
    expect_exit "$code" "$RIBOGRID" graph run "$@" -q -o no.h5 && expect_line "$want" "$err" &&
        [ ! -e no.h5 ]
}

test_shipped()
{
    local algorithm

    "$RIBOGRID" graph make rmat --scale 9 --directed -q -o rmat.h5
    "$RIBOGRID" graph make grid --rows 12 --columns 9 --weights uniform:1-9 -q -o grid.h5
    for algorithm in bfs sssp pagerank components triangles mis coloring; do
        check "$algorithm of an R-MAT graph" same "$algorithm" rmat.h5
        check "$algorithm of a grid" same "$algorithm" grid.h5
    done
    check "random weights" same sssp rmat.h5 --weights uniform:1-255:7
    printf 'source,target,weight\na,b,0.7\nb,c,0.25\na,c,1\n' >links.csv
    check "names and real weights" same sssp links.csv
}

# A program of one's own: how many steps away, and how many nodes are that far away.
test_own()
{
    cat >far.rg <<'END'
param node from;
param int most = 2;
output attribute int steps = -1;
output attribute bool is_near;
set now;
set next;
int level;
from.steps = 0;
now.add(from);
while (now.size > 0) {
    level += 1;
    foreach (v in now) {
        foreach (u in v.out where u.steps < 0) { next.add(u); }
    }
    foreach (v in next) { v.steps = level; }
    now.clear();
    swap now, next;
}
foreach (v in nodes) { v.is_near = v.steps >= 0 && v.steps <= most; }
END
    printf '10 20\n20 30\n30 40\n50 60\n' >path.txt
    check "it runs" expect_exit 0 "$RIBOGRID" graph run far.rg path.txt --set from=10 -q -o far.h5
    check "and is viewed" expect_exit 0 "$RIBOGRID" view far.h5
    printf 'id\tsteps\tis_near\n10\t0\t1\n20\t1\t1\n30\t2\t1\n40\t3\t0\n50\t-1\t0\n60\t-1\t0\n' >want.txt
    check "with these values" cmp want.txt "$out"
    check "params" expect_exit 0 "$RIBOGRID" graph run far.rg path.txt --set from=20,most=1 \
        --force -q -o far.h5
    check "are in the job" expect_exit 0 "$RIBOGRID" info far.h5
    check "the node by its id" grep -Pqx 'job\tfrom\t20' "$out"
    check "the number" grep -Pqx 'job\tmost\t1' "$out"
    check "a page is drawn" expect_exit 0 "$RIBOGRID" report far.h5 -o far.html
    check "from stdin" expect_exit 0 "$RIBOGRID" graph run - path.txt --set from=10 --force -q \
        -o far.h5 <far.rg
    check "an output stays" expect_exit 1 "$RIBOGRID" graph run far.rg path.txt --set from=10 \
        -q -o far.h5
}

# A program that changes its graph: each node is reached from a new one; 20 goes.
test_changed()
{
    cat >hub.rg <<'END'
output attribute int arcs;
new node hub;
foreach (v in nodes) {
    new edge (hub, v, v.id);
    if (v.id == 20) { delete node v; }
}
rebalance;
foreach (v in nodes) { v.arcs = v.degree; }
END
    printf '10 20\n20 30\n30 40\n' >path4.txt
    for kernel in interpreter c; do
        check "it runs by $kernel" expect_exit 0 "$RIBOGRID" graph run hub.rg path4.txt \
            --kernel "$kernel" --output-graph hub.txt --force -q -o hub.h5
        check "it is viewed" expect_exit 0 "$RIBOGRID" view hub.h5
        printf 'id\tarcs\n10\t0\n30\t1\n40\t0\n41\t4\n' >want.txt
        check "with the new nodes" cmp want.txt "$out"
        check "and arcs" grep -Pqx '41\t30 30' hub.txt
    done
    check "the graph is read" expect_exit 0 "$RIBOGRID" graph run components hub.txt --directed \
        --force -q -o hub.h5
    check "HDF5, too" expect_exit 0 "$RIBOGRID" graph run hub.rg path4.txt --output-graph hub2.h5 \
        --force -q -o hub.h5
    check "whose nodes" expect_exit 0 "$RIBOGRID" info hub2.h5
    check "are four" grep -Pq 'nodes\t4$' "$out"
    check "names are not kept" refused 1 'links.csv: its nodes have names' hub.rg links.csv \
        --output-graph hub3.h5
    check "a name of no format" refused 2 'hub.xyz' hub.rg path4.txt --output-graph hub.xyz
    check "results have ids then" expect_exit 0 "$RIBOGRID" graph run hub.rg links.csv --force -q \
        -o hub.h5
}

# wait_for FILE: until it is there.
wait_for()
{
    local k

    for ((k = 0; k < 500; k++)); do
        [ ! -s "$1" ] || return 0
        sleep 0.02
    done
    return 1
}

# A run is a job with two outputs: the same ones of several ranks, and after a kill.
test_job()
{
    local run=("$RIBOGRID" graph run hub.rg path4.txt --output-graph job.txt -q -o job.h5) n

    check "a run" expect_exit 0 "${run[@]}"
    mv job.h5 whole.h5 && mv job.txt whole.txt
    for n in $(mpi 1 true >/dev/null 2>&1 && echo 2 3); do
        check "$n ranks" expect_exit 0 mpi "$n" "${run[@]}" --force
        check "the same result" equal whole.h5 job.h5
        check "and graph" cmp whole.txt job.txt
    done
    rm -f job.txt
    check "a result without its graph" expect_exit 1 "${run[@]}" --resume
    check "is not half a result" expect_line 'job.h5 exists, but job.txt does not' "$err"
    rm -f job.h5
    mkfifo job.txt # it waits for a reader, with the finished task in the log
    "${run[@]}" --resume 2>"$err" &
    check "a run waits" wait_for job.h5.part
    sleep 0.2
    kill -9 $! && wait $! 2>/dev/null
    rm job.txt
    check "and is killed" [ -s job.h5.part ]
    check "other ones are refused" expect_exit 1 "$RIBOGRID" graph run far.rg path4.txt \
        --set from=10 --resume -q -o job.h5
    check "resumed" expect_exit 0 "${run[@]}" --resume
    check "with this result" equal whole.h5 job.h5
    check "with this graph" cmp whole.txt job.txt
    check "once more" expect_exit 0 "${run[@]}" --resume
    check "and without a log" [ ! -e job.h5.part ]
    check "a plan" expect_exit 0 "$RIBOGRID" graph run hub.rg path4.txt --plan
    check "names the program" grep -Pqx 'programs\t1' "$out"
    check "other graphs are refused by it" expect_exit 2 "$RIBOGRID" graph run hub.rg path4.txt \
        --plan --output-graph job.xyz
}

# (a|b)*ab as an automaton, made deterministic, and the defaults of its three states.
test_automata()
{
    printf '0 0 97\n0 0 98\n0 1 97\n1 2 98\n2 2 256\n' >nfa.txt
    check "subset" expect_exit 0 "$RIBOGRID" graph run subset nfa.txt --directed --set start=0 \
        --output-graph dfa.txt -q -o subset.h5
    check "it has states" expect_exit 0 "$RIBOGRID" view subset.h5
    printf 'id\tstate\taccepts\n3\t0\t0\n5\t1\t0\n8\t2\t1\n' >want.txt
    check "three of them" cmp want.txt "$out"
    check "adfa" expect_exit 0 "$RIBOGRID" graph run adfa dfa.txt --directed --set start=3 -q \
        -o adfa.h5
    check "it has defaults" expect_exit 0 "$RIBOGRID" view adfa.h5
    printf 'id\tlevel\tfallback\tkept\n3\t0\t-1\t2\n5\t1\t-1\t2\n8\t2\t3\t0\n' >want.txt
    check "one of them" cmp want.txt "$out"
}

# Compiled programs have the same datasets.
test_compiled()
{
    command -v "${CC:-cc}" >/dev/null || return
    "$RIBOGRID" graph make rmat --scale 13 -q -o large.h5
    for program in bfs pagerank; do
        set=()
        [ "$program" != bfs ] || set=(--set source=max-degree)
        for kernel in interpreter c; do
            check "$program by $kernel" expect_exit 0 "$RIBOGRID" graph run "$program" large.h5 \
                ${set[0]+"${set[@]}"} --kernel "$kernel" --threads 3 --force -q -o "$kernel.h5"
            "$RIBOGRID" view "$kernel.h5" >"$kernel.txt"
        done
        check "$program has the same values" cmp interpreter.txt c.txt
    done
    check "auto compiles it" expect_exit 0 "$RIBOGRID" graph run pagerank large.h5 --force -q -o auto.h5
    check "which info says" grep -q seconds_compile <("$RIBOGRID" info auto.h5)
    check "code" expect_exit 0 "$RIBOGRID" graph run pagerank --code c
    check "is C" "${CC:-cc}" -std=gnu11 -Wall -Wextra -Wno-unused -Werror -x c -c -o code.o "$out"
    check "code for GPUs" expect_exit 0 "$RIBOGRID" graph run pagerank --code cuda
    check "has its kernels" grep -q '^KERNEL kernel4' "$out"
    printf 'output attribute int x;\nnode n;\nn.x = 1;\n' >none.rg
    check "errors have their place" refused 1 'none.rg:3:1: this node is none' none.rg path.txt \
        --kernel c
}

# Without a compiler.
test_no_compiler()
{
    check "it is interpreted" env CC=/no/cc "$RIBOGRID" graph run pagerank large.h5 -q -o none.h5
    export CC=/no/cc
    check "or refused" refused 1 '/no/cc: it cannot be run.*--kernel interpreter' pagerank \
        path.txt --kernel c
    unset CC
}

test_refused()
{
    printf 'output attribute int x;\nwhile (true) { }\n' >endless.rg
    printf 'output attribute int x;\nforeach (v in nodes) {\n    v.x = sum(u in v.out: u.x);\n}\n' >race.rg
    printf 'output attribute real x = infinity;\n' >infinite.rg
    printf 'output attribute int x\n\xff' >bytes.rg
    check "a race" refused 1 'race.rg:3:5: race: this changes .x.' race.rg path.txt
    check "an endless program" refused 1 'endless.rg:2:1: .* after 7 iterations' endless.rg \
        path.txt --max-iterations 7
    check "a value that is not finite" refused 1 'x of node 10 is inf' infinite.rg path.txt
    check "bytes that are no program" refused 1 'bytes.rg:2:1: ' bytes.rg path.txt
    check "a missing program" refused 1 'bsf: neither a file nor a shipped program' bsf path.txt
    check "a param without a value" refused 1 'bfs:4:12: the param .source. has no value' bfs \
        path.txt
    check "a param that it lacks" refused 2 'bfs has no such param; did you mean source' bfs \
        path.txt --set sourc=10
    check "a node that is not there" refused 1 'there is no node 11' bfs path.txt --set source=11
    check "no value" refused 2 'give NAME=VALUE' bfs path.txt --set source
    check "two values" refused 2 'given twice' bfs path.txt --set source=10,source=20
    check "a word for a number" refused 2 'type real; give a number' pagerank path.txt \
        --set damping=x
    check "a broken number" refused 2 'type int; give a whole number' pagerank path.txt \
        --set iterations=1.5
    check "weights that are not read" refused 2 'bfs uses no weights' bfs path.txt \
        --set source=10 --weights unit
    check "weights that are none" refused 2 '--weights x: give file, unit or uniform' sssp \
        path.txt --set source=10 --weights x
    check "both directions" refused 2 'not both' components path.txt --directed --symmetrize
    check "a missing graph" refused 1 'cannot read none.txt' components none.txt
    check "no output" expect_exit 2 "$RIBOGRID" graph run bfs path.txt
    check "stdout" expect_exit 2 "$RIBOGRID" graph run bfs path.txt -o -
    check "code of a run" expect_exit 2 "$RIBOGRID" graph run bfs path.txt --code c
    check "code of a plan" expect_exit 2 "$RIBOGRID" graph run bfs --code c --plan
    check "C on a GPU" refused 2 '--kernel c does not run on --device cuda' components path.txt \
        --kernel c --device cuda
    check "CUDA on a CPU" refused 2 '--kernel cuda does not run on --device cpu' components \
        path.txt --kernel cuda --device cpu
    check "another device" refused 2 '--device tpu: give auto, cpu, cuda or cuda:I' components \
        path.txt --device tpu
    check "no graph" refused 2 'give GRAPH' bfs
}

test_shipped
test_own
test_changed
test_job
test_automata
test_compiled
test_no_compiler
test_refused
finish
