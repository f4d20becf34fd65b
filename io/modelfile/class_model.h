/*
 * class_model.h - the model of `classify` as an HDF5 file: docs/file-format.md describes
 * it.
 */
#pragma once

#include "io/base/pool.h"
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
    int64_t primers_len;
    char *primers; /* [primers_len], then a NUL: FORWARD/REVERSE that references were cut
                    * with; NULL: they were not cut */
} class_model_t;

extern const arrays_t class_model_arrays;

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

/* @return a digest of all arrays */
uint64_t class_model_digest(const class_model_t *m);
