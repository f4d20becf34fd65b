/*
 * derep.c - a hash table of sequences.
 */
#include "io/prepare/derep.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A slot of the table.  Digests are compared before bases, which are far away in memory.
 */
typedef struct {
    uint64_t digest;
    int32_t sequence; /* -1: empty */
} slot_t;

static bool is_equal(const seqset_t *set, int64_t i, int64_t j)
{
    return seqset_len(set, i) == seqset_len(set, j) &&
           memcmp(seqset_letters(set, i), seqset_letters(set, j),
                  (size_t)seqset_len(set, i)) == 0;
}

status_t derep_find(const seqset_t *set, int32_t *sequence_of, int32_t *first,
                    int64_t *n_distinct)
{
    size_t n_slots = 2;
    int32_t n = 0;
    slot_t *slots;

    while (n_slots < 2 * (size_t)set->n)
        n_slots *= 2;
    if ((slots = malloc(n_slots * sizeof(*slots))) == NULL)
        return log_nomem("equal sequences");
    for (size_t k = 0; k < n_slots; k++)
        slots[k].sequence = -1;
    for (int64_t i = 0; i < set->n; i++) {
        uint64_t digest =
            digest_add(DIGEST_START, seqset_letters(set, i), (size_t)seqset_len(set, i));
        size_t at = (size_t)(digest ^ digest >> 32) & (n_slots - 1);

        while (slots[at].sequence >= 0 && (slots[at].digest != digest ||
                                           !is_equal(set, first[slots[at].sequence], i)))
            at = (at + 1) & (n_slots - 1);
        if (slots[at].sequence < 0) {
            slots[at] = (slot_t){digest, n};
            first[n++] = (int32_t)i;
        }
        sequence_of[i] = slots[at].sequence;
    }
    free(slots);
    *n_distinct = n;
    return ST_OK;
}
