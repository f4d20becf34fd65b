/*
 * cuda_relax.cuh - shortest paths, and unordered breadth-first search.
 */
#pragma once

#include "kernels/graph/cuda/cuda_frontier.cuh"

/* How lengths of paths are held and added (path_length.h): a word, all bits of which are
 * set where no path leads, and the end of a bucket that begins at a length. */

/* D: uint32_t, or unsigned long long where lengths need it. */
template <typename D> struct whole_path_t {
    typedef D word_t;

    static __device__ D extend(const cuda_graph_t &g, D length, uint32_t arc)
    {
        return length + static_cast<D>(g.weight != nullptr ? g.weight[arc] : 1);
    }

    static __device__ D bucket_end(D begin, D delta)
    {
        constexpr D none = static_cast<D>(~static_cast<D>(0));

        return begin > none - delta ? none : begin + delta;
    }
};

/* The bits of doubles.  A bucket has at least the lengths equal to its begin. */
struct real_path_t {
    typedef unsigned long long word_t;

    static __device__ double real(word_t length)
    {
        return __longlong_as_double(static_cast<long long>(length));
    }

    static __device__ word_t add(word_t length, double x)
    {
        return static_cast<word_t>(__double_as_longlong(__dadd_rn(real(length), x)));
    }

    static __device__ word_t extend(const cuda_graph_t &g, word_t length, uint32_t arc)
    {
        return add(length, g.value[arc]);
    }

    static __device__ word_t bucket_end(word_t begin, word_t delta)
    {
        return max(add(begin, real(delta)), begin + 1);
    }
};

/* P: one of the paths above. */
template <typename P> struct relax_t {
    typename P::word_t *distance; /* [n_nodes] */
    uint32_t *far;                /* [n_words] bits of the nodes of the loop */
    cuda_split_t split;
    typename P::word_t delta; /* 0: no far set */
    bool is_racy;             /* not with copies */
};

/* Set the first working set, and the distances before the first iteration; its parameters
 * are those of relax_run. */
template <typename P>
status_t relax_start(int n_nodes, const frontier_t &f, const relax_t<P> &s, int first,
                     int n) MUST_CHECK;

/* Compute distances from a source.
 *
 * @param g      the nodes of the loop: all, copies, or virtual nodes
 * @param first  the first of the n nodes that the source is there
 */
template <typename P>
status_t relax_run(const cuda_graph_t &g, const cuda_loop_t &loop, const frontier_t &f,
                   const adapt_t &adapt, const relax_t<P> &s, int first, int n,
                   int n_cores) MUST_CHECK;

/* Copy the distances of first copies. @param D  word of a path @param to  [n] */
template <typename D>
status_t relax_unsplit(const D *from, const int *first_part, int n, D *to) MUST_CHECK;

/* Find the parents of a breadth-first search. @param in  arcs reversed */
status_t relax_parents(const cuda_graph_t &in, const uint32_t *depth, int source,
                       int n_cores, int *parent) MUST_CHECK;
