/*
 * cuda_brandes.cuh - shortest paths from many sources at once, and what depends on them.
 */
#pragma once

#include "kernels/graph/cuda/cuda_backend.cuh"

extern "C" {
#include "kernels/graph/common/graph_step.h"
}

#include <type_traits>

/* Passed to kernels by value. */
struct brandes_t {
    cuda_graph_t g, in;  /* in: arcs reversed */
    int lanes;           /* that share a row; a power of 2 */
    uint32_t warp_from;  /* longer rows are taken by a warp ... */
    uint32_t block_from; /* ... and rows longer than this by a block */
    bool is_small;       /* a source's search fits into shared memory */
    size_t search_bytes;
    char *searches;     /* [n_teams * search_bytes] unless is_small */
    unsigned *arrived;  /* [n_teams] */
    int n_teams;        /* maximum */
    int n_blocks;       /* all resident */
    int *sources;       /* [n_beside] */
    double *dependency; /* [n_beside][n_nodes] */
    int n_beside;       /* sources per launch, at most */
    int *refused; /* the first source with too many paths, by its place in the task */
    double *centrality; /* [n_nodes] */
};

/* Where a search is, and so the type of its numbers. */
template <bool IS_SMALL> struct search_t {
    typedef typename std::conditional<IS_SMALL, unsigned short, unsigned>::type number_t;
    static constexpr number_t NONE = static_cast<number_t>(~0u);

    double *given;    /* [n_nodes] paths; from the deepest level up, (1 + dependency) /
                         paths */
    unsigned *n_next; /* [4], 3 used in turn: nodes of the next level */
    number_t *depth;  /* [n_nodes] */
    number_t *order;  /* [n_nodes] reached nodes by depth */
    number_t *level;  /* [n_nodes + 1] where levels begin in order */

    __device__ search_t(char *memory, int n_nodes)
        : given(reinterpret_cast<double *>(memory)),
          n_next(reinterpret_cast<unsigned *>(given + n_nodes)),
          depth(reinterpret_cast<number_t *>(n_next + 4)), order(depth + n_nodes),
          level(order + n_nodes)
    {
    }

    static size_t bytes(int n_nodes)
    {
        const size_t n = static_cast<size_t>(n_nodes);
        const size_t bytes =
            n * sizeof(double) + 4 * sizeof(unsigned) + (3 * n + 1) * sizeof(number_t);

        return (bytes + 15) / 16 * 16;
    }

    /* Read what other threads of the team have written. */
    template <typename T> __device__ static T read(const T *at)
    {
        if constexpr (IS_SMALL)
            return *at;
        else
            return grid_read(at);
    }
};

/* Mark and list the nodes below a level. */
template <bool IS_SMALL> struct find_op_t {
    typedef no_value_t value_t;
    typedef typename search_t<IS_SMALL>::number_t number_t;
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    search_t<IS_SMALL> s;
    number_t *next; /* where the next level begins */
    unsigned *n_next;
    number_t depth; /* its depth */

    __device__ void arc(const cuda_row_t<no_value_t> &, uint32_t a) const
    {
        const int v = g.to[a];
        const number_t none = search_t<IS_SMALL>::NONE;

        if (s.read(&s.depth[v]) == none && atomicCAS(&s.depth[v], none, depth) == none)
            next[grid_append(n_next)] = static_cast<number_t>(v);
    }
};

/* Count the paths to the nodes of a level. */
template <bool IS_SMALL> struct paths_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = true;
    cuda_graph_t g; /* arcs reversed */
    search_t<IS_SMALL> s;
    unsigned above; /* depth */
    int *refused;
    int source; /* its place in the task */

    __device__ double term(uint32_t a) const
    {
        const int u = g.to[a];

        return s.read(&s.depth[u]) == above ? s.read(&s.given[u]) : 0;
    }

    __device__ void finish(int v, double sum) const
    {
        s.given[v] = sum;
        if (sum > GRAPH_MAX_PATHS)
            atomicMin(refused, source);
    }
};

/* Compute the dependencies on the nodes of a level. */
template <bool IS_SMALL> struct dependencies_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = true;
    cuda_graph_t g;
    search_t<IS_SMALL> s;
    unsigned below;     /* depth */
    double *dependency; /* [n_nodes] */

    __device__ double term(uint32_t a) const
    {
        const int v = g.to[a];

        return s.read(&s.depth[v]) == below ? s.read(&s.given[v]) : 0;
    }

    __device__ void finish(int u, double sum) const
    {
        const double n_paths = s.read(&s.given[u]), x = __dmul_rn(n_paths, sum);

        dependency[u] = x;
        s.given[u] = __ddiv_rn(__dadd_rn(1, x), n_paths);
    }
};

/* @return the bytes of a search, and of what a block has in shared memory besides */
size_t brandes_bytes(bool is_small, int n_nodes);
size_t brandes_shared_bytes();

/*
 * Add the dependencies of some sources to the centrality, in their order.
 *
 * @param n_sources  of b.sources, at most n_beside
 * @param first      the place of sources[0] in the task
 */
status_t brandes_run(const brandes_t &b, int n_sources, int64_t first) MUST_CHECK;

/* What betweenness keeps between tasks. */
struct betweenness_t : cuda_state_t {
    brandes_t brandes;
};

/* Compute a task, n_beside sources at a time. @param run  as brandes_run */
status_t betweenness_launch(const betweenness_t *s, const graph_task_t *task,
                            status_t (*run)(const betweenness_t *s, int n_sources,
                                            int64_t first)) MUST_CHECK;

/* A function of a cuda_algorithm_t, whose state begins with a betweenness_t. */
status_t betweenness_fetch(cuda_state_t *state, const graph_task_t *task,
                           graph_result_t *out) MUST_CHECK;
