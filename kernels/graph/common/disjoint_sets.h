/*
 * disjoint_sets.h - union-find with path halving (Tarjan and van Leeuwen 1984).  The root
 * of a set is its lowest member.
 *
 * It is for a single thread: disjoint_sets_join returns whether two sets were joined, as
 * Kruskal's algorithm requires.  Shared sets are joined by several threads and have no
 * such result, since another thread may join the same sets at the same time.
 */
#pragma once

#include "io/base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t n;
    int32_t *parent; /* [n] */
} disjoint_sets_t;

/* Create n sets of one member each. @return ST_OK or ST_ENOMEM (logged) */
status_t disjoint_sets_make(int64_t n, disjoint_sets_t *out) MUST_CHECK;

/* @return the root of a member's set */
static inline int32_t disjoint_sets_root(disjoint_sets_t *s, int32_t i)
{
    while (s->parent[i] != i)
        i = s->parent[i] = s->parent[s->parent[i]];
    return i;
}

/* Join the sets of a and b. @return whether they were different sets */
bool disjoint_sets_join(disjoint_sets_t *s, int32_t a, int32_t b);

/* Return to sets of one member each. */
void disjoint_sets_reset(disjoint_sets_t *s);

/* Takes a zeroed one, too. */
void disjoint_sets_free(disjoint_sets_t *s);

/* Disjoint sets that several threads join at a time.
 *
 * After Jayanti, Tarjan (2016), A randomized concurrent algorithm for disjoint set union,
 * PODC: links by compare-and-swap, two-try splitting of paths.  The paper links roots in
 * a random order.  Here the higher one is linked to the lower one, so the root of a set
 * is its lowest member, independent of the order of joins and of threads.
 *
 * The sets are an array of parents, at most the member itself each; at first parent[i] is
 * i.  Relaxed order is enough: no other data are published with a parent. */

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
