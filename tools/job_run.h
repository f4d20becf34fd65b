/*
 * job_run.h - what commands that run a job on all ranks share.
 */
#ifndef RIBOGRID_TOOLS_JOB_RUN_H
#define RIBOGRID_TOOLS_JOB_RUN_H

#include "dispatcher/transport/transport.h"
#include "io/base/child_reader.h"
#include "tools/options/options.h"

#include <stdbool.h>

/* What a command's job gets. */
typedef struct {
    transport_t *transport;
    child_reader_t *reader;   /* of the old output, on rank 0 with --resume; else NULL */
    const char *command_line; /* as the result file has it */
} job_launch_t;

typedef struct {
    const command_t *command;
    bool resume;
    const char *output;
    child_reader_fn_t read; /* of job_output_t's reader; gets the output's path */

    /* Run the job. @param args  those of job_run @return its status */
    status_t (*run)(void *args, const job_launch_t *launch);
} job_run_t;

/*
 * Begin a transport and run a command's job on it; with -v, print what the start and the
 * end took.
 *
 * @return the exit code
 */
int job_run(const job_run_t *how, int argc, char **argv, void *args);

#endif
