/*
 * job_run.h - what commands that run a job on all ranks share.
 */
#ifndef RIBOGRID_TOOLS_OPTIONS_JOB_RUN_H
#define RIBOGRID_TOOLS_OPTIONS_JOB_RUN_H

#include "dispatcher/transport/transport.h"
#include "io/base/child_reader.h"
#include "tools/options/options.h"

#include <stdbool.h>

/*
 * Rows of such a command's table.  It defines args_t with the members quiet and verbose,
 * AT(member), and JOB(member) of the job's options: device, kernel, n_threads, force and
 * resume.
 */
#define JOB_OPTION_DEVICE                                                  \
    {                                                                      \
        OPTION_TEXT, "device", 0, JOB(common.device), "auto|cpu|cuda[:I]", \
            "device to compute on (auto: a GPU if there is one)", 0, 0     \
    }
#define JOB_OPTION_KERNEL                                          \
    {                                                              \
        OPTION_TEXT, "kernel", 0, JOB(common.kernel), "auto|NAME", \
            "kernel to use; `ribogrid devices` lists them", 0, 0   \
    }
#define JOB_OPTION_THREADS                                                              \
    {                                                                                   \
        OPTION_INT, "threads", 't', JOB(common.n_threads), "N",                         \
            "threads of this rank (default: all processors, shared by a node's ranks)", \
            1, 4096                                                                     \
    }
#define JOB_OPTION_FORCE                                         \
    {                                                            \
        OPTION_FLAG, "force", 0, JOB(common.force), NULL,        \
            "replace an existing result or unfinished run", 0, 0 \
    }
#define JOB_OPTION_RESUME                                   \
    {                                                       \
        OPTION_FLAG, "resume", 0, JOB(common.resume), NULL, \
            "continue an unfinished run", 0, 0              \
    }
#define JOB_OPTION_QUIET                                                      \
    {                                                                         \
        OPTION_FLAG, "quiet", 'q', AT(quiet), NULL, "print only errors", 0, 0 \
    }
#define JOB_OPTION_VERBOSE                                                          \
    {                                                                               \
        OPTION_FLAG, "verbose", 'v', AT(verbose), NULL, "print more messages", 0, 0 \
    }
#define JOB_OPTIONS_DEVICE JOB_OPTION_DEVICE, JOB_OPTION_KERNEL, JOB_OPTION_THREADS
#define JOB_OPTIONS_RUN \
    JOB_OPTION_FORCE, JOB_OPTION_RESUME, JOB_OPTION_QUIET, JOB_OPTION_VERBOSE

/* The same end of their notes. @param file  what stays if a run is stopped */
#define JOB_NOTES(file)                                                                \
    "Exit codes: 0 done, 1 failed, 2 invalid command line, 75 stopped (continue with " \
    "--resume).\n"                                                                     \
    "SIGTERM, SIGINT and SIGUSR1 stop a run; finished work stays in " file ".\n"

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
