/*
 * nfa_bits.c - compiles position automata to masks.
 */
#include "kernels/automata/nfa_bits.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    buf_t words, class_of;
    int32_t *rest; /* [NFA_MAX_POSITIONS] scratch: positions by their jumps */
} maker_t;

/* Add words of zeros. @param at  out: the first */
static status_t add_words(maker_t *m, int64_t n, int64_t *at)
{
    status_t st = buf_reserve(&m->words, (size_t)n * sizeof(uint64_t));

    *at = (int64_t)(m->words.len / sizeof(uint64_t));
    if (st == ST_OK) {
        memset(m->words.data + m->words.len, 0, (size_t)n * sizeof(uint64_t));
        m->words.len += (size_t)n * sizeof(uint64_t);
    }
    return st;
}

static uint64_t *words_at(const maker_t *m, int64_t at)
{
    return (uint64_t *)(void *)m->words.data + at;
}

/* ---- masks ---- */

static void fill_masks(const nfa_t *nfa, int64_t k, const nfa_bits_pattern_t *p,
                       const maker_t *m)
{
    static const int roles[NFA_BITS_N_MASKS] = {[NFA_BITS_STARTS] = NFA_STARTS,
                                                [NFA_BITS_BEGINS] =
                                                    NFA_STARTS | NFA_BEGINS,
                                                [NFA_BITS_ACCEPTS] = NFA_ACCEPTS,
                                                [NFA_BITS_ENDS] =
                                                    NFA_ACCEPTS | NFA_FINISHES};
    uint64_t *masks = words_at(m, p->masks);
    const int64_t first = nfa->first[k];

    for (int64_t q = first; q < nfa->first[k + 1]; q++) {
        for (int mask = 0; mask < NFA_BITS_N_MASKS; mask++)
            if ((nfa->role[q] & roles[mask]) != 0)
                nfa_bits_set(masks + mask * p->n_words, q - first);
        for (int64_t e = nfa->first_edge[q]; e < nfa->first_edge[q + 1]; e++)
            if (nfa->next[e] == q || nfa->next[e] == q + 1)
                nfa_bits_set(masks +
                                 (nfa->next[e] == q ? NFA_BITS_STAY : NFA_BITS_SHIFT) *
                                     p->n_words,
                             q - first);
    }
}

/* Go to the next edge that is a jump. @return its target, or -1 behind the last */
static int32_t next_jump(const nfa_t *nfa, int64_t q, int64_t *e)
{
    while (*e < nfa->first_edge[q + 1]) {
        const int32_t next = nfa->next[(*e)++];

        if (next != q && next != q + 1)
            return next;
    }
    return -1;
}

/* Order positions by their jumps; those without any come last. */
static int compare_jumps(const nfa_t *nfa, int64_t a, int64_t b)
{
    int64_t at_a = nfa->first_edge[a], at_b = nfa->first_edge[b];

    for (;;) {
        const int32_t x = next_jump(nfa, a, &at_a), y = next_jump(nfa, b, &at_b);

        if (x != y)
            return (x < y) - (x > y);
        if (x < 0)
            return 0;
    }
}

static int compare_rest(const void *a, const void *b, void *nfa)
{
    return compare_jumps(nfa, *(const int32_t *)a, *(const int32_t *)b);
}

static status_t add_jumps(const nfa_t *nfa, int64_t k, nfa_bits_pattern_t *p, maker_t *m)
{
    const int64_t first = nfa->first[k], n = nfa->first[k + 1] - first;
    status_t st = ST_OK;

    p->jumps = (int64_t)(m->words.len / sizeof(uint64_t));
    for (int64_t i = 0; i < n; i++)
        m->rest[i] = (int32_t)(first + i);
    qsort_r(m->rest, (size_t)n, sizeof(*m->rest), compare_rest, (void *)(uintptr_t)nfa);
    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        int64_t e = nfa->first_edge[m->rest[i]], at;
        int32_t next = next_jump(nfa, m->rest[i], &e);

        if (next < 0)
            break;
        if (i == 0 || compare_jumps(nfa, m->rest[i - 1], m->rest[i]) != 0) {
            if ((st = add_words(m, 2 * p->n_words, &at)) != ST_OK)
                break;
            p->n_jumps++;
            for (; next >= 0; next = next_jump(nfa, m->rest[i], &e))
                nfa_bits_set(words_at(m, at + p->n_words), next - first);
        }
        at = p->jumps + (int64_t)(p->n_jumps - 1) * 2 * p->n_words;
        nfa_bits_set(words_at(m, at), m->rest[i] - first);
    }
    return st;
}

/* ---- classes ---- */

/* Divide the classes that a set contains in part. @return the number of classes */
static int32_t divide_classes(const byte_set_t *set, int32_t n_classes,
                              uint8_t class_of[256])
{
    int32_t n_in[256] = {0}, n_out[256] = {0}, renamed[256] = {0};

    for (int c = 0; c < 256; c++)
        ++(byte_set_has(set, c) ? n_in : n_out)[class_of[c]];
    for (int32_t k = 0, n = n_classes; k < n; k++)
        renamed[k] = n_in[k] > 0 && n_out[k] > 0 ? n_classes++ : k;
    for (int c = 0; c < 256; c++)
        if (byte_set_has(set, c))
            class_of[c] = (uint8_t)renamed[class_of[c]];
    return n_classes;
}

int32_t nfa_bits_classes(const byte_set_t *sets, int64_t n, uint8_t class_of[256])
{
    int32_t n_classes = 1, number[256], n_numbers = 0;

    memset(class_of, 0, 256);
    for (int64_t k = 0; k < n && n_classes < 256; k++)
        n_classes = divide_classes(&sets[k], n_classes, class_of);
    memset(number, -1, sizeof(number));
    for (int c = 0; c < 256; c++) {
        if (number[class_of[c]] < 0)
            number[class_of[c]] = n_numbers++;
        class_of[c] = (uint8_t)number[class_of[c]];
    }
    return n_classes;
}

static status_t add_classes(const nfa_t *nfa, int64_t k, nfa_bits_pattern_t *p,
                            maker_t *m)
{
    const byte_set_t *sets = nfa->set + nfa->first[k];
    uint8_t class_of[256];
    const int32_t n = nfa_bits_classes(sets, nfa->first[k + 1] - nfa->first[k], class_of);
    status_t st = add_words(m, (int64_t)n * p->n_words, &p->by_class);

    if (st != ST_OK)
        return st;
    for (int c = 0; c < 256; c++)
        for (int64_t i = 0; i < nfa->first[k + 1] - nfa->first[k]; i++)
            if (byte_set_has(&sets[i], c))
                nfa_bits_set(words_at(m, p->by_class + (int64_t)class_of[c] * p->n_words),
                             i);
    p->class_of = (int64_t)m->class_of.len;
    return buf_append(&m->class_of, class_of, sizeof(class_of));
}

/* ---- all patterns ---- */

static status_t add_pattern(const nfa_t *nfa, int64_t k, maker_t *m,
                            nfa_bits_pattern_t *p, int64_t *n_state_words)
{
    const int64_t n = nfa->first[k + 1] - nfa->first[k];
    status_t st;

    *p = (nfa_bits_pattern_t){.n_words = (int32_t)((n + 63) / 64),
                              .state = *n_state_words};
    *n_state_words += p->n_words;
    if ((st = add_words(m, NFA_BITS_N_MASKS * p->n_words, &p->masks)) != ST_OK)
        return st;
    fill_masks(nfa, k, p, m);
    st = add_jumps(nfa, k, p, m);
    return st == ST_OK ? add_classes(nfa, k, p, m) : st;
}

status_t nfa_bits_create(const nfa_t *nfa, nfa_bits_t *out)
{
    maker_t m = {.rest = malloc(NFA_MAX_POSITIONS * sizeof(*m.rest))};
    nfa_bits_t b = {.nfa = nfa,
                    .pattern =
                        malloc(((size_t)nfa->n_patterns + 1) * sizeof(*b.pattern))};
    status_t st = m.rest != NULL && b.pattern != NULL ? ST_OK : log_nomem("patterns");

    for (int64_t k = 0; st == ST_OK && k < nfa->n_patterns; k++)
        st = add_pattern(nfa, k, &m, &b.pattern[k], &b.n_state_words);
    b.words = (uint64_t *)(void *)m.words.data;
    b.n_words = (int64_t)(m.words.len / sizeof(uint64_t));
    b.class_of = m.class_of.data;
    free(m.rest);
    if (st == ST_OK)
        *out = b;
    else
        nfa_bits_free(&b);
    return st;
}

void nfa_bits_free(nfa_bits_t *b)
{
    free(b->pattern);
    free(b->words);
    free(b->class_of);
    *b = (nfa_bits_t){.nfa = NULL};
}
