#!/usr/bin/env bash
# long_run.sh - memory, descriptors and threads of every rank over 100,000 tiles.
#
# usage: bench/long_run.sh BUILD_DIR [RANKS [SEQUENCES]]
#
# Hits with CIGARs of SEQUENCES (28,700), which are copies of 300 short ones of other lengths
# with one substitution: tiles have a side of 64 at most, and each has some hits.  RANKS ranks
# (1: without mpirun) are looked at four times a second.  A line per rank and tenth of the
# time: the most kB of memory that are resident (VmRSS), descriptors and threads.  Exit code 1:
# in the ninth tenth a rank has over 10 MB, or descriptors or threads, more than in the third.
# The result file, which is written at the end, does not count: a rank is looked at until it
# appears, and the last look may be later.
set -eu
program=$(realpath "${1:?usage: bench/long_run.sh BUILD_DIR [RANKS [SEQUENCES]]}")/ribogrid
n_ranks=${2:-1}
n_sequences=${3:-28700}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch=()
[ "$n_ranks" -eq 1 ] || launch=(mpirun --oversubscribe -n "$n_ranks")
awk -v n="$n_sequences" '
    function base() { return substr("ACGT", 1 + int(4 * rand()), 1) }
    BEGIN {
        srand(1)
        for (f = 0; f < 300; f++)
            for (k = 0; k < 50 + f; k++) of[f] = of[f] base()
        for (i = 0; i < n; i++) {
            f = int(300 * rand())
            k = int(rand() * length(of[f]))
            print ">s" i "\n" substr(of[f], 1, k) base() substr(of[f], k + 2)
        }
    }' >reads.fa
job=(align reads.fa --id 0.97 --ends count --emit cigar)
"$program" "${job[@]}" --plan | grep -E '^(pairs|tiles)'

# sample: a line per process of the run: its number, kB, descriptors, threads
sample() {
    local pid

    for pid in $(pgrep -f "$program align reads.fa"); do
        [ "$(readlink "/proc/$pid/exe")" = "$program" ] || continue
        [ "$(readlink "/proc/$pid/cwd")" = "$PWD" ] || continue # of another run
        printf '%s\t%s\t%s\t%s\n' "$pid" \
            "$(awk '$1 == "VmRSS:" { print $2 }' "/proc/$pid/status")" \
            "$(find "/proc/$pid/fd" -type l | wc -l)" \
            "$(find "/proc/$pid/task" -maxdepth 1 -type d | wc -l)"
    done 2>/dev/null
}

# The result has no name while it is written.
is_written()
{
    find /proc/[0-9]*/fd -lname "$PWD/#*(deleted)" 2>/dev/null | grep -q .
}

start=$SECONDS
"${launch[@]}" "$program" "${job[@]}" -o long.h5 --threads 1 -q &
run=$!
while kill -0 $run 2>/dev/null && ! is_written; do
    sample
    sleep 0.25
done >samples
wait $run
echo "$((SECONDS - start)) s"
awk -F '\t' -v OFS='\t' '
    NF == 4 && $2 != "" {
        n[$1]++
        n_looks += n[$1] == 10
        for (k = 2; k <= 4; k++) of[$1, n[$1], k] = $k
    }
    END {
        print "process", "tenth", "kB", "descriptors", "threads"
        for (p in n)
            for (t = 1; t <= 10; t++) {
                for (k = 2; k <= 4; k++) most[p, t, k] = 0
                for (i = int(n[p] * (t - 1) / 10) + 1; i <= n[p] * t / 10; i++)
                    for (k = 2; k <= 4; k++)
                        if (of[p, i, k] > most[p, t, k]) most[p, t, k] = of[p, i, k]
                print p, t, most[p, t, 2], most[p, t, 3], most[p, t, 4]
            }
        for (p in n)
            grown += most[p, 9, 2] > most[p, 3, 2] + 10240 ||
                most[p, 9, 3] > most[p, 3, 3] || most[p, 9, 4] > most[p, 3, 4]
        if (grown) print grown " ranks have grown"
        if (!n_looks) print "the run was too short to look at"
        exit grown > 0 || !n_looks
    }' samples
