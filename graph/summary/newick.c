/*
 * newick.c - joins the edges of a forest in ascending order, and prints the tree of the
 * joins without recursion: it may be as deep as it has leaves.
 */
#include "graph/summary/spanning_forest.h"

#include "io/base/logmsg.h"
#include "kernels/graph/common/disjoint_sets.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Nodes 0 .. n-1 are leaves, n .. n + n_joins-1 joins, each after those that it joins. */
typedef struct {
    int32_t n, n_joins;
    int32_t (*child)[2]; /* [n - 1] of join n + k */
    double *height;      /* [n - 1] */
    int32_t *top;        /* [n] by root of a set: the set's node in the tree */
    disjoint_sets_t sets;
} tree_t;

static status_t tree_create(int32_t n, tree_t *t)
{
    size_t count = (size_t)n;

    *t = (tree_t){.n = n,
                  .child = malloc(count * sizeof(*t->child)),
                  .height = malloc(count * sizeof(*t->height)),
                  .top = malloc(count * sizeof(*t->top))};
    if (t->child == NULL || t->height == NULL || t->top == NULL)
        return log_nomem("a tree");
    for (int32_t i = 0; i < n; i++)
        t->top[i] = i;
    return disjoint_sets_make(n, &t->sets);
}

static void tree_free(tree_t *t)
{
    disjoint_sets_free(&t->sets);
    free(t->child);
    free(t->height);
    free(t->top);
}

static void join(tree_t *t, int32_t a, int32_t b, double distance)
{
    int32_t left = t->top[disjoint_sets_root(&t->sets, a)];
    int32_t right = t->top[disjoint_sets_root(&t->sets, b)];

    if (!disjoint_sets_join(&t->sets, a, b))
        return;
    t->child[t->n_joins][0] = left;
    t->child[t->n_joins][1] = right;
    t->height[t->n_joins] = distance / 2;
    t->top[disjoint_sets_root(&t->sets, a)] = t->n + t->n_joins++;
}

static int by_distance(const void *x, const void *y)
{
    const newick_edge_t *p = x, *q = y;

    if (p->distance != q->distance)
        return p->distance < q->distance ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

/* A name with characters that have a meaning in Newick is quoted. */
static void print_name(FILE *to, const char *name)
{
    bool is_plain = *name != '\0' && strcspn(name, " \t()[]{}':;,\"") == strlen(name);

    if (is_plain) {
        fputs(name, to);
        return;
    }
    putc('\'', to);
    for (; *name != '\0'; name++) {
        if (*name == '\'')
            putc('\'', to);
        putc(*name, to);
    }
    putc('\'', to);
}

static double height_of(const tree_t *t, int32_t node)
{
    return node < t->n ? 0 : t->height[node - t->n];
}

/* A place in the tree while it is printed. */
typedef struct {
    int32_t node;
    int n_printed; /* children */
    double parent_height;
} place_t;

static void print(FILE *to, const tree_t *t, int32_t root, place_t *stack,
                  newick_name_t *name, const void *ctx)
{
    int32_t depth = 0;

    stack[0] = (place_t){root, 0, NAN};
    while (depth >= 0) {
        place_t *p = &stack[depth];

        if (p->node >= t->n && p->n_printed < 2) {
            int32_t child = t->child[p->node - t->n][p->n_printed];

            putc(p->n_printed++ == 0 ? '(' : ',', to);
            stack[++depth] = (place_t){child, 0, height_of(t, p->node)};
            continue;
        }
        if (p->node < t->n)
            print_name(to, name(ctx, p->node));
        else
            putc(')', to);
        if (depth-- > 0)
            fprintf(to, ":%.15g", p->parent_height - height_of(t, p->node));
    }
    fputs(";\n", to);
}

status_t newick_write(FILE *to, int32_t n, newick_edge_t *edges, int64_t n_edges,
                      double root_distance, newick_name_t *name, const void *ctx)
{
    place_t *stack;
    tree_t t;
    status_t st;

    if (n == 0)
        return ST_OK;
    st = tree_create(n, &t);
    if ((stack = malloc((size_t)n * sizeof(*stack))) == NULL && st == ST_OK)
        st = log_nomem("a tree");
    if (st == ST_OK) {
        if (n_edges > 0)
            qsort(edges, (size_t)n_edges, sizeof(*edges), by_distance);
        for (int64_t k = 0; k < n_edges; k++)
            join(&t, edges[k].a, edges[k].b, edges[k].distance);
        for (int32_t i = 1; isfinite(root_distance) && i < n; i++)
            join(&t, 0, i, root_distance);
        for (int32_t i = 0; i < n; i++)
            if (disjoint_sets_root(&t.sets, i) == i)
                print(to, &t, t.top[i], stack, name, ctx);
    }
    free(stack);
    tree_free(&t);
    return st;
}
