/*
 * cpu_state.c - memory that is kept between tasks, and loops over ranges.
 */
#include "kernels/graph/cpu/cpu_state.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

void *cpu_array(cpu_t *c, int slot, int64_t n, size_t bytes)
{
    size_t need = (size_t)n * bytes + 1;

    if (c->array_bytes[slot] < need) {
        free(c->array[slot]);
        c->array[slot] = calloc(need, 1);
        c->array_bytes[slot] = c->array[slot] != NULL ? need : 0;
        if (c->array[slot] == NULL)
            log_nomem("a graph algorithm");
    }
    return c->array[slot];
}

bool cpu_degree_order(cpu_t *c, int slot, int32_t *nodes)
{
    const csr_t *g = c->graph;
    int64_t max = csr_max_degree(g);
    int64_t *start = cpu_array(c, slot, max + 2, sizeof(*start));

    if (start == NULL)
        return false;
    memset(start, 0, (size_t)(max + 2) * sizeof(*start));
    for (int32_t u = 0; u < g->n_nodes; u++)
        start[max - csr_degree(g, u) + 1]++;
    for (int64_t d = 0; d <= max; d++)
        start[d + 1] += start[d];
    for (int32_t u = 0; u < g->n_nodes; u++)
        nodes[start[max - csr_degree(g, u)]++] = u;
    return true;
}

typedef struct {
    int64_t n, grain;
    cpu_range_fn_t fn;
    void *ctx;
} ranges_t;

static void run_range(void *ctx, int64_t index, int thread)
{
    const ranges_t *r = ctx;
    int64_t begin = index * r->grain;
    int64_t end = begin + r->grain < r->n ? begin + r->grain : r->n;

    r->fn(r->ctx, begin, end, thread);
}

void cpu_for(pool_t *pool, int64_t n, int64_t grain, cpu_range_fn_t fn, void *ctx)
{
    ranges_t r = {n, grain, fn, ctx};
    int64_t n_ranges = (n + grain - 1) / grain;

    pool_run(n_ranges > 1 ? pool : NULL, n_ranges, run_range, &r);
}
