/*
 * rg_state.c - memory of a running program.
 */
#include "graph/program/rg_state.h"

#include "io/base/logmsg.h"
#include "io/base/memory_limit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

graph_type_t rg_column_type(rg_type_t type)
{
    switch (type) {
    case RG_REAL:
        return GRAPH_REAL;
    case RG_BOOL:
        return GRAPH_FLAG;
    case RG_NODE:
        return GRAPH_NODE;
    default:
        return GRAPH_INT64;
    }
}

size_t rg_value_bytes(rg_type_t type)
{
    static const size_t bytes[GRAPH_N_TYPES] = {[GRAPH_INT64] = sizeof(int64_t),
                                                [GRAPH_REAL] = sizeof(double),
                                                [GRAPH_NODE] = sizeof(int32_t),
                                                [GRAPH_FLAG] = sizeof(uint8_t)};

    return bytes[rg_column_type(type)];
}

/* A program of a few lines may need more than there is. */
status_t state_check_memory(const rg_state_t *s, int64_t n_nodes)
{
    double bytes = 0;

    for (const rg_symbol_t *a = s->program->symbols; a != NULL; a = a->next)
        if (a->kind == SYMBOL_ATTRIBUTE)
            bytes += (double)(a->of == RG_EDGE ? s->graph->n_arcs : n_nodes) *
                     (double)rg_value_bytes(a->type);
        else if (a->kind == SYMBOL_SET)
            bytes += rg_collection_bytes(&rg_collection_info[a->collection], n_nodes);
    return memory_limit_check(bytes, "use fewer attributes and sets",
                              "the attributes and sets of %" PRId64 " nodes", n_nodes);
}

static status_t allocate(rg_state_t *s)
{
    const rg_program_t *p = s->program;
    status_t st = ST_OK;

    s->value = calloc((size_t)p->n_values + 1, sizeof(*s->value));
    s->attribute = calloc((size_t)p->n_attributes + 1, sizeof(*s->attribute));
    s->set = calloc((size_t)p->n_sets + 1, sizeof(*s->set));
    s->initial = calloc((size_t)p->n_attributes + 1, sizeof(*s->initial));
    s->param = malloc(((size_t)p->n_values + 1) * sizeof(*s->param));
    if (s->value == NULL || s->attribute == NULL || s->set == NULL ||
        s->initial == NULL || s->param == NULL)
        return log_nomem("a graph program");
    memcpy(s->param, s->input->param, (size_t)p->n_values * sizeof(*s->param));
    for (const rg_symbol_t *a = p->symbols; a != NULL && st == ST_OK; a = a->next)
        if (a->kind == SYMBOL_SET) {
            st = rg_collection_create(&rg_collection_info[a->collection],
                                      s->graph->n_nodes, &s->set[a->slot]);
        } else if (a->kind == SYMBOL_ATTRIBUTE) {
            s->attribute[a->slot] =
                malloc((size_t)state_length(s, a) * rg_value_bytes(a->type) + 1);
            if (s->attribute[a->slot] == NULL)
                st = log_nomem("a graph program");
        }
    return st;
}

status_t rg_check_params(const rg_program_t *program, const bool *is_given)
{
    for (const rg_symbol_t *s = program->symbols; s != NULL; s = s->next)
        if (s->kind == SYMBOL_PARAM && s->initial == NULL && !is_given[s->slot])
            return rg_refuse(program, s->at,
                             "the param '%s' has no value; give --set %s=VALUE", s->name,
                             s->name);
    return ST_OK;
}

status_t state_create(const rg_program_t *program, const rg_input_t *input, rg_state_t *s)
{
    status_t st;

    *s = (rg_state_t){.program = program, .input = input};
    s->graph = s->in = input->graph;
    if ((st = rg_check_params(program, input->is_given)) != ST_OK ||
        (st = state_check_memory(s, input->graph->n_nodes)) != ST_OK ||
        (st = allocate(s)) != ST_OK)
        return st;
    if (program->used[RG_CHANGES].line != 0) {
        s->graph = s->in = &s->changes.graph;
        if ((st = rg_changes_create(input->graph, &s->changes)) != ST_OK)
            return st;
    }
    if (program->reads_arcs_in &&
        (program->used[RG_CHANGES].line != 0 || !s->graph->is_symmetric)) {
        s->in = &s->reversed;
        st = csr_transpose(s->graph, &s->reversed);
    }
    return st;
}

void state_destroy(rg_state_t *s)
{
    for (int i = 0; s->attribute != NULL && i < s->program->n_attributes; i++)
        free(s->attribute[i]);
    for (int i = 0; s->set != NULL && i < s->program->n_sets; i++)
        rg_collection_free(&s->set[i]);
    free(s->value);
    free(s->attribute);
    free(s->set);
    free(s->initial);
    free(s->param);
    free(s->map);
    csr_free(&s->reversed);
    rg_changes_free(&s->changes);
}

rg_value_t state_get(rg_state_t *s, const rg_symbol_t *a, int64_t k)
{
    const void *values = s->attribute[a->slot];

    if (s->helper != NULL)
        s->helper->read(s, a);
    switch (a->type) {
    case RG_REAL:
        return (rg_value_t){.r = ((const double *)values)[k]};
    case RG_BOOL:
        return (rg_value_t){.i = ((const uint8_t *)values)[k]};
    case RG_NODE:
        return (rg_value_t){.i = ((const int32_t *)values)[k]};
    default:
        return (rg_value_t){.i = ((const int64_t *)values)[k]};
    }
}

void state_put(rg_state_t *s, const rg_symbol_t *a, int64_t k, rg_value_t value)
{
    void *values = s->attribute[a->slot];

    if (s->helper != NULL)
        s->helper->write(s, a, k);
    switch (a->type) {
    case RG_REAL:
        ((double *)values)[k] = value.r;
        break;
    case RG_BOOL:
        ((uint8_t *)values)[k] = (uint8_t)value.i;
        break;
    case RG_NODE:
        ((int32_t *)values)[k] = (int32_t)value.i;
        break;
    default:
        ((int64_t *)values)[k] = value.i;
    }
}

void state_fail(rg_state_t *s, rg_at_t at, rg_error_t why)
{
    static const char *const texts[RG_N_ERRORS] = {
        [RG_ERROR_DIVISOR] = "an integer is divided by 0; test the divisor before",
        [RG_ERROR_NODE] = "this node is none, which has no members and is in no set; "
                          "compare it with none before",
        [RG_ERROR_INTEGER] =
            "this real number has no integer part of 64 bits; test it before",
        [RG_ERROR_WEIGHT] = "this weight is not finite; test it before",
    };

    if (s->helper != NULL)
        s->helper->check(s); /* what a kernel has found was before */
    if (s->st != ST_OK)
        return;
    if (why == RG_ERROR_ENDLESS)
        s->st = rg_refuse(s->program, at,
                          "this loop has not ended after %" PRId64
                          " iterations; end it, or give a larger --max-iterations",
                          s->input->max_iterations);
    else if (why == RG_ERROR_LARGE)
        s->st = rg_refuse(s->program, at,
                          "this makes more than %" PRId64
                          " nodes or elements; remove some before",
                          s->input->max_items);
    else
        s->st = rg_refuse(s->program, at, "%s", texts[why]);
}

void state_take_outputs(rg_state_t *s, rg_result_t *out)
{
    for (const rg_symbol_t *a = s->program->symbols; a != NULL; a = a->next)
        if (a->is_output) {
            out->column[out->n_columns].symbol = a;
            out->column[out->n_columns++].values = s->attribute[a->slot];
            s->attribute[a->slot] = NULL;
        }
    out->n_iterations = s->n_iterations;
    out->n_visited = s->n_visited;
}

void rg_result_free(rg_result_t *r)
{
    for (int c = 0; c < r->n_columns; c++)
        free(r->column[c].values);
    csr_free(&r->graph);
    *r = (rg_result_t){0};
}
