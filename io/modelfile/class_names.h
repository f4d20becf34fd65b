/*
 * class_names.h - the names that `classify` or `taxonomy` has given to reads: from TSV of
 * either, also for QIIME 2, or from HDF5 of `classify`.
 */
#pragma once

#include "io/base/name_table.h"
#include "io/prepare/abundance.h"
#include "io/seq/seqset.h"

#include <stdbool.h>
#include <stdio.h>

/* Zeroed: none. */
typedef struct {
    seqset_t *reads;       /* their names; the sequences are placeholders of one base */
    name_table_t lineages; /* distinct ones, names separated by ';' */
    int32_t *lineage_of;   /* [reads->n] -1: unclassified */
    double *support;       /* [reads->n] of the lowest name, of `taxonomy` the consensus;
                            * NAN: none, or no number */
    abundance_t abundance; /* of the reads, if the file has it; size NULL: it has not */
} class_names_t;

/* @return whether a file begins as a TSV file of names does, or is compressed text */
bool class_names_are_text(const char *path);

/*
 * Find out whether a file holds names: whether it is such an HDF5 file, begins as such a
 * TSV file does, or is compressed.
 *
 * @return ST_OK or ST_EINPUT (logged: neither text nor HDF5)
 */
status_t class_names_probe(const char *path, bool *are_in) MUST_CHECK;

/*
 * Read a file: HDF5, or text, plain or compressed.
 *
 * @param out  released by class_names_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t class_names_read(const char *path, class_names_t *out) MUST_CHECK;

/* Print a TSV file of names, which is checked, as it is.
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged); the caller checks `to` */
status_t class_names_print(const char *path, bool has_header, FILE *to) MUST_CHECK;

void class_names_free(class_names_t *n);
