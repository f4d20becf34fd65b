#!/usr/bin/env bash
#
# remote_device.sh - runs with remote devices make the files that local runs make; a server
# that is killed or suspended costs only the tasks that it held; other programs, versions and
# peers that send what is wrong are refused by one line each.
. "$(dirname "$0")/../support/shell_test.sh"
command -v python3 >/dev/null || skip "no python3"
peer=$here/dispatcher/remote_peer.py
"$RIBOGRID" simulate 70 --length 200 -o reads.fa -q
"$RIBOGRID" align reads.fa -q -o one.h5
# for runs that are met in the middle
"$RIBOGRID" simulate 80 --length 300 -o slow.fa -q
"$RIBOGRID" align slow.fa -q -o slow.h5

# serve NAME [OPTION...]: start a server at NAME; its process is $server.
serve()
{
    local name=$1

    shift
    : >"$name.err"
    "$RIBOGRID" serve-device --socket "$name" --device cpu "$@" 2>"$name.err" &
    server=$!
    until_true 100 grep -q 'waiting for clients' "$name.err"
}

# has_no_child PID
has_no_child()
{
    [ -z "$(children "$1")" ]
}

# client OUT DEVICES [OPTION...]
client()
{
    local to=$1 devices=$2

    shift 2
    timeout 100 "$RIBOGRID" align "${reads:-reads.fa}" --force -o "$to" --device "$devices" "$@"
}

# worked N FILE: N ranks have computed at least one tile each.
worked()
{
    [ "$("$RIBOGRID" info "$2" | grep -cP '^run\tdevice\t.* tiles=[1-9]')" -eq "$1" ]
}

test_equal()
{
    local n=0 devices

    serve a && a=$server
    serve b
    serve c --threads 1
    check "the mode of a socket" test "$(stat -c %a a)" = 660
    for devices in unix:a/0 cpu,unix:a/0 unix:a/0,unix:b/0 unix:a/0,cpu,unix:b/0,unix:c/0; do
        n=$((n + 1))
        check "$devices" expect_exit 0 client x.h5 $devices --kernel scalar
        check "$devices: as one process" equal one.h5 x.h5
        check "$devices: all had work" worked "$(tr -dc , <<<$devices, | wc -c)" x.h5
    done
    check "the client without a device computes nothing" expect_exit 0 client x.h5 unix:a/0
    check "as rank 0" test "$("$RIBOGRID" info x.h5 | grep -c 'rank=0 .*device="none".* tiles=0')" \
        -eq 1
    check "one process per client, which has ended" until_true 50 has_no_child "$a"
}

test_ways()
{
    "$RIBOGRID" align reads.fa -q -o hits.h5 --id 0.8 --emit cigar
    check "hits" expect_exit 0 client x.h5 unix:a/0,unix:b/0 --id 0.8 --emit cigar
    check "hits: as one process" equal hits.h5 x.h5
    "$RIBOGRID" simulate 60 --length 150 --ambiguous 0 -o bases.fa -q
    "$RIBOGRID" align bases.fa -q -o n.h5 --matrix "$here/golden/hand.matrix"
    check "a matrix of the client" expect_exit 0 timeout 60 "$RIBOGRID" align bases.fa -o m.h5 \
        --matrix "$here/golden/hand.matrix" --device unix:a/0
    check "a matrix: as one process" equal n.h5 m.h5
    serve m --memory 1G
    check "a limit of memory" expect_exit 0 client x.h5 unix:m/0 -v
    check "a limit of memory: as one process" equal one.h5 x.h5
    is_sanitized || check "and is kept" refused 1 'this rank on .* has 1 GiB' \
        client y.h5 unix:m/0 -q --memory 2G
    check "--redundancy" expect_exit 0 client x.h5 unix:a/0,unix:b/0,unix:c/0 --redundancy 3
    check "--redundancy: as one process" equal one.h5 x.h5
    check "--recompute" expect_exit 0 client x.h5 unix:a/0,unix:b/0 --recompute 50
    check "--recompute: as one process" equal one.h5 x.h5
    check "too few for --redundancy" refused 2 'there are only 2 ranks; start more' \
        client y.h5 unix:a/0,unix:b/0 -q --redundancy 3
    check "an input that is wrong" refused 1 'reads.fa: |no-such.fa: ' timeout 60 "$RIBOGRID" \
        align no-such.fa -o y.h5 -q --device unix:a/0
}

test_graph()
{
    local algorithm

    "$RIBOGRID" align reads.fa -q -o pairs.h5 --id 0.7
    for algorithm in bfs components mst betweenness; do
        "$RIBOGRID" graph $algorithm pairs.h5 -q -o local.h5 --force
        check "$algorithm" expect_exit 0 timeout 60 "$RIBOGRID" graph $algorithm pairs.h5 -o \
            there.h5 --force --verify --device unix:a/0,unix:b/0
        check "$algorithm: as one process" equal local.h5 there.h5
    done
    check "parts of a graph" refused 2 'partition on: .*lockstep, which remote devices' timeout \
        60 "$RIBOGRID" graph bfs pairs.h5 -q -o y.h5 --partition on --device unix:a/0
}

test_classify()
{
    local method

    # four genes of each of ten genera
    "$RIBOGRID" simulate 10 --length 240 --ambiguous 0 --trim 0 --seed 5 -q | awk '
        /^>/ { n++; next } { s[n] = s[n] $0 }
        END { for (i = 1; i <= n; i++) for (k = 1; k <= 4; k++) {
            print ">g" i "_" k "\n" substr(s[i], 1, 40 * k) "ACGTA" substr(s[i], 40 * k + 6)
            print "g" i "_" k "\tBacteria;Genus " i >"genes.tax" } }' >genes.fa
    "$RIBOGRID" classify train genes.fa --taxonomy genes.tax --held-out 6 --align -q -o model.h5
    for method in nbc joint align; do
        "$RIBOGRID" classify genes.fa --model model.h5 --method $method -q -o local.h5 --force
        check "classify by $method" expect_exit 0 timeout 60 "$RIBOGRID" classify genes.fa \
            --model model.h5 --method $method -o there.h5 --force --device unix:a/0,unix:b/0
        check "classify by $method: as one process" equal local.h5 there.h5
    done
    "$RIBOGRID" cnn train kmer-lenet genes.fa --taxonomy genes.tax --epochs 1 --batch 20 -q -o net.h5
    "$RIBOGRID" classify genes.fa --model net.h5 -q -o local.h5 --force
    check "classify by a network" expect_exit 0 timeout 60 "$RIBOGRID" classify genes.fa \
        --model net.h5 -o there.h5 --force --device unix:a/0,unix:b/0
    check "classify by a network: as one process" equal local.h5 there.h5
    check "training" refused 2 'takes no remote devices|unknown option' timeout 20 "$RIBOGRID" \
        classify train genes.fa --taxonomy genes.tax -q -o y.h5 --device unix:a/0
}

# An ssh that runs its command here.
write_ssh()
{
    mkdir bin
    ln -s "$RIBOGRID" bin/ribogrid
    cat >bin/ssh <<'END'
#!/bin/sh
[ "$1" = -T ] || exit 255
echo "$2" >>"$SSH_HOSTS"
[ "$2" = gpu.lab ] || { echo "ssh: Could not resolve hostname $2" >&2; exit 255; }
shift 2
exec "$@"
END
    chmod +x bin/ssh
    export SSH_HOSTS=$tmp/hosts PATH=$tmp/bin:$PATH
}

test_ssh()
{
    check "no ssh" refused 1 'ssh://gpu.lab/0: cannot run ssh: No such file' \
        env PATH=/nonexistent "$RIBOGRID" align reads.fa -q -o y.h5 --device ssh://gpu.lab/0
    write_ssh
    check "ssh" expect_exit 0 client x.h5 ssh://gpu.lab/0,unix:a/0 --kernel scalar --threads 1
    check "ssh: as one process" equal one.h5 x.h5
    check "ssh: all had work" worked 2 x.h5
    check "the host is its word" test "$(cat hosts)" = gpu.lab
    check "ssh fails" expect_exit 1 client y.h5 ssh://nowhere/0 -q
    check "a line names it" grep -q '^ribogrid: ssh://nowhere/0: the server closed' "$err"
    check "no such device" refused 1 'ssh://gpu.lab/9: this server lends no device 9' \
        client y.h5 ssh://gpu.lab/9 -q
    check "a host that is an option" refused 2 'give unix:PATH/0, ssh://HOST/0' \
        client y.h5 ssh://-v/0 -q
    check "RIBOGRID_DEVICE" expect_exit 0 env RIBOGRID_DEVICE=ssh://gpu.lab/0 timeout 60 \
        "$RIBOGRID" align reads.fa --force -o x.h5
    check "RIBOGRID_DEVICE: as one process" equal one.h5 x.h5
    check "RIBOGRID_DEVICE is used" grep -q 'gpu.lab' <(tail -n 1 hosts)
    : >hosts
    check "--device overrides it" expect_exit 0 env RIBOGRID_DEVICE=ssh://gpu.lab/0 \
        "$RIBOGRID" align reads.fa --force -o x.h5 --device cpu
    check "RIBOGRID_DEVICE is not used" silent hosts
    check "no process is left" until_true 50 has_no_server
}

test_killed()
{
    local pid

    serve d && d=$server
    reads=slow.fa client x.h5 unix:a/0,unix:d/0 --kernel scalar 2>log &
    pid=$!
    until_true 100 larger_than 2500 x.h5.part
    kill -9 "$d"
    check "one of two servers is killed" wait $pid
    check "its tasks go to the other" equal slow.h5 x.h5
    check "it is named" grep -q 'rank 2 (unix:d/0) is gone: ' log
    serve d && d=$server
    reads=slow.fa client x.h5 unix:d/0 --kernel scalar 2>log &
    pid=$!
    until_true 100 larger_than 2500 x.h5.part
    kill "$d"
    wait $pid
    check "the last server ends" test $? -eq 1
    check "one line says what to do" grep -q 'no worker is left; .*--resume' log
    check "a run goes on elsewhere" expect_exit 0 timeout 60 "$RIBOGRID" align slow.fa -o x.h5 \
        --resume --device unix:a/0
    check "and makes the file" equal slow.h5 x.h5
    check "a socket that is left is replaced" serve d
    check "another server has it" expect_exit 1 timeout 20 "$RIBOGRID" serve-device --socket d
    check "as a line says" expect_line 'd: cannot listen: ' "$err"
    reads=slow.fa client x.h5 unix:a/0,unix:d/0 --kernel scalar 2>log &
    pid=$!
    until_true 100 larger_than 2500 x.h5.part
    kill -STOP $(children "$server") "$server"
    check "a server is suspended" wait $pid
    check "it is given up after 10 s, if the run takes that long" equal slow.h5 x.h5
    kill -CONT $(children "$server") "$server"
}

# Bytes from the server: 120 of its greeting, 264 of its answer, then the run's start.
test_start()
{
    local byte

    for byte in 384 390 420 500 900; do
        python3 "$here/dispatcher/remote_proxy.py" p a cut down $byte &
        until_true 100 test -S p
        check "a server goes at byte $byte" expect_exit 0 client x.h5 unix:p/0,unix:b/0
        check "a server goes at byte $byte: it is named" grep -q \
            'rank 1 (unix:p/0) is gone: the connection was ' "$err"
        check "a server goes at byte $byte: the others make the file" equal one.h5 x.h5
    done
    python3 "$here/dispatcher/remote_proxy.py" p a cut down 420 &
    until_true 100 test -S p
    check "the only server goes while the run starts" refused 1 'no worker is left' client \
        y.h5 unix:p/0 -q
    rm -f y.h5.part
}

test_stopped_client()
{
    local pid

    rm -f x.h5
    "$RIBOGRID" align slow.fa -o x.h5 --device unix:a/0 --kernel scalar 2>log &
    pid=$!
    until_true 50 larger_than 2500 x.h5.part
    kill -TERM "$pid"
    wait "$pid"
    check "SIGTERM to the client" test $? -eq 75
    check "and goes on" expect_exit 0 timeout 60 "$RIBOGRID" align slow.fa -o x.h5 --resume
    check "to the same file" equal slow.h5 x.h5
    "$RIBOGRID" align slow.fa -o y.h5 --device unix:a/0 --kernel scalar 2>log &
    pid=$!
    until_true 50 larger_than 2500 y.h5.part
    kill -KILL "$pid"
    check "a client is killed: its process ends at the server" \
        until_true 50 has_no_child "$a"
}

test_refused()
{
    check "no server" refused 1 'unix:none/0: cannot connect: No such file.*; start' \
        client y.h5 unix:none/0 -q
    check "no such device" refused 1 'unix:a/7: this server lends no device 7; it lends cpu' \
        client y.h5 unix:a/7 -q
    check "no number" refused 2 "'unix:a': give unix:PATH/0, ssh" client y.h5 unix:a -q
    check "two local devices" refused 2 "one device of this machine" \
        client y.h5 cpu,cpu,unix:a/0 -q
    check "--plan" refused 2 'does not go with remote devices' client y.h5 unix:a/0 --plan
    check "--log-shards" refused 2 'does not go with remote devices' \
        client y.h5 unix:a/0 --log-shards 2
    check "another command" refused 2 'takes no remote devices' timeout 20 "$RIBOGRID" \
        mesh refine x.poly -o y --device unix:a/0
    check "a terminal or nothing" refused 2 'give --socket PATH, --listen PORT' "$RIBOGRID" serve-device
    check "a device that is none" refused 2 'give auto, cpu, cuda' "$RIBOGRID" serve-device \
        --socket y --device gpu
    check "too many devices" refused 2 '65 devices; give at most 64' "$RIBOGRID" serve-device \
        --socket y --device "cpu$(printf ',cpu%.0s' {1..64})"
}

# forged_server HOW REGEX: a run with a server that does HOW is refused by one line.
forged_server()
{
    python3 "$peer" server "$RIBOGRID" f "$1" &
    until_true 50 test -S f
    check "a server that sends $1" refused 1 "$2" client y.h5 unix:f/0 -q
    wait $!
    rm -f f
}

# forged_client HOW REGEX: the server refuses it by one line, and serves the next one.
forged_client()
{
    : >e.err
    check "a client that sends $1" timeout 30 python3 "$peer" client "$RIBOGRID" e "$1"
    check "a client that sends $1: a line" until_true 50 grep -qE "$2" e.err
}

test_limits()
{
    local pid

    serve l --max-clients 1
    "$RIBOGRID" align slow.fa -q --force -o z.h5 --device unix:l/0 --kernel scalar &
    pid=$!
    until_true 50 larger_than 100 z.h5.part
    check "a second run of a user" refused 1 'unix:l/0: the server has as many runs of your user as it' \
        client y.h5 unix:l/0 -q
    check "the server says why" grep -q 'not served: there are 1 clients of that user' l.err
    check "the first one ends" wait $pid
    check "and makes the file" equal slow.h5 z.h5
    check "the next one is served" expect_exit 0 client x.h5 unix:l/0
    echo 'alice clients' >limits
    check "what is no limit" refused 1 'limits:1: .clients.: give clients=1 to 64, memory=' \
        timeout 20 "$RIBOGRID" serve-device --socket lm --limits limits
    echo '* memory=4M clients=1 weight=2' >limits
    serve lm --limits limits
    if ! is_sanitized; then # whose memory is not limited
        check "memory of a user" refused 1 'no worker is left' client y.h5 unix:lm/0 -q
        check "is limited" grep -q 'out of memory for' lm.err
        : >limits
        check "of a file that is being written" refused 1 'no worker is left' client y.h5 \
            unix:lm/0 -q
    fi
    echo '* memory=2G clients=1' >limits
    check "limits hold at once" expect_exit 0 client x.h5 unix:lm/0
    echo '* clients=1' >limits
    serve lx --limits limits
    rm limits
    "$RIBOGRID" align slow.fa -q --force -o z.h5 --device unix:lx/0 --kernel scalar &
    pid=$!
    until_true 50 larger_than 100 z.h5.part
    check "and also without the file" refused 1 'has as many runs of your user as it' \
        client y.h5 unix:lx/0 -q
    kill $pid
    wait $pid || true
}

test_peers()
{
    forged_server junk 'does not answer as `ribogrid serve-device` does'
    forged_server nothing 'closed the connection'
    forged_server order 'another byte order'
    forged_server version 'it is ribogrid 0.0.0 \(other\), and this is ribogrid .*; install the same'
    serve e
    forged_client junk 'a client: it does not answer as'
    forged_client order 'another byte order'
    forged_client version 'install the same version'
    forged_client words 'a client sent an impossible request'
    forged_client unterminated 'a client sent an impossible command line'
    check "a command that takes no remote devices" timeout 30 python3 "$peer" client \
        "$RIBOGRID" e command
    check "the next client is served" expect_exit 0 client x.h5 unix:e/0
    check "and gets the same" equal one.h5 x.h5
}

test_equal
test_ways
test_graph
test_classify
test_ssh
test_killed
test_start
test_stopped_client
test_refused
test_limits
test_peers
finish
