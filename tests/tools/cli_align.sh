#!/usr/bin/env bash
#
# cli_align.sh - tests `ribogrid align`: results, inputs, refusals, a full disk.
# cli_align_usage.sh has its command lines.
#
# The tables in golden/ were made by an independent program in another language.  It tries
# all ways to skip bases at the ends, and agrees with an enumeration of all alignments of
# short sequences.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
golden=$here/golden
mixed=$golden/mixed.fa

# align INPUT OPTION...: write x.h5, and replace it if it exists.
align()
{
    "$RIBOGRID" align "$@" -q --force -o x.h5
}

# gives_piped TABLE INPUT: as gives, with default options and the input from stdin.
gives_piped()
{
    # shellcheck disable=SC2002  # a pipe is the point
    cat "$2" | expect_exit 0 align - && "$RIBOGRID" view x.h5 >x.tsv && same \
        "$golden/$1.tsv" x.tsv
}

same_as_default()
{
    expect_exit 0 align "$@" && equal default.h5 x.h5
}

test_results()
{
    check "default options" expect_table mixed "$mixed"
    cp x.h5 default.h5
    check "default options given explicitly" expect_table mixed "$mixed" --emit identity \
        --ends free \
        --min-overlap 0.5 --match 4 --mismatch -5 --gap -7 --ambiguity n-mismatch \
        --device cpu --kernel auto --threads 1 --max-output 1G
    check "explicit defaults give the same file" equal default.h5 x.h5
    check "little memory" expect_table mixed "$mixed" --memory 1M --device-memory 64M
    check "--ends count" expect_table mixed_count "$mixed" --ends count
    check "--emit score" expect_table mixed_score "$mixed" --emit score
    check "--emit score --ends count" expect_table mixed_score_count "$mixed" --emit \
        score \
        --ends=count
    check "--ambiguity match" expect_table mixed_match "$mixed" --ambiguity match
    check "--ambiguity mismatch" expect_table mixed_mismatch "$mixed" --ambiguity mismatch
    check "--min-overlap 0.9" expect_table mixed_overlap "$mixed" --min-overlap 0.9
    check "--min-overlap .90" expect_table mixed_overlap "$mixed" --min-overlap .90
    check "other scores" expect_table mixed_scores "$mixed" --match 5 --mismatch -4 \
        --gap -3
    check "--matrix" expect_table mixed_matrix "$mixed" --matrix "$golden/hand.matrix"
    check "--matrix --ends count" expect_table mixed_matrix_count "$mixed" --ends count \
        --matrix "$golden/hand.matrix" --gap -4
    for kernel in scalar simd; do
        "$RIBOGRID" devices | grep -q "^cpu.* $kernel" || continue
        check "--kernel $kernel" expect_table mixed "$mixed" --kernel $kernel
        check "--kernel $kernel, matrix" expect_table mixed_matrix "$mixed" --kernel \
            $kernel \
            --matrix "$golden/hand.matrix"
    done
}

few()
{
    expect_exit 0 "$RIBOGRID" align "$1" --force -o x.h5 && grep -q "warning: .*$2" \
        "$err" &&
        [ "$("$RIBOGRID" view x.h5 | wc -l)" -eq 1 ] && [ "$(field sequences x.h5)" = \
            "$3" ]
}

lengths()
{
    {
        echo '>one_a'
        echo A
        echo '>one_c'
        echo C
        for name in long_1 long_2; do
            echo ">$name"
            for _ in $(seq 3000); do printf A; done
            echo
        done
    } >lengths.fa
    # a gap of 2999 bases costs nothing, or 2999 x 7
    printf '%s\n' 'one_a one_c 0 0 0 NA' 'one_a long_1 4 1 1 1.000000' \
        'one_a long_2 4 1 1 1.000000' 'one_c long_1 0 0 0 NA' 'one_c long_2 0 0 0 NA' \
        'long_1 long_2 12000 3000 3000 1.000000' | tr ' ' '\t' >free.tsv
    printf '%s\n' 'one_a one_c -5 0 1 0.000000' 'one_a long_1 -20989 1 3000 0.000333' \
        'one_a long_2 -20989 1 3000 0.000333' 'one_c long_1 -20998 0 3000 0.000000' \
        'one_c long_2 -20998 0 3000 0.000000' \
        'long_1 long_2 12000 3000 3000 1.000000' | tr ' ' '\t' >count.tsv
    align lengths.fa && "$RIBOGRID" view --no-header x.h5 >x.tsv && same free.tsv x.tsv &&
        align lengths.fa --ends count && "$RIBOGRID" view --no-header x.h5 >x.tsv &&
        same count.tsv x.tsv
}

test_inputs()
{
    check "no sequence" few "$golden/none.fa" "no sequence" 0
    check "one sequence" few "$golden/one.fa" "one sequence" 1
    check "two sequences" expect_table two "$golden/two.fa"
    check "all identical" expect_table same "$golden/same.fa"
    check "sequences of 1 and of 3000 bases" lengths
    check "U is read as T, lower case as upper case" same_as_default \
        "$golden/mixed_rna.fa"
    check "--degap" same_as_default "$golden/mixed_aligned.fa" --degap
    gzip -c "$mixed" >mixed.fa.gz
    check "gzip" same_as_default mixed.fa.gz
    cp mixed.fa.gz no_suffix
    check "gzip without the suffix .gz" same_as_default no_suffix
    check "stdin" gives_piped mixed "$mixed"
    check "stdin, gzip" gives_piped mixed mixed.fa.gz
    check "an option after -- is an argument" refused 1 'cannot read --force' \
        "$RIBOGRID" align -q -o \
        y.h5 -- --force
}

attributes()
{
    "$PYTHON" - "$1" <<'END'
import sys
import h5py
import numpy

f = h5py.File(sys.argv[1], "r")
want = {"format": b"ribogrid-pairs", "format_version": 1, "identity": b"matches / columns",
        "ends": b"free", "triangle": b"row < col"}
for name, value in want.items():
    assert f.attrs[name] == value, (name, f.attrs[name])
n = len(f["sequences/names"])
assert [x.decode() for x in f["sequences/names"]][:2] == ["plain", "changed"]
assert list(f["sequences/lengths"]) == [10, 10, 9, 5, 10, 10, 17, 9]
assert f["sequences/letters"][:10].tobytes() == b"ACGTACGTAC"
below = numpy.tril_indices(n)
above = numpy.triu_indices(n, 1)
for name, fill in (("score", -2**31), ("matches", 0), ("columns", 0)):
    d = f[name]
    assert d.dtype == "<i4" and d.shape == (n, n) and d.fillvalue == fill, name
    assert (d[()][below] == fill).all(), name
    if name == "score":
        assert (d[()][above] != fill).all(), name
END
}

test_file()
{
    check "h5py reads attributes and fill values" attributes default.h5
    if command -v h5dump >/dev/null; then
        check "h5dump prints it" expect_exit 0 h5dump default.h5
        check "h5dump prints the format" grep -q '"ribogrid-pairs"' "$out"
    fi
}

# nothing_left CODE REGEX ARGUMENT...: align refuses the arguments and leaves no n.h5*.
nothing_left()
{
    local code=$1 regex=$2

    shift 2
    refused "$code" "$regex" "$RIBOGRID" align "$@" && absent n.h5 n.h5.tmp-* n.h5.part
}

test_refusals()
{
    echo old >old.h5
    check "existing output" refused 1 "old.h5 exists; give --force" "$RIBOGRID" align \
        "$mixed" -o old.h5
    check "the existing output is unchanged" grep -qx old old.h5
    check "--resume with an output that is not a result" refused 1 \
        "old.h5: not an HDF5 file" \
        "$RIBOGRID" align "$mixed" -o old.h5 --resume
    check "--force replaces" expect_exit 0 "$RIBOGRID" align "$mixed" -o old.h5 --force -q
    check "the replaced file has the usual result" equal default.h5 old.h5
    echo torn >part.h5.part
    check "unfinished run" refused 1 \
        "part.h5.part holds an unfinished run; give --resume.*--force" \
        "$RIBOGRID" align "$mixed" -o part.h5
    check "--resume with a file that is not a log" refused 1 "part.h5.part is not a log" \
        "$RIBOGRID" align "$mixed" -o part.h5 --resume
    check "that file is unchanged" grep -qx torn part.h5.part
    check "no output is left" absent part.h5 part.h5.tmp-*
    check "--force with a file that is not a log" refused 1 "part.h5.part is not a log" \
        "$RIBOGRID" align "$mixed" -o part.h5 --force
    check "that file is still unchanged" grep -qx torn part.h5.part
    check "no output is left" absent part.h5 part.h5.tmp-*
    check "missing input" nothing_left 1 "cannot read missing.fa: No such file" \
        missing.fa -o n.h5
    check "a directory as input" nothing_left 1 "cannot read \.: Is a directory" . -o n.h5
    check "output in a missing directory" refused 1 \
        "nowhere/n.h5: cannot create: No such" \
        "$RIBOGRID" align "$mixed" -o nowhere/n.h5
    check "a result larger than --max-output" nothing_left 1 "more than --max-output" \
        "$mixed" -o \
        n.h5 --max-output 100
    check "scores beyond 32 bits" nothing_left 1 "could leave 32 bits" lengths.fa -o \
        n.h5 --match 1000000
    if "$RIBOGRID" devices | grep -q '^cuda.none'; then
        check "no GPU" nothing_left 1 "--device cuda: no GPU" "$mixed" -o n.h5 \
            --device cuda
    else
        check "no such GPU" nothing_left 2 "--device cuda:99: there is no such" \
            "$mixed" -o n.h5 --device cuda:99
    fi
    check "several Slurm tasks, no launcher" refused 2 \
        'Slurm started 4 tasks .*srun --mpi=pmix.*mpirun' \
        env SLURM_STEP_NUM_TASKS=4 "$RIBOGRID" align "$mixed" -o n.h5
    check "no file is left" absent n.h5 n.h5.tmp-* n.h5.part
}

test_matrices()
{
    local remedy='give a symmetric nucleotide matrix'

    sed 's/^C -7 /C -6 /' "$golden/hand.matrix" >asymmetric.matrix
    check "asymmetric matrix" nothing_left 1 "not symmetric; $remedy" "$mixed" -o n.h5 \
        --matrix asymmetric.matrix
    printf '   A  R  N  D  L\nA  4 -1 -2 -2 -1\nR -1  5  0 -2 -2\n' >protein.matrix
    check "protein matrix" nothing_left 1 \
        "protein.matrix:1: 'L' is not a nucleotide letter; $remedy" \
        "$mixed" -o n.h5 --matrix protein.matrix
    check "missing matrix" nothing_left 1 "cannot read none.matrix: No such" "$mixed" \
        -o n.h5 --matrix none.matrix
    printf '  A C G T\nA 4 0 0 0\nC 0 4 0 0\nG 0 0 4 0\nT 0 0 0 4\n' >bases.matrix
    check "a letter that the matrix does not score" nothing_left 1 \
        "record 5 'codes' has the letter N.*add it" \
        "$mixed" -o n.h5 --matrix bases.matrix
    check "an empty matrix" nothing_left 1 "$remedy" "$mixed" -o n.h5 --matrix \
        "$golden/none.fa"
    check "--gap with a matrix" expect_table two "$golden/two.fa" --gap -7 --matrix <(
        printf \
            '   A  C  G  T\nA  4 -5 -5 -5\nC -5  4 -5 -5\nG -5 -5  4 -5\nT -5 -5 -5  4\n')
}

# under LIMIT_KB COMMAND...: run with a limit on the size of files.
under()
{
    local limit=$1

    shift
    (ulimit -f "$limit" && exec "$@")
}

# stderr is a pipe, because the limit applies to it, too.
full_from_the_start()
{
    under 0 "$RIBOGRID" align full.fa -q -o f.h5 2>&1 | cat >f.txt
    [ "${PIPESTATUS[0]}" -eq 1 ] && expect_line 'f.h5.part: cannot write' f.txt
}

# The disk is full when the log is written, and when the result is.
test_full_disk()
{
    local limit

    "$RIBOGRID" simulate 120 --length 100 --seed 3 -o full.fa
    "$RIBOGRID" align full.fa -q -o whole.h5
    check "the disk is full while the log is written" refused 1 \
        'd.h5.part: cannot write: .*run again with --resume' \
        under 8 "$RIBOGRID" align full.fa -q -o d.h5
    check "the log is kept" test -s d.h5.part
    check "no result" absent d.h5 d.h5.tmp-*
    check "--resume once there is space again" expect_exit 0 "$RIBOGRID" align full.fa \
        -q -o d.h5 --resume
    check "equal to an uninterrupted run" equal whole.h5 d.h5
    check "the log is removed" absent d.h5.part d.h5.tmp-*
    # the result is larger than the log
    limit=$(($(stat -c %s whole.h5) / 1024 - 1))
    check "the disk is full while the result is written" refused 1 'e.h5.part: HDF5 cannot write' \
        under $limit "$RIBOGRID" align full.fa -q -o e.h5
    check "the log is kept" test -s e.h5.part
    check "no result" absent e.h5 e.h5.tmp-*
    check "--resume once there is space again" expect_exit 0 "$RIBOGRID" align full.fa \
        -o e.h5 --resume
    check "all tiles are finished already" grep -Eq \
        'resuming: ([0-9]+) of \1 tiles are finished already' "$err"
    check "no pair is computed again" test "$(grep -c 'pairs/s' "$err")" -eq 0
    check "equal to an uninterrupted run" equal whole.h5 e.h5
    check "the disk is full from the start" full_from_the_start
    check "simulate on a full disk" refused 1 'cannot write' \
        under 8 "$RIBOGRID" simulate 120 -o f.fa
    check "no file is left" absent f.fa f.fa.tmp-*
    if [ -c /dev/full ]; then
        check "simulate writes to a full device" expect_exit 1 bash -c \
            "exec '$RIBOGRID' simulate 120 >/dev/full"
        check "it fails with one line" expect_line 'cannot write' "$err"
    fi
}

test_results
test_inputs
test_file
test_refusals
test_matrices
test_full_disk
finish
