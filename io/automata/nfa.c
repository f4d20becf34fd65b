/*
 * nfa.c - position automata: their arrays, checks, and making them.
 */
#include "io/automata/nfa.h"

#include "io/base/logmsg.h"
#include "io/base/texts.h"

#include <stdlib.h>
#include <string.h>

ARRAY_COUNT(n_patterns, nfa_t, o->n_patterns)
ARRAY_COUNT(n_starts, nfa_t, o->n_patterns + 1)
ARRAY_COUNT(n_positions, nfa_t, o->n_positions)
ARRAY_COUNT(n_set_bytes, nfa_t, o->n_positions *(int64_t)sizeof(byte_set_t))
ARRAY_COUNT(n_edge_starts, nfa_t, o->n_positions + 1)
ARRAY_COUNT(n_edges, nfa_t, o->n_edges)

static bool is_valid(const void *object)
{
    const nfa_t *nfa = object;

    return nfa->n_patterns >= 0 && nfa->n_patterns < INT32_MAX && nfa->n_positions >= 0 &&
           nfa->n_positions < INT32_MAX && nfa->n_edges >= 0;
}

static const array_t rows[] = {ARRAY_VALUE(nfa_t, n_patterns, ARRAY_INT64),
                               ARRAY_VALUE(nfa_t, n_positions, ARRAY_INT64),
                               ARRAY_VALUE(nfa_t, n_edges, ARRAY_INT64),
                               ARRAY_OF(nfa_t, name, ARRAY_TEXTS, n_patterns),
                               ARRAY_OF(nfa_t, first, ARRAY_INT64, n_starts),
                               ARRAY_OF(nfa_t, set, ARRAY_BYTES, n_set_bytes),
                               ARRAY_OF(nfa_t, role, ARRAY_BYTES, n_positions),
                               ARRAY_OF(nfa_t, first_edge, ARRAY_INT64, n_edge_starts),
                               ARRAY_OF(nfa_t, next, ARRAY_INT32, n_edges),
                               ARRAYS_END};

const arrays_t nfa_arrays = {"patterns", sizeof(nfa_t), rows, is_valid};

void nfa_free(nfa_t *nfa)
{
    arrays_free(&nfa_arrays, nfa);
}

status_t nfa_list_patterns(const nfa_t *nfa, int32_t **out)
{
    int32_t *pattern_of = malloc(((size_t)nfa->n_positions + 1) * sizeof(*pattern_of));

    if (pattern_of == NULL)
        return log_nomem("patterns");
    for (int32_t k = 0; k < nfa->n_patterns; k++)
        for (int64_t p = nfa->first[k]; p < nfa->first[k + 1]; p++)
            pattern_of[p] = k;
    *out = pattern_of;
    return ST_OK;
}

/* @return whether the edges of a pattern ascend, and lead to positions of its own */
static bool are_edges(const nfa_t *nfa, int64_t pattern)
{
    const int64_t begin = nfa->first[pattern], end = nfa->first[pattern + 1];

    for (int64_t p = begin; p < end; p++)
        for (int64_t e = nfa->first_edge[p]; e < nfa->first_edge[p + 1]; e++)
            if (nfa->next[e] < begin || nfa->next[e] >= end ||
                (e > nfa->first_edge[p] && nfa->next[e] <= nfa->next[e - 1]))
                return false;
    return true;
}

const char *nfa_misfit(const nfa_t *nfa)
{
    if (!arrays_divide(nfa->first, nfa->n_patterns, nfa->n_positions) ||
        !arrays_divide(nfa->first_edge, nfa->n_positions, nfa->n_edges))
        return "its positions or edges do not follow each other";
    for (int64_t k = 0; k < nfa->n_patterns; k++) {
        if (nfa->first[k + 1] - nfa->first[k] > NFA_MAX_POSITIONS)
            return "a pattern has too many positions";
        if (!are_edges(nfa, k))
            return "an edge leads to another pattern, or edges do not ascend";
    }
    for (int64_t p = 0; p < nfa->n_positions; p++)
        if (nfa->role[p] > NFA_ROLES)
            return "a position has an unknown role";
    return NULL;
}

/* ---- making ---- */

status_t nfa_builder_position(nfa_builder_t *b, const byte_set_t *set, int role)
{
    const uint8_t value = (uint8_t)role;
    status_t st = buf_append(&b->first_edge, &b->n_edges, sizeof(b->n_edges));

    if (st == ST_OK && (st = buf_append(&b->set, set, sizeof(*set))) == ST_OK)
        st = buf_append(&b->role, &value, sizeof(value));
    b->n_positions++;
    return st;
}

/* @return the first position of the current pattern */
static int64_t first_of(const nfa_builder_t *b)
{
    return b->n_patterns == 0
               ? 0
               : ((const int64_t *)(const void *)b->first.data)[b->n_patterns - 1];
}

status_t nfa_builder_edge(nfa_builder_t *b, int32_t next)
{
    const int32_t value = (int32_t)first_of(b) + next;

    b->n_edges++;
    return buf_append(&b->next, &value, sizeof(value));
}

/* Ends of patterns are collected; their starts follow from them. */
status_t nfa_builder_end(nfa_builder_t *b, const char *name)
{
    status_t st = buf_append(&b->names, name, strlen(name) + 1);

    b->n_patterns++;
    return st == ST_OK ? buf_append(&b->first, &b->n_positions, sizeof(b->n_positions))
                       : st;
}

status_t nfa_builder_finish(nfa_builder_t *b, nfa_t *out)
{
    nfa_t nfa = {b->n_patterns, b->n_positions, b->n_edges, NULL, NULL,
                 NULL,          NULL,           NULL,       NULL};
    status_t st = buf_append(&b->first_edge, &b->n_edges, sizeof(b->n_edges));

    /* no array is NULL, however few there are */
    if (st == ST_OK && (st = buf_reserve(&b->first, sizeof(*nfa.first))) == ST_OK &&
        (st = buf_reserve(&b->set, sizeof(*nfa.set))) == ST_OK &&
        (st = buf_reserve(&b->role, sizeof(*nfa.role))) == ST_OK)
        st = buf_reserve(&b->next, sizeof(*nfa.next));
    if (st == ST_OK && (st = buf_append(&b->names, "", 1)) == ST_OK)
        st = texts_copy((const char *)b->names.data, b->n_patterns, &nfa.name);
    if (st == ST_OK) {
        nfa.first = (int64_t *)(void *)b->first.data;
        memmove(nfa.first + 1, nfa.first, (size_t)b->n_patterns * sizeof(*nfa.first));
        nfa.first[0] = 0;
        nfa.set = (byte_set_t *)(void *)b->set.data;
        nfa.role = b->role.data;
        nfa.first_edge = (int64_t *)(void *)b->first_edge.data;
        nfa.next = (int32_t *)(void *)b->next.data;
        b->first = b->set = b->role = b->first_edge = b->next = (buf_t){.len = 0};
        *out = nfa;
    }
    nfa_builder_free(b);
    return st;
}

void nfa_builder_free(nfa_builder_t *b)
{
    buf_free(&b->names);
    buf_free(&b->first);
    buf_free(&b->set);
    buf_free(&b->role);
    buf_free(&b->first_edge);
    buf_free(&b->next);
    *b = (nfa_builder_t){.n_patterns = 0};
}
