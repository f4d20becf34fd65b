#!/usr/bin/env bash
#
# remote_tls.sh - remote devices behind TLS: keys, users, strangers at the port, and streams
# that are damaged on their way.
. "$(dirname "$0")/../support/shell_test.sh"
command -v python3 >/dev/null || skip "no python3"
"$RIBOGRID" serve-device --new-key alice --keys keys 2>/dev/null
"$RIBOGRID" serve-device --listen none --keys keys 2>err.txt
! grep -q 'has no TLS' err.txt || skip "a build without TLS"
"$RIBOGRID" simulate 60 --length 120 -o reads.fa -q
"$RIBOGRID" align reads.fa -q -o one.h5
# for runs that are met in the middle
"$RIBOGRID" simulate 60 --length 200 -o slow.fa -q
"$RIBOGRID" align slow.fa -q -o slow.h5
export RIBOGRID_KEYS=$tmp/alice

# ports N: ports that are free
ports()
{
    python3 -c "
import socket
all = [socket.create_server(('127.0.0.1', 0)) for _ in range($1)]
print(*[s.getsockname()[1] for s in all])"
}

read -r port other proxy <<<"$(ports 3)"

# serve PORT [OPTION...]: start a server; its process is $server.
serve()
{
    local at=$1

    shift
    : >"$at.err"
    "$RIBOGRID" serve-device --listen "$at" --keys keys --device cpu "$@" 2>"$at.err" &
    server=$!
    until_true 100 grep -q 'waiting for clients that have a key of keys' "$at.err"
}

# client OUT DEVICES [OPTION...]
client()
{
    local to=$1 devices=$2

    shift 2
    timeout 100 "$RIBOGRID" align "${reads:-reads.fa}" -q --force -o "$to" --device "$devices" "$@"
}

has_no_child()
{
    [ -z "$(children "$1")" ]
}

# only FROM TO USER: a file of one user's key
only()
{
    (umask 077 && grep "^$3 " "$1" >"$2")
}

test_keys()
{
    check "a key" test "$(grep -cE '^alice [0-9a-f]{64}$' keys)" = 1
    check "is private" test "$(stat -c %a keys)" = 600
    check "a second one" expect_exit 0 "$RIBOGRID" serve-device --new-key bob --keys keys
    check "a line says where it belongs" expect_line "keys: bob has a key now" "$err"
    check "no two of a user" refused 2 'keys: bob has a key; give another name' \
        "$RIBOGRID" serve-device --new-key bob --keys keys
    check "no name" refused 2 "new-key a/b: give a name" "$RIBOGRID" serve-device \
        --new-key a/b --keys keys
    only keys alice alice
    only keys bob bob
    (umask 077 && sed 's/^alice/carol/' alice >unknown && sed 's/ ..../ 0000/' alice >wrong)
    cp alice open
    chmod 640 open
}

test_equal()
{
    local devices n=0

    serve "$port" && a=$server
    for devices in "tls://localhost:$port/0" "127.0.0.1:$port/0" \
        cpu,"tls://localhost:$port/0,alice@localhost:$port/0"; do
        n=$((n + 1))
        check "$devices" expect_exit 0 client x.h5 "$devices" --kernel scalar
        check "$devices: as one process" equal one.h5 x.h5
    done
    "$RIBOGRID" align reads.fa -q -o pairs.h5 --id 0.7
    "$RIBOGRID" graph betweenness pairs.h5 -q -o local.h5
    check "graph" expect_exit 0 timeout 60 "$RIBOGRID" graph betweenness pairs.h5 -q \
        -o there.h5 --verify --device "localhost:$port/0"
    check "graph: as one process" equal local.h5 there.h5
    check "a user who is named" expect_exit 0 env RIBOGRID_KEYS=keys timeout 60 \
        "$RIBOGRID" align reads.fa -q --force -o x.h5 --device "tls://bob@localhost:$port/0"
    check "its processes end" until_true 50 has_no_child "$a"
}

# with_keys FILE DEVICE
with_keys()
{
    RIBOGRID_KEYS=$1 client y.h5 "$2"
}

# refused_clients N: as many had no key.
refused_clients()
{
    [ "$(grep -c 'a client at 127.0.0.1 port [0-9]*: TLS: binder does not verify$' \
        "$port.err")" -eq "$1" ]
}

test_users()
{
    local refusal='it refused the user or the key; check'

    check "a wrong key" refused 1 "localhost:$port/0: TLS: $refusal" with_keys wrong \
        "localhost:$port/0"
    check "an unknown user" refused 1 "localhost:$port/0: TLS: $refusal" with_keys unknown \
        "localhost:$port/0"
    check "the server tells them apart as little" until_true 50 refused_clients 2
    check "no keys" refused 1 'none: there is no such file of keys; .*--new-key' with_keys none \
        "localhost:$port/0"
    check "others may read them" refused 1 'open: others may read these keys.*chmod 600' \
        with_keys open "localhost:$port/0"
    check "which user?" refused 1 'keys has keys of 2 users; give tls://USER@HOST' with_keys \
        keys "localhost:$port/0"
    check "no such user" refused 1 "alice has no key of 'dora'" with_keys alice \
        dora@"localhost:$port/0"
    check "a server without keys" refused 1 'none: there is no such file' "$RIBOGRID" \
        serve-device --listen "$other" --keys none
    check "a server whose keys others may read" refused 1 'open: others may read' "$RIBOGRID" \
        serve-device --listen "$other" --keys open
    check "a port that is used" refused 1 "cannot listen at 127.0.0.1 port $port" "$RIBOGRID" \
        serve-device --listen "$port" --keys keys
    check "no port" refused 2 'give a port, or ADDRESS:PORT' "$RIBOGRID" \
        serve-device --listen gpu.lab --keys keys
    check "a socket needs no keys" refused 2 'does not go with a Unix socket' "$RIBOGRID" \
        serve-device --socket s --keys keys
    check "no server" refused 1 "localhost:$other/0: cannot connect: Connection refused" client \
        y.h5 "localhost:$other/0"
}

# stranger BYTES: sends what is no TLS, and waits for the end
stranger()
{
    python3 -c "
import os, socket
s = socket.create_connection(('localhost', $port))
s.sendall(b'$1' * 20)
try:
    while s.recv(4096): pass
except ConnectionResetError: pass"
}

# say_nothing N: as many connections say nothing, until the server ends the last one
say_nothing()
{
    python3 -c "
import resource, socket
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
all = [socket.create_connection(('localhost', $port)) for _ in range($1)]
print('connected', flush=True)
all[-1].settimeout(30)
try:
    print('closed' if all[-1].recv(1) == b'' else 'answered')
except ConnectionResetError: print('closed')"
}

test_strangers()
{
    local pid

    check "what is no TLS is ended" timeout 20 bash -c \
        "$(declare -f stranger); port=$port stranger 'GET / HTTP/1.0\r\n\r\n'"
    check "without a process" test "$(grep -c 'TLS: ' "$port.err")" = 2
    check "what only begins as TLS is ended" timeout 20 bash -c \
        "$(declare -f stranger); port=$port stranger '\x16\x03\x01\x00\x05\x01\x02\x03\x04\x05'"
    check "a line says so" until_true 50 bash -c "test \$(grep -c 'TLS: ' $port.err) = 3"
    say_nothing 1000 >silent.txt &
    pid=$!
    until_true 100 grep -q connected silent.txt
    check "a user is served while 1,000 strangers are silent" expect_exit 0 client x.h5 \
        "localhost:$port/0"
    check "and gets the same" equal one.h5 x.h5
    check "who says nothing is left after 10 s" wait $pid
    check "the connection is closed" grep -q closed silent.txt
    check "and no process was started for it" test "$(grep -c 'TLS: it does not' "$port.err")" = 0
    check "and its process ends" until_true 50 has_no_child "$a"
    if command -v openssl >/dev/null; then
        check "an older TLS is refused" expect_exit 1 timeout 20 openssl s_client -tls1_2 \
            -psk_identity alice -psk "$(cut -d' ' -f2 alice)" -connect "localhost:$port" </dev/null
        check "TLS without a key is refused" expect_exit 1 timeout 20 openssl s_client \
            -tls1_3 -connect "localhost:$port" </dev/null
    fi
}

test_limit()
{
    local pid

    serve "$other" --max-clients 1
    rm -f z.h5*
    reads=slow.fa client z.h5 "localhost:$other/0" --kernel scalar &
    pid=$!
    until_true 50 larger_than 100 z.h5.part
    check "a second run of a user" refused 1 'as many runs of your user as it serves' client \
        y.h5 "localhost:$other/0"
    check "the server says why" grep -q 'alice is not served: .*of that user' "$other".err
    check "another user is served" expect_exit 0 with_keys bob "localhost:$other/0"
    check "the first one ends" wait $pid
    check "and makes the file" equal slow.h5 z.h5
}

# damaged HOW WAY BYTE: nothing that was damaged is taken for a result, without --redundancy
damaged()
{
    local pid

    python3 "$here/dispatcher/remote_proxy.py" "$proxy" "$port" "$@" &
    pid=$!
    until_true 100 bash -c "exec 2>/dev/null; ss -ltn | grep -q ':$proxy '"
    client x.h5 "localhost:$proxy/0,localhost:$port/0" --kernel scalar 2>log
    case $? in
    0) check "$*: the file" equal one.h5 x.h5 ;;
    1) check "$*: a line" grep -q '^ribogrid' log ;;
    *) check "$*: an end" false ;;
    esac
    kill $pid 2>/dev/null
    wait $pid 2>/dev/null
    rm -f x.h5.part
}

test_damage()
{
    local i

    for i in 60 900 2500 6000; do
        damaged flip up $i
        damaged flip down $i
        damaged cut down $i
    done
}

test_ends()
{
    local pid

    rm -f y.h5*
    "$RIBOGRID" align slow.fa -q -o y.h5 --device "localhost:$port/0" --kernel scalar 2>log &
    pid=$!
    until_true 50 larger_than 1000 y.h5.part
    kill -KILL "$pid"
    check "a client is killed: its processes end at the server" until_true 50 has_no_child "$a"
    rm -f y.h5*
    reads=slow.fa client x.h5 "localhost:$port/0,localhost:$other/0" --kernel scalar 2>log &
    pid=$!
    until_true 100 larger_than 1000 x.h5.part
    kill -9 "$server"
    check "one of two servers is killed" wait $pid
    check "its tasks go to the other" equal slow.h5 x.h5
    check "no process is left" until_true 50 has_no_server
}

test_keys
test_equal
test_users
test_strangers
test_limit
test_damage
test_ends
finish
