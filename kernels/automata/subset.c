/*
 * subset.c - sets of positions.
 */
#include "kernels/automata/subset.h"

#include "io/base/logmsg.h"
#include "kernels/automata/nfa_bits.h"

#include <stdlib.h>
#include <string.h>

static status_t allocate(subset_t *s)
{
    const size_t n = (size_t)s->n_positions + 1, n_words = (size_t)s->n_words;

    s->position = malloc(n * sizeof(*s->position));
    s->member = malloc(n * sizeof(*s->member));
    s->follow = calloc(n * n_words, sizeof(*s->follow));
    s->starts = calloc(n_words, sizeof(*s->starts));
    s->accepts = calloc(n_words, sizeof(*s->accepts));
    s->consume = calloc((size_t)s->n_classes * n_words, sizeof(*s->consume));
    return s->position != NULL && s->member != NULL && s->follow != NULL &&
                   s->starts != NULL && s->accepts != NULL && s->consume != NULL
               ? ST_OK
               : log_nomem("a group of patterns");
}

/* Fill in a pattern. @param at  its first position in the group */
static void add_pattern(const nfa_t *nfa, int32_t pattern, int32_t member, int64_t at,
                        subset_t *s)
{
    const int64_t first = nfa->first[pattern];

    for (int64_t p = first; p < nfa->first[pattern + 1]; p++) {
        const int64_t k = at + p - first;

        s->position[k] = (int32_t)p;
        s->member[k] = member;
        for (int64_t e = nfa->first_edge[p]; e < nfa->first_edge[p + 1]; e++)
            nfa_bits_set(s->follow + k * s->n_words, at + nfa->next[e] - first);
        if ((nfa->role[p] & NFA_STARTS) != 0) {
            nfa_bits_set(s->starts, k);
            s->has_starts = true;
        }
        if ((nfa->role[p] & NFA_BEGINS) != 0) {
            nfa_bits_set(s->follow + s->n_positions * s->n_words, k);
            s->has_begins = true;
        }
        if ((nfa->role[p] & (NFA_ACCEPTS | NFA_FINISHES)) != 0)
            nfa_bits_set(s->accepts, k);
        for (int c = 0; c < 256; c++)
            if (byte_set_has(&nfa->set[p], c))
                nfa_bits_set(s->consume + s->class_of[c] * s->n_words, k);
    }
}

static status_t find_classes(const nfa_t *nfa, const int32_t *patterns, int64_t n,
                             subset_t *s)
{
    buf_t sets = {0};
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < n; k++) {
        const int64_t first = nfa->first[patterns[k]];
        const int64_t n_positions = nfa->first[patterns[k] + 1] - first;

        s->n_positions += n_positions;
        st = buf_append(&sets, nfa->set + first, (size_t)n_positions * sizeof(*nfa->set));
    }
    if (st == ST_OK)
        s->n_classes =
            nfa_bits_classes((const void *)sets.data, s->n_positions, s->class_of);
    buf_free(&sets);
    return st;
}

status_t subset_create(const nfa_t *nfa, const int32_t *patterns, int64_t n,
                       subset_t *out)
{
    subset_t s = {.n_patterns = n,
                  .n_output_words = (2 * n + 63) / 64,
                  .role = nfa->role};
    int64_t at = 0;
    status_t st = find_classes(nfa, patterns, n, &s);

    s.n_words = (s.n_positions + 1 + 63) / 64;
    if (st == ST_OK)
        st = allocate(&s);
    for (int64_t k = 0; st == ST_OK && k < n; k++) {
        add_pattern(nfa, patterns[k], (int32_t)k, at, &s);
        at += nfa->first[patterns[k] + 1] - nfa->first[patterns[k]];
    }
    if (st == ST_OK)
        *out = s;
    else
        subset_free(&s);
    return st;
}

void subset_free(subset_t *s)
{
    free(s->position);
    free(s->member);
    free(s->follow);
    free(s->starts);
    free(s->accepts);
    free(s->consume);
    *s = (subset_t){.n_positions = 0};
}

void subset_begin(const subset_t *s, bool is_record, uint64_t *out)
{
    memset(out, 0, (size_t)s->n_words * sizeof(*out));
    if (is_record && s->has_begins)
        nfa_bits_set(out, s->n_positions);
}

void subset_follow(const subset_t *s, const uint64_t *state, uint64_t *out)
{
    memcpy(out, s->starts, (size_t)s->n_words * sizeof(*out));
    for (int64_t w = 0; w < s->n_words; w++)
        for (uint64_t bits = state[w]; bits != 0; bits &= bits - 1) {
            const uint64_t *follow =
                s->follow + (w * 64 + __builtin_ctzll(bits)) * s->n_words;

            for (int64_t v = 0; v < s->n_words; v++)
                out[v] |= follow[v];
        }
}

int64_t subset_count_live(const subset_t *s, const uint64_t *state)
{
    int64_t n = 0;

    for (int64_t w = 0; w < s->n_words; w++)
        n += __builtin_popcountll(state[w]);
    return n - nfa_bits_has(state, s->n_positions);
}

void subset_list_live(const subset_t *s, const uint64_t *state, int32_t *out)
{
    for (int64_t w = 0; w < s->n_words; w++)
        for (uint64_t bits = state[w]; bits != 0; bits &= bits - 1) {
            const int64_t p = w * 64 + __builtin_ctzll(bits);

            if (p < s->n_positions)
                *out++ = s->position[p];
        }
}

bool subset_output(const subset_t *s, const uint64_t *state, uint64_t *out)
{
    bool is_any = false;

    memset(out, 0, (size_t)s->n_output_words * sizeof(*out));
    for (int64_t w = 0; w < s->n_words; w++)
        for (uint64_t bits = state[w] & s->accepts[w]; bits != 0; bits &= bits - 1) {
            const int64_t p = w * 64 + __builtin_ctzll(bits);

            nfa_bits_set(out, 2 * s->member[p] +
                                  ((s->role[s->position[p]] & NFA_ACCEPTS) == 0));
            is_any = true;
        }
    for (int64_t w = 0; w < s->n_output_words; w++) /* anywhere includes the end */
        out[w] &= ~((out[w] & 0x5555555555555555) << 1);
    return is_any;
}
