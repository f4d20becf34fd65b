/*
 * rg_gpu_abi.h - what the kernels of a graph program share with the host that launches
 * them.  The text of this file is a part of every program that is emitted for GPUs.
 */
#pragma once

#include "graph/program/rg_abi.h"

/* What kernels find out. */
typedef struct {
    int64_t launch;   /* in which the first error was, or 0: there was none */
    int64_t position; /* of its iteration */
    int64_t error;    /* rg_gpu_error */
    int64_t n_iterations, n_visited;
    int64_t n_members; /* of the set that was counted last */
    int32_t lock, unused;
} rg_gpu_found_t;

/* Where the first element is for which the condition of any or all decides, in a block.
 */
typedef struct {
    int64_t position; /* or INT64_MAX: nowhere */
    int64_t error;    /* rg_gpu_error, or 0: it does decide */
    int64_t n_visited;
} rg_gpu_event_t;

/* What a launch is told.  The program has attributes, sets and variables behind it:
 *     void *attribute[n_attributes + 1];
 *     rg_set_t set[n_sets + 1];
 *     rg_value_t variable[n_values + 1]; */
typedef struct {
    int64_t n_nodes; /* as in rg_host_t, */
    const int64_t *first, *in_first, *id;
    const int32_t *to, *in_to, *weight;
    const double *value;
    int64_t max_iterations; /* up to here */
    int64_t launch;         /* from 1 */
    int64_t begin, end;     /* of the range: nodes, or places of a list */
    int64_t piece;          /* positions of a block, a power of two */
    rg_gpu_found_t *found;
    void *part;         /* [blocks] of rg_value_t or rg_gpu_event_t: values of pieces */
    rg_value_t *merged; /* [n_values] variables that iterations change */
} rg_gpu_launch_t;

/* An error, and where; not 0. */
static inline int64_t rg_gpu_error(rg_error_t error, int line, int column)
{
    return (int64_t)(error + 1) << 48 | (int64_t)line << 24 | column;
}
