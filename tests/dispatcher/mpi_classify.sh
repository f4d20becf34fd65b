#!/usr/bin/env bash
#
# mpi_classify.sh - results of `classify` are the same on any number of ranks, and after kills
# and stops.
. "$(dirname "$0")/../support/shell_test.sh"
need_mpirun
need_h5py

# make_input READS: references of 40 genera in refs.fa, and reads.
make_input()
{
    "$RIBOGRID" simulate 400 --length 700 --seed 3 -o refs.fa
    grep '^>' refs.fa | awk '{ sub(/^>/, "", $1)
        print $1 "\tBacteria;Phylum " int(n / 100) ";Genus " int(n / 10); n++ }' >refs.tax
    "$RIBOGRID" simulate "$1" --length 300 --seed 4 -o reads.fa
    check "train" "$RIBOGRID" classify train refs.fa --taxonomy refs.tax --held-out 60 -q \
        -o model1.h5
    check "train: three ranks" expect_exit 0 mpi 3 "$RIBOGRID" classify train refs.fa \
        --taxonomy refs.tax --held-out 60 -q -o model.h5
    check "train: three ranks: as one process" equal model1.h5 model.h5
}

test_ranks()
{
    local n

    awk '/^>/ && ++n > 1000 { exit } { print }' reads.fa >some.fa
    "$RIBOGRID" classify some.fa --model model.h5 -q -o whole.h5
    "$RIBOGRID" view whole.h5 >whole.tsv
    for n in 1 3; do
        check "$n ranks" expect_exit 0 mpi $n "$RIBOGRID" classify some.fa --model model.h5 \
            -q --force -o x.h5
        check "$n ranks: as one process" equal whole.h5 x.h5
    done
    check "tsv" expect_exit 0 mpi 2 "$RIBOGRID" classify some.fa --model model.h5 -q -o x.tsv
    check "tsv: the same names" same whole.tsv x.tsv
    check "train for alignments" expect_exit 0 mpi 3 "$RIBOGRID" classify train refs.fa \
        --taxonomy refs.tax --held-out 20 --align -q -o align3.h5
    check "as one process" "$RIBOGRID" classify train refs.fa --taxonomy refs.tax \
        --held-out 20 --align -q -o align1.h5
    check "equal models" equal align1.h5 align3.h5
    head -100 reads.fa >few.fa
    for n in 1 3; do
        check "align, $n ranks" expect_exit 0 mpi $n "$RIBOGRID" classify few.fa --model \
            align1.h5 --method align -q -o align_$n.tsv
    done
    check "align: the same names" same align_1.tsv align_3.tsv
    check "an error is logged once" expect_exit 1 mpi 2 "$RIBOGRID" classify some.fa --model \
        whole.h5 -o y.tsv
    check "one line" test "$(grep -c 'not a model' "$err")" = 1
    check "nothing is left" absent y.tsv y.tsv.part
}

test_resume()
{
    local how

    for how in kill stop; do
        rm -f job.h5 job.h5.part
        check "$how" interrupted $how 30000 "$RIBOGRID" classify reads.fa --model model.h5 \
            --resamples 1000 --threads 1
        check "$how: info names the job" test "$(field job job.h5.part)" = classify
        check "$how: without --resume it is refused" refused 1 \
            'job.h5.part holds an unfinished run' "$RIBOGRID" classify reads.fa \
            --model model.h5 --resamples 1000 -o job.h5
        check "$how: another job is refused" refused 1 \
            "job.h5.part is of another job: there .*, now 'seed=2'" "$RIBOGRID" classify \
            reads.fa --model model.h5 --resamples 1000 --seed 2 --resume -o job.h5
        check "$how: resumed" expect_exit 0 mpi 2 "$RIBOGRID" classify reads.fa \
            --model model.h5 --resamples 1000 --resume -o job.h5
        check "$how: it continues" grep -q 'resuming: [1-9].* blocks' "$err"
        [ -e many.h5 ] || "$RIBOGRID" classify reads.fa --model model.h5 --resamples 1000 -q \
            -o many.h5
        check "$how: equal to an unbroken run" equal many.h5 job.h5
        check "$how: no log is left" absent job.h5.part job.h5.tmp-*
    done
    rm -f job.h5 job.h5.part
    check "train: unbroken" "$RIBOGRID" classify train refs.fa --taxonomy refs.tax \
        --held-out 100 -q -o unbroken.h5
    check "train: stop" interrupted stop 10000 "$RIBOGRID" classify train refs.fa --taxonomy \
        refs.tax --held-out 100 --threads 1
    check "train: resumed" expect_exit 0 "$RIBOGRID" classify train refs.fa --taxonomy \
        refs.tax --held-out 100 --resume -o job.h5
    check "train: it continues" grep -q 'resuming: [1-9].* blocks' "$err"
    check "train: equal to an unbroken run" equal unbroken.h5 job.h5
    check "train: finished" expect_exit 0 "$RIBOGRID" classify train refs.fa --taxonomy \
        refs.tax --held-out 100 --resume -o job.h5
    check "train: nothing to do" grep -q 'job.h5 is already finished: nothing to do' "$err"
    rm -f job.h5
    cp many.h5 job.h5
    check "finished: nothing to do" expect_exit 0 "$RIBOGRID" classify reads.fa \
        --model model.h5 --resamples 1000 --resume -o job.h5
    check "finished: a line" grep -q 'job.h5 is already finished: nothing to do' "$err"
}

# A table says which job made it by a label, which not every file system keeps.
test_finished_table()
{
    local again=("$RIBOGRID" classify few.fa --model model.h5 --resume)

    head -100 reads.fa >few.fa
    check "a table" "$RIBOGRID" classify few.fa --model model.h5 -q -o label.tsv
    if "$PYTHON" -c 'import os; os.getxattr("label.tsv", "user.ribogrid.job")' 2>/dev/null; then
        check "finished: nothing to do" expect_exit 0 "${again[@]}" -o label.tsv
        check "a line says so" grep -q 'label.tsv is already finished: nothing to do' "$err"
        check "another job" refused 1 "label.tsv is of another job: there 'seed=1', now 'seed=2'" \
            "${again[@]}" --seed 2 -o label.tsv
        check "another format" refused 1 "there 'format=tsv', now 'format=qiime2'" "${again[@]}" \
            --format qiime2 -o label.tsv
    fi
    cat label.tsv >copy.tsv
    check "a table without a label" refused 1 \
        'copy.tsv exists, and does not say which job made it; give --force' "${again[@]}" \
        -o copy.tsv
    check "nothing is changed" same label.tsv copy.tsv
    check "no log is left" absent label.tsv.part copy.tsv.part
}

n=5000
is_sanitized && n=4000
make_input $n
test_ranks
test_resume
test_finished_table
finish
