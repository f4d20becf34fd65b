/*
 * made_gene.h - random sequences that contain motifs of 16S rRNA genes.
 */
#pragma once

#include "io/base/rng.h"
#include "io/seq/alphabet.h"
#include "io/seq/seqset.h"
#include "tests/support/unit_test.h"

#include <string.h>

typedef struct {
    int at; /* position, from 0 */
    const char *bases;
} motif_t;

/* Motifs at their positions in E. coli's gene. */
static const motif_t made_515 = {515, "GTGCCAGCAGCCGCGGTAA"};
static const motif_t made_787 = {787, "ATTAGATACCCTGGTAGTCC"};
static const motif_t made_1099 = {1099, "CAACGAGCGCAACCC"};

enum { MADE_LEN = 1500 };

/* Add a random sequence with n motifs. */
static inline void made_gene_add(seqset_builder_t *b, rng_t *rng, const char *name,
                                 const motif_t *motifs, int n)
{
    uint8_t codes[MADE_LEN];

    for (int i = 0; i < MADE_LEN; i++)
        codes[i] = (uint8_t)(1 << rng_below(rng, 4));
    for (int s = 0; s < n; s++)
        for (size_t i = 0; i < strlen(motifs[s].bases); i++)
            codes[(size_t)motifs[s].at + i] =
                alphabet_code(ALPHABET_DNA, (unsigned char)motifs[s].bases[i]);
    assert_int_equal(seqset_builder_add(b, name, strlen(name), codes, MADE_LEN), ST_OK);
}
