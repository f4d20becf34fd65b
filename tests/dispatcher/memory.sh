#!/usr/bin/env bash
#
# memory.sh - peak memory does not grow with the number of pairs: it is that of two sequences,
# plus twice the input, plus some tiles.
#
# A batch is a quarter of a second of work: with sequences this short that is several tiles for
# one thread, and more for more threads.
. "$(dirname "$0")/../support/shell_test.sh"
is_sanitized && skip "sanitizers need memory of their own"
command -v python3 >/dev/null || skip "no python3"
allowed_kb=$((72 * 1024)) # batches, results on their way to the disk, tiles' costs

cat >peak.py <<'END'
"""Run a command; write its peak memory (KiB) to PREFIX and the number of its rank."""
import os
import resource
import subprocess
import sys

status = subprocess.call(sys.argv[2:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
with open(sys.argv[1] + os.environ.get("OMPI_COMM_WORLD_RANK", "0"), "w") as f:
    print(peak, file=f)
sys.exit(status)
END

# stays PEAK BASE INPUT: KiB, KiB and bytes.
stays()
{
    echo "$1 KiB, with $2 KiB for two sequences and $3 bytes of input"
    [ "$1" -le $(($2 + 2 * $3 / 1024 + allowed_kb)) ]
}

# measure PREFIX INPUT [LAUNCHER...]
measure()
{
    local prefix=$1 input=$2

    shift 2
    expect_exit 0 "$@" python3 peak.py "$prefix" "$RIBOGRID" align "$input" -q \
        --threads 1 --force -o x.h5
}

print_peak()
{
    echo "$1: $2 KiB ($3 KiB for two sequences)"
}

for n in 2 2000 4000; do
    "$RIBOGRID" simulate $n --length 60 -o reads_$n.fa
    check "one process, $n sequences" measure one_$n. reads_$n.fa
    [ $n -eq 2 ] && continue
    check "one process, $n sequences: memory" stays "$(cat one_$n.0)" "$(cat one_2.0)" \
        "$(stat -c %s reads_$n.fa)"
    print_peak "one process, $n sequences" "$(cat one_$n.0)" "$(cat one_2.0)"
done
if command -v mpirun >/dev/null && mpi 1 true >/dev/null 2>&1; then
    for n in 2 4000; do
        check "two ranks, $n sequences" measure two_$n. reads_$n.fa mpi 2
        [ $n -eq 2 ] && continue
        # two sequences are one task: the rank that gets none needs less than a worker does
        base=$(sort -n two_2.0 two_2.1 | tail -1)
        for rank in 0 1; do
            check "rank $rank of two, $n sequences: memory" stays "$(cat two_$n.$rank)" \
                "$base" "$(stat -c %s reads_$n.fa)"
            print_peak "rank $rank of two, $n sequences" "$(cat two_$n.$rank)" "$base"
        done
    done
else
    echo "no mpirun: tests of ranks are skipped"
fi
finish
