/*
 * program_opts.h - the job "graph run" and its options, as a front end fills them in.
 */
#pragma once

#include "graph/program/rg_program.h"
#include "kernels/device/backend.h"
#include "worker/graph/graph_opts.h"

/* What runs a program, by the names of --kernel: "interpreter", "c" and "cuda".  There
 * are names alone; job_program_compute.c chooses. */
extern const backend_table_t program_table;

typedef struct {
    graph_opts_t graph;  /* its input, max_iterations, and the common ones */
    const char *program; /* a shipped program, or the path of a file */
    const char *params;  /* NAME=VALUE,... or NULL */
    const char
        *output_graph; /* the file for the graph as the program leaves it, or NULL */

    buf_t text; /* of the program, with a NUL; on rank 0, by program_opts_read */
} program_opts_t;

program_opts_t program_opts_defaults(void);

/*
 * [rank 0] Read the program, and check options against it.
 *
 * @param why  out, on ST_EUSAGE: what is wrong and what to do
 * @return ST_OK, ST_EUSAGE, or an error (logged)
 */
status_t program_opts_read(program_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

void program_opts_free(program_opts_t *opts);

/*
 * Check the options against each other.
 *
 * @param why  out, on ST_EUSAGE: what is wrong and what to do
 * @return ST_OK or ST_EUSAGE
 */
status_t program_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* The values of params. */
typedef struct {
    rg_value_t *value; /* [n_values] of the program */
    bool *is_given;    /* [n_values] */
    buf_t text;        /* lines "name=value", of nodes their ids */
} program_params_t;

/*
 * Take the values of params.
 *
 * @param graph  in which nodes are looked up; NULL: their values are not set
 * @param names  [n_nodes] of its nodes, or NULL
 * @param why    out, on ST_EUSAGE
 * @param out    zeros; freed by program_params_free, also after an error
 * @return ST_OK, ST_EUSAGE, ST_ENOMEM, or ST_EINPUT (logged: there is no such node)
 */
status_t program_params_take(const program_opts_t *opts, const rg_program_t *program,
                             const csr_t *graph, char *const *names,
                             char why[JOB_OPTS_WHY_BYTES],
                             program_params_t *out) MUST_CHECK;

void program_params_free(program_params_t *params);

/* The job of these options: a program on a graph, into one HDF5 file. */
extern const job_ops_t job_program_ops;
