/*
 * class_model.h - the model of `classify` as an HDF5 file: docs/file-format.md describes it.
 */
#ifndef RIBOGRID_IO_MODELFILE_CLASS_MODEL_H
#define RIBOGRID_IO_MODELFILE_CLASS_MODEL_H

#include "io/base/pool.h"
#include "io/modelfile/class_run.h"
#include "io/modelfile/class_taxa.h"
#include "io/result/result_kind.h"
#include "io/seq/seqset.h"

#include <stdbool.h>

extern const result_kind_t class_model_kind;

typedef struct {
    seqset_t *refs;    /* nucleotides */
    int32_t *taxon_of; /* [refs->n] lowest taxon of each, not the root */
    class_taxa_t taxa;
    int64_t n_rules, rule_len; /* n_rules 0: none was learned */
    double *rules;             /* [n_rules][rule_len] class_rule_t of kernels/classify */
} class_model_t;

/*
 * Write a file, which appears complete or not at all.
 *
 * @param force  replace an existing file
 * @param pool   threads that compress, or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t class_model_write(const char *path, bool force, const class_model_t *model,
                           const class_run_t *run, pool_t *pool) MUST_CHECK;

/*
 * Read and check a file.
 *
 * @param out  freed by the caller
 * @param run  out: freed by the caller; NULL: not read
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: damaged, or no model)
 */
status_t class_model_read(const char *path, class_model_t *out,
                          class_run_t *run) MUST_CHECK;

void class_model_free(class_model_t *m);

/* ---- from one process or rank to another ---- */

/* The sizes of all arrays. */
typedef struct {
    int64_t n_refs, n_letters, names_bytes;
    int64_t n_taxa, taxa_bytes;
    int64_t n_rules, rule_len;
} class_model_shape_t;

class_model_shape_t class_model_shape(const class_model_t *m);

/* Allocate a model of this shape. @return ST_OK or ST_ENOMEM (logged); the caller frees
 * it */
status_t class_model_create(const class_model_shape_t *shape,
                            class_model_t *out) MUST_CHECK;

/* Call fn for every array, always in the same order, to write or to fill it.
 * @return ST_OK or the first error of fn */
typedef status_t class_model_fn_t(void *ctx, void *data, size_t len);
status_t class_model_each(const class_model_t *m, class_model_fn_t *fn,
                          void *ctx) MUST_CHECK;

/* @return a digest of all arrays */
uint64_t class_model_digest(const class_model_t *m);

#endif
