/*
 * graph_run.h - how a graph job is computed: choices that change no result.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_COMMON_GRAPH_RUN_H
#define RIBOGRID_KERNELS_GRAPH_COMMON_GRAPH_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Templates of the loop "for each node, for each of its arcs": which threads take which
 * nodes (Li et al. 2015, Wu et al. 2016; merge-path: Merrill and Garland 2016). */
typedef enum {
    GRAPH_TEMPLATE_AUTO,
    GRAPH_THREAD_MAPPED, /* one thread per node */
    GRAPH_WARP_MAPPED,
    GRAPH_BLOCK_MAPPED,
    GRAPH_DUAL_QUEUE,  /* nodes of high degree in a second queue, one block each */
    GRAPH_DBUF_GLOBAL, /* they are put off in a buffer, which a second kernel reads */
    GRAPH_DBUF_SHARED, /* in a buffer of each block, which the same kernel reads */
    GRAPH_MERGE_PATH,  /* nodes and arcs are cut into equal parts */
    GRAPH_N_TEMPLATES
} graph_template_t;

/* Variants of BFS and SSSP: ordered or unordered, a thread or a block per node, the
 * working set as a bitmap or a queue (Li and Becchi 2013). */
typedef enum {
    GRAPH_VARIANT_AUTO,
    GRAPH_O_T_BM,
    GRAPH_O_T_QU,
    GRAPH_O_B_BM,
    GRAPH_O_B_QU,
    GRAPH_U_T_BM,
    GRAPH_U_T_QU,
    GRAPH_U_B_BM,
    GRAPH_U_B_QU,
    GRAPH_N_VARIANTS
} graph_variant_t;

/* How relaxation writes: atomically, or racing where the fixed point is the same. */
typedef enum { GRAPH_ATOMIC, GRAPH_RACY } graph_update_t;

/* Choices that a backend may obey for an algorithm, as sets. */
enum {
    GRAPH_CHOICE_TEMPLATE = 1, /* with the threshold */
    GRAPH_CHOICE_VARIANT = 2,
    GRAPH_CHOICE_UPDATE = 4,
    GRAPH_CHOICE_SPLIT = 8
};

/* What a node of many arcs becomes, for bfs and sssp: nodes with copies of its value, or
 * virtual nodes, which share the arcs evenly and have one value. */
typedef enum { GRAPH_SPLIT_COPIES, GRAPH_SPLIT_VIRTUAL } graph_split_t;

/* Thresholds of the adaptive runtime (Li and Becchi 2013), and what else depends on the
 * device; 0: what was measured to be the best. */
typedef struct {
    double low_degree;      /* T1: below this mean degree, a thread per node */
    double small_set;       /* T2: for sets of fewer nodes, B and a queue */
    double large_set;       /* T3: above this part of all nodes, a bitmap */
    double delta;           /* sssp: width of a bucket, in mean weights per mean degree */
    double blocks_per_core; /* traversals: fewer make barriers of the grid faster */
    double skew;            /* bfs, sssp: merge-path above this maximum by mean degree, */
    double wide_set;        /* minimum number of nodes of sets that need it */
    double replay;          /* if not 0, runs after the first one make its choices */
} graph_tuning_t;

typedef struct {
    const char *backend; /* the only one to use, or NULL */
    graph_template_t loop_template;
    int64_t lb_threshold; /* degree above which a node counts as large; 0: 32 */
    graph_variant_t variant;
    graph_update_t update;
    graph_split_t split;
    int64_t split_degree; /* MDA of node splitting; 0: none, -1: from the histogram */
    graph_tuning_t tuning;
    const int *cancel; /* may be NULL; once it is not 0, kernels may stop early */
} graph_run_t;

/* @return whether a kernel may return ST_ESTOPPED, with any result */
static inline bool graph_cancelled(const graph_run_t *run)
{
    return run->cancel != NULL && __atomic_load_n(run->cancel, __ATOMIC_RELAXED) != 0;
}

/* [GRAPH_N_TEMPLATES], [GRAPH_N_VARIANTS] and by graph_update_t, as on the command line:
 * "dual-queue", "U_B_QU", "racy" */
extern const char *const graph_template_name[];
extern const char *const graph_variant_name[];
extern const char *const graph_update_name[];

#endif
