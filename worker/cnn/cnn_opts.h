/*
 * cnn_opts.h - the job "cnn" and its options: it trains a network, as a front end fills
 * them in.
 *
 * A front end starts from cnn_opts_defaults, writes what its user gives, and has
 * cnn_opts_settle check the combination.
 */
#pragma once

#include "cnn/memory/device_limit.h"
#include "cnn/plan/cnn_plan.h"
#include "io/base/child_reader.h"
#include "io/images/image_read.h"
#include "worker/job.h"
#include "worker/job_opts.h"

/* image_exchange.c reads images; HDF5 in the child of the run (io/base/child_reader.h),
 * because a damaged file may crash HDF5.
 *
 * The arrays pass from the child through a file in memory, which it inherits. */

typedef struct {
    image_read_t what; /* path NULL: no images */
    int stream;        /* the file in memory, or -1: not read in the child */
} image_source_t;

/* Before the child is forked: open the file in memory, if the images are HDF5.
 * @return ST_OK or ST_ENOMEM */
status_t image_exchange_prepare(image_source_t *source) MUST_CHECK;

/* In the child: read images into the file in memory. */
status_t image_exchange_answer(const image_source_t *source) MUST_CHECK;

/*
 * Read images, in the child where that is prepared.
 *
 * @param reader    asked for `question`, which image_exchange_answer answers; may be NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t image_exchange_read(const image_source_t *source, child_reader_t *reader,
                             int question, image_set_t *out) MUST_CHECK;

/* Of cnn_plan_types_t, as on the command line. */
extern const char *const cnn_number_name[3];

/* When the gradients of ranks above 0 count: rows of the word --merge. */
typedef enum {
    CNN_MERGE_SYNC,  /* in the iteration that computes them */
    CNN_MERGE_ASYNC, /* one iteration later */
    CNN_N_MERGES
} cnn_merge_t;

extern const char *const cnn_merge_name[CNN_N_MERGES];

typedef struct {
    job_opts_t common;

    const char *net; /* the name of a shipped network, or a file */

    /* images */
    image_source_t images, test; /* test.what.path NULL: none */

    /* training */
    int64_t epochs, batch; /* 0: the network's */
    const char *rate_text; /* of learning; NULL: the network's */
    double rate;           /* settled, if rate_text is given */
    int64_t seed;
    cnn_plan_types_t number; /* but CNN_PLAN_FP64 */
    device_limit_t limit;    /* of each rank */
    cnn_place_t place;
    const char *split; /* "auto" or weights of the ranks, "3:1"; NULL: as many images on
                        * all */
    cnn_merge_t merge;

    /* output */
    const char *csv, *svg; /* curves; NULL: none */
} cnn_opts_t;

cnn_opts_t cnn_opts_defaults(void);

/* Check what the options say about images. @return ST_OK or ST_EUSAGE */
status_t cnn_images_check(const image_read_t *what,
                          char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* Which members of a device_limit_t were given, of options that have it as `limit`. */
typedef struct {
    bool bytes, rematerialize;
} cnn_limit_given_t;

#define CNN_LIMIT_GIVEN(options)                         \
    ((cnn_limit_given_t){IS_GIVEN(options, limit.bytes), \
                         IS_GIVEN(options, limit.rematerialize)})

/* Check a limit of a device's memory. @return ST_OK or ST_EUSAGE */
status_t cnn_limit_check(const device_limit_t *limit, const cnn_limit_given_t *given,
                         char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* Make programs of a rank fit into its device; a rank without one computes nothing.
 * @param programs, n, is_whole, memory_bytes  as of device_limit_apply */
status_t cnn_limit_apply(const device_limit_t *limit, const job_opts_t *opts,
                         bool is_whole, cnn_program_t **programs, int n,
                         size_t *memory_bytes) MUST_CHECK;

/* Settle a placement: CNN_PLACE_AUTO by rates, for a rank that trains alone on its
 * device; others place nothing then.
 * @param how  whose place it is @return ST_OK, ST_ENOMEM or ST_EUSAGE (logged) */
status_t cnn_place_settle(const device_limit_t *limit, const job_opts_t *opts,
                          bool is_alone, const cnn_net_t *net,
                          const cnn_plan_options_t *how, cnn_place_t *out) MUST_CHECK;

/* Check the options. @param why  out, on ST_EUSAGE: what is wrong and what to do
 * @return ST_OK or ST_EUSAGE */
status_t cnn_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/*
 * Refuse numbers that only the definition computes on a device, a hundred times as slow
 * as fp32, unless it is named: tf32 and bf16 on CPUs.
 *
 * @param kernel  as of --kernel; NULL: auto
 * @return ST_OK or ST_EUSAGE (logged)
 */
status_t cnn_number_check(cnn_plan_types_t number, const device_t *device,
                          const char *kernel) MUST_CHECK;

/* The same for a job; a rank without a device computes nothing. */
status_t cnn_number_check_job(cnn_plan_types_t number, const job_opts_t *opts) MUST_CHECK;

/* The job of these options: trains a network on all ranks together, into one HDF5 file.
 */
extern const job_ops_t job_cnn_ops;
