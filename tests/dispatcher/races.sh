#!/usr/bin/env bash
#
# races.sh - every kind of job with several threads, under ThreadSanitizer: in one process,
# also with faults and a stop, and on two ranks.
#
# Needs a build with RIBOGRID_TSAN; with RIBOGRID_FAULTS, tests faults as well.
. "$(dirname "$0")/../support/shell_test.sh"
grep -q __tsan_init "$RIBOGRID" || skip "built without RIBOGRID_TSAN"
export TSAN_OPTIONS="suppressions=$here/support/tsan.supp:print_suppressions=0:exitcode=66"

# no_race CODE COMMAND...: the exit code, which is 66 after a race.
no_race()
{
    expect_exit "$@" && ! grep -q 'WARNING: ThreadSanitizer' "$err" && return
    cat "$err"
    return 1
}

# job SENTENCE OPTION...: run it with $launch and $n_threads.
job()
{
    check "$1$on" no_race 0 "${launch[@]}" "$RIBOGRID" "${@:2}" --threads $n_threads -q \
        --force
}

make_inputs()
{
    "$RIBOGRID" simulate 100 --length 60 --seed 3 -o reads.fa
    "$RIBOGRID" simulate 60 --length 200 --seed 5 -o refs.fa
    awk '/^>/ { print substr($1, 2) "\tBacteria;Genus " int(n / 5); n++ }' refs.fa >refs.tax
    "$RIBOGRID" graph make rmat --scale 8 --drop-loops --dedupe -q -o rmat.h5
    printf '[net]\ninput = 1x28x28\nclasses = 10\n[layers]\na = convolution 2 kernel=5 relu\n' >net.ini
    printf 'pool = max 4\nout = linear classes\nloss = softmax\n' >>net.ini
    printf '[solver]\nrate = 0.05\nbatch = 8\nepochs = 2\n' >>net.ini
}

# Free tasks and gangs; the next jobs read what some of them write.
test_jobs()
{
    job "all pairs" align reads.fa -o pairs.h5
    job "hits with CIGARs" align reads.fa --id 0.5 --emit cigar -o hits.h5
    job "classify train" classify train refs.fa --taxonomy refs.tax --held-out 8 -o model.h5
    job "classify" classify reads.fa --model model.h5 -o names.h5
    job "bfs of free sources" graph bfs rmat.h5 --sources 20 -o out.h5
    job "bfs as a gang" graph bfs rmat.h5 --partition on -o out.h5
    job "pagerank as a gang" graph pagerank rmat.h5 --partition on -o out.h5
    job "cnn train" cnn train net.ini synthetic:48 --test synthetic:10 -o network.h5
    job "cnn predict" cnn predict network.h5 synthetic:20 --batch 8 -o labels.tsv
}

# What only one rank has: kernels that divide one task among threads, clusters, pages.
test_threads()
{
    local algorithm

    for algorithm in sssp betweenness components mst mis coloring triangles; do
        job "$algorithm" graph $algorithm rmat.h5 -o out.h5
    done
    job "best hits" align reads.fa --against refs.fa --top 3 --strand both -o out.h5
    job "every tile is compared" align reads.fa --recompute 100 -o out.h5
    for algorithm in average opti; do
        check "cluster $algorithm" no_race 0 "$RIBOGRID" cluster pairs.h5 --id 0.9 -q \
            --method $algorithm --threads $n_threads --force -o otus
    done
    check "report" no_race 0 "$RIBOGRID" report pairs.h5 --threads $n_threads -o pairs.html
}

fault() # CODE KIND
{
    check "fault $2" no_race "$1" env RIBOGRID_FAULTS_PLAN=0:3:"$2" "$RIBOGRID" align \
        reads.fa -q --threads $n_threads --task-timeout 1 --force -o out.h5
}

test_faults()
{
    local kind

    grep -q RIBOGRID_FAULTS_PLAN "$RIBOGRID" || return
    for kind in device memory stall short; do
        fault 0 $kind
    done
    for kind in malloc eio; do
        fault 1 $kind
    done
    check "a stop, and --resume" stopped
}

# catches_stop PID: the process has its handler of SIGUSR1, signal 10.
catches_stop()
{
    ((0x$(awk '$1 == "SigCgt:" { print $2 }' "/proc/$1/status") & 1 << 9))
}

# stopped: a signal while a batch is on the device; the result, by --resume.
stopped()
{
    local pid code=0

    RIBOGRID_FAULTS_PLAN=0:3:stall "$RIBOGRID" align reads.fa -q --threads $n_threads \
        -o stop.h5 2>"$err" &
    pid=$!
    until_true 100 catches_stop $pid || return 1
    kill -s USR1 $pid
    wait $pid || code=$?
    cat "$err"
    [ $code -eq 75 ] && no_race 0 "$RIBOGRID" align reads.fa -q --resume -o stop.h5
}

launch=()
on=
n_threads=4
make_inputs
test_jobs
test_threads
test_faults
if command -v mpirun >/dev/null && mpi 1 true >/dev/null 2>&1; then
    launch=(mpi 2)
    on=", two ranks"
    n_threads=2
    test_jobs
else
    echo "no mpirun: two ranks are not tested"
fi
finish
