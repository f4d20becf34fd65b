/*
 * average.c - average linkage of each component, with sums of identities between
 * clusters.
 */
#include "graph/cluster/cluster_methods.h"

#include "io/base/child.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>

/* Identities are multiples of 2^-32. */
#define ONE (INT64_C(1) << 32)

__extension__ typedef __int128 wide_t; /* products of a sum and a number of pairs */

/* A component.  Its members are numbered 0 .. n-1 in ascending order of nodes; a cluster
 * is named after its lowest member. */
typedef struct {
    int32_t n;
    int32_t *member;  /* [n] nodes, ascending */
    int32_t *size;    /* [n] members of each cluster; 0: merged into another */
    int32_t *nearest; /* [n] the best cluster with a higher number; 0: none */
    int32_t *next;    /* [n] the next existing cluster; n: none */
    int64_t *sum;     /* [n (n - 1) / 2] sum of identities between clusters i < j */
} component_t;

struct average {
    int64_t n, n_components;
    fraction_t id;
    int32_t *component_of; /* [n] of each node */
    int32_t *position;     /* [n] number of each node in its component */
    int32_t *ints;         /* [4 n] members, sizes, nearest, next of all components */
    int64_t *sums;
    component_t *components; /* [n_components] */
    int32_t *label;
    cluster_join_t *joins; /* NULL: not needed */
};

static int64_t rounded(int32_t matches, int32_t columns)
{
    return columns > 0 ? (matches * ONE + columns / 2) / columns : 0;
}

/* @return whether the mean of n_pairs reaches the cutoff; an error of half a unit, from
 *         rounding, is tolerated */
static bool mean_reaches(const fraction_t *id, int64_t sum, int64_t n_pairs)
{
    return (2 * (wide_t)sum + n_pairs) * id->denominator >=
           2 * (wide_t)n_pairs * ONE * id->numerator;
}

bool average_reaches(const fraction_t *id, int32_t matches, int32_t columns)
{
    return mean_reaches(id, rounded(matches, columns), 1);
}

/* Row i of the triangle has the pairs of i with i + 1 .. n - 1. */
static inline int64_t *sum_at(const component_t *b, int32_t i, int32_t j)
{
    int64_t row = i < j ? i : j, col = i < j ? j : i;

    return &b->sum[row * (2 * (int64_t)b->n - row - 1) / 2 + col - row - 1];
}

/* Number the components and the members of each. */
static void number_members(average_t *a, const int32_t *component)
{
    for (int64_t i = 0; i < a->n; i++) {
        if (component[i] == i)
            a->component_of[i] = (int32_t)a->n_components++;
        else
            a->component_of[i] = a->component_of[component[i]];
        a->position[i] = a->components[a->component_of[i]].n++;
    }
}

static status_t check_sizes(const average_t *a)
{
    for (int64_t k = 0; k < a->n_components; k++)
        if (a->components[k].n > AVERAGE_COMPONENT_MAX) {
            log_error("%" PRId32 " sequences are connected at this identity; average "
                      "linkage is limited to %d; raise --id or choose another --method",
                      a->components[k].n, AVERAGE_COMPONENT_MAX);
            return ST_EINPUT;
        }
    return ST_OK;
}

/* Distribute the arrays to the components. */
static void distribute(average_t *a)
{
    int32_t *ints = a->ints;
    int64_t *sums = a->sums;

    for (int64_t k = 0; k < a->n_components; k++) {
        component_t *b = &a->components[k];

        b->member = ints;
        b->size = ints + b->n;
        b->nearest = ints + 2 * (int64_t)b->n;
        b->next = ints + 3 * (int64_t)b->n;
        b->sum = sums;
        ints += 4 * (int64_t)b->n;
        sums += (int64_t)b->n * (b->n - 1) / 2;
    }
    for (int64_t i = 0; i < a->n; i++)
        a->components[a->component_of[i]].member[a->position[i]] = (int32_t)i;
}

status_t average_create(int64_t n, const fraction_t *id, const int32_t *component,
                        average_t **out)
{
    average_t *a = calloc(1, sizeof(*a));
    int64_t n_sums = 0;
    status_t st = ST_ENOMEM;

    if (a == NULL)
        return log_nomem("average linkage");
    a->n = n;
    a->id = *id;
    a->component_of = malloc((size_t)n * sizeof(*a->component_of) + 1);
    a->position = malloc((size_t)n * sizeof(*a->position) + 1);
    a->ints = malloc(4 * (size_t)n * sizeof(*a->ints) + 1);
    a->components = calloc((size_t)n + 1, sizeof(*a->components));
    if (a->component_of == NULL || a->position == NULL || a->ints == NULL ||
        a->components == NULL)
        goto no_memory;
    number_members(a, component);
    if ((st = check_sizes(a)) != ST_OK)
        goto fail;
    for (int64_t k = 0; k < a->n_components; k++)
        n_sums += (int64_t)a->components[k].n * (a->components[k].n - 1) / 2;
    if ((a->sums = calloc((size_t)n_sums + 1, sizeof(*a->sums))) == NULL)
        goto no_memory;
    distribute(a);
    *out = a;
    return ST_OK;
no_memory:
    st = log_nomem("average linkage");
fail:
    average_destroy(a);
    return st;
}

void average_add(average_t *a, const edge_t *pairs, int64_t n_pairs)
{
    for (int64_t e = 0; e < n_pairs; e++) {
        const edge_t *x = &pairs[e];
        int32_t k = a->component_of[x->a];

        if (k == a->component_of[x->b])
            *sum_at(&a->components[k], a->position[x->a], a->position[x->b]) =
                rounded(x->matches, x->columns);
    }
}

static int64_t n_pairs_of(const component_t *b, int32_t i, int32_t j)
{
    return (int64_t)b->size[i] * b->size[j];
}

/* @return whether clusters i, j have a better mean than k, l */
static bool is_better(const component_t *b, int32_t i, int32_t j, int32_t k, int32_t l)
{
    return (wide_t)*sum_at(b, i, j) * n_pairs_of(b, k, l) >
           (wide_t)*sum_at(b, k, l) * n_pairs_of(b, i, j);
}

/* Find the cluster nearest to i among those with higher numbers; the first if equal. */
static void find_nearest(component_t *b, int32_t i)
{
    int32_t best = b->next[i] < b->n ? b->next[i] : 0;

    child_tick();
    for (int32_t j = best; j > 0 && j < b->n; j = b->next[j])
        if (is_better(b, i, j, i, best))
            best = j;
    b->nearest[i] = best;
}

/* Merge cluster `gone` into `kept`, kept < gone.  A mean with the new cluster lies
 * between the two means it replaces, so `nearest` changes only where it was kept or gone.
 */
static void merge(component_t *b, int32_t kept, int32_t gone)
{
    int32_t before = kept;

    for (int32_t x = 0; x < b->n; x = b->next[x]) {
        if (x != kept && x != gone)
            *sum_at(b, x, kept) += *sum_at(b, x, gone);
        if (b->next[x] == gone)
            before = x;
    }
    b->next[before] = b->next[gone];
    b->size[kept] += b->size[gone];
    b->size[gone] = 0;
    for (int32_t x = 0; x < gone; x = b->next[x])
        if (x == kept || b->nearest[x] == kept || b->nearest[x] == gone)
            find_nearest(b, x);
}

static int32_t nearest_pair(const component_t *b)
{
    int32_t best = 0;

    for (int32_t i = b->next[0]; i < b->n; i = b->next[i])
        if (b->nearest[i] > 0 && is_better(b, i, b->nearest[i], best, b->nearest[best]))
            best = i;
    return best;
}

static void note_join(const average_t *a, const component_t *b, int32_t kept,
                      int32_t gone)
{
    const double mean =
        (double)*sum_at(b, kept, gone) / (double)ONE / (double)n_pairs_of(b, kept, gone);

    if (a->joins != NULL)
        a->joins[b->member[gone]] =
            (cluster_join_t){b->member[kept], b->member[gone], 1 - mean};
}

static void cluster_component(void *ctx, int64_t index, int thread)
{
    average_t *a = ctx;
    component_t *b = &a->components[index];

    (void)thread;
    for (int32_t i = 0; i < b->n; i++) {
        b->size[i] = 1;
        b->next[i] = i + 1;
        a->label[b->member[i]] = b->member[i];
        if (a->joins != NULL)
            a->joins[b->member[i]].a = -1;
    }
    for (int32_t i = 0; i < b->n; i++)
        find_nearest(b, i);
    for (;;) {
        int32_t kept = nearest_pair(b), gone = b->nearest[kept];

        /* cluster 0 always exists; if it is the only one, it has no nearest */
        if (gone == 0 ||
            !mean_reaches(&a->id, *sum_at(b, kept, gone), n_pairs_of(b, kept, gone)))
            break;
        child_tick();
        a->label[b->member[gone]] = b->member[kept];
        note_join(a, b, kept, gone);
        merge(b, kept, gone);
    }
    for (int32_t i = 0; i < b->n; i++)
        a->label[b->member[i]] = a->label[a->label[b->member[i]]];
}

void average_cluster(average_t *a, pool_t *pool, int32_t *label, cluster_join_t *joins)
{
    a->label = label;
    a->joins = joins;
    pool_run(pool, a->n_components, cluster_component, a);
}

void average_destroy(average_t *a)
{
    if (a == NULL)
        return;
    free(a->components);
    free(a->sums);
    free(a->ints);
    free(a->position);
    free(a->component_of);
    free(a);
}
