/*
 * job_graph_text.c - the text of the job "graph": everything its result depends on, one
 * "name=value" per line.  Two runs with equal texts are the same job.
 */
#include "io/base/digest.h"
#include "worker/graph/job_graph_digest.h"
#include "worker/graph/job_graph_state.h"

#include <inttypes.h>
#include <string.h>

/* @param data  may be NULL: the array is absent */
static uint64_t add_array(uint64_t digest, const void *data, int64_t n, size_t bytes)
{
    return data != NULL ? digest_add(digest, data, (size_t)n * bytes) : digest;
}

static uint64_t digest_of(const job_graph_t *j)
{
    const csr_t *g = &j->graph;
    uint64_t d = job_graph_digest_join(j->digest, g->n_nodes);

    for (int64_t i = 0; j->names != NULL && i < g->n_nodes; i++)
        d = digest_add(d, j->names[i], strlen(j->names[i]) + 1);
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
                        j->info->name, g->n_nodes, g->n_arcs, digest_of(j));
    if (st == ST_OK)
        st = add_sources(j, &job->text);
    if (st == ST_OK)
        st = add_algorithm(j, &job->text);
    return st == ST_OK && j->is_divided
               ? buf_printf(&job->log_lines, JOB_GRAPH_PARTITION_LINE "%" PRId64 "\n",
                            j->part.block)
               : st;
}
