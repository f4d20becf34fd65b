#!/usr/bin/env bash
#
# remote_drain.sh - who runs a server sees its runs, empties devices and moves trainings: files
# are those of a local run, and runs end in order where no device is left.
#
#   RIBOGRID_MOVES=20 RIBOGRID_SEED=7 tests/dispatcher/remote_drain.sh
#
# By default a training moves 6 times.
. "$(dirname "$0")/../support/shell_test.sh"
n_moves=${RIBOGRID_MOVES:-6}
train=(cnn train lenet synthetic:400 --batch 20 --epochs $((12 + 2 * n_moves)))
"$RIBOGRID" "${train[@]}" -q -o one.h5
"$RIBOGRID" simulate 80 --length 300 -o reads.fa -q
"$RIBOGRID" align reads.fa -q -o pairs.h5

# serve NAME DEVICES: start a server at NAME, with a socket NAME.c; its process is $server.
serve()
{
    : >"$1.err"
    "$RIBOGRID" serve-device --socket "$1" --control "$1.c" --device "$2" 2>"$1.err" &
    server=$!
    until_true 100 grep -q 'waiting for clients' "$1.err"
}

# train OUT DEVICES [OPTION...]
train()
{
    local to=$1 devices=$2

    shift 2
    timeout 200 "$RIBOGRID" "${train[@]}" -o "$to" --device "$devices" "$@"
}

# in_state SERVER STATE: print the processes in a state.
in_state()
{
    "$RIBOGRID" device list "$1.c" | awk -F'\t' -v state="$2" '$7 == state { print $3 }'
}

has_state()
{
    [ -n "$(in_state "$@")" ]
}

# devices_of SERVER STATE: print the devices of processes in a state, in order.
devices_of()
{
    "$RIBOGRID" device list "$1.c" | awk -F'\t' -v state="$2" '$7 == state { print $1 }' |
        sort -n | paste -sd' '
}

are_devices()
{
    [ "$(devices_of "$1" "$2")" = "$3" ]
}

# is_empty SERVER
is_empty()
{
    [ "$("$RIBOGRID" device list "$1.c" | wc -l)" = 1 ]
}

# has_begun SERVER: a process has done a step.
has_begun()
{
    "$RIBOGRID" device list "$1.c" | awk -F'\t' '$5 > 0 && NR > 1 { n++ } END { exit n == 0 }'
}

test_list()
{
    local pid

    serve a cpu && a=$server
    serve b cpu && b=$server
    serve two cpu,cpu
    check "its user alone may ask" test "$(stat -c %a a.c)" = 600
    check "nobody is there" is_empty a
    timeout 200 "$RIBOGRID" "${train[@]}" -o x.h5 --device unix:a/0,unix:b/0 -q &
    pid=$!
    check "a run computes" until_true 100 has_state a computes
    check "and waits elsewhere" has_state b waits
    check "it is named" expect_exit 0 "$RIBOGRID" device list a.c
    check "by its columns" grep -qP '^0\tuser \d+\t\d+\tcnn train\t\d+\t\d+\tcomputes$' "$out"
    kill $pid
    wait $pid
    check "it is gone" until_true 100 is_empty a
    check "no server" refused 1 'none.c: cannot connect: No such file.*--control' \
        "$RIBOGRID" device list none.c
    check "no process" refused 1 'a.c: process 1 computes nothing here' \
        "$RIBOGRID" device move a.c --process 1
    check "no such device" refused 2 '--index' "$RIBOGRID" device drain a.c --index 64
}

test_tasks()
{
    local pid

    rm -f x.h5*
    timeout 100 "$RIBOGRID" align reads.fa -o x.h5 --device unix:a/0,unix:b/0 --kernel scalar \
        2>log &
    pid=$!
    until_true 100 larger_than 2500 x.h5.part
    check "a device is emptied" expect_exit 0 timeout 60 "$RIBOGRID" device drain a.c
    check "the run goes on" kill -0 $pid
    check "new runs are refused" refused 1 'unix:a/0: device 0 is locked, because' timeout 20 \
        "$RIBOGRID" align reads.fa -q -o y.h5 --device unix:a/0
    check "a lock is listed" has_state a locked
    check "the run ends" wait $pid
    check "a line says that it left" grep -q 'rank 1 leaves: its server empties' log
    check "it does not count as lost" silent <(grep -E 'gone|failed' log)
    check "the other device has its tasks" equal pairs.h5 x.h5
    check "unlocked" expect_exit 0 "$RIBOGRID" device unlock a.c
    check "runs come again" expect_exit 0 timeout 60 "$RIBOGRID" align reads.fa -q --force \
        -o x.h5 --device unix:a/0
    rm -f x.h5*
    timeout 100 "$RIBOGRID" align reads.fa -o x.h5 --device unix:a/0 --kernel scalar 2>log &
    pid=$!
    until_true 100 larger_than 2500 x.h5.part
    check "the last device is emptied" expect_exit 0 timeout 60 "$RIBOGRID" device drain a.c
    wait $pid
    check "the run ends" test $? -eq 1
    check "with a line" grep -q 'no worker is left; .*--resume' log
    "$RIBOGRID" device unlock a.c
    check "it goes on later" expect_exit 0 timeout 60 "$RIBOGRID" align reads.fa -q --resume \
        -o x.h5 --device unix:a/0
    check "to the same file" equal pairs.h5 x.h5
}

test_training()
{
    local pid

    rm -f x.h5*
    until_true 50 is_empty a
    train x.h5 unix:a/0,cpu 2>log &
    pid=$!
    until_true 100 has_begun a
    kill -STOP $(in_state a computes)
    "$RIBOGRID" device drain a.c 2>drain.log &
    check "a drain waits" until_true 50 grep -q 'runs that have not left yet: 1' drain.log
    kill -INT $!
    wait $!
    check "until it is interrupted" test $? -eq 75
    check "with a line" grep -q 'not emptied: the devices take runs again' drain.log
    kill -CONT $(in_state a computes)
    check "the training stays" has_state a computes
    check "a device is emptied" expect_exit 0 timeout 60 "$RIBOGRID" device drain a.c --index 0
    check "the training goes on here" wait $pid
    check "after its step" grep -qE 'rank 0 \(.*\) goes on after [1-9]' log
    check "to the same model" equal one.h5 x.h5
    "$RIBOGRID" device unlock a.c --index 0
}

# catches_int PID: the program runs there, and handles SIGINT.
catches_int()
{
    awk '$1 == "Name:" { runs = $2 == "ribogrid" }
        $1 == "SigCgt:" { exit !(runs && $2 ~ /[2367abef]$/) }' "/proc/$1/status"
}

# ends_by_int PID: one more interrupt finds no process.
ends_by_int()
{
    ! kill -INT "$1" 2>/dev/null
}

# An interrupt while the server is asked does not lose its answer.
test_interrupt()
{
    local pid

    until_true 50 is_empty a
    kill -STOP "$a"
    check "a server that hangs is given up" refused 1 'a.c: the server does not answer' "$RIBOGRID" \
        device list a.c
    "$RIBOGRID" device drain a.c &
    pid=$!
    until_true 50 catches_int $pid
    check "a second interrupt does not wait for the server" until_true 50 ends_by_int $pid
    "$RIBOGRID" device drain a.c 2>drain.log &
    pid=$!
    until_true 50 catches_int $pid
    kill -INT $pid
    kill -CONT "$a"
    check "an interrupted drain of an empty server succeeds" wait $pid
    check "without a message" silent drain.log
    check "and is one" has_state a locked
    "$RIBOGRID" device unlock a.c
}

# A training passes between servers at random steps.
test_moves()
{
    local pid n=0 at

    RANDOM=${RIBOGRID_SEED:-1}
    rm -f x.h5*
    train x.h5 unix:a/0,unix:b/0 2>log &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ $n -lt "$n_moves" ]; do
        sleep 0.$((RANDOM % 5))$((RANDOM % 10))
        for at in a b; do
            "$RIBOGRID" device move $at.c --process "$(in_state $at computes)" 2>/dev/null &&
                n=$((n + 1))
        done
    done
    check "a training moves" wait $pid
    check "as often as it was told" test "$(grep -c ' goes on after ' log)" -ge $((n_moves / 2))
    check "the pause is printed" grep -qP \
        'rank [12] has done its first step, [0-9.]+ s after rank [12] had to leave' log
    check "to the same model" equal one.h5 x.h5
    check "steps are counted on both" test "$("$RIBOGRID" info x.h5 |
        grep -cP '^run\tdevice\trank=[12] .* steps=[1-9]')" = 2
}

# Two trainings begin on the first one of two devices.
test_rebalance()
{
    local one two

    rm -f x.h5* y.h5*
    train x.h5 unix:two/0,unix:two/1 2>log &
    one=$!
    check "one training stays" until_true 100 are_devices two computes 0
    check "because nothing is gained" test \
        "$("$RIBOGRID" device rebalance two.c)" = "runs that move: 0"
    train y.h5 unix:two/0,unix:two/1 2>log2 &
    two=$!
    check "two trainings on one device" until_true 100 are_devices two computes "0 0"
    sleep 0.5
    check "one of two moves" test "$("$RIBOGRID" device rebalance two.c)" = "runs that move: 1"
    check "to the other device" until_true 50 are_devices two computes "0 1"
    check "and stays there" test "$("$RIBOGRID" device rebalance two.c)" = "runs that move: 0"
    check "by time" test "$("$RIBOGRID" device rebalance two.c --by time)" = "runs that move: 0"
    check "one ends" wait $one
    check "the other ends" wait $two
    check "both have the same model" equal one.h5 x.h5
    check "both have the same model" equal one.h5 y.h5
}

# any OUT [OPTION...]: align on one of the servers.
any()
{
    local to=$1

    shift
    RIBOGRID_SERVERS=unix:none/0,unix:a/0,unix:b/0 timeout 60 "$RIBOGRID" align reads.fa --force \
        -o "$to" --device any "$@"
}

# Devices of RIBOGRID_SERVERS, of which one is not there.
test_any()
{
    local pid

    check "no servers" refused 2 'RIBOGRID_SERVERS has no devices of servers; set it' \
        "$RIBOGRID" align reads.fa -q -o y.h5 --device any
    check "one of the servers" expect_exit 0 any z.h5
    check "as without" equal pairs.h5 z.h5
    check "it alone computes" test \
        "$("$RIBOGRID" info z.h5 | grep -cP '^run\tdevice\t.* tiles=[1-9]')" = 1
    check "the first of equal ones" grep -qE 'device any: rank 2 \(.*, beside 0 other runs' "$err"
    until_true 50 is_empty b
    rm -f x.h5*
    train x.h5 unix:a/0 -q &
    pid=$!
    until_true 100 has_begun a
    check "beside a run that computes" expect_exit 0 any z.h5
    check "the idle one is taken" grep -q 'device any: rank 3 ' "$err"
    check "as without" equal pairs.h5 z.h5
    kill $pid
    wait $pid
    check "training, too" expect_exit 0 env RIBOGRID_SERVERS=unix:a/0,unix:b/0 timeout 100 \
        "$RIBOGRID" "${train[@]}" --force -o x.h5 --device any
    check "on one of the servers" equal one.h5 x.h5
    check "none is there" refused 1 'unix:none/0: cannot connect' env \
        RIBOGRID_SERVERS=unix:none/0 "$RIBOGRID" align reads.fa -q -o y.h5 --device any
}

test_list
test_any
test_tasks
test_training
test_interrupt
test_moves
test_rebalance
finish
