/*
 * cnn_opts.h - the options of the job "cnn", which trains a network, as a front end fills
 * them in.
 *
 * A front end starts from cnn_opts_defaults, writes what its user gives, and has
 * cnn_opts_settle check the combination.
 */
#ifndef RIBOGRID_WORKER_CNN_CNN_OPTS_H
#define RIBOGRID_WORKER_CNN_CNN_OPTS_H

#include "cnn/plan/cnn_plan.h"
#include "worker/cnn/image_exchange.h"
#include "worker/job_opts.h"

/* Of cnn_plan_types_t, as on the command line. */
extern const char *const cnn_number_name[3];

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

    /* output */
    const char *csv, *svg; /* curves; NULL: none */
} cnn_opts_t;

cnn_opts_t cnn_opts_defaults(void);

/* Check the options. @param why  out, on ST_EUSAGE: what is wrong and what to do
 * @return ST_OK or ST_EUSAGE */
status_t cnn_opts_settle(cnn_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

#endif
