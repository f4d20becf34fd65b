/*
 * job_program_store.c - what the job "graph run" writes: the text of the job, the result
 * file, and the graph as the program leaves it.
 */
#include "worker/program/job_program_state.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/graphfile/make/graph_make.h"
#include "worker/graph/graph_digest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void job_program_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    out->kind = &graph_result_kind;
    out->extra[0] = ((const program_opts_t *)opts)->output_graph;
}

status_t job_program_describe(job_t *job)
{
    job_program_t *j = (job_program_t *)job;
    const csr_t *g = &j->graph;
    char digest[GRAPH_DIGEST_BYTES];
    uint64_t *of_block;
    status_t st = graph_digest_blocks(g, &of_block);

    if (st != ST_OK)
        return st;
    graph_digest_text(graph_digest_of(of_block, g->n_nodes, j->nodes.name, NULL), digest);
    free(of_block);
    st = buf_printf(&job->text,
                    "job=graph run\nprogram=%s\nprogram_digest=%016" PRIx64
                    "\nnodes=%" PRId64 "\narcs=%" PRId64 "\ngraph_digest=%s\n",
                    j->program.path, digest_add(DIGEST_START, j->text, (size_t)j->n_text),
                    g->n_nodes, g->n_arcs, digest);
    return st == ST_OK ? buf_append(&job->text, j->params.text.data, j->params.text.len)
                       : st;
}

/* ---- the result ---- */

static bool may_replace(const job_program_t *j)
{
    return j->base.opts->force || j->base.opts->resume;
}

/* @return the names of the nodes; NULL: there are none, or the nodes are others now */
static const char *const *names_of(const job_program_t *j, const csr_t *now)
{
    const csr_t *g = &j->graph;

    return now->n_nodes == g->n_nodes &&
                   memcmp(now->id, g->id, (size_t)g->n_nodes * sizeof(*g->id)) == 0
               ? (const char *const *)j->nodes.name
               : NULL;
}

static graph_result_head_t head_of(const job_program_t *j, const csr_t *g)
{
    graph_result_head_t h = {.program = j->base.opts->version,
                             .algorithm = j->program.path,
                             .job = (const char *)j->base.text.data,
                             .graph = g,
                             .name = names_of(j, g),
                             .n_rows = 1};

    for (const rg_symbol_t *s = j->program.symbols;
         (s = job_program_output_from(s)) != NULL; s = s->next) {
        strcpy(h.column[h.n_columns].name, s->name);
        h.column[h.n_columns++].type = rg_column_type(s->type);
    }
    return h;
}

static status_t write_columns(const job_program_t *j, const job_program_record_t *r,
                              graph_result_writer_t *file)
{
    const size_t n = (size_t)r->graph.n_nodes;
    const uint8_t *values = r->values;
    int64_t *column = malloc(n * sizeof(*column) + 1); /* aligned */
    status_t st = column != NULL ? ST_OK : log_nomem("a result");
    int c = 0;

    for (const rg_symbol_t *s = j->program.symbols;
         st == ST_OK && (s = job_program_output_from(s)) != NULL; s = s->next) {
        memcpy(column, values, n * rg_value_bytes(s->type));
        values += n * rg_value_bytes(s->type);
        st = graph_result_write_row(file, c++, 0, column);
    }
    free(column);
    return st;
}

static status_t write_run(const job_program_t *j, const job_program_head_t *head,
                          const run_info_t *info, graph_result_writer_t *file)
{
    graph_result_run_t r = {.info = *info,
                            .iterations = head->n_iterations,
                            .arcs_visited = head->n_visited};

    buf_t where = {0};
    status_t st = head->is_on_gpu ? rg_gpu_describe(&j->program, &where) : ST_OK;

    r.decisions = (const char *)where.data;
    if (head->seconds > 0)
        r.edges_per_second = (double)head->n_visited / head->seconds;
    log_verbose("seconds: read %.3f, compile %.3f, copy %.3f, program %.6f; %" PRId64
                " iterations, %" PRId64 " arcs visited, %.4g per second",
                j->read_s, head->compile_s, head->copy_s, head->seconds, r.iterations,
                r.arcs_visited, r.edges_per_second);
    if (st == ST_OK)
        st = graph_result_write_run(file, &r);
    buf_free(&where);
    return st;
}

static status_t write_file(const job_program_t *j, const job_program_record_t *r,
                           const run_info_t *info)
{
    const graph_result_head_t head = head_of(j, &r->graph);
    graph_result_writer_t *file = NULL;
    status_t st = graph_result_write_begin(j->base.opts->output, may_replace(j), &head,
                                           j->base.pool, &file);

    if (st == ST_OK)
        st = write_columns(j, r, file);
    if (st == ST_OK)
        st = write_run(j, &r->head, info, file);
    return graph_result_write_end(file, st);
}

/* The graph first: with the result the run is finished. */
static status_t write_files(const job_program_t *j, job_program_record_t *r,
                            const job_report_t *report)
{
    const char *graph = j->opts->output_graph;
    job_output_run_t run;
    status_t st = job_output_run(&j->base, j->opts->graph.input, report, &run);

    run_info_add(&run.info, "read", j->read_s);
    if (r->head.compile_s > 0)
        run_info_add(&run.info, "compile", r->head.compile_s);
    if (r->head.is_on_gpu)
        run_info_add(&run.info, "copy", r->head.copy_s);
    run_info_add(&run.info, "kernels", r->head.seconds);
    if (st == ST_OK && r->head.is_changed)
        st = csr_check_symmetric(&r->graph);
    if (st == ST_OK && graph != NULL)
        st = graph_write(graph, GRAPH_OUTPUT_AUTO, may_replace(j), &r->graph, NULL,
                         &run.info, j->base.pool);
    if (st == ST_OK)
        st = write_file(j, r, &run.info);
    job_output_run_free(&run);
    return st;
}

status_t job_program_write_result(job_t *job, const job_report_t *report)
{
    const job_program_t *j = (const job_program_t *)job;
    job_program_record_t opened;
    buf_t record = {0};
    status_t st = reslog_read(job->log, 0, &record);

    if (st == ST_OK && job_program_open_record(j, &record, &opened) != NULL)
        st = job_refuse(job, 0);
    if (st == ST_OK)
        st = write_files(j, &opened, report);
    buf_free(&record);
    return st;
}
