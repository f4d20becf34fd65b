/*
 * job_graph_text.c - the text of the job "graph": everything its result depends on, one
 * "name=value" per line, also the digest of its graph.  Two runs with equal texts are the
 * same job.
 */
#include "io/base/digest.h"
#include "worker/graph/graph_digest.h"
#include "worker/graph/job_graph_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static status_t add_sources(const job_graph_t *j, buf_t *text)
{
    if (!j->info->has_sources)
        return ST_OK;
    if (j->n_sources == 1)
        return buf_printf(text, "source=%" PRId64 "\n", j->graph.id[j->sources[0]]);
    return buf_printf(text, "sources=%" PRId64 "\nsources_digest=%016" PRIx64 "\n",
                      j->n_sources,
                      digest_add(DIGEST_START, j->sources,
                                 (size_t)j->n_sources * sizeof(*j->sources)));
}

static status_t add_pagerank(const job_graph_t *j, buf_t *text)
{
    const graph_opts_t *o = j->opts;
    char damping[FRACTION_RATIO_BYTES];
    status_t st = buf_printf(text,
                             "damping=%s\ntolerance=%.17g\nmax_iterations=%" PRId64
                             "\ndangling=%s\n",
                             fraction_to_ratio(&o->damping, damping), o->tolerance,
                             o->max_iterations, graph_dangling_name[o->dangling]);

    return st == ST_OK && j->start.rank != NULL
               ? buf_printf(text, "from_digest=%016" PRIx64 "\nrestart=%s\n",
                            digest_add(DIGEST_START, j->start.rank,
                                       (size_t)j->graph.n_nodes * sizeof(double)),
                            graph_restart_name[j->spec.restart])
               : st;
}

static status_t add_algorithm(const job_graph_t *j, buf_t *text)
{
    const graph_opts_t *o = j->opts;
    bool is_random = false;
    status_t st = ST_OK;

    if ((j->info->options & GRAPH_OPTIONS_ITERATIONS) != 0)
        return add_pagerank(j, text);
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
    char digest[GRAPH_DIGEST_BYTES];
    status_t st = j->digest != NULL ? ST_OK : graph_digest_blocks(&j->graph, &j->digest);

    if (st == ST_OK)
        st = buf_printf(&job->text,
                        "job=graph\nalgorithm=%s\nnodes=%" PRId64 "\narcs=%" PRId64
                        "\ngraph_digest=%s\n",
                        j->info->name, g->n_nodes, g->n_arcs,
                        graph_digest_text(graph_digest_of(j->digest, g->n_nodes,
                                                          j->nodes.name, j->priority),
                                          digest));
    if (st == ST_OK)
        st = add_sources(j, &job->text);
    if (st == ST_OK)
        st = add_algorithm(j, &job->text);
    if (st == ST_OK && j->leaves.n_samples > 0)
        st = buf_printf(&job->text, "leaf_weights_digest=%016" PRIx64 "\n",
                        arrays_digest(&leaf_counts_arrays, DIGEST_START, &j->leaves));
    return st == ST_OK && j->is_divided
               ? buf_printf(&job->log_lines, JOB_GRAPH_PARTITION_LINE "%" PRId64 "\n",
                            j->part.block)
               : st;
}
