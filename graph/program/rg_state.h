/*
 * rg_state.h - what a running program has: values, attributes, sets; and its
 * expressions.
 */
#pragma once

#include "graph/program/rg_changes.h"
#include "graph/program/rg_collection.h"
#include "graph/program/rg_run.h"

typedef struct {
    const rg_program_t *program;
    const rg_input_t *input;
    const csr_t *graph, *in; /* in: the arcs that lead to a node, if the program reads
                              * them */
    csr_t reversed;          /* in, unless the graph is symmetric and stays so */
    rg_changes_t changes;    /* of the graph, if the program has any */
    rg_value_t *param;       /* [n_values] as in the input */
    rg_value_t *initial;     /* [n_attributes] values of new nodes and edges */
    int32_t *map;            /* [n_mapped] numbers from before the last RG_REBALANCE */
    int64_t n_mapped;
    rg_value_t *value; /* [n_values] */
    void **attribute;  /* [n_attributes] arrays of [n_nodes] or [n_arcs] */
    rg_set_t *set;     /* [n_sets] */
    int64_t n_iterations, n_visited;
    const struct rg_helper *helper; /* or NULL */
    struct rg_gpu *gpu;             /* the helper's */
    status_t st;                    /* once it is not ST_OK, values mean nothing */
} rg_state_t;

/* What runs loops of a program for the interpreter, on a GPU, where it keeps values that
 * may be newer than those of the host.  Its errors are those of the state. */
typedef struct rg_helper {
    /* Begin to run a program: the graph goes to the GPU; and end: outputs and counts come
     * to the host. */
    void (*begin)(rg_state_t *s);
    void (*end)(rg_state_t *s);

    /* Run a foreach or an aggregate that has a kernel. @return false: its range is empty
     */
    bool (*foreach)(rg_state_t *s, const rg_stmt_t *loop);
    bool (*aggregate)(rg_state_t *s, const rg_expr_t *e, rg_value_t *out);

    /* Bring values of an attribute or a set to the host, if they are newer on the GPU;
     * and note that the host changes them, of an attribute from an index on. */
    void (*read)(rg_state_t *s, const rg_symbol_t *symbol);
    void (*write)(rg_state_t *s, const rg_symbol_t *symbol, int64_t from);

    /* Empty a collection there, as the host does here; count one. */
    void (*clear)(rg_state_t *s, const rg_symbol_t *set);
    void (*count)(rg_state_t *s, const rg_symbol_t *set);

    /* Follow an exchange. */
    void (*swap)(rg_state_t *s, const rg_symbol_t *a, const rg_symbol_t *b);

    /* Bring everything to the host, which is to change the numbers of nodes or arcs. */
    void (*leave)(rg_state_t *s);

    /* Note the error of a kernel that was launched before, if there is one. */
    void (*check)(rg_state_t *s);
} rg_helper_t;

/* ---- rg_state.c ---- */

/* Check params and allocate everything. @param s  to be destroyed, also after an error
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT (logged: a param has no value) */
status_t state_create(const rg_program_t *program, const rg_input_t *input,
                      rg_state_t *s) MUST_CHECK;
void state_destroy(rg_state_t *s);

/* Move the outputs and counts out of the state. */
void state_take_outputs(rg_state_t *s, rg_result_t *out);

/* @return ST_OK, or ST_ENOMEM (logged): attributes and collections of n_nodes nodes do
 *         not fit the memory */
status_t state_check_memory(const rg_state_t *s, int64_t n_nodes) MUST_CHECK;

/* @return how many values an attribute has */
static inline int64_t state_length(const rg_state_t *s, const rg_symbol_t *attribute)
{
    return attribute->of == RG_EDGE ? s->graph->n_arcs : s->graph->n_nodes;
}

/* The value of an attribute. @param k  a node or an edge */
rg_value_t state_get(rg_state_t *s, const rg_symbol_t *attribute, int64_t k);
void state_put(rg_state_t *s, const rg_symbol_t *attribute, int64_t k, rg_value_t value);

/* ---- rg_run.c ---- */

/* Run a program. @param helper, gpu  of the state, or NULL */
status_t state_run(const rg_program_t *program, const rg_input_t *input,
                   const rg_helper_t *helper, struct rg_gpu *gpu,
                   rg_result_t *out) MUST_CHECK;

/* ---- the helper ---- */

/* The host is going to read a collection, or to change it. */
static inline void state_see(rg_state_t *s, const rg_symbol_t *set)
{
    if (s->helper != NULL)
        s->helper->read(s, set);
}

static inline void state_change(rg_state_t *s, const rg_symbol_t *set, rg_change_t how)
{
    if (s->helper != NULL && how == RG_CLEAR)
        s->helper->clear(s, set);
    else if (s->helper != NULL)
        s->helper->write(s, set, 0);
}

/* ---- rg_eval.c ---- */

/* The elements of a range, in order. */
typedef struct {
    int64_t next, end;   /* nodes, or positions in the row or list */
    const int32_t *to;   /* the row's or the sequence's nodes, or NULL */
    const rg_set_t *set; /* whose nodes ascend */
    int64_t n_left;      /* further elements of a multiset's node */
    int64_t place;       /* of the current element in the range, for sums: sets leave
                          * gaps */
    int64_t offset;      /* of the row, if elements are arcs */
} rg_cursor_t;

rg_cursor_t cursor_begin(rg_state_t *s, const rg_range_t *r);

/* Set the iterator to the next element for which the condition holds.
 * @return false: there is none, or the program failed */
bool cursor_next(rg_state_t *s, const rg_range_t *r, rg_cursor_t *c);

rg_value_t eval(rg_state_t *s, const rg_expr_t *e);

/* Evaluate a node. @return it, or -1: it is none, and the program has failed */
int64_t eval_node(rg_state_t *s, const rg_expr_t *e);

/* Log why the program cannot go on, once. */
void state_fail(rg_state_t *s, rg_at_t at, rg_error_t why);
