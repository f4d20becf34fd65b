/*
 * overlap_set.h - families of sequences that overlap: pieces of one random sequence, with
 * edits here and there, and some with one long gap.
 */
#pragma once

#include "io/base/rng.h"
#include "io/seq/seqset.h"

#include <stdlib.h>

/* As in random_set_pairs, which draws half of its pairs within families. */
enum { OVERLAP_SET_FAMILY = 8 };

typedef struct {
    int64_t n;
    int64_t whole; /* bases that the pieces are taken from */
    int edits; /* per 1,000 bases, at which a pair passes or not: half of the pieces have
                * about as many, at regular distances; others have 0 up to twice that */
    int codes_percent; /* families with ambiguity codes, at one in 30 bases */
} overlap_set_opts_t;

static inline uint8_t overlap_set_base(rng_t *rng)
{
    return (uint8_t)(1u << rng_below(rng, 4));
}

/* @return one of the other three bases */
static inline uint8_t overlap_set_other(rng_t *rng, uint8_t base)
{
    uint64_t shifted = (uint64_t)base << (1 + rng_below(rng, 3));

    return (uint8_t)((shifted | shifted >> 4) & 15);
}

/* Copy the bases from .. to-1 with edits. @return the bases written, at most 4 whole */
static inline int64_t overlap_set_piece(rng_t *rng, const overlap_set_opts_t *opts,
                                        const uint8_t *whole, int64_t from, int64_t to,
                                        uint8_t *out)
{
    bool regular = rng_chance(rng, 1, 2);
    int64_t edits = regular ? opts->edits - 3 + (int64_t)rng_below(rng, 5)
                            : (int64_t)rng_below(rng, 2 * (uint64_t)opts->edits + 1);
    int64_t gap = !regular && rng_chance(rng, 1, 2) ? (int64_t)rng_below(rng, 150) : 0;
    int64_t gap_at = from + (int64_t)rng_below(rng, (uint64_t)(to - from)), n = 0;

    for (int64_t i = from; i < to; i++) {
        bool edited = regular ? (i + 1) * edits / 1000 > i * edits / 1000
                              : rng_chance(rng, (uint64_t)edits, 1000);
        uint64_t event = edited ? rng_below(rng, 4) : 4;

        if (i == gap_at && gap % 2 == 0)
            for (int64_t k = 0; k < gap && n < 2 * opts->whole; k++)
                out[n++] = overlap_set_base(rng);
        if (i >= gap_at && i < gap_at + gap && gap % 2 == 1)
            continue;
        if (event == 3)
            out[n++] = overlap_set_base(rng);
        if (event != 2)
            out[n++] = event < 2 ? overlap_set_other(rng, whole[i]) : whole[i];
    }
    if (n == 0)
        out[n++] = overlap_set_base(rng);
    return n;
}

/* @return ST_OK or ST_ENOMEM; the caller destroys the set */
static inline status_t overlap_set_create(rng_t *rng, const overlap_set_opts_t *opts,
                                          seqset_t **out)
{
    uint8_t *whole = (uint8_t *)malloc((size_t)opts->whole);
    uint8_t *piece = (uint8_t *)malloc(4 * (size_t)opts->whole);
    uint64_t half = (uint64_t)(opts->whole + 1) / 2;
    seqset_builder_t builder = {0};
    bool codes = false;
    status_t st = whole != NULL && piece != NULL ? ST_OK : ST_ENOMEM;

    for (int64_t i = 0; i < opts->n && st == ST_OK; i++) {
        int64_t from = rng_chance(rng, 1, 2) ? (int64_t)rng_below(rng, half) : 0;
        int64_t to =
            opts->whole - (rng_chance(rng, 1, 2) ? (int64_t)rng_below(rng, half) : 0);

        if (i % OVERLAP_SET_FAMILY == 0) {
            for (int64_t k = 0; k < opts->whole; k++)
                whole[k] = overlap_set_base(rng);
            codes = rng_chance(rng, (uint64_t)opts->codes_percent, 100);
        }
        int64_t n =
            overlap_set_piece(rng, opts, whole, from, to > from ? to : from + 1, piece);
        for (int64_t k = 0; k < n && codes; k++)
            if (rng_chance(rng, 1, 30)) /* most codes have the base */
                piece[k] = (uint8_t)(rng_below(rng, 16) |
                                     (rng_chance(rng, 1, 50) ? 1 : piece[k]));
        st = seqset_builder_add(&builder, "piece", 5, piece, (size_t)n);
    }
    if (st == ST_OK)
        st = seqset_builder_finish(&builder, out);
    seqset_builder_free(&builder);
    free(whole);
    free(piece);
    return st;
}
