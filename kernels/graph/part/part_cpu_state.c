/*
 * part_cpu_state.c - a loop over this rank's blocks.
 */
#include "kernels/graph/part/part_cpu_state.h"

typedef struct {
    int64_t n, block;
    part_cpu_fn_t fn;
    void *ctx;
} blocks_t;

static void run_block(void *ctx, int64_t index, int thread)
{
    const blocks_t *b = ctx;
    int64_t begin = index * b->block, end = begin + b->block;

    (void)thread;
    b->fn(b->ctx, begin, end < b->n ? end : b->n);
}

void part_cpu_for(const part_cpu_t *c, part_cpu_fn_t fn, void *ctx)
{
    const part_graph_t *p = c->context.graph;
    blocks_t b = {part_graph_n_own(p), p->block, fn, ctx};

    pool_run(c->context.pool, (b.n + b.block - 1) / b.block, run_block, &b);
}
