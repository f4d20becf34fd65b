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

/* A collection of nodes. */
typedef struct {
    uint64_t *bits; /* [n_nodes / 64 + 1] whether it has a node */
    int64_t n;      /* elements, or -1: not counted */
    int64_t *count; /* [n_nodes] how often it has a node; NULL: once */
    int32_t
        *list; /* [begin .. begin + n - 1] in the order of insertion; NULL: ascending */
    int64_t begin, capacity;
} rg_set_t;

typedef enum { RG_ADD, RG_REMOVE, RG_POP, RG_CLEAR, RG_N_CHANGES } rg_change_t;

/* Changes of the graph. */
typedef enum {
    RG_NEW_NODE,
    RG_NEW_EDGE,
    RG_DELETE_EDGE,
    RG_DELETE_NODE,
    RG_COMMIT,
    RG_REBALANCE,
    RG_N_ALTERS
} rg_alter_t;

/* Why a running program cannot go on. */
typedef enum {
    RG_ERROR_DIVISOR, /* an integer is divided by 0 */
    RG_ERROR_NODE,    /* a member of none */
    RG_ERROR_INTEGER, /* int(x) of a number that none is */
    RG_ERROR_ENDLESS, /* a `while` has no end */
    RG_ERROR_WEIGHT,  /* the weight of an edge is not finite */
    RG_ERROR_LARGE,   /* there are too many nodes or elements */
    RG_N_ERRORS
} rg_error_t;

typedef struct {
    int64_t n_nodes;
    const int64_t *first, *in_first, *id; /* csr.h; in_: of the arcs to a node, or NULL */
    const int32_t *to, *in_to, *weight;
    const double *value;
    void **attribute; /* [n_attributes] arrays of [n_nodes] or [n_arcs] */
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

    /* Change a collection, in serial code. */
    void (*change)(int set, int64_t node, rg_change_t how, int line, int column);

    /* Change the graph; edges and nodes to be deleted are noted by several threads.
     * @return the new node */
    int64_t (*alter)(rg_alter_t how, int64_t a, int64_t b, double weight, int line,
                     int column);
    rg_value_t *initial; /* [n_attributes] values of new nodes and edges */
    const int32_t *map;  /* [n_mapped] numbers of nodes before the last RG_REBALANCE to
                          * those behind it, or -1; n_mapped is 0: the same */
    int64_t n_mapped;

    /* Add to what is sorted, and set a collection to it. */
    void (*sort_add)(int64_t node, int is_real, rg_value_t key);
    void (*sort_into)(int set);
    void (*fail)(rg_error_t error, int line, int column) __attribute__((noreturn));
    void (*tick)(void); /* progress was made */
} rg_host_t;

/* The one function of an emitted program. */
void rg_main(rg_host_t *host);
