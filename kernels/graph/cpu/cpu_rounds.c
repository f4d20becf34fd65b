/*
 * cpu_rounds.c - lists of nodes that wait keep their order: each range of a list writes
 * its own part.
 */
#include "kernels/graph/cpu/cpu_rounds.h"

#include <string.h>

enum { GRAIN = 256 };

typedef struct {
    int32_t *nodes, *waiting;
    int64_t *n_waiting; /* [ranges] */
    cpu_decide_fn_t decide;
    void *ctx;
} rounds_t;

static void run_round(void *ctx, int64_t begin, int64_t end, int thread)
{
    const rounds_t *r = ctx;
    int64_t n = 0;

    for (int64_t k = begin; k < end; k++)
        if (!r->decide(r->ctx, r->nodes[k], thread))
            r->waiting[begin + n++] = r->nodes[k];
    r->n_waiting[begin / GRAIN] = n;
}

int64_t cpu_rounds(cpu_t *c, int32_t *nodes, int32_t *waiting, cpu_decide_fn_t decide,
                   void *ctx)
{
    int64_t n = c->graph->n_nodes, n_rounds = 0;
    rounds_t r = {nodes, waiting,
                  cpu_array(c, CPU_N_ARRAYS - 1, n / GRAIN + 1, sizeof(int64_t)), decide,
                  ctx};

    if (r.n_waiting == NULL)
        return -1;
    while (n > 0) {
        int64_t n_left = 0;

        cpu_for(c->pool, n, GRAIN, run_round, &r);
        for (int64_t k = 0; k < n; k += GRAIN) {
            memcpy(r.nodes + n_left, r.waiting + k,
                   (size_t)r.n_waiting[k / GRAIN] * sizeof(int32_t));
            n_left += r.n_waiting[k / GRAIN];
        }
        n = n_left;
        n_rounds++;
    }
    return n_rounds;
}
