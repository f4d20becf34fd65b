/*
 * cuda_graph.cuh - a graph on the device, and the sets of nodes that loops run over.
 */
#pragma once

#include "kernels/graph/cuda/cuda_grid.cuh"

#include <cstdlib>

extern "C" {
#include "io/graphfile/csr.h"
#include "kernels/graph/common/graph_spec.h"
}

/* Rows in device memory; passed to kernels by value. */
struct cuda_graph_t {
    int n_nodes;
    uint32_t n_arcs;
    uint32_t max_degree;
    const uint32_t *first; /* [n_nodes + 1] */
    const int *to;         /* [n_arcs] */
    const int *weight;     /* [n_arcs], or nullptr */
    const double *value;   /* [n_arcs], or nullptr */
};

/* A set of nodes: all, the nodes of a queue, or those whose bit is set. */
struct cuda_set_t {
    const int *queue; /* [n], or nullptr */
    uint32_t *bits; /* [n / 32 rounded up], or nullptr; each word is set to 0 by the loop
                       that reads it */
    int n;          /* of the queue; otherwise of the graph */
};

/* Classes of rows by length: rows of class k < ROW_CLASS_WARP have at most 4 << k arcs
 * and are added up by 1 << k lanes; then longer ones by a warp, and the longest by a
 * block. */
enum {
    ROW_CLASS_WARP = 6,
    ROW_CLASS_BLOCK,
    N_ROW_CLASSES,
    ROW_BLOCK_ARCS = 2048,
    ROW_LANE_ARCS = 4,
    PIECE_ARCS = 256,  /* merge-path cuts rows into pieces of this length, ... */
    CHUNK_ARCS = 1024, /* ... and pieces into chunks of at most this length */
};

/* How the rows of a graph are divided for sums. */
struct cuda_plan_t {
    const int *order; /* [n_nodes] by class; nullptr: all are of class 0 */
    int class_first[N_ROW_CLASSES + 1]; /* positions in order */

    /* merge-path; nullptr unless it was asked for */
    const int *piece_node;       /* [n_pieces] */
    const uint32_t *piece_first; /* [n_pieces + 1] arcs, ascending */
    const int *piece_sum;        /* [n_pieces] where its sum goes; -1: it is a row */
    const int *chunk_piece;      /* [n_chunks + 1] */
    int n_chunks;
    const int *cut_node; /* [n_cut] rows of several pieces */
    const int *cut_sum;  /* [n_cut + 1] their positions in sums */
    int n_cut;
    double *sums; /* scratch, one per piece of a cut row */
};

/* What the loop templates write. */
struct cuda_loop_t {
    graph_template_t form; /* GRAPH_TEMPLATE_AUTO: rows of a warp are put together */
    uint32_t lb_threshold;
    int *small, *large;       /* [n_nodes] queues of nodes with few, many arcs */
    uint32_t *start;          /* [n_nodes] merge-path: where the arcs of a node begin */
    unsigned long long *tail; /* [3] used in turn: lengths of the queues */
};

/* Device memory of a state: freed together. */
struct cuda_memory_t {
    enum { MAX = 64 };
    void *at[MAX];
    int n;
};

/* Allocate n elements, at least one. @return ST_OK or ST_EDEVICE */
template <typename T> status_t cuda_memory_new(cuda_memory_t *m, int64_t n, T **out)
{
    void *at = nullptr;
    status_t st =
        CUDA_TRY(cudaMalloc(&at, static_cast<size_t>(n > 0 ? n : 1) * sizeof(T)));

    if (st == ST_OK) {
        m->at[m->n++] = at;
        *out = static_cast<T *>(at);
    }
    return st == ST_ENOMEM ? ST_EDEVICE : st;
}

/* Allocate n elements and copy them from the host. */
template <typename T>
status_t cuda_memory_put(cuda_memory_t *m, const T *from, int64_t n, const T **out)
{
    T *at = nullptr;
    status_t st = cuda_memory_new(m, n, &at);

    if (st == ST_OK)
        st = CUDA_TRY(cudaMemcpy(at, from, static_cast<size_t>(n) * sizeof(T),
                                 cudaMemcpyHostToDevice));
    *out = at;
    return st;
}

void cuda_memory_free(cuda_memory_t *m);

/* Frees host memory at the end of a block. */
struct cuda_host_t {
    enum { MAX = 8 };
    void *at[MAX];
    int n;
    ~cuda_host_t()
    {
        for (int k = 0; k < n; k++)
            free(at[k]);
    }
};

/* Allocate n + 1 elements. @return nullptr without memory */
template <typename T> T *cuda_host_new(cuda_host_t *m, int64_t n)
{
    T *at = static_cast<T *>(malloc(static_cast<size_t>(n + 1) * sizeof(T)));

    m->at[m->n++] = at;
    return at;
}

/* Copy rows to the device. @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST */
status_t cuda_graph_put(cuda_memory_t *m, const csr_t *g, cuda_graph_t *out) MUST_CHECK;

/* The nodes that nodes were split into; all nullptr: none was.  Copies have values of
 * their own and follow the node in its numbering; virtual nodes have those of the owner.
 */
struct cuda_split_t {
    const int *first_part; /* [n_nodes + 1] the first node that a node becomes */
    const int *copies;     /* [parts] how many nodes follow a first one */
    const int *owner;      /* [parts] the node that a virtual node is a part of */
};

/*
 * Split nodes: node u becomes ceil(degree / mda) nodes that share its arcs evenly.  Arcs
 * to u lead to the first of its copies, or, if they are virtual, to u itself.
 *
 * @param rows        the graph on the device, whose arcs virtual nodes use
 * @param first_part  [n_nodes + 1] the same as out's on the host
 */
status_t cuda_graph_split(cuda_memory_t *m, const csr_t *g, int64_t mda,
                          graph_split_t kind, const cuda_graph_t &rows, int *first_part,
                          cuda_split_t *split, cuda_graph_t *out) MUST_CHECK;

/* @return the number of nodes after splitting */
int64_t cuda_graph_split_nodes(const csr_t *g, int64_t mda);

/* @return the degree to split at: the top of the fullest of ten equal buckets */
int64_t cuda_graph_mda(const csr_t *g);

/* Divide rows for sums. @param with_pieces  for merge-path */
status_t cuda_graph_plan(cuda_memory_t *m, const csr_t *g, bool with_pieces,
                         cuda_plan_t *out) MUST_CHECK;
