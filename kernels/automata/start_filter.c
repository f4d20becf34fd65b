/*
 * start_filter.c - makes the tables of the filter.
 */
#include "kernels/automata/start_filter.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* A start that passes with a probability above this, for random bytes, is not filtered;
 * patterns do not wait in a loop that is left as often. */
static const double max_density = 1.0 / 64;

/* Loops over fewer bytes soon end. */
enum { MIN_LOOP_BYTES = 192 };

/* ---- the bytes that come next ---- */

typedef struct {
    uint8_t is_in[NFA_MAX_POSITIONS], scratch[NFA_MAX_POSITIONS]; /* of a pattern */
} scratch_t;

/* Go on from the positions of a depth to those that follow them. */
static void follow(const nfa_t *nfa, int64_t k, scratch_t *s)
{
    const int64_t first = nfa->first[k], n = nfa->first[k + 1] - first;

    memset(s->scratch, 0, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = nfa->first_edge[first + i];
             s->is_in[i] && e < nfa->first_edge[first + i + 1]; e++)
            s->scratch[nfa->next[e] - first] = 1;
    memcpy(s->is_in, s->scratch, (size_t)n);
}

/* Set the bytes of each depth; behind an end, all are possible.
 * @param s  its positions are those of the first byte */
static void find_sets(const nfa_t *nfa, scratch_t *s, start_point_t *point)
{
    const int64_t first = nfa->first[point->pattern];
    const int64_t n = nfa->first[point->pattern + 1] - first;
    bool has_ended = false;

    for (int d = 0; d < START_FILTER_DEPTH; d++) {
        byte_set_t *set = &point->sets[d];
        bool may_end = false;

        *set = (byte_set_t){.bits = {0}};
        if (has_ended)
            byte_set_add_range(set, 0, 255);
        for (int64_t i = 0; i < n; i++)
            if (s->is_in[i]) {
                byte_set_unite(set, &nfa->set[first + i]);
                may_end =
                    may_end || (nfa->role[first + i] & (NFA_ACCEPTS | NFA_FINISHES)) != 0;
            }
        has_ended = has_ended || may_end;
        follow(nfa, point->pattern, s);
    }
}

static bool is_dense(const start_point_t *point)
{
    double share = 1;

    for (int d = 0; d < START_FILTER_DEPTH; d++)
        share *= byte_set_count(&point->sets[d]) / 256.0;
    return share > max_density;
}

/* ---- points ---- */

static status_t add_start(const nfa_t *nfa, int32_t k, scratch_t *s, start_filter_t *f)
{
    const int64_t first = nfa->first[k];
    start_point_t point = {.pattern = k, .loop = -1};
    int roles = 0;
    status_t st = ST_OK;

    for (int64_t p = first; p < nfa->first[k + 1]; p++) {
        roles |= nfa->role[p];
        s->is_in[p - first] = (nfa->role[p] & NFA_STARTS) != 0;
    }
    if ((roles & NFA_BEGINS) != 0)
        st = buf_append(&f->at_begin, &k, sizeof(k));
    if (st != ST_OK || (roles & NFA_STARTS) == 0)
        return st;
    find_sets(nfa, s, &point);
    return is_dense(&point) ? buf_append(&f->anywhere, &k, sizeof(k))
                            : buf_append(&f->points, &point, sizeof(point));
}

/* @return whether a pattern waits at a position until what follows comes; the position
 * itself is no end */
static bool is_loop(const nfa_t *nfa, int64_t p)
{
    if (byte_set_count(&nfa->set[p]) < MIN_LOOP_BYTES ||
        (nfa->role[p] & (NFA_ACCEPTS | NFA_FINISHES)) != 0)
        return false;
    for (int64_t e = nfa->first_edge[p]; e < nfa->first_edge[p + 1]; e++)
        if (nfa->next[e] == p)
            return true;
    return false;
}

static status_t add_loops(const nfa_t *nfa, int32_t k, scratch_t *s, start_filter_t *f)
{
    const int64_t first = nfa->first[k], end = nfa->first[k + 1];
    status_t st = ST_OK;

    for (int64_t p = first; st == ST_OK && p < end; p++) {
        start_point_t point = {.pattern = k, .loop = (int32_t)p};

        if (!is_loop(nfa, p))
            continue;
        memset(s->is_in, 0, (size_t)(end - first));
        for (int64_t e = nfa->first_edge[p]; e < nfa->first_edge[p + 1]; e++)
            s->is_in[nfa->next[e] - first] = nfa->next[e] != p;
        find_sets(nfa, s, &point);
        if (!is_dense(&point))
            st = buf_append(&f->points, &point, sizeof(point));
    }
    return st;
}

/* ---- buckets ---- */

/* Similar points share a bucket: they are sorted by their bytes. */
static int compare_points(const void *a, const void *b)
{
    const start_point_t *x = a, *y = b;

    for (int d = 0; d < START_FILTER_DEPTH; d++)
        for (int c = 0; c < 256; c++)
            if (byte_set_has(&x->sets[d], c) != byte_set_has(&y->sets[d], c))
                return byte_set_has(&x->sets[d], c) ? -1 : 1;
    return x->pattern != y->pattern
               ? (x->pattern > y->pattern) - (x->pattern < y->pattern)
               : (x->loop > y->loop) - (x->loop < y->loop);
}

/* Let pairs of bytes pass, and all if they are many. */
static void add_pairs(const byte_set_t *first, const byte_set_t *second, uint64_t bucket,
                      uint64_t slots[START_FILTER_SLOTS])
{
    if (byte_set_count(first) * byte_set_count(second) > 2 * START_FILTER_SLOTS) {
        for (int s = 0; s < START_FILTER_SLOTS; s++)
            slots[s] |= bucket;
        return;
    }
    for (int a = 0; a < 256; a++)
        for (int b = 0; byte_set_has(first, a) && b < 256; b++)
            if (byte_set_has(second, b))
                slots[start_filter_slot((uint8_t)a, (uint8_t)b)] |= bucket;
}

static void fill_buckets(start_filter_t *f)
{
    start_point_t *points = (start_point_t *)(void *)f->points.data;
    const int64_t n = (int64_t)(f->points.len / sizeof(*points));

    if (n > 1)
        qsort(points, (size_t)n, sizeof(*points), compare_points);
    for (int b = 0; b < START_FILTER_BUCKETS; b++) {
        f->first_in_bucket[b + 1] = (int32_t)(n * (b + 1) / START_FILTER_BUCKETS);
        for (int32_t k = f->first_in_bucket[b]; k < f->first_in_bucket[b + 1]; k++)
            for (int d = 0; d + 1 < START_FILTER_DEPTH; d++)
                add_pairs(&points[k].sets[d], &points[k].sets[d + 1], (uint64_t)1 << b,
                          f->pairs[d]);
    }
}

status_t start_filter_create(const nfa_t *nfa, const int32_t *group, start_filter_t *out)
{
    start_filter_t f = {.pairs = calloc(START_FILTER_DEPTH - 1, sizeof(*f.pairs))};
    scratch_t *scratch = malloc(sizeof(*scratch));
    status_t st =
        f.pairs != NULL && scratch != NULL ? ST_OK : log_nomem("a filter of patterns");

    for (int32_t k = 0; st == ST_OK && k < nfa->n_patterns; k++)
        if ((group == NULL || group[k] < 0) &&
            (st = add_start(nfa, k, scratch, &f)) == ST_OK)
            st = add_loops(nfa, k, scratch, &f);
    free(scratch);
    if (st == ST_OK) {
        fill_buckets(&f);
        *out = f;
    } else {
        start_filter_free(&f);
    }
    return st;
}

void start_filter_free(start_filter_t *f)
{
    free(f->pairs);
    buf_free(&f->points);
    buf_free(&f->anywhere);
    buf_free(&f->at_begin);
    *f = (start_filter_t){.pairs = NULL};
}
