/*
 * cpu_sssp.c - shortest paths by delta-stepping (Meyer, Sanders 2003), with bins per
 * thread (Zhang et al. 2020, GraphIt; GAP benchmark).
 *
 * A bin holds the nodes whose distance was last lowered to a range of delta.  The nodes
 * of the first bin are relaxed until it stays empty.  A thread that fills the current bin
 * with few nodes relaxes them at once.  There are bins for a window of distances; nodes
 * beyond it are `far` until it is empty and moves.  The distances are the only fixed
 * point, whatever the order (path_length.h).
 */
#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/common/path_length.h"
#include "kernels/graph/cpu/cpu_state.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1024, GRAIN = 64, FUSED_MAX = 1000 };

typedef struct {
    int32_t *nodes;
    int64_t n, capacity;
} bin_t;

typedef struct {
    bin_t bins[WINDOW], far;
    int64_t n_visited;
    status_t st;
} bins_t;

typedef struct {
    const csr_t *g;
    _Atomic path_length_t *distance; /* PATH_NONE where no path is known */
    int shift;                       /* delta is 1 << shift, */
    double scale;        /* or 1 / scale of real weights; 0: there is one bin */
    uint64_t first, bin; /* bins: the first of the window, the current one */
    bins_t *of_thread;   /* [n_threads] */
    int n_threads;
    bin_t front; /* nodes of the current bin */
} delta_t;

static status_t bin_add(bin_t *b, const int32_t *nodes, int64_t n)
{
    if (b->n + n > b->capacity) {
        int64_t capacity = 2 * (b->n + n) + 14;
        int32_t *more = realloc(b->nodes, (size_t)capacity * sizeof(*more));

        if (more == NULL)
            return log_nomem("shortest paths");
        b->nodes = more;
        b->capacity = capacity;
    }
    memcpy(b->nodes + b->n, nodes, (size_t)n * sizeof(*nodes));
    b->n += n;
    return ST_OK;
}

/* @return the bin of a distance; of real ones the last is that of all beyond, too */
static inline uint64_t bin_of(const delta_t *d, path_length_t distance)
{
    static const double last = 0x1p62;
    double bin;

    if (d->g->value == NULL)
        return distance >> d->shift;
    bin = path_real(distance) * d->scale;
    return bin < last ? (uint64_t)bin : (uint64_t)last;
}

/* Put a node into the bin of its new distance. */
static inline void put(const delta_t *d, bins_t *bins, int32_t v, path_length_t distance)
{
    uint64_t bin = bin_of(d, distance);
    bin_t *b = bin - d->first < WINDOW ? &bins->bins[bin - d->first] : &bins->far;

    if (b->n < b->capacity)
        b->nodes[b->n++] = v;
    else if (bins->st == ST_OK)
        bins->st = bin_add(b, &v, 1);
}

static inline void relax(const delta_t *d, bins_t *bins, int32_t u)
{
    const csr_t *g = d->g;
    path_length_t from = atomic_load_explicit(&d->distance[u], memory_order_relaxed);

    if (bin_of(d, from) < d->bin)
        return; /* relaxed already, in an earlier bin */
    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
        int32_t v = g->to[a];
        path_length_t to = path_extend(g, from, a);
        path_length_t old = atomic_load_explicit(&d->distance[v], memory_order_relaxed);

        while (to < old) {
            if (atomic_compare_exchange_weak_explicit(&d->distance[v], &old, to,
                                                      memory_order_relaxed,
                                                      memory_order_relaxed)) {
                put(d, bins, v, to);
                break;
            }
        }
    }
    bins->n_visited += csr_degree(g, u);
}

static void relax_front(void *ctx, int64_t begin, int64_t end, int thread)
{
    const delta_t *d = ctx;
    bins_t *bins = &d->of_thread[thread];
    bin_t *own = &bins->bins[d->bin - d->first];

    for (int64_t k = begin; k < end; k++)
        relax(d, bins, d->front.nodes[k]);
    for (int64_t n = 0; own->n > 0 && own->n < FUSED_MAX && n < FUSED_MAX; n++)
        relax(d, bins, own->nodes[--own->n]);
}

/* Move the nodes of the current bin to the front. */
static status_t gather(delta_t *d)
{
    status_t st = ST_OK;

    d->front.n = 0;
    for (int t = 0; t < d->n_threads && st == ST_OK; t++) {
        bin_t *b = &d->of_thread[t].bins[d->bin - d->first];

        if (d->of_thread[t].st != ST_OK)
            return d->of_thread[t].st;
        if (b->n > 0)
            st = bin_add(&d->front, b->nodes, b->n);
        b->n = 0;
    }
    return st;
}

/* @return the first bin of far nodes; UINT64_MAX: there are none.  Those of nodes whose
 * distance was lowered into the window since are not counted. */
static uint64_t first_far(const delta_t *d)
{
    uint64_t min = UINT64_MAX;

    for (int t = 0; t < d->n_threads; t++)
        for (int64_t k = 0; k < d->of_thread[t].far.n; k++) {
            uint64_t bin = bin_of(d, d->distance[d->of_thread[t].far.nodes[k]]);

            if (bin >= d->first + WINDOW && bin < min)
                min = bin;
        }
    return min;
}

/* Move the window to the far nodes. @return false: there are none */
static bool move_window(delta_t *d)
{
    uint64_t end = d->first + WINDOW, first = first_far(d);

    if (first == UINT64_MAX)
        return false;
    d->first = d->bin = first;
    for (int t = 0; t < d->n_threads; t++) {
        bins_t *bins = &d->of_thread[t];
        int64_t n = bins->far.n;

        bins->far.n = 0; /* at most one is put back for each that is read */
        for (int64_t k = 0; k < n; k++) {
            int32_t v = bins->far.nodes[k];

            if (bin_of(d, d->distance[v]) >= end)
                put(d, bins, v, d->distance[v]);
        }
    }
    return true;
}

/* Advance to the next bin with nodes. @return false: there is none */
static bool next_bin(delta_t *d)
{
    for (; d->bin < d->first + WINDOW; d->bin++)
        for (int t = 0; t < d->n_threads; t++)
            if (d->of_thread[t].bins[d->bin - d->first].n > 0)
                return true;
    return move_window(d);
}

/* Choose delta: the mean weight of a sample divided by the mean degree; of whole weights
 * the power of two below it. */
static void choose_delta(delta_t *d)
{
    const csr_t *g = d->g;
    const int64_t step = 1 + g->n_arcs / 4096;
    double sum = 0, delta;

    if ((g->weight == NULL && g->value == NULL) || g->n_arcs == 0)
        return;
    for (int64_t a = 0; a < g->n_arcs; a += step)
        sum += graph_arc_value(g, a);
    delta = sum / (double)((g->n_arcs - 1) / step + 1) * (double)g->n_nodes /
            (double)g->n_arcs;
    if (g->value != NULL)
        d->scale = isnormal(1 / delta) ? 1 / delta : 0;
    while (g->value == NULL && d->shift < 30 &&
           (double)(INT64_C(1) << (d->shift + 1)) <= delta)
        d->shift++;
}

static void release(delta_t *d)
{
    for (int t = 0; d->of_thread != NULL && t < d->n_threads; t++) {
        for (int b = 0; b < WINDOW; b++)
            free(d->of_thread[t].bins[b].nodes);
        free(d->of_thread[t].far.nodes);
    }
    free(d->of_thread);
    free(d->front.nodes);
}

status_t cpu_sssp(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    delta_t d = {.g = c->graph, .distance = out->column[0], .n_threads = c->n_threads};
    status_t st = ST_OK;

    d.of_thread = calloc((size_t)c->n_threads, sizeof(*d.of_thread));
    if (d.of_thread == NULL)
        return log_nomem("shortest paths");
    choose_delta(&d);
    memset(out->column[0], -1, (size_t)c->graph->n_nodes * sizeof(*d.distance));
    d.distance[task->sources[0]] = 0;
    put(&d, &d.of_thread[0], task->sources[0], 0);
    while (next_bin(&d) && (st = gather(&d)) == ST_OK) {
        if (graph_cancelled(c->run)) {
            st = ST_ESTOPPED;
            break;
        }
        cpu_for(c->pool, d.front.n, GRAIN, relax_front, &d);
        out->n_iterations++;
    }
    for (int t = 0; t < d.n_threads; t++) {
        out->n_visited += d.of_thread[t].n_visited;
        if (st == ST_OK)
            st = d.of_thread[t].st;
    }
    path_finish(c->graph, out->column[0]);
    release(&d);
    return st;
}
