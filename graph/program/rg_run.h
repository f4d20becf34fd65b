/*
 * rg_run.h - runs a graph program, one statement after the other: the definition of
 * what a program computes.
 *
 * A foreach goes through its range in ascending order; since the program has no races,
 * every other order gives the same bytes.
 */
#pragma once

#include "graph/program/rg_program.h"
#include "io/graphfile/csr.h"
#include "io/graphfile/graph_result_format.h"

/* Borrowed while the program runs. */
typedef struct {
    const csr_t *graph;
    const rg_value_t *param; /* [n_values] by slot, of params, */
    const bool *is_given;    /* [n_values] whose values are given */
    int64_t max_iterations;  /* of one `while` */
    int64_t max_items;       /* nodes of a graph, and elements of a sequence */
} rg_input_t;

typedef struct {
    int n_columns;
    struct {
        const rg_symbol_t *symbol; /* the program's */
        void *values;              /* [n_nodes] of the type rg_column_type */
    } column[GRAPH_RESULT_MAX_COLUMNS];
    csr_t graph;          /* what the program has made of it; zeroed: it is as before */
    int64_t n_iterations; /* of all `while` */
    int64_t n_visited;    /* arcs that ranges went through */
    double seconds;       /* without allocations */
    double copy_s;        /* in which the graph came to a GPU */
} rg_result_t;

/* @return the type of an attribute as a column of a result */
graph_type_t rg_column_type(rg_type_t type);

/* @return the bytes of one of its values */
size_t rg_value_bytes(rg_type_t type);

/* @param is_given  [n_values]
 * @return ST_OK, or ST_EINPUT (logged): a param has no value */
status_t rg_check_params(const rg_program_t *program, const bool *is_given) MUST_CHECK;

/*
 * Run a program.
 *
 * @param out  freed by rg_result_free
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT (logged with its place: a param without a value,
 *         a division by 0, a member of none, a `while` without end, too many nodes)
 */
status_t rg_run(const rg_program_t *program, const rg_input_t *input,
                rg_result_t *out) MUST_CHECK;

void rg_result_free(rg_result_t *r);
