/*
 * rg_memory.c - copies of arrays between host and GPU.
 */
#include "graph/program/rg_memory.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

enum { BITS, COUNT, LIST, N_ARRAYS };

static size_t bits_bytes(int64_t n_nodes)
{
    return ((size_t)n_nodes / 64 + 1) * sizeof(uint64_t);
}

double rg_memory_bytes(const rg_program_t *program, const csr_t *g)
{
    const double n = (double)g->n_nodes, m = (double)g->n_arcs;
    double bytes = 2 * (8 * n + 4 * m) + 8 * n + 8 * m;

    for (const rg_symbol_t *s = program->symbols; s != NULL; s = s->next)
        if (s->kind == SYMBOL_ATTRIBUTE)
            bytes += (s->of == RG_EDGE ? m : n) * (double)rg_value_bytes(s->type);
        else if (s->kind == SYMBOL_SET)
            bytes += rg_collection_bytes(&rg_collection_info[s->collection], g->n_nodes);
    return bytes;
}

status_t rg_memory_create(const rg_program_t *program, cuda_module_t *module,
                          rg_memory_t *m)
{
    *m = (rg_memory_t){.module = module};
    m->attribute = calloc((size_t)program->n_attributes + 1, sizeof(*m->attribute));
    m->set = calloc((size_t)program->n_sets + 1, sizeof(*m->set));
    return m->attribute != NULL && m->set != NULL ? ST_OK : log_nomem("a graph program");
}

/* Do something with each array. */
static void for_each(const rg_program_t *program, rg_memory_t *m,
                     void (*fn)(rg_memory_t *m, rg_mirror_t *array))
{
    for (int i = 0; i < RG_N_GRAPH_ARRAYS; i++)
        fn(m, &m->graph[i]);
    for (int i = 0; m->attribute != NULL && i < program->n_attributes; i++)
        fn(m, &m->attribute[i].array[0]);
    for (int i = 0; m->set != NULL && i < N_ARRAYS * program->n_sets; i++)
        fn(m, &m->set[i / N_ARRAYS].array[i % N_ARRAYS]);
}

static void release(rg_memory_t *m, rg_mirror_t *array)
{
    cuda_module_free(m->module, array->at);
    *array = (rg_mirror_t){0};
}

static void forget(rg_memory_t *m, rg_mirror_t *array)
{
    (void)m;
    array->valid = 0;
}

void rg_memory_free(const rg_program_t *program, rg_memory_t *m)
{
    for_each(program, m, release);
    free(m->attribute);
    free(m->set);
    *m = (rg_memory_t){0};
}

void rg_memory_forget(const rg_program_t *program, rg_memory_t *m)
{
    for_each(program, m, forget);
    for (int i = 0; i < program->n_attributes; i++)
        m->attribute[i].is_newer = false;
    for (int i = 0; i < program->n_sets; i++)
        m->set[i].is_newer = false;
}

rg_mirrors_t *rg_memory_of(rg_memory_t *m, const rg_symbol_t *symbol)
{
    return symbol->kind == SYMBOL_SET ? &m->set[symbol->slot]
                                      : &m->attribute[symbol->slot];
}

/* ---- to the host ---- */

static void count(rg_set_t *set, int64_t n_nodes)
{
    set->n = 0;
    for (int64_t k = 0; set->count == NULL && k <= n_nodes / 64; k++)
        set->n += __builtin_popcountll(set->bits[k]);
    for (int64_t u = 0; set->count != NULL && u < n_nodes; u++)
        set->n += set->count[u];
}

status_t rg_memory_fetch(rg_memory_t *m, rg_state_t *s, const rg_symbol_t *symbol)
{
    rg_mirrors_t *have = rg_memory_of(m, symbol);
    rg_set_t *set = symbol->kind == SYMBOL_SET ? &s->set[symbol->slot] : NULL;
    void *const host[] = {set != NULL ? (void *)set->bits : s->attribute[symbol->slot],
                          set != NULL ? (void *)set->count : NULL};
    status_t st = ST_OK;

    if (!have->is_newer)
        return ST_OK;
    have->is_newer = false;
    for (int i = 0; i < 2 && st == ST_OK; i++)
        if (host[i] != NULL)
            st = cuda_module_get(m->module, host[i], have->array[i].at,
                                 have->array[i].valid);
    if (set != NULL && set->n < 0)
        count(set, s->graph->n_nodes);
    return st;
}

/* ---- to the GPU ---- */

/* Allocate, more than needed if it is not for the first time. */
static status_t reserve(rg_memory_t *m, rg_mirror_t *array, size_t bytes)
{
    const size_t capacity = array->at == 0 ? bytes + 8 : bytes + bytes / 2;
    status_t st;

    if (array->at != 0 && array->capacity >= bytes)
        return ST_OK;
    release(m, array);
    if ((st = cuda_module_alloc(m->module, capacity, &array->at)) == ST_OK)
        array->capacity = capacity;
    return st;
}

/* Have the first bytes of an array up to date, of which the host has those that are not.
 */
static status_t put(rg_memory_t *m, rg_mirror_t *array, const void *host, size_t bytes)
{
    status_t st = reserve(m, array, bytes);
    const size_t valid = array->valid;

    if (st == ST_OK && valid < bytes)
        st = cuda_module_put(m->module, array->at + valid, (const char *)host + valid,
                             bytes - valid);
    if (st == ST_OK)
        array->valid = bytes;
    return st;
}

static void *at(const rg_mirror_t *array)
{
    return (void *)(uintptr_t)array->at;
}

static status_t put_graph(rg_memory_t *m, rg_state_t *s, rg_gpu_launch_t *head)
{
    const csr_t *g = s->graph, *in = s->in;
    const size_t n = (size_t)g->n_nodes, a = (size_t)g->n_arcs;
    const bool has_in = s->program->reads_arcs_in && in != g;
    const struct {
        const void *host;
        size_t bytes;
    } arrays[RG_N_GRAPH_ARRAYS] = {
        [RG_FIRST] = {g->first, (n + 1) * sizeof(*g->first)},
        [RG_TO] = {g->to, a * sizeof(*g->to)},
        [RG_IN_FIRST] = {has_in ? in->first : NULL, (n + 1) * sizeof(*g->first)},
        [RG_IN_TO] = {has_in ? in->to : NULL, a * sizeof(*g->to)},
        [RG_ID] = {g->id, n * sizeof(*g->id)},
        [RG_WEIGHT] = {s->program->reads_weights ? g->weight : NULL,
                       a * sizeof(*g->weight)},
        [RG_VALUE] = {s->program->reads_weights ? g->value : NULL, a * sizeof(*g->value)},
    };
    void *there[RG_N_GRAPH_ARRAYS] = {NULL};
    status_t st = ST_OK;

    for (int i = 0; i < RG_N_GRAPH_ARRAYS && st == ST_OK; i++)
        if (arrays[i].host != NULL) {
            st = put(m, &m->graph[i], arrays[i].host, arrays[i].bytes);
            there[i] = at(&m->graph[i]);
        }
    head->n_nodes = g->n_nodes;
    head->first = there[RG_FIRST];
    head->to = there[RG_TO];
    head->in_first = there[has_in ? RG_IN_FIRST : RG_FIRST];
    head->in_to = there[has_in ? RG_IN_TO : RG_TO];
    head->id = there[RG_ID];
    head->weight = there[RG_WEIGHT];
    head->value = there[RG_VALUE];
    return st;
}

static status_t put_attribute(rg_memory_t *m, rg_state_t *s, const rg_symbol_t *a,
                              void **out)
{
    const size_t bytes = (size_t)state_length(s, a) * rg_value_bytes(a->type);
    rg_mirrors_t *have = &m->attribute[a->slot];
    status_t st = ST_OK;

    if (have->array[0].capacity < bytes)
        st = rg_memory_fetch(m, s, a);
    if (st == ST_OK)
        st = put(m, &have->array[0], s->attribute[a->slot], bytes);
    *out = at(&have->array[0]);
    return st;
}

static status_t put_set(rg_memory_t *m, rg_state_t *s, const rg_symbol_t *symbol,
                        rg_set_t *out)
{
    const rg_set_t *set = &s->set[symbol->slot];
    const size_t bits = bits_bytes(s->graph->n_nodes),
                 counts = (size_t)s->graph->n_nodes * sizeof(*set->count);
    rg_mirrors_t *have = &m->set[symbol->slot];
    status_t st = ST_OK;

    if (have->array[BITS].capacity < bits ||
        (set->count != NULL && have->array[COUNT].capacity < counts))
        st = rg_memory_fetch(m, s, symbol);
    if (st == ST_OK)
        st = put(m, &have->array[BITS], set->bits, bits);
    if (st == ST_OK && set->count != NULL)
        st = put(m, &have->array[COUNT], set->count, counts);
    if (st == ST_OK && set->list != NULL)
        st = put(m, &have->array[LIST], set->list,
                 (size_t)(set->begin + set->n) * sizeof(*set->list));
    *out = (rg_set_t){.bits = at(&have->array[BITS]),
                      .n = set->n,
                      .count = set->count != NULL ? at(&have->array[COUNT]) : NULL,
                      .list = set->list != NULL ? at(&have->array[LIST]) : NULL,
                      .begin = set->begin};
    return st;
}

/* @return what kernels use of a symbol */
static unsigned uses_of(const rg_program_t *p, const rg_symbol_t *x)
{
    unsigned uses = 0;

    for (const rg_kernel_t *k = p->kernels; k != NULL; k = k->next)
        uses |= x->kind == SYMBOL_ATTRIBUTE ? k->attribute[x->slot]
                : x->kind == SYMBOL_SET     ? k->set[x->slot]
                                            : 0;
    return uses;
}

status_t rg_memory_begin(rg_memory_t *m, rg_state_t *s)
{
    const size_t n = (size_t)s->graph->n_nodes;
    rg_gpu_launch_t head;
    status_t st;

    rg_memory_forget(s->program, m);
    st = put_graph(m, s, &head);
    for (const rg_symbol_t *x = s->program->symbols; x != NULL && st == ST_OK;
         x = x->next) {
        rg_mirrors_t *have;

        if (uses_of(s->program, x) == 0)
            continue;
        have = rg_memory_of(m, x);
        st = reserve(m, &have->array[0],
                     x->kind == SYMBOL_SET
                         ? bits_bytes(s->graph->n_nodes)
                         : (size_t)state_length(s, x) * rg_value_bytes(x->type));
        if (st == ST_OK && x->kind == SYMBOL_SET && s->set[x->slot].count != NULL)
            st = reserve(m, &have->array[COUNT], n * sizeof(*s->set->count));
    }
    return st;
}

status_t rg_memory_put(rg_memory_t *m, rg_state_t *s, const rg_kernel_t *k,
                       rg_gpu_launch_t *head, void **attribute, rg_set_t *set)
{
    status_t st = put_graph(m, s, head);

    for (const rg_symbol_t *x = s->program->symbols; x != NULL && st == ST_OK;
         x = x->next)
        if (x->kind == SYMBOL_ATTRIBUTE && k->attribute[x->slot] != 0)
            st = put_attribute(m, s, x, &attribute[x->slot]);
        else if (x->kind == SYMBOL_SET && k->set[x->slot] != 0)
            st = put_set(m, s, x, &set[x->slot]);
    return st;
}
