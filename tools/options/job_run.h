/*
 * job_run.h - what commands that run a job on all ranks share, and how a command was run,
 * for the files that it writes.
 */
#ifndef RIBOGRID_TOOLS_OPTIONS_JOB_RUN_H
#define RIBOGRID_TOOLS_OPTIONS_JOB_RUN_H

#include "dispatcher/transport/transport.h"
#include "io/result/run_info.h"
#include "tools/options/commands.h"
#include "tools/options/options.h"
#include "worker/job.h"

/* The same end of their notes. @param file  what stays if a run is stopped */
#define JOB_NOTES(file)                                                                \
    "Exit codes: 0 done, 1 failed, 2 invalid command line, 75 stopped (continue with " \
    "--resume).\n"                                                                     \
    "SIGTERM, SIGINT and SIGUSR1 stop a run; finished work stays in " file ".\n"

/* A command that runs a job.  `opts` are the job's options, which may be the first member
 * of what the command's table fills in. */
typedef struct {
    const command_t *command;
    const job_ops_t *ops;

    /* Take the words of the command line, and what a table cannot fill in.
     * @return ST_OK, or an error (logged) */
    status_t (*take)(job_opts_t *opts, const char *const *words);

    /* Check the settled options further; NULL: there is nothing else.
     * @return ST_OK or ST_EUSAGE (logged) */
    status_t (*check)(const job_opts_t *opts);

    /* [all] Run the job, which is destroyed then; NULL: run_job (dispatcher/run.h). */
    status_t (*run)(job_t *job, transport_t *t);

    /* [rank 0, after the ranks have ended] The output is complete; NULL: that is all. */
    status_t (*finish)(const job_opts_t *opts);
} job_command_t;

/* All that there are (tools/commands.c); NULL at the end: one that stands there is in all
 * tests that go through jobs. */
extern const job_command_t *const job_commands[];

extern const job_command_t align_command;
extern const job_command_t classify_command;
extern const job_command_t classify_train_command;
extern const job_command_t cnn_predict_command;
extern const job_command_t cnn_train_command;
extern const job_command_t graph_command;

/*
 * Parse the command line, begin a transport and run the job on it; with -v, print what
 * the start and the end took.
 *
 * @param opts  defaults; afterwards as settled
 * @return the exit code
 */
int job_run(const job_command_t *c, int argc, char **argv, job_opts_t *opts);

/* How a command without a job was run.  Points into itself: not to be copied. */
typedef struct {
    run_info_t info;
    char started[RUN_TIME_BYTES], finished[RUN_TIME_BYTES];
    char *command;
    double begin_s;
} command_run_t;

/* Note that it begins.
 * @param input  borrowed; NULL: none @param out  freed by command_run_free */
void command_run_begin(const command_t *command, int argc, char **argv, const char *input,
                       command_run_t *out);

/* Note that it is about to write its file. @return how it was run, the run's */
const run_info_t *command_run_end(command_run_t *run);

void command_run_free(command_run_t *run);

#endif
