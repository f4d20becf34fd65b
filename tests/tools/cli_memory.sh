#!/usr/bin/env bash
#
# cli_memory.sh - what does not fit the memory is refused before it is allocated, in one line
# with numbers; what does nothing takes no time.
. "$(dirname "$0")/../support/shell_test.sh"

# limited MIB COMMAND...: run a command with at most this memory; its peak is in the file peak,
# in KiB.
limited()
{
    local kib=$(($1 * 1024))

    shift
    (
        ulimit -v $kib
        exec python3 -c '
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
with open("peak", "w") as to:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=to)
sys.exit(code)' "$@"
    )
}

# too_large MIB REGEX COMMAND...: the command is refused under this limit, and has taken less
# than a quarter of it.
too_large()
{
    local mib=$1 regex=$2

    shift 2
    refused 1 "$regex" limited "$mib" "$@" && test "$(cat peak)" -lt $((mib * 256))
}

test_align()
{
    local name

    for name in a b; do
        echo ">$name" && head -c 10000000 /dev/zero | tr '\0' A && echo
    done >long.fa
    "$RIBOGRID" simulate 2 --length 1500 -o short.fa
    check "two long records" too_large 800 \
        'sequences, batches and kernels take .* GiB|MiB of memory, .*; give shorter sequences' \
        "$RIBOGRID" align long.fa -q -o n.h5 --emit cigar --gap-open 9 --gap-extend 1
    check "no result is left" absent n.*
    check "two short ones" expect_exit 0 limited 800 "$RIBOGRID" align short.fa -q -o s.h5
}

test_graphs()
{
    local lines='memory for a graph of [0-9]+ .*: .* GiB, and this process may use 1 GiB; correct'

    echo '0 2147483647' >degrees
    check "isolated nodes" too_large 1024 "$lines" \
        "$RIBOGRID" graph make clone:degrees -o n.h5
    echo '5 2147483647' >degrees
    check "nodes with arcs" too_large 1024 "$lines" \
        "$RIBOGRID" graph make clone:degrees -o n.h5
    check "R-MAT" too_large 1024 "$lines" "$RIBOGRID" graph make rmat --scale 24 -o n.h5
    printf '%%%%MatrixMarket matrix coordinate pattern general\n' >n.mtx
    printf '2147483646 2147483646 1\n1 2\n' >>n.mtx
    check "a matrix" too_large 1024 "$lines" "$RIBOGRID" graph bfs n.mtx -o n.h5
    check "a small graph" expect_exit 0 \
        limited 1024 "$RIBOGRID" graph make rmat --scale 10 -o r.h5
    rm n.mtx
    check "no result is left" absent n.*
}

# Each source took as long as all nodes.
test_isolated()
{
    printf '0 300000\n1 2\n' >degrees
    "$RIBOGRID" graph make clone:degrees -q -o isolated.h5
    check "betweenness of isolated nodes" expect_exit 0 timeout 60 \
        "$RIBOGRID" graph betweenness isolated.h5 -q --verify -o b.h5
}

test_networks()
{
    local line='memory for a batch of [0-9]+ images: .*, and this rank may use 1 GiB; give a '

    check "cnn time" too_large 1024 "$line" "$RIBOGRID" cnn time alexnet --batch 1024
    check "cnn train" too_large 1024 "$line" \
        "$RIBOGRID" cnn train lenet synthetic:20000 -q --batch 20000 -o n.h5
    check "synthetic images" too_large 1024 \
        'memory for 1000000 synthetic images: .* GiB, and this process may use 1 GiB; give' \
        "$RIBOGRID" cnn train alexnet synthetic:1000000 -q -o n.h5
    check "no result is left" absent n.*
    check "a plan is only computed" expect_exit 0 \
        limited 1024 "$RIBOGRID" cnn plan alexnet --batch 1000000
}

test_align
test_graphs
test_isolated
test_networks
finish
