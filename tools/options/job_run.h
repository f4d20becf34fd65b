/*
 * job_run.h - what commands that run a job on all ranks share.
 */
#ifndef RIBOGRID_TOOLS_OPTIONS_JOB_RUN_H
#define RIBOGRID_TOOLS_OPTIONS_JOB_RUN_H

#include "dispatcher/transport/transport.h"
#include "io/base/child_reader.h"
#include "tools/options/options.h"

#include <stdbool.h>

enum { JOB_RUN_FILES = 2 };

/* What a command's job gets. */
typedef struct {
    transport_t *transport;
    child_reader_t *reader;   /* on rank 0, if the command has one; else NULL */
    const char *command_line; /* as the result file has it */
} job_launch_t;

typedef struct {
    const command_t *command;

    /* the reader, where there is something to read: an old output, or an input */
    bool has_reader;
    child_reader_fn_t read;
    const void *read_arg;
    const char *files[JOB_RUN_FILES]; /* that it may read; NULL: none */

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
