#!/usr/bin/env bash
#
# mpi_extend.sh - `align --extend` on any number of ranks, and killed at any time: the file is
# that of one run over all files, and no tile of the earlier result is lost or computed.
. "$(dirname "$0")/../support/shell_test.sh"
need_mpirun
need_h5py

# ranks N OPTION...
ranks()
{
    local n=$1

    shift
    expect_exit 0 mpi "$n" "$RIBOGRID" align new.fa --extend old.h5 -o all.h5 "$@"
}

# make_files BASES: sequences of about that many.
make_files()
{
    "$RIBOGRID" simulate 300 --length "$1" --seed 5 -q --force -o reads.fa
    awk '/^>/ { n++ } n <= 220' reads.fa >old.fa
    awk '/^>/ { n++ } n > 200' reads.fa >new.fa # 20 of them are in both
}

test_ranks()
{
    local n options

    for options in "--derep" "--derep --id 0.4 --emit cigar"; do
        # shellcheck disable=SC2086 # several options
        "$RIBOGRID" align old.fa $options -q --force -o old.h5
        # shellcheck disable=SC2086
        "$RIBOGRID" align old.fa new.fa $options -q --force -o fresh.h5
        for n in 1 2 3 5; do
            check "$n ranks, $options" ranks $n --force
            check "$n ranks, $options: as one run" equal fresh.h5 all.h5
        done
    done
    check "conflicts are logged once" expect_exit 1 mpi 3 "$RIBOGRID" align new.fa \
        --extend old.h5 --match 5 --force -o all.h5
    check "by rank 0" test "$(grep -c '^ribogrid' "$err")" -eq 1
    check "a part of the tiles twice" ranks 3 --force --recompute 20
    "$RIBOGRID" align old.fa -q --force -o old.h5
    "$RIBOGRID" align old.fa new.fa -q --force -o fresh.h5
    check "two logs" ranks 3 --log-shards 2 --force
    check "two logs: as one run" equal fresh.h5 all.h5
}

# kill_at BYTES N: kill -9 rank 0 of N when the log is larger.
kill_at()
{
    local launcher

    exec_mpi "$2" "$RIBOGRID" align new.fa --extend old.h5 -q --kernel scalar --threads 1 \
        -o all.h5 --resume >"$out" 2>"$err" &
    launcher=$!
    until_true 300 larger_than "$1" all.h5.part || return 1
    kill -9 "$(rank_pid $launcher 0)"
    ! wait $launcher
}

test_kills()
{
    local bytes=2000 n tiles=0 before

    "$RIBOGRID" align old.fa --derep -q --force -o old.h5
    "$RIBOGRID" align old.fa new.fa --derep -q --force -o fresh.h5
    rm -f all.h5
    for n in 2 3 1; do
        check "killed at $bytes bytes, $n ranks" kill_at $bytes $n
        before=$tiles
        tiles=$(log_state all.h5.part | cut -d ' ' -f 1)
        check "the log grows: $before, ${tiles:-none}" test "${tiles:-0}" -gt "$before"
        bytes=$(($(stat -c %s all.h5.part) + 3000))
    done
    check "another number of ranks resumes" ranks 3 --resume
    check "what was finished" grep -q "resuming: [1-9][0-9]* of " "$err"
    check "to the same file" equal fresh.h5 all.h5
    check "computing new tiles only" test "$(field pairs_computed all.h5)" -lt 22000
    check "which is finished" expect_exit 0 "$RIBOGRID" align new.fa --extend old.h5 -o \
        all.h5 --resume
    check "as the file of a run over all files is" grep -q 'already finished' "$err"
    check "and that run's, too" expect_exit 0 "$RIBOGRID" align old.fa new.fa --derep -o \
        all.h5 --resume
    check "the old file is what it was" "$RIBOGRID" view old.h5
}

make_files 100
test_ranks
make_files 300 # for long enough
test_kills
finish
