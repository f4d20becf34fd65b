/*
 * seed_filter.h - which proteins share seeds with a query: the first stages of BLASTP.
 *
 * Words of 3 residues, one of either protein, hit each other if their columns score
 * SEED_WORD_SCORE or more.  Two hits of a diagonal at most SEED_WINDOW residues apart,
 * which do not overlap, are extended without gaps from the second one in both directions,
 * until the score falls by more than SEED_DROP below its best (Altschul et al. 1997,
 * Nucleic Acids Res 25:3389).  A pair passes if an extension scores SEED_TRIGGER.
 *
 * On a diagonal hits are taken in their order.  One that overlaps the hit before, or
 * starts before the end of the last extension less a word, is ignored; an extension
 * counts as a hit of the last word that it has looked at.  seed_reference.c is the
 * definition.
 */
#pragma once

#include "kernels/align/common/align_spec.h"

/* The scores are BLOSUM62's: blastp's word score, a drop of 7 bits, and the 22 bits from
 * which it tries gaps. */
enum {
    SEED_WORD = 3,
    SEED_WORD_SCORE = 11,
    SEED_WINDOW = 40,
    SEED_DROP = 16,
    SEED_TRIGGER = 41,
};

typedef struct seed_filter seed_filter_t;

/* @param scoring  of proteins; copied
 * @return ST_OK or ST_ENOMEM (logged) */
status_t seed_filter_create(const align_scoring_t *scoring,
                            seed_filter_t **out) MUST_CHECK;

/* Find the words that hit a query. @param query  [m] borrowed until the next one
 * @return likewise */
status_t seed_filter_set(seed_filter_t *f, const uint8_t *query, int64_t m) MUST_CHECK;

/* @return whether the query and a target pass; those of more than 2^28 residues do, and
 *         queries that words hit at more than 2^26 places */
bool seed_filter_passes(seed_filter_t *f, const uint8_t *target, int64_t n);

/* Takes NULL. */
void seed_filter_destroy(seed_filter_t *f);

/* The definition. */
bool seed_reference_passes(const align_scoring_t *scoring, const uint8_t *query,
                           int64_t m, const uint8_t *target, int64_t n);
