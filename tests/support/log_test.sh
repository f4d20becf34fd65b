# log_test.sh - small jobs of every kind, which suites over all jobs go through: a new job is
# in all of them by a row here, and without one they fail.  Sourced after shell_test.sh.
#
#   make_jobs; for job in $jobs; do keep_log "$job"; resume "$job"; done
#
# CRAFT_LOG is the program that reads and changes logs (tests/io/store/craft_log.c), TEST_JOBS
# the one that lists the commands of registered jobs (tests/tools/test_jobs.c).
# shellcheck shell=bash

: "${CRAFT_LOG:=$(dirname "$RIBOGRID")/tests/craft_log}"
: "${TEST_JOBS:=$(dirname "$RIBOGRID")/tests/test_jobs}"
free_jobs="dense hits graph names train predict"
gang_jobs="gang cnn"
# shellcheck disable=SC2034 # used by the tests
jobs="$free_jobs $gang_jobs"

# set_command JOB: set $command to what computes it, without -o, and $file to its output.
set_command()
{
    file=$1.h5
    case $1 in
    dense) command=(align reads.fa --emit cigar) ;;
    hits) command=(align reads.fa --id 0.4 --emit cigar) ;;
    graph) command=(graph bfs grid.h5 --sources 3) ;;
    gang) command=(graph bfs grid.h5 --partition on) ;;
    names) command=(classify reads.fa --model model.h5) ;;
    train) command=(classify train reads.fa --taxonomy reads.tax --samples 6) ;;
    cnn) command=(cnn train net.ini synthetic:24 --test synthetic:10) ;;
    predict) command=(cnn predict network.h5 synthetic:20 --batch 8) && file=predict.tsv ;;
    esac
    command=("$RIBOGRID" "${command[@]}" --threads 1)
}

# has_row WORDS: a job is a run of the command of these words.
has_row()
{
    local job

    for job in $jobs; do
        set_command "$job"
        [[ "${command[*]:1} " != "$1 "* ]] || return 0
    done
    echo "a job of \`$1\` is missing in tests/support/log_test.sh"
    return 1
}

# make_jobs: the input of all jobs, each of which has a row.
make_jobs()
{
    local name

    [ -x "$TEST_JOBS" ] || skip "test_jobs is not built"
    while read -r name; do
        check "$name has a row" has_row "$name"
    done < <("$TEST_JOBS" list)
    [ -x "$CRAFT_LOG" ] || skip "craft_log is not built"
    "$RIBOGRID" simulate 10 --length 30 --seed 3 -o reads.fa
    awk '/^>/ { print substr($1, 2) "\tBacteria;Genus " int(++n / 4) }' reads.fa >reads.tax
    "$RIBOGRID" graph make grid --rows 3 --columns 4 -q -o grid.h5
    printf '[net]\ninput = 1x28x28\nclasses = 10\n[layers]\npool = max 7\nout = linear classes\n' >net.ini
    printf 'loss = softmax\n[solver]\nrate = 0.05\nbatch = 8\nepochs = 2\n' >>net.ini
    set_command train
    "${command[@]}" -q -o model.h5
    set_command cnn
    "${command[@]}" -q -o network.h5
}

# keep_log JOB: run it; whole.FILE is its result, JOB.log its log.  A second name of the
# log outlives the run.
keep_log()
{
    set_command "$1"
    : >"$file.part"
    ln "$file.part" "$1.log"
    check "$1: an unbroken run" expect_exit 0 "${command[@]}" --resume -q -o "$file"
    mv "$file" "whole.$file"
    # that of matrices has become the result: only its records
    cp "$1.log" "$1.copy" && mv "$1.copy" "$1.log"
    "$CRAFT_LOG" "$1.log" cut 0 0
}

# resume JOB: run it with what is in $file.part.
resume()
{
    set_command "$1"
    "${command[@]}" --resume -q -o "$file"
}

# is_whole JOB: its result is that of the unbroken run, and no log is left.
is_whole()
{
    set_command "$1"
    absent "$file.part" || return
    case $file in
    *.h5) equal "whole.$file" "$file" ;;
    *) same "whole.$file" "$file" ;;
    esac
}
