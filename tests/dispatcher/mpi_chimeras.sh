#!/usr/bin/env bash
#
# mpi_chimeras.sh - results of `chimeras` are the same on any number of ranks, and after kills
# and stops.
. "$(dirname "$0")/../support/shell_test.sh"
need_mpirun

# make_input READS: reads on a tree, the first ones abundant, with chimeras of neighbours.
make_input()
{
    "$RIBOGRID" simulate "$1" --length 260 --divergence 25 --ambiguous 2 --seed 7 |
        awk -v n="$1" '/^>/ { k++; next } { s[k] = s[k] $0 }
            END { for (i = 1; i <= n; i++) {
                t = i % 3 == 0 && i > 30 ? substr(s[i % 29 + 1], 1, 120) substr(s[i % 23 + 1], 121) : s[i]
                print ">r" i ";size=" int(20000 / (i * i)) + 1 "\n" t } }' >reads.fa
}

test_ranks()
{
    local n

    check "one process" "$RIBOGRID" chimeras reads.fa --derep -q -o whole.h5 --chimeras whole.fa
    check "there are chimeras" test "$(field chimeras whole.h5)" -gt 10
    for n in 1 5; do # 2 and 3: every_job.sh
        check "$n ranks" expect_exit 0 mpi $n "$RIBOGRID" chimeras reads.fa --derep -q --force \
            -o x.h5 --chimeras x.fa
        check "$n ranks: as one process" equal whole.h5 x.h5
        check "$n ranks: the same FASTA" same whole.fa x.fa
    done
    check "an error is logged once" expect_exit 1 mpi 2 "$RIBOGRID" chimeras none.fa -o y.h5
    check "one line" test "$(grep -c 'none.fa' "$err")" = 1
}

test_resume()
{
    local how

    for how in kill stop; do
        rm -f job.h5 job.h5.part
        check "$how" interrupted $how 10000 "$RIBOGRID" chimeras reads.fa --derep --threads 1
        check "$how: info names the job" test "$(field job job.h5.part)" = chimeras
        check "$how: another job is refused" refused 1 \
            "job.h5.part is of another job: there .*, now 'abskew=3'" "$RIBOGRID" chimeras \
            reads.fa --derep --abskew 3 --resume -q -o job.h5
        check "$how: resumed" expect_exit 0 mpi 2 "$RIBOGRID" chimeras reads.fa --derep \
            --resume -o job.h5
        check "$how: it continues" grep -q 'resuming: [1-9].* blocks' "$err"
        check "$how: equal to an unbroken run" equal whole.h5 job.h5
        check "$how: no log is left" absent job.h5.part job.h5.tmp-*
    done
}

make_input 500
test_ranks
test_resume
finish
