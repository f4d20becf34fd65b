/*
 * class_pairs.h - a file of aligned pairs that `ribogrid align` has made of the genes of
 * `ribogrid-bench classify`.
 *
 * The file is read in a child (io/base/child_reader.h), because a damaged one may crash
 * HDF5.
 */
#ifndef RIBOGRID_BENCH_CLASSIFY_CLASS_PAIRS_H
#define RIBOGRID_BENCH_CLASSIFY_CLASS_PAIRS_H

#include "bench/classify/class_data.h"

/* How alike a query and a gene are. */
typedef struct {
    int32_t query, gene;
    int32_t matches, columns;
} class_identity_t;

typedef struct class_pairs class_pairs_t;

/* Fork the child; before there are threads.
 * @return ST_OK, ST_ENOMEM or ST_EIO */
status_t class_pairs_create(const char *path, class_pairs_t **out) MUST_CHECK;

/*
 * Read the pairs, and end the child.
 *
 * @param d            the genes
 * @param min_percent  minimum identity of the pairs that are wanted
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: the file has pairs of other
 *         sequences, or not all of these)
 */
status_t class_pairs_read(class_pairs_t *p, const class_data_t *d,
                          int min_percent) MUST_CHECK;

/*
 * List the pairs of queries with all genes.
 *
 * @param queries  [n] genes, all different
 * @param out      [*n_pairs] sorted by query, then gene; the caller frees it
 * @return ST_OK or ST_ENOMEM
 */
status_t class_pairs_list(const class_pairs_t *p, const class_data_t *d,
                          const int32_t *queries, int64_t n, class_identity_t **out,
                          int64_t *n_pairs) MUST_CHECK;

/* Takes NULL. */
void class_pairs_destroy(class_pairs_t *p);

#endif
