#!/usr/bin/env bash
#
# mpi_align.sh - any number of ranks and any kernel make the same file; a lost rank costs only
# the tiles that it held.
. "$(dirname "$0")/../support/shell_test.sh"
need_mpirun
need_h5py

# ranks N OUT OPTION...
ranks()
{
    local n=$1 to=$2

    shift 2
    expect_exit 0 mpi "$n" "$RIBOGRID" align reads.fa --force -o "$to" "$@"
}

# worked N FILE: N ranks, each with at least one tile.
worked()
{
    local lines

    lines=$("$RIBOGRID" info "$2" | grep -P '^run\tdevice\t') || return 1
    echo "$lines"
    [ "$(echo "$lines" | grep -c ' tiles=[1-9]')" -eq "$1" ] && [ \
        "$(echo "$lines" | wc -l)" -eq "$1" ]
}

test_ranks()
{
    local kernel n

    "$RIBOGRID" simulate 100 --length 150 -o reads.fa
    "$RIBOGRID" align reads.fa -q -o one.h5
    for kernel in auto scalar simd; do
        [ $kernel = auto ] || "$RIBOGRID" devices | grep -q "^cpu.* $kernel" || continue
        for n in $([ $kernel = auto ] && echo 1 2 5 || echo 3); do
            check "$n ranks, kernel $kernel" ranks $n x.h5 --kernel $kernel --device cpu
            check "$n ranks, kernel $kernel: as one process" equal one.h5 x.h5
            check "$n ranks, kernel $kernel: all had work" worked $n x.h5
        done
    done
    check "pairs are computed once" test "$(field pairs_computed x.h5)" -eq 4950
    "$RIBOGRID" simulate 60 --length 150 --ambiguous 0 -o bases.fa
    "$RIBOGRID" align bases.fa -q -o n.h5 --matrix "$here/golden/hand.matrix" --ends count
    check "matrix and counted ends" expect_exit 0 mpi 3 "$RIBOGRID" align bases.fa -o \
        m.h5 \
        --matrix "$here/golden/hand.matrix" --ends count --threads 1
    check "matrix and counted ends: as one process" equal n.h5 m.h5
    mpi 5 "$RIBOGRID" align "$here/golden/two.fa" -q -o few.h5
    "$RIBOGRID" align "$here/golden/two.fa" -q -o two.h5
    check "pairs without an identity" expect_exit 0 mpi 3 "$RIBOGRID" align \
        "$here/golden/mixed.fa" -o mixed.h5
    check "are counted on all ranks" test "$(field pairs_without_identity mixed.h5)" -eq 6
    check "and logged once" test \
        "$(grep -c ': 6 of 28 pairs have no identity: ' "$err")" -eq 1
    check "an unknown option of all ranks" expect_exit 2 mpi 3 "$RIBOGRID" align x.fa --bad
    check "is refused once" test "$(grep -c 'unknown option --bad' "$err")" -eq 1
    check "more ranks than tiles" equal two.h5 few.h5
    mpi 2 "$RIBOGRID" align - -q -o stdin.h5 <reads.fa
    check "stdin of rank 0" equal one.h5 stdin.h5
}

# An error is logged once, by any rank.
logged_once()
{
    local regex=$1

    shift
    "$@" >"$out" 2>"$err" && echo "exit 0" && return 1
    [ "$(grep -c '^ribogrid' "$err")" -eq 1 ] && grep -Eq "^ribogrid.*$regex" "$err" \
        && return
    cat "$err"
    return 1
}

test_errors()
{
    check "a missing input is logged once" logged_once 'cannot read missing.fa' \
        mpi 3 "$RIBOGRID" align missing.fa -o e.h5
    check "an existing output is logged once" logged_once 'one.h5 exists' \
        mpi 3 "$RIBOGRID" align reads.fa -o one.h5
    check "a missing matrix is logged once" logged_once 'cannot read none.matrix:' \
        mpi 3 "$RIBOGRID" align reads.fa -o e.h5 --matrix none.matrix
    check "a missing directory is logged once" logged_once 'nowhere/e.h5: cannot create' \
        mpi 3 "$RIBOGRID" align reads.fa -o nowhere/e.h5
    check "no files are left" absent e.h5 e.h5.part e.h5.tmp-*
}

# Kill a rank of two once the log has grown.
lose()
{
    local launcher pid status

    rm -f lost.h5 lost.h5.part
    exec_mpi 2 "$RIBOGRID" align long.fa -q --kernel scalar --threads 1 -o lost.h5 \
        >lost.txt 2>&1 &
    launcher=$!
    until_true 300 larger_than 4000 lost.h5.part || return 1
    pid=$(rank_pid $launcher "$1")
    kill -9 "$pid" || return 1
    wait $launcher
    status=$?
    until_true 100 is_gone "$pid" || return 1
    echo "mpirun: $status"
    [ $status -ne 0 ] && absent lost.h5 lost.h5.tmp-* && test -s lost.h5.part
}

test_lost_rank()
{
    local rank before

    "$RIBOGRID" simulate 300 --length 150 --seed 2 -o long.fa
    "$RIBOGRID" align long.fa -q -o whole.h5
    for rank in 1 0; do
        check "rank $rank is lost: mpirun fails, the log stays" lose $rank
        before=$(log_state lost.h5.part | cut -d ' ' -f 2)
        check "finished tiles are in the log" test "${before:-0}" -gt 0
        check "--resume" expect_exit 0 mpi 2 "$RIBOGRID" align long.fa -q --resume -o \
            lost.h5
        check "as one process" equal whole.h5 lost.h5
        check "finished pairs were not computed again" test \
            "$((before + $(field pairs_computed lost.h5)))" -eq 44850
        check "the log is gone" absent lost.h5.part lost.h5.tmp-*
    done
}

test_ranks
test_errors
test_lost_rank
finish
