#!/usr/bin/env bash
#
# lost_device.sh - a rank that loses its device in the middle of a run continues with its CPU,
# and the results are the same; likewise after other faults, if need be with --resume.
#
# Needs a build with RIBOGRID_FAULTS, in which the CPU can be "lost" like a GPU.
. "$(dirname "$0")/../support/shell_test.sh"
grep -q RIBOGRID_FAULTS_PLAN "$RIBOGRID" || skip "built without RIBOGRID_FAULTS"

# Slow enough for several batches, and for both of two ranks.
run()
{
    "$@" "$RIBOGRID" "${job[@]}" "${slow[@]}" --threads 1 --force -o x.h5 "${options[@]}"
}

warned() # RANK
{
    [ "$(grep -c "warning: rank $1 lost its device .* and it continues with its CPU" \
        "$err")" -eq 1 ] && [ "$(grep -c 'lost its device' "$err")" -eq 1 ] && return
    cat "$err"
    return 1
}

device_lines() # FILE N: N ranks lost their device
{
    [ "$("$RIBOGRID" info "$1" | grep -c 'device_lost=1')" -eq "$2" ]
}

# lost RANK WHOLE SENTENCE COMMAND...: the job is as the whole one, with one warning.
lost()
{
    local rank=$1 whole=$2 sentence=$3

    shift 3
    check "$sentence" expect_exit 0 run env "$@"
    check "$sentence: one warning" warned "$rank"
    check "$sentence: the result file shows it" device_lines x.h5 1
    check "$sentence: equal datasets" equal "$whole" x.h5
}

# with WHOLE OPTION...: what the following runs are compared with.
with()
{
    local to=$1

    shift
    options=("$@")
    "$RIBOGRID" "${job[@]}" -q --force -o "$to" "${options[@]}"
}

test_one_process()
{
    with whole.h5
    lost 0 whole.h5 "all pairs, first batch" RIBOGRID_FAULTS_PLAN=0:0:device
    lost 0 whole.h5 "all pairs, a later batch" RIBOGRID_FAULTS_PLAN=0:100:device
    with whole.h5 --emit cigar --id 0.7
    lost 0 whole.h5 "hits with CIGARs" RIBOGRID_FAULTS_PLAN=0:0:device
    with whole.h5 --against reads.fa --top 3 --id 0.5 --strand both
    lost 0 whole.h5 "best hits" RIBOGRID_FAULTS_PLAN=0:0:device
}

test_two_ranks()
{
    command -v mpirun >/dev/null && ! is_sanitized || return # Open MPI itself leaks
    with two.h5
    for rank in 0 1; do
        lost $rank two.h5 "rank $rank of two" RIBOGRID_FAULTS_PLAN=$rank:5:device mpirun \
            --oversubscribe --bind-to none -n 2
    done
}

# A plan is followed, or the run fails.
test_plans()
{
    slow=(-q)
    with whole.h5
    check "a record that is written in two parts" expect_exit 0 run env \
        RIBOGRID_FAULTS_PLAN=0:3:short
    check "a record that is written in two parts: equal datasets" equal whole.h5 x.h5
    for kind in enospc eio malloc; do
        check "$kind: the run fails" expect_exit 1 run env RIBOGRID_FAULTS_PLAN=0:50:$kind
        check "$kind: --resume continues it" expect_exit 0 "$RIBOGRID" "${job[@]}" \
            -o x.h5 --resume
        check "$kind: not from the start" grep -q 'resuming: ' "$err"
        check "$kind: equal datasets" equal whole.h5 x.h5
    done
    check "no memory for a batch" expect_exit 0 env RIBOGRID_FAULTS_PLAN=0:100:memory \
        "$RIBOGRID" "${job[@]}" --force -o x.h5
    check "no memory for a batch: the next ones are smaller" grep -q \
        'rank 0 had no memory for a batch .* continues with at most .* tasks in a batch' "$err"
    check "no memory for a batch: equal datasets" equal whole.h5 x.h5
    check "a fault that did not happen" refused 2 \
        'of 1 faults 0:99999-99999:short 0 happened' \
        run env RIBOGRID_FAULTS_PLAN=0:99999:short
    check "no plan" refused 2 "'0:1' is no fault; give RANK:N:KIND" \
        run env RIBOGRID_FAULTS_PLAN=0:1
    slow=(--kernel scalar)
}

# test_wrong SENTENCE COMMAND...: 20 results of a rank are wrong; none is used.
test_wrong()
{
    local sentence=$1

    shift
    check "$sentence: wrong results" expect_exit 0 "$@"
    check "$sentence: the rank and its device are named, once" test "$(grep -c \
        'rank [01] (.*, kernel .*) computed task [0-9]* wrongly; the result is not used' \
        "$err")" -eq 1
    check "$sentence: all are found" grep -q 'rank [01] (.*): 20 wrong results in all' "$err"
    check "$sentence: equal datasets" equal whole.h5 x.h5
}

test_comparisons()
{
    local plan=RIBOGRID_FAULTS_PLAN

    slow=(-q)
    with whole.h5
    test_wrong "--recompute" env $plan=0:7-26:wrong "$RIBOGRID" "${job[@]}" --force -q -o x.h5 \
        --recompute 100
    command -v mpirun >/dev/null && ! is_sanitized || return # Open MPI itself leaks
    test_wrong "--redundancy" mpi 3 env $plan=1:7-26:wrong "$RIBOGRID" "${job[@]}" --force \
        -q --threads 1 -o x.h5 --redundancy 3
    test_wrong "--recompute on two ranks" mpi 2 env $plan=1:7-26:wrong "$RIBOGRID" \
        "${job[@]}" --force -q --threads 1 -o x.h5 --recompute 100
    check "two results without a majority" expect_exit 1 mpi 2 env $plan=1:7:wrong \
        "$RIBOGRID" "${job[@]}" --force -q --threads 1 -o x.h5 --redundancy 2
    check "two results without a majority: the run ends" grep -q \
        '2 results of task [0-9]* differ, and no majority agrees' "$err"
}

# A device that never ends is given up, in one process too; of two ranks, the other one has
# computed the tiles by then.
test_hang()
{
    local n=$1 rank=$2

    options=(--task-timeout 1)
    check "rank $rank of $n hangs" expect_exit 0 run env \
        RIBOGRID_FAULTS_PLAN="$rank:5:stall" "${@:3}"
    check "rank $rank of $n hangs: a warning" grep -q \
        "rank $rank has not answered for 1 s (--task-timeout): its .* tasks go to others" "$err"
    check "rank $rank of $n hangs: it goes on" grep -q \
        "rank $rank gave up its device .* continues with its CPU" "$err"
    check "rank $rank of $n hangs: equal datasets" equal whole.h5 x.h5
}

test_hangs()
{
    slow=(--kernel simd)
    with whole.h5
    test_hang 1 0
    slow=(--kernel scalar)
    command -v mpirun >/dev/null && ! is_sanitized || return # Open MPI itself leaks
    test_hang 2 1 mpirun --oversubscribe --bind-to none -n 2
}

# run_suspended: rank 1 of 3 suspends itself when the output was made; the run ends within 60 s.
run_suspended()
{
    export RIBOGRID_FAULTS_PLAN=1:0:suspend
    exec_mpi 3 "$RIBOGRID" "${job[@]}" --force --threads 1 --task-timeout 2 \
        --blast6out x.b6 -o x.h5 >/dev/null 2>"$err" &
    unset RIBOGRID_FAULTS_PLAN
    until_true 600 is_gone $! && wait $!
}

# What is made of the output comes, too; the launcher ends the rank.
test_suspended()
{
    command -v mpirun >/dev/null || return
    "$RIBOGRID" "${job[@]}" -q --force --blast6out whole.b6 -o whole.h5
    check "a rank is suspended after the output" run_suspended
    check "a rank is suspended after the output: it is named" grep -q \
        'warning: rank 1 on .* does not stop; ending without it' "$err"
    check "a rank is suspended after the output: equal datasets" equal whole.h5 x.h5
    check "a rank is suspended after the output: other files" same whole.b6 x.b6
}

# A task is a source of bfs, or a block of sources.
test_graph()
{
    local algorithm choice

    "$RIBOGRID" graph make rmat --scale $scale --drop-loops --dedupe -q -o rmat.h5
    for algorithm in bfs betweenness; do
        job=(graph "$algorithm" rmat.h5)
        slow=(--kernel serial)
        with whole.h5 --sources 300 # a batch has at most 256 of bfs
        lost 0 whole.h5 "graph $algorithm, first batch" RIBOGRID_FAULTS_PLAN=0:0:device
        [ "$algorithm" = betweenness ] ||
            lost 0 whole.h5 "graph $algorithm, second batch" RIBOGRID_FAULTS_PLAN=0:280:device
    done
    "$RIBOGRID" devices | grep -q '^cuda:' || return
    job=(graph bfs rmat.h5)
    for choice in '' '--kernel cuda' '--variant U_B_QU'; do
        # shellcheck disable=SC2206 # words
        slow=($choice)
        with whole.h5 --sources 1000
        lost 0 whole.h5 "graph bfs $choice on a GPU" RIBOGRID_FAULTS_PLAN=0:300:device
    done
}

# A task is a block of reads, or of samples of references.
test_classify()
{
    "$RIBOGRID" simulate 60 --length 400 --seed 5 -o refs.fa
    grep '^>' refs.fa | awk '{ sub(/^>/, "", $1); print $1 "\tBacteria;Genus " int(n / 5); n++ }' \
        >refs.tax
    "$RIBOGRID" simulate $n_genes --length 200 --seed 6 -o genes.fa
    job=(classify train refs.fa --taxonomy refs.tax)
    slow=()
    with model.h5 --held-out 20
    lost 0 model.h5 "classify train" RIBOGRID_FAULTS_PLAN=0:1:device
    job=(classify genes.fa --model model.h5)
    slow=(--kernel reference)
    with whole.h5
    lost 0 whole.h5 "classify" RIBOGRID_FAULTS_PLAN=0:0:device
}

n=100
length=150
n_genes=2000
scale=12
is_sanitized && n=80 && length=45 && n_genes=600 && scale=10 # much slower
"$RIBOGRID" simulate $n --length $length --seed 3 -o reads.fa
job=(align reads.fa)
slow=(--kernel scalar)
test_one_process
test_plans
test_comparisons
test_hangs
test_suspended
test_two_ranks
test_graph
test_classify
finish
