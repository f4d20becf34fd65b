/*
 * subset_states.c - the first states and all states of a construction on the CPU; names.
 */
#include "kernels/automata/subset_backend.h"

const char *const subset_allocator_name[SUBSET_N_ALLOCATORS] = {"arena", "blocks",
                                                                "malloc"};

status_t subset_states_begin(const subset_states_t *states, word_set_t *set)
{
    const size_t bytes = (size_t)set->n_words * sizeof(uint64_t);
    int32_t number;
    status_t st = ST_OK;

    for (size_t at = 0; st == ST_OK && at < states->keys.len; at += bytes)
        st = word_set_add(set, (const void *)(states->keys.data + at), &number);
    return st;
}

status_t subset_states_end(status_t st, bool fits, word_set_t *set, buf_t *next,
                           subset_states_t *out)
{
    if (st == ST_OK && fits) {
        buf_free(&out->keys);
        *out = (subset_states_t){set->keys, *next};
        set->keys = *next = (buf_t){.data = NULL};
    }
    word_set_free(set);
    buf_free(next);
    return st;
}
