#!/usr/bin/env bash
#
# remote_warm.sh - servers whose processes wait for clients, that keep inputs for their users,
# or that systemd starts.
. "$(dirname "$0")/../support/shell_test.sh"
command -v python3 >/dev/null || skip "no python3"
# inputs below 64 KiB are not kept
"$RIBOGRID" simulate 300 --length 250 --seed 1 -o reads.fa -q
"$RIBOGRID" simulate 300 --length 250 --seed 2 -o others.fa -q
"$RIBOGRID" align reads.fa -q -o one.h5

# serve NAME OPTION...: start a server at a socket, or at a port; its process is $server.
serve()
{
    local name=$1

    shift
    : >"$name.err"
    "$RIBOGRID" serve-device --device cpu -v "$@" 2>"$name.err" &
    server=$!
    until_true 100 grep -q 'waiting for clients' "$name.err"
}

# client READS DEVICE: in $err whether the server has the input.
client()
{
    timeout 60 "$RIBOGRID" align "$1" -v --force -o x.h5 --device "$2"
}

has_child()
{
    [ -n "$(children "$1")" ]
}

# another_child SERVER PID: the process that waits is not that one.
another_child()
{
    local now

    now=$(children "$1")
    [ -n "$now" ] && [ "$now" != "$2" ]
}

test_warm()
{
    local first

    serve w --socket w --warm 1
    check "a process waits" until_true 100 has_child $server
    first=$(children $server)
    check "a client comes" expect_exit 0 client reads.fa unix:w/0
    check "as one process" equal one.h5 x.h5
    check "the process that waited served it" grep -q "process $first serves it" w.err
    check "another one waits" until_true 100 another_child $server "$first"
    first=$(children $server)
    kill -9 "$first"
    check "one that is killed is replaced" until_true 100 another_child $server "$first"
    kill $server
    check "the server ends" wait $server
    check "and no process is left" until_true 50 has_no_server
}

# kept DEVICE READS: the server has the input of an earlier run.
kept()
{
    expect_exit 0 client "$2" "$1" && grep -q 'rank 1 .* has kept this input' "$err"
}

not_kept()
{
    expect_exit 0 client "$2" "$1" && ! grep -q 'has kept' "$err"
}

test_cache()
{
    local bytes

    serve c --socket c --cache 1G
    check "a new input" not_kept unix:c/0 reads.fa
    check "a known one" kept unix:c/0 reads.fa
    check "as one process" equal one.h5 x.h5
    check "one that was changed" not_kept unix:c/0 others.fa
    check "the first one is still there" kept unix:c/0 reads.fa
    kill $server
    bytes=$(($(stat -c %s reads.fa) * 3 / 2))
    serve d --socket d --cache $bytes
    check "of two inputs there is room for one" not_kept unix:d/0 reads.fa
    check "the other one is new" not_kept unix:d/0 others.fa
    check "and kept" kept unix:d/0 others.fa
    check "the first one is not" not_kept unix:d/0 reads.fa
    python3 "$here/dispatcher/remote_proxy.py" p d flip up 30000 &
    until_true 100 test -S p
    check "an input that was changed on its way" expect_exit 1 client others.fa unix:p/0
    check "is not used" grep -q 'unix:p/0: an input was changed on its way; run again' "$err"
    kill $server
}

test_users()
{
    local port

    port=$(python3 -c "
import socket
print(socket.create_server(('127.0.0.1', 0)).getsockname()[1])")
    "$RIBOGRID" serve-device --new-key alice --keys keys -q
    "$RIBOGRID" serve-device --new-key bob --keys keys -q
    export RIBOGRID_KEYS=keys
    serve t --listen "$port" --keys keys --cache 1G --warm 1
    check "alice's input is new" not_kept "tls://alice@localhost:$port/0" reads.fa
    check "and known" kept "tls://alice@localhost:$port/0" reads.fa
    check "as one process" equal one.h5 x.h5
    check "but not for bob" not_kept "tls://bob@localhost:$port/0" reads.fa
    check "who then has one, too" kept "tls://bob@localhost:$port/0" reads.fa
    kill $server
}

# activate PATH: start a server as systemd does, with a socket that listens already.
activate()
{
    exec python3 -c "
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
os.dup2(s.fileno(), 3)
os.set_inheritable(3, True)
os.environ['LISTEN_PID'], os.environ['LISTEN_FDS'] = str(os.getpid()), '1'
os.execv(sys.argv[2], ['ribogrid', 'serve-device', '--device', 'cpu', '-v'])" "$1" "$RIBOGRID"
}

test_systemd()
{
    local unit

    activate s 2>s.err &
    check "a server is started for a socket" until_true 100 grep -q \
        'the socket of systemd: waiting for clients' s.err
    check "it serves" expect_exit 0 client reads.fa unix:s/0
    check "as one process" equal one.h5 x.h5
    kill $!
    check "its end leaves the socket" test -S s
    check "one client cannot be waited for" refused 2 'for servers that listen' \
        "$RIBOGRID" serve-device --stdio --warm 1 </dev/null
    check "who starts it for one knows the user" refused 2 'does not go with a Unix socket or' \
        "$RIBOGRID" serve-device --stdio --keys keys </dev/null
    check "without a socket it needs an option" refused 2 'give --socket PATH, --listen PORT' \
        env LISTEN_PID=1 LISTEN_FDS=1 "$RIBOGRID" serve-device
    command -v systemd-analyze >/dev/null || return
    for unit in service socket; do
        sed "s|/usr/bin/ribogrid|$RIBOGRID|" "$here/../packaging/systemd/ribogrid.$unit" \
            >ribogrid.$unit
    done
    check "the units are valid" systemd-analyze verify ./ribogrid.service ./ribogrid.socket
}

test_warm
test_cache
command -v openssl >/dev/null && test_users
test_systemd
finish
