/*
 * taxon_order.c - sorts sequences by lineage, with taxa ordered by size.
 */
#include "graph/summary/heat_map.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const taxonomy_t *taxonomy;
    const int32_t *taxa;
    int32_t *members;   /* [taxa] number of sequences at or below each taxon */
    int32_t *positions; /* [n] position of each sequence in the given order */
} sort_t;

/* Compare two lineages where they diverge. @return < 0 if x comes first */
static int compare_taxa(const sort_t *s, int32_t x, int32_t y)
{
    for (int rank = 1; x != y; rank++) {
        int32_t a = taxonomy_ancestor(s->taxonomy, x, rank);
        int32_t b = taxonomy_ancestor(s->taxonomy, y, rank);

        if (a < 0 || b < 0)
            return a < 0 ? 1 : -1;
        if (a == b)
            continue;
        if (s->members[a] != s->members[b])
            return s->members[a] > s->members[b] ? -1 : 1;
        return strcmp(taxonomy_name(s->taxonomy, a), taxonomy_name(s->taxonomy, b));
    }
    return 0;
}

static int compare(const void *a, const void *b, void *context)
{
    const sort_t *s = context;
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    int32_t x = s->taxa[i], y = s->taxa[j];
    int c = x == y ? 0 : x < 0 ? 1 : y < 0 ? -1 : compare_taxa(s, x, y);

    return c != 0 ? c : s->positions[i] < s->positions[j] ? -1 : 1;
}

status_t taxon_order_sort(const taxonomy_t *t, const int32_t *taxa, int64_t n,
                          int32_t *order)
{
    sort_t s = {.taxonomy = t, .taxa = taxa};
    status_t st = ST_OK;

    s.members = calloc((size_t)taxonomy_n_taxa(t), sizeof(*s.members));
    s.positions = malloc((size_t)(n + 1) * sizeof(*s.positions));
    if (s.members == NULL || s.positions == NULL) {
        st = log_nomem("an order of the sequences");
        goto done;
    }
    for (int64_t k = 0; k < n; k++) {
        s.positions[order[k]] = (int32_t)k;
        for (int rank = taxa[k] < 0 ? 0 : taxonomy_rank(t, taxa[k]); rank > 0; rank--)
            s.members[taxonomy_ancestor(t, taxa[k], rank)]++;
    }
    qsort_r(order, (size_t)n, sizeof(*order), compare, &s);
done:
    free(s.members);
    free(s.positions);
    return st;
}
