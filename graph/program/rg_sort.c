/*
 * rg_sort.c - keys as unsigned integers of the same order, which are sorted by radix.
 */
#include "graph/program/rg_sort.h"

#include "io/base/logmsg.h"
#include "io/graphfile/radix_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t SIGN = UINT64_C(1) << 63;

static uint64_t key_of_real(double x)
{
    uint64_t bits;

    if (isnan(x))
        return UINT64_MAX;
    x += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &x, sizeof(bits));
    return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

static status_t grow(rg_sort_t *s)
{
    const int64_t capacity = s->capacity > 0 ? 2 * s->capacity : 64;
    uint64_t *key = realloc(s->key, (size_t)capacity * sizeof(*key));
    int32_t *node;

    if (key == NULL)
        return log_nomem("a graph program");
    s->key = key;
    if ((node = realloc(s->node, (size_t)capacity * sizeof(*node))) == NULL)
        return log_nomem("a graph program");
    s->node = node;
    s->capacity = capacity;
    return ST_OK;
}

status_t rg_sort_add(rg_sort_t *s, bool is_real, rg_value_t key, int64_t node)
{
    status_t st = s->n == s->capacity ? grow(s) : ST_OK;

    if (st != ST_OK)
        return st;
    s->key[s->n] = is_real ? key_of_real(key.r) : (uint64_t)key.i ^ SIGN;
    s->node[s->n++] = (int32_t)node;
    return ST_OK;
}

/* Make the smallest key 0, so that fewer bits are sorted. @return their number */
static int lower(rg_sort_t *s)
{
    uint64_t min = UINT64_MAX, max = 0;

    for (int64_t k = 0; k < s->n; k++) {
        min = s->key[k] < min ? s->key[k] : min;
        max = s->key[k] > max ? s->key[k] : max;
    }
    for (int64_t k = 0; k < s->n; k++)
        s->key[k] -= min;
    return s->n > 0 && max > min ? 64 - __builtin_clzll(max - min) : 0;
}

status_t rg_sort_into(rg_sort_t *s, rg_set_t *out, int64_t n_nodes)
{
    const size_t n = (size_t)s->n + 1;
    radix_items_t spare = {malloc(n * sizeof(*spare.key)),
                           malloc(n * sizeof(*spare.weight)), NULL};
    status_t st = ST_OK;

    if (spare.key == NULL || spare.weight == NULL) {
        st = log_nomem("a graph program");
    } else {
        radix_sort((radix_items_t){s->key, s->node, NULL}, spare, s->n, lower(s));
        st = rg_collection_change(out, n_nodes, 0, RG_CLEAR);
    }
    for (int64_t k = 0; st == ST_OK && k < s->n; k++)
        st = rg_collection_change(out, n_nodes, s->node[k], RG_ADD);
    s->n = 0;
    free(spare.key);
    free(spare.weight);
    return st;
}

void rg_sort_free(rg_sort_t *s)
{
    free(s->key);
    free(s->node);
    *s = (rg_sort_t){0};
}
