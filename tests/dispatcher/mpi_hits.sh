#!/usr/bin/env bash
#
# mpi_hits.sh - hits are the same on any number of ranks, and after kills and stops.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/hits_test.sh"
need_mpirun

# each_way NAME OPTION...: 1 and 3 ranks make the same as one process.
each_way()
{
    local name=$1 n

    shift
    "$RIBOGRID" align "$@" -q -o "$name.h5"
    for n in 1 3; do
        check "$name, $n ranks" expect_exit 0 mpi $n "$RIBOGRID" align "$@" -q --force -o x.h5
        check "$name, $n ranks: as one process" equal "$name.h5" x.h5
        check "$name, $n ranks: as many kept" test "$(field pairs_kept "$name.h5")" = \
            "$(field pairs_kept x.h5)"
    done
}

test_ranks()
{
    "$RIBOGRID" simulate 120 --length 150 -o reads.fa
    awk '/^>/ { k++ } k <= 30' reads.fa >queries.fa
    awk '/^>/ { k++ } k > 30' reads.fa >references.fa
    "$RIBOGRID" align reads.fa -q -o dense.h5
    each_way id reads.fa --id 0.8
    check "as filtered" same_as_filtered dense.h5 0.8 x.h5
    each_way cigar reads.fa --id 0.9 --emit cigar --ends count
    each_way against queries.fa --against references.fa --strand both
    each_way top queries.fa --against references.fa --strand both --top 2 --emit cigar
    check "more ranks than tiles" expect_exit 0 mpi 3 "$RIBOGRID" align \
        "$here/golden/two.fa" -q --id 0 -o few.h5
}

# resumed NAME OPTION...: a broken run is resumed and makes the same as one process.
resumed()
{
    local name=$1 how

    shift
    "$RIBOGRID" align "$@" -q -o "$name.h5"
    for how in kill stop; do
        rm -f job.h5 job.h5.part
        check "$name: $how" interrupted "$how" 3000 "$RIBOGRID" align "$@" --kernel scalar \
            --threads 1
        check "$name: $how, resumed" expect_exit 0 mpi 2 "$RIBOGRID" align "$@" \
            --resume -o job.h5
        check "$name: $how, it continues" grep -q 'resuming: [1-9]' "$err"
        check "$name: $how, equal to an unbroken run" equal "$name.h5" job.h5
        check "$name: $how, all pairs are counted" test \
            "$(field pairs_kept job.h5)" = "$(field pairs_kept "$name.h5")"
        check "$name: $how, no log is left" absent job.h5.part job.h5.tmp-*
    done
}

test_resume()
{
    local length=500

    is_sanitized && length=200
    "$RIBOGRID" simulate 200 --length $length --seed 5 -o long.fa
    awk '/^>/ { k++ } k <= 60' long.fa >long_queries.fa
    resumed whole long.fa --id 0.7 --emit identity
    resumed whole_top long_queries.fa --against long.fa --top 3 --strand both
}

test_ranks
test_resume
finish
