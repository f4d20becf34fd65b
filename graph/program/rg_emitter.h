/*
 * rg_emitter.h - what the files of the emitter share.
 *
 * Names of the program end with a number behind a low line, `depth_a0` (an attribute) or
 * `level_1`; names of the emitter end with one that has none, `p5`; so they differ.
 */
#pragma once

#include "graph/program/rg_emit.h"

typedef struct {
    const rg_program_t *program;
    buf_t *to;             /* what is being written: a function, or rg_main */
    buf_t *functions;      /* complete ones, which stand before */
    const rg_stmt_t *loop; /* the outermost foreach around, or NULL: serial code */
    bool is_parallel;      /* its iterations run in parallel */
    bool is_cuda;          /* a kernel, from here on: */
    const rg_kernel_t *kernel;
    bool is_uniform; /* all threads of a block do the same; else each its own part */
    const rg_stmt_t *inner; /* the foreach that threads share, or NULL */
    int n_aggregates;       /* around what is being written */
    int n_temporary;        /* so that names differ */
    status_t st;            /* of the first error */
} rg_emitter_t;

void emit_text(rg_emitter_t *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* @return the type of C */
const char *emit_type(rg_type_t type);

/* Write the name of a symbol; an attribute is a pointer. */
void emit_name(rg_emitter_t *e, const rg_symbol_t *s);

/* @return what every value is better than, for a minimum or a maximum */
const char *emit_worst(rg_type_t type, bool is_min);

/* @return whether a range goes through nodes in ascending order, each once or more, so
 *         that pieces of nodes are pieces of it */
bool emit_is_by_node(const rg_range_t *r);

/* @return whether an expression is a node that cannot be none */
bool emit_is_node(const rg_expr_t *node);

/* Write a node, which is tested unless it cannot be none. */
void emit_node(rg_emitter_t *e, const rg_expr_t *node);

void emit_expr(rg_emitter_t *e, const rg_expr_t *expr);

/* Who goes through a range. */
typedef enum {
    WALK_ALONE,  /* the thread that comes there */
    WALK_SHARED, /* the threads of a block, each through a part of it */
    WALK_BLOCKS  /* all blocks, each through some elements */
} rg_walkers_t;

/* How a range is gone through. */
typedef struct {
    const rg_range_t *range;
    const char *begin, *end; /* positions, or NULL: all */
    bool is_static;          /* its iterator is a static variable */
    rg_walkers_t walkers;
} rg_walk_t;

/*
 * Open a loop over a range.
 *
 * @return the number of the loop: pN is the position of an element, counted from bN; oN
 *         of a multiset is its place
 */
int emit_walk(rg_emitter_t *e, const rg_walk_t *walk);

/* Close it. */
void emit_walk_end(rg_emitter_t *e, const rg_walk_t *walk, int n);

/* Write an aggregate over some positions as an expression. */
void emit_aggregate_of(rg_emitter_t *e, const rg_expr_t *a, const char *begin,
                       const char *end);

/* @return the function that adds up values of an aggregate that is no sum of real
 *         numbers */
const char *emit_fold_of(const rg_expr_t *a);

/* Write pointers to attributes, or read them anew. */
void emit_attributes(rg_emitter_t *e, bool is_declaration);

/* Begin and end the text of a function: its counters, and pointers to attributes. */
void emit_begin(rg_emitter_t *e);
void emit_end(rg_emitter_t *e);

/* Write ", LINE, COLUMN", the last arguments of what can fail. */
void emit_place(rg_emitter_t *e, rg_at_t at);

/* Begin and end a block of statements that has a value; the latter follows its name. */
void emit_value_begin(rg_emitter_t *e);
void emit_value_end(rg_emitter_t *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Write statements. */
void emit_statements(rg_emitter_t *e, const rg_stmt_t *first);

/* Declare the copies of variables that iterations of a foreach combine, or combine them
 * at its end. */
void emit_copies(rg_emitter_t *e, const rg_stmt_t *loop, bool is_end);

/* Write the text of a file that is shipped with the program, from a word on. */
void emit_shipped(rg_emitter_t *e, const char *name, const char *from);

/* Append lines, indented by their braces. @return ST_OK or ST_ENOMEM */
status_t emit_indented(const buf_t *text, buf_t *out);

/* Put a complete function before what is written from now on. @param f  freed */
void emit_function(rg_emitter_t *e, buf_t *f, buf_t *to);
