#!/usr/bin/env bash
#
# cli_process.sh - the program as a process: commands that read result files end as their child
# ends and not without it; under a launcher they run on one rank; closed descriptors stay
# apart from files.
. "$(dirname "$0")/../support/shell_test.sh"

"$RIBOGRID" simulate 300 --length 100 -o reads.fa
"$RIBOGRID" align reads.fa -q -o pairs.h5
"$RIBOGRID" view pairs.h5 >pairs.tsv
"$RIBOGRID" simulate 20 --length 100 --seed 2 -o ref.fa
"$RIBOGRID" align reads.fa --against ref.fa --top 1 -q -o hits.h5
"$RIBOGRID" cluster pairs.h5 --id 0.9 -q -o alone
awk '/^>/ { print substr($1, 2) "\tBacteria;Bacilli" }' ref.fa >lineages

# start_view: start `view` whose output nobody reads, and wait until it is blocked.
# Sets parent and child.
start_view()
{
    child=
    rm -f pipe && mkfifo pipe
    exec 9<>pipe
    "$RIBOGRID" view pairs.h5 >pipe 2>"$err" 9>&- &
    parent=$!
    until_true 100 has_children $parent || return 1
    child=$(children $parent)
    until_true 100 is_blocked "$child"
}

has_children()
{
    [ -n "$(children "$1")" ]
}

is_blocked()
{
    grep -q pipe_w "/proc/$1/wchan" 2>/dev/null ||
        [ "$(awk '{ print $3 }' "/proc/$1/stat")" = S ]
}

# ends_with CODE: `view` ends with CODE, and its child has ended, too.
ends_with()
{
    local code=0

    wait "$parent" || code=$?
    exec 9>&-
    until_true 50 is_gone "$child" || { echo "the child is left" && return 1; }
    [ $code -eq "$1" ] || { echo "exit $code" && return 1; }
}

test_signals()
{
    local signal

    for signal in TERM HUP USR1; do # INT is ignored by what a script runs in the background
        check "view runs in a child" start_view
        kill -s $signal "$parent"
        check "$signal to the parent ends both, as it would end one" ends_with \
            $((128 + $(kill -l $signal)))
        check "$signal: no message" silent "$err"
    done
    check "view runs in a child" start_view
    kill -s KILL "$parent"
    check "the child does not outlive its parent" ends_with 137
    check "view runs in a child" start_view
    kill -s KILL "$child"
    check "the child is killed: exit 1" ends_with 1
    check "the child is killed: one line" expect_line \
        'pairs.h5: the process that read it was killed \(signal 9, Killed\).*memory' "$err"
    check "a reader that closes the pipe ends view in silence" expect_exit 141 bash -c \
        "set -o pipefail; '$RIBOGRID' view pairs.h5 | head -1"
    check "it is silent" silent "$err"
}

test_crash()
{
    if is_sanitized; then
        return # sanitizers handle crashes themselves
    fi
    check "view runs in a child" start_view
    kill -s SEGV "$child"
    check "a crash: exit 1" ends_with 1
    check "a crash: one line" expect_line \
        'pairs.h5: reading it ended in a crash.*signal 11.*the file is damaged; copy it again' \
        "$err"
}

# The run reads its graph in a child, which waits from the beginning.
test_crash_of_a_graph()
{
    if is_sanitized; then
        return
    fi
    "$RIBOGRID" graph make rmat --scale 17 -q -o graph.h5
    "$RIBOGRID" graph bfs graph.h5 --symmetrize --dedupe --drop-loops -q -o bfs.h5 2>"$err" &
    parent=$!
    check "graph reads HDF5 in a child" until_true 100 has_children $parent
    child=$(children $parent)
    kill -s SEGV "$child"
    wait $parent
    check "a crash: exit 1" test $? -eq 1
    check "a crash: one line" expect_line \
        '(graph.h5|the command): reading it ended in a crash.*signal 11.*the file is damaged' "$err"
    check "a crash: no result" absent bfs.h5 bfs.h5.part
}

# A reader that waits is not stopped for lack of progress.
test_patience()
{
    export RIBOGRID_STALL_SECONDS=0.1
    check "view runs in a child" start_view
    sleep 0.5
    check "a blocked view is not stopped" kill -0 "$parent"
    head -c "$(stat -c %s pairs.tsv)" <&9 >got.tsv
    check "and ends well" ends_with 0
    check "with all its lines" same pairs.tsv got.tsv
    unset RIBOGRID_STALL_SECONDS
}

# closed DESCRIPTOR COMMAND...
closed()
{
    local descriptor=$1

    shift
    bash -c 'eval "exec \"\$@\" '"$descriptor"'"' - "$@"
}

test_descriptors()
{
    local command

    for command in "view pairs.h5" "info pairs.h5" "export pairs.h5 --format column" --help \
        "simulate 3"; do
        # shellcheck disable=SC2086
        check "$command without stdout fails" expect_exit 1 closed '>&-' "$RIBOGRID" $command
        check "$command without stdout: one line" expect_line 'cannot write' "$err"
    done
    check "cluster without stdout" expect_exit 0 closed '>&-' \
        "$RIBOGRID" cluster pairs.h5 --id 0.9 -o otus
    for command in '2>\&-' '<\&- >\&- 2>\&-'; do
        command=${command//\\/}
        rm -f x.h5
        check "align with $command" expect_exit 0 closed "$command" \
            "$RIBOGRID" align reads.fa -v -o x.h5
        check "align with $command: the same pairs" eval "'$RIBOGRID' view x.h5 >x.tsv"
        check "align with $command: the same pairs" same pairs.tsv x.tsv
    done
    if is_sanitized; then
        return # too slow
    fi
    rm -f x.h5
    check "align without stdin" expect_exit 1 closed '<&-' "$RIBOGRID" align - -o x.h5
    check "align without stdin: one line" expect_line 'cannot read stdin: Bad file descriptor' "$err"
}

# A run whose stderr is closed is killed: its messages are not in the log.
test_log_without_stderr()
{
    local pid

    "$RIBOGRID" simulate 300 --length 150 --seed 2 -o long.fa
    rm -f x.h5
    "$RIBOGRID" align long.fa --kernel scalar --threads 1 -v -o x.h5 2>&- &
    pid=$!
    until_true 300 larger_than 4000 x.h5.part
    kill -9 $pid
    wait $pid 2>/dev/null
    check "the log has no messages" test "$(head -c 5 x.h5.part)" = RGLOG
    check "and can be resumed" expect_exit 0 "$RIBOGRID" align long.fa --resume -o x.h5
    check "from its tiles" grep -q 'resuming: ' "$err"
}

# on_one_rank NAME COMMAND...: three ranks print what one process prints, and exit as it.
on_one_rank()
{
    local name=$1 code=0

    shift
    "$@" >alone.txt 2>alone.err || code=$?
    mpi 3 "$@" >ranks.txt 2>ranks.err
    [ $? -eq $code ] || { echo "other exit code than $code" && return 1; }
    same alone.txt ranks.txt || return 1
    [ $code -ne 0 ] || same alone.err ranks.err
}

test_launcher()
{
    local format

    command -v mpirun >/dev/null || return
    mpi 1 true >/dev/null 2>&1 || return
    check "view on 3 ranks" on_one_rank view "$RIBOGRID" view pairs.h5
    check "info on 3 ranks" on_one_rank info "$RIBOGRID" info pairs.h5
    check "export on 3 ranks" on_one_rank export "$RIBOGRID" export pairs.h5 --format column
    check "taxonomy on 3 ranks" on_one_rank taxonomy \
        "$RIBOGRID" taxonomy hits.h5 --taxonomy lineages
    check "report on 3 ranks" on_one_rank report "$RIBOGRID" report pairs.h5 --title x
    check "simulate on 3 ranks" on_one_rank simulate "$RIBOGRID" simulate 5
    check "--help on 3 ranks" on_one_rank help "$RIBOGRID" --help
    check "a missing file on 3 ranks" on_one_rank missing "$RIBOGRID" view missing.h5
    check "one message" test "$(grep -c 'missing.h5: ' ranks.err)" -eq 1
    check "an invalid command line on 3 ranks" on_one_rank usage "$RIBOGRID" view --no-such
    check "one message" test "$(grep -c 'no-such' ranks.err)" -eq 1
    # Files are written once: a second rank would find them and fail.
    for format in column phylip; do
        check "export -o on 3 ranks" expect_exit 0 mpi 3 \
            "$RIBOGRID" export pairs.h5 --format $format -o "ranks.$format"
        "$RIBOGRID" export pairs.h5 --format $format -o "alone.$format"
        check "export -o on 3 ranks: the same file" same "alone.$format" "ranks.$format"
    done
    check "cluster on 3 ranks" expect_exit 0 mpi 3 \
        "$RIBOGRID" cluster pairs.h5 --id 0.9 -o ranks
    check "cluster on 3 ranks: one summary" test "$(grep -c 'OTUs by' "$err")" -eq 1
    check "cluster on 3 ranks: the same table" same alone.otus.tsv ranks.otus.tsv
    check "report -o on 3 ranks" expect_exit 0 mpi 3 "$RIBOGRID" report pairs.h5 -o x.html
    check "simulate -o on 3 ranks" expect_exit 0 mpi 3 "$RIBOGRID" simulate 300 --length 100 \
        -o ranks.fa
    check "simulate -o on 3 ranks: the same file" same reads.fa ranks.fa
}

test_signals
test_crash
test_crash_of_a_graph
test_patience
test_descriptors
test_log_without_stderr
test_launcher
finish
