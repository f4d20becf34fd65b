/*
 * made_gene.h - random sequences with stretches of 16S rRNA genes in them.
 *
 * Include it after <cmocka.h>.
 */
#ifndef RIBOGRID_TESTS_SUPPORT_MADE_GENE_H
#define RIBOGRID_TESTS_SUPPORT_MADE_GENE_H

#include "io/base/rng.h"
#include "io/seq/alphabet.h"
#include "io/seq/seqset.h"

#include <string.h>

typedef struct {
    int at; /* where it is put, from 0 */
    const char *letters;
} stretch_t;

/* Stretches at their places in E. coli's gene. */
static const stretch_t made_515 = {515, "GTGCCAGCAGCCGCGGTAA"};
static const stretch_t made_787 = {787, "ATTAGATACCCTGGTAGTCC"};
static const stretch_t made_1099 = {1099, "CAACGAGCGCAACCC"};

enum { MADE_LETTERS = 1500 };

/* Add a random sequence with n stretches. */
static inline void made_gene_add(seqset_builder_t *b, rng_t *rng, const char *name,
                                 const stretch_t *stretches, int n)
{
    uint8_t codes[MADE_LETTERS];

    for (int i = 0; i < MADE_LETTERS; i++)
        codes[i] = (uint8_t)(1 << rng_below(rng, 4));
    for (int s = 0; s < n; s++)
        for (size_t i = 0; i < strlen(stretches[s].letters); i++)
            codes[(size_t)stretches[s].at + i] =
                alphabet_code((unsigned char)stretches[s].letters[i]);
    assert_int_equal(seqset_builder_add(b, name, strlen(name), codes, MADE_LETTERS),
                     ST_OK);
}

#endif
