/*
 * rg_expression.c - the grammar of expressions: operators by their precedence,
 * members of nodes, edges and sets, functions, and aggregates over ranges.
 */
#include "graph/program/rg_parser.h"

#include <math.h>
#include <string.h>

/* ---- ranges ---- */

/* @return the range after "in" */
static bool parse_elements(rg_parser_t *p, rg_range_t *r)
{
    static const struct {
        const char *name;
        rg_range_kind_t kind;
    } members[] = {{"out", RANGE_OUT}, {"in", RANGE_IN}, {"edges", RANGE_EDGES}};
    rg_symbol_t *s;

    r->at = p->token.at;
    if (parser_take(p, "nodes")) {
        r->kind = RANGE_NODES;
        return p->st == ST_OK;
    }
    if ((s = parser_find(p)) == NULL)
        return false;
    if (s->kind == SYMBOL_SET) {
        r->kind = RANGE_SET;
        r->set = s;
        return p->st == ST_OK;
    }
    r->of = expr_symbol(p, s, r->at);
    if (s->kind != SYMBOL_ATTRIBUTE && s->type == RG_NODE && parser_take(p, "."))
        for (int i = 0; i < 3; i++)
            if (parser_take(p, members[i].name)) {
                r->kind = members[i].kind;
                p->program->reads_arcs_in |= r->kind == RANGE_IN;
                return p->st == ST_OK;
            }
    parser_refuse(p, r->at,
                  "this is no range; write nodes, a set, or NODE.out, NODE.in "
                  "or NODE.edges");
    return false;
}

rg_range_t *range_new(rg_parser_t *p, rg_range_kind_t kind, rg_at_t at)
{
    rg_range_t *r = parser_alloc(p, sizeof(*r));

    if (r == NULL)
        return NULL;
    r->kind = kind;
    r->at = at;
    return r;
}

bool parse_iterator(rg_parser_t *p, rg_range_t *r, const rg_token_t *name, rg_type_t type)
{
    const rg_token_t after = p->token;
    const rg_lexer_t lexer = p->lexer;

    p->token = *name;
    r->iterator = parser_declare(p, SYMBOL_ITERATOR, type);
    if (r->iterator == NULL)
        return false;
    r->iterator->range = r;
    p->token = after;
    p->lexer = lexer;
    if (parser_take(p, "where"))
        r->where = expr_as(p, parse_expression(p), RG_BOOL, "a condition");
    return p->st == ST_OK;
}

rg_range_t *parse_range(rg_parser_t *p)
{
    rg_range_t *r = range_new(p, RANGE_NODES, p->token.at);
    const rg_token_t name = p->token;

    if (r == NULL)
        return NULL;
    parser_advance(p);
    parser_expect(p, "in", "a range");
    if (!parse_elements(p, r) ||
        !parse_iterator(p, r, &name, r->kind == RANGE_EDGES ? RG_EDGE : RG_NODE))
        return NULL;
    return r;
}

/* ---- functions and aggregates ---- */

static rg_expr_t *parse_aggregate(rg_parser_t *p, rg_expr_kind_t kind, rg_at_t at)
{
    const int n_scope = p->n_scope;
    rg_range_t *r = parse_range(p);
    rg_expr_t *value = NULL, *e;
    rg_type_t type = RG_INT;

    if (r == NULL)
        return NULL;
    if (kind != EXPR_COUNT_OF) {
        parser_expect(p, ":", "an aggregate");
        if ((value = parse_expression(p)) == NULL)
            return NULL;
        type = value->type;
        if (kind == EXPR_ANY_OF || kind == EXPR_ALL_OF) {
            value = expr_as(p, value, type = RG_BOOL, "a condition");
        } else if (type != RG_INT && type != RG_REAL &&
                   (type != RG_NODE || kind == EXPR_SUM_OF)) {
            parser_refuse(p, value->at,
                          "no sum, minimum or maximum is defined on the "
                          "type %s; give a number",
                          rg_type_name[type]);
        }
    }
    p->n_scope = n_scope;
    parser_expect(p, ")", "an aggregate");
    if ((e = expr_new(p, kind, type, at, value, r->where)) != NULL) {
        e->b = NULL; /* it gave its height */
        e->range = r;
    }
    return e;
}

/* min(a, b) and max(a, b), whose parenthesis is open. */
static rg_expr_t *parse_two(rg_parser_t *p, rg_expr_kind_t kind, rg_at_t at)
{
    rg_expr_t *a = parse_expression(p), *b;

    parser_expect(p, ",", "min or max");
    b = parse_expression(p);
    parser_expect(p, ")", "min or max");
    return expr_binary(p, kind, at, a, b);
}

static rg_expr_t *parse_arc(rg_parser_t *p, rg_at_t at)
{
    rg_expr_t *a = expr_as(p, parse_expression(p), RG_NODE, "the source"), *b;

    parser_expect(p, ",", "arc");
    b = expr_as(p, parse_expression(p), RG_NODE, "the target");
    parser_expect(p, ")", "arc");
    return expr_new(p, EXPR_ARC, RG_BOOL, at, a, b);
}

/* abs, sqrt, int and real. */
static rg_expr_t *parse_one(rg_parser_t *p, rg_expr_kind_t kind, rg_at_t at)
{
    rg_expr_t *a = parse_expression(p);

    parser_expect(p, ")", "a function");
    if (a == NULL)
        return NULL;
    if (a->type == RG_INT && kind == EXPR_ABS)
        return expr_new(p, kind, RG_INT, at, a, NULL);
    if (a->type == RG_INT && kind == EXPR_INT)
        return a;
    a = expr_as(p, a, RG_REAL, "the operand");
    if (kind == EXPR_REAL)
        return a;
    return expr_new(p, kind, kind == EXPR_INT ? RG_INT : RG_REAL, at, a, NULL);
}

/* A function or an aggregate, if the current token is the name of one. */
static bool parse_call(rg_parser_t *p, rg_expr_t **out)
{
    static const struct {
        const char *name;
        rg_expr_kind_t call, aggregate; /* EXPR_LITERAL: there is none */
    } all[] = {{"sum", EXPR_LITERAL, EXPR_SUM_OF}, {"min", EXPR_MIN, EXPR_MIN_OF},
               {"max", EXPR_MAX, EXPR_MAX_OF},     {"count", EXPR_LITERAL, EXPR_COUNT_OF},
               {"any", EXPR_LITERAL, EXPR_ANY_OF}, {"all", EXPR_LITERAL, EXPR_ALL_OF},
               {"arc", EXPR_ARC, EXPR_LITERAL},    {"abs", EXPR_ABS, EXPR_LITERAL},
               {"sqrt", EXPR_SQRT, EXPR_LITERAL},  {"int", EXPR_INT, EXPR_LITERAL},
               {"real", EXPR_REAL, EXPR_LITERAL}};
    const rg_at_t at = p->token.at;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (!parser_take(p, all[i].name))
            continue;
        parser_expect(p, "(", all[i].name);
        if (all[i].aggregate != EXPR_LITERAL &&
            (all[i].call == EXPR_LITERAL ||
             (p->token.kind == TOKEN_NAME && parser_next_is(p, "in"))))
            *out = parse_aggregate(p, all[i].aggregate, at);
        else if (all[i].call == EXPR_ARC)
            *out = parse_arc(p, at);
        else if (all[i].call == EXPR_MIN || all[i].call == EXPR_MAX)
            *out = parse_two(p, all[i].call, at);
        else
            *out = parse_one(p, all[i].call, at);
        return true;
    }
    return false;
}

/* ---- literals, names and members ---- */

static rg_expr_t *literal(rg_parser_t *p, rg_type_t type, rg_value_t value)
{
    rg_expr_t *e = expr_new(p, EXPR_LITERAL, type, p->token.at, NULL, NULL);

    if (e != NULL)
        e->value = value;
    parser_advance(p);
    return e;
}

static bool parse_literal(rg_parser_t *p, rg_expr_t **out)
{
    static const struct {
        const char *name;
        rg_type_t type;
        rg_value_t value;
    } words[] = {{"true", RG_BOOL, {.i = 1}},
                 {"false", RG_BOOL, {.i = 0}},
                 {"none", RG_NODE, {.i = -1}},
                 {"infinity", RG_REAL, {.r = INFINITY}}};

    if (p->token.kind == TOKEN_INT || p->token.kind == TOKEN_REAL) {
        *out = literal(p, p->token.kind == TOKEN_INT ? RG_INT : RG_REAL, p->token.value);
        return true;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (parser_is(p, words[i].name)) {
            *out = literal(p, words[i].type, words[i].value);
            return true;
        }
    return false;
}

/* @return a member that is part of the language, or EXPR_LITERAL */
static rg_expr_kind_t find_member(const rg_parser_t *p, rg_type_t of, rg_type_t *type)
{
    static const struct {
        const char *name;
        rg_type_t of, type;
        rg_expr_kind_t kind;
    } members[] = {{"degree", RG_NODE, RG_INT, EXPR_DEGREE},
                   {"in_degree", RG_NODE, RG_INT, EXPR_IN_DEGREE},
                   {"id", RG_NODE, RG_INT, EXPR_ID},
                   {"to", RG_EDGE, RG_NODE, EXPR_TO},
                   {"weight", RG_EDGE, RG_REAL, EXPR_WEIGHT}};

    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        if (members[i].of == of && parser_is(p, members[i].name)) {
            *type = members[i].type;
            return members[i].kind;
        }
    return EXPR_LITERAL;
}

/* The member of an expression, behind its point. */
static rg_expr_t *parse_member(rg_parser_t *p, rg_expr_t *of)
{
    const rg_at_t at = p->token.at;
    rg_symbol_t *attribute;
    rg_type_t type = RG_INT;
    rg_expr_kind_t kind;
    rg_expr_t *e;

    if (of == NULL)
        return NULL;
    if ((kind = find_member(p, of->type, &type)) != EXPR_LITERAL) {
        p->program->reads_arcs_in |= kind == EXPR_IN_DEGREE;
        p->program->reads_weights |= kind == EXPR_WEIGHT;
        parser_advance(p);
        return expr_new(p, kind, type, at, of, NULL);
    }
    if (of->type != RG_NODE && of->type != RG_EDGE)
        return parser_refuse(p, at,
                             "the type %s has no such member; nodes and edges have "
                             "members",
                             rg_type_name[of->type]);
    if ((attribute = parser_find(p)) == NULL)
        return NULL;
    if (attribute->kind != SYMBOL_ATTRIBUTE || attribute->of != of->type)
        return parser_refuse(p, at, "'%s' is no attribute of %ss; they have %s",
                             attribute->name, rg_type_name[of->type],
                             of->type == RG_EDGE
                                 ? "those declared by 'edge attribute', to and weight"
                                 : "those declared by 'attribute', id, degree and "
                                   "in_degree");
    if ((e = expr_new(p, EXPR_ATTRIBUTE, attribute->type, at, of, NULL)) != NULL)
        e->symbol = attribute;
    return e;
}

/* SET.size, SET.first and SET.count(NODE), behind the set. */
static rg_expr_t *parse_of_set(rg_parser_t *p, rg_at_t at, rg_symbol_t *set)
{
    const rg_collection_info_t *info = &rg_collection_info[set->collection];
    rg_expr_t *e, *node;

    parser_expect(p, ".", "a set as a value");
    if (info->is_sequence && parser_take(p, "first")) {
        e = expr_new(p, EXPR_FIRST, RG_NODE, at, NULL, NULL);
    } else if (info->is_repeated && parser_take(p, "count")) {
        parser_expect(p, "(", "count");
        node = expr_as(p, parse_expression(p), RG_NODE, "what is in a set");
        parser_expect(p, ")", "count");
        e = expr_new(p, EXPR_COUNT, RG_INT, at, node, NULL);
    } else {
        parser_expect(p, "size", "a set as a value");
        e = expr_new(p, EXPR_SIZE, RG_INT, at, NULL, NULL);
    }
    if (e != NULL)
        e->symbol = set;
    return e;
}

rg_expr_t *parse_place(rg_parser_t *p)
{
    const rg_at_t at = p->token.at;
    rg_symbol_t *s = parser_find(p);
    rg_expr_t *e;

    if (s == NULL)
        return NULL;
    if (s->kind == SYMBOL_ATTRIBUTE)
        return parser_refuse(p, at, "'%s' is an attribute; write %s.%s", s->name,
                             s->of == RG_EDGE ? "EDGE" : "NODE", s->name);
    e = s->kind == SYMBOL_SET ? parse_of_set(p, at, s) : expr_symbol(p, s, at);
    while (parser_take(p, "."))
        e = parse_member(p, e);
    return e;
}

static rg_expr_t *parse_primary(rg_parser_t *p)
{
    const rg_at_t at = p->token.at;
    rg_expr_t *e = NULL;

    if (parser_take(p, "(")) {
        e = parse_expression(p);
        parser_expect(p, ")", "an expression in parentheses");
    } else if (parser_take(p, "nodes")) {
        parser_expect(p, ".", "nodes as a value");
        parser_expect(p, "size", "nodes as a value");
        e = expr_new(p, EXPR_N_NODES, RG_INT, at, NULL, NULL);
    } else if (!parse_literal(p, &e) && !parse_call(p, &e)) {
        return parse_place(p);
    }
    while (parser_take(p, "."))
        e = parse_member(p, e);
    return e;
}

/* ---- operators ---- */

static rg_expr_t *parse_unary(rg_parser_t *p)
{
    const rg_at_t at = p->token.at;
    rg_expr_t *e = NULL;

    if (!parser_enter(p))
        return NULL;
    if (parser_take(p, "-")) {
        if ((e = parse_unary(p)) != NULL && e->type != RG_INT)
            e = expr_as(p, e, RG_REAL, "the operand of -");
        if (e != NULL)
            e = expr_new(p, EXPR_NEGATE, e->type, at, e, NULL);
    } else if (parser_take(p, "!")) {
        e = expr_as(p, parse_unary(p), RG_BOOL, "the operand of !");
        e = e != NULL ? expr_new(p, EXPR_NOT, RG_BOOL, at, e, NULL) : NULL;
    } else {
        e = parse_primary(p);
    }
    parser_leave(p);
    return e;
}

/* Binary operators; the smaller number binds less. */
static const struct {
    const char *sign;
    int precedence;
    rg_expr_kind_t kind;
} operators[] = {{"||", 1, EXPR_OR},      {"&&", 2, EXPR_AND},
                 {"==", 3, EXPR_EQUAL},   {"!=", 3, EXPR_UNEQUAL},
                 {"<", 4, EXPR_LESS},     {"<=", 4, EXPR_LESS_EQUAL},
                 {">", 4, EXPR_GREATER},  {">=", 4, EXPR_GREATER_EQUAL},
                 {"in", 4, EXPR_IN},      {"+", 5, EXPR_ADD},
                 {"-", 5, EXPR_SUBTRACT}, {"*", 6, EXPR_MULTIPLY},
                 {"/", 6, EXPR_DIVIDE},   {"%", 6, EXPR_MODULO}};

enum { N_OPERATORS = sizeof(operators) / sizeof(operators[0]) };

/* NODE in SET, behind "in". */
static rg_expr_t *parse_in(rg_parser_t *p, rg_at_t at, rg_expr_t *a)
{
    const rg_at_t set_at = p->token.at;
    rg_symbol_t *set = parser_find(p);
    rg_expr_t *e;

    if (set == NULL || (a = expr_as(p, a, RG_NODE, "what is in a set")) == NULL)
        return NULL;
    if (set->kind != SYMBOL_SET)
        return parser_refuse(p, set_at, "'%s' is no set; give one after 'in'", set->name);
    if ((e = expr_new(p, EXPR_IN, RG_BOOL, at, a, NULL)) != NULL)
        e->symbol = set;
    return e;
}

/* Operators of at least a precedence. */
static rg_expr_t *parse_binary(rg_parser_t *p, int precedence)
{
    rg_expr_t *a = parse_unary(p);
    int i = 0;

    while (a != NULL && i < N_OPERATORS) {
        const rg_at_t at = p->token.at;

        if (operators[i].precedence < precedence || !parser_take(p, operators[i].sign)) {
            i++;
            continue;
        }
        a = operators[i].kind == EXPR_IN
                ? parse_in(p, at, a)
                : expr_binary(p, operators[i].kind, at, a,
                              parse_binary(p, operators[i].precedence + 1));
        i = 0;
    }
    return a;
}

/* @return condition ? a : b, behind the question mark */
static rg_expr_t *parse_choice(rg_parser_t *p, rg_expr_t *condition, rg_at_t at)
{
    rg_expr_t *a, *b, *e;

    condition = expr_as(p, condition, RG_BOOL, "a condition");
    a = parse_expression(p);
    parser_expect(p, ":", "a choice");
    b = parse_expression(p);
    if (condition == NULL || !expr_match(p, at, &a, &b))
        return NULL;
    if ((e = expr_new(p, EXPR_CHOOSE, a->type, at, a, b)) != NULL) {
        if (e->height <= condition->height)
            e->height = condition->height + 1;
        e->c = b;
        e->b = a;
        e->a = condition;
    }
    return e;
}

rg_expr_t *parse_expression(rg_parser_t *p)
{
    rg_expr_t *e = NULL;

    if (parser_enter(p)) {
        const rg_at_t at = p->token.at;

        e = parse_binary(p, 1);
        if (e != NULL && parser_take(p, "?"))
            e = parse_choice(p, e, at);
    }
    parser_leave(p);
    return e;
}
