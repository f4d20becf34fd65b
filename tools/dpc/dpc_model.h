/*
 * dpc_model.h - the kernels of a file that launch or wait, and what dpc has to know of
 * them.
 */
#pragma once

#include "tools/dpc/dpc_pragma.h"
#include "tools/dpc/dpc_unit.h"

/* A part of the file's text. */
typedef struct {
    size_t begin, end;
} dpc_span_t;

enum { DPC_ARGUMENTS_MAX = 64, DPC_LEVELS_MAX = 24 };

/* A launch, in a kernel. */
typedef struct {
    dpc_span_t all;                      /* from the child's name to the last ) */
    dpc_span_t name, template_arguments; /* with < and >; empty: none */
    dpc_span_t config[4];                /* grid, block, dynamic shared memory, stream */
    dpc_span_t arguments[DPC_ARGUMENTS_MAX];
    int n_config, n_arguments, line;
    int child; /* a function; -1: of another file, of a kernel without a pragma */
    bool is_consolidated;
    dpc_span_t pragma; /* its line */
    dp_pragma_t clauses;
} dpc_launch_t;

/*
 * A wait: cudaDeviceSynchronize() in a kernel.
 *
 * The statement that has it may stand in blocks and branches: what remains to be done of
 * block k, from the inside out, are rest[k]; the last one is the kernel's body.
 */
typedef struct {
    dpc_span_t call, statement;
    bool is_whole; /* the statement is the call */
    int line;
    dpc_span_t top; /* the statement of the kernel's body around it */
    int n_levels;
    dpc_span_t rest[DPC_LEVELS_MAX];
    int scope[DPC_LEVELS_MAX]; /* the compound of each, a node; the last one: the body */
    size_t cut_end; /* the code from the statement to here needs the children */
} dpc_wait_t;

typedef struct {
    int function;
    dpc_launch_t *launches;
    dpc_wait_t *waits;
    size_t n_launches, n_waits;
    int n_sites;                        /* launches with a pragma */
    bool is_child;                      /* of one */
    bool needs_block;                   /* its threads depend on each other */
    bool loops;                         /* a block may run several of a child's blocks */
    bool uses_groups;                   /* cooperative groups */
    bool checks_errors;                 /* it calls cudaGetLastError itself */
    const char *why;                    /* it needs a block: the word that says so */
    bool is_uniform[DPC_ARGUMENTS_MAX]; /* parameters that all items have in common, */
    bool is_uniform_grid, is_uniform_block; /* and the sizes */
} dpc_kernel_t;

typedef struct {
    size_t name;       /* a token */
    size_t begin, end; /* of its text */
} dpc_macro_t;

typedef struct {
    const char *path;
    dpc_unit_t unit;
    dpc_kernel_t *kernels; /* with launches or waits, and children */
    dpc_macro_t *macros;
    size_t n_kernels, n_macros;
} dpc_model_t;

const dpc_function_t *dpc_function_of(const dpc_model_t *m, const dpc_kernel_t *k);

/* @return the kernel of a function, or NULL */
dpc_kernel_t *dpc_kernel_of(const dpc_model_t *m, int function);

/* @return what a launch is consolidated per: several pragmas of a kernel have an order,
 * which only launches of one block can keep */
dp_level_t dpc_level_of(const dpc_kernel_t *k, const dpc_launch_t *l);

/* Log why a line is refused. @return ST_EINPUT */
status_t dpc_refuse(const dpc_model_t *m, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* @return the line of an offset, from 1 */
int dpc_line_at(const dpc_model_t *m, size_t at);

/* Call `see` with each word that a macro stands for. @return whether a call returned true
 */
bool dpc_macro_any(const dpc_model_t *m, size_t token,
                   bool (*see)(const dpc_model_t *m, size_t token, void *to), void *to);

void dpc_model_free(dpc_model_t *m);

/* ---- dpc_find.c ---- */

/*
 * Find kernels, launches with and without pragmas, and waits.
 *
 * @param m  `path` and `unit` are set; freed by dpc_model_free, also after a failure
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged)
 */
status_t dpc_find(dpc_model_t *m) MUST_CHECK;

/* ---- dpc_waits.c ---- */

/* Find what follows each wait. @return ST_OK or ST_EINPUT (logged) */
status_t dpc_find_rests(dpc_model_t *m, dpc_kernel_t *k) MUST_CHECK;
