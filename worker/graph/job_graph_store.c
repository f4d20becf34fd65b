/*
 * job_graph_store.c - the job "graph" on rank 0: the log of finished tasks.
 */
#include "worker/graph/job_graph_store.h"

#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/graphfile/graph_result_read.h"
#include "worker/graph/job_graph_tasks.h"
#include "worker/job_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PARTITION_BYTES = 64 };

static job_output_t output_of(const job_graph_t *j)
{
    const graph_opts_t *o = j->opts;

    return (job_output_t){.path = o->common.output,
                          .log_path = j->part_path,
                          .force = o->common.force,
                          .resume = o->common.resume,
                          .reader = o->common.reader};
}

/* A finished result is not computed again for its dendrogram. */
static status_t check_newick(const job_graph_t *j)
{
    const graph_opts_t *o = j->opts;

    if (o->common.resume && access(o->common.output, F_OK) == 0 &&
        access(j->part_path, F_OK) != 0 && access(o->newick, F_OK) != 0) {
        log_error("%s exists, but %s does not; give --force to compute both",
                  o->common.output, o->newick);
        return ST_EINPUT;
    }
    return whole_file_check(o->newick, WHOLE_FILE_TEXT,
                            o->common.force || o->common.resume);
}

status_t job_graph_check_output(const job_graph_t *j)
{
    job_output_t output = output_of(j);
    status_t st = job_output_check(&output);

    return st == ST_OK && j->opts->newick != NULL ? check_newick(j) : st;
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

status_t job_graph_open(void *job)
{
    job_graph_t *j = job;
    job_output_t output = output_of(j);
    char partition[PARTITION_BYTES];
    status_t st = job_graph_write_text(j);

    snprintf(partition, sizeof(partition), JOB_GRAPH_PARTITION_LINE "%" PRId64 "\n",
             j->part.block);
    if (j->is_divided)
        output.log_lines = partition;
    if (st == ST_OK)
        st = job_output_open(&output, (const char *)j->text.data, job_graph_n_tasks(j),
                             &j->log);
    if (st == ST_OK && !j->is_divided)
        st = job_output_check_log(j->log, job_graph_n_tasks(j), job_graph_check, j);
    if (st == ST_OK)
        log_job(j);
    return st;
}

bool job_graph_is_done(const void *job, int64_t task)
{
    const job_graph_t *j = job;

    return reslog_has(j->log, task);
}

status_t job_graph_store(void *job, int64_t task, int64_t version, const void *data,
                         size_t len)
{
    job_graph_t *j = job;

    return reslog_append(j->log, task, version, data, len);
}

status_t job_graph_sync(void *job)
{
    job_graph_t *j = job;

    return reslog_sync(j->log);
}

status_t job_graph_finish(void *job, const job_report_t *report)
{
    job_graph_t *j = job;
    status_t st = reslog_sync(j->log);

    if (st == ST_OK)
        st = job_graph_write_result(j, report);
    log_phase("result");
    if (st == ST_OK)
        reslog_remove(j->log);
    return st;
}
