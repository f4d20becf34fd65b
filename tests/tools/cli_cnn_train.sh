#!/usr/bin/env bash
#
# cli_cnn_train.sh - `cnn train`: the same model for any number of threads, after a stop,
# and, up to rounding, on any number of ranks; learning curves; refusals; MNIST.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

train=("$RIBOGRID" cnn train lenet synthetic:96 --batch 24)

# network CLASSES: print a small network for images of 1 x 28 x 28.
network()
{
    printf '[net]\ninput = 1x28x28\nclasses = 3\n[layers]\npool = max 7\nout = linear %s\n' "$1"
    printf 'loss = softmax\n'
}

# Print a network without fully connected layers.
no_linear()
{
    printf '[net]\ninput = 1x28x28\nclasses = 3\n[layers]\n'
    printf 'all = convolution classes kernel=28\nloss = softmax\n'
}

# Print a small network with batch norm in branches.
branches()
{
    printf '[net]\ninput = 2x8x8\nclasses = 3\n[layers]\n'
    printf 'a = convolution 4 kernel=3 pad=1 batch-norm relu\nb = max 2\n'
    printf 'b1 = convolution 3 kernel=1 batch-norm relu from=b\n'
    printf 'b2 = convolution 3 kernel=3 pad=1 batch-norm relu from=b\n'
    printf 'c = concat from=b1,b2\nd = linear classes\nloss = softmax\n'
    printf '[solver]\nmomentum = 0.9\n'
}

test_equal()
{
    check "training works" expect_exit 0 "${train[@]}" --epochs 3 --test synthetic:50 \
        -o a.h5 --csv a.csv --svg a.svg
    check "the test is reported after every epoch" test \
        "$(grep -c 'of the test images are right' "$err")" -eq 3
    check "one line per batch" test "$(wc -l <a.csv)" -eq 13
    check "a line with a test has all columns" grep -qE '^12,([0-9.e+-]+,){4}[0-9.e+-]+$' a.csv
    check "the chart is drawn" grep -q '<polyline' a.svg
    check "one thread" expect_exit 0 "${train[@]}" --epochs 3 --test synthetic:50 --threads 1 \
        -q -o b.h5
    check "... gives the same" equal a.h5 b.h5
    check "another seed" expect_exit 0 "${train[@]}" --epochs 3 --test synthetic:50 --seed 2 \
        -q -o c.h5
    check "... gives another network" expect_exit 1 equal a.h5 c.h5
    check "info shows the last test" expect_exit 0 "$RIBOGRID" info a.h5
    check "... and the job" grep -q '^job	batch	24$' "$out"
}

# Tensors that wait in the swap area change nothing, also from one limit to another.
test_limits()
{
    local train=("${train[@]}" --device cpu --threads 2 -q) least=() policy i=0

    for policy in plan demand; do
        check "a limit that is too small" refused 2 'need at least' "${train[@]}" \
            --device-memory 1M --swap $policy --force -o limit.h5
        least[i]=$(sed -n 's/.*give --device-memory \([0-9]*[KM]\).*/\1/p' "$err")
        check "the smallest one, $policy" expect_exit 0 "${train[@]}" --epochs 3 \
            --device-memory "${least[i++]}" --swap $policy --force -o limit.h5
        "${train[@]}" --epochs 3 --force -o free.h5
        check "... gives the same" equal free.h5 limit.h5
    done
    check "too little for tests" refused 2 'need at least' "${train[@]}" --test synthetic:50 \
        --device-memory "${least[0]}" --force -o limit.h5
    check "... names what is not" expect_exit 0 "${train[@]}" --epochs 3 --test synthetic:50 \
        --force -o limit.h5 --device-memory "$(sed -n 's/.*give --device-memory \([0-9]*[KM]\).*/\1/p' "$err")"
    check "... and gives the same" equal a.h5 limit.h5
    "${train[@]}" --epochs 24 --force -o free.h5
    "${train[@]}" --epochs 24 --device-memory "${least[0]}" -o moved.h5 &
    until_true 500 test -s moved.h5.part
    kill -TERM $!
    wait $!
    check "a run continues within another limit" expect_exit 0 "${train[@]}" --epochs 24 \
        --device-memory "${least[1]}" --swap demand --resume -o moved.h5
    check "... and ends as one without" equal free.h5 moved.h5
    check "a limit of 0" refused 2 'give bytes' "${train[@]}" --device-memory 0 --force \
        -o limit.h5
    check "nothing again on demand" refused 2 '--rematerialize needs --swap plan' "${train[@]}" \
        --device-memory 1G --swap demand --rematerialize auto --force -o limit.h5
}

# Layers that are placed on the CPU, beside a CPU, compute the same.
test_places()
{
    local net train=("${train[@]}" --device cpu --threads 2 -q --test synthetic:50)

    check "HybNet" expect_exit 0 "${train[@]}" --epochs 3 --place hybnet -o hybnet.h5
    check "... gives the same" equal a.h5 hybnet.h5
    check "too small a limit" refused 2 'need at least' "${train[@]}" --epochs 3 --place hybnet \
        --device-memory 1M -o placed.h5
    check "the smallest one" expect_exit 0 "${train[@]}" --epochs 3 --place hybnet -o placed.h5 \
        --device-memory "$(sed -n 's/.*give --device-memory \([0-9]*[KM]\).*/\1/p' "$err")"
    check "... gives the same" equal a.h5 placed.h5
    no_linear >all.ini
    network 'classes place=cpu' >placed.ini
    network classes >device.ini
    for net in placed device; do
        "$RIBOGRID" cnn train $net.ini synthetic:40 --epochs 2 -q -o $net.h5 --force
    done
    check "a layer's own place changes no parameter" close placed.h5 device.h5
    check "nothing to place" refused 1 'no fully connected layers are at its end' "$RIBOGRID" \
        cnn train all.ini synthetic:40 --place hybnet -o x.h5
    export RIBOGRID_CACHE=$PWD/places
    check "no rates" refused 2 'measure them with' "${train[@]}" --place auto -o x.h5
    check "rates" expect_exit 0 "$RIBOGRID" cnn time lenet --batch 24 --device cpu --threads 2 \
        --runs 1 --seconds 0.5 --kinds
    check "a placement by rates" expect_exit 0 "${train[@]}" --epochs 3 --place auto -o byrates.h5
    check "... gives the same" equal a.h5 byrates.h5
    unset RIBOGRID_CACHE
    check "another word" refused 2 'give one of net|device|hybnet' "${train[@]}" --place gpu -o x.h5
}

test_resume()
{
    local epochs=24 n=0 train=("${train[@]}" --test synthetic:24)

    is_sanitized && epochs=10 # slower
    "${train[@]}" --epochs $epochs -q -o whole.h5
    "${train[@]}" --epochs $epochs -o part.h5 2>part.err &
    while ! grep -qs 'test images' part.err && [ $((n += 1)) -lt 500 ]; do
        sleep 0.02 # until the first epoch has ended
    done
    kill -TERM $!
    wait $!
    check "a stopped run can be resumed" test $? -eq 75
    check "it is resumed" expect_exit 0 "${train[@]}" --epochs $epochs --resume -o part.h5
    check "... from its checkpoint" grep -q 'resuming: ' "$err"
    check "... and ends as an unbroken one" equal whole.h5 part.h5
    "${train[@]}" --epochs $epochs -q -o early.h5 &
    until_true 500 test -s early.h5.part
    kill -TERM $!
    wait $!
    check "a run is stopped in order as soon as there is a log" test $? -eq 75
    check "a finished run is not repeated" expect_exit 0 "${train[@]}" --epochs $epochs --resume \
        -o part.h5
    check "... and says so" grep -q 'already finished' "$err"
    check "... not even for its curves" refused 1 'curves.csv does not; give --force' \
        "${train[@]}" --epochs $epochs --resume --csv curves.csv -o part.h5
    check "another job is refused" refused 1 'batch' "${train[@]}" --batch 12 --epochs $epochs \
        --resume -o part.h5
}

# All parameters and states agree up to rounding.
close()
{
    "$PYTHON" - "$1" "$2" <<'END'
import sys
import h5py
import numpy
with h5py.File(sys.argv[1]) as a, h5py.File(sys.argv[2]) as b:
    for name in [f"{g}/{n}" for g in ("parameters", "state") for n in a[g]]:
        x, y = a[name][:], b[name][:]
        if not numpy.allclose(x, y, rtol=1e-3, atol=1e-4):
            sys.exit(f"{name} differs by {abs(x - y).max()}")
END
}

test_ranks()
{
    local n policy many

    mpi 1 true >/dev/null 2>&1 && ! is_sanitized || return # Open MPI itself leaks
    for n in 2 3; do
        check "$n ranks" expect_exit 0 mpi $n "${train[@]}" --epochs 3 --test synthetic:50 \
            --threads 1 -q -o r$n.h5
        check "$n ranks learn what one does" close a.h5 r$n.h5
    done
    for policy in plan demand; do
        check "2 ranks within a limit, $policy" expect_exit 0 mpi 2 "${train[@]}" --epochs 3 \
            --test synthetic:50 --device cpu --threads 1 -q --device-memory 9M --swap $policy \
            -o limit2.h5 --force
        check "... learn what they do without" equal r2.h5 limit2.h5
    done
    branches >norm.ini
    train_norm=("$RIBOGRID" cnn train norm.ini synthetic:60 --batch 12 --epochs 4 --threads 1 -q)
    check "batch norm" expect_exit 0 "${train_norm[@]}" -o n1.h5
    check "batch norm on 3 ranks" expect_exit 0 mpi 3 "${train_norm[@]}" -o n3.h5
    check "... takes the whole batch" close n1.h5 n3.h5
    many=("$RIBOGRID" cnn train norm.ini synthetic:1200 --batch 1200 --epochs 4 --threads 1 -q \
        --device cpu)
    mpi 2 "${many[@]}" -o many.h5
    check "moments within too small a limit" expect_exit 2 mpi 2 "${many[@]}" --device-memory 1K \
        -o limit.h5 --force
    check "... within the smallest one" expect_exit 0 mpi 2 "${many[@]}" -o limit.h5 --force \
        --device-memory "$(sed -n 's/.*give --device-memory \([0-9]*[KM]\).*/\1/p' "$err" | head -1)"
    check "... are the same" equal many.h5 limit.h5
    check "a batch that cannot be divided" expect_exit 1 mpi 5 "${train[@]}" -o r5.h5
    check "... is refused" test "$(grep -c 'cannot be divided among 5 ranks' "$err")" -eq 1
}

# Ranks take unequal parts of each batch.
test_split()
{
    local split=("${train[@]}" --device cpu --threads 1 -q) late

    late=("${split[@]}" --epochs 40 --split 5:1 --merge async)

    mpi 1 true >/dev/null 2>&1 && ! is_sanitized || return
    check "parts of 20 and 4 images" expect_exit 0 mpi 2 "${split[@]}" --epochs 3 \
        --test synthetic:50 --split 5:1 -o s2.h5
    check "... teach what one rank learns" close a.h5 s2.h5
    check "... within a limit" expect_exit 0 mpi 2 "${split[@]}" --epochs 3 --test synthetic:50 \
        --split 5:1 --device-memory 9400K -o limit5.h5
    check "... the same" equal s2.h5 limit5.h5
    check "late gradients know no limit" expect_exit 2 mpi 2 "${late[@]}" --device-memory 9M \
        -o x.h5
    check "... which is said" grep -q 'leave out --device-memory or --merge' "$err"
    check "parts of a batch with batch norm" expect_exit 0 mpi 3 "${train_norm[@]}" --split 5:1:6 \
        -o n5.h5
    check "... take the moments of the whole batch" close n1.h5 n5.h5
    check "ranks of unequal threads" expect_exit 0 mpirun --oversubscribe --bind-to none \
        -n 1 "${split[@]}" --epochs 3 --test synthetic:50 --split 2:1 --threads 2 -o u.h5 : \
        -n 1 "${split[@]}" --epochs 3 --test synthetic:50 --split 2:1 -o u.h5
    check "... teach the same" close a.h5 u.h5
    check "parts by speed" expect_exit 0 mpi 2 "${train[@]}" --device cpu --threads 1 --epochs 3 \
        --test synthetic:50 --split auto -o auto.h5
    check "... are said" grep -qE \
        'split auto: [0-9.]+, [0-9.]+ images/s: (--split [0-9]+:[0-9]+, |rank [01] trains alone)' "$err"
    check "... and teach the same, or one rank alone does" close a.h5 auto.h5
    check "one rank" expect_exit 0 "${split[@]}" --epochs 3 --split auto --test synthetic:50 -o one.h5
    check "... takes all" equal a.h5 one.h5
    check "late gradients" expect_exit 0 mpi 2 "${late[@]}" -o late.h5
    mpi 2 "${split[@]}" --epochs 40 --split 5:1 -o sync.h5
    check "... are others than those in time" expect_exit 1 equal late.h5 sync.h5
    exec_mpi 2 "${late[@]}" -o stopped.h5 2>stopped.txt &
    until_true 500 test -s stopped.h5.part
    kill -TERM $!
    wait $!
    check "a stopped run leaves its log" test -s stopped.h5.part
    check "... does not continue with other parts" expect_exit 1 mpi 2 "${late[@]}" --split 4:2 \
        --resume -o stopped.h5
    check "... which are named" grep -q "there 'parts=20:4', now 'parts=16:8'" "$err"
    check "... continues with its own" expect_exit 0 mpi 2 "${late[@]}" --resume -o stopped.h5
    check "... and ends as an unbroken one" equal late.h5 stopped.h5
    check "a weight for each rank" expect_exit 2 mpi 2 "${split[@]}" --split 1:2:3 -o x.h5
    check "... is required" test "$(grep -c 'has 3 weights, and the number of ranks is 2' "$err")" = 1
    check "no number" refused 2 'give auto, or a whole number' "${split[@]}" --split 3:x -o x.h5
    check "one rank is not late" refused 2 'there is one rank' "${split[@]}" --merge async -o x.h5
    check "batch norm is not late" expect_exit 2 mpi 2 "${train_norm[@]}" --merge async -o x.h5
    check "... which is said once" test "$(grep -c 'batch norm takes moments' "$err")" = 1
    check "measuring within a limit" refused 2 'measures without --device-memory' "${split[@]}" \
        --split auto --device-memory 1G -o x.h5
    check "less images than ranks" expect_exit 1 mpi 2 "${split[@]}" --batch 1 --split 1:1 -o x.h5
}

test_refusals()
{
    network 5 >five.ini
    network classes >any.ini
    check "classes of the images" expect_exit 0 "$RIBOGRID" cnn train any.ini synthetic:40 \
        --epochs 1 -q -o any.h5
    check "images of another size" refused 1 'takes images of 3 x 224 x 224' "$RIBOGRID" cnn \
        train alexnet three.idx --labels three.labels -o x.h5
    check "too few classes" refused 1 'has 5 classes, but the images have 7' "$RIBOGRID" cnn \
        train five.ini three.idx --labels three.labels -o x.h5
    check "no labels" refused 1 'has no labels' "$RIBOGRID" cnn train five.ini three.idx \
        -o x.h5
    check "missing images" refused 1 'none.idx' "$RIBOGRID" cnn train lenet none.idx -o x.h5
    check "no network" refused 1 'neither a file nor a shipped network' "$RIBOGRID" cnn train \
        none synthetic -o x.h5
    check "training that diverges" expect_exit 1 "${train[@]}" --rate 1e6 --epochs 2 -q -o x.h5
    check "... is named" grep -q 'training diverges; give a smaller --rate' "$err"
    # an update may be too large where the loss is not
    {
        printf '[net]\ninput = 1x4x4\nclasses = 3\n[layers]\n'
        printf 'l%s = linear 16\n' {1..14}
        printf 'c = linear classes\nd = softmax\n'
    } >steep.ini
    check "parameters that overflow" expect_exit 1 "$RIBOGRID" cnn train steep.ini synthetic:16 \
        --batch 8 --epochs 1 --rate 2500 --threads 1 -q -o steep.h5
    check "... are named" grep -q 'training diverges; give a smaller --rate' "$err"
    rm -f steep.h5.part
    check "an output that is an input" refused 2 'input' "$RIBOGRID" cnn train lenet three.idx \
        --labels three.labels -o three.idx --force
    check "no output" refused 2 'no output file' "$RIBOGRID" cnn train lenet synthetic
    check "numbers that only the definition has on a CPU" refused 2 \
        '--type bf16: on a CPU only the kernel serial' "${train[@]}" --device cpu --type bf16 -o y.h5
    check "... unless it is named" expect_exit 0 "$RIBOGRID" cnn train five.ini synthetic:8 \
        --batch 8 --epochs 1 --device cpu --type bf16 --kernel serial -q -o bf16.h5
    check "a rate of 0" refused 2 'a number above 0' "${train[@]}" --rate 0 -o x.h5
    rm -f x.h5.part
    check "nothing is left" absent x.h5
}

test_mnist()
{
    local images=${RIBOGRID_DATA:-none}/mnist/t10k-images-idx3-ubyte.gz

    [ -r "$images" ] && ! is_sanitized || return
    check "MNIST's 10,000 test images are learned" expect_exit 0 "$RIBOGRID" cnn train lenet \
        "$images" --test "$images" --epochs 1 -q -o mnist.h5
    check "... to more than 93 %" "$PYTHON" -c 'import h5py
assert h5py.File("mnist.h5")["tests/accuracy"][0] > 0.93'
}

# three images of 28 x 28; labels 0, 6, 1
{
    printf '\0\0\10\3\0\0\0\3\0\0\0\34\0\0\0\34'
    head -c 2352 /dev/zero
} >three.idx
printf '\0\0\10\1\0\0\0\3\0\6\1' >three.labels

test_equal
test_limits
test_places
test_resume
test_ranks
test_split
test_refusals
test_mnist
finish
