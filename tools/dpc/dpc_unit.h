/*
 * dpc_unit.h - a CUDA file as libclang sees it: its functions, and the variables and
 * statements of those that are defined in it.
 *
 * libclang parses the host's pass, where launches in kernels are valid; the declarations
 * of the CUDA runtime are our own (dpc_decls.inc) unless the file needs a toolkit.  Its
 * errors matter where a type is unknown; whether calls are valid is nvcc's to judge.
 */
#pragma once

#include "io/file/shipped_text.h"
#include "tools/dpc/clang_api.h"
#include "tools/dpc/dpc_lex.h"

#include <stdint.h>

typedef struct {
    int kind; /* of clang_api.h */
    size_t begin, end;
    int parent;       /* the statement around it, an index; -1: the function */
    const char *name; /* of variables and parameters; else NULL */
    const char *type; /* the same, as it is written */
    bool is_const, is_shared, is_static, is_extern, is_reference;
    bool is_unnamed; /* a parameter, whose name is ours */
    bool is_kept;    /* shared memory whose contents are saved (dpc_check_live) */
} dpc_node_t;

typedef struct {
    const char *name;
    bool is_global, is_device, is_host, is_template, is_defined; /* by attributes */
    bool is_method;
    bool is_here;     /* in the file, not in one that it includes */
    bool reads_place; /* threadIdx and the like, or calls what does, and */
    bool is_copied;   /* a consolidated child calls it (dpc_classify) */
    const char *text; /* of its file, with its extent */
    size_t text_len, begin, end;
    size_t outer_begin; /* where its outermost namespace or linkage begins */
    size_t head_begin;  /* of definitions here: the first token of its declaration, */
    size_t body_begin, body_end; /* its { and behind its } */
    dpc_node_t *nodes;           /* parents come first */
    size_t n_nodes;
} dpc_function_t;

/* An enumerator, or a variable outside of functions. */
typedef struct {
    const char *name;
    bool is_const;
} dpc_global_t;

/* An error in the file. */
typedef struct {
    size_t at;
    int line; /* 0: of a file that it includes */
    const char *text;
    bool is_fatal; /* types may be unknown without anyone noticing */
} dpc_fault_t;

enum { DPC_LIST_MAX = 64 };

typedef struct {
    const char *path;
    const char *const *includes, *const *defines;
    int n_includes, n_defines;
    const char *standard; /* "c++17" */
    int arch;             /* 90 */
} dpc_parse_t;

typedef struct {
    lex_t lex;
    dpc_function_t *functions;
    size_t n_functions;
    dpc_global_t *globals;
    size_t n_globals;
    dpc_fault_t *faults;
    size_t n_faults;
    clang_api_t clang; /* holds the texts of files */
    clang_index_t index;
    clang_unit_t unit;
    char **strings; /* all of the above */
    size_t n_strings;
} dpc_unit_t;

/*
 * Parse a file.
 *
 * @param text  [len] its bytes and a NUL, borrowed
 * @param out   freed by dpc_unit_free, also after a failure
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE (no libclang) or ST_EINPUT (a file that it
 *         includes is missing), logged
 */
status_t dpc_unit_parse(const dpc_parse_t *how, const char *text, size_t len,
                        dpc_unit_t *out) MUST_CHECK;

void dpc_unit_free(dpc_unit_t *unit);

/* Room for one more of an array that grows by doubling, filled with 0. @return NULL: no
 * memory (logged) */
void *dpc_one_more(void *array, size_t n, size_t bytes);

/* @return the parameter of a number, from 0; NULL: the function has fewer */
const dpc_node_t *dpc_parameter(const dpc_function_t *f, int number);

/* @return the innermost statement of these kinds around an offset, an index; -1: none */
int dpc_node_around(const dpc_function_t *f, size_t at, const int *kinds, int n_kinds);

/* Our declarations of the CUDA runtime, and the functions that a translated file gets
 * once (dpc_decls.inc, dpc_runtime.inc). */
enum { DPC_DECLS, DPC_RUNTIME };
extern const shipped_text_t dpc_texts[];
