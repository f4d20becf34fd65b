/*
 * rg_collection.c - changes of collections.
 */
#include "graph/program/rg_collection.h"

#include "io/base/logmsg.h"
#include "io/base/memory_limit.h"

#include <stdlib.h>
#include <string.h>

/* Elements of a list at first, and from which on its memory is compared with what there
 * is. */
enum { MIN_CAPACITY = 64, LARGE_CAPACITY = 1 << 20 };

static size_t n_words(int64_t n_nodes)
{
    return (size_t)n_nodes / 64 + 1;
}

double rg_collection_bytes(const rg_collection_info_t *kind, int64_t n_nodes)
{
    const size_t per_node = kind->is_repeated ? sizeof(int64_t) : 0;

    return (double)(n_words(n_nodes) * sizeof(uint64_t)) +
           (double)n_nodes * (double)per_node;
}

status_t rg_collection_create(const rg_collection_info_t *kind, int64_t n_nodes,
                              rg_set_t *out)
{
    *out = (rg_set_t){.bits = calloc(n_words(n_nodes), sizeof(*out->bits))};
    if (kind->is_repeated)
        out->count = calloc((size_t)n_nodes + 1, sizeof(*out->count));
    if (kind->is_sequence)
        out->list = malloc(MIN_CAPACITY * sizeof(*out->list));
    out->capacity = MIN_CAPACITY;
    if (out->bits == NULL || (kind->is_repeated && out->count == NULL) ||
        (kind->is_sequence && out->list == NULL))
        return log_nomem("a graph program");
    return ST_OK;
}

void rg_collection_free(rg_set_t *set)
{
    free(set->bits);
    free(set->count);
    free(set->list);
    *set = (rg_set_t){0};
}

/* Make room at the end of a list: where a queue has left some, or by more memory. */
static status_t grow(rg_set_t *set)
{
    const int64_t capacity = 2 * set->capacity;
    int32_t *list;
    status_t st = ST_OK;

    if (set->begin + set->n < set->capacity)
        return ST_OK;
    if (set->begin > set->capacity / 2) {
        memmove(set->list, set->list + set->begin, (size_t)set->n * sizeof(*set->list));
        set->begin = 0;
        return ST_OK;
    }
    if (capacity >= LARGE_CAPACITY)
        st = memory_limit_check((double)capacity * sizeof(*list),
                                "add nodes once, to an oset", "a collection of nodes");
    if (st != ST_OK)
        return st;
    list = realloc(set->list, (size_t)capacity * sizeof(*list));
    if (list == NULL)
        return log_nomem("a graph program");
    set->list = list;
    set->capacity = capacity;
    return ST_OK;
}

static status_t add(rg_set_t *set, int64_t node)
{
    status_t st;

    if (set->count == NULL && rg_collection_has(set, node))
        return ST_OK;
    if (set->list != NULL) {
        if ((st = grow(set)) != ST_OK)
            return st;
        set->list[set->begin + set->n] = (int32_t)node;
    }
    if (set->count != NULL)
        set->count[node]++;
    set->bits[node / 64] |= UINT64_C(1) << (node % 64);
    set->n++;
    return ST_OK;
}

/* One element of a node is gone. */
static void forget(rg_set_t *set, int64_t node)
{
    if (set->count == NULL || --set->count[node] == 0)
        set->bits[node / 64] &= ~(UINT64_C(1) << (node % 64));
    set->n--;
}

static void take_out(rg_set_t *set, int64_t node)
{
    int64_t k = set->begin;

    if (!rg_collection_has(set, node))
        return;
    if (set->list != NULL) {
        while (set->list[k] != node)
            k++;
        memmove(set->list + k, set->list + k + 1,
                (size_t)(set->begin + set->n - k - 1) * sizeof(*set->list));
    }
    forget(set, node);
}

static void clear(rg_set_t *set, int64_t n_nodes)
{
    if (set->list != NULL) {
        while (set->n > 0)
            forget(set, set->list[set->begin + set->n - 1]);
        set->begin = 0;
        return;
    }
    memset(set->bits, 0, n_words(n_nodes) * sizeof(*set->bits));
    if (set->count != NULL)
        memset(set->count, 0, (size_t)n_nodes * sizeof(*set->count));
    set->n = 0;
}

status_t rg_collection_change(rg_set_t *set, int64_t n_nodes, int64_t node,
                              rg_change_t how)
{
    switch (how) {
    case RG_ADD:
        return add(set, node);
    case RG_REMOVE:
        take_out(set, node);
        break;
    case RG_POP:
        if (set->n > 0)
            forget(set, set->list[set->begin++]);
        break;
    default:
        clear(set, n_nodes);
    }
    return ST_OK;
}

status_t rg_collection_resize(rg_set_t *set, int64_t n_before, int64_t n_nodes)
{
    const size_t before = n_words(n_before), now = n_words(n_nodes);
    uint64_t *bits = realloc(set->bits, now * sizeof(*bits));
    int64_t *count = NULL;

    if (bits == NULL)
        return log_nomem("a graph program");
    set->bits = bits;
    memset(bits + before, 0, (now - before) * sizeof(*bits));
    if (set->count == NULL)
        return ST_OK;
    if ((count = realloc(set->count, (size_t)n_nodes * sizeof(*count))) == NULL)
        return log_nomem("a graph program");
    set->count = count;
    memset(count + n_before, 0, (size_t)(n_nodes - n_before) * sizeof(*count));
    return ST_OK;
}

/* Numbers do not become larger, so what is read has not been overwritten. */
void rg_collection_renumber(rg_set_t *set, const int32_t *map, int64_t n_nodes)
{
    const int64_t begin = set->begin, end = begin + set->n;

    set->n = 0;
    for (int64_t u = 0; u < n_nodes; u++) {
        const int64_t count = rg_collection_count(set, u);

        set->bits[u / 64] &= ~(UINT64_C(1) << (u % 64));
        if (set->count != NULL)
            set->count[u] = 0;
        if (count == 0 || map[u] < 0)
            continue;
        set->bits[map[u] / 64] |= UINT64_C(1) << (map[u] % 64);
        if (set->count != NULL)
            set->count[map[u]] = count;
        set->n += count;
    }
    if (set->list == NULL)
        return;
    set->begin = 0;
    for (int64_t k = begin, at = 0; k < end; k++)
        if (map[set->list[k]] >= 0)
            set->list[at++] = map[set->list[k]];
}
