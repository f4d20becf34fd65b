/*
 * leaf_counts.h - counts of the leaves of trees, by sample.
 *
 *     #OTU ID<TAB>soil<TAB>sea
 *     Otu001<TAB>40<TAB>2
 *
 * The header names the samples; of a table without a header, whose lines are a leaf and a
 * count, the sample is "all".  Lines that start with '#' before it are comments, and a
 * last column "taxonomy" (otu_write.h) is not read.
 */
#pragma once

#include "io/graphfile/csr.h"

/* Zeroed: no samples. */
typedef struct {
    int64_t n_samples;
    char **sample;  /* [n_samples] names; other ranks get none */
    int64_t *first; /* [n_samples + 1] where the counts of a sample start */
    int64_t n;      /* of counts above 0 */
    int32_t *node;  /* [n] ascending in each sample */
    int64_t *count; /* [n]; the sum of a sample fits an int64_t */
} leaf_counts_t;

extern const arrays_t leaf_counts_arrays;

/*
 * Read a table.
 *
 * Leaves, which are nodes without arcs, are given by name, or by original id if nodes
 * have no names.  A line counts those that the table leaves out: they count 0.
 *
 * @param path       plain or compressed, or "-" for stdin
 * @param names      [n_nodes] or NULL
 * @param tree_path  for messages
 * @param out        freed by arrays_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: not such a table, a line of no
 *         leaf or of one that has another line, or a sum beyond int64_t)
 */
status_t leaf_counts_read(const char *path, const csr_t *g, char *const *names,
                          const char *tree_path, leaf_counts_t *out) MUST_CHECK;

/* Set the counts of all nodes in a sample. @param out  [n_nodes] */
void leaf_counts_spread(const leaf_counts_t *c, int64_t sample, int64_t n_nodes,
                        int64_t *out);
