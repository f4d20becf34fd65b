#!/usr/bin/env bash
#
# stopped_rank.sh - with --task-timeout a suspended rank costs no result, and is named if it
# is suspended during the start; a device thread that does not come back costs no output.
. "$(dirname "$0")/../support/shell_test.sh"
is_sanitized && skip "Open MPI itself leaks, and a library is preloaded"

# suspended BYTES COMMAND...: start three ranks, suspend rank 2 when x.h5.part has BYTES bytes
# (0: as soon as it runs), and wait for the end; $code is its exit code.
suspended()
{
    local bytes=$1 launcher pid=

    shift
    exec_mpi 3 "$@" >/dev/null 2>"$err" &
    launcher=$!
    until_true 300 larger_than "$((bytes - 1))" x.h5.part || return 1
    pid=$(rank_pid $launcher 2)
    kill -STOP "$pid" || return 1
    wait $launcher
    code=$?
    kill -9 "$pid" 2>/dev/null
    return 0
}

test_suspended()
{
    need_mpirun
    "$RIBOGRID" simulate 150 --length 200 --seed 3 -o reads.fa
    "$RIBOGRID" align reads.fa --blast6out whole.b6 -q -o whole.h5
    # slow on every processor, so that the rank is in the middle of its work
    check "a rank is suspended" suspended 10000 "$RIBOGRID" align reads.fa --kernel scalar \
        --threads 1 --task-timeout 2 --blast6out x.b6 -o x.h5
    check "... the run succeeds" test "$code" -eq 0
    check "... and names it" grep -q 'warning: rank 2 on .* does not stop; ending without it' \
        "$err"
    check "... its result is whole" equal whole.h5 x.h5
    check "... with all outputs" same whole.b6 x.b6
    check "... and in it that the rank was silent" grep -q 'rank=2 .* silent=1' \
        <("$RIBOGRID" info x.h5)
    check "... nothing else is left" absent x.h5.part
}

# Rank 0 opens its input when all ranks have begun.
test_start()
{
    local launcher pid

    mkfifo pipe.fa
    exec_mpi 3 "$RIBOGRID" align pipe.fa --threads 1 --task-timeout 2 -o z.h5 >/dev/null \
        2>start.err &
    launcher=$!
    exec 9>pipe.fa
    pid=$(rank_pid $launcher 2)
    check "a rank is suspended during the start" kill -STOP "$pid"
    cat reads.fa >&9
    exec 9>&-
    check "... it is named" until_true 200 grep -q \
        'warning: rank 2 has not answered for 2 s .* the start of the run waits for it' start.err
    kill -CONT "$pid"
    check "... and the run goes on with it" wait $launcher
    check "... no other rank is named" test "$(grep -c 'the start of the run waits' start.err)" -eq 1
}

# Every wait for a time ends at once, so that no thread is awaited.
test_stuck()
{
    command -v cc >/dev/null || return
    cat >hasty.c <<'END_C'
#include <errno.h>
#include <pthread.h>
#include <sched.h>
int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t)
{
    (void)c, (void)t;
    pthread_mutex_unlock(m);
    sched_yield();
    pthread_mutex_lock(m);
    return ETIMEDOUT;
}
END_C
    cc -shared -fPIC -o hasty.so hasty.c || return
    "$RIBOGRID" simulate 20 --length 100 --seed 4 -o few.fa
    "$RIBOGRID" align few.fa --blast6out few.b6 -q -o few.h5
    for _ in {1..8}; do
        rm -f y.h5 y.b6
        check "no thread is awaited" expect_exit 0 env LD_PRELOAD=./hasty.so "$RIBOGRID" align \
            few.fa --blast6out y.b6 -q -o y.h5
        check "... the outputs are there" same few.b6 y.b6
    done
}

test_stuck
test_suspended
test_start
finish
