/*
 * search_best.c - the best hits of each query: a heap per query, locks shared by several.
 */
#include "kernels/align/search/search_state.h"

#include "io/base/logmsg.h"

#include <pthread.h>
#include <stdlib.h>

enum { LOCKS = 64 };

/* The values of a hit that decide. */
typedef struct {
    int32_t score, matches, columns, col;
} best_t;

/* The best hits of two groups, the better one first. */
typedef struct {
    best_t best[2];
    int32_t group[2];
    int n;
} leaders_t;

struct search_best {
    pairs_order_t order;
    int64_t n_best;
    int32_t *n;         /* [n_queries] hits in the heap, at most n_best */
    best_t *best;       /* [n_queries][n_best] heaps: a query's worst hit comes first */
    leaders_t *leaders; /* [n_queries]; NULL: without rivals */
    pthread_mutex_t locks[LOCKS]; /* query i uses locks[i % LOCKS] */
};

status_t search_best_create(pairs_order_t order, int64_t n_queries, int64_t n_best,
                            bool rivals, search_best_t **out)
{
    search_best_t *b = calloc(1, sizeof(*b));

    if (b == NULL)
        return log_nomem("the best hits");
    for (int k = 0; k < LOCKS; k++)
        pthread_mutex_init(&b->locks[k], NULL);
    b->order = order;
    b->n_best = n_best;
    b->n = calloc((size_t)n_queries + 1, sizeof(*b->n));
    b->best = malloc(((size_t)n_queries * (size_t)n_best + 1) * sizeof(*b->best));
    if (rivals)
        b->leaders = calloc((size_t)n_queries + 1, sizeof(*b->leaders));
    if (b->n == NULL || b->best == NULL || (rivals && b->leaders == NULL)) {
        search_best_destroy(b);
        return log_nomem("the best hits");
    }
    *out = b;
    return ST_OK;
}

static pairs_hit_t hit_of(best_t b)
{
    return (pairs_hit_t){.col = b.col,
                         .score = b.score,
                         .matches = b.matches,
                         .columns = b.columns};
}

static int compare(pairs_order_t order, best_t a, best_t b)
{
    const pairs_hit_t x = hit_of(a), y = hit_of(b);

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

/* A pair may be aligned twice, but it is one hit. */
static bool is_there(const best_t *heap, int64_t n, int32_t col)
{
    for (int64_t k = 0; k < n; k++)
        if (heap[k].col == col)
            return true;
    return false;
}

static void add_to_heap(search_best_t *b, int64_t query, best_t key)
{
    best_t *heap = b->best + query * b->n_best;
    const int64_t n = b->n[query];

    if ((n == b->n_best && compare(b->order, key, heap[0]) <= 0) ||
        is_there(heap, n, key.col))
        return;
    if (n < b->n_best)
        rise(b->order, heap, b->n[query]++, key);
    else
        sink(b->order, heap, n, key);
}

static void lead(pairs_order_t order, leaders_t *l, best_t key, int32_t group)
{
    int at = 0;

    while (at < l->n && l->group[at] != group)
        at++;
    at = at < 2 ? at : 1; /* a third group may replace the second */
    if (at < l->n && compare(order, key, l->best[at]) <= 0)
        return;
    l->n = at == l->n ? at + 1 : l->n;
    if (at == 1 && compare(order, key, l->best[0]) > 0) {
        l->best[1] = l->best[0];
        l->group[1] = l->group[0];
        at = 0;
    }
    l->best[at] = key;
    l->group[at] = group;
}

/* @return whether a query has all hits that are wanted */
static bool find_last(const search_best_t *b, int64_t query, best_t *last)
{
    const leaders_t *l = b->leaders != NULL ? &b->leaders[query] : NULL;

    if (b->n[query] < b->n_best || (l != NULL && l->n < 2))
        return false;
    *last = b->best[query * b->n_best];
    if (l != NULL && compare(b->order, l->best[1], *last) < 0)
        *last = l->best[1];
    return true;
}

bool search_best_note(search_best_t *b, int64_t query, const pairs_hit_t *hit,
                      int32_t group)
{
    pthread_mutex_t *lock = &b->locks[query % LOCKS];
    const best_t key = {hit->score, hit->matches, hit->columns, hit->col};
    best_t last;
    int rank = 1;

    pthread_mutex_lock(lock);
    if (find_last(b, query, &last))
        rank = compare(b->order, key, last);
    if (rank > 0) {
        add_to_heap(b, query, key);
        if (b->leaders != NULL)
            lead(b->order, &b->leaders[query], key, group);
    }
    pthread_mutex_unlock(lock);
    return rank >= 0;
}

bool search_best_last(const search_best_t *b, int64_t query, pairs_hit_t *out)
{
    best_t last;

    if (!find_last(b, query, &last))
        return false;
    *out = hit_of(last);
    return true;
}

void search_best_forget(search_best_t *b, int64_t query)
{
    b->n[query] = 0;
    if (b->leaders != NULL)
        b->leaders[query].n = 0;
}

void search_best_destroy(search_best_t *b)
{
    if (b == NULL)
        return;
    for (int k = 0; k < LOCKS; k++)
        pthread_mutex_destroy(&b->locks[k]);
    free(b->n);
    free(b->best);
    free(b->leaders);
    free(b);
}
