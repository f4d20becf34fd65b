/*
 * cpu_pagerank_sets.c - PageRank by passes over working sets (pagerank_restart.h).
 *
 * Of each word of 64 nodes, and of each group of eight in it, the sum of their distances
 * and the largest one are kept, so that groups without nodes of the set, or that have
 * moved, are not looked at: where changes are local, a pass touches few lines of memory.
 */
#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/cpu/cpu_pagerank.h"
#include "kernels/graph/cpu/tree_row.h"

#include <math.h>
#include <stdatomic.h>

enum {
    GROUP = TREE_ROW_STEP,
    WORD = 64,
    GROUPS = WORD / GROUP,
    GRAIN = CPU_PAGERANK_GRAIN
};

typedef struct {
    const cpu_t *c;
    pagerank_limits_t limits;
    double *rank, *share;
    double *shared; /* [n_nodes] the ranks that the shares are made of */
    double *away;   /* [words x WORD] the distance of these two; 0 behind the last node */
    double moved;   /* above this distance a node has moved */
    double *group_sum, *group_max; /* [words x GROUPS] of distances */
    double *word_sum, *word_max;   /* [words] */
    double *sums;                  /* [ranges] */
    _Atomic uint64_t *set;         /* [words] */
    atomic_llong n_in, n_out; /* arcs into the set, and out of nodes that have moved */
    bool has_dangling;        /* whose ranks go to all nodes */
    double base;
    double dangling; /* of the shared ranks, of which the base is made */
    double drift;    /* since then */
} sets_t;

static int64_t n_words(int64_t n_nodes)
{
    return (n_nodes + WORD - 1) / WORD;
}

static int64_t word_end(int64_t word, int64_t end)
{
    return (word + 1) * WORD < end ? (word + 1) * WORD : end;
}

static int32_t first_node(int64_t word, uint64_t bits)
{
    return (int32_t)(word * WORD + __builtin_ctzll(bits));
}

static void renew_share(sets_t *p, int32_t u)
{
    const int64_t degree = csr_degree(p->c->graph, u);

    p->shared[u] = p->rank[u];
    p->away[u] = 0;
    p->share[u] = degree > 0 ? p->rank[u] / (double)degree : 0;
}

/* ---- sums over all nodes, as tree sums: a word and a range are subtrees ---- */

static double sum_8(const double *x)
{
    return tree_row_sum_8(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
}

static double max_8(const double *x)
{
    double max = x[0];

    for (int k = 1; k < GROUP; k++)
        max = x[k] > max ? x[k] : max;
    return max;
}

/* Sum up the distances of a word again. @param bits  of the nodes whose distances differ
 */
static void measure(sets_t *p, int64_t word, uint64_t bits)
{
    const int64_t first = word * GROUPS;

    for (int k = 0; k < GROUPS; k++) {
        const double *away = p->away + (first + k) * GROUP;

        if ((bits >> (k * GROUP) & ((1 << GROUP) - 1)) == 0)
            continue;
        p->group_sum[first + k] = sum_8(away);
        p->group_max[first + k] = max_8(away);
    }
    p->word_sum[word] = sum_8(p->group_sum + first);
    p->word_max[word] = max_8(p->group_max + first);
}

/* @return the bits of a word's nodes that have moved */
static uint64_t moved_of(const sets_t *p, int64_t word)
{
    const double *away = p->away + word * WORD;
    uint64_t moved = 0;

    if (p->word_max[word] <= p->moved)
        return 0;
    for (int g = 0; g < GROUPS; g++)
        if (p->group_max[word * GROUPS + g] > p->moved)
            for (int k = g * GROUP; k < (g + 1) * GROUP; k++)
                moved |= (uint64_t)(away[k] > p->moved) << k;
    return moved;
}

/* @return the sum of the distances of a word's nodes that have moved */
static double sum_moved(const sets_t *p, int64_t word)
{
    double sum[GROUPS] = {0};

    if (p->word_max[word] <= p->moved)
        return 0;
    for (int g = 0; g < GROUPS; g++) {
        const double *away = p->away + word * WORD + g * GROUP;
        double x[GROUP];

        if (p->group_max[word * GROUPS + g] <= p->moved)
            continue;
        for (int k = 0; k < GROUP; k++)
            x[k] = away[k] > p->moved ? away[k] : 0;
        sum[g] = sum_8(x);
    }
    return sum_8(sum);
}

static void add_moved(void *ctx, int64_t begin, int64_t end, int thread)
{
    sets_t *p = ctx;
    tree_sum_t sum = {.n = 0};

    (void)thread;
    for (int64_t w = begin / WORD; w * WORD < end; w++)
        tree_sum_add(&sum, sum_moved(p, w));
    p->sums[begin / GRAIN] = tree_sum_total(&sum);
}

/* Find out how far nodes have to move. @param change  the sum of all distances */
static void set_moved(sets_t *p, double change)
{
    const int64_t n = p->c->graph->n_nodes;

    if (p->moved > p->limits.first_moved * change)
        p->moved = p->limits.first_moved * change;
    for (;; p->moved /= 2) {
        cpu_for(p->c->pool, n, GRAIN, add_moved, p);
        if (!(tree_sum_of(p->sums, (n + GRAIN - 1) / GRAIN) < change / 2))
            return;
    }
}

static void add_dangling(void *ctx, int64_t begin, int64_t end, int thread)
{
    sets_t *p = ctx;
    tree_sum_t sum = {.n = 0};

    (void)thread;
    for (int64_t u = begin; u < end; u++)
        tree_sum_add(&sum, csr_degree(p->c->graph, (int32_t)u) > 0 ? 0 : p->shared[u]);
    p->sums[begin / GRAIN] = tree_sum_total(&sum);
}

static double dangling_of(sets_t *p)
{
    const int64_t n = p->c->graph->n_nodes;

    if (!p->has_dangling)
        return 0;
    cpu_for(p->c->pool, n, GRAIN, add_dangling, p);
    return tree_sum_of(p->sums, (n + GRAIN - 1) / GRAIN);
}

/* ---- a pass ---- */

static void pass_range(void *ctx, int64_t begin, int64_t end, int thread)
{
    sets_t *p = ctx;
    const csr_t *in = p->c->in;
    int64_t n_in = 0;

    (void)thread;
    for (int64_t w = begin / WORD; w * WORD < end; w++) {
        const uint64_t set = p->set[w];

        for (uint64_t bits = set; bits != 0; bits &= bits - 1) {
            const int32_t v = first_node(w, bits);
            const int64_t degree = csr_degree(in, v);
            const double sum = tree_row_gather(p->share, in->to + in->first[v], degree);

            p->rank[v] = p->base + p->c->spec->damping * sum;
            p->away[v] = fabs(p->rank[v] - p->shared[v]);
            n_in += degree;
        }
        if (set != 0)
            measure(p, w, set);
        p->set[w] = 0;
    }
    p->n_in += n_in;
}

/* Pass over the set, which is empty then.
 * @param n_visited  the arcs into it are added @return the sum of all distances */
static double pass(sets_t *p, int64_t *n_visited)
{
    const int64_t n = p->c->graph->n_nodes;

    p->n_in = 0;
    cpu_for(p->c->pool, n, GRAIN, pass_range, p);
    *n_visited += p->n_in;
    return tree_sum_of(p->word_sum, n_words(n));
}

/* ---- new shares ---- */

static void renew_all_of(void *ctx, int64_t begin, int64_t end, int thread)
{
    sets_t *p = ctx;

    (void)thread;
    for (int64_t u = begin; u < end; u++)
        renew_share(p, (int32_t)u);
    for (int64_t w = begin / WORD; w * WORD < end; w++)
        p->set[w] = UINT64_MAX >> (w * WORD + WORD - word_end(w, end));
}

/* The next pass is one over all nodes. */
static void renew_all(sets_t *p)
{
    const int64_t n = p->c->graph->n_nodes;

    cpu_for(p->c->pool, n, GRAIN, renew_all_of, p);
    p->dangling = dangling_of(p);
    p->base = graph_pagerank_base(p->c->spec, n, p->dangling);
    p->drift = 0;
}

/* Put the nodes that a node's arcs lead to into the set. @return arcs into new ones */
static int64_t put_targets(sets_t *p, int32_t u)
{
    const csr_t *g = p->c->graph;
    int64_t n_in = 0;

    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
        const int32_t v = g->to[a];
        const uint64_t bit = UINT64_C(1) << v % WORD;
        _Atomic uint64_t *word = &p->set[v / WORD];

        if ((atomic_load_explicit(word, memory_order_relaxed) & bit) == 0 &&
            (atomic_fetch_or_explicit(word, bit, memory_order_relaxed) & bit) == 0)
            n_in += csr_degree(p->c->in, v);
    }
    return n_in;
}

static void count_moved(void *ctx, int64_t begin, int64_t end, int thread)
{
    sets_t *p = ctx;
    int64_t n_out = 0;

    (void)thread;
    for (int64_t w = begin / WORD; w * WORD < end; w++)
        for (uint64_t bits = moved_of(p, w); bits != 0; bits &= bits - 1)
            n_out += csr_degree(p->c->graph, first_node(w, bits));
    p->n_out += n_out;
}

static void renew_moved_of(void *ctx, int64_t begin, int64_t end, int thread)
{
    sets_t *p = ctx;
    int64_t n_in = 0;

    (void)thread;
    for (int64_t w = begin / WORD; w * WORD < end; w++) {
        const uint64_t moved = moved_of(p, w);

        for (uint64_t bits = moved; bits != 0; bits &= bits - 1) {
            renew_share(p, first_node(w, bits));
            n_in += put_targets(p, first_node(w, bits));
        }
        if (moved != 0)
            measure(p, w, moved);
    }
    p->n_in += n_in;
}

/* Renew the shares of the nodes that have moved, which gives the next working set.
 * @param n_visited  the arcs out of them are added
 * @return whether the next pass is one over the set; otherwise shares may be old */
static bool renew_moved(sets_t *p, int64_t *n_visited)
{
    const int64_t n = p->c->graph->n_nodes;

    p->n_in = p->n_out = 0;
    cpu_for(p->c->pool, n, GRAIN, count_moved, p);
    if (p->n_out > p->limits.out_arcs)
        return false;
    *n_visited += p->n_out;
    cpu_for(p->c->pool, n, GRAIN, renew_moved_of, p);
    p->drift = p->c->spec->damping * fabs(dangling_of(p) - p->dangling);
    return p->n_out + p->n_in <= p->limits.arcs && p->drift < p->limits.drift;
}

static bool has_dangling(const cpu_t *c)
{
    for (int32_t u = 0; u < c->graph->n_nodes; u++)
        if (csr_degree(c->graph, u) == 0)
            return c->spec->dangling == GRAPH_DANGLING_SPREAD;
    return false;
}

/* @return whether there is memory */
static bool create(cpu_t *c, double *rank, sets_t *p)
{
    const int64_t n = c->graph->n_nodes;

    *p = (sets_t){.c = c,
                  .limits = pagerank_limits(c->spec, c->graph),
                  .rank = rank,
                  .share = cpu_array(c, 0, n, sizeof(double)),
                  .shared = cpu_array(c, 1, n, sizeof(double)),
                  .sums = cpu_array(c, 7, n / GRAIN + 1, sizeof(double)),
                  .word_sum = cpu_array(c, 4, n / WORD + 1, sizeof(double)),
                  .word_max = cpu_array(c, 5, n / WORD + 1, sizeof(double)),
                  .group_sum = cpu_array(c, 9, (n / WORD + 1) * GROUPS, sizeof(double)),
                  .group_max = cpu_array(c, 10, (n / WORD + 1) * GROUPS, sizeof(double)),
                  .set = cpu_array(c, 6, n / WORD + 1, sizeof(uint64_t)),
                  .away = cpu_array(c, 8, (n / WORD + 1) * WORD, sizeof(double)),
                  .moved = INFINITY,
                  .has_dangling = has_dangling(c)};
    return p->share != NULL && p->shared != NULL && p->sums != NULL &&
           p->word_sum != NULL && p->word_max != NULL && p->group_sum != NULL &&
           p->group_max != NULL && p->set != NULL && p->away != NULL;
}

status_t cpu_pagerank_sets(cpu_t *c, graph_result_t *out, int64_t *n_set_passes,
                           double *change)
{
    const graph_spec_t *spec = c->spec;
    bool is_set = false;
    double moves;
    sets_t p;

    if (!create(c, out->column[0], &p))
        return ST_ENOMEM;
    renew_all(&p);
    while (out->n_iterations < spec->max_iterations) {
        if (graph_cancelled(c->run))
            return ST_ESTOPPED;
        moves = pass(&p, &out->n_visited);
        out->n_iterations++;
        *n_set_passes += is_set;
        *change = moves + p.drift;
        if (*change < spec->tolerance)
            break;
        set_moved(&p, moves);
        is_set = renew_moved(&p, &out->n_visited);
        if (!is_set && spec->restart == GRAPH_RESTART_AUTO)
            break;
        if (!is_set)
            renew_all(&p);
    }
    return ST_OK;
}
