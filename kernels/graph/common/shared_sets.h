/*
 * shared_sets.h - disjoint sets that several threads join at a time.
 *
 * After Jayanti, Tarjan (2016), A randomized concurrent algorithm for disjoint set union,
 * PODC: links by compare-and-swap, two-try splitting of paths.  The paper links roots in
 * a random order.  Here the higher one is linked to the lower one, so the root of a set
 * is its lowest member, independent of the order of joins and of threads.
 *
 * The sets are an array of parents, at most the member itself each; at first parent[i] is
 * i.  Relaxed order is enough: no other data are published with a parent.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_COMMON_SHARED_SETS_H
#define RIBOGRID_KERNELS_GRAPH_COMMON_SHARED_SETS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static inline int32_t shared_sets_parent(_Atomic int32_t *parent, int32_t i)
{
    return atomic_load_explicit(&parent[i], memory_order_relaxed);
}

static inline bool shared_sets_swap(_Atomic int32_t *parent, int32_t i, int32_t old,
                                    int32_t new)
{
    return atomic_compare_exchange_strong_explicit(&parent[i], &old, new,
                                                   memory_order_relaxed,
                                                   memory_order_relaxed);
}

/* @return the root of a member's set */
static inline int32_t shared_sets_root(_Atomic int32_t *parent, int32_t i)
{
    for (;;) {
        int32_t up = 0;

        for (int try = 0; try < 2; try++) { /* two tries, as in the paper */
            int32_t above;

            up = shared_sets_parent(parent, i);
            above = shared_sets_parent(parent, up);
            if (up == above)
                return up;
            shared_sets_swap(parent, i, up, above);
        }
        i = up;
    }
}

/* Join the sets of a and b. */
static inline void shared_sets_join(_Atomic int32_t *parent, int32_t a, int32_t b)
{
    for (;;) {
        a = shared_sets_root(parent, a);
        b = shared_sets_root(parent, b);
        if (a == b)
            return;
        if (a < b ? shared_sets_swap(parent, b, b, a) : shared_sets_swap(parent, a, a, b))
            return;
    }
}

#endif
