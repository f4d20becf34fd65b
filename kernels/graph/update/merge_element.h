/*
 * merge_element.h - merging the rows of a graph with arcs to add, without those to
 * remove, element by element: each finds its place by bisection, so all may be done at
 * once.
 *
 * In this order: place_added and find_gone; n_gone is summed up to first_gone; list_gone;
 * begin_tile; new_first, move_arc and put_added.  An old arc comes behind those that stay
 * before it and those that are added in front of it; an added one behind old ones of the
 * same target, as csr_update has it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define MERGE_ELEMENT __device__ static inline
#else
#define MERGE_ELEMENT static inline
#endif

/* Old arcs whose neighbors in other lists are looked up together. */
enum { MERGE_TILE = 256 };

/* Rows; weight and value may be NULL, first as well: there are none. */
typedef struct {
    const int64_t *first;
    const int32_t *to, *weight;
    const double *value;
    int64_t n; /* arcs */
} merge_rows_t;

typedef struct {
    int64_t n_old, n_nodes; /* nodes of the old graph and of the new one */
    merge_rows_t old, add, remove;
    const int32_t *moved, *below; /* as in csr_merge_t; NULL: no node is new */

    int64_t *place;      /* [add.n] the old arc in front of which one is added */
    int64_t *gone_at;    /* [remove.n] the first old arc that is removed */
    int64_t *n_gone;     /* [remove.n + 1] how many are, then 0 */
    int64_t *first_gone; /* [remove.n + 1] their sums: where they are in `gone` */
    int64_t *gone;       /* [n_gone_all] old arcs that are removed, ascending */
    int64_t n_gone_all;
    /* [tiles + 1] which are the first behind the begin of a tile */
    int64_t *tile_place, *tile_gone;

    int64_t *first; /* the new rows */
    int32_t *to, *weight;
    double *value;
} merge_t;

/* @return the first of [low, high) that is at least x, or high */
MERGE_ELEMENT int64_t merge_lower(const int64_t *list, int64_t low, int64_t high,
                                  int64_t x)
{
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;

        if (list[mid] < x)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The same of targets. */
MERGE_ELEMENT int64_t merge_target(const int32_t *to, const int32_t *moved, int64_t low,
                                   int64_t high, int32_t x)
{
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;

        if ((moved != 0 ? moved[to[mid]] : to[mid]) < x)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* @return the row of an arc */
MERGE_ELEMENT int64_t merge_row(const int64_t *first, int64_t n_rows, int64_t arc)
{
    return merge_lower(first, 0, n_rows + 1, arc + 1) - 1;
}

MERGE_ELEMENT int64_t merge_below(const merge_t *m, int64_t node)
{
    return m->below != 0 ? m->below[node] : node;
}

MERGE_ELEMENT void merge_place_added(const merge_t *m, int64_t k)
{
    const int64_t node = merge_row(m->add.first, m->n_nodes, k);
    const int64_t was = merge_below(m, node), end = merge_below(m, node + 1);

    m->place[k] = merge_target(m->old.to, m->moved, m->old.first[was], m->old.first[end],
                               m->add.to[k] + 1);
}

MERGE_ELEMENT void merge_find_gone(const merge_t *m, int64_t k)
{
    const int64_t row = merge_row(m->remove.first, m->n_old, k);
    const int32_t target = m->remove.to[k];
    const int64_t begin = m->old.first[row], end = m->old.first[row + 1];
    int64_t at;

    m->n_gone[k] = 0;
    if (k > m->remove.first[row] && m->remove.to[k - 1] == target)
        return; /* it has found them */
    at = merge_target(m->old.to, 0, begin, end, target);
    m->gone_at[k] = at;
    m->n_gone[k] = merge_target(m->old.to, 0, at, end, target + 1) - at;
}

MERGE_ELEMENT void merge_list_gone(const merge_t *m, int64_t k)
{
    const int64_t n = m->first_gone[k + 1] - m->first_gone[k];

    for (int64_t i = 0; i < n; i++)
        m->gone[m->first_gone[k] + i] = m->gone_at[k] + i;
}

MERGE_ELEMENT void merge_begin_tile(const merge_t *m, int64_t tile)
{
    m->tile_place[tile] = merge_lower(m->place, 0, m->add.n, tile * MERGE_TILE);
    m->tile_gone[tile] = merge_lower(m->gone, 0, m->n_gone_all, tile * MERGE_TILE);
}

MERGE_ELEMENT void merge_new_first(const merge_t *m, int64_t node)
{
    const int64_t at = m->old.first[merge_below(m, node)];

    m->first[node] = at - merge_lower(m->gone, 0, m->n_gone_all, at) +
                     (m->add.first != 0 ? m->add.first[node] : 0);
}

MERGE_ELEMENT void merge_put(const merge_t *m, const merge_rows_t *from, int64_t arc,
                             int32_t target, int64_t at)
{
    m->to[at] = target;
    if (m->weight != 0)
        m->weight[at] = from->weight[arc];
    if (m->value != 0)
        m->value[at] = from->value != 0 ? from->value[arc] : from->weight[arc];
}

MERGE_ELEMENT void merge_move_arc(const merge_t *m, int64_t arc)
{
    const int64_t tile = arc / MERGE_TILE;
    const int64_t n_gone =
        merge_lower(m->gone, m->tile_gone[tile], m->tile_gone[tile + 1], arc);
    const int64_t n_added =
        merge_lower(m->place, m->tile_place[tile], m->tile_place[tile + 1], arc + 1);
    const int32_t to = m->old.to[arc];

    if (n_gone == m->n_gone_all || m->gone[n_gone] != arc)
        merge_put(m, &m->old, arc, m->moved != 0 ? m->moved[to] : to,
                  arc - n_gone + n_added);
}

MERGE_ELEMENT void merge_put_added(const merge_t *m, int64_t k)
{
    const int64_t at = m->place[k];

    merge_put(m, &m->add, k, m->add.to[k],
              at - merge_lower(m->gone, 0, m->n_gone_all, at) + k);
}
