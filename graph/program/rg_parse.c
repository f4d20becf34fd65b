/*
 * rg_parse.c - the grammar of declarations and statements.
 */
#include "graph/program/rg_parser.h"

#include "io/base/logmsg.h"
#include "io/graphfile/graph_result_format.h"

#include <string.h>

static rg_stmt_t *stmt_new(rg_parser_t *p, rg_stmt_kind_t kind, rg_at_t at)
{
    rg_stmt_t *s = p->st == ST_OK ? rg_alloc(p->program, sizeof(*s)) : NULL;

    if (s == NULL) {
        p->st = p->st == ST_OK ? ST_ENOMEM : p->st;
        p->token.kind = TOKEN_END;
        return NULL;
    }
    s->kind = kind;
    s->at = at;
    return s;
}

/* ---- declarations ---- */

/* What all declarations of values end with: "NAME [= EXPRESSION];". */
static rg_stmt_t *parse_value(rg_parser_t *p, rg_symbol_kind_t kind, rg_type_t type)
{
    const int n_scope = p->n_scope;
    rg_stmt_t *stmt = stmt_new(p, STMT_DECLARE, p->token.at);
    rg_symbol_t *s = parser_declare(p, kind, type);

    if (stmt == NULL || s == NULL)
        return NULL;
    if (parser_take(p, "=")) {
        p->n_scope = n_scope; /* its own value cannot use the name */
        s->initial = expr_as(p, parse_expression(p), type, "this value");
        p->scope[n_scope] = s;
        p->n_scope = n_scope + 1;
    }
    parser_expect(p, ";", "a declaration");
    stmt->symbol = s;
    return stmt;
}

static rg_type_t need_type(rg_parser_t *p, const char *after)
{
    rg_type_t type = RG_INT;

    if (!parser_take_type(p, &type))
        parser_refuse(p, p->token.at,
                      "a type must follow '%s'; write int, real, bool or "
                      "node",
                      after);
    return type;
}

static rg_stmt_t *parse_attribute(rg_parser_t *p, bool is_output)
{
    rg_stmt_t *stmt = parse_value(p, SYMBOL_ATTRIBUTE, need_type(p, "attribute"));

    if (stmt == NULL || !is_output)
        return stmt;
    stmt->symbol->is_output = true;
    if (p->program->n_outputs++ == GRAPH_RESULT_MAX_COLUMNS)
        return parser_refuse(p, stmt->at,
                             "a result has at most %d columns; leave out "
                             "'output'",
                             GRAPH_RESULT_MAX_COLUMNS);
    if (strspn(stmt->symbol->name, "abcdefghijklmnopqrstuvwxyz_") !=
            strlen(stmt->symbol->name) ||
        strcmp(stmt->symbol->name, "id") == 0 || strcmp(stmt->symbol->name, "name") == 0)
        return parser_refuse(p, stmt->at,
                             "'%s' cannot be a column of a result; use letters a-z and _ "
                             "only, and neither id nor name",
                             stmt->symbol->name);
    return stmt;
}

static rg_stmt_t *parse_set(rg_parser_t *p)
{
    rg_stmt_t *stmt = stmt_new(p, STMT_DECLARE, p->token.at);
    rg_symbol_t *s = parser_declare(p, SYMBOL_SET, RG_SET);

    parser_expect(p, ";", "a declaration");
    if (stmt != NULL)
        stmt->symbol = s;
    return stmt;
}

/* ---- simple statements ---- */

static rg_assign_t parse_assign(rg_parser_t *p)
{
    static const struct {
        const char *word;
        rg_assign_t how;
    } two[] = {{"min", ASSIGN_MIN}, {"max", ASSIGN_MAX}};

    for (int i = 0; i < 2; i++)
        if (parser_take(p, two[i].word)) {
            parser_expect(p, "=", two[i].word);
            return two[i].how;
        }
    for (int how = 0; how < ASSIGN_N; how++)
        if (parser_take(p, rg_assign_name[how]))
            return (rg_assign_t)how;
    parser_refuse(p, p->token.at,
                  "no assignment; write =, +=, min=, max=, |= or &= after "
                  "what it changes");
    return ASSIGN_SET;
}

static bool takes(rg_assign_t how, rg_type_t type)
{
    switch (how) {
    case ASSIGN_SET:
        return true;
    case ASSIGN_ADD:
        return type == RG_INT || type == RG_REAL;
    case ASSIGN_MIN:
    case ASSIGN_MAX:
        return type != RG_BOOL;
    default:
        return type == RG_BOOL;
    }
}

static rg_stmt_t *parse_assignment(rg_parser_t *p)
{
    rg_stmt_t *stmt = stmt_new(p, STMT_ASSIGN, p->token.at);
    rg_expr_t *target = parse_place(p);

    if (stmt == NULL || target == NULL)
        return NULL;
    if (target->kind != EXPR_ATTRIBUTE &&
        (target->kind != EXPR_SYMBOL || target->symbol->kind != SYMBOL_VARIABLE))
        return parser_refuse(p, target->at,
                             "this cannot be changed; only variables and "
                             "attributes can");
    stmt->target = target;
    stmt->how = parse_assign(p);
    if (p->st == ST_OK && !takes(stmt->how, target->type))
        return parser_refuse(p, target->at,
                             "%s does not take the type %s; use another "
                             "assignment",
                             rg_assign_name[stmt->how], rg_type_name[target->type]);
    stmt->value = expr_as(p, parse_expression(p), target->type, "the new value");
    parser_expect(p, ";", "an assignment");
    return stmt;
}

/* SET.add(NODE), SET.remove(NODE), SET.clear(). */
static rg_stmt_t *parse_set_call(rg_parser_t *p)
{
    static const struct {
        const char *name;
        rg_stmt_kind_t kind;
    } calls[] = {{"add", STMT_INSERT}, {"remove", STMT_REMOVE}, {"clear", STMT_CLEAR}};
    rg_stmt_t *stmt = stmt_new(p, STMT_CLEAR, p->token.at);
    rg_symbol_t *set = parser_find(p);
    int i = 0;

    if (stmt == NULL || set == NULL)
        return NULL;
    parser_expect(p, ".", "a set as a statement");
    while (i < 3 && !parser_is(p, calls[i].name))
        i++;
    if (i == 3)
        return parser_refuse(p, p->token.at,
                             "sets have no such statement; write "
                             "%s.add(NODE), .remove(NODE) or .clear()",
                             set->name);
    parser_advance(p);
    parser_expect(p, "(", calls[i].name);
    stmt->kind = calls[i].kind;
    stmt->symbol = set;
    if (stmt->kind != STMT_CLEAR)
        stmt->value = expr_as(p, parse_expression(p), RG_NODE, "what a set has");
    parser_expect(p, ")", calls[i].name);
    parser_expect(p, ";", "a statement");
    return stmt;
}

static rg_stmt_t *parse_swap(rg_parser_t *p, rg_at_t at)
{
    rg_stmt_t *stmt = stmt_new(p, STMT_SWAP, at);
    rg_symbol_t *a = parser_find(p), *b;

    parser_expect(p, ",", "swap");
    b = parser_find(p);
    parser_expect(p, ";", "swap");
    if (stmt == NULL || a == NULL || b == NULL)
        return NULL;
    if (a->kind != b->kind || a->type != b->type ||
        (a->kind != SYMBOL_SET && a->kind != SYMBOL_ATTRIBUTE))
        return parser_refuse(p, at, "swap takes two sets, or two attributes of one type");
    stmt->symbol = a;
    stmt->other = b;
    return stmt;
}

/* ---- blocks ---- */

static rg_stmt_t *parse_statement(rg_parser_t *p);

static rg_stmt_t *parse_block(rg_parser_t *p, const char *after)
{
    const int n_scope = p->n_scope;
    rg_stmt_t *first = NULL, **next = &first;

    parser_expect(p, "{", after);
    if (parser_enter(p))
        while (p->st == ST_OK && p->token.kind != TOKEN_END && !parser_is(p, "}"))
            if ((*next = parse_statement(p)) != NULL)
                next = &(*next)->next;
    parser_leave(p);
    parser_expect(p, "}", "a block");
    p->n_scope = n_scope;
    return first;
}

/* A condition in parentheses, then a block. */
static rg_stmt_t *parse_conditional(rg_parser_t *p, rg_stmt_kind_t kind, rg_at_t at)
{
    rg_stmt_t *stmt = stmt_new(p, kind, at);
    const char *name = kind == STMT_IF ? "if" : "while";

    if (stmt == NULL)
        return NULL;
    parser_expect(p, "(", name);
    stmt->value = expr_as(p, parse_expression(p), RG_BOOL, "a condition");
    parser_expect(p, ")", name);
    stmt->body = parse_block(p, name);
    if (kind != STMT_IF || !parser_is(p, "else"))
        return stmt;
    at = p->token.at;
    parser_advance(p);
    if (parser_enter(p) && parser_take(p, "if"))
        stmt->otherwise = parse_conditional(p, STMT_IF, at);
    else
        stmt->otherwise = parse_block(p, "else");
    parser_leave(p);
    return stmt;
}

static rg_stmt_t *parse_loop(rg_parser_t *p, rg_stmt_kind_t kind, rg_at_t at)
{
    const int n_scope = p->n_scope;
    const rg_stmt_t *outer = p->loop;
    rg_stmt_t *stmt = stmt_new(p, kind, at);
    const char *name = kind == STMT_FOR ? "for" : "foreach";

    if (stmt == NULL)
        return NULL;
    parser_expect(p, "(", name);
    stmt->outer = outer;
    if (kind == STMT_FOREACH)
        p->loop = stmt;
    stmt->range = parse_range(p);
    parser_expect(p, ")", name);
    stmt->body = parse_block(p, name);
    p->loop = outer;
    p->n_scope = n_scope;
    return stmt;
}

static bool is_set(const rg_parser_t *p)
{
    for (int i = 0; i < p->n_scope; i++)
        if (p->scope[i]->kind == SYMBOL_SET && parser_is(p, p->scope[i]->name))
            return true;
    return false;
}

/* @return a statement of blocks and of the program; NULL after an error */
static rg_stmt_t *parse_statement(rg_parser_t *p)
{
    const rg_at_t at = p->token.at;
    rg_type_t type;

    if (parser_is(p, "param") || parser_is(p, "output") || parser_is(p, "attribute") ||
        parser_is(p, "set"))
        return parser_refuse(p, at,
                             "params, attributes and sets are declared outside of "
                             "all blocks; move it there");
    if (parser_take_type(p, &type))
        return parse_value(p, SYMBOL_VARIABLE, type);
    if (parser_take(p, "if"))
        return parse_conditional(p, STMT_IF, at);
    if (parser_take(p, "while"))
        return parse_conditional(p, STMT_WHILE, at);
    if (parser_take(p, "for"))
        return parse_loop(p, STMT_FOR, at);
    if (parser_take(p, "foreach"))
        return parse_loop(p, STMT_FOREACH, at);
    if (parser_take(p, "swap"))
        return parse_swap(p, at);
    return is_set(p) ? parse_set_call(p) : parse_assignment(p);
}

/* @return a declaration or statement of the program; NULL after an error */
static rg_stmt_t *parse_top(rg_parser_t *p)
{
    if (parser_take(p, "param"))
        return parse_value(p, SYMBOL_PARAM, need_type(p, "param"));
    if (parser_take(p, "output")) {
        parser_expect(p, "attribute", "output");
        return parse_attribute(p, true);
    }
    if (parser_take(p, "attribute"))
        return parse_attribute(p, false);
    if (parser_take(p, "set"))
        return parse_set(p);
    return parse_statement(p);
}

static status_t parse_all(rg_parser_t *p, rg_program_t *program)
{
    rg_stmt_t **next = &program->body;

    p->last = &program->symbols;
    parser_advance(p);
    while (p->st == ST_OK && p->token.kind != TOKEN_END)
        if ((*next = parse_top(p)) != NULL)
            next = &(*next)->next;
    if (p->st == ST_OK && program->n_outputs == 0)
        parser_refuse(p, p->token.at,
                      "the program has no result; declare an 'output "
                      "attribute'");
    return p->st;
}

status_t rg_parse(const char *path, const char *text, size_t len, rg_program_t *out)
{
    rg_parser_t p = {.lexer = rg_lexer_begin(text, len)};
    rg_program_t program = {0};
    status_t st = ST_ENOMEM;

    p.program = &program;
    if (len > RG_TEXT_MAX) {
        log_error("%s: more than %d bytes; give a graph program", path, RG_TEXT_MAX);
        return ST_EINPUT;
    }
    if ((program.path = rg_alloc(&program, strlen(path) + 1)) != NULL) {
        strcpy(program.path, path);
        st = parse_all(&p, &program);
    }
    if (st == ST_OK)
        st = rg_check_races(&program);
    if (st != ST_OK) {
        rg_free(&program);
        return st;
    }
    *out = program;
    return ST_OK;
}

status_t rg_read(const char *name, buf_t *text, rg_program_t *out)
{
    static const shipped_texts_t programs = {"program", "the file of a graph program",
                                             rg_shipped, RG_TEXT_MAX};
    status_t st = shipped_text_load(&programs, name, text);

    return st == ST_OK ? rg_parse(name, (const char *)text->data, text->len - 1, out)
                       : st;
}
