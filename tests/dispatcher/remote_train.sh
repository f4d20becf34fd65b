#!/usr/bin/env bash
#
# remote_train.sh - networks are trained and used on remote devices: models and answers are
# those of a local run, wherever the training has to go on.
. "$(dirname "$0")/../support/shell_test.sh"
command -v python3 >/dev/null || skip "no python3"
cat >small.ini <<'END'
[net]
input = 1x28x28
classes = 10
init = xavier
[layers]
conv1 = convolution 8 kernel=5
pool1 = max 2
conv2 = convolution 16 kernel=5
pool2 = max 2
ip1 = linear 50 relu
ip2 = linear classes
loss = softmax
[solver]
rate = 0.01
momentum = 0.9
batch = 20
epochs = 16
END
train=(cnn train small.ini synthetic:1000 --test synthetic:100)
"$RIBOGRID" "${train[@]}" -q -o one.h5

# serve NAME: start a server at NAME; its process is $server.
serve()
{
    : >"$1.err"
    "$RIBOGRID" serve-device --socket "$1" --device cpu 2>"$1.err" &
    server=$!
    until_true 100 grep -q 'waiting for clients' "$1.err"
}

# client DEVICES [OPTION...]: train x.h5.
client()
{
    timeout 100 "$RIBOGRID" "${train[@]}" -o x.h5 --device "$@"
}

# steps RANK: the steps that a rank has done for x.h5.
steps()
{
    "$RIBOGRID" info x.h5 | sed -nE "s/^run\tdevice\trank=$1 .* steps=([0-9]+) .*/\1/p"
}

# begun: a checkpoint of x.h5 is there.
begun()
{
    larger_than 150000 x.h5.part
}

test_equal()
{
    serve a && a=$server
    serve b && b=$server
    check "one server" expect_exit 0 client unix:a/0 -v
    check "one server: as without" equal one.h5 x.h5
    check "it computes" test "$(steps 0) $(steps 1)" = "0 100"
    check "the client shows tests" grep -q 'unix:a/0: 16 epochs: .* of the test images' "$err"
    check "and how far it is" grep -q '16000 images in ' "$err"
    check "two servers, and this machine" expect_exit 0 client unix:b/0,cpu,unix:a/0 --force
    check "the first one computes" test "$(steps 0) $(steps 1) $(steps 2)" = "0 100 0"
    check "two servers: as without" equal one.h5 x.h5
    check "within a limit" expect_exit 0 client unix:b/0 --force --device-memory 12M
    check "within a limit: as without" equal one.h5 x.h5
    check "parts of batches need ranks that meet" refused 2 '--split 1:1 has 2 weights' \
        client unix:a/0,unix:b/0 -q --force --split 1:1
    check "and so does --merge" refused 2 '--merge async: there is one rank' \
        client unix:a/0,unix:b/0 -q --force --merge async
}

test_predict()
{
    local devices

    "$RIBOGRID" simulate 12 --length 200 --ambiguous 0 --trim 0 -q |
        awk '/^>/ { print ">g" ++n; print "g" n "\tBacteria;Genus " n % 3 >"genes.tax"; next } 1' \
            >genes.fa
    "$RIBOGRID" cnn train kmer-lenet genes.fa --taxonomy genes.tax --epochs 2 -q -o genes.h5
    "$RIBOGRID" cnn predict genes.h5 genes.fa --taxonomy genes.tax --top 3 -q -o local.tsv
    for devices in unix:a/0 cpu,unix:a/0,unix:b/0; do
        check "predict: $devices" expect_exit 0 timeout 60 "$RIBOGRID" cnn predict genes.h5 \
            genes.fa --taxonomy genes.tax --top 3 --force -o there.tsv --device $devices
        check "predict: $devices: as without" cmp local.tsv there.tsv
    done
    "$RIBOGRID" cnn predict one.h5 synthetic:500 -q -o local.tsv --force
    check "predict of images" expect_exit 0 timeout 60 "$RIBOGRID" cnn predict one.h5 \
        synthetic:500 --force -o there.tsv --device unix:a/0,unix:b/0
    check "predict of images: as without" cmp local.tsv there.tsv
    check "an input that is wrong" refused 1 'one.h5 takes images of' timeout 60 "$RIBOGRID" \
        cnn predict one.h5 genes.fa -q -o y.tsv --device unix:a/0
}

test_lost()
{
    local pid

    rm -f x.h5
    client unix:a/0,unix:b/0 2>log &
    pid=$!
    until_true 100 begun
    kill -9 "$a"
    check "a server is killed" wait $pid
    check "it is named" grep -q 'rank 1 (unix:a/0) is gone: ' log
    check "another goes on from a checkpoint" \
        grep -qE 'rank 2 \(.*\) goes on after [1-9][0-9]* steps' log
    check "to the same model" equal one.h5 x.h5
    rm -f x.h5
    client unix:b/0 2>log &
    pid=$!
    until_true 100 begun
    kill -9 "$b"
    wait $pid
    check "the last server is killed" test $? -eq 1
    check "a line says what to do" grep -q 'no device is left; .*--resume' log
    check "the run goes on here" expect_exit 0 timeout 60 "$RIBOGRID" "${train[@]}" -o x.h5 --resume
    check "from a checkpoint" grep -qE 'resuming: [1-9][0-9]* steps are done already' "$err"
    check "to the same model" equal one.h5 x.h5
    serve a && a=$server
    serve b && b=$server
    rm -f x.h5
    client unix:a/0,cpu 2>log &
    pid=$!
    until_true 100 begun
    kill -9 "$a"
    check "a server is killed, and this machine goes on" wait $pid
    check "from a checkpoint" grep -qE 'rank 0 \(.*\) goes on after [1-9]' log
    check "to the same model" equal one.h5 x.h5
    serve a && a=$server
}

test_stopped()
{
    local pid

    rm -f x.h5
    "$RIBOGRID" "${train[@]}" -o x.h5 --device unix:a/0 2>log &
    pid=$!
    until_true 100 begun
    kill -TERM $pid
    wait $pid
    check "SIGTERM to the client" test $? -eq 75
    check "a checkpoint is kept" grep -q 'stopped: the checkpoint after .* steps is kept' log
    check "another server resumes" expect_exit 0 client unix:b/0 --resume
    check "to the same model" equal one.h5 x.h5
}

# A stream is cut or stalls at any byte.
test_cut()
{
    local i byte

    RANDOM=${RIBOGRID_SEED:-1}
    for ((i = 0; i < ${RIBOGRID_PLANS:-4}; i++)); do
        byte=$(((RANDOM * 32768 + RANDOM) % 2000000))
        python3 "$here/dispatcher/remote_proxy.py" p a cut down $byte &
        until_true 100 test -S p
        check "cut at byte $byte" expect_exit 0 client unix:p/0,unix:b/0 -q --force
        check "cut at byte $byte: as without" equal one.h5 x.h5
        kill $! 2>/dev/null
        rm -f p
    done
}

test_equal
test_predict
test_lost
test_stopped
test_cut
finish
