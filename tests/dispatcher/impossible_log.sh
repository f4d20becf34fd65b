#!/usr/bin/env bash
#
# impossible_log.sh - logs with valid checksums whose contents no run writes are refused in
# one line, by every kind of job, and stay as they are.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/log_test.sh"
n_logs=0

# rejected JOB WHY CHANGE...: the log of the job with such a change is refused.
rejected()
{
    local job=$1 why=$2

    shift 2
    set_command "$job"
    n_logs=$((n_logs + 1))
    cp "$job.log" "$file.part"
    if ! "$CRAFT_LOG" "$file.part" "$@"; then
        check "$job, $*: the log is crafted" false
        return
    fi
    cp "$file.part" crafted
    check "$job, $*: refused" refused 1 "^ribogrid: .*\.part: the record of task .*$why" \
        "${command[@]}" --resume -q -o "$file"
    check "$job, $*: no result" absent "$file"
    check "$job, $*: the log is as before" same crafted "$file.part"
    rm -f "$file" "$file.part"
}

# accepted JOB CHANGE...: the job goes on, and its result is that of the unbroken run.
accepted()
{
    local job=$1

    shift
    set_command "$job"
    cp "$job.log" "$file.part"
    "$CRAFT_LOG" "$file.part" "$@"
    check "$job, $*: resumed" expect_exit 0 resume "$job"
    check "$job, $*: equal" is_whole "$job"
    rm -f "$file"
}

# What no log may have, whatever the job.
test_records()
{
    local job length='length|hold hits|that no run makes|other values than its tiles'

    for job in $jobs; do
        keep_log "$job"
        rejected "$job" 'is of a task or version that the job does not have' move 0 999
        rejected "$job" 'is of a task or version' version 0 -5
        rejected "$job" 'follows one with another content' again 0
        rejected "$job" "$length" cut 0 1
        rejected "$job" "$length" add 0 4
        rejected "$job" 'is impossible' fill 0 255
        rejected "$job" 'is impossible' cut 0 8
        accepted "$job" twice 0
    done
    for job in $free_jobs; do
        accepted "$job" drop 0
        rejected "$job" 'has a version' version 0 1
    done
    rejected cnn 'is of a step that training does not have' version all 99
    accepted cnn version 0 99 # a checkpoint that was not complete yet
}

# Tile 0 of the matrices is of sequences 0 to 3: cell 1 is the pair 0, 1.
test_matrices()
{
    rejected dense 'no pair' cell 0 0 0 5
    rejected dense 'no pair' cell 0 1 4 1
    rejected dense 'numbers' cell 0 0 1 100000
    rejected dense 'numbers' cell 0 0 1 -2147483648
    rejected dense 'numbers' cell 0 1 1 31
    rejected dense 'numbers' cell 0 1 1 -1
    rejected dense 'numbers' cell 0 2 1 61
    rejected dense 'CIGAR' cell 0 2 1 40
    rejected dense 'without an identity' put 0 0 01
    rejected dense 'CIGAR' cell 0 3 1 -1
    rejected dense 'CIGAR' cell 0 3 1 1
    rejected dense 'CIGAR' cell 0 3 1 5000
    rejected dense 'without an identity' put 0 0 ff
    rejected dense 'length of its parts' put 0 8 ffffff7f
    rejected dense 'chunk' put 0 20 00
}

# A record of hits has its number first, then the bytes of them and of their CIGARs.
test_hits()
{
    rejected hits 'hold hits' put 0 0 ff
    rejected hits 'hold hits' put 0 4 ff
    rejected hits 'hold hits' put 0 8 ffffffffffffff7f
    rejected hits 'counts more pairs' put 0 16 ff
    rejected hits 'counts more pairs' put 0 32 ff
    rejected hits 'not of its tile' put 0 40 64
    rejected hits 'not of its tile|numbers' put 0 41 00
    rejected hits 'numbers|CIGAR|hold hits' put 0 43 7e
}

test_graph()
{
    rejected graph 'length of its parts' put 0 0 ffffffffffffffff
    rejected graph 'that no run makes' put 0 24 000000000000f07f
    rejected graph 'forest|length' put 0 0 01
    rejected graph 'algorithm cannot give' put 0 40 ff00
    rejected graph 'algorithm cannot give' put 0 40 f0ffffff
    rejected graph 'that no run makes' add 0 8
    rejected graph 'parents that contradict its depths' put 0 88 05000000
    cp graph.log all.log
    "$CRAFT_LOG" graph.log drop 1
    rejected graph 'is of another source' move 0 1
    mv all.log graph.log
    job_rows+=$'other lengths.h5 graph sssp grid.h5 --sources 3\n' # not in $jobs
    keep_log lengths
    cp lengths.log all.log
    "$CRAFT_LOG" lengths.log drop 1
    rejected lengths 'is of another source' move 0 1
    rejected lengths 'cannot give' put 0 56 ffffffffffffff7f
    mv all.log lengths.log
    job_rows+=$'other ranks.h5 graph pagerank grid.h5\n'
    keep_log ranks
    rejected ranks 'is of a task or version' move 0 1
    rejected gang 'parents that contradict its depths' put 0 96 05000000
    rejected gang 'is of another source' put 0 48 "$(printf '01000000%.0s' {1..12})"
    rejected gang 'that no run makes' put 0 0 02
    rejected gang 'that no run makes' put 0 24 000000000000f8ff
    rejected gang 'no step has reached yet' version 0 1
}

# The head, 12 ids from 72 on, 13 rows from 168 on, targets from 272 on.
test_program()
{
    rejected program 'that no run makes' put 0 0 01
    rejected program 'that no run makes' put 0 24 000000000000f07f
    rejected program 'that no run makes' put 0 32 000000000000f07f
    rejected program 'that no run makes' put 0 48 02
    rejected program 'that no run makes' put 0 64 ffffffffffffffff
    rejected program 'length of its columns' put 0 56 00
    rejected program 'length of its columns' put 0 72 ff
    rejected program 'that no run makes' put 0 80 03
    rejected program 'a graph that is none' put 0 88 7f
    rejected program 'a graph that is none' put 0 184 01
    rejected program 'a graph that is none' put 0 288 ffffff7f
}

test_classifier()
{
    rejected names 'taxa of the model' put 0 0 ffff0000
    rejected names 'taxa of the model' put 0 0 00000000
    rejected names 'fit the lineage' put 0 74 1027
    rejected names 'taxa of the model' put 0 48 02
    rejected names 'taxa of the model' put 0 60 07
    rejected names 'taxa of the model' put 0 72 ffff
    rejected parts 'that no sequence gives' put 1 0 1127
    rejected parts 'length' cut 1 2
    rejected train 'evidence' put 0 0 000000000000f87f
    rejected train 'evidence' put 0 40 000000000000f87f
    rejected train 'evidence' put 0 68 03000000
    rejected train 'evidence' put 0 68 09000000
    rejected train 'evidence' put 0 70 0a00
    rejected train 'evidence' put 0 70 ffff
    rejected cnn 'that no run makes' put 0 0 ff
    rejected cnn 'that no run makes' put 0 16 ffffff
    rejected cnn 'no number' put 1 0 0000c07f
    rejected cnn 'length' cut 1 4
    rejected amplicons 'regions that' put 0 8 ff000000
    rejected amplicons 'length' cut 1 4
    rejected gaps 'length' put 0 0 01
    rejected gaps 'counts by level that' put 0 0 ffffffffffffffff
    rejected gaps 'identities that' put 0 4848 ff
    rejected mesh 'that no run makes' put 0 8 01
    rejected mesh 'that no run makes' put 0 80 000000000000f07f
    rejected mesh 'other points than the input' put 0 120 ff
    rejected mesh 'coordinates beyond' put 0 254 f07f
    rejected predict 'classes or probabilities' put 0 0 ffffffff
    rejected predict 'classes or probabilities' put 0 0 ff
    rejected predict 'classes or probabilities' put 0 4 00000040
}

# Support is that of the network, and no word's.
test_network()
{
    sed 's/1x28x28/1x64x64/; s/^pool = max 7$/pool = max 8/' net.ini >kmer.ini
    "$RIBOGRID" cnn train kmer.ini reads.fa --taxonomy reads.tax --threads 1 -q -o net.h5
    job_rows+=$'other nets.h5 classify reads.fa --model net.h5\n'
    keep_log nets
    accepted nets twice 0
    rejected nets 'fit the lineage' put 0 60 0000
    rejected nets 'taxa of the model' put 0 50 00
}

make_jobs
test_records
test_matrices
test_hits
test_graph
test_program
test_classifier
test_network
echo "$n_logs crafted logs"
finish
