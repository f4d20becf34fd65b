/*
 * clades_plan.h - taxonomic order of the sequences of a file of pairs, and cuts in it.
 */
#pragma once

#include "graph/summary/composition.h"
#include "io/clades/clades_file.h"
#include "io/pairs/pairs_file.h"
#include "io/seq/taxonomy.h"

/* Where cuts are. */
typedef struct {
    int64_t every;           /* sequences from one to the next; 0: at borders of taxa */
    composition_rank_t rank; /* of these, and of all taxa above them */
} clades_cuts_t;

/* Parse "family", "genus" ... or the number of a rank, "every:N" or "all".
 * @return whether it is one */
bool clades_cuts_parse(const char *text, clades_cuts_t *out);

/* @return a digest of the names of a file of pairs and of what it depends on */
uint64_t clades_digest(const pairs_file_t *file);

/* Check that a file has all pairs of one set, or all above an identity.
 * @return ST_OK or ST_EINPUT (logged) */
status_t clades_check_pairs(const pairs_file_t *file) MUST_CHECK;

/*
 * Make the plan.
 *
 * @param path    of the taxonomy, for messages
 * @param n_bins  without that of identity 1
 * @param out     released by clades_free
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged: a sequence has no lineage, no lineage
 *         has the rank, or there are too many cuts)
 */
status_t clades_plan_make(const pairs_file_t *file, const taxonomy_t *t, const char *path,
                          const clades_cuts_t *cuts, int64_t n_bins,
                          clades_t *out) MUST_CHECK;
