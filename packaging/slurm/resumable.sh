# resumable.sh - runs a job of ribogrid within a Slurm job, and requeues that until the
# result is there; sourced by the batch scripts beside it.
#
#   run_resumable OUT ARGUMENT...    ribogrid ARGUMENT... -o OUT --resume on all tasks
#
# The Slurm job is requeued
#   - when ribogrid was stopped by the signal before the time limit (exit code 75);
#   - when the launcher failed or a rank was killed (above 128), if OUT.part has finished
#     work, up to RIBOGRID_RETRIES times in all.
# It is not requeued when ribogrid itself refused to go on (1, 2), or after scancel.
#
# RIBOGRID           the program (ribogrid)
# RIBOGRID_LAUNCHER  srun, which needs Slurm's PMIx, or mpirun (srun)
# RIBOGRID_RETRIES   3
# shellcheck shell=bash

STOPPED=75

# launch COMMAND...: run it on all tasks of the job.
launch()
{
    case ${RIBOGRID_LAUNCHER:-srun} in
    # srun does not inherit --cpus-per-task from sbatch.  --kill-on-bad-exit: if a rank dies,
    # end the step instead of waiting for it.
    srun)
        exec srun --mpi=pmix --kill-on-bad-exit=1 \
            --cpus-per-task="${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}" "$@"
        ;;
    # It places the ranks as Slurm placed the tasks.
    mpirun) exec mpirun -n "$SLURM_NTASKS" --bind-to none "$@" ;;
    *)
        echo "RIBOGRID_LAUNCHER: ${RIBOGRID_LAUNCHER} is neither srun nor mpirun" >&2
        exit 2
        ;;
    esac
}

# requeue REASON
requeue()
{
    echo "$1; requeuing job $SLURM_JOB_ID"
    scontrol requeue "$SLURM_JOB_ID"
}

run_resumable()
{
    local out=$1 code=0 cancelled=no launcher

    shift
    launch "${RIBOGRID:-ribogrid}" "$@" -o "$out" --resume &
    launcher=$!
    # scancel sends SIGTERM to the ranks as well; the signal before the time limit reaches
    # only this script (--signal=B:USR1@...).
    trap 'cancelled=yes' TERM
    trap 'kill -USR1 $launcher 2>/dev/null' USR1
    while wait $launcher || code=$?; kill -0 $launcher 2>/dev/null; do
        code=0 # a signal has ended the wait, not the launcher
    done
    if [ "$cancelled" = no ] && [ "$code" -eq "$STOPPED" ]; then
        requeue "stopped before the time limit"
    elif [ "$cancelled" = no ] && [ "$code" -gt 128 ] && [ -s "$out.part" ] &&
        [ "${SLURM_RESTART_COUNT:-0}" -lt "${RIBOGRID_RETRIES:-3}" ]; then
        requeue "the launcher ended with code $code, and $out.part has finished work"
    fi
    return "$code"
}
