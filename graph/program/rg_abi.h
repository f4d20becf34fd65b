/*
 * rg_abi.h - what a graph program that was compiled shares with who runs it.  The text of
 * this file is a part of every emitted program (rg_emit.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* i: of all types but real. */
typedef union {
    int64_t i;
    double r;
} rg_value_t;

/* A set of nodes.  n: how many, or -1: not counted. */
typedef struct {
    uint64_t *bits; /* [n_nodes / 64 + 1] */
    int64_t n;
} rg_set_t;

/* Why a running program cannot go on. */
typedef enum {
    RG_ERROR_DIVISOR, /* an integer is divided by 0 */
    RG_ERROR_NODE,    /* a member of none */
    RG_ERROR_INTEGER, /* int(x) of a number that none is */
    RG_ERROR_ENDLESS, /* a `while` has no end */
    RG_N_ERRORS
} rg_error_t;

typedef struct {
    int64_t n_nodes;
    const int64_t *first, *in_first, *id; /* csr.h; in_: of the arcs to a node, or NULL */
    const int32_t *to, *in_to, *weight;
    const double *value;
    void **attribute; /* [n_attributes] arrays of [n_nodes] */
    rg_set_t *set;    /* [n_sets] */
    const rg_value_t *param;
    const bool *is_given;
    int64_t max_iterations;
    int64_t n_iterations, n_visited;

    /* Call a function for all nodes, in pieces whose size is a power of two; those of
     * part[] are numbered from 0. */
    void (*parallel)(void (*piece)(int64_t begin, int64_t end));
    int64_t piece;    /* nodes per piece */
    rg_value_t *part; /* [n_nodes / piece + 1] results of pieces */

    void (*fail)(rg_error_t error, int line, int column) __attribute__((noreturn));
    void (*tick)(void); /* progress was made */
} rg_host_t;

/* The one function of an emitted program. */
void rg_main(rg_host_t *host);
