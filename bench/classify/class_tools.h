/*
 * class_tools.h - programs that `ribogrid-bench classify` runs, in a temporary folder:
 * our own `align`, and as peers `vsearch --sintax`, mothur's classify.seqs and our own
 * `cnn train` with `classify --method cnn`.
 */
#ifndef RIBOGRID_BENCH_CLASSIFY_CLASS_TOOLS_H
#define RIBOGRID_BENCH_CLASSIFY_CLASS_TOOLS_H

#include "bench/classify/class_pairs.h"

enum {
    CLASS_TOOLS_PATH = 4000,
    CLASS_PEERS = 3,
    CLASS_PEER_RANKS = 16 /* of longer lineages the first ones and the last */
};

extern const char *const class_peer_name[CLASS_PEERS]; /* as reports print it */

typedef struct {
    char path[CLASS_TOOLS_PATH];
} class_folder_t;

/* Create a folder under TMPDIR or /tmp. @return ST_OK or ST_EIO (logged) */
status_t class_folder_create(class_folder_t *out) MUST_CHECK;

/* Remove the folder and its files. */
void class_folder_remove(const class_folder_t *f);

/*
 * Align queries with all genes, as `ribogrid align --id 0.895` does.
 *
 * @param queries  [n] genes
 * @param out      [*n_pairs] sorted by query, then gene; the caller frees it
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t class_tools_align(const class_folder_t *f, const class_data_t *d,
                           const int32_t *queries, int64_t n, class_identity_t **out,
                           int64_t *n_pairs) MUST_CHECK;

/* Which peers are run, and how. */
typedef struct {
    bool installed;  /* vsearch and mothur, if they are */
    const char *net; /* of cnn: a network as `cnn train` takes it; NULL: it is not run */
    int64_t epochs;  /* of cnn; 0: the network's */
    uint64_t seed;   /* of cnn */
} class_peers_t;

/* @return whether a peer is run */
bool class_peer_runs(const class_peers_t *peers, int peer);

/* What a peer says about a query, from the highest rank down. */
typedef struct {
    int n_ranks; /* 0: nothing */
    int32_t taxon[CLASS_PEER_RANKS];
    double support[CLASS_PEER_RANKS]; /* 0 .. 1 */
} class_peer_lineage_t;

/*
 * Classify queries by a peer, with the other genes that the model has as references.
 *
 * @param queries  [n] genes
 * @param found    [n]
 * @param seconds  of the whole run
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t class_peer_run(const class_peers_t *peers, int peer, const class_folder_t *f,
                        const class_data_t *d, const class_subset_t *model,
                        const int32_t *queries, int64_t n, class_peer_lineage_t *found,
                        double *seconds) MUST_CHECK;

#endif
