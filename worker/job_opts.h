/*
 * job_opts.h - the options that all jobs share, which of them a command line gave,
 * messages about those that do not go together, and the device that follows from a
 * kernel.
 */
#pragma once

#include "io/base/child_reader.h"
#include "io/base/pool.h"
#include "kernels/device/backend.h"
#include "worker/bind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which options a command line gave: one bit per member of a structure.
 *
 * A structure of options begins with the set, or with a structure that does, and a member
 * is known by its offset: a copy of the structure has a copy of the set. */

/* Limit of the offset of an option, in bytes. */
enum { GIVEN_OFFSET_MAX = 1024 };

typedef struct {
    uint8_t bits[GIVEN_OFFSET_MAX / 8];
} given_t;

static inline void given_add(given_t *g, size_t at)
{
    g->bits[at / 8] = (uint8_t)(g->bits[at / 8] | 1U << at % 8);
}

static inline bool given_has(const given_t *g, size_t at)
{
    return (g->bits[at / 8] >> at % 8 & 1) != 0;
}

/* @return whether a member of a structure of options was given */
#define IS_GIVEN(opts, member)                       \
    given_has((const given_t *)(const void *)(opts), \
              (size_t)((const char *)&(opts)->member - (const char *)(opts)))

/* Set a member, as a command line does. */
#define GIVE(opts, member, value)         \
    ((opts)->member = (value),            \
     given_add((given_t *)(void *)(opts), \
               (size_t)((const char *)&(opts)->member - (const char *)(opts))))

enum { JOB_OPTS_WHY_BYTES = 256 };

/* What every command is given, besides what it computes; commands without a job have a
 * part of these options.  A job's options begin with this structure. */
typedef struct {
    given_t given; /* the members that a command line gave, also those of the job */

    /* device */
    const char *device; /* "auto", "cpu", "cuda" or "cuda:I" */
    const char *kernel; /* "auto" or a backend's name */
    int64_t n_threads;  /* 0: all processors, shared by the ranks of a node */

    /* output */
    const char *output; /* the result; NULL: the job needs none */
    bool force, resume;
    bool takes_one; /* --device any: only the fastest of all ranks computes */
    bool is_plan;   /* a sample is computed at most, and nothing is kept */

    /* run */
    bool quiet, verbose;
    int64_t task_timeout_s;    /* a rank silent for longer hangs (free tasks); 0: wait */
    int64_t redundancy;        /* ranks that compute each task; 0: one */
    int64_t recompute_percent; /* of the tasks are checked */
    int64_t log_shards;        /* ranks that keep a part of the log; 0: by their number */

    /* set by the front end */
    child_reader_t *reader; /* on rank 0, if there is something to read: the job says what
                             * it answers */
    bool reads_again;       /* of the job: it asks the reader after the log was opened */
    const binding_t *binding;           /* what this rank has; NULL: not known */
    const char *command_line, *version; /* stored in the result */
    int n_words;                        /* of the command line, behind the command */
    char *const *words;
} job_opts_t;

/* @return the options of a command line that gives none of them */
static inline job_opts_t job_opts_defaults(void)
{
    return (job_opts_t){.device = "auto", .kernel = "auto"};
}

/* @return whether this rank computes, as far as is known */
static inline bool job_opts_computes(const job_opts_t *o)
{
    return o->binding != NULL && !o->binding->is_idle;
}

/* Create the pool of --threads. @return ST_OK or ST_ENOMEM (logged) */
status_t job_opts_pool(const job_opts_t *opts, pool_t **out) MUST_CHECK;

/* @return whether outputs may replace files */
static inline bool job_opts_may_replace(const job_opts_t *o)
{
    return o->force || o->resume;
}

/* @return whether the result goes to stdout: then the log is a temporary file, and
 * nothing is kept of a run that does not end */
bool job_opts_is_stdout(const job_opts_t *o);

/* Word what is wrong, as options_misuse prints it. @return ST_EUSAGE */
status_t job_opts_misuse(char why[JOB_OPTS_WHY_BYTES], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Check -o, --force and --resume.
 *
 * @param name   of the output, for messages: "OUT.h5"
 * @param is_hdf5  then it cannot be stdout
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
 * @param table  of the job's backends
 * @return ST_OK, or ST_EUSAGE
 */
status_t job_opts_settle_device(const char **device, const char *kernel,
                                const backend_table_t *table,
                                char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;
