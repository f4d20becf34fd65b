/*
 * job_run.h - what commands that run a job on all ranks share, and how a command was run,
 * for the files that it writes.
 */
#pragma once

#include "dispatcher/transport/transport.h"
#include "io/result/run_info.h"
#include "io/seq/seq_files.h"
#include "tools/options/options.h"
#include "worker/job.h"

/* The same end of their notes. @param file  what stays if a run is stopped */
#define JOB_NOTES(file)                                                                \
    "Exit codes: 0 done, 1 failed, 2 invalid command line, 75 stopped (continue with " \
    "--resume).\n"                                                                     \
    "SIGTERM, SIGINT and SIGUSR1 stop a run; finished work stays in " file ".\n"

#define JOB_READS(args_t, files_, inputs_) \
    .files = offsetof(args_t, files_), .inputs = offsetof(args_t, inputs_)

/* The job of a command, whose structure begins with the job's options. */
struct job_command {
    const job_ops_t *ops;

    /* Its devices may be remote: ranks other than 0 open no file, and on its way an input
     * is checked. */
    bool takes_remote;

    /* Where the files of READS are in the structure, and the seq_inputs_t that gets them
     * (JOB_READS); 0: nowhere. */
    size_t files, inputs;

    /* Take what a table cannot fill in; NULL: nothing.
     * @return ST_OK, or an error (logged) */
    status_t (*take)(job_opts_t *opts);

    /* Check the settled options further; NULL: there is nothing else.
     * @return ST_OK or ST_EUSAGE (logged) */
    status_t (*check)(const job_opts_t *opts);

    /* [all] Prepare more, of the options alone; NULL: nothing. */
    status_t (*begin)(const job_opts_t *opts, exchange_t *x);

    /* [all] --plan: print on rank 0 what else a run takes, and refuse what does not fit;
     * the job has begun; NULL: nothing. */
    status_t (*plan)(const job_t *job, exchange_t *x);

    /* [rank 0, after the ranks have ended] The output is complete; NULL: that is all. */
    status_t (*finish)(const job_opts_t *opts);
};

/*
 * Plan a run instead (job_plan.c); every rank calls it, and the job is destroyed at the
 * end.
 *
 * Reads the input and prepares the kernels as a run does, measures some tasks if the
 * kernels' rates are only known roughly, and has rank 0 print to stdout.
 *
 * @param job  whose options have a binding
 * @return ST_OK, or an error of the job
 */
status_t job_plan_run(const job_command_t *command, job_t *job, exchange_t *x) MUST_CHECK;

/*
 * Settle the options, begin a transport and run a command's job on it; with -v, print
 * what the start and the end took.
 *
 * @param opts  as parsed; afterwards as settled
 */
status_t job_run(const command_t *command, job_opts_t *opts) MUST_CHECK;

/* Take part in a client's run, as one of its other ranks.
 * @param opts  as parsed, with this machine's device and threads @param t  its, destroyed
 */
status_t job_run_remote(const command_t *command, job_opts_t *opts,
                        transport_t *t) MUST_CHECK;

/* How a command without a job was run.  Points into itself: not to be copied. */
typedef struct {
    run_info_t info;
    char started[RUN_TIME_BYTES], finished[RUN_TIME_BYTES];
    double begin_s;
    pool_t *pool; /* of command_run_with_pool */
} command_run_t;

/* Note that it begins. @param input  borrowed, as the options; NULL: none */
void command_run_begin(const job_opts_t *opts, const char *input, command_run_t *out);

/* Note that it is about to write its file. @return how it was run, the run's */
const run_info_t *command_run_end(command_run_t *run);

/* Begin, and do what the command does with the threads of --threads.
 * @param input  as above @return what `work` returns, or an error (logged) */
status_t command_run_with_pool(const job_opts_t *opts, const char *input,
                               status_t (*work)(void *args, command_run_t *run),
                               void *args) MUST_CHECK;
