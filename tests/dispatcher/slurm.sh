#!/usr/bin/env bash
#
# slurm.sh - the batch scripts of packaging/slurm under a real Slurm of two nodes, which this
# test starts on the loopback interface: jobs are stopped before their time limit, lose a rank,
# are requeued, and end with the result of an unbroken run.
#
# Needs slurmctld, slurmd with several nodes per host, munged, srun --mpi=pmix (Debian:
# slurm-wlm, munge).  Nothing is installed or left running.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
for program in slurmctld slurmd munged sbatch srun scontrol squeue scancel; do
    command -v $program >/dev/null || skip "no $program (Debian: slurm-wlm, munge)"
done
scripts=$(cd "$here/../packaging/slurm" && pwd)
export RIBOGRID SLURM_CONF=$tmp/slurm.conf
unset RIBOGRID_LAUNCHER RIBOGRID_RETRIES

# end_daemons: they have left this shell's jobs.
end_daemons()
{
    local file

    scancel --user "$(id -un)" 2>/dev/null && sleep 1
    for file in "$tmp"/*.pid; do
        [ -s "$file" ] && kill "$(cat "$file")" 2>/dev/null
    done
    until_true 50 are_gone && return
    for file in "$tmp"/*.pid; do
        kill -9 "$(cat "$file")" 2>/dev/null
    done
}

are_gone()
{
    local file

    for file in "$tmp"/*.pid; do
        [ ! -s "$file" ] || is_gone "$(cat "$file")" || return 1
    done
}
trap 'end_daemons; clean_up' EXIT

# free_ports N: print N ports in a row that nobody listens on.
free_ports()
{
    "$PYTHON" - "$1" <<'END'
import random, socket, sys

def is_free(port):
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True

n = int(sys.argv[1])
while True:
    first = random.randrange(20000, 30000)
    if all(is_free(first + i) for i in range(n)):
        print(first)
        break
END
}

write_conf()
{
    local user port

    user=$(id -un)
    port=$(free_ports 3)
    cat >slurm.conf <<END
ClusterName=ribogrid
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$tmp/munge.sock,cred_expire=5
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool-%n
TmpFS=$tmp/tmp-%n
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd-%n.pid
SlurmctldLogFile=$tmp/slurmctld.log
SlurmdLogFile=$tmp/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SwitchType=switch/none
ReturnToService=2
KillWait=2
SlurmdParameters=config_overrides
NodeName=n[1-2] NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 2))] CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
}

two_nodes_are_idle()
{
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ]
}

start_slurm()
{
    mkdir state spool-n1 spool-n2 tmp-n1 tmp-n2
    write_conf
    head -c 1024 /dev/urandom >key && chmod 600 key
    munged --force --socket="$tmp/munge.sock" --key-file="$tmp/key" \
        --pid-file="$tmp/munged.pid" --log-file="$tmp/munged.log" \
        --seed-file="$tmp/seed" >start.txt 2>&1 || skip "munged does not start: $(tail -1 start.txt)"
    slurmctld -c >start.txt 2>&1 || skip "slurmctld does not start: $(tail -1 start.txt)"
    for node in n1 n2; do
        slurmd -N $node >start.txt 2>&1 || skip "slurmd does not start: $(tail -1 start.txt)"
    done
    until_true 200 two_nodes_are_idle || skip "Slurm's nodes do not come up: $(sinfo 2>&1 | tail -1)"
    srun --mpi=list 2>&1 | grep -qw pmix || skip "Slurm has no PMIx (--mpi=pmix)"
    timeout 30 srun -N2 -n2 true 2>start.txt || skip "srun does not work here: $(tail -1 start.txt)"
}

# state JOB: its state, and how often it was requeued.
state()
{
    scontrol show job "$1" -o 2>/dev/null |
        sed -En 's/.*JobState=([A-Z]+).*Restarts=([0-9]+).*/\1 \2/p' | sort -u | tr '\n' ' '
}

is_in_state()
{
    [ "$(state "$1")" = "$2 " ]
}

# was_requeued JOB: once.
was_requeued()
{
    state "$1" | grep -q ' 1 $'
}

# submit NAME SCRIPT ARGUMENT...: print the number of the job, whose log is NAME.log.
submit()
{
    local name=$1

    shift
    sbatch --parsable --job-name="$name" --output="$tmp/$name.log" --time=10 "$@"
}

has_finished_tiles()
{
    [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt 4000 ]
}

# Slow enough to be stopped in its middle.
slow=(--kernel scalar --threads 1)

# The signal before the time limit, sent now, to the batch script alone as Slurm does.
test_time_limit()
{
    local job

    job=$(submit limit -N2 --ntasks-per-node=1 --cpus-per-task=1 "$scripts/align-cpu.sbatch" \
        reads.fa limit.h5 "${slow[@]}")
    check "two nodes compute" until_true 300 has_finished_tiles limit.h5.part
    scancel --batch --signal=USR1 "$job"
    check "a job that is stopped before its limit is requeued" until_true 300 \
        was_requeued "$job"
    check "... and ends" until_true 600 is_in_state "$job" 'COMPLETED 1'
    check "it goes on" grep -q 'resuming: [1-9]' limit.log
    check "two ranks on two nodes" grep -q '2 ranks' limit.log
    check "the result is that of an unbroken run" equal whole.h5 limit.h5
    check "no log is left" absent limit.h5.part
}

# ranks_of FILE: processes of ribogrid that write it.
ranks_of()
{
    pgrep -x ribogrid | while read -r pid; do
        tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -q -- "-o $1 " && echo "$pid"
    done
}

# A rank is killed: srun ends the step.
test_lost_rank()
{
    local job

    job=$(submit lost -N2 --ntasks-per-node=1 --cpus-per-task=1 "$scripts/align-cpu.sbatch" \
        reads.fa lost.h5 "${slow[@]}")
    until_true 300 has_finished_tiles lost.h5.part
    kill -9 "$(ranks_of lost.h5 | tail -1)"
    check "a job that loses a rank is requeued" until_true 300 was_requeued "$job"
    check "... and ends" until_true 600 is_in_state "$job" 'COMPLETED 1'
    check "the reason is logged" grep -q 'the launcher ended with code .* has finished work' \
        lost.log
    check "the result is that of an unbroken run" equal whole.h5 lost.h5
}

# mpirun instead of srun, on one node, without GPUs.
test_cancel()
{
    local job

    job=$(RIBOGRID_LAUNCHER=mpirun submit one --ntasks-per-node=2 --cpus-per-task=1 \
        --gpus-per-task=0 "$scripts/align.sbatch" reads.fa one.h5 "${slow[@]}" --device cpu)
    check "mpirun computes" until_true 300 has_finished_tiles one.h5.part
    scancel "$job"
    check "a job that is cancelled is not requeued" until_true 300 is_in_state "$job" \
        'CANCELLED 0'
    until_true 100 test -z "$(ranks_of one.h5)"
    job=$(RIBOGRID_LAUNCHER=mpirun submit again --ntasks-per-node=2 --cpus-per-task=1 \
        --gpus-per-task=0 "$scripts/align.sbatch" reads.fa one.h5 "${slow[@]}" --device cpu)
    check "the next one ends" until_true 600 is_in_state "$job" 'COMPLETED 0'
    check "it goes on" grep -q 'resuming: [1-9]' again.log
    check "the result is that of an unbroken run" equal whole.h5 one.h5
}

test_array()
{
    local job

    "$RIBOGRID" simulate 20 --length 200 --seed 6 -o part1.fa
    "$RIBOGRID" simulate 20 --length 200 --seed 7 -o part2.fa
    job=$(submit array --array=1-2 --cpus-per-task=1 "$scripts/align-array.sbatch" part1.fa \
        part1.fa part2.fa --id 0.1)
    check "an array ends" until_true 300 is_in_state "$job" 'COMPLETED 0'
    for part in part1 part2; do
        "$RIBOGRID" align $part.fa --against part1.fa --id 0.1 -q -o $part.whole.h5
        check "$part is equal" equal $part.whole.h5 $part.fa.h5
    done
}

# submit_cpu NAME SCRIPT ARGUMENT...: two ranks on one node without GPUs.
submit_cpu()
{
    submit "$1" -N1 --ntasks-per-node=2 --cpus-per-task=1 --gpus-per-task=0 "$scripts/$2" \
        "${@:3}" --device cpu
}

# The scripts of the other jobs: results are those without Slurm.
test_other_jobs()
{
    local graph classify train

    sed -n 's/^>\([^ ]*\).*/\1/p' reads.fa | awk '{ print $1 "\tB;P;C;O;F" NR % 2 ";G" NR % 4 }' >reads.tax
    "$RIBOGRID" classify train reads.fa --taxonomy reads.tax --held-out 0 -q -o names.h5
    graph=$(submit_cpu graph graph.sbatch components whole.h5 graph.h5 --id 0.5)
    classify=$(submit_cpu classify classify.sbatch reads.fa names.h5 names.tsv)
    train=$(submit_cpu train cnn-train.sbatch lenet synthetic:64 lenet.h5 --epochs 1)
    "$RIBOGRID" graph components whole.h5 --id 0.5 -q -o graph.whole.h5
    "$RIBOGRID" classify reads.fa --model names.h5 -q -o names.whole.tsv
    check "an algorithm runs" until_true 300 is_in_state "$graph" 'COMPLETED 0'
    check "its result is equal" equal graph.whole.h5 graph.h5
    check "reads are classified" until_true 300 is_in_state "$classify" 'COMPLETED 0'
    check "their names are equal" cmp names.whole.tsv names.tsv
    check "a network is trained" until_true 300 is_in_state "$train" 'COMPLETED 0'
    check "... by two ranks" grep -q '2 ranks' train.log
    check "the model is readable" "$RIBOGRID" info lenet.h5
    graph=$(submit few -N1 --ntasks-per-node=1 --cpus-per-task=1 --gpus-per-task=0 \
        "$scripts/graph.sbatch" bfs whole.h5)
    check "missing arguments are refused" until_true 300 is_in_state "$graph" 'FAILED 0'
    check "... with the usage" grep -q 'usage: sbatch graph.sbatch ALGORITHM GRAPH OUT.h5' few.log
}

# A refusal is final.
test_refused()
{
    local job

    job=$(submit refused -N1 --ntasks-per-node=1 "$scripts/align-cpu.sbatch" absent.fa absent.h5)
    check "what ribogrid refuses is not requeued" until_true 300 is_in_state "$job" 'FAILED 0'
    check "its line is in the log" grep -q 'absent.fa' refused.log
}

start_slurm
"$RIBOGRID" simulate 160 --length 250 --seed 5 -o reads.fa
"$RIBOGRID" align reads.fa -q -o whole.h5
test_time_limit
test_lost_rank
test_cancel
test_array
test_other_jobs
test_refused
[ $n_failed -eq 0 ] || tail -n 20 ./*.log
finish
