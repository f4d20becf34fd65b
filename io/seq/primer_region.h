/*
 * primer_region.h - the part of a gene between two primers, as an amplicon without them.
 */
#pragma once

#include "io/seq/seqset.h"

#include <stdbool.h>

enum { PRIMER_LEN_MAX = 64 };

typedef struct {
    uint8_t forward[PRIMER_LEN_MAX]; /* codes */
    uint8_t reverse[PRIMER_LEN_MAX]; /* of the reverse complement: as the gene has it */
    int forward_len, reverse_len;
    int max_mismatches; /* in each primer */
} primer_region_t;

/* Where a region was found. */
typedef struct {
    int64_t begin;    /* first base of the region */
    int64_t end;      /* one after its last base; more than begin */
    int n_mismatches; /* in both primers */
} primer_hit_t;

/*
 * Parse two primers, each as synthesized, 5' to 3': "515F/806R", by the names of
 * docs/before.md, or "GTGYCAGCMGCCGCGGTAA/GGACTACNVGGGTWTCTAAT".
 *
 * @param out  no mismatches are allowed
 * @return whether it is valid
 */
bool primer_region_parse(const char *text, primer_region_t *out);

/*
 * Find the region: after the place where the forward primer matches best, and before the
 * place after it where the reverse primer does: with the fewest mismatches, and the first
 * such place.  A code matches if all bases it stands for are among those of the primer.
 *
 * @param letters  [len] codes of DNA
 * @return whether both primers were found
 */
bool primer_region_find(const primer_region_t *region, const uint8_t *letters,
                        int64_t len, primer_hit_t *out);
