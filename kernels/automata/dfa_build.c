/*
 * dfa_build.c - an automaton from the states of the subset construction.
 */
#include "kernels/automata/dfa_build.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/align_run.h"
#include "kernels/automata/word_set.h"

#include <stdlib.h>
#include <string.h>

const dfa_builder_t dfa_builder_serial = {.backend = &subset_serial_backend};

/* @return bytes of a state: key and hash, up to four slots, an output, the start of what
 * is live; a row; and while it is minimised, nine numbers, and what leads there */
static int64_t state_bytes(int64_t n_words, int64_t n_classes)
{
    return n_words * 8 + 8 + 16 + 4 + 8 + n_classes * 4 + 9 * 4 + n_classes * (8 + 4);
}

/* @return states that the limits permit */
static int64_t max_states(const subset_t *s, const dfa_limits_t *limits)
{
    const int64_t n = limits->max_bytes / state_bytes(s->n_words, s->n_classes);

    return n < limits->max_states ? n : limits->max_states;
}

double dfa_limits_bytes(const dfa_limits_t *limits)
{
    const double most =
        (double)limits->max_states * (double)state_bytes(NFA_MAX_POSITIONS / 64 + 1, 256);

    return most < (double)limits->max_bytes ? most : (double)limits->max_bytes;
}

/* An automaton in the making. */
typedef struct {
    subset_t subset;
    subset_states_t states;
    const dfa_builder_t *builder;
    dfa_t dfa;
} maker_t;

static const uint64_t *key_of(const maker_t *m, int64_t state)
{
    return (const uint64_t *)(const void *)m->states.keys.data +
           state * m->subset.n_words;
}

/* Find the states. @param fits  out */
static status_t find_states(const dfa_limits_t *limits, maker_t *m, bool *fits)
{
    const dfa_builder_t *b = m->builder;
    const subset_t *s = &m->subset;
    const size_t bytes = (size_t)s->n_words * sizeof(uint64_t);
    uint64_t *first = malloc(2 * bytes), *middle = first + s->n_words;
    bool are_two;
    status_t st;

    if (first == NULL)
        return log_nomem("states");
    subset_begin(s, true, first);
    subset_begin(s, false, middle);
    are_two = s->has_starts && memcmp(first, middle, bytes) != 0;
    m->dfa.middle = s->has_starts ? are_two : -1;
    st = buf_append(&m->states.keys, first, are_two ? 2 * bytes : bytes);
    if (st == ST_OK)
        st = b->backend->find(b->state, s, max_states(s, limits), b->cancel, &m->states,
                              fits);
    free(first);
    m->dfa.n_states = (int32_t)(m->states.keys.len / bytes);
    return st;
}

/* ---- what is live ---- */

enum { CHUNK = 1 << 12 }; /* states */

static int64_t end_of_chunk(const maker_t *m, int64_t chunk)
{
    const int64_t end = (chunk + 1) * CHUNK;

    return end < m->dfa.n_states ? end : m->dfa.n_states;
}

static void count_live(void *ctx, int64_t chunk, int thread)
{
    const maker_t *m = ctx;
    int64_t *first = (void *)m->dfa.first_live.data;

    (void)thread;
    if (align_cancelled(m->builder->cancel))
        return;
    for (int64_t k = chunk * CHUNK; k < end_of_chunk(m, chunk); k++)
        first[k + 1] = subset_count_live(&m->subset, key_of(m, k));
}

static void fill_live(void *ctx, int64_t chunk, int thread)
{
    const maker_t *m = ctx;
    const int64_t *first = (const void *)m->dfa.first_live.data;

    (void)thread;
    if (align_cancelled(m->builder->cancel))
        return;
    for (int64_t k = chunk * CHUNK; k < end_of_chunk(m, chunk); k++)
        subset_list_live(&m->subset, key_of(m, k),
                         (int32_t *)(void *)m->dfa.live.data + first[k]);
}

/* Make a buffer's length that of n values. */
static status_t set_length(buf_t *b, int64_t n, size_t value_bytes)
{
    const size_t bytes = (size_t)n * value_bytes;
    status_t st = buf_reserve(b, bytes);

    b->len = st == ST_OK ? bytes : 0;
    return st;
}

/* List the positions of each state. */
static status_t list_live(maker_t *m)
{
    const int64_t n = m->dfa.n_states, n_chunks = (n + CHUNK - 1) / CHUNK;
    int64_t *first;
    status_t st = set_length(&m->dfa.first_live, n + 1, sizeof(*first));

    if (st != ST_OK)
        return st;
    first = (void *)m->dfa.first_live.data;
    first[0] = 0;
    pool_run(m->builder->pool, n_chunks, count_live, m);
    if (align_cancelled(m->builder->cancel))
        return ST_ESTOPPED;
    for (int64_t k = 0; k < n; k++)
        first[k + 1] += first[k];
    if ((st = set_length(&m->dfa.live, first[n], sizeof(int32_t))) == ST_OK)
        pool_run(m->builder->pool, n_chunks, fill_live, m);
    return st;
}

/* ---- outputs ---- */

/* Number the outputs of states; output 0 is nothing. */
static status_t number_outputs(maker_t *m, word_set_t *outputs, uint64_t *output)
{
    int32_t number;
    status_t st;

    memset(output, 0, (size_t)outputs->n_words * sizeof(*output));
    st = word_set_add(outputs, output, &number);
    for (int64_t k = 0; st == ST_OK && k < m->dfa.n_states; k++) {
        number = 0;
        if (align_cancelled(m->builder->cancel))
            return ST_ESTOPPED;
        if (subset_output(&m->subset, key_of(m, k), output))
            st = word_set_add(outputs, output, &number);
        if (st == ST_OK)
            st = buf_append(&m->dfa.output, &number, sizeof(number));
    }
    m->dfa.n_outputs = (int32_t)outputs->n;
    return st;
}

/* List the patterns of each output. */
static status_t list_outputs(dfa_t *d, const word_set_t *outputs, const int32_t *patterns)
{
    int64_t n = 0;
    status_t st = buf_append(&d->first_listed, &n, sizeof(n));

    for (int64_t k = 0; st == ST_OK && k < outputs->n; k++) {
        const uint64_t *output = word_set_key(outputs, k);

        for (int64_t w = 0; w < outputs->n_words; w++)
            for (uint64_t bits = output[w]; st == ST_OK && bits != 0; bits &= bits - 1) {
                const int64_t bit = w * 64 + __builtin_ctzll(bits);
                const int32_t listed = dfa_listed(patterns[bit / 2], bit % 2 != 0);

                st = buf_append(&d->listed, &listed, sizeof(listed));
            }
        n = (int64_t)(d->listed.len / sizeof(int32_t));
        if (st == ST_OK)
            st = buf_append(&d->first_listed, &n, sizeof(n));
    }
    return st;
}

static status_t make_outputs(maker_t *m, const int32_t *patterns)
{
    word_set_t outputs = {.n_words = m->subset.n_output_words};
    uint64_t *output = malloc((size_t)outputs.n_words * sizeof(*output));
    status_t st = output != NULL ? ST_OK : log_nomem("outputs");

    if (st == ST_OK && (st = number_outputs(m, &outputs, output)) == ST_OK)
        st = list_outputs(&m->dfa, &outputs, patterns);
    word_set_free(&outputs);
    free(output);
    return st;
}

/* ---- the automaton ---- */

status_t dfa_build(const dfa_builder_t *b, const nfa_t *nfa, const int32_t *patterns,
                   int64_t n, const dfa_limits_t *limits, bool *fits, dfa_t *out)
{
    maker_t m = {.builder = b};
    status_t st = subset_create(nfa, patterns, n, &m.subset);

    if (st == ST_OK)
        st = find_states(limits, &m, fits);
    m.dfa.next = m.states.next;
    if (st == ST_OK && *fits && (st = list_live(&m)) == ST_OK &&
        (st = make_outputs(&m, patterns)) == ST_OK) {
        m.dfa.n_classes = m.subset.n_classes;
        memcpy(m.dfa.class_of, m.subset.class_of, sizeof(m.dfa.class_of));
        *out = m.dfa;
    } else {
        dfa_free(&m.dfa);
    }
    buf_free(&m.states.keys);
    subset_free(&m.subset);
    return st;
}

void dfa_free(dfa_t *d)
{
    buf_free(&d->next);
    buf_free(&d->output);
    buf_free(&d->first_live);
    buf_free(&d->live);
    buf_free(&d->first_listed);
    buf_free(&d->listed);
    *d = (dfa_t){.n_states = 0};
}
