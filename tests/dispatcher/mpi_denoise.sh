#!/usr/bin/env bash
#
# mpi_denoise.sh - results of `denoise` are the same on any number of ranks, and after kills
# and stops.
. "$(dirname "$0")/../support/shell_test.sh"
need_mpirun

# make_input READS: the first 40 reads are strains of a tree; each other one is one of these
# with one or two bases changed.
make_input()
{
    "$RIBOGRID" simulate 40 --length 260 --divergence 10 --ambiguous 2 --seed 7 |
        awk -v n="$1" '/^>/ { k++; next } { s[k] = s[k] $0 }
            function change(t, at) { return substr(t, 1, at - 1) (substr(t, at, 1) == "A" ? "C" : "A") substr(t, at + 1) }
            END { for (i = 1; i <= n; i++) {
                t = s[(i - 1) % 40 + 1]
                if (i > 40) t = change(t, i * 7 % 230 + 1)
                if (i > 40 && i % 3 == 0) t = change(t, i * 11 % 230 + 1)
                print ">r" i ";size=" int(90000 / (i * i)) + 1 + i % 5 "\n" t } }' >reads.fa
}

job=(denoise reads.fa --derep --min-size 1)

test_ranks()
{
    local n

    check "one process" "$RIBOGRID" "${job[@]}" -q -o whole.h5 --asvs whole.fa
    check "reads are absorbed" test "$(field asvs whole.h5)" -lt "$(($(field reads whole.h5) / 2))"
    for n in 1 5; do # 2 and 3: every_job.sh
        check "$n ranks" expect_exit 0 mpi $n "$RIBOGRID" "${job[@]}" -q --force -o x.h5 \
            --asvs x.fa
        check "$n ranks: as one process" equal whole.h5 x.h5
        check "$n ranks: the same FASTA" same whole.fa x.fa
    done
    check "an error is logged once" expect_exit 1 mpi 2 "$RIBOGRID" denoise none.fa -o y.h5
    check "one line" test "$(grep -c 'none.fa' "$err")" = 1
}

test_resume()
{
    local how

    for how in kill stop; do
        rm -f job.h5 job.h5.part
        check "$how" interrupted $how 2500 "$RIBOGRID" "${job[@]}" --threads 1 --kernel scalar
        check "$how: info names the job" test "$(field job job.h5.part)" = denoise
        check "$how: another job is refused" refused 1 \
            "job.h5.part is of another job: there .*, now 'alpha=3'" "$RIBOGRID" "${job[@]}" \
            --alpha 3 --resume -q -o job.h5
        check "$how: resumed" expect_exit 0 mpi 2 "$RIBOGRID" "${job[@]}" --resume -o job.h5
        check "$how: it continues" grep -q 'resuming: [1-9].* tiles' "$err"
        check "$how: equal to an unbroken run" equal whole.h5 job.h5
        check "$how: no log is left" absent job.h5.part job.h5.tmp-*
    done
}

make_input 400
test_ranks
test_resume
finish
