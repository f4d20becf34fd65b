/*
 * batch_split.h - how many images of each batch a rank takes.
 */
#pragma once

#include "cnn/net/cnn_net.h"
#include "worker/cnn/cnn_opts.h"

/* Zeroed: all ranks take as many. */
typedef struct {
    int64_t *parts; /* [n_ranks] images of each rank, at least 1; NULL: as many on all, or
                     * one rank takes all */
    int64_t first;  /* of this rank's images */
    bool is_alone;  /* one rank takes all, and no other computes anything */
    int lead;       /* that rank; otherwise 0, which saves parameters */
} batch_split_t;

/* Check the text of --split. @param why  out, on ST_EUSAGE @return ST_OK or ST_EUSAGE */
status_t batch_split_check(const char *text, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/*
 * Divide batches among the ranks as --split says; every rank calls it, and all get the
 * same.
 *
 * With "auto" every rank measures its device on batches of equal parts, at the same time,
 * and how long the gradients take from rank to rank.  Parts then follow the speeds; if
 * the slowest part and the sums take no less than 1 / 1.02 of what the fastest rank takes
 * for the whole batch, that rank is alone.
 *
 * @param net    with the batch of all ranks
 * @param opts   of the job, whose split is not NULL
 * @param out    freed by batch_split_free
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE, ST_EDEVICE, ST_ELOST or ST_EPEER
 */
status_t batch_split_make(exchange_t *x, const cnn_net_t *net, const cnn_opts_t *opts,
                          batch_split_t *out) MUST_CHECK;

/* What a rank of several measures of itself. */
typedef struct {
    double images_per_s;
    double sums_s; /* for adding up the gradients of an iteration */
} batch_split_rate_t;

/* Decide from what all ranks measured. @param rates  [n_ranks]
 * @param gain  out: times the speed of the fastest rank alone
 * @return ST_OK or ST_ENOMEM */
status_t batch_split_decide(int64_t batch, const batch_split_rate_t *rates, int n_ranks,
                            int rank, batch_split_t *out, double *gain) MUST_CHECK;

/* Divide a batch in proportion to weights above 0; every rank gets at least 1 image.
 * @param batch  at least n_ranks @param parts  out: [n_ranks] */
void batch_split_divide(int64_t batch, const double *weights, int n_ranks,
                        int64_t *parts);

void batch_split_free(batch_split_t *s);
