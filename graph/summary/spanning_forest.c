/*
 * spanning_forest.c - Kruskal's algorithm over batches of pairs, with lists of leaves;
 * what a report says of the pairs.
 */
#include "graph/summary/spanning_forest.h"

#include "io/base/child.h"
#include "io/base/logmsg.h"
#include "kernels/graph/common/disjoint_sets.h"

#include <stdbool.h>
#include <stdlib.h>

/* Pairs stored in addition to the forest's branches. */
enum { BATCH = 1 << 20 };

typedef struct {
    uint32_t identity; /* 1 + identity * 2^32, rounded down; at most UINT32_MAX */
    int32_t row, col;
} branch_t;

/* A list of leaves, from head to tail, of the set with this root. */
typedef struct {
    int32_t root, head, tail, size;
} group_t;

struct spanning_forest {
    disjoint_sets_t sets;
    branch_t *branches; /* [capacity] the forest, best branch first, then new pairs */
    int64_t n, n_branches, capacity;
    group_t *groups;     /* [n] */
    int32_t *next;       /* [n] the next leaf in the list, or -1 */
    uint32_t *joined_at; /* [n] identity at which the leaf and the next one were joined */
    int32_t *position;   /* [n] of each leaf in the order */
    uint32_t *min_joined; /* [levels x n] minimum joined_at at p .. p + 2^level - 1 */
    bool is_arranged;
};

static int levels_of(int64_t n)
{
    int levels = 1;

    while ((INT64_C(1) << levels) <= n)
        levels++;
    return levels;
}

status_t spanning_forest_create(int64_t n, spanning_forest_t **out)
{
    spanning_forest_t *f = calloc(1, sizeof(*f));
    size_t count = (size_t)n + 1;

    if (f != NULL) {
        f->n = n;
        f->capacity = n + BATCH;
        f->branches = malloc((size_t)f->capacity * sizeof(*f->branches));
        f->groups = malloc(count * sizeof(*f->groups));
        f->next = malloc(count * sizeof(*f->next));
        f->joined_at = malloc(count * sizeof(*f->joined_at));
        f->position = malloc(count * sizeof(*f->position));
        f->min_joined = malloc(count * (size_t)levels_of(n) * sizeof(*f->min_joined));
    }
    if (f == NULL || f->branches == NULL || f->groups == NULL || f->next == NULL ||
        f->joined_at == NULL || f->position == NULL || f->min_joined == NULL) {
        spanning_forest_destroy(f);
        return log_nomem("a forest of pairs");
    }
    if (disjoint_sets_make(n, &f->sets) != ST_OK) {
        spanning_forest_destroy(f);
        return ST_ENOMEM;
    }
    *out = f;
    return ST_OK;
}

static int by_identity(const void *a, const void *b)
{
    const branch_t *x = a, *y = b;

    if (x->identity != y->identity)
        return x->identity > y->identity ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->col > y->col) - (x->col < y->col);
}

static int by_size(const void *a, const void *b)
{
    const group_t *x = a, *y = b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->root > y->root) - (x->root < y->root);
}

/* Append one list to the other. @return false if both ends are in one list already */
static bool join_lists(spanning_forest_t *f, const branch_t *b)
{
    group_t first = f->groups[disjoint_sets_root(&f->sets, b->row)];
    group_t second = f->groups[disjoint_sets_root(&f->sets, b->col)];
    int32_t root;

    if (!disjoint_sets_join(&f->sets, b->row, b->col))
        return false;
    if (by_size(&first, &second) > 0) {
        group_t swapped = first;

        first = second;
        second = swapped;
    }
    root = disjoint_sets_root(&f->sets, b->row);
    f->next[first.tail] = second.head;
    f->joined_at[first.tail] = b->identity;
    f->groups[root] = (group_t){root, first.head, second.tail, first.size + second.size};
    return true;
}

/* Concatenate the lists and build the table of minima between positions. */
static void concatenate(spanning_forest_t *f)
{
    int64_t n_groups = 0, at = 0;

    for (int32_t i = 0; i < f->n; i++)
        if (disjoint_sets_root(&f->sets, i) == i)
            f->groups[n_groups++] = f->groups[i];
    qsort(f->groups, (size_t)n_groups, sizeof(*f->groups), by_size);
    for (int64_t k = 0; k < n_groups; k++)
        for (int32_t i = f->groups[k].head; i >= 0; i = f->next[i]) {
            f->position[i] = (int32_t)at;
            f->min_joined[at++] = f->joined_at[i];
        }
    for (int level = 1; level < levels_of(f->n); level++) {
        uint32_t *to = f->min_joined + level * f->n, *from = to - f->n;
        int64_t half = INT64_C(1) << (level - 1);

        for (int64_t p = 0; p + 2 * half <= f->n; p++)
            to[p] = from[p] < from[p + half] ? from[p] : from[p + half];
    }
}

/* Reduce the stored pairs to the branches of a forest, and order the leaves. */
static void prune(spanning_forest_t *f)
{
    int64_t n_kept = 0;

    child_tick();
    qsort(f->branches, (size_t)f->n_branches, sizeof(*f->branches), by_identity);
    disjoint_sets_reset(&f->sets);
    for (int32_t i = 0; i < f->n; i++) {
        f->groups[i] = (group_t){i, i, i, 1};
        f->next[i] = -1;
        f->joined_at[i] = 0;
    }
    for (int64_t k = 0; k < f->n_branches; k++)
        if (join_lists(f, &f->branches[k]))
            f->branches[n_kept++] = f->branches[k];
    f->n_branches = n_kept;
    concatenate(f);
    f->is_arranged = true;
}

/*
 * @return whether the forest joins the two leaves at the identity of b or a higher one
 *
 * Lists are joined in descending order of identity, so two leaves are joined at the
 * minimum of joined_at between their positions.  If a later pair is not better, it is the
 * last edge of a cycle in Kruskal's order, and the forest of all pairs does not contain
 * it.
 */
static bool is_joined(const spanning_forest_t *f, const branch_t *b)
{
    int32_t x = f->position[b->row], y = f->position[b->col];
    int32_t from = x < y ? x : y, len = x < y ? y - x : x - y;
    int level = 31 - __builtin_clz((unsigned)len);
    const uint32_t *min = f->min_joined + level * f->n;
    uint32_t a = min[from], c = min[from + len - (1 << level)];

    return b->identity <= (a < c ? a : c);
}

void spanning_forest_add(spanning_forest_t *f, int32_t row, int32_t col, int32_t matches,
                         int32_t columns)
{
    uint64_t identity = ((uint64_t)matches << 32) / (uint32_t)columns;
    branch_t b = {identity < UINT32_MAX ? (uint32_t)identity + 1 : UINT32_MAX, row, col};

    if (row == col || (f->is_arranged && is_joined(f, &b)))
        return;
    f->branches[f->n_branches++] = b;
    if (f->n_branches == f->capacity)
        prune(f);
}

void spanning_forest_order(spanning_forest_t *f, int32_t *order)
{
    prune(f);
    for (int32_t i = 0; i < f->n; i++)
        order[f->position[i]] = i;
}

void spanning_forest_destroy(spanning_forest_t *f)
{
    if (f == NULL)
        return;
    disjoint_sets_free(&f->sets);
    free(f->branches);
    free(f->groups);
    free(f->next);
    free(f->joined_at);
    free(f->position);
    free(f->min_joined);
    free(f);
}

/* ---- the summary of a result file ---- */

/* Counts, histogram and order of the sequences, in one scan of
 * the pairs. */

typedef struct {
    const fraction_t *id;
    spanning_forest_t *forest;
    pairs_summary_t *summary;
} state_t;

static void count_pair(state_t *w, const pairs_hit_t *hit)
{
    pairs_summary_t *s = w->summary;

    if (hit->columns == 0)
        return;
    s->n_identities++;
    s->histogram[(int64_t)hit->matches * (REPORT_BARS - 1) / hit->columns]++;
    spanning_forest_add(w->forest, hit->row, hit->col, hit->matches, hit->columns);
    s->n_close += fraction_reached(w->id, hit->matches, hit->columns);
}

status_t pairs_summary_make(const pairs_file_t *file, const fraction_t *id,
                            pairs_summary_t *out)
{
    state_t w = {.id = id, .summary = out};
    pairs_scan_t *scan = NULL;
    const pairs_hit_t *hits;
    int64_t n = 0;
    status_t st;

    *out = (pairs_summary_t){.n = file->rows.n};
    out->order = malloc((size_t)(out->n + 1) * sizeof(*out->order));
    st = out->order != NULL ? ST_OK : log_nomem("a summary of pairs");
    if (st == ST_OK)
        st = spanning_forest_create(out->n, &w.forest);
    if (st == ST_OK)
        st = pairs_scan_open(file, NULL, &scan);
    while (st == ST_OK && (st = pairs_scan_next(scan, &hits, &n)) == ST_OK && n > 0)
        for (int64_t k = 0; k < n; k++)
            count_pair(&w, &hits[k]);
    if (st == ST_OK)
        spanning_forest_order(w.forest, out->order);
    pairs_scan_close(scan);
    spanning_forest_destroy(w.forest);
    if (st != ST_OK)
        pairs_summary_free(out);
    return st;
}

void pairs_summary_free(pairs_summary_t *s)
{
    free(s->order);
    *s = (pairs_summary_t){0};
}
