#!/usr/bin/env bash
#
# kill_resume.sh - kill -9 at any time, resume at once: no finished work is lost, and the
# result is the same.
#
#   RIBOGRID_KILLS=100 RIBOGRID_SEED=7 tests/dispatcher/kill_resume.sh    (6 kills, seed 1)
#
# Of `align`, and a third as often of `classify`; a tile is a task of either.
#
# Kills hit a random rank and mpirun alternately, at random times; one in six waits until the
# result file is being written.  A job that ends before its kill is compared, but does not
# count; the next one starts again.  What runs that end by themselves write, and their exit
# codes, are printed at the end.
. "$(dirname "$0")/../support/shell_test.sh"
need_mpirun
need_h5py
n_kills=${RIBOGRID_KILLS:-6}
RANDOM=${RIBOGRID_SEED:-1}
n_runs=0 # started

start_run()
{
    n_runs=$((n_runs + 1))
    exec_mpi 2 "$RIBOGRID" "${job[@]}" --resume -v -o job.h5 >run_$n_runs.txt 2>&1 &
    launcher=$!
}

sleep_ms()
{
    sleep "$(($1 / 1000)).$(printf %03d $(($1 % 1000)))"
}

# kill_one TURN RANK: kill -9 the rank or mpirun, by turns; mpirun also if the rank does not
# exist yet.
kill_one()
{
    local victim

    if [ $(($1 % 2)) -eq 0 ] || [ $(($1 % 6)) -eq 5 ]; then
        victim=$(rank_pid $launcher "$2")
        [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null && \
            kills_of_ranks=$((kills_of_ranks + 1)) && return
    fi
    kill -9 $launcher 2>/dev/null && kills_of_mpirun=$((kills_of_mpirun + 1))
}

# The current run found everything that was finished when the one before it was killed.
check_resumed()
{
    local found

    found=$(sed -En 's/.*resuming: ([0-9]+) of .*/\1/p' run_$n_runs.txt)
    grep -q 'another run holds it' run_$n_runs.txt && n_waited=$((n_waited + 1))
    [ -n "$found" ] || return 0 # killed before it logged that
    check "run $n_runs found $found tiles finished, at least $min_tiles" test \
        "$found" -ge "$min_tiles"
    min_tiles=$found
}

# What is in the log now must be found again.
note_log()
{
    local state tiles pairs bytes

    state=$(log_state job.h5.part) || return 1
    read -r tiles pairs bytes _ <<<"$state"
    [ "$bytes" -gt 0 ] || return 0 # no log yet, or just finished
    check "the log has not lost a record ($tiles tiles)" test "$tiles" -ge "$min_tiles"
    check "the log has not shrunk" test "$bytes" -ge $min_bytes
    min_tiles=$tiles
    min_pairs=$pairs
    min_bytes=$bytes
}

# A check has failed: list the files and the messages of the last runs.
list_runs()
{
    local run

    ls -l --time-style=full-iso job.h5*
    for ((run = n_runs > 2 ? n_runs - 2 : 1; run <= n_runs; run++)); do
        echo "run $run:" && cat run_$run.txt
    done
}

# keep_end CODE: the current run ended by itself; keep what it and mpirun wrote.
keep_end()
{
    echo "run $n_runs of ${job[0]} ended by itself with $1:"
    sed 's/^/    /' run_$n_runs.txt
} >>ended.txt

# The job ended before its kill.
end_job()
{
    local code=0 before=$n_failed

    wait $launcher || code=$?
    keep_end $code
    check "job $n_jobs ends well, not with $code" test $code -eq 0
    check "job $n_jobs is equal to an unbroken run" equal whole.h5 job.h5
    check "job $n_jobs leaves no log" absent job.h5.part
    [ $n_failed -eq "$before" ] || list_runs
    rm -f job.h5
    n_jobs=$((n_jobs + 1))
    min_tiles=0
    min_pairs=0
    min_bytes=0
}

# The current run makes the result of the log; what each rank did is printed before that.
is_written()
{
    grep -q 'busy_seconds=' run_$n_runs.txt
}

# break_run TURN: start a run and kill it. @return whether there was something to kill
break_run()
{
    start_run
    if [ $(($1 % 6)) -eq 5 ]; then
        while kill -0 $launcher 2>/dev/null && ! is_written; do
            :
        done
        is_written && [ ! -e job.h5 ] && kills_at_the_end=$((kills_at_the_end + 1))
    else
        sleep_ms $((100 + RANDOM % (unbroken_ms * 2 / 3)))
    fi
    check_resumed
    if ! kill -0 $launcher 2>/dev/null; then
        end_job
        return 1
    fi
    [ $(($1 % 6)) -eq 5 ] || check "no tile is in the log twice" note_log
    kill_one "$1" $((RANDOM % 2 * ($1 % 6 != 5)))
}

# ours NAME: our processes of that name that still exist, one line each.
ours()
{
    local file pid

    grep -lz "^job.h5$" /proc/[0-9]*/cmdline 2>/dev/null | while read -r file; do
        pid=$(basename "${file%/cmdline}")
        [ "$(readlink "/proc/$pid/cwd")" = "$tmp" ] &&
            ps -o pid,comm,ppid,stat,etimes,wchan:20,args -p "$pid" |
            awk -v name="$1" '$2 == name'
    done
}

none_is_left()
{
    ours "$1"
    [ -z "$(ours "$1")" ]
}

# After a rank was killed, Open MPI 4.1's mpirun may hang for ever in finalizing PMIx: it has no
# ranks left then, and nothing of ours waits for it.
end_launchers()
{
    local pid

    until_true 50 none_is_left mpirun >/dev/null
    ours mpirun | while read -r pid _; do
        kill -9 "$pid" && echo "$pid"
    done | wc -l
}

# run_unbroken: make whole.h5, what the killed runs of ${job[@]} are compared with.
run_unbroken()
{
    local start

    rm -f job.h5 whole.h5
    kills_of_ranks=0
    kills_of_mpirun=0
    kills_at_the_end=0
    n_jobs=1    # begun
    n_waited=0  # runs that had to wait for a dying one
    min_tiles=0 # that the next run must find finished
    min_pairs=0
    min_bytes=0
    start=$(now_ms)
    check "an unbroken run" expect_exit 0 mpi 2 "$RIBOGRID" "${job[@]}" -q -o whole.h5
    unbroken_ms=$(($(now_ms) - start))
}

# Ranks outlive a killed mpirun for a moment and may have finished the job: then everything
# was computed by them.
computed_the_rest_only()
{
    grep -q 'is already finished' run_$n_runs.txt ||
        [ "$(field pairs_computed job.h5)" -le $((500 * 499 / 2 - min_pairs)) ]
}

# kill_often KILLS: kill ${job[@]} so often, then let it end.
kill_often()
{
    local turn=0 before code

    run_unbroken
    while [ $turn -lt "$1" ]; do
        break_run $turn && turn=$((turn + 1))
        disown -a 2>/dev/null # the shell does not have to report killed jobs
    done
    before=$n_failed
    start_run
    code=0
    wait $launcher || code=$?
    keep_end $code
    check "the last run ends well, not with $code" test $code -eq 0
    check_resumed
    check "equal to an unbroken run" equal whole.h5 job.h5
    check "no log is left" absent job.h5.part
    [ "${job[0]}" != align ] ||
        check "tiles finished before the last run were not computed again" \
            computed_the_rest_only
    [ $n_failed -eq "$before" ] || list_runs
    check "no rank is left" until_true 150 none_is_left ribogrid
    n_hung=$(end_launchers)
    echo "${job[0]}: $turn kills (ranks $kills_of_ranks, mpirun $kills_of_mpirun, of those while" \
        "the result was written $kills_at_the_end) in all $n_runs runs, $n_jobs jobs of" \
        "$unbroken_ms ms; $n_waited waited for the one before; $n_hung times mpirun itself never" \
        "ended"
}

length=600
n_genes=3000
is_sanitized && length=200 && n_genes=600 # much slower
"$RIBOGRID" simulate 500 --length $length --seed 5 -o reads.fa
job=(align reads.fa)
kill_often "$n_kills"
"$RIBOGRID" simulate 100 --length 700 --seed 3 -o refs.fa
grep '^>' refs.fa | awk '{ sub(/^>/, "", $1); print $1 "\tBacteria;Genus " int(n / 5); n++ }' \
    >refs.tax
check "train" "$RIBOGRID" classify train refs.fa --taxonomy refs.tax --held-out 20 -q -o model.h5
"$RIBOGRID" simulate $n_genes --length 300 --seed 4 -o genes.fa
job=(classify genes.fa --model model.h5 --resamples 2000 --threads 1)
kill_often $((n_kills / 3))
cat ended.txt # with the code and the text of every run that nobody killed
finish
