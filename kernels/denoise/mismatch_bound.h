/*
 * mismatch_bound.h - rules out pairs of reads that have too many mismatches, however they
 * are aligned with few gaps, without aligning them.
 *
 * Alignments are those of align_spec_vsearch.  That none is missed is proved in
 * docs/filters.md, "Mismatches".
 */
#pragma once

#include "io/seq/seqset.h"

/* The words of all reads, 8 bases each. */
typedef struct mismatch_bound mismatch_bound_t;

/* @param reads  borrowed until destroy @return ST_OK or ST_ENOMEM (logged) */
status_t mismatch_bound_create(const seqset_t *reads, mismatch_bound_t **out) MUST_CHECK;

/* Takes NULL. */
void mismatch_bound_destroy(mismatch_bound_t *b);

/* The words that a read has: scratch of a thread, zeroed for none. */
enum { MISMATCH_WORDS = 1 << 16 };

typedef struct {
    uint64_t has[MISMATCH_WORDS / 64];
    int64_t read; /* -1: none */
} mismatch_words_t;

/* Note the words of a read, instead of those of another one.
 * @param words  its read is -1 before the first call */
void mismatch_bound_set(const mismatch_bound_t *b, int64_t read, mismatch_words_t *words);

/*
 * @param words           of one of the reads
 * @param max_mismatches  at least 0
 * @return false: the alignment of the two reads has more mismatches; true: it may not
 */
bool mismatch_bound_may(const mismatch_bound_t *b, const mismatch_words_t *words,
                        int64_t read, int64_t max_mismatches);
