/*
 * rg_types.c - expressions of operands whose types fit: the only conversion that
 * nobody has to write is that of integers to real numbers.
 */
#include "graph/program/rg_parser.h"

#include <string.h>

static int height_of(const rg_expr_t *e)
{
    return e != NULL ? e->height : 0;
}

rg_expr_t *expr_new(rg_parser_t *p, rg_expr_kind_t kind, rg_type_t type, rg_at_t at,
                    rg_expr_t *a, rg_expr_t *b)
{
    rg_expr_t *e;
    int height = height_of(a) > height_of(b) ? height_of(a) : height_of(b);

    if (p->st != ST_OK)
        return NULL;
    if (height >= RG_DEPTH_MAX)
        return parser_refuse(p, at,
                             "this expression has more than %d operations in one "
                             "chain; use variables",
                             RG_DEPTH_MAX);
    if ((e = parser_alloc(p, sizeof(*e))) == NULL)
        return NULL;
    e->kind = kind;
    e->type = type;
    e->at = at;
    e->a = a;
    e->b = b;
    e->height = height + 1;
    return e;
}

rg_expr_t *expr_symbol(rg_parser_t *p, rg_symbol_t *s, rg_at_t at)
{
    rg_expr_t *e = expr_new(p, EXPR_SYMBOL, s->type, at, NULL, NULL);

    if (e != NULL)
        e->symbol = s;
    return e;
}

rg_expr_t *expr_as(rg_parser_t *p, rg_expr_t *e, rg_type_t type, const char *what)
{
    if (e == NULL || e->type == type)
        return e;
    if (e->type == RG_INT && type == RG_REAL)
        return expr_new(p, EXPR_REAL, RG_REAL, e->at, e, NULL);
    return parser_refuse(p, e->at, "%s must have the type %s, but this has the type %s%s",
                         what, rg_type_name[type], rg_type_name[e->type],
                         e->type == RG_REAL && type == RG_INT   ? "; write int(...)"
                         : e->type == RG_INT && type == RG_BOOL ? "; write ... != 0"
                         : type == RG_NODE
                             ? "; give a node, such as an iterator over nodes"
                             : "; convert it");
}

static bool is_number(const rg_expr_t *e)
{
    return e->type == RG_INT || e->type == RG_REAL;
}

bool expr_match(rg_parser_t *p, rg_at_t at, rg_expr_t **a, rg_expr_t **b)
{
    if (*a == NULL || *b == NULL)
        return false;
    if (is_number(*a) && is_number(*b) && (*a)->type != (*b)->type) {
        *a = expr_as(p, *a, RG_REAL, "");
        *b = expr_as(p, *b, RG_REAL, "");
    } else if ((*a)->type != (*b)->type) {
        parser_refuse(p, at,
                      "the types %s and %s do not go together here; give both the "
                      "same",
                      rg_type_name[(*a)->type], rg_type_name[(*b)->type]);
    }
    return p->st == ST_OK;
}

/* @return whether an operator takes operands of a type */
static bool takes(rg_expr_kind_t kind, rg_type_t type)
{
    switch (kind) {
    case EXPR_MODULO:
        return type == RG_INT;
    case EXPR_EQUAL:
    case EXPR_UNEQUAL:
        return type != RG_SET;
    case EXPR_LESS:
    case EXPR_LESS_EQUAL:
    case EXPR_GREATER:
    case EXPR_GREATER_EQUAL:
        return type == RG_INT || type == RG_REAL || type == RG_NODE;
    case EXPR_AND:
    case EXPR_OR:
        return type == RG_BOOL;
    default:
        return type == RG_INT || type == RG_REAL;
    }
}

rg_expr_t *expr_binary(rg_parser_t *p, rg_expr_kind_t kind, rg_at_t at, rg_expr_t *a,
                       rg_expr_t *b)
{
    const bool gives_bool = kind >= EXPR_EQUAL && kind <= EXPR_OR;

    if (!expr_match(p, at, &a, &b))
        return NULL;
    if (!takes(kind, a->type))
        return parser_refuse(p, at,
                             "this operator does not take the type %s; use "
                             "operands of another type",
                             rg_type_name[a->type]);
    return expr_new(p, kind, gives_bool ? RG_BOOL : a->type, at, a, b);
}
