/*
 * rg_collection.h - the collections of a running program: sets and multisets, osets,
 * omultisets and queues (rg_collection_info).
 *
 * All have a bit per node, so that `in` is one look-up; multisets count, and sequences
 * have a list.
 */
#pragma once

#include "graph/program/rg_program.h"

/* @param out  freed by rg_collection_free, also after an error
 * @return ST_OK or ST_ENOMEM (logged) */
status_t rg_collection_create(const rg_collection_info_t *kind, int64_t n_nodes,
                              rg_set_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void rg_collection_free(rg_set_t *set);

/* @return bytes that an empty collection takes */
double rg_collection_bytes(const rg_collection_info_t *kind, int64_t n_nodes);

/*
 * Change a collection.  What it has not is not removed, and nothing is taken from an
 * empty queue.
 *
 * @param node  for RG_ADD and RG_REMOVE, whose first element of this node goes
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t rg_collection_change(rg_set_t *set, int64_t n_nodes, int64_t node,
                              rg_change_t how) MUST_CHECK;

/* Make room for more nodes. @return ST_OK or ST_ENOMEM (logged) */
status_t rg_collection_resize(rg_set_t *set, int64_t n_before,
                              int64_t n_nodes) MUST_CHECK;

/* Give nodes other numbers, in the same order; -1: the node goes.
 * @param map  [n_nodes] */
void rg_collection_renumber(rg_set_t *set, const int32_t *map, int64_t n_nodes);

static inline bool rg_collection_has(const rg_set_t *set, int64_t node)
{
    return set->bits[node / 64] >> (node % 64) & 1;
}

/* @return how often it has a node */
static inline int64_t rg_collection_count(const rg_set_t *set, int64_t node)
{
    return set->count != NULL ? set->count[node] : rg_collection_has(set, node);
}

/* @return the first element of a sequence, or -1 */
static inline int64_t rg_collection_first(const rg_set_t *set)
{
    return set->n > 0 ? set->list[set->begin] : -1;
}
