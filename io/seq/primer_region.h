/*
 * primer_region.h - the part of a gene between two primers, as an amplicon without them.
 */
#ifndef RIBOGRID_IO_SEQ_PRIMER_REGION_H
#define RIBOGRID_IO_SEQ_PRIMER_REGION_H

#include "io/seq/seqset.h"

#include <stdbool.h>

enum { PRIMER_LEN_MAX = 64 };

typedef struct {
    uint8_t forward[PRIMER_LEN_MAX]; /* codes */
    uint8_t reverse[PRIMER_LEN_MAX]; /* of the reverse complement: as the gene has it */
    int forward_len, reverse_len;
} primer_region_t;

/*
 * Parse two primers, each as synthesized, 5' to 3': "515F/806R", by the names of
 * primer_region_names, or "GTGYCAGCMGCCGCGGTAA/GGACTACNVGGGTWTCTAAT".
 *
 * @return whether it is valid
 */
bool primer_region_parse(const char *text, primer_region_t *out);

/* The known names, separated by blanks. */
extern const char *const primer_region_names;

/*
 * Find the region: after the first place where the forward primer matches and before the
 * first place after it where the reverse primer does.  A code matches if all bases it
 * stands for are among those of the primer.
 *
 * @param letters  [len] codes of DNA
 * @param begin    first base of the region
 * @param end      one after its last base; more than begin
 * @return whether both primers were found
 */
bool primer_region_find(const primer_region_t *region, const uint8_t *letters,
                        int64_t len, int64_t *begin, int64_t *end);

/* Cut the region out of all sequences; those without it are left out.
 * @return ST_OK or ST_ENOMEM (logged) */
status_t primer_region_cut(const primer_region_t *region, const seqset_t *set,
                           seqset_t **out) MUST_CHECK;

#endif
