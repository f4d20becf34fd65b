/*
 * job_opts.h - what the options of all jobs share: values that were not given, messages
 * about those that do not go together, and the device that follows from a kernel.
 */
#ifndef RIBOGRID_WORKER_JOB_OPTS_H
#define RIBOGRID_WORKER_JOB_OPTS_H

#include "io/base/child_reader.h"
#include "kernels/device/kernel_list.h"
#include "worker/bind.h"

#include <stdbool.h>
#include <stdint.h>

enum { JOB_OPTS_NOT_GIVEN = INT32_MIN, JOB_OPTS_WHY_BYTES = 256 };

static inline bool job_opts_is_given(int64_t value)
{
    return value != JOB_OPTS_NOT_GIVEN;
}

/* What every command that runs a job is given, besides what the job computes. */
typedef struct {
    /* device */
    const char *device; /* "auto", "cpu", "cuda" or "cuda:I" */
    const char *kernel; /* "auto" or a backend's name */
    int64_t n_threads;  /* 0: all processors, shared by the ranks of a node */

    /* output */
    const char *output; /* the result; NULL: the job needs none */
    bool force, resume;

    /* run */
    bool quiet, verbose;
    int64_t task_timeout_s; /* a rank that is silent for longer hangs; 0: wait */
    int64_t redundancy;     /* ranks that compute each task; 0: one */
    int64_t verify_percent; /* of the tasks are checked */

    /* set by the front end */
    child_reader_t *reader; /* on rank 0, if there is something to read: the job says what
                             * it answers */
    const binding_t *binding;           /* what this rank has; NULL: not known */
    const char *command_line, *version; /* stored in the result */
} job_opts_t;

/* @return the options of a command line that gives none of them */
static inline job_opts_t job_opts_defaults(void)
{
    return (job_opts_t){.device = "auto", .kernel = "auto"};
}

/* Word what is wrong, as options_misuse prints it. @return ST_EUSAGE */
status_t job_opts_misuse(char why[JOB_OPTS_WHY_BYTES], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Check -o, --force and --resume.
 *
 * @param name   of the output, for messages: "OUT.h5"
 * @param is_hdf5  why it cannot be stdout; else because of the log beside it
 * @return ST_OK or ST_EUSAGE
 */
status_t job_opts_check_output(const job_opts_t *o, const char *name, bool is_hdf5,
                               char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/*
 * Check --device, and set it from --kernel unless both kinds of device have one of that
 * name.
 *
 * @param device  "auto", "cpu", "cuda" or "cuda:I"; changed only if it is "auto"
 * @param kernel  "auto", or a name
 * @param kernels  of this build
 * @return ST_OK, or ST_EUSAGE
 */
status_t job_opts_settle_device(const char **device, const char *kernel,
                                const kernel_list_t *kernels,
                                char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

#endif
