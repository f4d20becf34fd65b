/*
 * graph_spec.h - what a graph job computes, and how: the algorithms, their options and
 * their results, and choices that change no result.
 *
 * Each result has one definition, which does not depend on the order of computation, so
 * that every backend returns the same bytes.  Real numbers are sums of a fixed shape
 * (tree_sum.h).  An original id is what the input calls a node; ties go by it.
 */
#pragma once

#include "io/graphfile/graph_result_format.h"
#include "io/graphfile/read/leaf_counts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    GRAPH_BFS,      /* depth, -1 where no path leads; parent: the neighbor of the smallest
                     * id that gives it, of a source itself, -1 where no path leads */
    GRAPH_SSSP,     /* distance: the smallest length of a path from the source
                     * (path_length.h), -1 where no path leads */
    GRAPH_PAGERANK, /* rank (Page et al. 1999), by Jacobi iterations */
    GRAPH_BETWEENNESS, /* centrality (Brandes 2001): the sum over ordered pairs of nodes,
                        * all or those from some sources */
    GRAPH_SPMV,        /* y = A x: y[u] is the sum of weight(u, v) x[v] over u's arcs */
    GRAPH_COMPONENTS,  /* component: the smallest node that is weakly connected */
    GRAPH_MST,         /* the arcs of a minimum spanning forest; ties: source, target */
    GRAPH_MIS,       /* in_set: the maximal independent set that is greedy by priority */
    GRAPH_COLORING,  /* color, from 0: greedy by descending degree, then ascending id */
    GRAPH_TRIANGLES, /* triangles that contain the node */
    GRAPH_DESCENDANTS, /* descendants, and leaves: how many of them, or the node itself,
                        * have no children; or in a sample the sum of their counts */
    GRAPH_HEIGHTS,     /* height: arcs of the longest path to a leaf */
    GRAPH_N_ALGORITHMS
} graph_algorithm_t;

enum { GRAPH_MAX_COLUMNS = 2 };

/* Options that only some algorithms have, besides those of the sources. */
enum {
    GRAPH_OPTIONS_ITERATIONS = 1, /* damping, tolerance, max_iterations, dangling */
    GRAPH_OPTIONS_ORDER = 2,
    GRAPH_OPTIONS_VECTOR = 4,
    GRAPH_OPTIONS_TREE = 8,   /* a dendrogram of the result */
    GRAPH_OPTIONS_FROM = 16,  /* a result on an earlier graph */
    GRAPH_OPTIONS_LEAVES = 32 /* counts of leaves */
};

/* The values that a column can have, in a graph of n nodes. */
typedef enum {
    GRAPH_VALUES_FLAG,      /* 0, 1 */
    GRAPH_VALUES_NODE,      /* 0 .. n-1 */
    GRAPH_VALUES_COUNT,     /* 0 .. n */
    GRAPH_VALUES_REACHED,   /* 0 .. n-1; -1 where no path leads */
    GRAPH_VALUES_DISTANCE,  /* 0 .. (n-1) * INT32_MAX; -1 where no path leads */
    GRAPH_VALUES_LENGTH,    /* a finite real number from 0 on; -1 where no path leads */
    GRAPH_VALUES_PAIRS,     /* 0 .. n * n */
    GRAPH_VALUES_PART_OF_1, /* 0 .. 1, and what rounding adds to 1 */
    GRAPH_VALUES_ANY        /* products of the input's numbers, NaN included */
} graph_values_t;

typedef struct {
    const char *name;    /* as on the command line: "bfs" */
    const char *summary; /* one line */
    bool is_undirected;  /* takes symmetric graphs without loops and repeated arcs */
    bool is_forest;      /* takes arcs from parents to children (forest.h) */
    bool uses_weights;   /* without weights each arc counts 1 */
    bool adds_lengths;  /* takes weights of at least 0, whose sums along a path are finite
                         */
    bool has_sources;   /* computes something for each of some nodes */
    bool is_summed;     /* ... and the results of all sources are added up */
    bool is_leveled;    /* step k finds the values k of the first column */
    bool gives_arcs;    /* the result is a forest's arcs */
    unsigned options;   /* GRAPH_OPTIONS_... */
    struct {            /* in a gang, whose ranks divide the graph */
        int node_bytes; /* of its vectors, of the hungriest kernel; 0: not divisible */
        bool reads_arcs_in, counts_arcs_out; /* counts: their targets are not read */
    } divided;
    int n_columns;
    struct {
        const char *name; /* of the dataset: "depth" */
        graph_type_t type;
        graph_values_t values;
    } columns[GRAPH_MAX_COLUMNS]; /* one value per node */
} graph_info_t;

/* @return what is known about an algorithm; static */
const graph_info_t *graph_info(graph_algorithm_t algorithm);

/* @return the same, with the types of columns on a graph: if its weights are real,
 * distances are, too */
const graph_info_t *graph_info_on(graph_algorithm_t algorithm, const csr_t *g);

/* @return whether ranks can divide its graph */
static inline bool graph_is_divisible(const graph_info_t *info)
{
    return info->divided.node_bytes > 0;
}

/* @return whether a column of a graph of n nodes can have a value; counts of nodes and
 * arcs fit a double */
bool graph_values_have(graph_values_t values, int64_t n_nodes, double value);

enum { GRAPH_NAMES_BYTES = 128 };

/* List the algorithms for which `has` is true: "bfs, sssp".  @return out */
const char *graph_names(bool (*has)(graph_algorithm_t algorithm, const void *arg),
                        const void *arg, char out[GRAPH_NAMES_BYTES]);

/* @return the bytes of one value */
int graph_type_bytes(graph_type_t type);

typedef enum {
    GRAPH_DANGLING_SPREAD, /* the rank of nodes without arcs goes to all nodes */
    GRAPH_DANGLING_LEAK    /* it is lost, as in the GAP benchmark */
} graph_dangling_t;

typedef enum {
    GRAPH_BY_ID,     /* the smaller id first */
    GRAPH_BY_DEGREE, /* the smaller degree first, then a hash of seed and id, then the id
                      */
    GRAPH_BY_WEIGHT  /* the larger priority[] first, then the smaller id: abundances */
} graph_order_t;

/* How PageRank begins with the ranks of an earlier graph. */
typedef enum {
    GRAPH_RESTART_AUTO, /* by working sets, while they have few arcs; then warm */
    GRAPH_RESTART_COLD, /* not with them: all ranks are equal at first */
    GRAPH_RESTART_WARM, /* by iterations over all nodes */
    GRAPH_RESTART_SET   /* by working sets (pagerank_restart.h) */
} graph_restart_t;

typedef struct {
    graph_algorithm_t algorithm;

    /* pagerank */
    double damping;   /* of 0 .. 1 */
    double tolerance; /* stop when the ranks' changes add up to less */
    int64_t max_iterations;
    graph_dangling_t dangling;
    const double *rank; /* [n_nodes] of an earlier graph, or NULL; borrowed */
    graph_restart_t restart;

    /* components, after changes of a graph; borrowed */
    const int32_t *joined; /* [n_nodes] a node of the same component, at most the node
                            * itself; or NULL: nothing is known */
    const int32_t *rows;   /* [n_rows] nodes whose arcs may join others, ascending */
    int64_t n_rows;

    graph_order_t order;     /* mis */
    const int64_t *priority; /* [n_nodes] of GRAPH_BY_WEIGHT, else NULL; borrowed */
    const double *x;         /* [n_nodes] spmv; borrowed */
    uint64_t seed;           /* of GRAPH_BY_DEGREE */

    const leaf_counts_t *leaves; /* that tasks of a sample need; borrowed */

    const char *optional; /* betweenness: what the caller leaves out of its output where
                           * there are too many paths; NULL: that is an error */
} graph_spec_t;

/* ---- how it is computed: choices that change no result ---- */

/* Templates of the loop "for each node, for each of its arcs": which threads take which
 * nodes (Li et al. 2015, Wu et al. 2016; merge-path: Merrill and Garland 2016); those
 * that launch kernels for nodes of high degree; and of recursion, over trees and in bfs
 * (Li et al. 2015).
 */
typedef enum {
    GRAPH_TEMPLATE_AUTO,
    GRAPH_THREAD_MAPPED, /* one thread per node */
    GRAPH_WARP_MAPPED,
    GRAPH_BLOCK_MAPPED,
    GRAPH_DUAL_QUEUE,  /* nodes of high degree in a second queue, one block each */
    GRAPH_DBUF_GLOBAL, /* they are put off in a buffer, which a second kernel reads */
    GRAPH_DBUF_SHARED, /* in a buffer of each block, which the same kernel reads */
    GRAPH_MERGE_PATH,  /* nodes and arcs are cut into equal parts */
    GRAPH_DPAR_NAIVE,  /* a kernel per node of high degree */
    GRAPH_DPAR_OPT,    /* a kernel for those of a block, with a block each */
    GRAPH_FLAT,        /* each node adds to all its ancestors, without recursion */
    GRAPH_REC_NAIVE,   /* a kernel per inner node, a block over its children */
    GRAPH_REC_HIER,    /* a kernel per node with inner children: a block per child, over
                        * its children */
    GRAPH_RECURSIVE,   /* a kernel per node whose depth falls, launched by whoever lowers
                        * it */
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

/* Kernels that a kernel would launch are consolidated: all of a warp, a block or the grid
 * become one, for items in a buffer (Wu et al. 2016). */
typedef enum {
    GRAPH_CONSOLIDATE_NONE,
    GRAPH_CONSOLIDATE_WARP,
    GRAPH_CONSOLIDATE_BLOCK,
    GRAPH_CONSOLIDATE_GRID
} graph_consolidate_t;

/* Where their buffers come from: a fixed place for each launch, a pool, or malloc on the
 * device. */
typedef enum {
    GRAPH_ALLOCATOR_FIXED,
    GRAPH_ALLOCATOR_POOL,
    GRAPH_ALLOCATOR_MALLOC
} graph_allocator_t;

#define GRAPH_POOL_BYTES (INT64_C(500) << 20)

/* The grid of a consolidated kernel. */
typedef enum {
    GRAPH_CHILD_AUTO, /* KC_32 of a warp, KC_16 of a block, KC_1 of the grid */
    GRAPH_CHILD_KC,   /* 1 / blocks of those that the device holds */
    GRAPH_CHILD_1_1,  /* a block per item */
    GRAPH_CHILD_FIXED /* blocks x threads */
} graph_child_kind_t;

typedef struct {
    graph_child_kind_t kind;
    int32_t blocks, threads; /* threads: 32, 64, 128 or 256 */
} graph_child_t;

/* How relaxation writes: atomically, or racing where the fixed point is the same. */
typedef enum { GRAPH_ATOMIC, GRAPH_RACY } graph_update_t;

/* Choices that a backend may obey for an algorithm, as sets. */
enum {
    GRAPH_CHOICE_TEMPLATE = 1, /* of loops, with the threshold */
    GRAPH_CHOICE_VARIANT = 2,
    GRAPH_CHOICE_UPDATE = 4,
    GRAPH_CHOICE_SPLIT = 8,
    GRAPH_CHOICE_RECURSION = 16, /* a template of recursion over trees */
    GRAPH_CHOICE_LAUNCHES = 32, /* a template that launches kernels, with the threshold */
    GRAPH_CHOICE_CONSOLIDATE = 64, /* with buffers, allocators and children */
    GRAPH_CHOICE_RECURSIVE = 128,  /* a template of recursion over any graph */
    GRAPH_CHOICE_SPLIT_DPAR = 256  /* splitting with templates that launch kernels */
};

/* @return the choice that a template is */
unsigned graph_template_choice(graph_template_t t);

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
    double pending;         /* limit of launches by kernels that have not ended */
} graph_tuning_t;

typedef struct {
    const char *backend; /* the only one to use, or NULL */
    graph_template_t loop_template;
    int64_t lb_threshold; /* degree above which a node counts as large; 0: 32 */
    graph_variant_t variant;
    graph_update_t update;
    graph_split_t split;
    int64_t split_degree; /* MDA of node splitting; 0: none, -1: from the histogram; with
                           * templates that launch kernels the threshold */
    graph_consolidate_t consolidate;
    int64_t buffer; /* items of a warp's or block's launch; 0: one per thread */
    graph_allocator_t allocator;
    int64_t pool_bytes; /* of all buffers, by pool or malloc; 0: GRAPH_POOL_BYTES */
    graph_child_t child;
    graph_tuning_t tuning;
    const int *cancel; /* may be NULL; once it is not 0, kernels may stop early */
} graph_run_t;

/* @return whether a kernel may return ST_ESTOPPED, with any result */
static inline bool graph_cancelled(const graph_run_t *run)
{
    return run->cancel != NULL && __atomic_load_n(run->cancel, __ATOMIC_RELAXED) != 0;
}

/* [GRAPH_N_TEMPLATES], [GRAPH_N_VARIANTS] and by other types, as on the command line:
 * "dual-queue", "U_B_QU", "racy" */
extern const char *const graph_template_name[];
extern const char *const graph_variant_name[];
extern const char *const graph_update_name[];
extern const char *const graph_consolidate_name[4];
extern const char *const graph_allocator_name[3];

/* By graph_restart_t, as on the command line. */
extern const char *const graph_restart_name[4];
