/*
 * part_graph.c - cuts the nodes of a graph into ranges.
 */
#include "kernels/graph/part/part_graph.h"

#include <stdlib.h>

int64_t part_graph_block(int64_t n_nodes)
{
    int64_t block = PART_WORD;

    while (block * PART_BLOCKS < n_nodes)
        block *= 2;
    return block;
}

int64_t part_graph_n_blocks(int64_t n_nodes)
{
    int64_t block = part_graph_block(n_nodes);

    return (n_nodes + block - 1) / block;
}

/* @return what the nodes before a block cost */
static int64_t cost_before(const int64_t *first, int64_t n_nodes, int64_t b)
{
    int64_t u = b * part_graph_block(n_nodes);

    u = u < n_nodes ? u : n_nodes;
    return first[u] + u;
}

void part_graph_cut(const int64_t *first, int64_t n_nodes, int n_ranks, int64_t *cut)
{
    int64_t n_blocks = part_graph_n_blocks(n_nodes), block = part_graph_block(n_nodes);
    int64_t total = cost_before(first, n_nodes, n_blocks), b = 0;

    cut[0] = 0;
    for (int r = 1; r < n_ranks; r++) {
        int64_t share = total / n_ranks * r + total % n_ranks * r / n_ranks;

        /* up to the block whose middle is beyond the share */
        while (b < n_blocks &&
               cost_before(first, n_nodes, b) + cost_before(first, n_nodes, b + 1) <=
                   2 * share)
            b++;
        cut[r] = b * block < n_nodes ? b * block : n_nodes;
    }
    cut[n_ranks] = n_nodes;
}

int part_graph_holder(const part_graph_t *p, int64_t node)
{
    int low = 0, high = p->n_ranks - 1;

    while (low < high) {
        int middle = (low + high) / 2;

        if (p->cut[middle + 1] <= node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void part_graph_free(part_graph_t *p)
{
    free(p->cut);
    csr_rows_free(&p->out);
    csr_rows_free(&p->in);
    *p = (part_graph_t){0};
}
