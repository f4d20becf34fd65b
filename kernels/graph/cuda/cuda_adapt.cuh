/*
 * cuda_adapt.cuh - the adaptive runtime: chooses between variants while a kernel runs,
 * and logs its choices (after Li and Becchi 2013).
 *
 * The size of the working set is known after each iteration for nothing, so it is looked
 * at in each.  A thread per node is chosen for graphs of low degree, else the balanced
 * loop ("B"); a queue for small working sets, else a bitmap.
 */
#pragma once

#include "kernels/graph/cuda/cuda_graph.cuh"

extern "C" {
#include "io/base/buf.h"
#include "kernels/device/device.h"
#include "kernels/graph/common/graph_spec.h"
}

/* Choices are sums of these. */
enum {
    ADAPT_BLOCKS = 1,
    ADAPT_BITMAP = 2,
    ADAPT_PULL = 4,
    ADAPT_QUEUES = 8,   /* bfs: the next level goes to a queue */
    ADAPT_CLUSTER = 16, /* one cluster takes this set and those that follow */
    ADAPT_LOG_ENTRIES = 256,
    ADAPT_REPLAYED = 65536, /* iterations whose choices can be kept */
};

struct adapt_entry_t {
    int iteration, choice;
    unsigned n_nodes;
};

/* Parameters and log; passed to kernels by value. */
struct adapt_t {
    int pinned; /* a choice, or -1 */
    bool is_ordered, may_pull;
    graph_template_t threads, blocks; /* the templates that the variants use ... */
    graph_template_t wide; /* ... and of B for sets of at least wide_set nodes */
    unsigned wide_set;
    int blocks_per_core; /* of the grid; 0: as many as fit */
    double delta;        /* of near-far, in mean weights per mean degree */
    unsigned small_set;  /* T2: below it, B and a queue */
    unsigned large_set;  /* T3: above it, a bitmap */
    bool low_degree;     /* the mean is below T1, and no row is long */
    bool counts_arcs;    /* of bfs; otherwise nodes have the mean degree */
    unsigned mean_degree;
    adapt_entry_t *log; /* [ADAPT_LOG_ENTRIES] */
    int *n_logged;
    int *kept;               /* [ADAPT_REPLAYED] the choices of a run, or nullptr */
    bool replays, was_begun; /* they are made again */
};

/* @return the choice for a set of n nodes */
__host__ __device__ inline int adapt_choose(const adapt_t &a, unsigned n)
{
    if (a.pinned >= 0)
        return a.pinned;
    if (n < a.small_set)
        return ADAPT_BLOCKS;
    return (a.low_degree ? 0 : ADAPT_BLOCKS) | (n > a.large_set ? ADAPT_BITMAP : 0);
}

/* @return the choice of the run before, if it is made again, or -1 */
__device__ inline int adapt_kept(const adapt_t &a, int iteration)
{
    return a.replays && iteration < ADAPT_REPLAYED ? grid_read(&a.kept[iteration]) : -1;
}

__device__ inline void adapt_keep(const adapt_t &a, int iteration, int choice)
{
    if (a.kept != nullptr && iteration < ADAPT_REPLAYED && grid_is_first())
        a.kept[iteration] = choice;
}

/* @return the template of a choice for a set of n nodes */
__host__ __device__ inline graph_template_t adapt_template(const adapt_t &a, int choice,
                                                           unsigned n)
{
    if ((choice & ADAPT_BLOCKS) == 0)
        return a.threads;
    return n < a.wide_set ? a.blocks : a.wide;
}

/* What a kernel logged so far; each thread counts, so that none reads n_logged, for which
 * the grid would wait. */
struct adapt_noted_t {
    int choice, n;
};

constexpr adapt_noted_t ADAPT_NOTHING_NOTED = {-1, 0};

/* Log a choice by the grid's first thread, if it is not the one before. */
__device__ inline void adapt_note(const adapt_t &a, int iteration, unsigned n, int choice,
                                  adapt_noted_t *noted)
{
    if (choice != noted->choice && noted->n < ADAPT_LOG_ENTRIES) {
        if (grid_is_first()) {
            a.log[noted->n] = {iteration, choice, n};
            *a.n_logged = noted->n + 1;
        }
        noted->n++;
    }
    noted->choice = choice;
}

/* @return the parameters for a graph and a device, without a log */
adapt_t adapt_tune(graph_algorithm_t algorithm, const graph_run_t *run,
                   const cuda_graph_t &g, int n_cores);

/* The same with a log.  With tuning.replay, the first run keeps its choices, and
 * adapt_begin makes the others take them. */
status_t adapt_create(cuda_memory_t *m, graph_algorithm_t algorithm,
                      const graph_run_t *run, const cuda_graph_t &g,
                      const device_t *device, adapt_t *out) MUST_CHECK;

/* Prepare a run. */
status_t adapt_begin(adapt_t *a) MUST_CHECK;

/*
 * Choose the template of a loop over all nodes where none was asked for.
 *
 * @param loop  form and lb_threshold as asked for, changed to what is chosen
 */
void adapt_loop(graph_algorithm_t algorithm, const cuda_graph_t &g, cuda_loop_t *loop);

/* Append the log of the last kernel as text. */
status_t adapt_print(const adapt_t &a, buf_t *out) MUST_CHECK;
