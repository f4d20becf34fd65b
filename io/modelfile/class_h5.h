/*
 * class_h5.h - what the models and the results of `classify` have in common as HDF5
 * files: the tree of taxa, and how the file was made.
 */
#pragma once

#include "io/modelfile/class_taxa.h"
#include "io/result/result_table.h"

/* Numbers of dimensions. */
enum {
    CLASS_TAXA = 1,
    CLASS_REFERENCES,
    CLASS_BASES,
    CLASS_RULES,
    CLASS_NUMBERS,
    CLASS_READS,
    CLASS_RANKS,
    CLASS_SAMPLES
};

extern const result_dim_t class_h5_dims[RESULT_DIMS_MAX];
extern const result_field_t class_h5_taxa_fields[]; /* of class_taxa_t */
extern const result_field_t class_h5_run_fields[];  /* of class_run_t */

/* @return whether it succeeded */
bool class_h5_put_run(hid_t file, const class_run_t *run);

/* Read and check. @param out  freed by the caller
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged) */
status_t class_h5_get_taxa(result_reader_t *r, class_taxa_t *out) MUST_CHECK;
status_t class_h5_get_run(result_reader_t *r, class_run_t *out) MUST_CHECK;
