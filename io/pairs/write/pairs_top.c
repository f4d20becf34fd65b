/*
 * pairs_top.c - the best hits of each query: a heap per query, locks shared by several.
 */
#include "io/pairs/write/pairs_top.h"

#include "io/base/logmsg.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LOCKS = 64 };

/* The values of a hit that decide. */
typedef struct {
    int32_t score, matches, columns, col;
} best_t;

struct pairs_top {
    pairs_order_t order;
    int64_t top;
    int32_t *n;   /* [n_queries] noted, at most `top` */
    best_t *best; /* [n_queries][top] heaps: the worst hit of a query comes first */
    pthread_mutex_t locks[LOCKS]; /* query i uses locks[i % LOCKS] */
};

static int by_identity(const void *a, const void *b)
{
    return pairs_order_compare(PAIRS_BY_IDENTITY, b, a);
}

static int by_score(const void *a, const void *b)
{
    return pairs_order_compare(PAIRS_BY_SCORE, b, a);
}

pairs_hit_t pairs_top_last(pairs_order_t order, const pairs_hit_t *hits, int64_t n,
                           int64_t top, pairs_hit_t *scratch)
{
    memcpy(scratch, hits, (size_t)n * sizeof(*hits));
    qsort(scratch, (size_t)n, sizeof(*scratch),
          order == PAIRS_BY_SCORE ? by_score : by_identity);
    return scratch[top - 1];
}

status_t pairs_top_create(pairs_order_t order, int64_t n_queries, int64_t top,
                          pairs_top_t **out)
{
    pairs_top_t *t = calloc(1, sizeof(*t));

    if (t == NULL)
        return log_nomem("the best hits");
    for (int k = 0; k < LOCKS; k++)
        pthread_mutex_init(&t->locks[k], NULL);
    t->order = order;
    t->top = top;
    t->n = calloc((size_t)n_queries + 1, sizeof(*t->n));
    t->best = malloc(((size_t)n_queries * (size_t)top + 1) * sizeof(*t->best));
    if (t->n == NULL || t->best == NULL) {
        pairs_top_destroy(t);
        return log_nomem("the best hits");
    }
    *out = t;
    return ST_OK;
}

static int compare(pairs_order_t order, best_t a, best_t b)
{
    pairs_hit_t x = {.score = a.score, .matches = a.matches, .columns = a.columns};
    pairs_hit_t y = {.score = b.score, .matches = b.matches, .columns = b.columns};

    return pairs_order_compare(order, &x, &y);
}

/* Add a key to a heap of n: it rises from the last place. */
static void rise(pairs_order_t order, best_t *heap, int64_t n, best_t key)
{
    int64_t at = n;

    for (int64_t parent; at > 0; at = parent) {
        parent = (at - 1) / 2;
        if (compare(order, heap[parent], key) <= 0)
            break;
        heap[at] = heap[parent];
    }
    heap[at] = key;
}

/* Replace the first key of a heap: the new one sinks. */
static void sink(pairs_order_t order, best_t *heap, int64_t n, best_t key)
{
    int64_t at = 0;

    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && compare(order, heap[child + 1], heap[child]) < 0)
            child++;
        if (compare(order, key, heap[child]) <= 0)
            break;
        heap[at] = heap[child];
    }
    heap[at] = key;
}

/* A tile may be computed twice, but its hits must be noted only once. */
static bool is_there(const best_t *heap, int64_t n, int32_t col)
{
    for (int64_t k = 0; k < n; k++)
        if (heap[k].col == col)
            return true;
    return false;
}

bool pairs_top_note(pairs_top_t *t, const pairs_hit_t *hit)
{
    pthread_mutex_t *lock = &t->locks[hit->row % LOCKS];
    best_t *heap = t->best + (int64_t)hit->row * t->top;
    best_t key = {hit->score, hit->matches, hit->columns, hit->col};
    int rank = 1;

    pthread_mutex_lock(lock);
    if (t->n[hit->row] == t->top)
        rank = compare(t->order, key, heap[0]);
    if (rank > 0 && !is_there(heap, t->n[hit->row], hit->col)) {
        if (t->n[hit->row] < t->top)
            rise(t->order, heap, t->n[hit->row]++, key);
        else
            sink(t->order, heap, t->top, key);
    }
    pthread_mutex_unlock(lock);
    return rank >= 0;
}

void pairs_top_destroy(pairs_top_t *t)
{
    if (t == NULL)
        return;
    for (int k = 0; k < LOCKS; k++)
        pthread_mutex_destroy(&t->locks[k]);
    free(t->n);
    free(t->best);
    free(t);
}
