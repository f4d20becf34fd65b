/*
 * rg_aligner.h - aligners, as their files share them.
 */
#pragma once

#include "kernels/align/search/search.h"
#include "library/rg_context.h"
#include "library/rg_result.h"
#include "library/rg_set.h"
#include "worker/align/align_memory.h"

struct rg_aligner {
    rg_context_t *context;
    rg_origin_t *origin;
    seqset_t *joined;    /* queries, their reverse complements, references; or NULL */
    const seqset_t *set; /* either */
    int64_t n_queries;
    int64_t first_target; /* index of the first reference, or 0 */
    align_run_t run;
    search_t *listed;           /* of listed pairs; NULL: none so far */
    double rate;                /* of them: measured cells per second; 0: not yet */
    buf_t pairs[ALIGNER_DEPTH]; /* pair_t of the batches that are aligned */
};

/* @return what is searched: all pairs, or without filters, listed ones */
search_context_t rg_aligner_search(const rg_aligner_t *aligner, bool is_listed);

/* @return the memory for the batches of a search, in tiles or without */
align_memory_t rg_aligner_memory(const rg_aligner_t *aligner, const search_t *search,
                                 int64_t tile_values);

/* Align listed pairs, of the host's memory. */
status_t rg_aligner_list(rg_aligner_t *aligner, const int32_t *pairs, int64_t n,
                         rg_result_t **out) MUST_CHECK;

/* @return seconds of work between two reports of progress
 *
 * More where the next piece is made while one is aligned: in the last 25 ms of each, few
 * pairs are left for all multiprocessors (8 pieces of a million whole genes take 1.26
 * times as long as one, bench/results/h200-pieces.txt). */
double rg_aligner_piece_s(const search_t *search);
