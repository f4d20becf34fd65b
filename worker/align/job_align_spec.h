/*
 * job_align_spec.h - the options of the job "align" as the specifications of its aligner,
 * its filters and its search.
 */
#pragma once

#include "io/seq/matrix_file.h"
#include "kernels/align/search/search.h"
#include "worker/align/align_opts.h"

/* What the options and the alphabet amount to: set once, by job_align_spec_settle, and
 * never changed. */
typedef struct {
    align_spec_t align; /* of the aligner; emits CIGARs if identities need them, too */
    int n_datasets;     /* of the result file */
    identity_def_t identity;
    bool count_ends; /* in the definition of identity */
    search_source_t source;
    const char *identity_name;     /* for the file; NULL: no definition applies */
    const char *identity_words;    /* for the file; NULL: matches / columns */
    align_spec_t filter;           /* the spec that filters are created for */
    bool filter_is_lossless;       /* whether they pass every pair that is to be kept */
    bool is_scored[ALPHABET_SIZE]; /* with a matrix: the codes that it has scores for */
    uint64_t matrix_digest;
} job_align_spec_t;

/* What messages call the kinds of ends. */
extern const char *const job_align_ends_words[ALIGN_N_ENDS];

/*
 * Settle everything that follows from the options and the alphabet.
 *
 * @param matrix  that the options name; NULL: read it
 * @return ST_OK, or ST_EIO or ST_EINPUT (the matrix)
 */
status_t job_align_spec_settle(const align_opts_t *opts, alphabet_t alphabet,
                               const score_matrix_t *matrix,
                               job_align_spec_t *out) MUST_CHECK;

/*
 * Check that counts and scores of a set's pairs fit the integers that hold them.
 *
 * @param opts   settled
 * @param set    the queries, their reverse complements, and the references
 * @param label  of the set, for messages
 * @return ST_OK or ST_EINPUT (logged)
 */
status_t job_align_spec_check(const job_align_spec_t *spec, const align_opts_t *opts,
                              const seqset_t *set, const char *label) MUST_CHECK;

/* @return whether only hits are kept of all pairs */
static inline bool job_align_is_sparse(const align_opts_t *opts)
{
    return opts->against != NULL || opts->min_identity.denominator != 0;
}

/* @return which hits --top counts as better */
pairs_order_t job_align_spec_order(const align_opts_t *opts);

/*
 * Find a letter that the matrix of the options does not score.
 *
 * @param index, code  out: the first sequence that has one, and its code
 * @return whether there is one
 */
bool job_align_spec_lacks(const job_align_spec_t *spec, const align_opts_t *opts,
                          const seqset_t *set, int64_t *index, uint8_t *code);

/* @return what settled options say of a search: the caller adds device, pool, run, and
 *         sequences */
search_context_t job_align_spec_search(const job_align_spec_t *spec,
                                       const align_opts_t *opts);

/* @param search  what is searched, with its sequences
 * @return its tiles: the side is a function of sequences and options, so that all ranks
 *         and all runs of a job agree */
tile_grid_t job_align_spec_grid(const search_context_t *search);
