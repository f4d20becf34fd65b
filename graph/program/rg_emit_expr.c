/*
 * rg_emit_expr.c - expressions and ranges as C.
 *
 * An aggregate is a block with a value ({ }).  In serial code it is a function of its own
 * where it goes through nodes or a set, so that its pieces run in parallel.
 */
#include "graph/program/rg_emitter.h"

#include <inttypes.h>
#include <math.h>

bool emit_is_node(const rg_expr_t *node)
{
    return node->kind == EXPR_TO ||
           (node->kind == EXPR_SYMBOL && node->symbol->kind == SYMBOL_ITERATOR);
}

void emit_node(rg_emitter_t *e, const rg_expr_t *node)
{
    if (!emit_is_node(node))
        emit_text(e, "node(");
    emit_expr(e, node);
    if (!emit_is_node(node)) {
        emit_place(e, node->at);
        emit_text(e, ")");
    }
}

/* ---- ranges ---- */

/* @return the kind of a range's collection, or NULL */
static const rg_collection_info_t *collection_of(const rg_range_t *r)
{
    return r->set != NULL ? &rg_collection_info[r->set->collection] : NULL;
}

bool emit_is_by_node(const rg_range_t *r)
{
    const rg_collection_info_t *set = collection_of(r);

    return r->kind == RANGE_NODES || (set != NULL && !set->is_sequence);
}

/* @return whether a range's nodes ascend, some several times */
static bool is_multiset(const rg_range_t *r)
{
    return r->set != NULL && emit_is_by_node(r) && collection_of(r)->is_repeated;
}

/* Write the positions of a range, which are the arcs of a node, places of a list, or
 * nodes. */
static void emit_bounds(rg_emitter_t *e, const rg_walk_t *w, int n)
{
    const char *in = w->range->kind == RANGE_IN ? "in_" : "";

    if (w->begin != NULL)
        emit_text(e, "b%d = %s, e%d = %s;\n", n, w->begin, n, w->end);
    else if (w->range->of != NULL)
        emit_text(e, "b%d = rg->%sfirst[r%d], e%d = rg->%sfirst[r%d + 1];\n", n, in, n, n,
                  in, n);
    else if (emit_is_by_node(w->range))
        emit_text(e, "b%d = 0, e%d = rg->n_nodes;\n", n, n);
    else
        emit_text(e, "b%d = rg->set[%d].begin, e%d = b%d + rg->set[%d].n;\n", n,
                  w->range->set->slot, n, n, w->range->set->slot);
}

/* What comes before a loop. */
static void emit_head(rg_emitter_t *e, const rg_walk_t *w, int n)
{
    const bool is_row = w->range->of != NULL;

    emit_text(e, "{\n");
    if (is_row) {
        emit_text(e, "const int64_t r%d = ", n);
        emit_node(e, w->range->of);
        emit_text(e, ";\n");
    }
    emit_text(e, w->walkers == WALK_SHARED ? "int64_t " : "const int64_t ");
    emit_bounds(e, w, n);
    if (is_row && e->is_uniform)
        emit_text(e, "visited += threadIdx.x == 0 ? e%d - b%d : 0;\n", n, n);
    else if (is_row)
        emit_text(e, "visited += e%d - b%d;\n", n, n);
    else if (!e->is_cuda)
        emit_text(e, "rg->tick();\n");
    if (w->walkers == WALK_SHARED)
        emit_text(e, "int64_t at%d = -1;\nshare(&b%d, &e%d);\n", n, n, n);
}

/* for (...) {: in a kernel until the iteration has an error. */
static void emit_for(rg_emitter_t *e, const rg_walk_t *w, int n)
{
    const char *on = e->is_cuda ? " && bad == 0" : "";
    const int set = w->range->set != NULL ? w->range->set->slot : 0;

    if (w->range->set == NULL || !emit_is_by_node(w->range))
        emit_text(e, "for (int64_t p%d = b%d; p%d < e%d%s; p%d++) {\n", n, n, n, n, on,
                  n);
    else if (is_multiset(w->range))
        emit_text(e,
                  "int64_t o%d = -1, l%d = 0;\nfor (int64_t p%d = next(%d, b%d, e%d); "
                  "p%d < e%d%s; p%d = again(%d, p%d, e%d, &l%d)) {\no%d++;\n",
                  n, n, n, set, n, n, n, n, on, n, set, n, n, n, n);
    else
        emit_text(
            e,
            "for (int64_t p%d = next(%d, b%d, e%d); p%d < e%d%s; p%d = next(%d, p%d "
            "+ 1, e%d)) {\n",
            n, set, n, n, n, n, on, n, set, n, n);
}

/* Likewise; a block takes the positions at distances of the number of blocks, and all
 * elements of a node. */
static void emit_for_blocks(rg_emitter_t *e, const rg_walk_t *w, int n)
{
    const int set = w->range->set != NULL ? w->range->set->slot : 0;

    if (w->range->set == NULL || !emit_is_by_node(w->range))
        emit_text(e,
                  "for (int64_t p%d = b%d + blockIdx.x; p%d < e%d && bad == 0; p%d += "
                  "gridDim.x) {\n",
                  n, n, n, n, n);
    else if (is_multiset(w->range))
        emit_text(
            e,
            "int64_t l%d = 0;\nfor (int64_t p%d = of_block(%d, b%d + blockIdx.x, "
            "e%d); p%d < e%d && bad == 0; p%d = --l%d > 0 ? p%d : of_block(%d, p%d + "
            "gridDim.x, e%d)) {\nif (l%d == 0) l%d = how_often(%d, p%d);\n",
            n, n, set, n, n, n, n, n, n, n, set, n, n, n, n, set, n);
    else
        emit_text(
            e,
            "for (int64_t p%d = of_block(%d, b%d + blockIdx.x, e%d); p%d < e%d && bad "
            "== 0; p%d = of_block(%d, p%d + gridDim.x, e%d)) {\n",
            n, set, n, n, n, n, n, set, n, n);
    emit_text(e, "position = p%d;\n", n);
}

int emit_walk(rg_emitter_t *e, const rg_walk_t *w)
{
    const rg_range_t *r = w->range;
    const int n = e->n_temporary++;

    emit_head(e, w, n);
    if (w->walkers == WALK_BLOCKS)
        emit_for_blocks(e, w, n);
    else
        emit_for(e, w, n);
    if (w->walkers == WALK_SHARED) {
        emit_text(e, "at%d = p%d;\n", n, n);
        e->is_uniform = false;
    }
    emit_text(e, "%s",
              w->is_static             ? ""
              : r->kind == RANGE_EDGES ? "int64_t "
                                       : "int32_t ");
    emit_name(e, r->iterator);
    if (r->kind == RANGE_OUT || r->kind == RANGE_IN)
        emit_text(e, " = rg->%sto[p%d];\n", r->kind == RANGE_IN ? "in_" : "", n);
    else if (r->set != NULL && !emit_is_by_node(r))
        emit_text(e, " = rg->set[%d].list[p%d];\n", r->set->slot, n);
    else
        emit_text(e, " = p%d;\n", n);
    if (r->where != NULL) {
        emit_text(e, "if (!");
        emit_expr(e, r->where);
        emit_text(e, ") continue;\n");
    }
    return n;
}

void emit_walk_end(rg_emitter_t *e, const rg_walk_t *w, int n)
{
    emit_text(e, "}\n");
    if (w->walkers == WALK_SHARED) {
        emit_text(e, "join(at%d, bad, place);\n", n);
        e->is_uniform = true;
    }
    emit_text(e, "}\n");
}

/* ---- aggregates ---- */

const char *emit_worst(rg_type_t type, bool is_min)
{
    if (type == RG_NODE)
        return "-1";
    if (type == RG_REAL)
        return is_min ? "HUGE_VAL" : "-HUGE_VAL";
    return is_min ? "INT64_MAX" : "INT64_MIN";
}

/* What an aggregate begins with, how it takes a value, and what adds up pieces. */
typedef struct {
    const char *begin, *take, *total;
} fold_t;

static fold_t fold_of(const rg_expr_t *a)
{
    const bool is_min = a->kind == EXPR_MIN_OF;
    const char *worst = emit_worst(a->type, is_min);

    if (a->kind == EXPR_SUM_OF || a->kind == EXPR_COUNT_OF)
        return (fold_t){"0", "add_int", "total_add_int"};
    if (a->type == RG_REAL)
        return is_min ? (fold_t){worst, "of_min_real", "total_min_real"}
                      : (fold_t){worst, "of_max_real", "total_max_real"};
    if (a->type == RG_NODE)
        return (fold_t){worst, is_min ? "min_node" : "max_node", NULL};
    return is_min ? (fold_t){worst, "min_int", "total_min_int"}
                  : (fold_t){worst, "max_int", "total_max_int"};
}

const char *emit_fold_of(const rg_expr_t *a)
{
    return fold_of(a).take;
}

static bool is_real_sum(const rg_expr_t *a)
{
    return a->kind == EXPR_SUM_OF && a->type == RG_REAL;
}

/* @return who goes through an aggregate's range: the places of a multiset, by which real
 * numbers are added, are known to one only who has gone through it from the beginning */
static rg_walkers_t walkers_of(const rg_emitter_t *e, const rg_expr_t *a)
{
    return e->is_uniform && !(is_real_sum(a) && is_multiset(a->range)) ? WALK_SHARED
                                                                       : WALK_ALONE;
}

/* Write statements that leave an aggregate's value in vN. @return N */
static int emit_fold(rg_emitter_t *e, const rg_expr_t *a, const char *begin,
                     const char *end)
{
    const rg_walk_t walk = {a->range, begin, end, false, walkers_of(e, a)};
    const bool is_shared = walk.walkers == WALK_SHARED;
    const fold_t f = fold_of(a);
    const int v = e->n_temporary++;
    int n;

    if (is_real_sum(a))
        emit_text(e, "tree_sum_t t%d;\nt%d.n = 0;\n", v, v);
    else
        emit_text(e, "%s v%d = %s;\n", emit_type(a->type), v, f.begin);
    n = emit_walk(e, &walk);
    if (is_real_sum(a) && is_multiset(a->range))
        emit_text(e, "add_at(&t%d, o%d, ", v, n);
    else if (is_real_sum(a))
        emit_text(e, "add_at(&t%d, p%d - b%d, ", v, n, n);
    else
        emit_text(e, "v%d = %s(v%d, ", v, f.take, v);
    if (a->kind == EXPR_COUNT_OF)
        emit_text(e, "1");
    else
        emit_expr(e, a->a);
    emit_text(e, ");\n");
    emit_walk_end(e, &walk, n);
    if (is_real_sum(a))
        emit_text(e,
                  is_shared ? "const double v%d = fold<double, add_real>("
                              "tree_sum_total(&t%d));\n"
                            : "const double v%d = tree_sum_total(&t%d);\n",
                  v, v);
    else if (is_shared)
        emit_text(e, "v%d = fold<%s, %s>(v%d);\n", v, emit_type(a->type), f.take, v);
    return v;
}

/* Whether a condition holds for some element. */
static void emit_some(rg_emitter_t *e, const rg_expr_t *a, const char *begin,
                      const char *end)
{
    const rg_walk_t walk = {a->range, begin, end, false, walkers_of(e, a)};
    const bool is_any = a->kind == EXPR_ANY_OF;
    const int v = e->n_temporary++;
    int n;

    emit_value_begin(e);
    emit_text(e, "uint8_t v%d = %d;\n", v, !is_any);
    if (walk.walkers == WALK_SHARED)
        emit_text(e, "const int64_t visited%d = visited;\n", v);
    n = emit_walk(e, &walk);
    emit_text(e, "if (%s", is_any ? "" : "!");
    emit_expr(e, a->a);
    emit_text(e, ") {\nv%d = %d;\nbreak;\n}\n}\n", v, is_any);
    if (walk.walkers == WALK_SHARED) {
        emit_text(e, "v%d = %sfind(v%d == %d, at%d, bad, place, visited, visited%d);\n",
                  v, is_any ? "" : "!", v, is_any, n, v);
        e->is_uniform = true;
    }
    emit_text(e, "}\n");
    emit_value_end(e, "v%d", v);
}

/* An aggregate of serial code as a function of pieces, and its call. */
static void emit_pieces(rg_emitter_t *e, const rg_expr_t *a)
{
    buf_t function = {0}, *to = e->to;
    const int n = e->n_temporary++;
    const fold_t f = fold_of(a);

    e->to = &function;
    emit_text(e, "\nstatic void aggregate%d(int64_t begin, int64_t end)\n{\n", n);
    emit_begin(e);
    e->is_parallel = true;
    emit_text(e, "rg->part[begin / rg->piece].%s = v%d;\n",
              a->type == RG_REAL ? "r" : "i", emit_fold(e, a, "begin", "end"));
    e->is_parallel = false;
    emit_end(e);
    emit_function(e, &function, to);
    emit_value_begin(e);
    emit_text(e, "rg->parallel(aggregate%d);\n", n);
    if (is_real_sum(a))
        emit_value_end(e, "total_sum()");
    else
        emit_value_end(e, "%s(%s)%s", f.total, f.begin,
                       a->type == RG_REAL ? " + 0.0" : "");
}

void emit_aggregate_of(rg_emitter_t *e, const rg_expr_t *a, const char *begin,
                       const char *end)
{
    int v;

    if (a->kind == EXPR_ANY_OF || a->kind == EXPR_ALL_OF) {
        emit_some(e, a, begin, end);
        return;
    }
    emit_value_begin(e);
    v = emit_fold(e, a, begin, end);
    emit_value_end(e, "v%d%s", v, a->type == RG_REAL ? " + 0.0" : "");
}

/* The iterator of an aggregate around is no static variable, which pieces could read. */
static void emit_aggregate(rg_emitter_t *e, const rg_expr_t *a)
{
    const bool is_outer = e->loop == NULL && !e->is_parallel && e->n_aggregates == 0;

    e->n_aggregates++;
    if (is_outer && emit_is_by_node(a->range) && a->type != RG_NODE &&
        a->kind != EXPR_ANY_OF && a->kind != EXPR_ALL_OF &&
        !(is_real_sum(a) && is_multiset(a->range)))
        emit_pieces(e, a);
    else
        emit_aggregate_of(e, a, NULL, NULL);
    e->n_aggregates--;
}

/* ---- operators ---- */

/* The operators that C has in the same meaning, of integers without overflow. */
static const char *const signs[] = {
    [EXPR_ADD] = "+",    [EXPR_SUBTRACT] = "-",    [EXPR_MULTIPLY] = "*",
    [EXPR_DIVIDE] = "/", [EXPR_EQUAL] = "==",      [EXPR_UNEQUAL] = "!=",
    [EXPR_LESS] = "<",   [EXPR_LESS_EQUAL] = "<=", [EXPR_GREATER] = ">",
    [EXPR_AND] = "&&",   [EXPR_OR] = "||",         [EXPR_GREATER_EQUAL] = ">=",
};

/* Functions of integers, modulo 2^64. */
static const char *const of_int[] = {
    [EXPR_ADD] = "add_int",   [EXPR_SUBTRACT] = "subtract", [EXPR_MULTIPLY] = "multiply",
    [EXPR_DIVIDE] = "divide", [EXPR_MODULO] = "modulo",
};

/* NAME(a, b) with a place for errors, if it has one. */
static void emit_call(rg_emitter_t *e, const char *name, const rg_expr_t *x,
                      bool can_fail)
{
    emit_text(e, "%s(", name);
    emit_expr(e, x->a);
    if (x->b != NULL) {
        emit_text(e, ", ");
        emit_expr(e, x->b);
    }
    if (can_fail)
        emit_place(e, x->at);
    emit_text(e, ")");
}

static void emit_binary(rg_emitter_t *e, const rg_expr_t *x)
{
    const bool is_real = x->a->type == RG_REAL;

    if (x->kind == EXPR_MIN)
        emit_call(e, is_real ? "of_min_real" : "min_int", x, false);
    else if (x->kind == EXPR_MAX)
        emit_call(e, is_real ? "of_max_real" : "max_int", x, false);
    else if (!is_real && x->kind >= EXPR_ADD && x->kind <= EXPR_MODULO)
        emit_call(e, of_int[x->kind], x, x->kind >= EXPR_DIVIDE);
    else {
        emit_text(e, "(");
        emit_expr(e, x->a);
        emit_text(e, " %s ", signs[x->kind]);
        emit_expr(e, x->b);
        emit_text(e, ")");
    }
}

static void emit_unary(rg_emitter_t *e, const rg_expr_t *x)
{
    const bool is_real = x->type == RG_REAL;

    switch (x->kind) {
    case EXPR_NEGATE:
        emit_call(e, is_real ? "-" : "negate", x, false);
        break;
    case EXPR_NOT:
        emit_call(e, "!", x, false);
        break;
    case EXPR_ABS:
        emit_call(e, is_real ? "fabs" : "abs_int", x, false);
        break;
    case EXPR_SQRT:
        emit_call(e, "sqrt", x, false);
        break;
    case EXPR_REAL:
        emit_call(e, "(double)", x, false);
        break;
    default:
        emit_call(e, "to_int", x, true);
    }
}

static void emit_literal(rg_emitter_t *e, const rg_expr_t *x)
{
    if (x->type == RG_REAL && isinf(x->value.r))
        emit_text(e, "HUGE_VAL");
    else if (x->type == RG_REAL)
        emit_text(e, "%a", x->value.r);
    else
        emit_text(e, "INT64_C(%" PRId64 ")", x->value.i);
}

/* NAME(NODE) or NAME(NODE, NODE). */
static void emit_of_node(rg_emitter_t *e, const rg_expr_t *x, const char *name)
{
    emit_text(e, "%s(", name);
    if (x->symbol != NULL)
        emit_text(e, "%d, ", x->symbol->slot);
    emit_node(e, x->a);
    if (x->b != NULL) {
        emit_text(e, ", ");
        emit_node(e, x->b);
    }
    emit_text(e, ")");
}

/* An element of an array. */
static void emit_element(rg_emitter_t *e, const rg_expr_t *x, const char *array)
{
    if (array != NULL)
        emit_text(e, "%s[", array);
    else
        emit_name(e, x->symbol), emit_text(e, "[");
    emit_node(e, x->a);
    emit_text(e, "]");
}

static void emit_choice(rg_emitter_t *e, const rg_expr_t *x)
{
    emit_text(e, "(");
    emit_expr(e, x->a);
    emit_text(e, " ? ");
    emit_expr(e, x->b);
    emit_text(e, " : ");
    emit_expr(e, x->c);
    emit_text(e, ")");
}

/* What belongs to a node, an edge or a set. @return false: it is something else */
static bool emit_member(rg_emitter_t *e, const rg_expr_t *x)
{
    switch (x->kind) {
    case EXPR_ATTRIBUTE:
        emit_element(e, x, NULL);
        return true;
    case EXPR_ID:
        emit_element(e, x, "rg->id");
        return true;
    case EXPR_DEGREE:
        emit_of_node(e, x, "degree");
        return true;
    case EXPR_IN_DEGREE:
        emit_of_node(e, x, "in_degree");
        return true;
    case EXPR_IN:
        emit_of_node(e, x, "has");
        return true;
    case EXPR_COUNT:
        emit_of_node(e, x, "how_often");
        return true;
    case EXPR_ARC:
        emit_of_node(e, x, "arc");
        return true;
    case EXPR_TO:
        emit_text(e, "rg->to[");
        emit_expr(e, x->a);
        emit_text(e, "]");
        return true;
    case EXPR_WEIGHT:
        emit_call(e, "weight", x, false);
        return true;
    case EXPR_SIZE:
        emit_text(e, "size(%d)", x->symbol->slot);
        return true;
    case EXPR_FIRST:
        emit_text(e, "first(%d)", x->symbol->slot);
        return true;
    default:
        return false;
    }
}

void emit_expr(rg_emitter_t *e, const rg_expr_t *x)
{
    if (emit_member(e, x))
        return;
    switch (x->kind) {
    case EXPR_LITERAL:
        emit_literal(e, x);
        break;
    case EXPR_SYMBOL:
        emit_name(e, x->symbol);
        break;
    case EXPR_N_NODES:
        emit_text(e, "rg->n_nodes");
        break;
    case EXPR_CHOOSE:
        emit_choice(e, x);
        break;
    case EXPR_NEGATE:
    case EXPR_NOT:
    case EXPR_ABS:
    case EXPR_SQRT:
    case EXPR_REAL:
    case EXPR_INT:
        emit_unary(e, x);
        break;
    default:
        if (x->kind >= EXPR_SUM_OF)
            emit_aggregate(e, x);
        else
            emit_binary(e, x);
    }
}
