/*
 * job_graph_store.c - the job "graph" on rank 0: its outputs, and messages about it.
 */
#include "worker/graph/job_graph_state.h"

#include "io/base/logmsg.h"
#include "io/graphfile/graph_result_format.h"

#include <inttypes.h>
#include <string.h>

void job_graph_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    out->extra[0] = ((const graph_opts_t *)opts)->newick;
}

status_t job_graph_read_finished(const char *path, buf_t *out)
{
    graph_result_file_t *file;
    const char *job;
    status_t st = graph_result_read_open(path, &file);

    if (st != ST_OK)
        return st;
    job = graph_result_read_info(file)->job;
    st = buf_append(out, job, strlen(job));
    graph_result_read_close(file);
    return st;
}

static void log_job(const job_graph_t *j)
{
    const csr_t *g = &j->graph;
    const char *weights = g->weight != NULL  ? ", whole weights"
                          : g->value != NULL ? ", real weights"
                                             : "";

    log_info("%s: %s, %" PRId64 " nodes, %" PRId64 " arcs, %s%s", j->opts->input,
             j->info->name, g->n_nodes, g->n_arcs,
             g->is_symmetric ? "undirected" : "directed", weights);
    if (j->info->has_sources && j->n_sources == 1)
        log_info("source: node %" PRId64, g->id[j->sources[0]]);
    else if (j->info->has_sources)
        log_info("%" PRId64 " sources", j->n_sources);
}

status_t job_graph_opened(job_t *job)
{
    log_job((const job_graph_t *)job);
    return ST_OK;
}
