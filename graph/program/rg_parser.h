/*
 * rg_parser.h - what the files of the parser of graph programs share: the current
 * token, the names that can be seen, and expressions with types.
 *
 * The first error is logged; from then on the current token is the end of the text, so
 * that everybody returns, and functions that take expressions return NULL for NULL.
 */
#pragma once

#include "graph/program/rg_lexer.h"

/* How deep blocks and expressions may be nested, and how many names can be seen. */
enum { RG_DEPTH_MAX = 100, RG_SCOPE_MAX = 1024 };

typedef struct rg_parser rg_parser_t;

struct rg_parser {
    rg_program_t *program;
    rg_lexer_t lexer;
    rg_token_t token;                 /* the current one */
    status_t st;                      /* of the first error */
    rg_symbol_t *scope[RG_SCOPE_MAX]; /* [n_scope] names that can be seen */
    int n_scope;
    rg_symbol_t **last; /* where the next symbol goes */
    rg_stmt_t *loop;    /* the innermost foreach, or NULL */
    int depth;          /* of blocks and expressions */
    int n_for;          /* how many `for` are around */
    /* Parses a statement of a block, and behind it others that belong to it; NULL after
     * an error. */
    rg_stmt_t *(*statement)(rg_parser_t *p);
};

/* ---- rg_parser.c: tokens and names ---- */

/* Log an error, unless there was one. @return NULL */
void *parser_refuse(rg_parser_t *p, rg_at_t at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* @return zeroed memory of the program; NULL after an error */
void *parser_alloc(rg_parser_t *p, size_t bytes);

void parser_advance(rg_parser_t *p);

/* @return whether the current token is a word or a sign; parser_take: then it is
 *         skipped */
bool parser_is(const rg_parser_t *p, const char *text);
bool parser_take(rg_parser_t *p, const char *text);

/* @return whether the token behind the current one is a word or a sign */
bool parser_next_is(const rg_parser_t *p, const char *text);

/* Skip a word or a sign that must be there. @param after  what it follows, for messages
 */
void parser_expect(rg_parser_t *p, const char *text, const char *after);

/* Go one level deeper, and back. @return false: too deep (logged) */
bool parser_enter(rg_parser_t *p);
void parser_leave(rg_parser_t *p);

/* @return the symbol of the current name, or NULL */
rg_symbol_t *parser_look_up(const rg_parser_t *p);

/* @return the symbol of the current name, which is skipped; NULL: there is none
 *         (logged) */
rg_symbol_t *parser_find(rg_parser_t *p);

/* Declare the current name, which is skipped. @return NULL after an error */
rg_symbol_t *parser_declare(rg_parser_t *p, rg_symbol_kind_t kind, rg_type_t type);

/* @return a symbol that no text can name; NULL after an error */
rg_symbol_t *parser_hidden(rg_parser_t *p, rg_symbol_kind_t kind, rg_type_t type,
                           const char *name);

/* Note that the program uses a construct. */
void parser_use(rg_parser_t *p, rg_construct_t construct, rg_at_t at);

/* @return a new statement; NULL after an error */
rg_stmt_t *stmt_new(rg_parser_t *p, rg_stmt_kind_t kind, rg_at_t at);

/* @return where the next statement goes */
static inline rg_stmt_t **stmt_last(rg_stmt_t *s)
{
    while (s->next != NULL)
        s = s->next;
    return &s->next;
}

/* Skip a word that is a type of values. @return whether there is one */
bool parser_take_type(rg_parser_t *p, rg_type_t *out);

/* ---- rg_types.c: expressions of the right types ---- */

/* @return a new expression of operands that may be NULL; NULL after an error */
rg_expr_t *expr_new(rg_parser_t *p, rg_expr_kind_t kind, rg_type_t type, rg_at_t at,
                    rg_expr_t *a, rg_expr_t *b);

/* @return an expression that is a param, a variable or an iterator */
rg_expr_t *expr_symbol(rg_parser_t *p, rg_symbol_t *s, rg_at_t at);

/* Convert an expression to a type: integers become real numbers.
 * @param what  that needs the type, for messages
 * @return NULL after an error */
rg_expr_t *expr_as(rg_parser_t *p, rg_expr_t *e, rg_type_t type, const char *what);

/* @return a and b under a binary operator, from EXPR_ADD to EXPR_OR, EXPR_MIN or
 *         EXPR_MAX; NULL after an error */
rg_expr_t *expr_binary(rg_parser_t *p, rg_expr_kind_t kind, rg_at_t at, rg_expr_t *a,
                       rg_expr_t *b);

/* Give both the same type. @return false: there is none (logged) */
bool expr_match(rg_parser_t *p, rg_at_t at, rg_expr_t **a, rg_expr_t **b);

/* ---- rg_expression.c ---- */

/* @return the expression that begins at the current token; NULL after an error */
rg_expr_t *parse_expression(rg_parser_t *p);

/* Parse what a place begins with: a name and its members. */
rg_expr_t *parse_place(rg_parser_t *p);

/*
 * Parse "NAME in RANGE [where CONDITION]", and declare the name until the caller sets
 * n_scope back.
 *
 * @return NULL after an error
 */
rg_range_t *parse_range(rg_parser_t *p);

/* @return a range without an iterator; NULL after an error */
rg_range_t *range_new(rg_parser_t *p, rg_range_kind_t kind, rg_at_t at);

/*
 * Declare the iterator of a range, and parse "[where CONDITION]", which may use it.
 *
 * @param name  the name in the text, which has been skipped: its type is only known
 *              behind it
 * @return false after an error
 */
bool parse_iterator(rg_parser_t *p, rg_range_t *r, const rg_token_t *name,
                    rg_type_t type);

/* ---- rg_parse_loops.c ---- */

/* Parse a statement with a block, if the current token begins one. @return whether it
 *         does; *out: as of `statement` */
bool parse_control(rg_parser_t *p, rg_stmt_t **out);
