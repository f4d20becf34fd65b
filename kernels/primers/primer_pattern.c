/*
 * primer_pattern.c - the masks of a primer, and the order of its bases.
 */
#include "kernels/primers/primer_pattern.h"

#include <string.h>

/* Add the bases of a number of possible ones that have to match, or need not. */
static void add_order(primer_pattern_t *p, bool is_exact, int n_bases)
{
    for (int i = 0; i < p->len; i++)
        if ((p->exact >> i & 1) == is_exact && __builtin_popcount(p->codes[i]) == n_bases)
            p->order[p->n_order++] = (uint8_t)i;
}

primer_pattern_t primer_pattern_make(const primer_t *primer, bool is_sense, int n_exact)
{
    primer_pattern_t p = {.len = primer->len};

    memcpy(p.codes, primer->codes, sizeof(p.codes));
    for (int i = 0; i < p.len; i++)
        for (int b = 0; b < BASE_PLANES; b++)
            p.lacks[b] |= (uint64_t) !(p.codes[i] >> b & 1) << i;
    for (int k = 0; k < n_exact && k < p.len; k++)
        p.exact |= UINT64_C(1) << (is_sense ? p.len - 1 - k : k);
    /* N never mismatches, and what matches few bases ends most comparisons */
    for (int n = 1; n < BASE_PLANES; n++)
        add_order(&p, true, n);
    p.n_exact = p.n_order;
    for (int n = 1; n < BASE_PLANES; n++)
        add_order(&p, false, n);
    return p;
}
