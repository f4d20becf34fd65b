/*
 * cuda_coloring.cuh - greedy coloring in rounds: a node takes its color when all
 * neighbors before it in the order have theirs, by an operation of the loops.
 */
#pragma once

#include "kernels/graph/cuda/cuda_order.cuh"

/*
 * The status of a node is its color, or COLOR_OPEN and what is known: of nodes of small
 * degrees the set of colors, of others the smallest color in it.
 */
constexpr uint32_t COLOR_OPEN = 0x80000000u;

enum { COLORING_SMALL_DEGREE = 30 };

/* Passed to kernels by value. */
struct colors_t {
    cuda_graph_t earlier; /* rows by place */
    int n_large;          /* places of nodes of more than COLORING_SMALL_DEGREE arcs */
    const int *node;      /* by place */
    uint32_t *status;     /* [n_nodes] by place */
    uint32_t *bits; /* sets of colors, from coloring_words() on; rounds: of neighbors */
    unsigned *mark; /* [n_nodes] of rounds */
    int *list;      /* [n_nodes rounded up to 32] */
    int *color;     /* [n_nodes] by node */
};

struct coloring_t : cuda_state_t {
    cuda_order_t order;
    colors_t colors;
};

/* @return where the set of a node begins: one bit for each arc, and one more */
__device__ inline uint32_t coloring_words(const colors_t &s, int p)
{
    return s.earlier.first[p] / 32 + static_cast<uint32_t>(p);
}

/* Begin with uncolored nodes, for rounds. */
__device__ inline void coloring_start(const colors_t &s)
{
    for (int64_t i = grid_thread(); i < s.earlier.n_nodes; i += grid_n_threads()) {
        const int p = static_cast<int>(i);
        const uint32_t k = s.earlier.first[p + 1] - s.earlier.first[p];

        s.status[p] = COLOR_OPEN;
        s.mark[p] = 0;
        for (uint32_t w = 0; w <= k / 32; w++)
            s.bits[coloring_words(s, p) + w] = 0;
    }
}

__device__ inline void coloring_write(const colors_t &s)
{
    for (int64_t p = grid_thread(); p < s.earlier.n_nodes; p += grid_n_threads())
        s.color[s.node[p]] = static_cast<int>(grid_read(&s.status[p]));
}

struct coloring_op_t {
    typedef uint32_t value_t; /* where the colors of its neighbors are */
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    colors_t s;
    unsigned long long n_visited;

    __device__ bool begin(int p, cuda_row_t<uint32_t> *row) const
    {
        row->value = coloring_words(s, p);
        return row_begin(g, p, row);
    }

    __device__ void arc(const cuda_row_t<uint32_t> &row, uint32_t a)
    {
        const uint32_t status = grid_read(&s.status[g.to[a]]);

        n_visited++;
        if ((status & COLOR_OPEN) != 0)
            s.mark[row.node] = 1;
        else if (status <= row.end - row.first &&
                 (grid_read(&s.bits[row.value + status / 32]) >> (status % 32) & 1) == 0)
            atomicOr(&s.bits[row.value + status / 32], 1u << (status % 32));
    }

    /* @return whether the node is still uncolored */
    __device__ bool settle(int p) const
    {
        const uint32_t words = coloring_words(s, p);
        uint32_t w = 0, taken;

        if (grid_read(&s.mark[p]) != 0) {
            s.mark[p] = 0;
            return true;
        }
        while ((taken = grid_read(&s.bits[words + w])) == ~0u)
            w++;
        s.status[p] = w * 32 + static_cast<uint32_t>(__ffs(static_cast<int>(~taken))) - 1;
        return false;
    }
};

/* Functions of cuda_algorithm_t, on a coloring_t. */
status_t coloring_create(cuda_state_t *state) MUST_CHECK;
status_t coloring_fetch(cuda_state_t *state, const graph_task_t *task,
                        graph_result_t *out) MUST_CHECK;
