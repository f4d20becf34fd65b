/*
 * subset_serial.c - the backend `serial`: one state after the other, the definition.
 */
#include "kernels/automata/subset_backend.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/align_run.h"

#include <stdlib.h>

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

static status_t find(void *state, const subset_t *s, int64_t max_states,
                     const int *cancel, subset_states_t *states, bool *fits)
{
    const size_t bytes = (size_t)s->n_words * sizeof(uint64_t);
    search_t f = {.subset = s,
                  .set = {.n_words = s->n_words},
                  .state = malloc(bytes),
                  .follow = malloc(bytes)};
    status_t st = f.state != NULL && f.follow != NULL
                      ? subset_states_begin(states, &f.set)
                      : log_nomem("states");

    (void)state;
    *fits = true;
    for (int64_t k = 0; st == ST_OK && *fits && k < f.set.n; k++) {
        st = align_cancelled(cancel) ? ST_ESTOPPED : expand(&f, k);
        *fits = f.set.n <= max_states;
    }
    free(f.state);
    free(f.follow);
    return subset_states_end(st, *fits, &f.set, &f.next, states);
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
