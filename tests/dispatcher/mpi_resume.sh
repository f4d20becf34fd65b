#!/usr/bin/env bash
#
# mpi_resume.sh - stop by signals, and resume: finished tiles are not computed again, another
# job is refused, a second run waits for the first.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
pairs=44850

# Slow enough to be stopped in the middle.
slowly()
{
    exec "$RIBOGRID" align long.fa --kernel scalar --threads 1 "$@"
}

# stop SIGNAL OPTION...: start a run into s.h5, stop it in its middle.
stop()
{
    local signal=$1 pid start status

    shift
    slowly -o s.h5 "$@" 2>"$err" &
    pid=$!
    until_true 300 larger_than 4000 s.h5.part || return 1
    start=$(now_ms)
    kill -s "$signal" $pid
    wait $pid
    status=$?
    cat "$err"
    echo "exit $status after $(($(now_ms) - start)) ms"
    [ $status -eq 75 ] && [ $(($(now_ms) - start)) -lt 10000 ]
}

# A stopped run keeps its tiles, and the next run continues after them.
test_signal()
{
    local signal=$1 tiles before state

    rm -f s.h5
    check "$signal: exit 75 within 10 s" stop "$signal"
    check "$signal: logged in one line" test \
        "$(grep -c 'stopped: .* tiles are finished; run again with --resume' "$err")" -eq 1
    check "$signal: no result yet" absent s.h5 s.h5.tmp-*
    state=$(log_state s.h5.part)
    check "$signal: no tile is in the log twice" test -n "$state"
    tiles=${state%% *}
    before=$(echo "$state" | cut -d ' ' -f 2)
    check "$signal: the message counts the log's tiles" grep -q \
        "stopped: ${tiles:-x} of " "$err"
    check "$signal: without --resume it is refused" refused 1 \
        's.h5.part holds an unfinished run' \
        "$RIBOGRID" align long.fa -o s.h5
    check "$signal: --resume" expect_exit 0 "$RIBOGRID" align long.fa -o s.h5 --resume
    check "$signal: it logs where it continues" grep -q "resuming: ${tiles:-x} of " "$err"
    check "$signal: equal to an unbroken run" equal whole.h5 s.h5
    check "$signal: no pair is computed again" test \
        "$((before + $(field pairs_computed s.h5)))" -eq $pairs
    check "$signal: the log is gone" absent s.h5.part s.h5.tmp-*
}

test_launcher_signal()
{
    local launcher status

    command -v mpirun >/dev/null || return
    rm -f s.h5
    exec_mpi 2 "$RIBOGRID" align long.fa --kernel scalar --threads 1 -o s.h5 >"$out" \
        2>"$err" &
    launcher=$!
    until_true 300 larger_than 4000 s.h5.part
    kill -s USR1 $launcher
    wait $launcher
    status=$?
    check "USR1 to mpirun: exit 75, not $status" test $status -eq 75
    check "USR1 to mpirun: logged once" test "$(grep -c 'stopped: ' "$err")" -eq 1
    check "USR1 to mpirun: --resume by a single process" expect_exit 0 \
        "$RIBOGRID" align long.fa -q -o s.h5 --resume
    check "USR1 to mpirun: equal to an unbroken run" equal whole.h5 s.h5
}

# srun passes SIGTERM on to every rank.  Open MPI's mpirun does so, too, but ends itself with
# 1, whatever its ranks return, and kills them a second later.
test_term()
{
    local launcher status

    command -v mpirun >/dev/null || return
    rm -f s.h5
    exec_mpi 2 "$RIBOGRID" align long.fa --kernel scalar --threads 1 -o s.h5 >"$out" \
        2>"$err" &
    launcher=$!
    until_true 300 larger_than 4000 s.h5.part
    kill -s TERM "$(rank_pid $launcher 0)" "$(rank_pid $launcher 1)"
    wait $launcher
    status=$?
    check "TERM to every rank: exit 75, not $status" test $status -eq 75
    check "TERM to every rank: logged once" test "$(grep -c 'stopped: ' "$err")" -eq 1
    check "TERM to every rank: no rank is missed" test "$(grep -c "was lost" "$err")" -eq 0
    exec_mpi 2 "$RIBOGRID" align long.fa --kernel scalar --threads 1 -o s.h5 --resume \
        >"$out" 2>"$err" &
    launcher=$!
    until_true 300 grep -q resuming "$err"
    kill -s TERM $launcher
    wait $launcher
    status=$?
    check "TERM to mpirun: exit 1 or 75, not $status" test $status -eq 1 -o $status -eq 75
    check "TERM to mpirun: --resume by a single process" expect_exit 0 \
        "$RIBOGRID" align long.fa -q -o s.h5 --resume
    check "TERM to mpirun: equal to an unbroken run" equal whole.h5 s.h5
}

# A rank is killed: another one says how to continue, before the launcher kills it, too.
test_lost_rank()
{
    local lost=$1 alive=$((1 - $1)) launcher

    command -v mpirun >/dev/null || return
    rm -f s.h5
    exec_mpi 2 "$RIBOGRID" align long.fa --kernel scalar --threads 1 -q -o s.h5 >"$out" \
        2>"$err" &
    launcher=$!
    until_true 300 larger_than 4000 s.h5.part
    kill -9 "$(rank_pid $launcher "$lost")"
    # mpirun 4.1 itself may hang then: it is of no interest here
    until_true 100 is_gone $launcher || kill -9 $launcher
    wait $launcher 2>/dev/null
    check "rank $lost killed: rank $alive says so and names --resume" test "$(grep -c \
        "^ribogrid.$alive.: rank $lost on .* was lost.* s.h5.part: run again with --resume" \
        "$err")" -eq 1
    check "rank $lost killed: --resume" expect_exit 0 "$RIBOGRID" align long.fa -o s.h5 --resume
    check "rank $lost killed: it continues" grep -q 'resuming: ' "$err"
    check "rank $lost killed: equal to an unbroken run" equal whole.h5 s.h5
}

test_finished()
{
    local before

    before=$(stat -c %Y.%i s.h5)
    check "a finished job" expect_exit 0 "$RIBOGRID" align long.fa -o s.h5 --resume
    check "a finished job is reported" expect_line 's.h5 is already finished: nothing to do' "$err"
    check "a finished job is not touched" test "$(stat -c %Y.%i s.h5)" = "$before"
    check "a finished job with another --gap" refused 1 \
        "s.h5 is of another job: there 'gap=-7', now 'gap=" \
        "$RIBOGRID" align long.fa -o s.h5 --resume --gap -9
    check "nothing to resume: it starts" expect_exit 0 "$RIBOGRID" align small.fa -q -o \
        fresh.h5 --resume
    check "nothing to resume: the same result" equal small.h5 fresh.h5
}

differs()
{
    local name=$1

    shift
    refused 1 "s.h5.part is of another job: there '.*', now '$name=.*another -o, or --force" \
        "$RIBOGRID" align "$@" -o s.h5 --resume
}

# Another job must not continue this one's log.
test_other_job()
{
    local state

    rm -f s.h5
    check "stopped" stop TERM
    state=$(log_state s.h5.part)
    check "another --gap" differs gap long.fa --gap -9
    check "another --match" differs match long.fa --match 5
    check "another --ends" differs ends long.fa --ends count
    check "another --emit" differs emit long.fa --emit score
    check "another --ambiguity" differs ambiguity long.fa --ambiguity match
    check "another --min-overlap" differs min_overlap long.fa --min-overlap 0.6
    check "a matrix" differs matrix_digest long.fa --matrix "$here/golden/hand.matrix"
    check "another number of sequences" differs sequences small.fa
    sed '2s/^./N/' long.fa >changed.fa
    check "another letter" differs input_digest changed.fa
    sed '1s/sim1/first/' long.fa >renamed.fa
    check "another name" differs input_digest renamed.fa
    check "the log is as it was" test "$(log_state s.h5.part)" = "$state"
    check "another way to write it is the same job" expect_exit 0 "$RIBOGRID" align - \
        -q -o s.h5 \
        --resume --min-overlap 0.50 --threads 1 <long.fa
    check "and equal" equal whole.h5 s.h5
}

# --force over a finished file, stopped: --resume continues the new job.
test_forced()
{
    "$RIBOGRID" align long.fa -q -o nine.h5 --gap -9
    check "--force beside a finished file, stopped" stop TERM --force --gap -9
    check "the finished file is still there" equal whole.h5 s.h5
    check "--resume continues the job of the log" expect_exit 0 "$RIBOGRID" align \
        long.fa -o s.h5 --resume --gap -9
    check "it continues after the finished tiles" grep -q 'resuming: ' "$err"
    check "equal to an unbroken run" equal nine.h5 s.h5
}

# A torn record is dropped; a damaged one is computed again.
test_damaged_log()
{
    local state size

    rm -f s.h5
    check "stopped" stop USR1
    size=$(stat -c %s s.h5.part)
    state=$(log_state s.h5.part)
    head -c $((size - 7)) s.h5.part >torn.part && mv torn.part s.h5.part
    check "a torn record" expect_exit 0 "$RIBOGRID" align long.fa -o s.h5 --resume
    check "a torn record is reported" grep -q 's.h5.part: dropping a torn record' "$err"
    check "one tile fewer" grep -q "resuming: $((${state%% *} - 1)) of " "$err"
    check "equal to an unbroken run" equal whole.h5 s.h5
    rm -f s.h5
    check "stopped" stop USR1
    state=$(log_state s.h5.part)
    "$PYTHON" -c '
with open("s.h5.part", "r+b") as f:
    f.seek(2000)
    was = f.read(1)[0]
    f.seek(2000)
    f.write(bytes([was ^ 0x55]))'
    check "a damaged byte" expect_exit 0 "$RIBOGRID" align long.fa -o s.h5 --resume
    check "some tiles are left" grep -q 'resuming: ' "$err"
    check "equal to an unbroken run" equal whole.h5 s.h5
}

# A second run waits while the first one runs, and continues when it has ended.
test_lock()
{
    local first second status

    rm -f s.h5
    slowly -q -o s.h5 &
    first=$!
    until_true 300 larger_than 4000 s.h5.part
    kill -STOP $first
    "$RIBOGRID" align long.fa -o s.h5 --resume 2>second.txt &
    second=$!
    check "a second run waits" until_true 100 grep -q 'another run holds it; waiting' \
        second.txt
    sleep 1
    check "it keeps waiting" kill -0 $second
    check "it does not touch the log" absent s.h5
    kill -9 $first
    wait $first 2>/dev/null
    wait $second
    status=$?
    check "the first is killed: the second continues" test $status -eq 0
    check "it continues after what the first had finished" grep -q 'resuming: ' second.txt
    check "equal to an unbroken run" equal whole.h5 s.h5
}

# begin_late: start a run that has checked its output, and waits for its input.
begin_late()
{
    "$RIBOGRID" align late.fa -o s.h5 2>late.txt &
    late=$!
    exec 8>late.fa # both ends are open now
}

# refused_late REGEX: with its input, that run is refused, without waiting.
refused_late()
{
    local start code

    start=$(now_ms)
    cat long.fa >&8
    exec 8>&-
    wait "$late"
    code=$?
    [ $code -eq 1 ] && [ $(($(now_ms) - start)) -lt 15000 ] && expect_line "$1" late.txt
}

# Of two runs that begin together one is refused, and the other one has its output.
test_together()
{
    local first late

    rm -f s.h5
    mkfifo late.fa
    begin_late
    slowly -q -o s.h5 8>&- &
    first=$!
    until_true 300 larger_than 4000 s.h5.part
    check "the later of two runs is refused at once" refused_late \
        's.h5.part: another run with this output has just begun'
    kill $first
    wait $first
    check "it leaves the first one's log" expect_exit 0 "$RIBOGRID" align long.fa -q -o s.h5 \
        --resume
    rm -f s.h5
    begin_late
    "$RIBOGRID" align long.fa -q -o s.h5 8>&-
    check "a run is refused whose output has appeared" refused_late \
        's.h5 exists since this run began'
    check "no log stays beside it" absent s.h5.part
}

# A run that finds the job finished removes its own log only.  The run is blocked where it
# logs that, by a full error stream, while another run creates a log of the same name.
test_other_log()
{
    local late other reader

    "$RIBOGRID" align long.fa -q -o s.h5 --force
    slowly -q -o fresh.h5 --force &
    other=$!
    until_true 300 larger_than 4000 fresh.h5.part
    kill -9 $other
    wait $other 2>/dev/null
    head -c $((32 + $(od -An -tu4 -j12 -N4 fresh.h5.part))) fresh.h5.part >s.h5.part
    rm -f fresh.h5.part # s.h5.part has the header only
    mkfifo full
    exec 9<>full
    dd if=/dev/zero of=full bs=4096 oflag=nonblock 2>/dev/null
    "$RIBOGRID" align long.fa -o s.h5 --resume 2>full 9>&- &
    late=$!
    sleep 1
    slowly -o s.h5 --force 2>other.txt 9>&- &
    other=$!
    until_true 100 eval 'larger_than 4000 s.h5.part || grep -q "another run holds it" other.txt'
    cat <&9 >/dev/null &
    reader=$!
    wait $late
    check "the blocked run ends well" test $? -eq 0
    check "it does not remove the other's log" until_true 100 larger_than 4000 s.h5.part
    kill $other $reader
    wait $other
    check "the other run can be stopped" test $? -eq 75
    exec 9>&-
    check "and resumed" expect_exit 0 "$RIBOGRID" align long.fa -o s.h5 --resume
    check "it continues after the finished tiles" grep -q 'resuming: ' "$err"
    check "equal to an unbroken run" equal whole.h5 s.h5
}

"$RIBOGRID" simulate 300 --length 100 --seed 2 --ambiguous 0 -o long.fa
"$RIBOGRID" simulate 20 --length 100 -o small.fa
"$RIBOGRID" align long.fa -q -o whole.h5
"$RIBOGRID" align small.fa -q -o small.h5
test_signal TERM
test_signal USR1
test_launcher_signal
test_term
test_lost_rank 1
test_lost_rank 0
test_finished
test_other_job
test_forced
test_damaged_log
test_lock
test_together
test_other_log
finish
