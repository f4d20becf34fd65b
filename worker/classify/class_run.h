/*
 * class_run.h - names of reads in memory: the job "classify" without files of reads, a
 * log and an output, by a model that is read once.
 */
#pragma once

#include "worker/classify/class_opts.h"

/* A model and what follows from it; never changes. */
typedef struct class_loaded class_loaded_t;

/*
 * Read a model of words, or a network.
 *
 * @param pool  threads that count words
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t class_loaded_read(const char *path, pool_t *pool,
                           class_loaded_t **out) MUST_CHECK;

/* Takes NULL. */
void class_loaded_destroy(class_loaded_t *l);

/* @return the taxa of the model, borrowed */
const class_taxa_t *class_loaded_taxa(const class_loaded_t *l);

typedef struct {
    class_opts_t *opts; /* settled by class_opts_settle_job */
    const device_t *device;
    pool_t *pool;
    seqset_t *reads; /* nucleotides; unchanged */

    /* Called several times per second. @param done  of 0 .. 1
     * @return ST_OK, or ST_ESTOPPED: the run ends */
    status_t (*progress)(void *ctx, double done);
    void *ctx;
} class_run_input_t;

/*
 * Name reads: those names that the job "classify" gives.
 *
 * @param out  freed by the caller
 * @param job  out: appended, the job's text with its NUL
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE, ST_EINPUT (the model has not what the options
 *         need; logged), ST_EDEVICE, ST_ELOST or ST_ESTOPPED
 */
status_t class_run(const class_loaded_t *l, const class_run_input_t *input,
                   class_calls_t *out, buf_t *job) MUST_CHECK;
