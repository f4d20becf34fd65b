/*
 * subset_serial.c - the backend `serial`: one state after the other, the definition.
 */
#include "kernels/automata/subset_backend.h"

#include "io/base/logmsg.h"
#include "kernels/automata/word_set.h"

#include <stdlib.h>

const char *const subset_allocator_name[SUBSET_N_ALLOCATORS] = {"arena", "blocks",
                                                                "malloc"};

typedef struct {
    const subset_t *subset;
    word_set_t set;
    uint64_t *state, *follow; /* [n_words] scratch */
    buf_t next;
} search_t;

/* Find the states that a state leads to. */
static status_t expand(search_t *f, int64_t number)
{
    const subset_t *s = f->subset;
    status_t st = ST_OK;

    subset_follow(s, word_set_key(&f->set, number), f->follow);
    for (int32_t c = 0; st == ST_OK && c < s->n_classes; c++) {
        int32_t next;

        subset_move(s, f->follow, c, f->state);
        if ((st = word_set_add(&f->set, f->state, &next)) == ST_OK)
            st = buf_append(&f->next, &next, sizeof(next));
    }
    return st;
}

static status_t begin(search_t *f, const subset_states_t *states)
{
    const size_t bytes = (size_t)f->subset->n_words * sizeof(*f->state);
    int32_t number;
    status_t st = ST_OK;

    f->set.n_words = f->subset->n_words;
    f->state = malloc(bytes);
    f->follow = malloc(bytes);
    if (f->state == NULL || f->follow == NULL)
        return log_nomem("states");
    for (size_t at = 0; st == ST_OK && at < states->keys.len; at += bytes)
        st = word_set_add(&f->set, (const void *)(states->keys.data + at), &number);
    return st;
}

static status_t find(void *state, const subset_t *s, int64_t max_states,
                     subset_states_t *states, bool *fits)
{
    search_t f = {.subset = s};
    status_t st = begin(&f, states);

    (void)state;
    *fits = true;
    for (int64_t k = 0; st == ST_OK && *fits && k < f.set.n; k++) {
        st = expand(&f, k);
        *fits = f.set.n <= max_states;
    }
    if (st == ST_OK && *fits) {
        buf_free(&states->keys);
        *states = (subset_states_t){f.set.keys, f.next};
        f.set.keys = f.next = (buf_t){.data = NULL};
    }
    word_set_free(&f.set);
    buf_free(&f.next);
    free(f.state);
    free(f.follow);
    return st;
}

static status_t create(const subset_context_t *context, void **state)
{
    (void)context;
    *state = NULL;
    return ST_OK;
}

static void destroy(void *state)
{
    (void)state;
}

const subset_backend_t subset_serial_backend = {.base = {.name = "serial",
                                                         .kind = DEVICE_CPU,
                                                         .rate = 1e4},
                                                .create = create,
                                                .find = find,
                                                .destroy = destroy};
