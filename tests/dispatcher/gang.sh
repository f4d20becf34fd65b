#!/usr/bin/env bash
#
# gang.sh - a gang job makes the same bytes on any number of ranks, whether it is stopped,
# killed or fails on the way, and resumed on another number of ranks.
#
#   RIBOGRID_GANG_JOB=build/tests/gang_job tests/dispatcher/gang.sh
. "$(dirname "$0")/../support/shell_test.sh"
job=${RIBOGRID_GANG_JOB:?give the program gang_job}
job=$(cd "$(dirname "$job")" && pwd)/$(basename "$job")
need_mpirun
RANDOM=${RIBOGRID_SEED:-1}
slowly=(steps=400 every=10 sleep_us=10000 blocks=7)

# run N OUT OPTION...: without a launcher on one rank.
run()
{
    local n=$1

    shift
    if [ "$n" -eq 1 ]; then
        "$job" "$@"
    else
        mpi "$n" "$job" "$@"
    fi
}

# begin N OUT OPTION...: in the background; its process is $pid.
begin()
{
    local n=$1

    shift
    if [ "$n" -eq 1 ]; then
        "$job" "$@" 2>"$err" &
    else
        exec_mpi "$n" "$job" "$@" 2>"$err" &
    fi
    pid=$!
}

# resumed N: x.bin continues from a checkpoint and is equal to a run that was not stopped.
resumed()
{
    check "$what: --resume on $1 ranks" expect_exit 0 run "$1" x.bin "${slowly[@]}" \
        sleep_us=0 resume=1
    check "$what: it continues from a checkpoint" grep -Eq 'resuming: [1-9][0-9]* steps are done' "$err"
    check "$what: equal bytes" same whole.bin x.bin
    check "$what: the log is gone" absent x.bin.part
}

test_ranks()
{
    local n

    for n in 2 5; do
        check "$n ranks: every operation" expect_exit 0 run $n none.bin check=1
        check "$n ranks" expect_exit 0 run $n x.bin "${slowly[@]}" sleep_us=0
        check "$n ranks: equal bytes" same whole.bin x.bin
    done
    check "more ranks than blocks" expect_exit 0 run 5 few.bin blocks=2
    run 1 one.bin blocks=2 2>/dev/null
    check "more ranks than blocks: equal bytes" same one.bin few.bin
    check "checkpoints by time" expect_exit 0 run 2 x.bin steps=400 blocks=7
    check "checkpoints by time: equal bytes" same whole.bin x.bin
}

# A signal to N ranks; M resume.
test_signal()
{
    local signal=$1 n=$2 m=$3 status

    what="$signal to $n ranks"
    rm -f x.bin x.bin.part
    begin "$n" x.bin "${slowly[@]}"
    check "$what: a checkpoint" until_true 100 larger_than 12000 x.bin.part
    kill -s "$signal" "$pid"
    wait "$pid"
    status=$?
    check "$what: exit 75, not $status" test $status -eq 75
    check "$what: it logs at once that it will stop" grep -q 'stopping after the current step' "$err"
    check "$what: it logs where it has stopped" test \
        "$(grep -c 'stopped: the checkpoint after [0-9]* steps is kept' "$err")" -eq 1
    check "$what: no output" absent x.bin
    resumed "$m"
}

# After a second signal the step that runs is dropped: its checkpoint is not waited for.
test_second_signal()
{
    local status

    what="a second signal"
    rm -f x.bin x.bin.part
    begin 1 x.bin steps=400 every=1 sleep_us=5000000 blocks=7
    check "$what: a checkpoint" until_true 100 larger_than 1000 x.bin.part
    kill -s TERM "$pid"
    sleep 0.3
    kill -s TERM "$pid"
    wait "$pid"
    status=$?
    check "$what: exit 75, not $status" test $status -eq 75
    check "$what: no further checkpoint" grep -q 'stopped: the checkpoint after 1 steps' "$err"
    resumed 2
}

our_lines()
{
    grep -c '^ribogrid: ' "$err"
}

# Kill -9 a rank of N; M resume.
test_killed_rank()
{
    local n=$1 victim=$2 m=$3 before status

    what="kill -9 of rank $victim of $n"
    rm -f x.bin x.bin.part
    begin "$n" x.bin "${slowly[@]}"
    check "$what: a checkpoint" until_true 100 larger_than 12000 x.bin.part
    before=$(our_lines)
    kill -9 "$(rank_pid "$pid" "$victim")"
    wait "$pid"
    status=$?
    check "$what: exit 137, not $status" test $status -eq 137
    check "$what: one line of ours at most" test "$(our_lines)" -le $((before + 1))
    resumed "$m"
}

# A step that fails on a rank of N.
test_failing_rank()
{
    local n=$1 fails_on=$2

    what="rank $fails_on of $n fails"
    rm -f x.bin x.bin.part
    check "$what: exit 1" expect_exit 1 run "$n" x.bin "${slowly[@]}" sleep_us=1000 \
        fails_on="$fails_on" fails_at=55
    check "$what: the cause" grep -q "rank $fails_on fails in step 55" "$err"
    check "$what: one line on the end" test \
        "$(grep -c "rank $fails_on failed and a gang needs all ranks; checkpoints are kept" \
            "$err")" -eq 1
    resumed 2
}

# Killed again and again, on ever other numbers of ranks.
test_random_kills()
{
    local ranks=(3 1 5 2) n_killed=0 n i

    what="kills at random times"
    rm -f x.bin x.bin.part
    for i in 0 1 2 3; do
        n=${ranks[$((i % 4))]}
        begin "$n" x.bin steps=400 every=3 sleep_us=20000 blocks=7 resume=1
        sleep "0.$((RANDOM % 6 + 3))"
        victims=$(children "$pid")
        kill -9 "$pid" 2>/dev/null && n_killed=$((n_killed + 1))
        for victim in $victims; do
            kill -9 "$victim" 2>/dev/null
        done
        wait "$pid" 2>/dev/null
    done
    check "$what: several" test $n_killed -gt 1
    check "$what: not finished" absent x.bin
    resumed 3
}

run 1 whole.bin "${slowly[@]}" sleep_us=0 2>/dev/null
test_ranks
test_signal TERM 1 3
test_signal USR1 3 1
test_second_signal
test_killed_rank 3 1 2
test_killed_rank 2 0 3
test_failing_rank 3 2
test_failing_rank 3 0
test_failing_rank 1 0
test_random_kills
finish
