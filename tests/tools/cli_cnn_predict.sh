#!/usr/bin/env bash
#
# cli_cnn_predict.sh - `cnn predict`: probabilities that Python works out too; the same
# table for any number of ranks and threads and after a stop; names of classes; refusals.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

predict=("$RIBOGRID" cnn predict)

# network SIZE: print a network of one pooling and one linear layer.
network()
{
    printf '[net]\ninput = %s\n[layers]\npool = max 7\nout = linear classes\n' "$1"
    printf 'loss = softmax\n[solver]\nrate = 0.05\nbatch = 8\nepochs = 4\n'
}

# images.h5: 30 random images of 4 classes; few.h5: without labels; wide.h5: one label is 6
make_images()
{
    "$PYTHON" - <<'END'
import h5py
import numpy

draw = numpy.random.RandomState(1)
labels = draw.randint(0, 4, 30)
labels[0] = 3
images = draw.randint(0, 128, (30, 784)) + 30 * labels[:, None]
for name, given in ("images", labels), ("few", None), ("wide", numpy.append(labels[1:], 6)):
    with h5py.File(name + ".h5", "w") as f:
        f["images"] = images.astype("u1")
        f["size"] = numpy.array([1, 28, 28], "i4")
        if given is not None:
            f["labels"] = given.astype("i4")
END
}

# worked_out TABLE: its classes and probabilities are those of the model's parameters.
worked_out()
{
    "$PYTHON" - "$1" <<'END'
import sys
import h5py
import numpy

with h5py.File("images.h5", "r") as f, h5py.File("m.h5", "r") as m:
    x = f["images"][:].reshape(30, 4, 7, 4, 7).max((2, 4)).reshape(30, 16) / 256
    y = x @ m["parameters/out.weight"][:].T + m["parameters/out.bias"][:].ravel()
y = numpy.exp(y)
y /= y.sum(1, keepdims=True)
lines = [line.split("\t") for line in open(sys.argv[1])]
assert lines[0] == ["image", "class", "probability\n"] and len(lines) == 121, len(lines)
for i in range(30):
    order = y[i].argsort()[::-1]
    for k, (image, number, p) in enumerate(lines[1 + 4 * i:5 + 4 * i]):
        assert int(image) == i + 1 and int(number) == order[k], (i, k, image, number)
        assert abs(float(p) - y[i][order[k]]) < 2e-6, (i, k, p)
END
}

test_values()
{
    network 1x28x28 >small.ini
    "$RIBOGRID" cnn train small.ini images.h5 --test images.h5 -o m.h5 2>train.txt
    check "all classes, from full batches and a part of one" expect_exit 0 \
        "${predict[@]}" m.h5 images.h5 --top 9 --batch 7 -o all.tsv
    check "... are what the parameters give" worked_out all.tsv
    check "the accuracy is that of the last test" grep -qF \
        "$(sed -n 's/.* epochs: \([0-9.]* %\) of the test.*/\1/p' train.txt | tail -1)" "$err"
    check "all are right within all classes" grep -q 'first 4 classes: 100.00 %' "$err"
    check "without labels" expect_exit 0 "${predict[@]}" m.h5 few.h5 -o few.tsv
    check "... no image is called right" expect_exit 1 grep -q 'are right' "$err"
    check "in little memory" expect_exit 0 "${predict[@]}" m.h5 images.h5 --top 9 --batch 7 \
        --device cpu --threads 1 --device-memory 64K -o little.tsv
    check "... gives the same" same all.tsv little.tsv
    check "in too little memory" refused 2 'need at least' "${predict[@]}" m.h5 images.h5 \
        --batch 7 --device cpu --device-memory 100 -o none.tsv
    check "the most probable classes" same few.tsv <(awk 'NR == 1 || NR % 4 == 2' all.tsv)
    if "$RIBOGRID" devices | grep -q '^cuda:[0-9]'; then
        check "a GPU" expect_exit 0 "${predict[@]}" m.h5 images.h5 --top 4 --device cuda -o \
            gpu.tsv
        check "... gives the same" worked_out gpu.tsv
    fi
}

test_runs()
{
    local n=0 long=("${predict[@]}" m.h5 synthetic:100000 --batch 1 -q)

    check "random images" expect_exit 0 "${predict[@]}" m.h5 synthetic:300 --batch 16 -q \
        -o one.tsv
    check "an existing table is kept" refused 1 'exists' "${predict[@]}" m.h5 synthetic:300 \
        -o one.tsv
    if mpi 1 true >/dev/null 2>&1; then
        check "three ranks" expect_exit 0 mpi 3 "${predict[@]}" m.h5 synthetic:300 --batch 16 \
            --threads 1 -q -o three.tsv
        check "... give the same" same one.tsv three.tsv
    fi
    "${long[@]}" -o whole.tsv
    "${long[@]}" -o part.tsv &
    while ! larger_than 2000 part.tsv.part && [ $((n += 1)) -lt 500 ]; do
        sleep 0.01
    done
    kill -TERM $!
    wait $!
    check "a stopped run can be resumed" test $? -eq 75
    check "with other options" refused 1 'top' "${long[@]}" --top 2 --resume -o part.tsv
    check "it is resumed" expect_exit 0 "${long[@]}" --resume -o part.tsv
    check "... and ends as an unbroken one" same whole.tsv part.tsv
    n=$(stat -c %i part.tsv)
    check "a finished table is recognised" expect_exit 0 "${long[@]}" --resume -o part.tsv
    check "... and stays the same file" test "$(stat -c %i part.tsv)" -eq "$n"
    mkdir -p logs
    check "to stdout" expect_exit 0 env TMPDIR=logs "${long[@]}" -o -
    check "... the same bytes" cmp -s "$out" whole.tsv
    check "... also with --force" expect_exit 0 env TMPDIR=logs "${long[@]}" --force -o -
    check "... cannot be continued" refused 2 'nothing is kept of a run with -o -' "${long[@]}" \
        --resume -o -
    TMPDIR=logs "$RIBOGRID" cnn predict m.h5 synthetic:300000 --batch 1 -o - 2>stop.err >stop.out &
    until_true 500 larger_than 2000 logs/ribogrid-$!.part
    kill -TERM $!
    wait $!
    check "a run to stdout that is stopped has failed" test $? -eq 1
    check "... and says so" grep -q 'finished; nothing is kept of a run with -o -' stop.err
    check "... writes nothing" test ! -s stop.out
    check "... and leaves no log" test -z "$(ls logs)"
    check "nor replaced by another one" refused 1 'top' "${long[@]}" --top 2 --resume \
        -o part.tsv
}

# sequences NAME BASES: print two sequences of 200 random bases of some.
sequences()
{
    awk -v name="$1" -v bases="$2" 'BEGIN {
        srand(length(bases) + 1)
        for (i = 1; i <= 2; i++) {
            printf ">%s%d\n", name, i
            for (k = 0; k < 200; k++)
                printf "%s", substr(bases, int(rand() * length(bases)) + 1, 1)
            print ""
        }
    }'
}

test_sequences()
{
    network 1x64x64 | sed 's/max 7/max 1/; s/0.05/0.001/; s/epochs = 4/epochs = 20/' >kmer.ini
    { sequences low AAT && sequences high CCGGG; } >train.fa
    { sequences low AAT && sequences odd ACGTACGT; } >test.fa
    printf '%s\n' $'low1\tB;poor;' $'low2\tB;poor;' $'high1\tB;rich;' $'high2\tB;rich;' \
        $'odd1\tB;even;' $'odd2\tB;even;' >lineages.tax
    "$RIBOGRID" cnn train kmer.ini train.fa --taxonomy lineages.tax --batch 4 -q -o kmer.h5
    check "sequences" expect_exit 0 "${predict[@]}" kmer.h5 train.fa --taxonomy lineages.tax \
        -o kmer.tsv
    check "... are named" test "$(tail -n +2 kmer.tsv | cut -f 1,2 | tr '\t\n' ': ')" = \
        'low1:B;poor low2:B;poor high1:B;rich high2:B;rich '
    check "... and right" grep -q '4 of 4 images are right: 100.00 %' "$err"
    sed 's/poor/needy/' lineages.tax >renamed.tax
    check "another taxonomy is another job" refused 1 "now 'classes_digest=" "$RIBOGRID" cnn \
        train kmer.ini train.fa --taxonomy renamed.tax --batch 4 --resume -o kmer.h5
    check "a finished table of sequences is recognised" expect_exit 0 "${predict[@]}" kmer.h5 \
        train.fa --taxonomy lineages.tax --resume -o kmer.tsv
    sed 's/>low/>light/' train.fa >renamed.fa
    sed 's/^low/light/' lineages.tax >renamed.tax
    check "... not with other names" refused 1 "now 'names_digest=" "${predict[@]}" kmer.h5 \
        renamed.fa --taxonomy renamed.tax --resume -o kmer.tsv
    check "a class that was not trained" expect_exit 0 "${predict[@]}" kmer.h5 test.fa \
        --taxonomy lineages.tax -o odd.tsv
    check "... is named" grep -q "2 of 4 images have a class .* the first is 'B;even'" "$err"
    check "... and never right" grep -q '2 of 4 images are right: 50.00 %' "$err"
    grep -v high2 lineages.tax >gap.tax
    check "a sequence without a lineage" refused 1 'gap.tax has no lineage for .*--allow-missing$' \
        "$RIBOGRID" cnn train kmer.ini train.fa --taxonomy gap.tax --batch 4 -q -o gap.h5
    check "... may be left out" expect_exit 0 "$RIBOGRID" cnn train kmer.ini train.fa --taxonomy \
        gap.tax --allow-missing --batch 4 -q -o gap.h5
    check "... and is predicted all the same" expect_exit 0 "${predict[@]}" kmer.h5 train.fa \
        --taxonomy gap.tax --allow-missing -o gap.tsv
    check "... as with its lineage" cmp -s gap.tsv kmer.tsv
    check "--allow-missing alone" refused 2 '--allow-missing needs --taxonomy' "${predict[@]}" \
        kmer.h5 train.fa --allow-missing -o x.tsv
    check "no taxonomy" expect_exit 0 "${predict[@]}" kmer.h5 test.fa -o plain.tsv
    check "... makes no difference" same odd.tsv plain.tsv
}

test_refusals()
{
    cp m.h5 lacking.h5
    "$PYTHON" -c 'import h5py; del h5py.File("lacking.h5", "r+")["parameters/out.weight"]'
    head -c 3000 m.h5 >cut.h5
    cp m.h5 nan.h5
    cp m.h5 large.h5
    "$PYTHON" -c 'import h5py
h5py.File("nan.h5", "r+")["parameters/out.bias"][:] = float("nan")
h5py.File("large.h5", "r+")["parameters/out.weight"][:] = 3e38'
    check "parameters that are no numbers" refused 1 \
        'nan.h5: /parameters/out.bias is not finite at row 1, column 1' \
        "${predict[@]}" nan.h5 few.h5 -q -o x.tsv
    check "parameters that are too large" expect_exit 1 "${predict[@]}" large.h5 few.h5 -q -o x.tsv
    check "... are one line" expect_line 'image 1: its probabilities are no numbers' "$err"
    check "... and the run is kept" rm x.tsv.part
    check "images of another size" refused 1 'takes images of 1 x 28 x 28, but train.fa has' \
        "${predict[@]}" m.h5 train.fa -o x.tsv
    check "labels that the model lacks" refused 1 'has labels up to 6, but those of m.h5 end at 3' \
        "${predict[@]}" m.h5 wide.h5 -o x.tsv
    check "a model without the layer" refused 1 'out.weight' "${predict[@]}" lacking.h5 few.h5 \
        -o x.tsv
    check "a cut model" refused 1 'cut.h5' "${predict[@]}" cut.h5 few.h5 -o x.tsv
    check "no model" refused 1 'not a trained network' "${predict[@]}" few.h5 few.h5 -o x.tsv
    check "missing images" refused 1 'none.idx' "${predict[@]}" m.h5 none.idx -o x.tsv
    check "no output" refused 2 'no output file' "${predict[@]}" m.h5 few.h5
    check "numbers that only the definition has on a CPU" refused 2 \
        '--type tf32: on a CPU only the kernel serial' "${predict[@]}" m.h5 few.h5 --device cpu \
        --type tf32 -o x.tsv
    check "an output that is an input" refused 2 'input' "${predict[@]}" m.h5 few.h5 --force \
        -o m.h5
    check "an unknown kernel" refused 2 'no such kernel' "${predict[@]}" m.h5 few.h5 \
        --kernel none -o x.tsv
    check "nothing is left" absent x.tsv x.tsv.part
    if mpi 1 true >/dev/null 2>&1; then
        check "refusals of several ranks" expect_exit 1 mpi 2 "${predict[@]}" m.h5 wide.h5 \
            -o x.tsv
        check "... are one line" test "$(grep -c 'has labels up to' "$err")" -eq 1
    fi
}

make_images
test_values
test_runs
test_sequences
test_refusals
finish
