/*
 * rg_sort.h - nodes in the order of their keys, for `sort` of a running program.
 */
#pragma once

#include "graph/program/rg_collection.h"

/* What is to be sorted; zeroed: nothing. */
typedef struct {
    uint64_t *key; /* in the order of the keys */
    int32_t *node;
    int64_t n, capacity;
} rg_sort_t;

/* Add a node. @param is_real  NaN comes last; 0 and -0 are equal
 * @return ST_OK or ST_ENOMEM (logged) */
status_t rg_sort_add(rg_sort_t *s, bool is_real, rg_value_t key, int64_t node) MUST_CHECK;

/* Set a sequence to the nodes by ascending keys, those of equal keys as they were added;
 * nothing is left to be sorted. @return ST_OK or ST_ENOMEM (logged) */
status_t rg_sort_into(rg_sort_t *s, rg_set_t *out, int64_t n_nodes) MUST_CHECK;

void rg_sort_free(rg_sort_t *s);
