/*
 * rg_eval.c - values of expressions, and the elements of ranges.
 *
 * Integers are added, subtracted and multiplied modulo 2^64, so that sums do not depend
 * on their order; real sums are tree sums by the place in the range (tree_sum.h).
 */
#include "graph/program/rg_state.h"
#include "io/base/child.h"
#include "kernels/graph/common/tree_sum.h"

#include <math.h>

static rg_value_t of_int(int64_t i)
{
    return (rg_value_t){.i = i};
}

static rg_value_t of_real(double r)
{
    return (rg_value_t){.r = r};
}

/* ---- ranges ---- */

rg_cursor_t cursor_begin(rg_state_t *s, const rg_range_t *r)
{
    rg_cursor_t c = {.end = s->graph->n_nodes};
    const csr_t *g = r->kind == RANGE_IN ? s->in : s->graph;
    int64_t node;

    if (r->kind == RANGE_SET) {
        state_see(s, r->set);
        c.set = &s->set[r->set->slot];
    }
    if (c.set != NULL && c.set->list != NULL)
        return (rg_cursor_t){.to = c.set->list + c.set->begin, .end = c.set->n};
    c.place = -1;
    if (r->kind == RANGE_NODES || r->kind == RANGE_SET)
        return c;
    if ((node = eval_node(s, r->of)) < 0)
        return (rg_cursor_t){0};
    c.offset = g->first[node];
    c.end = csr_degree(g, (int32_t)node);
    c.to = r->kind == RANGE_EDGES ? NULL : g->to + c.offset;
    s->n_visited += c.end;
    return c;
}

/* @return the first member of a set from a node on, or the end */
static int64_t next_member(const rg_cursor_t *c)
{
    int64_t node = c->next;

    while (node < c->end) {
        const uint64_t rest = c->set->bits[node / 64] >> (node % 64);

        if (rest != 0)
            return node + __builtin_ctzll(rest);
        node = (node / 64 + 1) * 64;
    }
    return c->end;
}

/* Go to the next element. @return whether there is one; *at: its position */
static bool advance(rg_cursor_t *c, int64_t *at)
{
    if (c->n_left > 0) { /* the same node again */
        c->n_left--;
        *at = c->next - 1;
        c->place++;
        return true;
    }
    if (c->set != NULL)
        c->next = next_member(c);
    if (c->next >= c->end)
        return false;
    *at = c->next++;
    if (c->set != NULL && c->set->count != NULL) {
        c->n_left = c->set->count[*at] - 1;
        c->place++;
    } else {
        c->place = *at;
    }
    return true;
}

bool cursor_next(rg_state_t *s, const rg_range_t *r, rg_cursor_t *c)
{
    int64_t at;

    while (s->st == ST_OK) {
        child_tick_turn(c->next);
        if (!advance(c, &at))
            return false;
        s->value[r->iterator->slot].i = c->to != NULL ? c->to[at] : c->offset + at;
        if (r->where == NULL || eval(s, r->where).i != 0)
            return s->st == ST_OK;
    }
    return false;
}

/* ---- aggregates ---- */

static rg_value_t sum_real(rg_state_t *s, const rg_expr_t *e)
{
    rg_cursor_t c = cursor_begin(s, e->range);
    tree_sum_t sum = {0};

    while (cursor_next(s, e->range, &c)) {
        while ((int64_t)sum.n < c.place)
            tree_sum_add(&sum, 0);
        tree_sum_add(&sum, eval(s, e->a).r);
    }
    return of_real(tree_sum_total(&sum));
}

/* @return the sum of integers, or how many elements there are */
static rg_value_t sum_int(rg_state_t *s, const rg_expr_t *e)
{
    rg_cursor_t c = cursor_begin(s, e->range);
    uint64_t sum = 0;

    while (cursor_next(s, e->range, &c))
        sum += e->kind == EXPR_COUNT_OF ? 1 : (uint64_t)eval(s, e->a).i;
    return of_int((int64_t)sum);
}

/* Of no elements: infinity, the largest integer, or none; for a maximum the opposite.
 * Nodes: none is left out.  NaN is left out, and 0 is +0. */
static rg_value_t extreme(rg_state_t *s, const rg_expr_t *e)
{
    const bool is_min = e->kind == EXPR_MIN_OF;
    rg_cursor_t c = cursor_begin(s, e->range);
    rg_value_t best;

    if (e->type == RG_REAL)
        best.r = is_min ? INFINITY : -INFINITY;
    else
        best.i = is_min ? INT64_MAX : INT64_MIN;
    while (cursor_next(s, e->range, &c)) {
        const rg_value_t x = eval(s, e->a);

        if (e->type == RG_REAL ? (is_min ? x.r < best.r : x.r > best.r)
                               : (is_min ? x.i < best.i : x.i > best.i) &&
                                     (e->type != RG_NODE || x.i >= 0))
            best = x;
    }
    if (e->type == RG_REAL)
        best.r += 0.0;
    else if (e->type == RG_NODE && (best.i == INT64_MAX || best.i == INT64_MIN))
        best.i = -1;
    return best;
}

/* @return whether the condition has a value for some element */
static bool some(rg_state_t *s, const rg_expr_t *e, bool value)
{
    rg_cursor_t c = cursor_begin(s, e->range);

    while (cursor_next(s, e->range, &c))
        if ((eval(s, e->a).i != 0) == value)
            return true;
    return false;
}

static rg_value_t aggregate(rg_state_t *s, const rg_expr_t *e)
{
    rg_value_t value;

    if (s->helper != NULL && e->kernel != 0 && s->helper->aggregate(s, e, &value))
        return value;
    switch (e->kind) {
    case EXPR_SUM_OF:
        return e->type == RG_REAL ? sum_real(s, e) : sum_int(s, e);
    case EXPR_COUNT_OF:
        return sum_int(s, e);
    case EXPR_ANY_OF:
        return of_int(some(s, e, true));
    case EXPR_ALL_OF:
        return of_int(!some(s, e, false));
    default:
        return extreme(s, e);
    }
}

/* ---- operators ---- */

static rg_value_t real_operator(rg_expr_kind_t kind, double a, double b)
{
    switch (kind) {
    case EXPR_ADD:
        return of_real(a + b);
    case EXPR_SUBTRACT:
        return of_real(a - b);
    case EXPR_MULTIPLY:
        return of_real(a * b);
    case EXPR_DIVIDE:
        return of_real(a / b);
    case EXPR_MIN:
        return of_real(b < a ? b : a);
    case EXPR_MAX:
        return of_real(b > a ? b : a);
    case EXPR_EQUAL:
        return of_int(a == b);
    case EXPR_UNEQUAL:
        return of_int(a != b);
    case EXPR_LESS:
        return of_int(a < b);
    case EXPR_LESS_EQUAL:
        return of_int(a <= b);
    case EXPR_GREATER:
        return of_int(a > b);
    default:
        return of_int(a >= b);
    }
}

/* The quotient or the rest; that of the smallest integer and -1 would overflow. */
static rg_value_t divide(rg_state_t *s, const rg_expr_t *e, int64_t a, int64_t b)
{
    if (b == 0) {
        state_fail(s, e->at, RG_ERROR_DIVISOR);
        return of_int(0);
    }
    if (e->kind == EXPR_MODULO)
        return of_int(b == -1 ? 0 : a % b);
    return of_int(b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b);
}

static rg_value_t int_operator(rg_state_t *s, const rg_expr_t *e, int64_t a, int64_t b)
{
    switch (e->kind) {
    case EXPR_ADD:
        return of_int((int64_t)((uint64_t)a + (uint64_t)b));
    case EXPR_SUBTRACT:
        return of_int((int64_t)((uint64_t)a - (uint64_t)b));
    case EXPR_MULTIPLY:
        return of_int((int64_t)((uint64_t)a * (uint64_t)b));
    case EXPR_DIVIDE:
    case EXPR_MODULO:
        return divide(s, e, a, b);
    case EXPR_MIN:
        return of_int(b < a ? b : a);
    case EXPR_MAX:
        return of_int(b > a ? b : a);
    case EXPR_EQUAL:
        return of_int(a == b);
    case EXPR_UNEQUAL:
        return of_int(a != b);
    case EXPR_LESS:
        return of_int(a < b);
    case EXPR_LESS_EQUAL:
        return of_int(a <= b);
    case EXPR_GREATER:
        return of_int(a > b);
    default:
        return of_int(a >= b);
    }
}

static rg_value_t binary(rg_state_t *s, const rg_expr_t *e)
{
    const rg_value_t a = eval(s, e->a), b = eval(s, e->b);

    return e->a->type == RG_REAL ? real_operator(e->kind, a.r, b.r)
                                 : int_operator(s, e, a.i, b.i);
}

static rg_value_t unary(rg_state_t *s, const rg_expr_t *e)
{
    const rg_value_t a = eval(s, e->a);

    switch (e->kind) {
    case EXPR_NOT:
        return of_int(a.i == 0);
    case EXPR_NEGATE:
        return e->type == RG_REAL ? of_real(-a.r) : of_int((int64_t)(0 - (uint64_t)a.i));
    case EXPR_ABS:
        if (e->type == RG_REAL)
            return of_real(fabs(a.r));
        return of_int(a.i < 0 ? (int64_t)(0 - (uint64_t)a.i) : a.i);
    case EXPR_SQRT:
        return of_real(sqrt(a.r));
    case EXPR_REAL:
        return of_real((double)a.i);
    default: /* EXPR_INT; the limits are powers of two, hence exact */
        if (!(a.r >= -0x1p63 && a.r < 0x1p63)) {
            state_fail(s, e->at, RG_ERROR_INTEGER);
            return of_int(0);
        }
        return of_int((int64_t)a.r);
    }
}

/* ---- nodes and edges ---- */

int64_t eval_node(rg_state_t *s, const rg_expr_t *e)
{
    const int64_t node = eval(s, e).i;

    if (node < 0)
        state_fail(s, e->at, RG_ERROR_NODE);
    return s->st == ST_OK ? node : -1;
}

/* Rows are sorted. */
static bool has_arc(const csr_t *g, int64_t from, int64_t to)
{
    int64_t low = g->first[from], high = g->first[from + 1];

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (g->to[middle] < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->first[from + 1] && g->to[low] == to;
}

static rg_value_t of_edge(const rg_state_t *s, const rg_expr_t *e, int64_t arc)
{
    if (e->kind == EXPR_TO)
        return of_int(s->graph->to[arc]);
    return of_real(s->graph->value != NULL ? s->graph->value[arc]
                                           : csr_weight(s->graph, arc));
}

/* A member of a node, or an attribute of an edge. */
static rg_value_t of_node(rg_state_t *s, const rg_expr_t *e)
{
    const int64_t node = eval_node(s, e->a);
    int64_t other;

    if (node < 0)
        return of_int(0);
    switch (e->kind) {
    case EXPR_ATTRIBUTE:
        return state_get(s, e->symbol, node);
    case EXPR_DEGREE:
        return of_int(csr_degree(s->graph, (int32_t)node));
    case EXPR_IN_DEGREE:
        return of_int(csr_degree(s->in, (int32_t)node));
    case EXPR_ID:
        return of_int(s->graph->id[node]);
    case EXPR_IN:
        state_see(s, e->symbol);
        return of_int(rg_collection_has(&s->set[e->symbol->slot], node));
    case EXPR_COUNT:
        state_see(s, e->symbol);
        return of_int(rg_collection_count(&s->set[e->symbol->slot], node));
    default: /* EXPR_ARC */
        other = eval_node(s, e->b);
        return of_int(other >= 0 && has_arc(s->graph, node, other));
    }
}

rg_value_t eval(rg_state_t *s, const rg_expr_t *e)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        return e->value;
    case EXPR_SYMBOL:
        return s->value[e->symbol->slot];
    case EXPR_N_NODES:
        return of_int(s->graph->n_nodes);
    case EXPR_SIZE:
        if (s->helper != NULL)
            s->helper->count(s, e->symbol);
        return of_int(s->set[e->symbol->slot].n);
    case EXPR_FIRST:
        state_see(s, e->symbol);
        return of_int(rg_collection_first(&s->set[e->symbol->slot]));
    case EXPR_TO:
    case EXPR_WEIGHT:
        return of_edge(s, e, eval(s, e->a).i);
    case EXPR_AND:
        return of_int(eval(s, e->a).i != 0 && eval(s, e->b).i != 0);
    case EXPR_OR:
        return of_int(eval(s, e->a).i != 0 || eval(s, e->b).i != 0);
    case EXPR_CHOOSE:
        return eval(s, e->a).i != 0 ? eval(s, e->b) : eval(s, e->c);
    case EXPR_ATTRIBUTE:
    case EXPR_DEGREE:
    case EXPR_IN_DEGREE:
    case EXPR_ID:
    case EXPR_IN:
    case EXPR_COUNT:
    case EXPR_ARC:
        return of_node(s, e);
    case EXPR_NEGATE:
    case EXPR_NOT:
    case EXPR_ABS:
    case EXPR_SQRT:
    case EXPR_REAL:
    case EXPR_INT:
        return unary(s, e);
    default:
        return e->kind >= EXPR_SUM_OF ? aggregate(s, e) : binary(s, e);
    }
}
