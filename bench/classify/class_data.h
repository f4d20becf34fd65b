/*
 * class_data.h - the genes of `ribogrid-bench classify` with their classes, and models
 * of some of them.
 */
#ifndef RIBOGRID_BENCH_CLASSIFY_CLASS_DATA_H
#define RIBOGRID_BENCH_CLASSIFY_CLASS_DATA_H

#include "io/seq/primer_region.h"
#include "io/seq/taxonomy.h"
#include "kernels/classify/class_train.h"

typedef struct {
    const char *path; /* borrowed */
    seqset_t *genes;  /* those with a lineage */
    taxonomy_t *taxonomy;
    int32_t *class_of; /* [genes->n] */
    nbc_classes_t classes;
    int64_t n_left_out; /* genes without lineage or region */
    int64_t n_records;  /* sequences of the file, or regions that were cut out of them */
    uint64_t digest;    /* of these */
    int32_t *record;    /* [genes->n] the number of each gene among these */
    bool is_region;
    device_t device;
    pool_t *pool;
    nbc_options_t options;
} class_data_t;

/* @param region  cut it out of all genes; NULL: whole genes
 * @param out     the caller's, also after an error; freed by class_data_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t class_data_read(const char *genes, const char *taxonomy,
                         const primer_region_t *region, int n_threads,
                         class_data_t *out) MUST_CHECK;

void class_data_free(class_data_t *d);

/* A model of some of the genes. */
typedef struct {
    int32_t *class_of; /* -1: left out */
    nbc_model_t *model;
    class_statistics_t known;
    nbc_context_t nbc;
} class_subset_t;

/* @param left_out  [genes->n] or NULL: none
 * @param out       the caller's, also after an error; freed by class_subset_free */
status_t class_subset_create(const class_data_t *d, const bool *left_out,
                             class_subset_t *out) MUST_CHECK;

void class_subset_free(class_subset_t *s);

#endif
