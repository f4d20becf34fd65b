/*
 * rg_parse.c - the grammar of declarations and statements.
 */
#include "graph/program/rg_parser.h"

#include "io/base/logmsg.h"
#include "io/graphfile/graph_result_format.h"

#include <string.h>

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

static rg_stmt_t *parse_attribute(rg_parser_t *p, rg_type_t of, bool is_output)
{
    const rg_at_t at = p->token.at;
    rg_stmt_t *stmt;

    parser_expect(p, "attribute", of == RG_EDGE ? "edge" : "output");
    if (of == RG_EDGE)
        parser_use(p, RG_EDGE_ATTRIBUTES, at);
    stmt = parse_value(p, SYMBOL_ATTRIBUTE, need_type(p, "attribute"));
    if (stmt != NULL)
        stmt->symbol->of = of;
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

/* @return the collection that the current token declares, or RG_N_COLLECTIONS */
static rg_collection_t find_collection(const rg_parser_t *p)
{
    int c = 0;

    while (c < RG_N_COLLECTIONS && !parser_is(p, rg_collection_info[c].name))
        c++;
    return (rg_collection_t)c;
}

static rg_stmt_t *parse_set(rg_parser_t *p, rg_collection_t kind)
{
    const rg_at_t at = p->token.at;
    rg_stmt_t *stmt = stmt_new(p, STMT_DECLARE, at);
    rg_symbol_t *s;

    parser_advance(p);
    if ((s = parser_declare(p, SYMBOL_SET, RG_SET)) == NULL || stmt == NULL)
        return NULL;
    parser_expect(p, ";", "a declaration");
    s->collection = kind;
    if (rg_collection_info[kind].is_repeated)
        parser_use(p, RG_MULTISETS, at);
    if (rg_collection_info[kind].is_sequence)
        parser_use(p, RG_SEQUENCES, at);
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

/* @return the collection that a change of `set` goes to: in a loop that updates it, the
 *         next one; NULL after an error */
static rg_symbol_t *changed(rg_parser_t *p, rg_symbol_t *set, rg_at_t at, bool is_add)
{
    if (set == NULL || set->update == NULL)
        return set;
    if (is_add)
        return set->update;
    return parser_refuse(
        p, at,
        "'%s' can only be added to here, because dynamic_update replaces "
        "it at the end of an iteration; add to another set what is to "
        "stay",
        set->name);
}

/* SET.add(NODE) and other changes of a collection. */
static rg_stmt_t *parse_change(rg_parser_t *p)
{
    static const char *const names[RG_N_CHANGES] = {"add", "remove", "pop", "clear"};
    rg_stmt_t *stmt = stmt_new(p, STMT_CHANGE, p->token.at);
    rg_symbol_t *set = parser_find(p);
    const rg_collection_info_t *info;
    int how = 0;

    if (stmt == NULL || set == NULL)
        return NULL;
    info = &rg_collection_info[set->collection];
    parser_expect(p, ".", "a set as a statement");
    while (how < RG_N_CHANGES &&
           ((info->takes >> how & 1) == 0 || !parser_is(p, names[how])))
        how++;
    if (how == RG_N_CHANGES)
        return parser_refuse(p, p->token.at, "%ss have no such statement; write %s%s",
                             info->name, set->name, info->calls);
    stmt->change = (rg_change_t)how;
    stmt->symbol = changed(p, set, stmt->at, how == RG_ADD);
    parser_advance(p);
    parser_expect(p, "(", names[how]);
    if (how == RG_ADD || how == RG_REMOVE)
        stmt->value = expr_as(p, parse_expression(p), RG_NODE, "what a set has");
    parser_expect(p, ")", names[how]);
    parser_expect(p, ";", "a statement");
    return stmt;
}

/* ATTRIBUTE = scan(RANGE: INTEGER) and SEQUENCE = sort(RANGE: KEY), from "=" on. */
static rg_stmt_t *parse_order(rg_parser_t *p, rg_stmt_kind_t kind, rg_symbol_t *to,
                              rg_at_t at)
{
    const int n_scope = p->n_scope;
    const char *name = kind == STMT_SCAN ? "scan" : "sort";
    rg_stmt_t *stmt = stmt_new(p, kind, at);

    if (stmt == NULL)
        return NULL;
    parser_expect(p, "=", "an assignment to all nodes");
    parser_expect(p, name, "an assignment to all nodes");
    if (p->loop != NULL)
        return parser_refuse(p, at, "%s stands outside of foreach; move it", name);
    parser_use(p, kind == STMT_SCAN ? RG_SCANS : RG_SORTS, at);
    parser_expect(p, "(", name);
    p->loop = stmt;
    stmt->range = parse_range(p);
    parser_expect(p, ":", name);
    stmt->value = parse_expression(p);
    parser_expect(p, ")", name);
    parser_expect(p, ";", name);
    p->loop = NULL;
    p->n_scope = n_scope;
    if (stmt->range != NULL && stmt->range->kind == RANGE_EDGES)
        return parser_refuse(p, stmt->range->at, "%s takes nodes; give another range",
                             name);
    stmt->symbol = to;
    return stmt;
}

static rg_stmt_t *parse_scan(rg_parser_t *p)
{
    const rg_at_t at = p->token.at;
    rg_symbol_t *to = parser_find(p);
    rg_stmt_t *stmt;

    if (to->of == RG_EDGE || to->type != RG_INT || !parser_is(p, "="))
        return parser_refuse(p, at,
                             "'%s' is an attribute; write %s.%s, or scan into an "
                             "attribute of nodes of the type int",
                             to->name, to->of == RG_EDGE ? "EDGE" : "NODE", to->name);
    if ((stmt = parse_order(p, STMT_SCAN, to, at)) == NULL || p->st != ST_OK)
        return NULL;
    if (!rg_is_unique(stmt->range))
        return parser_refuse(p, stmt->range->at,
                             "scan goes through each node once; give nodes, a set or an "
                             "oset");
    stmt->value = expr_as(p, stmt->value, RG_INT, "what is added up");
    stmt->target = expr_new(p, EXPR_ATTRIBUTE, RG_INT, at,
                            expr_symbol(p, stmt->range->iterator, at), NULL);
    if (stmt->target != NULL)
        stmt->target->symbol = to;
    return stmt;
}

static rg_stmt_t *parse_sort(rg_parser_t *p)
{
    const rg_at_t at = p->token.at;
    rg_symbol_t *to = changed(p, parser_find(p), at, false);
    rg_stmt_t *stmt;

    if (to == NULL || (stmt = parse_order(p, STMT_SORT, to, at)) == NULL ||
        p->st != ST_OK)
        return NULL;
    if (!rg_collection_info[to->collection].is_sequence)
        return parser_refuse(
            p, at,
            "a %s is in ascending order; sort into an oset, an omultiset "
            "or a queue",
            rg_collection_info[to->collection].name);
    if (stmt->value->type != RG_INT && stmt->value->type != RG_REAL &&
        stmt->value->type != RG_NODE)
        return parser_refuse(p, stmt->value->at,
                             "the type %s has no order; give a number or a node",
                             rg_type_name[stmt->value->type]);
    return stmt;
}

/* ---- changes of the graph ---- */

/* "(NODE, NODE)", or with a weight; of a node to be deleted "NODE". */
static void parse_ends(rg_parser_t *p, rg_stmt_t *stmt)
{
    if (stmt->alter == RG_DELETE_NODE) {
        stmt->target = expr_as(p, parse_expression(p), RG_NODE, "what is deleted");
        return;
    }
    parser_expect(p, "(", "an edge");
    stmt->target = expr_as(p, parse_expression(p), RG_NODE, "the source");
    parser_expect(p, ",", "an edge");
    stmt->value = expr_as(p, parse_expression(p), RG_NODE, "the target");
    if (stmt->alter == RG_NEW_EDGE && parser_take(p, ","))
        stmt->weight = expr_as(p, parse_expression(p), RG_REAL, "the weight");
    parser_expect(p, ")", "an edge");
}

/* new node NAME; new edge (...); delete edge (...); delete node NODE; commit; rebalance;
 */
static rg_stmt_t *parse_alter(rg_parser_t *p, rg_at_t at)
{
    rg_stmt_t *stmt = stmt_new(p, STMT_ALTER, at);
    const bool is_new = parser_take(p, "new"), is_delete = parser_take(p, "delete");

    if (stmt == NULL)
        return NULL;
    parser_use(p, RG_CHANGES, at);
    if (!is_new && !is_delete) {
        stmt->alter = parser_is(p, "commit") ? RG_COMMIT : RG_REBALANCE;
        parser_advance(p);
        if (p->loop != NULL || p->n_for > 0)
            return parser_refuse(p, at,
                                 "commit and rebalance stand outside of for and foreach, "
                                 "which go through what they change");
    } else if (parser_take(p, "edge")) {
        stmt->alter = is_new ? RG_NEW_EDGE : RG_DELETE_EDGE;
    } else {
        parser_expect(p, "node", is_new ? "new" : "delete");
        stmt->alter = is_new ? RG_NEW_NODE : RG_DELETE_NODE;
    }
    if (is_new && stmt->alter == RG_NEW_NODE)
        stmt->symbol = parser_declare(p, SYMBOL_VARIABLE, RG_NODE);
    else if (is_new || is_delete)
        parse_ends(p, stmt);
    parser_expect(p, ";", "a change of the graph");
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
    if (a->kind != b->kind || a->type != b->type || a->of != b->of ||
        a->collection != b->collection ||
        (a->kind != SYMBOL_SET && a->kind != SYMBOL_ATTRIBUTE))
        return parser_refuse(p, at,
                             "swap takes two sets of one kind, or two attributes of one "
                             "type");
    stmt->symbol = changed(p, a, at, false);
    stmt->other = changed(p, b, at, false);
    return stmt;
}

/* ---- the program ---- */

/* @return a statement of a block, and behind it others that belong to it; NULL after an
 *         error */
static rg_stmt_t *parse_statement(rg_parser_t *p)
{
    const rg_at_t at = p->token.at;
    rg_symbol_t *s = parser_look_up(p);
    rg_stmt_t *control = NULL;
    rg_type_t type;

    if (parser_is(p, "param") || parser_is(p, "output") || parser_is(p, "attribute") ||
        parser_is(p, "edge") || find_collection(p) < RG_N_COLLECTIONS)
        return parser_refuse(p, at,
                             "params, attributes and sets are declared outside of "
                             "all blocks; move it there");
    if (parser_is(p, "barrier"))
        return parser_refuse(p, at,
                             "a barrier divides the block of a foreach, not one inside "
                             "it; loops end with a barrier anyway");
    if (parser_take_type(p, &type))
        return parse_value(p, SYMBOL_VARIABLE, type);
    if (parse_control(p, &control))
        return control;
    if (parser_take(p, "swap"))
        return parse_swap(p, at);
    if (parser_is(p, "new") || parser_is(p, "delete") || parser_is(p, "commit") ||
        parser_is(p, "rebalance"))
        return parse_alter(p, at);
    if (s != NULL && s->kind == SYMBOL_ATTRIBUTE)
        return parse_scan(p);
    if (s != NULL && s->kind == SYMBOL_SET)
        return parser_next_is(p, "=") ? parse_sort(p) : parse_change(p);
    return parse_assignment(p);
}

/* @return a declaration or statement of the program; NULL after an error */
static rg_stmt_t *parse_top(rg_parser_t *p)
{
    const rg_collection_t collection = find_collection(p);

    if (parser_take(p, "param"))
        return parse_value(p, SYMBOL_PARAM, need_type(p, "param"));
    if (parser_take(p, "output"))
        return parse_attribute(p, RG_NODE, true);
    if (parser_take(p, "edge"))
        return parse_attribute(p, RG_EDGE, false);
    if (parser_is(p, "attribute"))
        return parse_attribute(p, RG_NODE, false);
    if (collection < RG_N_COLLECTIONS)
        return parse_set(p, collection);
    return parse_statement(p);
}

static status_t parse_all(rg_parser_t *p, rg_program_t *program)
{
    rg_stmt_t **next = &program->body;

    p->last = &program->symbols;
    program->nodes = parser_hidden(p, SYMBOL_VARIABLE, RG_INT, "nodes");
    parser_advance(p);
    while (p->st == ST_OK && p->token.kind != TOKEN_END)
        if ((*next = parse_top(p)) != NULL)
            next = stmt_last(*next);
    if (p->st == ST_OK && program->n_outputs == 0)
        parser_refuse(p, p->token.at,
                      "the program has no result; declare an 'output "
                      "attribute'");
    return p->st;
}

status_t rg_parse(const char *path, const char *text, size_t len, rg_program_t *out)
{
    rg_parser_t p = {.lexer = rg_lexer_begin(text, len), .statement = parse_statement};
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
    if (st == ST_OK)
        st = rg_choose_kernels(&program);
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
