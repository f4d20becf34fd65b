/*
 * disjoint_sets.c - links the higher root to the lower one.
 */
#include "kernels/graph/common/disjoint_sets.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

status_t disjoint_sets_make(int64_t n, disjoint_sets_t *out)
{
    disjoint_sets_t s = {n, malloc((size_t)(n + 1) * sizeof(*s.parent))};

    if (s.parent == NULL)
        return log_nomem("disjoint sets");
    disjoint_sets_reset(&s);
    *out = s;
    return ST_OK;
}

void disjoint_sets_reset(disjoint_sets_t *s)
{
    for (int64_t i = 0; i < s->n; i++)
        s->parent[i] = (int32_t)i;
}

bool disjoint_sets_join(disjoint_sets_t *s, int32_t a, int32_t b)
{
    a = disjoint_sets_root(s, a);
    b = disjoint_sets_root(s, b);
    if (a < b)
        s->parent[b] = a;
    else
        s->parent[a] = b;
    return a != b;
}

void disjoint_sets_free(disjoint_sets_t *s)
{
    free(s->parent);
    *s = (disjoint_sets_t){0};
}
