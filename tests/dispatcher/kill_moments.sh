#!/usr/bin/env bash
#
# kill_moments.sh - kill -9 at any moment of every kind of job, also of one rank of three, and
# --resume until it ends: the result is that of the unbroken run, and nothing else is left.
#
#   RIBOGRID_KILLS=60 RIBOGRID_SEED=7 RIBOGRID_RANKS=3 tests/dispatcher/kill_moments.sh [JOB...]
#
# By default 3 kills of each job, of seed 1, on 1 rank and on 3.  By turns, a kill is at a random time, from the
# start of the process on, and before a random one of the calls that write, sync and name files,
# between which the files have other states.  A resumed run may be killed, too.  A run that ends
# before its kill does not count.
#
# FAIL_CALL is the library that kills before a call (tests/support/fail_call.c).
n_reads=40
grid_rows=20
grid_columns=25
n_images=450
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/log_test.sh"
need_mpirun
need_h5py
: "${FAIL_CALL:=$(dirname "$RIBOGRID")/tests/libfail_call.so}"
[ -f "$FAIL_CALL" ] || skip "fail_call is not built"
is_sanitized && skip "the library cannot be loaded before the sanitizer's"
n_kills=${RIBOGRID_KILLS:-3}
RANDOM=${RIBOGRID_SEED:-1}
limit_s=300 # of a run
n_hung=0
n_all=0
export FAIL_CALL FAIL_CALL_FOLDER=$tmp/to FAIL_CALL_ERRNO=0 FAIL_CALL_LIST=$tmp/calls.txt

# Ways of the same jobs that write other files or compute tasks again.
job_rows+="free recomputed.h5 align reads.fa --emit cigar --recompute 10
free scores.h5 align reads.fa --emit score
free table.tsv classify reads.fa --model model.h5
free nets.h5 classify reads.fa --model net.h5
free tree.h5 graph mst pairs.h5 --newick to/tree.nwk
gang curves.h5 cnn train net.ini synthetic:$n_images --csv to/curves.csv --svg to/curves.svg
"
job_rows=${job_rows//net.ini/net.ini --batch 9} # 3 ranks share a batch
redundant_rows='free compared.h5 align reads.fa --emit cigar --redundancy 2
'
# Every run of these has another number of logs.
shard_rows='free shards.h5 align reads.fa --emit cigar
free shardnames.h5 classify reads.fa more.fa --sizein --model model.h5
'

# dying RANK SECONDS CALL COMMAND...: have this rank killed after SECONDS, or before its call
# CALL; with 0 for both not at all. Other ranks run the command.
write_dying()
{
    cat >dying <<'END'
#!/usr/bin/env bash
rank=$1 seconds=$2
export FAIL_CALL_AT=$3
shift 3
[ "${OMPI_COMM_WORLD_RANK:-0}" = "$rank" ] || exec "$@"
[ "$seconds" = 0 ] || exec timeout --foreground -s KILL "$seconds" "$@"
LD_PRELOAD=$FAIL_CALL exec "$@"
END
    chmod +x dying
}

# await_end LAUNCHER KILLS: wait until it has ended. After a rank was killed, Open MPI 4.1's mpirun
# may hang without ranks. @return its exit code; 124: it ended in the moment of its kill
await_end()
{
    local start=$SECONDS n_idle=0

    while ! is_gone "$1" && [ $((SECONDS - start)) -lt $limit_s ] && [ $n_idle -lt 100 ]; do
        sleep 0.05
        [ "$n_ranks" -eq 1 ] || [ "$2" = no ] || [ $((SECONDS - start)) -lt 5 ] ||
            [ -n "$(children "$1")" ] || n_idle=$((n_idle + 1))
    done
    [ $n_idle -lt 100 ] || n_hung=$((n_hung + 1))
    is_gone "$1" || kill -9 "$1"
    wait "$1"
}

# run RANK SECONDS CALL: run the job on $n_ranks ranks. @return as await_end
run()
{
    local launch=() code=0 kills=yes shards=()

    [[ $file != shard* ]] || shards=(--log-shards $((1 + RANDOM % n_ranks)))
    [ "$n_ranks" -eq 1 ] || launch=(mpirun --oversubscribe --bind-to none -n "$n_ranks")
    [ "$2 $3" != "0 0" ] || kills=no
    rm -f calls.txt
    "${launch[@]}" ./dying "$@" "${command[@]}" "${shards[@]}" --resume -q -o "to/$file" >"$out" 2>"$err" &
    await_end $! $kills 2>/dev/null || code=$? # the shell reports a killed command on stderr
    return $code
}

# run_unbroken NAME: make whole/NAME, and find out how long that takes and how many calls.
run_unbroken()
{
    local start

    mkdir to
    start=$(now_ms)
    check "$1: an unbroken run" run 0 0 0 || { cat "$err" && exit 1; }
    unbroken_ms=$(($(now_ms) - start))
    n_calls=$(wc -l <calls.txt)
    mv to "whole/$1"
}

# run_killed: run the job and kill it, in the one or the other way. @return its exit code
run_killed()
{
    local ms=$((RANDOM % unbroken_ms)) call=$((1 + RANDOM % n_calls))

    if [ $((n_job % 2)) -eq 0 ]; then
        how="after $ms ms"
        run $((RANDOM % n_ranks)) "$((ms / 1000)).$(printf %03d $((ms % 1000 + 1)))" 0
    else
        how="before call $call"
        run 0 0 "$call"
    fi
}

# only_known NAME: a killed run has left outputs and its log alone; one that replaced an output,
# and was killed before that rename, the file that was to get the name.
only_known()
{
    local left call path

    read -r call path < <(tail -1 calls.txt 2>/dev/null)
    [ "$call" != rename ] || rm -f "$path".tmp-*
    left=$(cd to && find . -mindepth 1 -printf '%P\n' |
        grep -vxF -e "$file.part" -e "$file.part.new" -f <(ls "$tmp/whole/$1") |
        grep -vx "${file}[.]part[.][0-9]*")
    [ -z "$left" ] && return
    echo "left over: $left"
    return 1
}

# killed NAME: @return whether a kill has happened; the run must not have failed by itself
killed()
{
    local code=0

    run_killed || code=$?
    case $code in
    0 | 124) return 1 ;;
    *) check "$1, $how: killed" test $code -eq 137 || cat "$err" ;;
    esac
    n_job=$((n_job + 1))
    check "$1, $how: only its files" only_known "$1"
}

# kill_often NAME JOB: as often as n_kills says.
kill_often()
{
    local n_job=0 n_runs=0 how

    set_command "$2"
    run_unbroken "$1"
    mkdir "got/$1"
    while [ $n_job -lt "$n_kills" ]; do
        mkdir to
        while killed "$1" && [ $n_job -lt "$n_kills" ] && [ $((RANDOM % 3)) -gt 0 ]; do
            :
        done
        check "$1, last killed $how: resumed" run 0 0 0 || cat "$err"
        n_runs=$((n_runs + 1))
        mv to "got/$1/$n_runs"
    done
    check "$1: all results are right, and alone" \
        "$PYTHON" "$here/tools/equal_outputs.py" whole got || cat "$tmp/output"
    rm -rf "got/$1"
    n_all=$((n_all + n_job))
    echo "$1: $n_job kills, $n_runs results, $n_calls calls, $unbroken_ms ms"
}

# No process of ours is left here.
nobody_is_left()
{
    local link

    for link in /proc/[0-9]*/cwd; do
        [ "$(readlink "$link")" = "$tmp" ] || continue
        ! grep -q '^ribogrid' "${link%cwd}comm" 2>/dev/null || return 1
    done
}

# A network that names sequences.
make_net()
{
    sed 's/1x28x28/1x64x64/; s/^pool = max 7$/pool = max 8/' net.ini >kmer.ini
    "$RIBOGRID" cnn train kmer.ini reads.fa --taxonomy reads.tax --threads 1 -q -o net.h5
}

make_jobs
make_net
"$RIBOGRID" align reads.fa -q -o pairs.h5
write_dying
mkdir whole got
mapfile -t names < <(jobs_of free | tr ' ' '\n' && jobs_of gang | tr ' ' '\n')
for n_ranks in ${RIBOGRID_RANKS:-1 3}; do
    [ "$n_ranks" -eq 1 ] || {
        job_rows+=$redundant_rows$shard_rows && names+=(compared shards shardnames)
    }
    [ $# -eq 0 ] || names=("$@")
    for job in "${names[@]}"; do
        kill_often "$job.$n_ranks" "$job"
    done
done
check "no process is left" until_true 150 nobody_is_left
echo "$n_all kills; mpirun itself hung $n_hung times"
finish
