/*
 * primer_pattern.h - a primer as reads have it, ready to be compared with bit planes.
 *
 * A base of a read matches if all bases that its code stands for are among those of the
 * primer: an N in a read is a mismatch unless the primer has N.
 */
#pragma once

#include "io/seq/base_planes.h"
#include "io/seq/primer_pair.h"

typedef struct {
    int len;
    uint8_t codes[PRIMER_LEN_MAX];
    uint64_t lacks[BASE_PLANES]; /* bit i: base i of the primer does not include this */
    uint64_t exact;              /* bit i: base i has to match */

    /* The bases that may mismatch, the most telling first. */
    int n_order;
    int n_exact; /* the first of them have to match */
    uint8_t order[PRIMER_LEN_MAX];
} primer_pattern_t;

/* What a context has found too many mismatches for is no place of a primer. */
enum { PRIMER_NO_PLACE = PRIMER_LEN_MAX + 1 };

/*
 * @param primer   as it is looked for in a read
 * @param is_sense whether the primer's 3' end is its last base there, else the first
 * @param n_exact  bases at the 3' end that have to match
 */
primer_pattern_t primer_pattern_make(const primer_t *primer, bool is_sense, int n_exact);

/*
 * Compare a primer with the bases from a place on, also behind a sequence's end.
 *
 * @param word, bit  the place
 * @return the number of mismatches; PRIMER_NO_PLACE: of a base that has to match
 */
static inline int primer_pattern_compare(const primer_pattern_t *p,
                                         const base_planes_t *text, int64_t word, int bit)
{
    uint64_t differs = 0;

    for (int b = 0; b < BASE_PLANES; b++) {
        const uint64_t *plane = base_planes_plane(text, b) + word;
        const uint64_t bases =
            bit == 0 ? plane[0] : plane[0] >> bit | plane[1] << (64 - bit);

        differs |= bases & p->lacks[b];
    }
    return (differs & p->exact) != 0 ? PRIMER_NO_PLACE : __builtin_popcountll(differs);
}
