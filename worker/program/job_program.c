/*
 * job_program.c - the job "graph run": its beginning, and its table of functions.
 */
#include "worker/program/job_program_state.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "worker/graph/job_graph_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- input ---- */

/* Copy the text, which the front end has read. */
static status_t take_text(job_program_t *j)
{
    j->n_text = (int64_t)j->opts->text.len;
    if ((j->text = malloc((size_t)j->n_text)) == NULL)
        return log_nomem("a graph program");
    memcpy(j->text, j->opts->text.data, (size_t)j->n_text);
    return ST_OK;
}

static status_t read_graph(job_program_t *j)
{
    const double begin = clock_now_s();
    graph_input_data_t d = {0};
    char why[JOB_OPTS_WHY_BYTES];
    status_t st = graph_child_read(&j->opts->graph, &d);

    j->graph = d.graph;
    j->nodes = d.nodes;
    if (st == ST_OK && j->opts->output_graph != NULL && j->nodes.name != NULL) {
        log_error("%s: its nodes have names, which no graph that is written keeps; give "
                  "ids, or leave out --output-graph",
                  j->opts->graph.input);
        st = ST_EINPUT;
    }
    if (st == ST_OK)
        st = program_params_take(j->opts, &j->program, &j->graph, j->nodes.name, why,
                                 &j->params);
    if (st == ST_OK)
        st = rg_check_params(&j->program, j->params.is_given);
    j->read_s = clock_now_s() - begin;
    return st;
}

ARRAY_COUNT(n_text, job_program_t, o->n_text)
ARRAY_COUNT(n_values, job_program_t, o->program.n_values)

static const array_t text_rows[] = {ARRAY_VALUE(job_program_t, n_text, ARRAY_INT64),
                                    ARRAY_OF(job_program_t, text, ARRAY_BYTES, n_text),
                                    ARRAYS_END};
static const arrays_t shared_text = {"a graph program", sizeof(job_program_t), text_rows,
                                     NULL};

static const array_t input_rows[] = {
    ARRAY_MEMBER(job_program_t, graph, &csr_arrays),
    ARRAY_OF(job_program_t, params.value, ARRAY_INT64, n_values),
    ARRAY_OF(job_program_t, params.is_given, ARRAY_BYTES, n_values), ARRAYS_END};
static const arrays_t shared_input = {"a graph", sizeof(job_program_t), input_rows, NULL};

/* [all] Read on rank 0, and pass to all ranks what a program needs. */
static status_t read_input(job_program_t *j, exchange_t *x)
{
    status_t st = exchange_agree(x, x->rank == 0 ? take_text(j) : ST_OK);

    if (st != ST_OK || (st = exchange_object(x, &shared_text, j)) != ST_OK ||
        (st = exchange_agree(x, rg_parse(j->opts->program, j->text, (size_t)j->n_text - 1,
                                         &j->program))) != ST_OK ||
        (st = exchange_agree(x, x->rank == 0 ? read_graph(j) : ST_OK)) != ST_OK)
        return st;
    return exchange_object(x, &shared_input, j);
}

/* ---- the table ---- */

static status_t reader(job_opts_t *opts, job_reader_t *out)
{
    graph_opts_t *o = (graph_opts_t *)opts;
    status_t st = graph_child_prepare(o);

    *out = (job_reader_t){.is_needed = o->stream >= 0,
                          .answer = graph_child_answer,
                          .files = {o->input}};
    return st;
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_program_t *j = (job_program_t *)job;
    status_t st;

    j->opts = (const program_opts_t *)job->opts;
    if ((st = read_input(j, x)) != ST_OK)
        return st;
    job->plan = (job_plan_t){.kind = JOB_FREE,
                             .n_tasks = 1,
                             .task_word = "programs",
                             .item_word = "arcs",
                             .is_watched = true}; /* it may have failed */
    return ST_OK;
}

/* How often a program visits an arc is not known before it has run. */
static int64_t cost(const job_t *job, int64_t task)
{
    const csr_t *g = &((const job_program_t *)job)->graph;

    (void)task;
    return g->n_arcs + g->n_nodes;
}

static int64_t items(const job_t *job, int64_t task)
{
    (void)task;
    return ((const job_program_t *)job)->graph.n_arcs;
}

static status_t opened(job_t *job)
{
    const job_program_t *j = (const job_program_t *)job;
    const csr_t *g = &j->graph;

    log_info("%s: %s, %" PRId64 " nodes, %" PRId64 " arcs, %s", j->opts->graph.input,
             j->program.path, g->n_nodes, g->n_arcs,
             g->is_symmetric ? "undirected" : "directed");
    return ST_OK;
}

static void free_job(job_t *job)
{
    job_program_t *j = (job_program_t *)job;

    program_params_free(&j->params);
    rg_free(&j->program);
    texts_free(j->nodes.name);
    csr_free(&j->graph);
    free(j->text);
}

const job_ops_t job_program_ops = {
    .name = "graph run",
    .size = sizeof(job_program_t),
    .settle = program_opts_settle,
    .reader = reader,
    .outputs = job_program_outputs,
    .begin = begin,
    .cost = cost,
    .items = items,
    .describe = job_program_describe,
    .check_record = job_program_check_record,
    .opened = opened,
    .prepare = job_program_prepare,
    .release = job_program_release,
    .free_result = job_program_free_result,
    .collect = job_program_collect,
    .pack = job_program_pack,
    .note_result = job_program_note_result,
    .write_result = job_program_write_result,
    .free = free_job,
};
