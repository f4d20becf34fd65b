#!/usr/bin/env bash
#
# log_shards.sh - several ranks keep the log (--log-shards): equal results of every job, with other
# numbers of ranks and logs after a stop and a kill; what is refused, and what is removed.
n_reads=40
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/log_test.sh"
need_mpirun

# shared RANKS LOGS JOB: run it.
shared()
{
    set_command "$3"
    mpi "$1" "${command[@]}" --force -q -o "$file" --log-shards "$2"
}

# Kinds of jobs whose results rank 0 does not need before the end keep shards; others say why not.
test_jobs()
{
    local job

    for job in $jobs; do
        keep_log "$job"
        case $job in
        hits | found | gang | cnn | program | mesh) continue ;;
        esac
        check "$job: 3 ranks, 3 logs" expect_exit 0 shared 3 3 "$job"
        check "$job: equal, and no log is left" is_whole "$job"
        rm "$file"
    done
    check "8 ranks, 4 logs" expect_exit 0 shared 8 4 dense
    check "equal, and no log is left" is_whole dense
}

# refused_shards JOB REGEX OPTION...: two ranks refuse two logs.
refused_shards()
{
    set_command "$1"
    mpi 2 "${command[@]}" -q -o refused.h5 --log-shards 2 "${@:3}" 2>&1 | grep -q -- "$2" &&
        absent refused.h5*
}

test_refused()
{
    check "hits are counted by rank 0" refused_shards hits \
        '--log-shards 2: rank 0 adds up the size of hits'
    check "a gang's checkpoints are its own" refused_shards gang \
        '--log-shards 2: the ranks of a gang save checkpoints together'
    check "compared results go to rank 0" refused_shards dense \
        '--log-shards 2: rank 0 compares results' --redundancy 2
    check "more logs than ranks" refused 2 '--log-shards 2: there is only 1 rank; start more' \
        "$RIBOGRID" align reads.fa -q -o refused.h5 --log-shards 2
    check "cnn train has no such option" refused 2 'unknown option --log-shards' \
        "$RIBOGRID" cnn train net.ini synthetic:20 -o refused.h5 --log-shards 1
    check "nor graph run, of one task" refused 2 'unknown option --log-shards' \
        "$RIBOGRID" graph run pagerank grid.h5 -o refused.h5 --log-shards 1
}

# slowly LOGS RANKS OPTION...: a run into s.h5 that lasts some seconds; $! is mpirun.
slowly()
{
    exec_mpi "$2" "$RIBOGRID" align long.fa --kernel scalar --threads 1 -o s.h5 \
        --log-shards "$1" "${@:3}" >"$out" 2>"$err"
}

# all_have_work N: rank 0's log and N - 1 shards have records.
all_have_work()
{
    local k

    larger_than 2000 s.h5.part || return 1
    for ((k = 1; k < $1; k++)); do
        larger_than 2000 "s.h5.part.$k" || return 1
    done
}

# broken LOGS RANKS SIGNAL RANK|all: a run that a signal ends; the logs are left.
broken()
{
    local launcher rank

    rm -f s.h5 s.h5.part*
    slowly "$1" "$2" &
    launcher=$!
    until_true 300 all_have_work "$1" || return 1
    if [ "$4" = all ]; then
        for ((rank = 0; rank < $2; rank++)); do
            kill -s "$3" "$(rank_pid $launcher $rank)"
        done
    else
        kill -s "$3" "$(rank_pid $launcher "$4")"
    fi
    until_true 150 is_gone $launcher || kill -9 $launcher
    wait $launcher 2>/dev/null
    code=$?
    [ -e "s.h5.part.$(($1 - 1))" ]
}

# continues WHAT COMMAND...: this resumes the run, and the result is whole.
continues()
{
    local what=$1

    shift
    check "$what: resumed" expect_exit 0 "$@" -o s.h5 --resume
    check "$what: it continues" grep -q 'resuming: ' "$err"
    check "$what: equal" equal whole.h5 s.h5
    check "$what: no log is left" absent s.h5.part*
}

test_broken()
{
    check "stopped" broken 3 4 USR1 0
    check "stopped: exit 75, not $code" test "$code" -eq 75
    check "stopped: logged once" test "$(grep -c 'stopped: .* run again with --resume' "$err")" -eq 1
    continues "stopped, by one process" "${long[@]}"
    check "all killed" broken 4 4 KILL all
    continues "all killed, by two ranks that keep two logs" mpi 2 "${long[@]}" \
        --log-shards 2
    check "a keeper killed" broken 3 4 KILL 3
    continues "a keeper killed, by three ranks that keep one" mpi 3 "${long[@]}"
    check "another rank killed" broken 2 4 KILL 1
    rm s.h5.part.1
    continues "another rank killed, a log lost" "${long[@]}"
    check "the lost log is named" grep -q 's.h5.part.1 is missing: what it held is computed again' \
        "$err"
}

# What others have left beside the output.
test_others()
{
    check "without --resume" broken 2 2 KILL all
    check "info counts the logs" test "$(field logs s.h5.part | cut -d : -f 1)" = 2
    rm s.h5.part
    check "without --resume it is refused, also if only a shard is left" refused 1 \
        's.h5.part holds an unfinished run; give --resume' "$RIBOGRID" align long.fa -q -o s.h5
    check "another job's shard" refused 1 "s.h5.part.1 is of another job: there 'gap=" \
        "$RIBOGRID" align long.fa -q -o s.h5 --resume --gap -9
    check "it stays" larger_than 2000 s.h5.part.1
    cp s.h5.part.1 shard
    printf x | dd of=s.h5.part.1 bs=1 seek=520 conv=notrunc 2>/dev/null
    check "a shard with a damaged header" refused 1 \
        's.h5.part.1 is damaged; remove it to compute its tasks again, or give --force' \
        "$RIBOGRID" align long.fa -q -o s.h5 --resume
    head -c 3000 "$RIBOGRID" >s.h5.part.1
    check "another program's file" refused 1 's.h5.part.1 is not a log of ribogrid' \
        "$RIBOGRID" align long.fa -q -o s.h5 --force
    check "it stays as well" test "$(head -c 4 s.h5.part.1 | tail -c 3)" = ELF
    cp shard s.h5.part.1
    check "--force removes shards" expect_exit 0 "$RIBOGRID" align long.fa -q -o s.h5 --force
    check "it is whole" equal whole.h5 s.h5
    check "no log is left" absent s.h5.part*
}

# A rank cannot create its file, or another rank does not see it.
test_no_file()
{
    mkdir rank0 rank1
    # shellcheck disable=SC2016 # of the ranks' shells
    mpi 2 bash -c 'cd rank$OMPI_COMM_WORLD_RANK && exec "$0" "$@"' "$RIBOGRID" align ../long.fa -q \
        -o s.h5 --log-shards 2 >"$out" 2>"$err"
    check "a folder that is not shared" grep -q \
        's.h5.part.1: cannot open: No such file.*share the folder.*or give --log-shards 1' "$err"
    check "nothing is left of that run" absent rank?/s.h5*
    mkdir s.h5.part.1
    rm -f s.h5
    mpi 2 "$RIBOGRID" align long.fa -q -o s.h5 --force --log-shards 2 2>"$err"
    check "a folder where a shard has to be" grep -q 's.h5.part.1 is a directory, where the log' "$err"
    rmdir s.h5.part.1
}

long=("$RIBOGRID" align long.fa --threads 1)
make_jobs
"$RIBOGRID" simulate 500 --length 100 --seed 2 --ambiguous 0 -o long.fa
"$RIBOGRID" align long.fa -q -o whole.h5
test_jobs
test_refused
test_broken
test_others
test_no_file
finish
