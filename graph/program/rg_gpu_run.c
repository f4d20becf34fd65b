/*
 * rg_gpu_run.c - launches the kernels of a running program, and takes what they find out.
 *
 * A foreach is started, and the host goes on; an error that it finds is that of the
 * program as soon as the host needs something of the GPU, or finds an error itself.
 */
#include "graph/program/rg_gpu_state.h"
#include "io/base/child.h"
#include "kernels/graph/common/tree_sum.h"

#include <math.h>
#include <string.h>

/* Tried around these: bench/results/h200-graph-programs.txt. */
enum {
    /* threads of a block, and nodes of an aggregate's piece */
    THREADS = 256,
    PIECE = 1024,
    /* an iteration with inner loops: threads, unless rows are long; blocks per core */
    FEW_THREADS = 32,
    LONG_ROW = 16,
    BLOCKS_PER_CORE = 32
};

/* ---- what kernels have found ---- */

/* @param error  rg_gpu_error */
static void fail(rg_state_t *s, int64_t error)
{
    const rg_at_t at = {(int)(error >> 24 & 0xffffff), (int)(error & 0xffffff)};

    state_fail(s, at, (rg_error_t)((error >> 48) - 1));
}

/* Take it, with results of blocks. @param bytes  of these */
static const rg_gpu_found_t *take_found(rg_state_t *s, size_t bytes)
{
    rg_gpu_t *gpu = s->gpu;
    rg_gpu_found_t *found = (rg_gpu_found_t *)gpu->found_here;
    status_t st = cuda_module_get(gpu->module, found, gpu->found, sizeof(*found) + bytes);

    gpu->n_slots = 0;
    gpu->is_pending = false;
    if (st != ST_OK && s->st == ST_OK)
        s->st = st;
    if (s->st == ST_OK && found->launch != 0)
        fail(s, found->error);
    return found;
}

static void check(rg_state_t *s)
{
    if (s->gpu->is_pending && s->st == ST_OK)
        (void)take_found(s, 0);
}

/* ---- memory ---- */

static void bring(rg_state_t *s, const rg_symbol_t *symbol)
{
    rg_gpu_t *gpu = s->gpu;
    status_t st;

    if (s->st != ST_OK || !rg_memory_of(&gpu->memory, symbol)->is_newer)
        return;
    check(s);
    st = rg_memory_fetch(&gpu->memory, s, symbol);
    if (s->st == ST_OK)
        s->st = st;
}

static void note_write(rg_state_t *s, const rg_symbol_t *symbol, int64_t from)
{
    rg_mirrors_t *have = rg_memory_of(&s->gpu->memory, symbol);
    const size_t at =
        symbol->kind == SYMBOL_SET ? 0 : (size_t)from * rg_value_bytes(symbol->type);

    if (at < have->array[0].valid)
        bring(s, symbol);
    for (int i = 0; i < 3; i++)
        if (have->array[i].valid > at)
            have->array[i].valid = at;
}

static void clear(rg_state_t *s, const rg_symbol_t *set)
{
    rg_mirrors_t *have = rg_memory_of(&s->gpu->memory, set);

    if (rg_collection_info[set->collection].is_sequence) {
        note_write(s, set, 0);
        return;
    }
    have->is_newer = false;
    for (int i = 0; i < 2 && s->st == ST_OK; i++)
        s->st = cuda_module_zero(s->gpu->module, have->array[i].at, have->array[i].valid);
}

static void swap(rg_state_t *s, const rg_symbol_t *a, const rg_symbol_t *b)
{
    rg_mirrors_t *of_a = rg_memory_of(&s->gpu->memory, a),
                 *of_b = rg_memory_of(&s->gpu->memory, b);
    const rg_mirrors_t both = *of_a;

    *of_a = *of_b;
    *of_b = both;
}

/* Bring everything to the host, or only outputs. */
static void fetch_all(rg_state_t *s, bool all)
{
    check(s);
    for (const rg_symbol_t *x = s->program->symbols; x != NULL; x = x->next)
        if (x->is_output ||
            (all && (x->kind == SYMBOL_ATTRIBUTE || x->kind == SYMBOL_SET)))
            bring(s, x);
}

static void leave(rg_state_t *s)
{
    fetch_all(s, true);
    rg_memory_forget(s->program, &s->gpu->memory);
}

static void begin_run(rg_state_t *s)
{
    rg_gpu_t *gpu = s->gpu;

    if ((s->st = cuda_module_use(gpu->module)) == ST_OK)
        s->st = rg_memory_begin(&gpu->memory, s);
    if (s->st == ST_OK)
        s->st = cuda_module_zero(gpu->module, gpu->found, sizeof(rg_gpu_found_t));
    gpu->is_pending = true;
}

static void end_run(rg_state_t *s)
{
    const rg_gpu_found_t *found;

    fetch_all(s, s->program->used[RG_CHANGES].line != 0);
    if (s->st != ST_OK)
        return;
    found = take_found(s, 0);
    s->n_iterations += found->n_iterations;
    s->n_visited += found->n_visited;
}

/* ---- sizes ---- */

static void count_set(rg_state_t *s, const rg_symbol_t *symbol)
{
    rg_gpu_t *gpu = s->gpu;
    rg_set_t *set = &s->set[symbol->slot];
    const rg_mirrors_t *have = rg_memory_of(&gpu->memory, symbol);
    void *bits = (void *)(uintptr_t)have->array[0].at, *count = NULL;
    int64_t n = s->graph->n_nodes / 64 + 1;
    void *params[] = {&bits, &count, &n};

    if (set->n >= 0 || s->st != ST_OK)
        return;
    if (set->count != NULL) {
        count = (void *)(uintptr_t)have->array[1].at;
        n = s->graph->n_nodes;
    }
    s->st =
        cuda_module_zero(gpu->module, gpu->found + offsetof(rg_gpu_found_t, n_members),
                         sizeof(int64_t));
    if (s->st == ST_OK)
        s->st =
            cuda_module_launch(gpu->module, gpu->count_members,
                               n / (4 * THREADS) < gpu->n_cores ? n / (4 * THREADS) + 1
                                                                : gpu->n_cores,
                               THREADS, params);
    if (s->st == ST_OK)
        set->n = take_found(s, 0)->n_members;
}

/* ---- launches ---- */

/* How a kernel is launched. */
typedef struct {
    int64_t begin, end; /* positions */
    int64_t n_blocks, piece;
    int n_threads;
} grid_t;

/* @return memory for arguments that no launch reads any more; NULL: the GPU has failed */
static char *next_slot(rg_state_t *s)
{
    rg_gpu_t *gpu = s->gpu;

    if (gpu->n_slots == RG_GPU_SLOTS) {
        if ((s->st = cuda_module_wait(gpu->module)) != ST_OK)
            return NULL;
        gpu->n_slots = 0;
    }
    return gpu->slots + (size_t)gpu->n_slots++ * gpu->launch_bytes;
}

/* Write the arguments of a launch; arrays go to the GPU. */
static char *write_arguments(rg_state_t *s, const rg_kernel_t *k, const grid_t *g)
{
    rg_gpu_t *gpu = s->gpu;
    const rg_program_t *p = s->program;
    char *slot = next_slot(s);
    rg_gpu_launch_t *head = (rg_gpu_launch_t *)slot;
    void **attribute;
    rg_set_t *set;

    if (slot == NULL)
        return NULL;
    memset(slot, 0, gpu->launch_bytes);
    attribute = (void **)(slot + sizeof(*head));
    set = (rg_set_t *)(attribute + p->n_attributes + 1);
    head->max_iterations = s->input->max_iterations;
    head->launch = ++gpu->n_launches;
    head->begin = g->begin;
    head->end = g->end;
    head->piece = g->piece;
    head->found = (rg_gpu_found_t *)(uintptr_t)gpu->found;
    head->part = (void *)(uintptr_t)(gpu->found + sizeof(rg_gpu_found_t));
    head->merged = (rg_value_t *)(uintptr_t)gpu->merged;
    memcpy(set + p->n_sets + 1, s->value, (size_t)p->n_values * sizeof(*s->value));
    s->st = rg_memory_put(&gpu->memory, s, k, head, attribute, set);
    return slot;
}

/* What a kernel changes is newer on the GPU from now on. */
static void note_changes(rg_state_t *s, const rg_kernel_t *k)
{
    for (const rg_symbol_t *x = s->program->symbols; x != NULL; x = x->next) {
        if (x->kind == SYMBOL_ATTRIBUTE && (k->attribute[x->slot] & RG_CHANGES_IT) != 0)
            rg_memory_of(&s->gpu->memory, x)->is_newer = true;
        if (x->kind == SYMBOL_SET && (k->set[x->slot] & RG_CHANGES_IT) != 0) {
            rg_memory_of(&s->gpu->memory, x)->is_newer = true;
            s->set[x->slot].n = -1;
        }
    }
}

static void launch(rg_state_t *s, const rg_loaded_t *k, const grid_t *g)
{
    rg_gpu_t *gpu = s->gpu;
    const char *slot;

    for (const rg_symbol_t *x = s->program->symbols; x != NULL && s->st == ST_OK;
         x = x->next)
        if (x->kind == SYMBOL_SET && (k->what->set[x->slot] & RG_COUNTS) != 0)
            count_set(s, x);
    if (s->st != ST_OK || (slot = write_arguments(s, k->what, g)) == NULL)
        return;
    child_tick();
    if (s->st == ST_OK)
        s->st = cuda_module_put_later(gpu->module, gpu->launch, slot, gpu->launch_bytes);
    if (s->st == ST_OK)
        s->st =
            cuda_module_launch(gpu->module, k->function, g->n_blocks, g->n_threads, NULL);
    gpu->is_pending = true;
    note_changes(s, k->what);
}

/* @return the positions of a range; n_blocks is 0: there are none */
static grid_t grid_of(const rg_state_t *s, const rg_range_t *r, int64_t piece)
{
    const rg_set_t *set = r->set != NULL ? &s->set[r->set->slot] : NULL;
    grid_t g = {.end = s->graph->n_nodes, .piece = piece, .n_threads = THREADS};

    if (set != NULL && set->list != NULL) {
        g.begin = set->begin;
        g.end = set->begin + set->n;
    }
    g.n_blocks = (g.end - g.begin + piece - 1) / piece;
    return g;
}

/* ---- loops ---- */

/* Take variables that the iterations have changed. */
static void take_merged(rg_state_t *s)
{
    const size_t bytes = (size_t)s->program->n_values * sizeof(*s->value);
    rg_gpu_t *gpu = s->gpu;

    s->st = cuda_module_get(gpu->module, s->value, gpu->merged, bytes);
    for (const rg_symbol_t *x = s->program->symbols; x != NULL; x = x->next)
        if (x->kind == SYMBOL_ATTRIBUTE || x->kind == SYMBOL_SET)
            continue;
        else if (x->type == RG_NODE)
            s->value[x->slot].i = (int32_t)s->value[x->slot].i;
        else if (x->type == RG_BOOL)
            s->value[x->slot].i = (uint8_t)s->value[x->slot].i;
}

static bool run_foreach(rg_state_t *s, const rg_stmt_t *loop)
{
    rg_gpu_t *gpu = s->gpu;
    const rg_loaded_t *k = &gpu->kernel[loop->kernel - 1];
    const csr_t *graph = s->graph;
    grid_t g = grid_of(s, loop->range, THREADS);

    if (g.n_blocks == 0 || s->st != ST_OK)
        return false;
    if (k->what->is_nested) {
        g.n_threads =
            graph->n_arcs / graph->n_nodes < LONG_ROW ? FEW_THREADS : 4 * FEW_THREADS;
        g.n_blocks = g.end - g.begin;
        if (g.n_blocks > (int64_t)gpu->n_cores * BLOCKS_PER_CORE)
            g.n_blocks = (int64_t)gpu->n_cores * BLOCKS_PER_CORE;
    }
    if (k->what->changes_values)
        s->st = cuda_module_put(gpu->module, gpu->merged, s->value,
                                (size_t)s->program->n_values * sizeof(*s->value));
    launch(s, k, &g);
    if (k->what->changes_values && s->st == ST_OK)
        take_merged(s);
    return true;
}

/* ---- aggregates ---- */

/* Find the first element that decides. */
static rg_value_t first_event(rg_state_t *s, const rg_expr_t *e,
                              const rg_gpu_event_t *event, int64_t n)
{
    int64_t k = 0;

    while (k < n && event[k].position == INT64_MAX)
        s->n_visited += event[k++].n_visited;
    if (k < n)
        s->n_visited += event[k].n_visited;
    if (k < n && event[k].error != 0)
        fail(s, event[k].error);
    return (rg_value_t){.i = (k < n) == (e->kind == EXPR_ANY_OF)};
}

static double real_total(const rg_expr_t *e, const rg_value_t *part, int64_t n)
{
    double best = e->kind == EXPR_MIN_OF ? INFINITY : -INFINITY;

    if (e->kind == EXPR_SUM_OF)
        return tree_sum_of(&part->r, n);
    for (int64_t k = 0; k < n; k++)
        if (e->kind == EXPR_MIN_OF ? part[k].r < best : part[k].r > best)
            best = part[k].r;
    return best + 0.0;
}

/* Of nodes -1 is none. */
static int64_t int_total(const rg_expr_t *e, const rg_value_t *part, int64_t n)
{
    int64_t total = part[0].i;

    for (int64_t k = 1; k < n; k++) {
        const int64_t x = part[k].i;

        if (e->kind == EXPR_SUM_OF || e->kind == EXPR_COUNT_OF)
            total = (int64_t)((uint64_t)total + (uint64_t)x);
        else if (e->type == RG_NODE && (x < 0 || total < 0))
            total = x < 0 ? total : x;
        else if (e->kind == EXPR_MIN_OF ? x < total : x > total)
            total = x;
    }
    return total;
}

static bool run_aggregate(rg_state_t *s, const rg_expr_t *e, rg_value_t *out)
{
    rg_gpu_t *gpu = s->gpu;
    const rg_loaded_t *k = &gpu->kernel[e->kernel - 1];
    const bool is_event = e->kind == EXPR_ANY_OF || e->kind == EXPR_ALL_OF;
    const grid_t g = grid_of(s, e->range, k->what->is_nested ? THREADS : PIECE);
    const size_t bytes =
        (size_t)g.n_blocks * (is_event ? sizeof(rg_gpu_event_t) : sizeof(rg_value_t));
    const void *part;

    if (g.n_blocks == 0 || s->st != ST_OK)
        return false;
    *out = (rg_value_t){.i = 0};
    if ((s->st = rg_gpu_reserve(gpu, bytes)) == ST_OK)
        launch(s, k, &g);
    if (s->st == ST_OK)
        (void)take_found(s, bytes);
    if (s->st != ST_OK)
        return true;
    part = gpu->found_here + sizeof(rg_gpu_found_t);
    if (is_event)
        *out = first_event(s, e, part, g.n_blocks);
    else if (e->type == RG_REAL)
        out->r = real_total(e, part, g.n_blocks);
    else
        out->i = int_total(e, part, g.n_blocks);
    return true;
}

/* ---- running ---- */

status_t rg_gpu_run(rg_gpu_t *gpu, const rg_input_t *input, rg_result_t *out)
{
    static const rg_helper_t helper = {.begin = begin_run,
                                       .end = end_run,
                                       .foreach = run_foreach,
                                       .aggregate = run_aggregate,
                                       .read = bring,
                                       .write = note_write,
                                       .clear = clear,
                                       .count = count_set,
                                       .swap = swap,
                                       .leave = leave,
                                       .check = check};

    return state_run(gpu->program, input, &helper, gpu, out);
}
