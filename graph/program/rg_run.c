/*
 * rg_run.c - statements, one after the other.
 */
#include "graph/program/rg_run.h"

#include "graph/program/rg_alter.h"
#include "graph/program/rg_sort.h"
#include "graph/program/rg_state.h"
#include "io/base/child.h"
#include "io/base/clock.h"

#include <math.h>
#include <stdlib.h>

/* ---- declarations ---- */

/* @return the value of a symbol at its declaration */
static rg_value_t first_value(rg_state_t *s, const rg_symbol_t *symbol)
{
    if (symbol->kind == SYMBOL_PARAM && s->input->is_given[symbol->slot])
        return s->param[symbol->slot];
    if (symbol->initial != NULL)
        return eval(s, symbol->initial);
    if (symbol->type == RG_REAL)
        return (rg_value_t){.r = 0};
    return (rg_value_t){.i = symbol->type == RG_NODE ? -1 : 0};
}

static void declare(rg_state_t *s, const rg_symbol_t *symbol)
{
    rg_value_t value;

    if (symbol->kind == SYMBOL_SET)
        return;
    value = first_value(s, symbol);
    if (symbol->kind != SYMBOL_ATTRIBUTE) {
        s->value[symbol->slot] = value;
        return;
    }
    s->initial[symbol->slot] = value;
    for (int64_t k = 0; k < state_length(s, symbol); k++)
        state_put(s, symbol, k, value);
}

/* ---- assignments ---- */

/* @return whether a minimum (or maximum) takes x for the old value */
static bool is_better(const rg_stmt_t *stmt, rg_value_t old, rg_value_t x)
{
    const bool is_min = stmt->how == ASSIGN_MIN;

    if (stmt->target->type == RG_REAL)
        return is_min ? x.r < old.r : x.r > old.r;
    if (stmt->target->type == RG_NODE && (x.i < 0 || old.i < 0))
        return x.i >= 0;
    return is_min ? x.i < old.i : x.i > old.i;
}

static rg_value_t combine(const rg_stmt_t *stmt, rg_value_t old, rg_value_t x)
{
    const bool is_real = stmt->target->type == RG_REAL;

    switch (stmt->how) {
    case ASSIGN_SET:
        return x;
    case ASSIGN_ADD:
        if (is_real)
            return (rg_value_t){.r = old.r + x.r};
        return (rg_value_t){.i = (int64_t)((uint64_t)old.i + (uint64_t)x.i)};
    case ASSIGN_OR:
        return (rg_value_t){.i = old.i | x.i};
    case ASSIGN_AND:
        return (rg_value_t){.i = old.i & x.i};
    default:
        if (is_real)
            x.r += 0.0; /* which of two zeros comes first must not matter */
        return is_better(stmt, old, x) ? x : old;
    }
}

static void assign(rg_state_t *s, const rg_stmt_t *stmt)
{
    const rg_expr_t *target = stmt->target;
    const rg_symbol_t *symbol = target->symbol;
    const rg_value_t x = eval(s, stmt->value);
    int64_t node = 0;

    if (target->kind == EXPR_ATTRIBUTE)
        node = eval_node(s, target->a);
    if (s->st != ST_OK)
        return;
    if (target->kind == EXPR_ATTRIBUTE)
        state_put(s, symbol, node, combine(stmt, state_get(s, symbol, node), x));
    else
        s->value[symbol->slot] = combine(stmt, s->value[symbol->slot], x);
}

/* ---- sets ---- */

static void change_set(rg_state_t *s, const rg_stmt_t *stmt)
{
    const int64_t node = stmt->value != NULL ? eval_node(s, stmt->value) : 0;
    rg_set_t *set = &s->set[stmt->symbol->slot];

    state_change(s, stmt->symbol, stmt->change);
    if (s->st == ST_OK)
        s->st = rg_collection_change(set, s->graph->n_nodes, node, stmt->change);
    if (s->st == ST_OK && set->n > s->input->max_items && set->list != NULL)
        state_fail(s, stmt->at, RG_ERROR_LARGE);
}

/* ---- the graph ---- */

static void alter(rg_state_t *s, const rg_stmt_t *stmt)
{
    const int64_t a = stmt->target != NULL ? eval_node(s, stmt->target) : 0;
    const int64_t b = stmt->value != NULL ? eval_node(s, stmt->value) : 0;
    const double weight = stmt->weight != NULL ? eval(s, stmt->weight).r : 1;
    int64_t node = -1;

    if (!isfinite(weight))
        state_fail(s, stmt->at, RG_ERROR_WEIGHT);
    if (stmt->alter == RG_NEW_NODE && s->graph->n_nodes >= s->input->max_items)
        state_fail(s, stmt->at, RG_ERROR_LARGE);
    if (s->helper != NULL && (stmt->alter == RG_COMMIT || stmt->alter == RG_REBALANCE))
        s->helper->leave(s);
    if (s->st == ST_OK)
        s->st = rg_alter(s, stmt->alter, a, b, weight, &node);
    if (stmt->alter == RG_NEW_NODE)
        s->value[stmt->symbol->slot].i = node;
}

static void swap(rg_state_t *s, const rg_stmt_t *stmt)
{
    const int a = stmt->symbol->slot, b = stmt->other->slot;

    if (s->helper != NULL)
        s->helper->swap(s, stmt->symbol, stmt->other);
    if (stmt->symbol->kind == SYMBOL_SET) {
        const rg_set_t set = s->set[a];

        s->set[a] = s->set[b];
        s->set[b] = set;
    } else {
        void *values = s->attribute[a];

        s->attribute[a] = s->attribute[b];
        s->attribute[b] = values;
    }
}

/* ---- control ---- */

static void run_all(rg_state_t *s, const rg_stmt_t *stmt);

static void run_while(rg_state_t *s, const rg_stmt_t *stmt)
{
    int64_t n = 0;

    while (s->st == ST_OK && eval(s, stmt->value).i != 0 && s->st == ST_OK) {
        if (n++ == s->input->max_iterations) {
            state_fail(s, stmt->at, RG_ERROR_ENDLESS);
            return;
        }
        child_tick();
        s->n_iterations++;
        run_all(s, stmt->body);
    }
}

static void run_loop(rg_state_t *s, const rg_stmt_t *stmt)
{
    rg_cursor_t c;

    if (s->helper != NULL && stmt->kernel != 0 && s->helper->foreach (s, stmt))
        return;
    c = cursor_begin(s, stmt->range);
    while (cursor_next(s, stmt->range, &c))
        run_all(s, stmt->body);
}

/* ---- scan and sort ---- */

static void scan(rg_state_t *s, const rg_stmt_t *stmt)
{
    rg_cursor_t c = cursor_begin(s, stmt->range);
    uint64_t sum = 0, before;

    while (cursor_next(s, stmt->range, &c)) {
        before = sum;
        sum += (uint64_t)eval(s, stmt->value).i;
        state_put(s, stmt->target->symbol, s->value[stmt->range->iterator->slot].i,
                  (rg_value_t){.i = (int64_t)before});
    }
}

static void sort(rg_state_t *s, const rg_stmt_t *stmt)
{
    rg_cursor_t c = cursor_begin(s, stmt->range);
    rg_sort_t items = {0};

    while (cursor_next(s, stmt->range, &c)) {
        const rg_value_t key = eval(s, stmt->value);

        if (s->st == ST_OK)
            s->st = rg_sort_add(&items, stmt->value->type == RG_REAL, key,
                                s->value[stmt->range->iterator->slot].i);
    }
    state_change(s, stmt->symbol, RG_CLEAR);
    if (s->st == ST_OK)
        s->st = rg_sort_into(&items, &s->set[stmt->symbol->slot], s->graph->n_nodes);
    rg_sort_free(&items);
}

static void run_one(rg_state_t *s, const rg_stmt_t *stmt)
{
    switch (stmt->kind) {
    case STMT_DECLARE:
        declare(s, stmt->symbol);
        break;
    case STMT_ASSIGN:
        assign(s, stmt);
        break;
    case STMT_IF:
        run_all(s, eval(s, stmt->value).i != 0 ? stmt->body : stmt->otherwise);
        break;
    case STMT_WHILE:
        run_while(s, stmt);
        break;
    case STMT_FOR:
    case STMT_FOREACH:
        run_loop(s, stmt);
        break;
    case STMT_ALTER:
        alter(s, stmt);
        break;
    case STMT_CRITICAL:
        run_all(s, stmt->body);
        break;
    case STMT_SCAN:
        scan(s, stmt);
        break;
    case STMT_SORT:
        sort(s, stmt);
        break;
    case STMT_SWAP:
        swap(s, stmt);
        break;
    default:
        change_set(s, stmt);
    }
}

static void run_all(rg_state_t *s, const rg_stmt_t *stmt)
{
    for (; stmt != NULL && s->st == ST_OK; stmt = stmt->next)
        run_one(s, stmt);
}

status_t state_run(const rg_program_t *program, const rg_input_t *input,
                   const rg_helper_t *helper, struct rg_gpu *gpu, rg_result_t *out)
{
    rg_state_t s;
    double begin;

    *out = (rg_result_t){0};
    if ((s.st = state_create(program, input, &s)) == ST_OK) {
        begin = clock_now_s();
        s.gpu = gpu;
        if ((s.helper = helper) != NULL)
            helper->begin(&s);
        out->copy_s = clock_now_s() - begin;
        begin += out->copy_s;
        run_all(&s, program->body);
        if (helper != NULL)
            helper->end(&s);
        s.helper = NULL;
        out->seconds = clock_now_s() - begin;
    }
    if (s.st == ST_OK)
        s.st = rg_alter_finish(&s, out);
    if (s.st == ST_OK)
        state_take_outputs(&s, out);
    else
        rg_result_free(out);
    state_destroy(&s);
    return s.st;
}

status_t rg_run(const rg_program_t *program, const rg_input_t *input, rg_result_t *out)
{
    return state_run(program, input, NULL, NULL, out);
}
