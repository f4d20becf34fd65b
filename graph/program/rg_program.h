/*
 * rg_program.h - graph programs: what a text of the language of docs/graph-programs.md
 * means.
 *
 * rg_parse makes a typed tree of a text, in which every name is resolved and every
 * conversion is explicit, and refuses races.  rg_run.h interprets it.
 */
#pragma once

#include "graph/program/rg_abi.h"
#include "io/file/shipped_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names are those of datasets of a result, too (graph_result_format.h). */
enum { RG_NAME_BYTES = 32, RG_TEXT_MAX = 1 << 16 };

/* A place in the text, from 1. */
typedef struct {
    int line, column;
} rg_at_t;

typedef enum {
    RG_INT,  /* int64_t, modulo 2^64 */
    RG_REAL, /* double */
    RG_BOOL,
    RG_NODE, /* a node's number, or -1: none */
    RG_EDGE, /* an arc's position in csr_t.to; only of iterators */
    RG_SET,  /* a collection of nodes */
    RG_N_TYPES
} rg_type_t;

/* [RG_N_TYPES] as in the text: "int" */
extern const char *const rg_type_name[];

typedef enum {
    RG_PLAIN_SET,
    RG_MULTISET,
    RG_OSET,
    RG_OMULTISET,
    RG_QUEUE,
    RG_N_COLLECTIONS
} rg_collection_t;

typedef struct {
    const char *name;  /* as in the text */
    bool is_repeated;  /* it may have a node several times */
    bool is_sequence;  /* in the order of insertion; else ascending */
    unsigned takes;    /* 1 << rg_change_t */
    const char *calls; /* these, for messages */
} rg_collection_info_t;

extern const rg_collection_info_t rg_collection_info[]; /* [RG_N_COLLECTIONS] */

/* Parts of the language that a backend may lack. */
typedef enum {
    RG_EDGE_ATTRIBUTES,
    RG_MULTISETS, /* and omultisets and queues: they have a node several times */
    RG_SEQUENCES, /* osets, omultisets and queues: in the order of insertion */
    RG_SCANS,
    RG_SORTS,
    RG_CRITICAL, /* blocks of a foreach that run in its order */
    RG_CHANGES,  /* of the graph */
    RG_N_CONSTRUCTS
} rg_construct_t;

/* [RG_N_CONSTRUCTS] for messages: "attributes of edges" */
extern const char *const rg_construct_name[];

typedef struct rg_expr rg_expr_t;
typedef struct rg_stmt rg_stmt_t;

typedef enum {
    SYMBOL_PARAM,     /* set from outside */
    SYMBOL_VARIABLE,  /* of the program, or of an iteration */
    SYMBOL_ITERATOR,  /* of a loop or an aggregate */
    SYMBOL_ATTRIBUTE, /* one value per node or edge; `type` is that of a value */
    SYMBOL_SET        /* a collection */
} rg_symbol_kind_t;

typedef struct rg_symbol {
    char name[RG_NAME_BYTES];
    rg_symbol_kind_t kind;
    rg_type_t type;
    rg_at_t at;
    int slot;     /* among attributes, sets, or all others */
    rg_type_t of; /* of an attribute: RG_NODE or RG_EDGE */
    rg_collection_t collection;
    struct rg_symbol *update; /* of a collection, while a `while` with dynamic_update is
                               * parsed: what it will be */
    bool is_output;           /* an attribute of the result */
    rg_expr_t *initial;       /* or NULL: 0, false, none */
    const rg_stmt_t *loop;    /* the innermost foreach around it, or NULL */
    const struct rg_range *range; /* of an iterator */
    struct rg_symbol *next;       /* in the order of the text */
} rg_symbol_t;

typedef enum {
    RANGE_NODES,
    RANGE_SET,  /* a collection, in its order */
    RANGE_OUT,  /* nodes that arcs of `of` lead to, in the order of its row */
    RANGE_IN,   /* nodes whose arcs lead to `of`, ascending */
    RANGE_EDGES /* the arcs of `of` */
} rg_range_kind_t;

/* What a loop or an aggregate goes through. */
typedef struct rg_range {
    rg_range_kind_t kind;
    rg_at_t at;
    rg_expr_t *of;    /* a node, or NULL */
    rg_symbol_t *set; /* or NULL */
    rg_symbol_t *iterator;
    rg_expr_t *where; /* a condition, or NULL */
} rg_range_t;

typedef enum {
    EXPR_LITERAL,
    EXPR_SYMBOL,    /* a param, a variable or an iterator */
    EXPR_ATTRIBUTE, /* `symbol` of the node or edge a */
    EXPR_DEGREE,    /* of the node a: arcs from it, */
    EXPR_IN_DEGREE, /* and to it */
    EXPR_ID,        /* of the node a: its original id */
    EXPR_TO,        /* of the edge a */
    EXPR_WEIGHT,    /* of the edge a, real; 1 without weights */
    EXPR_N_NODES,
    EXPR_SIZE,  /* of the collection `symbol` */
    EXPR_FIRST, /* element of the sequence `symbol`, or none */
    EXPR_NEGATE,
    EXPR_NOT,
    EXPR_ADD, /* a and b of one type from here to EXPR_GREATER_EQUAL */
    EXPR_SUBTRACT,
    EXPR_MULTIPLY,
    EXPR_DIVIDE, /* integers: towards 0 */
    EXPR_MODULO, /* of integers, with the sign of a */
    EXPR_EQUAL,
    EXPR_UNEQUAL,
    EXPR_LESS,
    EXPR_LESS_EQUAL,
    EXPR_GREATER,
    EXPR_GREATER_EQUAL,
    EXPR_AND, /* b is evaluated if it matters */
    EXPR_OR,
    EXPR_CHOOSE, /* a ? b : c */
    EXPR_IN,     /* whether a is in the collection `symbol` */
    EXPR_COUNT,  /* how often it is there */
    EXPR_ARC,    /* whether an arc leads from a to b */
    EXPR_ABS,
    EXPR_SQRT,
    EXPR_MIN, /* of a and b: b if it is smaller, else a */
    EXPR_MAX,
    EXPR_REAL,   /* of an integer */
    EXPR_INT,    /* of a real number, towards 0 */
    EXPR_SUM_OF, /* of a over `range`, from here on; real: a tree sum by position */
    EXPR_MIN_OF,
    EXPR_MAX_OF,
    EXPR_COUNT_OF, /* without a */
    EXPR_ANY_OF,
    EXPR_ALL_OF
} rg_expr_kind_t;

struct rg_expr {
    rg_expr_kind_t kind;
    rg_type_t type;
    rg_at_t at;
    int height; /* of the tree below it, which is limited */
    rg_expr_t *a, *b, *c;
    rg_symbol_t *symbol;
    rg_range_t *range;
    rg_value_t value; /* of a literal */
    int kernel;       /* of an aggregate: its number on a GPU, from 1, or 0 */
};

/* What an assignment does with the old value. */
typedef enum {
    ASSIGN_SET,
    ASSIGN_ADD, /* from here on in any order with the same result, but for real sums */
    ASSIGN_MIN, /* none counts as larger than every node */
    ASSIGN_MAX,
    ASSIGN_OR,
    ASSIGN_AND,
    ASSIGN_N
} rg_assign_t;

/* [ASSIGN_N] as in the text: "min=" */
extern const char *const rg_assign_name[];

typedef enum {
    STMT_DECLARE,  /* give `symbol` its first value */
    STMT_ASSIGN,   /* target, how, value */
    STMT_IF,       /* value, body, otherwise */
    STMT_WHILE,    /* value, body */
    STMT_FOR,      /* range, body: one after the other */
    STMT_FOREACH,  /* range, body: in any order */
    STMT_CRITICAL, /* body: in the order of the foreach */
    STMT_SCAN,     /* range, value: target gets the sum of values before it */
    STMT_SORT,     /* range, value: the collection `symbol` gets the elements by values */
    STMT_CHANGE,   /* the collection `symbol`: change, value or NULL */
    STMT_ALTER,    /* the graph: alter, target, value, weight, symbol: the new node */
    STMT_SWAP      /* `symbol` and `other`: collections, or attributes of one type */
} rg_stmt_kind_t;

struct rg_stmt {
    rg_stmt_kind_t kind;
    rg_at_t at;
    rg_expr_t *target, *value; /* target: EXPR_SYMBOL or EXPR_ATTRIBUTE */
    rg_expr_t *weight;         /* of STMT_ALTER */
    rg_alter_t alter;
    rg_assign_t how;
    rg_change_t change;
    rg_symbol_t *symbol, *other;
    rg_range_t *range;
    rg_stmt_t *body, *otherwise; /* the first of each; or NULL */
    rg_stmt_t *outer;            /* the innermost foreach around a foreach, or NULL */
    bool is_ordered;             /* a foreach with a critical block */
    int kernel;                  /* of a foreach: its number on a GPU, from 1, or 0 */
    rg_stmt_t *next;
};

/* What a kernel uses of an attribute or a collection. */
enum { RG_READS = 1, RG_CHANGES_IT = 2, RG_COUNTS = 4 };

/* A foreach or an aggregate that a GPU computes; the other one is NULL. */
typedef struct rg_kernel {
    const rg_stmt_t *loop;
    const rg_expr_t *aggregate;
    bool is_nested;      /* it has inner loops or aggregates: in a foreach a block of
                          * threads computes an iteration and shares these, else a thread
                          * does */
    uint8_t *attribute;  /* [n_attributes] RG_READS, ... */
    uint8_t *set;        /* [n_sets]; RG_COUNTS: also how many elements it has */
    uint8_t *value;      /* [n_values] 1: a variable of outside is read */
    bool changes_values; /* variables of outside */
    struct rg_kernel *next;
} rg_kernel_t;

typedef struct rg_block rg_block_t; /* of memory */

typedef struct {
    char *path;           /* for messages */
    rg_symbol_t *symbols; /* all of them */
    rg_symbol_t *nodes;   /* stands for the nodes, which can become more */
    rg_stmt_t *body;      /* the first statement */
    rg_kernel_t *kernels; /* of the rest of it the interpreter is in charge */
    int n_kernels;
    int n_values, n_attributes, n_sets, n_outputs;
    bool reads_arcs_in, reads_weights;
    rg_at_t used[RG_N_CONSTRUCTS]; /* where first; line 0: nowhere */
    rg_block_t *blocks;
} rg_program_t;

/*
 * Parse and check a text.
 *
 * @param path  of it, for messages
 * @param len   of the text, which may hold anything
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT (logged: "PATH:LINE:COLUMN: what is wrong; what
 *         to do")
 */
status_t rg_parse(const char *path, const char *text, size_t len,
                  rg_program_t *out) MUST_CHECK;

/* Free all of it. */
void rg_free(rg_program_t *program);

/* @return zeroed memory of the program's; NULL: there is none (logged) */
void *rg_alloc(rg_program_t *program, size_t bytes);

/* Log what is wrong at a place. @return ST_EINPUT */
status_t rg_refuse(const rg_program_t *program, rg_at_t at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* @param constructs  1 << rg_construct_t, ... @return the first of them that a program
 *         uses, or RG_N_CONSTRUCTS */
rg_construct_t rg_find_construct(const rg_program_t *program, unsigned constructs);

/* @return whether a range has each of its elements once */
bool rg_is_unique(const rg_range_t *range);

/* @return whether an expression is a node or an edge that belongs to one iteration of a
 *         foreach, which alone may change its attributes */
bool rg_is_own(const rg_stmt_t *loop, const rg_expr_t *e);

/* @return whether a symbol is declared in a loop */
bool rg_is_inside(const rg_stmt_t *loop, const rg_symbol_t *symbol);

/* Choose what a GPU computes. @return ST_OK or ST_ENOMEM (logged) */
status_t rg_choose_kernels(rg_program_t *program) MUST_CHECK;

/*
 * Refuse a foreach whose result depends on the order of its iterations.
 *
 * @return ST_OK or ST_EINPUT (logged)
 */
status_t rg_check_races(const rg_program_t *program) MUST_CHECK;

/* The programs that are part of ribogrid: graph/program/shipped/NAME.rg, from which CMake
 * makes this list, in the order of docs/graph-programs.md; the last has no name. */
extern const shipped_text_t rg_shipped[];

/* Files that an emitted program contains: "rg_abi", "tree_sum", "runtime", ... */
extern const shipped_text_t rg_emitted[];

/*
 * Read a program.
 *
 * @param name  a shipped program, or the path of a file
 * @param text  out, its text, with a final NUL; the caller's
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t rg_read(const char *name, buf_t *text, rg_program_t *out) MUST_CHECK;
