/*
 * job_graph_text.c - the text of the job "graph": everything its result depends on, one
 * "name=value" per line, also the digest of its graph.  Two runs with equal texts are the
 * same job.
 */
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "kernels/graph/part/part_graph.h"
#include "worker/graph/job_graph_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- digests of blocks: ids, degrees, then the arrays of the arcs ---- */

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

status_t job_graph_digest_whole(job_graph_t *j)
{
    const csr_t *g = &j->graph;
    int64_t block = part_graph_block(g->n_nodes);

    if (j->digest != NULL)
        return ST_OK;
    j->digest = calloc((size_t)part_graph_n_blocks(g->n_nodes) + 1, sizeof(*j->digest));
    if (j->digest == NULL)
        return log_nomem("a graph");
    for (int64_t u = 0; u < g->n_nodes; u += block) {
        int64_t n = u + block < g->n_nodes ? block : g->n_nodes - u;

        j->digest[u / block] = digest_of_block(
            &(block_t){n, g->id + u, g->first + u, g->to, g->weight, g->value});
    }
    return ST_OK;
}

void job_graph_digest_rows(const int64_t *id, int64_t n_nodes, const csr_rows_t *rows,
                           uint64_t *of_block)
{
    int64_t block = part_graph_block(n_nodes);

    for (int64_t u = rows->begin; u < rows->end; u += block) {
        int64_t n = u + block < rows->end ? block : rows->end - u;

        of_block[u / block] = digest_of_block(
            &(block_t){n, id + u, rows->first + (u - rows->begin), rows->to, NULL, NULL});
    }
}

/* ---- the text ---- */

/* @param data  may be NULL: the array is absent */
static uint64_t add_array(uint64_t digest, const void *data, int64_t n, size_t bytes)
{
    return data != NULL ? digest_add(digest, data, (size_t)n * bytes) : digest;
}

static uint64_t digest_of_input(const job_graph_t *j)
{
    const csr_t *g = &j->graph;
    uint64_t d = digest_add(DIGEST_START, j->digest,
                            (size_t)part_graph_n_blocks(g->n_nodes) * sizeof(*j->digest));

    if (j->nodes.name != NULL)
        d = texts_digest(j->nodes.name, g->n_nodes, d);
    return add_array(d, j->priority, g->n_nodes, sizeof(*j->priority));
}

static status_t add_sources(const job_graph_t *j, buf_t *text)
{
    if (!j->info->has_sources)
        return ST_OK;
    if (j->n_sources == 1)
        return buf_printf(text, "source=%" PRId64 "\n", j->graph.id[j->sources[0]]);
    return buf_printf(text, "sources=%" PRId64 "\nsources_digest=%016" PRIx64 "\n",
                      j->n_sources,
                      add_array(DIGEST_START, j->sources, j->n_sources,
                                sizeof(*j->sources)));
}

static status_t add_pagerank(const graph_opts_t *o, buf_t *text)
{
    char damping[FRACTION_RATIO_BYTES];

    return buf_printf(text,
                      "damping=%s\ntolerance=%.17g\nmax_iterations=%" PRId64
                      "\ndangling=%s\n",
                      fraction_to_ratio(&o->damping, damping), o->tolerance,
                      o->max_iterations, graph_dangling_name[o->dangling]);
}

static status_t add_algorithm(const job_graph_t *j, buf_t *text)
{
    const graph_opts_t *o = j->opts;
    bool is_random = false;
    status_t st = ST_OK;

    if ((j->info->options & GRAPH_OPTIONS_ITERATIONS) != 0)
        return add_pagerank(o, text);
    if ((j->info->options & GRAPH_OPTIONS_ORDER) != 0) {
        st = buf_printf(text, "order=%s\n", graph_order_name[o->order]);
        is_random = o->order == GRAPH_BY_DEGREE;
    }
    if ((j->info->options & GRAPH_OPTIONS_VECTOR) != 0) {
        st = buf_printf(text, "vector=%s\n", graph_vector_name[o->vector]);
        is_random = o->vector == GRAPH_VECTOR_RANDOM;
    }
    return st == ST_OK && is_random ? buf_printf(text, "seed=%" PRId64 "\n", o->seed)
                                    : st;
}

status_t job_graph_describe(job_t *job)
{
    job_graph_t *j = (job_graph_t *)job;
    const csr_t *g = &j->graph;
    status_t st = job_graph_digest_whole(j);

    if (st == ST_OK)
        st = buf_printf(&job->text,
                        "job=graph\nalgorithm=%s\nnodes=%" PRId64 "\narcs=%" PRId64
                        "\ngraph_digest=%016" PRIx64 "\n",
                        j->info->name, g->n_nodes, g->n_arcs, digest_of_input(j));
    if (st == ST_OK)
        st = add_sources(j, &job->text);
    if (st == ST_OK)
        st = add_algorithm(j, &job->text);
    return st == ST_OK && j->is_divided
               ? buf_printf(&job->log_lines, JOB_GRAPH_PARTITION_LINE "%" PRId64 "\n",
                            j->part.block)
               : st;
}
