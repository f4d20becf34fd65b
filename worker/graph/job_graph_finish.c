/*
 * job_graph_finish.c - the result file of the job "graph", made of the log: records are
 * read in the order of the tasks, and those of blocks are summed in it.
 */
#include "graph/summary/spanning_forest.h"
#include "graph/verify/graph_verify.h"
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/graphfile/graph_result_format.h"
#include "kernels/graph/common/graph_step.h"
#include "worker/graph/graph_blocks.h"
#include "worker/graph/graph_choices.h"
#include "worker/graph/job_graph_state.h"
#include "worker/job_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const job_graph_t *job;
    graph_result_writer_t *file;
    graph_result_run_t run; /* but for its info */
    double copy_s, kernels_s, exchange_s;
    buf_t decisions;
    double *total; /* [n_nodes] of summed results; NULL: they are not summed */
    bool is_wrong; /* a check has failed */
} finish_t;

static status_t read_record(const job_graph_t *j, int64_t task, graph_result_t *out,
                            job_graph_effort_t *effort)
{
    const graph_task_t what = job_graph_task(j, task);
    buf_t record = {0};
    status_t st = reslog_read(j->base.log, task, &record);

    if (st == ST_OK)
        st = job_graph_record_unpack(j->info, j->graph.n_nodes, &what, record.data,
                                     record.len, out, effort);
    if (st == ST_EINPUT)
        st = job_refuse(&j->base, task);
    buf_free(&record);
    return st;
}

typedef struct {
    const job_graph_t *job;
    char *digits; /* [NUMBER_BYTES] of an id */
} labels_t;

enum { NUMBER_BYTES = 24 };

static const char *label_of(const void *ctx, int32_t node)
{
    const labels_t *l = ctx;

    if (l->job->nodes.name != NULL)
        return l->job->nodes.name[node];
    snprintf(l->digits, NUMBER_BYTES, "%" PRId64, l->job->graph.id[node]);
    return l->digits;
}

/* Write the dendrogram of a spanning forest.  Sequences that no edge joins have an
 * unknown identity, of at least 0, and so a distance of at most 1; other nodes have none.
 */
static status_t write_newick(const job_graph_t *j, const graph_result_t *r)
{
    const double root_distance = j->nodes.are_sequences ? 1 : INFINITY;
    char digits[NUMBER_BYTES];
    const labels_t labels = {j, digits};
    const csr_t *g = &j->graph;
    newick_edge_t *edges = malloc((size_t)r->n_arcs * sizeof(*edges) + 1);
    whole_file_t *to = NULL;
    int32_t u = 0;
    status_t st;

    if (edges == NULL)
        return log_nomem("a dendrogram");
    for (int64_t k = 0; k < r->n_arcs; k++) {
        while (g->first[u + 1] <= r->arcs[k])
            u++;
        edges[k] = (newick_edge_t){u, g->to[r->arcs[k]], graph_arc_value(g, r->arcs[k])};
    }
    st = job_output_open(&j->base, j->opts->newick, &to);
    if (st == ST_OK)
        st = whole_file_close(to, newick_write(whole_file_stream(to), (int32_t)g->n_nodes,
                                               edges, r->n_arcs, root_distance, label_of,
                                               &labels));
    free(edges);
    return st;
}

static status_t note_run(finish_t *f, int64_t task, const graph_result_t *r,
                         const job_graph_effort_t *effort)
{
    f->kernels_s += r->seconds;
    if (effort->copy_s > f->copy_s)
        f->copy_s = effort->copy_s;
    if (effort->exchange_s > f->exchange_s)
        f->exchange_s = effort->exchange_s;
    f->run.exchange_bytes += effort->exchange_bytes;
    f->run.iterations += r->n_iterations;
    f->run.arcs_visited += r->n_visited;
    return job_graph_note_decisions(f->job, task, &r->decisions, &f->decisions);
}

/* No rank has the whole graph, which only this check needs. */
static status_t verify_whole(const job_graph_t *j, const graph_task_t *task,
                             const graph_result_t *r)
{
    graph_input_data_t d = {0};
    status_t st = graph_child_read(j->opts, &d);

    if (st == ST_OK)
        st = graph_verify(&d.graph, &j->spec, task, r);
    csr_free(&d.graph);
    return st;
}

static status_t verify(finish_t *f, const graph_task_t *task, const graph_result_t *r)
{
    const job_graph_t *j = f->job;
    status_t st = ST_OK;

    if (!j->opts->verify || j->graph.n_nodes == 0)
        return ST_OK;
    if (j->graph.to == NULL && j->is_divided)
        st = verify_whole(j, task, r);
    else
        st = graph_verify(&j->graph, &j->spec, task, r);
    f->is_wrong = st == ST_EINPUT;
    return st;
}

/* Add up or write what a task has computed. */
static status_t take_result(finish_t *f, int64_t number, const graph_result_t *r)
{
    const job_graph_t *j = f->job;
    graph_task_t task = job_graph_task(j, number);
    status_t st = ST_OK;

    if (f->total != NULL) {
        graph_blocks_add(&j->graph, r, f->total);
        return ST_OK;
    }
    if ((st = verify(f, &task, r)) != ST_OK)
        return st;
    if (task.sample > 0)
        return graph_result_write_counts(f->file, task.sample - 1, r->count);
    for (int c = 0; st == ST_OK && c < j->info->n_columns; c++)
        st = graph_result_write_row(f->file, c, number, r->column[c]);
    if (st == ST_OK && j->info->gives_arcs)
        st = graph_result_write_edges(f->file, r->arcs, r->n_arcs);
    if (st == ST_OK && j->opts->newick != NULL)
        st = write_newick(j, r);
    return st;
}

/* A graph without nodes has no tasks, but all datasets. */
static status_t write_nothing(finish_t *f)
{
    const graph_result_t none = {.column = {f, f}, .arcs = (int64_t *)f};

    return f->job->graph.n_nodes == 0 ? take_result(f, 0, &none) : ST_OK;
}

static status_t write_total(finish_t *f)
{
    const csr_t *g = &f->job->graph;
    const graph_task_t all = {f->job->sources, f->job->n_sources, 0};
    const graph_result_t sum = {.column = {f->total}};
    status_t st = verify(f, &all, &sum);

    if (st != ST_OK)
        return st;
    graph_blocks_end(g, f->total);
    return graph_result_write_row(f->file, 0, 0, f->total);
}

/* The blocks of a divided graph make one result. */
static status_t write_divided(finish_t *f)
{
    job_graph_effort_t effort;
    graph_result_t r;
    status_t st = job_graph_gang_read(f->job, &r, &effort);

    if (st != ST_OK)
        return st;
    if ((st = note_run(f, 0, &r, &effort)) == ST_OK)
        st = take_result(f, 0, &r);
    graph_result_free(&r);
    return st;
}

static status_t write_results(finish_t *f)
{
    int64_t n = job_graph_n_tasks(f->job);
    status_t st = write_nothing(f);

    if (f->job->is_divided)
        return write_divided(f);
    for (int64_t task = 0; st == ST_OK && task < n; task++) {
        job_graph_effort_t effort;
        graph_result_t r;

        if ((st = read_record(f->job, task, &r, &effort)) != ST_OK)
            break;
        if ((st = note_run(f, task, &r, &effort)) == ST_OK)
            st = take_result(f, task, &r);
        graph_result_free(&r);
    }
    return st == ST_OK && f->total != NULL ? write_total(f) : st;
}

static void log_effort(const finish_t *f)
{
    const graph_result_run_t *r = &f->run;

    if (f->job->is_divided)
        log_verbose("exchange: %.3f s, %.4g MB sent by all ranks", f->exchange_s,
                    (double)r->exchange_bytes / 1e6);
    log_verbose("seconds: read %.3f, copy %.3f, kernels %.6f; %" PRId64
                " iterations, %" PRId64 " arcs visited, %.4g per second",
                f->job->read_s, f->copy_s, f->kernels_s, r->iterations, r->arcs_visited,
                r->edges_per_second);
}

static status_t write_run(finish_t *f, const job_report_t *report)
{
    const job_graph_t *j = f->job;
    graph_result_run_t *r = &f->run;
    job_output_run_t run;
    buf_t choices = {0};
    status_t st = job_output_run(&j->base, j->opts->input, report, &run);

    if (st == ST_OK && (st = buf_append(&f->decisions, "", 1)) == ST_OK &&
        (st = graph_choices_print(&j->run, &choices)) == ST_OK &&
        (st = buf_append(&choices, "", 1)) == ST_OK) {
        run_info_add(&run.info, "read", j->read_s);
        run_info_add(&run.info, "copy", f->copy_s);
        run_info_add(&run.info, "kernels", f->kernels_s);
        run_info_add(&run.info, "exchange", f->exchange_s);
        r->info = run.info;
        r->choices = choices.len > 1 ? (const char *)choices.data : NULL;
        r->decisions = (const char *)f->decisions.data;
        r->verified = j->opts->verify;
        if (f->kernels_s > 0)
            r->edges_per_second = (double)r->arcs_visited / f->kernels_s;
        log_effort(f);
        st = graph_result_write_run(f->file, r);
    }
    job_output_run_free(&run);
    buf_free(&choices);
    return st;
}

static graph_result_head_t head_of(const job_graph_t *j)
{
    graph_result_head_t h = {.program = j->opts->common.version,
                             .algorithm = j->info->name,
                             .job = (const char *)j->base.text.data,
                             .graph = &j->graph,
                             .name = (const char *const *)j->nodes.name,
                             .source = j->info->has_sources ? j->sources : NULL,
                             .n_sources = j->n_sources,
                             .sample = (const char *const *)j->leaves.sample,
                             .n_samples = j->leaves.n_samples,
                             .n_rows = 1,
                             .n_columns = j->info->n_columns};

    if (j->info->has_sources && !j->info->is_summed && j->n_sources > 1)
        h.n_rows = j->n_sources;
    for (int c = 0; c < j->info->n_columns; c++) {
        snprintf(h.column[c].name, sizeof(h.column[c].name), "%s",
                 j->info->columns[c].name);
        h.column[c].type = j->info->columns[c].type;
    }
    return h;
}

status_t job_graph_write_result(job_t *job, const job_report_t *report)
{
    const job_graph_t *j = (const job_graph_t *)job;
    const graph_opts_t *o = j->opts;
    graph_result_head_t head = head_of(j);
    finish_t f = {.job = j};
    status_t st = ST_OK;

    if (j->info->is_summed) {
        f.total = calloc((size_t)j->graph.n_nodes + 1, sizeof(*f.total));
        if (f.total == NULL)
            return log_nomem("results of a graph");
    }
    st = graph_result_write_begin(o->common.output, job_opts_may_replace(&o->common),
                                  &head, j->base.pool, &f.file);
    if (st == ST_OK && (st = write_results(&f)) == ST_OK)
        st = write_run(&f, report);
    st = graph_result_write_end(f.file, st);
    if (f.is_wrong)
        log_info("no result is written; %s keeps what was computed", j->base.part_path);
    else if (st == ST_OK && o->verify)
        log_info("verified: the result agrees with its definition");
    free(f.total);
    buf_free(&f.decisions);
    return st;
}
