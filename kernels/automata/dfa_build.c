/*
 * dfa_build.c - the subset construction, whose subsets are found again by their hash.
 */
#include "kernels/automata/dfa_build.h"

#include "io/base/logmsg.h"
#include "kernels/automata/subset.h"
#include "kernels/automata/word_set.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    subset_t subset;
    word_set_t states, outputs;
    uint64_t *state, *follow, *output; /* scratch */
    const int32_t *patterns;
    dfa_t dfa;
} builder_t;

/* @return bytes of a state: key and hash, up to four slots, a row, an output, the start
 * of what is live */
static int64_t state_bytes(int64_t n_words, int64_t n_classes)
{
    return n_words * 8 + 8 + 16 + n_classes * 4 + 4 + 8;
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

/* Note what is found when a new state is entered. */
static status_t add_output(builder_t *b, const uint64_t *state)
{
    int32_t number = 0;
    status_t st = ST_OK;

    if (subset_output(&b->subset, state, b->output))
        st = word_set_add(&b->outputs, b->output, &number);
    return st == ST_OK ? buf_append(&b->dfa.output, &number, sizeof(number)) : st;
}

/* Find the number of a state, which may be a new one. */
static status_t add_state(builder_t *b, const uint64_t *state, int32_t *number)
{
    const int64_t n = b->states.n;
    status_t st = word_set_add(&b->states, state, number);

    return st == ST_OK && b->states.n > n ? add_output(b, state) : st;
}

/* Add the row of a state. */
static status_t expand(builder_t *b, int32_t number)
{
    const subset_t *s = &b->subset;
    status_t st = ST_OK;

    subset_follow(s, word_set_key(&b->states, number), b->follow);
    for (int32_t c = 0; st == ST_OK && c < s->n_classes; c++) {
        const uint64_t *consume = subset_consume(s, c);
        int32_t next;

        for (int64_t w = 0; w < s->n_words; w++)
            b->state[w] = b->follow[w] & consume[w];
        if ((st = add_state(b, b->state, &next)) == ST_OK)
            st = buf_append(&b->dfa.next, &next, sizeof(next));
    }
    return st;
}

static status_t construct(builder_t *b, const dfa_limits_t *limits, bool *fits)
{
    const int64_t n = max_states(&b->subset, limits);
    int32_t first;
    status_t st;

    *fits = true;
    b->dfa.middle = -1;
    memset(b->output, 0, (size_t)b->subset.n_output_words * sizeof(*b->output));
    if ((st = word_set_add(&b->outputs, b->output, &first)) != ST_OK)
        return st; /* output 0: nothing */
    subset_begin(&b->subset, true, b->state);
    st = add_state(b, b->state, &first);
    subset_begin(&b->subset, false, b->state);
    if (st == ST_OK && b->subset.has_starts)
        st = add_state(b, b->state, &b->dfa.middle);
    for (int32_t k = 0; st == ST_OK && *fits && k < b->states.n; k++) {
        st = expand(b, k);
        *fits = b->states.n <= n;
    }
    return st;
}

/* ---- the automaton ---- */

/* List the positions of each state. */
static status_t list_live(builder_t *b)
{
    int64_t n = 0;
    status_t st = buf_append(&b->dfa.first_live, &n, sizeof(n));

    for (int64_t k = 0; st == ST_OK && k < b->states.n; k++) {
        st = subset_append_live(&b->subset, word_set_key(&b->states, k), &b->dfa.live);
        n = (int64_t)(b->dfa.live.len / sizeof(int32_t));
        if (st == ST_OK)
            st = buf_append(&b->dfa.first_live, &n, sizeof(n));
    }
    return st;
}

/* List the patterns of each output. */
static status_t list_outputs(builder_t *b)
{
    int64_t n = 0;
    status_t st = buf_append(&b->dfa.first_listed, &n, sizeof(n));

    for (int64_t k = 0; st == ST_OK && k < b->outputs.n; k++) {
        const uint64_t *output = word_set_key(&b->outputs, k);

        for (int64_t w = 0; w < b->outputs.n_words; w++)
            for (uint64_t bits = output[w]; st == ST_OK && bits != 0; bits &= bits - 1) {
                const int64_t bit = w * 64 + __builtin_ctzll(bits);
                const int32_t listed = dfa_listed(b->patterns[bit / 2], bit % 2 != 0);

                st = buf_append(&b->dfa.listed, &listed, sizeof(listed));
            }
        n = (int64_t)(b->dfa.listed.len / sizeof(int32_t));
        if (st == ST_OK)
            st = buf_append(&b->dfa.first_listed, &n, sizeof(n));
    }
    return st;
}

static status_t prepare(builder_t *b, const nfa_t *nfa, int64_t n)
{
    status_t st = subset_create(nfa, b->patterns, n, &b->subset);

    if (st != ST_OK)
        return st;
    b->states.n_words = b->subset.n_words;
    b->outputs.n_words = b->subset.n_output_words;
    b->state = malloc((size_t)b->states.n_words * sizeof(*b->state));
    b->follow = malloc((size_t)b->states.n_words * sizeof(*b->follow));
    b->output = malloc((size_t)b->outputs.n_words * sizeof(*b->output));
    return b->state != NULL && b->follow != NULL && b->output != NULL
               ? ST_OK
               : log_nomem("a group of patterns");
}

static void builder_free(builder_t *b)
{
    subset_free(&b->subset);
    word_set_free(&b->states);
    word_set_free(&b->outputs);
    free(b->state);
    free(b->follow);
    free(b->output);
}

status_t dfa_build(const nfa_t *nfa, const int32_t *patterns, int64_t n,
                   const dfa_limits_t *limits, bool *fits, dfa_t *out)
{
    builder_t b = {.patterns = patterns};
    status_t st = prepare(&b, nfa, n);

    if (st == ST_OK && (st = construct(&b, limits, fits)) == ST_OK && *fits &&
        (st = list_live(&b)) == ST_OK && (st = list_outputs(&b)) == ST_OK) {
        b.dfa.n_states = (int32_t)b.states.n;
        b.dfa.n_outputs = (int32_t)b.outputs.n;
        b.dfa.n_classes = b.subset.n_classes;
        memcpy(b.dfa.class_of, b.subset.class_of, sizeof(b.dfa.class_of));
        *out = b.dfa;
    } else {
        dfa_free(&b.dfa);
    }
    builder_free(&b);
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
