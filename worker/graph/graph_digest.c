/*
 * graph_digest.c - digests of blocks: ids, degrees, then the arrays of the arcs.
 */
#include "worker/graph/graph_digest.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "kernels/graph/part/part_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows of a block; `first` counts from the first arc of the arrays. */
typedef struct {
    int64_t n;
    const int64_t *id, *first;
    const int32_t *to, *weight;
    const double *value;
} block_t;

static uint64_t add_arcs(uint64_t digest, const block_t *b, const void *data,
                         size_t bytes)
{
    size_t n = (size_t)(b->first[b->n] - b->first[0]);

    if (data == NULL)
        return digest;
    return digest_add(digest, (const char *)data + (size_t)b->first[0] * bytes,
                      n * bytes);
}

static uint64_t digest_of_block(const block_t *b)
{
    uint64_t d = digest_add(DIGEST_START, b->id, (size_t)b->n * sizeof(*b->id));

    for (int64_t i = 0; i < b->n; i++) {
        int64_t degree = b->first[i + 1] - b->first[i];

        d = digest_add(d, &degree, sizeof(degree));
    }
    d = add_arcs(d, b, b->to, sizeof(*b->to));
    d = add_arcs(d, b, b->weight, sizeof(*b->weight));
    return add_arcs(d, b, b->value, sizeof(*b->value));
}

status_t graph_digest_blocks(const csr_t *g, uint64_t **out)
{
    const int64_t block = part_graph_block(g->n_nodes);
    const size_t n_blocks = (size_t)part_graph_n_blocks(g->n_nodes);
    uint64_t *digest = calloc(n_blocks + 1, sizeof(*digest));

    if (digest == NULL)
        return log_nomem("a graph");
    for (int64_t u = 0; u < g->n_nodes; u += block) {
        const int64_t n = u + block < g->n_nodes ? block : g->n_nodes - u;

        digest[u / block] = digest_of_block(
            &(block_t){n, g->id + u, g->first + u, g->to, g->weight, g->value});
    }
    *out = digest;
    return ST_OK;
}

void graph_digest_rows(const int64_t *id, int64_t n_nodes, const csr_rows_t *rows,
                       uint64_t *of_block)
{
    int64_t block = part_graph_block(n_nodes);

    for (int64_t u = rows->begin; u < rows->end; u += block) {
        int64_t n = u + block < rows->end ? block : rows->end - u;

        of_block[u / block] = digest_of_block(
            &(block_t){n, id + u, rows->first + (u - rows->begin), rows->to, NULL, NULL});
    }
}

uint64_t graph_digest_of(const uint64_t *of_block, int64_t n_nodes, char *const *names,
                         const int64_t *priority)
{
    uint64_t d = digest_add(DIGEST_START, of_block,
                            (size_t)part_graph_n_blocks(n_nodes) * sizeof(*of_block));

    if (names != NULL)
        d = texts_digest(names, n_nodes, d);
    return priority != NULL ? digest_add(d, priority, (size_t)n_nodes * sizeof(*priority))
                            : d;
}

const char *graph_digest_text(uint64_t digest, char out[GRAPH_DIGEST_BYTES])
{
    snprintf(out, GRAPH_DIGEST_BYTES, "%016" PRIx64, digest);
    return out;
}

status_t graph_digest_structure(const csr_t *g, char out[GRAPH_DIGEST_BYTES])
{
    csr_t bare = *g;
    uint64_t *of_block;
    status_t st;

    bare.weight = NULL;
    bare.value = NULL;
    if ((st = graph_digest_blocks(&bare, &of_block)) != ST_OK)
        return st;
    graph_digest_text(graph_digest_of(of_block, g->n_nodes, NULL, NULL), out);
    free(of_block);
    return ST_OK;
}
