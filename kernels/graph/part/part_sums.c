/*
 * part_sums.c - adds up the sums of blocks in the order of the blocks.
 */
#include "kernels/graph/part/part_halo.h"

#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/common/tree_sum.h"

#include <stdlib.h>

static int64_t block_at(const part_graph_t *p, int rank)
{
    return (p->cut[rank] + p->block - 1) / p->block;
}

void part_sums_places(const part_graph_t *p, int64_t *len, int64_t *at)
{
    for (int r = 0; r < p->n_ranks; r++) {
        at[r] = block_at(p, r) * (int64_t)sizeof(part_sums_t);
        len[r] = block_at(p, r + 1) * (int64_t)sizeof(part_sums_t) - at[r];
    }
}

part_sums_t part_sums_add_up(const part_graph_t *p, const part_sums_t *all)
{
    tree_sum_t change = {.n = 0}, dangling = {.n = 0};

    for (int64_t b = 0; b < part_graph_n_blocks(p->n_nodes); b++) {
        tree_sum_add(&change, all[b].change);
        tree_sum_add(&dangling, all[b].dangling);
    }
    return (part_sums_t){tree_sum_total(&change), tree_sum_total(&dangling)};
}

double part_sums_base(const graph_spec_t *spec, int64_t n_nodes, const part_sums_t *total)
{
    return graph_pagerank_base(spec, n_nodes, total->dangling);
}

status_t part_sums_total(const part_graph_t *p, part_comm_t *c, const part_sums_t *own,
                         part_sums_t *all, part_sums_t *total)
{
    int64_t *len = malloc(2 * (size_t)p->n_ranks * sizeof(*len)), *at = len + p->n_ranks;
    status_t st;

    if (len == NULL)
        return log_nomem("sums of a graph");
    part_sums_places(p, len, at);
    st = part_comm_gather(c, own, len, all, at);
    free(len);
    if (st == ST_OK)
        *total = part_sums_add_up(p, all);
    return st;
}
