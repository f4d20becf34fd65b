/*
 * primer_case.h - random primers and reads for tests of the places of primers.
 */
#pragma once

#include "io/base/rng.h"
#include "io/seq/primer_pair.h"
#include "io/seq/seqset.h"

#include <stdlib.h>
#include <string.h>

/* A primer of any codes, mostly of one base. @param n_bases  different ones, 2 to 4 */
static inline primer_t primer_case_draw(rng_t *rng, int len, uint64_t n_bases)
{
    primer_t p = {.len = len};

    for (int i = 0; i < len; i++)
        p.codes[i] = (uint8_t)(rng_chance(rng, 1, 3) ? 1 + rng_below(rng, 15)
                                                     : 1U << rng_below(rng, n_bases));
    return p;
}

/* Write what a primer may have been copied to, with a few other codes. */
static inline void primer_case_copy(rng_t *rng, const primer_t *primer, uint8_t *to)
{
    for (int i = 0; i < primer->len; i++) {
        do
            to[i] = (uint8_t)(1U << rng_below(rng, 4));
        while ((to[i] & primer->codes[i]) == 0);
        if (rng_chance(rng, 1, 12))
            to[i] = (uint8_t)(1 + rng_below(rng, 15));
    }
}

/*
 * Make reads of up to `max_len` bases, which the caller destroys: random ones, in which
 * copies of the primers stand at random places, on both strands.
 *
 * @return NULL: there is no memory
 */
static inline seqset_t *primer_case_reads(rng_t *rng, const primer_pair_t *pairs,
                                          int n_pairs, int64_t n, int max_len,
                                          uint64_t n_bases)
{
    uint8_t *codes = malloc((size_t)max_len + 1);
    seqset_builder_t b = {.alphabet = ALPHABET_DNA};
    seqset_t *set = NULL;
    bool good = codes != NULL;

    for (int64_t i = 0; good && i < n; i++) {
        const int len = (int)rng_below(rng, (uint64_t)max_len + 1);

        for (int k = 0; k < len; k++)
            codes[k] = (uint8_t)(rng_chance(rng, 1, 50) ? 1 + rng_below(rng, 15)
                                                        : 1U << rng_below(rng, n_bases));
        for (uint64_t copies = rng_below(rng, 6); copies > 0; copies--) {
            const primer_pair_t *pair = &pairs[rng_below(rng, (uint64_t)n_pairs)];
            const primer_t *p = rng_chance(rng, 1, 2) ? &pair->forward : &pair->reverse;
            const primer_t turned = primer_reverse_complement(p);

            if (p->len <= len)
                primer_case_copy(rng, rng_chance(rng, 1, 2) ? p : &turned,
                                 codes + rng_below(rng, (uint64_t)(len - p->len) + 1));
        }
        good = seqset_builder_add(&b, "r", 1, codes, (size_t)len) == ST_OK;
    }
    if (good && seqset_builder_finish(&b, &set) != ST_OK)
        set = NULL;
    seqset_builder_free(&b);
    free(codes);
    return set;
}
