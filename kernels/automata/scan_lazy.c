/*
 * scan_lazy.c - the backend `lazy`: deterministic automata whose states are built when
 * they are first entered.
 *
 * Each thread has automata of its own, of groups of neighboring patterns.  One that has
 * reached its limit of memory forgets its states, and goes on from the present one.
 */
#include "kernels/automata/scan_backend.h"

#include "io/base/logmsg.h"
#include "kernels/automata/subset.h"
#include "kernels/automata/word_set.h"

#include <stdlib.h>
#include <string.h>

/* Patterns share a group up to this many positions; of the states of a group. */
enum { GROUP_POSITIONS = 1024, GROUP_BYTES = 1 << 20 };

/* A group, on one thread. */
typedef struct {
    const subset_t *subset;
    word_set_t states;
    buf_t next;       /* int32_t [states][n_classes]; -1: not known yet */
    buf_t has_output; /* uint8_t [states] */
    int64_t max_states;
    uint64_t *state, *follow, *output; /* scratch */
} lazy_t;

typedef struct {
    const int32_t *patterns; /* [n_patterns] 0, 1, 2 ... */
    subset_t *subset;        /* [n_groups] */
    int32_t *first_pattern;  /* [n_groups] */
    lazy_t *lazy;            /* [n_threads][n_groups] */
    int64_t n_groups;
    int n_threads;
} engine_t;

/* ---- states ---- */

/* Find the number of a state, and add it if it is a new one. */
static status_t add_state(lazy_t *z, const uint64_t *state, int32_t *number)
{
    const int64_t n = z->states.n;
    const size_t row_bytes = (size_t)z->subset->n_classes * sizeof(int32_t);
    status_t st = word_set_add(&z->states, state, number);
    uint8_t has_output;

    if (st != ST_OK || z->states.n == n)
        return st;
    if ((st = buf_reserve(&z->next, row_bytes)) != ST_OK)
        return st;
    memset(z->next.data + z->next.len, -1, row_bytes);
    z->next.len += row_bytes;
    has_output = subset_output(z->subset, state, z->output);
    return buf_append(&z->has_output, &has_output, sizeof(has_output));
}

/* Build the state that a class leads to. @param number  in and out */
static status_t build_next(lazy_t *z, int32_t byte_class, int32_t *number)
{
    const subset_t *s = z->subset;
    const int64_t at = (int64_t)*number * s->n_classes + byte_class;
    status_t st;

    subset_follow(s, word_set_key(&z->states, *number), z->follow);
    subset_move(s, z->follow, byte_class, z->state);
    if (z->states.n >= z->max_states) {
        word_set_clear(&z->states);
        z->next.len = z->has_output.len = 0;
        return add_state(z, z->state, number);
    }
    if ((st = add_state(z, z->state, number)) == ST_OK)
        ((int32_t *)(void *)z->next.data)[at] = *number;
    return st;
}

/* ---- scanning ---- */

static status_t append_hits(const lazy_t *z, int32_t first_pattern, int32_t number,
                            const scan_piece_t *piece, int64_t end, buf_t *hits)
{
    const bool is_end = scan_is_end(piece, end);
    status_t st = ST_OK;

    (void)subset_output(z->subset, word_set_key(&z->states, number), z->output);
    for (int64_t k = 0; st == ST_OK && k < z->subset->n_patterns; k++) {
        const unsigned bits = (unsigned)(z->output[k / 32] >> k % 32 * 2) & 3;

        if ((bits & 1) != 0 || (bits != 0 && is_end))
            st = buf_append(hits, &(scan_hit_t){end, first_pattern + k},
                            sizeof(scan_hit_t));
    }
    return st;
}

static status_t append_live(const lazy_t *z, int32_t number, buf_t *live)
{
    const uint64_t *state = word_set_key(&z->states, number);
    const size_t bytes = (size_t)subset_count_live(z->subset, state) * sizeof(int32_t);
    status_t st = buf_reserve(live, bytes);

    if (st == ST_OK) {
        subset_list_live(z->subset, state, (void *)(live->data + live->len));
        live->len += bytes;
    }
    return st;
}

static status_t scan_group(lazy_t *z, int32_t first_pattern, const scan_piece_t *piece,
                           buf_t *hits, buf_t *live)
{
    const subset_t *s = z->subset;
    int32_t number;
    status_t st;

    subset_begin(s, piece->begin == piece->record_begin, z->state);
    st = add_state(z, z->state, &number);
    for (int64_t at = piece->begin; st == ST_OK && at < piece->end; at++) {
        const int32_t byte_class = s->class_of[piece->data[at]];
        const int32_t next =
            ((const int32_t *)(const void *)
                 z->next.data)[(int64_t)number * s->n_classes + byte_class];

        if (next >= 0)
            number = next;
        else
            st = build_next(z, byte_class, &number);
        if (st == ST_OK && z->has_output.data[number] != 0)
            st = append_hits(z, first_pattern, number, piece, at + 1, hits);
    }
    return st == ST_OK && piece->end < piece->record_end ? append_live(z, number, live)
                                                         : st;
}

static status_t scan(void *state, const scan_piece_t *piece, int thread, buf_t *hits,
                     buf_t *live)
{
    const engine_t *e = state;
    status_t st = ST_OK;

    for (int64_t g = 0; st == ST_OK && g < e->n_groups; g++)
        st = scan_group(&e->lazy[thread * e->n_groups + g], e->first_pattern[g], piece,
                        hits, live);
    return st;
}

/* ---- the backend ---- */

static void destroy(void *state)
{
    engine_t *e = state;

    if (e == NULL)
        return;
    for (int64_t k = 0; e->lazy != NULL && k < e->n_groups * e->n_threads; k++) {
        lazy_t *z = &e->lazy[k];

        word_set_free(&z->states);
        buf_free(&z->next);
        buf_free(&z->has_output);
        free(z->state);
        free(z->follow);
        free(z->output);
    }
    for (int64_t g = 0; e->subset != NULL && g < e->n_groups; g++)
        subset_free(&e->subset[g]);
    free(e->lazy);
    free(e->subset);
    free(e->first_pattern);
    free((void *)(uintptr_t)e->patterns);
    free(e);
}

/* Make groups of neighboring patterns. */
static status_t make_groups(engine_t *e, const nfa_t *nfa)
{
    const size_t n = (size_t)nfa->n_patterns + 1;
    int32_t *patterns = malloc(n * sizeof(*patterns));
    status_t st = ST_OK;

    e->patterns = patterns;
    e->subset = calloc(n, sizeof(*e->subset));
    e->first_pattern = malloc(n * sizeof(*e->first_pattern));
    if (patterns == NULL || e->subset == NULL || e->first_pattern == NULL)
        return log_nomem("patterns");
    for (int32_t k = 0; k < nfa->n_patterns; k++)
        patterns[k] = k;
    for (int32_t k = 0, end; st == ST_OK && k < nfa->n_patterns; k = end) {
        for (end = k + 1; end < nfa->n_patterns &&
                          nfa->first[end + 1] - nfa->first[k] <= GROUP_POSITIONS;)
            end++;
        e->first_pattern[e->n_groups] = k;
        st = subset_create(nfa, patterns + k, end - k, &e->subset[e->n_groups]);
        e->n_groups += st == ST_OK;
    }
    return st;
}

static status_t make_lazy(const subset_t *s, lazy_t *z)
{
    z->subset = s;
    z->states.n_words = s->n_words;
    z->max_states = GROUP_BYTES / (s->n_words * 8 + s->n_classes * 4 + 32) + 2;
    z->state = malloc((size_t)s->n_words * sizeof(*z->state));
    z->follow = malloc((size_t)s->n_words * sizeof(*z->follow));
    z->output = malloc((size_t)s->n_output_words * sizeof(*z->output));
    return z->state != NULL && z->follow != NULL && z->output != NULL
               ? ST_OK
               : log_nomem("patterns");
}

static status_t create(const scan_context_t *context, void **state)
{
    engine_t *e = calloc(1, sizeof(*e));
    status_t st;

    if (e == NULL)
        return log_nomem("patterns");
    e->n_threads = context->n_threads;
    if ((st = make_groups(e, context->nfa)) == ST_OK &&
        (e->lazy = calloc((size_t)(e->n_groups * e->n_threads) + 1, sizeof(*e->lazy))) ==
            NULL)
        st = log_nomem("patterns");
    for (int64_t k = 0; st == ST_OK && k < e->n_groups * e->n_threads; k++)
        st = make_lazy(&e->subset[k % e->n_groups], &e->lazy[k]);
    if (st == ST_OK)
        *state = e;
    else
        destroy(e);
    return st;
}

const scan_backend_t scan_lazy_backend = {.base = {.name = "lazy",
                                                   .kind = DEVICE_CPU,
                                                   .rate = 3e9},
                                          .create = create,
                                          .scan = scan,
                                          .destroy = destroy};
