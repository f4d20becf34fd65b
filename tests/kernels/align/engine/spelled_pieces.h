/*
 * spelled_pieces.h - sets of pieces of one gene, in text, for gpu_align.
 */
#pragma once

#include "io/base/rng.h"

#include <stdbool.h>
#include <stdlib.h>

enum { N_LENGTHS = 4, N_OVERHANGS = 3 };

/* Sets of pieces of one gene, with some bases changed or left out: two of them overhang
 * each other by up to `gene` bases, so tie breaks run out of bits, and bands fail.  The
 * first two have enough pairs that later rounds use the kernels with one pair per
 * thread, and in small batches those with one per warp.  In the third, pairs are long for
 * dscan, with codes in either sequence, both, or none.  The last one is not in
 * try_overhangs. */
static const struct {
    const char *name;
    int gene, n_pieces;
    int lengths[N_LENGTHS], spread; /* of a piece: one of these less up to `spread` */
    bool counts;                    /* whether ends are counted, too */
} pieces[] = {{"overhanging", 1600, 350, {1100, 1100, 1100, 1100}, 900, false},
              {"250..3500", 3600, 160, {250, 1500, 1800, 3500}, 60, false},
              {"250..12000", 12400, 8, {250, 1800, 3500, 12000}, 240, true},
              {"overhanging a little", 1600, 350, {1600, 1600, 1600, 1600}, 150, false}};

/* @return NULL: no memory */
static inline char *spell_pieces(rng_t *rng, int set)
{
    const int n_bases = pieces[set].gene, n = pieces[set].n_pieces;
    char *gene = malloc((size_t)n_bases);
    char *text = malloc((size_t)n * (size_t)(n_bases + 1) + 1), *at = text;

    for (int i = 0; gene != NULL && i < n_bases; i++)
        gene[i] = "ACGT"[rng_below(rng, 4)];
    for (int k = 0; gene != NULL && text != NULL && k < n; k++) {
        int len = pieces[set].lengths[k % N_LENGTHS] -
                  (int)rng_below(rng, (uint64_t)pieces[set].spread + 1);
        int from = (int)rng_below(rng, (uint64_t)(n_bases - len + 1));

        for (int i = 0; i < len; i++) {
            from += rng_below(rng, 100) == 0;
            *at++ = rng_below(rng, 20) == 0 ? "ACGTR"[rng_below(rng, k % 7 == 0 ? 5 : 4)]
                                            : gene[(from + i) % n_bases];
        }
        *at++ = k + 1 < n ? ' ' : '\0';
    }
    free(gene);
    return text;
}
