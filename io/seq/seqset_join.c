/*
 * seqset_join.c - concatenates sets and reverse complements.
 */
#include "io/seq/seqset_join.h"

#include "io/base/logmsg.h"
#include "io/seq/alphabet.h"

#include <stdlib.h>

static status_t add_set(seqset_builder_t *b, const seqset_t *set)
{
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < set->n; i++) {
        size_t name_len = (size_t)(set->name_offset[i + 1] - set->name_offset[i]) - 1;

        st = seqset_builder_add(b, seqset_name(set, i), name_len, seqset_letters(set, i),
                                (size_t)seqset_len(set, i));
    }
    return st;
}

static status_t add_reverse_complements(seqset_builder_t *b, const seqset_t *set)
{
    uint8_t *reversed = malloc((size_t)seqset_max_len(set) + 1);
    status_t st = reversed != NULL ? ST_OK : log_nomem("reverse complements");

    for (int64_t i = 0; st == ST_OK && i < set->n; i++) {
        const uint8_t *letters = seqset_letters(set, i);
        int64_t len = seqset_len(set, i);

        for (int64_t k = 0; k < len; k++)
            reversed[k] = alphabet_complement(letters[len - 1 - k]);
        st = seqset_builder_add(b, "", 0, reversed, (size_t)len);
    }
    free(reversed);
    return st;
}

status_t seqset_join(const seqset_t *queries, bool both_strands,
                     const seqset_t *references, seqset_t **out)
{
    seqset_builder_t builder = {.alphabet = references->alphabet};
    status_t st = add_set(&builder, queries);

    if (st == ST_OK && both_strands)
        st = add_reverse_complements(&builder, queries);
    if (st == ST_OK)
        st = add_set(&builder, references);
    if (st == ST_OK)
        st = seqset_builder_finish(&builder, out);
    seqset_builder_free(&builder);
    return st;
}
