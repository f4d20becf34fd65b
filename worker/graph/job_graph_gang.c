/*
 * job_graph_gang.c - a rank of a gang: steps, checkpoints, and the result made of the
 * last one.
 */

#include "io/base/logmsg.h"
#include "kernels/registry/backends.h"
#include "worker/graph/job_graph_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t is_over;
    job_graph_steps_t steps;
    double copy_s;
} head_t;

static int64_t value_bytes(const graph_info_t *info)
{
    int64_t bytes = 0;

    for (int c = 0; c < info->n_columns; c++)
        bytes += graph_type_bytes(info->columns[c].type);
    return bytes;
}

double job_graph_gang_checkpoint_bytes(const job_graph_t *j)
{
    return (double)(j->part.n_nodes * value_bytes(j->info));
}

/* Nodes first .. first + n - 1 of the graph. */
typedef struct {
    int64_t first, n;
} block_t;

static block_t block_of(const job_graph_t *j, int64_t task)
{
    const part_graph_t *p = &j->part;
    int64_t first = task * p->block;

    return (block_t){first,
                     p->n_nodes - first < p->block ? p->n_nodes - first : p->block};
}

static status_t create_columns(job_graph_t *j)
{
    size_t n = (size_t)part_graph_n_own(&j->part);

    for (int c = 0; c < j->info->n_columns; c++) {
        size_t bytes = (size_t)graph_type_bytes(j->info->columns[c].type);

        if ((j->gang.column[c] = calloc(n * bytes + 1, 1)) == NULL)
            return log_nomem("results of a graph");
    }
    return ST_OK;
}

status_t job_graph_gang_prepare(job_graph_t *j)
{
    job_graph_gang_t *g = &j->gang;
    const part_graph_t *p = &j->part;
    part_context_t context = {.device = &j->base.device,
                              .pool = j->base.pool,
                              .graph = &j->part,
                              .spec = &j->spec,
                              .source = j->sources != NULL ? j->sources[0] : -1};
    const backend_request_t request = {.name = j->run.backend, .device = &j->base.device};
    const backend_t *row;
    status_t st = create_columns(j);

    if (st != ST_OK)
        return st;
    memcpy(context.column, g->column, sizeof(context.column));
    if ((st = backend_open(&part_table, &request, &context, &row, &g->kernel)) != ST_OK)
        return st;
    g->backend = (const part_backend_t *)row;
    log_verbose("this rank holds %" PRId64 " of %" PRId64 " nodes, with %" PRId64 " arcs",
                part_graph_n_own(p), p->n_nodes, p->out.first[part_graph_n_own(p)]);
    return ST_OK;
}

void job_graph_gang_release(job_graph_t *j)
{
    job_graph_gang_t *g = &j->gang;

    if (g->backend != NULL)
        g->backend->destroy(g->kernel);
    for (int c = 0; c < GRAPH_MAX_COLUMNS; c++)
        free(g->column[c]);
    buf_free(&g->decisions);
    *g = (job_graph_gang_t){0};
}

bool job_graph_is_over(const job_t *job, int64_t k)
{
    (void)k;
    return ((const job_graph_t *)job)->gang.is_over;
}

static status_t note_report(job_graph_t *j, const part_step_report_t *report)
{
    job_graph_gang_t *g = &j->gang;
    buf_t line = {0};
    status_t st;

    g->is_over = report->is_over;
    g->is_fetched = false;
    g->steps.n_visited += report->n_visited;
    g->steps.n_bytes += report->n_bytes;
    g->steps.seconds += report->seconds - report->exchange_s;
    g->steps.exchange_s += report->exchange_s;
    if (report->decision[0] == '\0')
        return ST_OK;
    if ((st = buf_printf(&line, "%s\n", report->decision)) == ST_OK &&
        (st = buf_append(&g->decisions, line.data, line.len)) == ST_OK &&
        j->part.rank == 0)
        st = job_graph_log_decisions(j, 0, &line);
    buf_free(&line);
    return st;
}

status_t job_graph_step(job_t *job, gang_t *gang, int64_t k)
{
    job_graph_t *j = (job_graph_t *)job;
    job_graph_gang_t *g = &j->gang;
    part_step_report_t report = {0};
    status_t st = ST_OK;

    if (!g->has_begun)
        st = g->backend->begin(g->kernel, gang, k);
    g->has_begun = true;
    if (st == ST_OK)
        st = g->backend->step(g->kernel, gang, k, &report);
    return st == ST_OK ? note_report(j, &report) : st;
}

bool job_graph_holds(const job_t *job, int64_t task)
{
    const job_graph_t *j = (const job_graph_t *)job;
    const part_graph_t *p = &j->part;
    int64_t first = task * p->block;

    return first >= p->cut[p->rank] && first < p->cut[p->rank + 1];
}

status_t job_graph_save(job_t *job, int64_t task, buf_t *out)
{
    job_graph_t *j = (job_graph_t *)job;
    job_graph_gang_t *g = &j->gang;
    block_t block = block_of(j, task);
    int64_t own = block.first - j->part.cut[j->part.rank];
    head_t head = {.is_over = g->is_over};
    status_t st = ST_OK;

    if (g->has_begun && !g->is_fetched)
        st = g->backend->fetch(g->kernel);
    g->is_fetched = st == ST_OK;
    if (own == 0) {
        head.steps = g->steps;
        head.copy_s = j->copy_s;
    }
    if (st == ST_OK)
        st = buf_append(out, &head, sizeof(head));
    for (int c = 0; st == ST_OK && c < j->info->n_columns; c++) {
        int64_t bytes = graph_type_bytes(j->info->columns[c].type);

        st = buf_append(out, (const char *)g->column[c] + own * bytes,
                        (size_t)(block.n * bytes));
    }
    return st == ST_OK && task == 0 && g->decisions.len > 0
               ? buf_append(out, g->decisions.data, g->decisions.len)
               : st;
}

/* Parts of a record. */
typedef struct {
    head_t head;
    const char *columns; /* [n] of the first, then [n] of the second */
    const char *decisions;
    size_t decisions_len;
} record_t;

/* @return whether it is one of the task */
static bool parse(const job_graph_t *j, int64_t task, const void *data, size_t len,
                  record_t *out)
{
    size_t columns = (size_t)(block_of(j, task).n * value_bytes(j->info));

    if (len < sizeof(out->head) + columns ||
        (task != 0 && len > sizeof(out->head) + columns))
        return false;
    memcpy(&out->head, data, sizeof(out->head));
    out->columns = (const char *)data + sizeof(out->head);
    out->decisions = out->columns + columns;
    out->decisions_len = len - sizeof(out->head) - columns;
    return true;
}

static bool is_finite(double seconds)
{
    return seconds >= 0 && isfinite(seconds);
}

static bool head_fits(job_graph_t *j, int64_t version, const head_t *h)
{
    const job_graph_steps_t *s = &h->steps;
    int is_over = -1;

    if ((h->is_over != 0 && h->is_over != 1) || s->n_visited < 0 || s->n_bytes < 0 ||
        !is_finite(s->seconds) || !is_finite(s->exchange_s) || !is_finite(h->copy_s))
        return false;
    if ((j->info->options & GRAPH_OPTIONS_ITERATIONS) != 0 &&
        version > j->spec.max_iterations)
        return false;
    return atomic_compare_exchange_strong(&j->checked_over, &is_over, (int)h->is_over) ||
           is_over == (int)h->is_over;
}

/* @return whether no path is longer than the steps that were done */
static bool depths_fit(const char *columns, int64_t n, int64_t version)
{
    for (int64_t i = 0; i < n; i++) {
        int32_t depth;

        memcpy(&depth, columns + i * (int64_t)sizeof(depth), sizeof(depth));
        if (depth > version)
            return false;
    }
    return true;
}

const char *job_graph_gang_check(job_graph_t *j, int64_t task, int64_t version,
                                 const buf_t *data)
{
    const int64_t n = block_of(j, task).n;
    const char *column[GRAPH_MAX_COLUMNS], *at, *why;
    record_t r;

    if (!parse(j, task, data->data, data->len, &r))
        return "has not the length of its block";
    if (!head_fits(j, version, &r.head) ||
        !job_graph_check_lines(r.decisions, r.decisions_len))
        return "has counts or notes that no run makes";
    if (j->info->is_leveled && !depths_fit(r.columns, n, version))
        return "has depths that no step has reached yet";
    at = r.columns;
    for (int k = 0; k < j->info->n_columns; k++) {
        column[k] = at;
        at += n * graph_type_bytes(j->info->columns[k].type);
    }
    if ((why = job_graph_check_values(j, column, n)) != NULL || version == 0)
        return why; /* before the first step no search has begun */
    return job_graph_check_paths(j, task, column, block_of(j, task).first, n);
}

/* Copy the columns of a block's record. @param at  where the block is in them */
static void take_columns(const job_graph_t *j, const record_t *r, int64_t n, int64_t at,
                         void *const *column)
{
    const char *from = r->columns;

    for (int c = 0; c < j->info->n_columns; c++) {
        int64_t bytes = graph_type_bytes(j->info->columns[c].type);

        memcpy((char *)column[c] + at * bytes, from, (size_t)(n * bytes));
        from += n * bytes;
    }
}

static void add_steps(job_graph_steps_t *to, const job_graph_steps_t *from)
{
    to->n_visited += from->n_visited;
    to->n_bytes += from->n_bytes;
    to->seconds = from->seconds > to->seconds ? from->seconds : to->seconds;
    to->exchange_s =
        from->exchange_s > to->exchange_s ? from->exchange_s : to->exchange_s;
}

status_t job_graph_restore(job_t *job, int64_t task, int64_t version, const void *data,
                           size_t len)
{
    job_graph_t *j = (job_graph_t *)job;
    job_graph_gang_t *g = &j->gang;
    block_t block = block_of(j, task);
    record_t r;

    (void)version;
    if (!parse(j, task, data, len, &r))
        return job_refuse(&j->base, task);
    g->is_over = r.head.is_over != 0;
    if (job_graph_holds(job, task)) {
        take_columns(j, &r, block.n, block.first - j->part.cut[j->part.rank], g->column);
        add_steps(&g->steps, &r.head.steps);
    }
    return r.decisions_len > 0 ? buf_append(&g->decisions, r.decisions, r.decisions_len)
                               : ST_OK;
}

static status_t read_block(const job_graph_t *j, int64_t task, buf_t *data,
                           graph_result_t *out, job_graph_effort_t *effort,
                           job_graph_steps_t *steps)
{
    block_t block = block_of(j, task);
    record_t r;
    status_t st = reslog_read(j->base.log, task, data);

    if (st != ST_OK)
        return st;
    if (!parse(j, task, data->data, data->len, &r))
        return job_refuse(&j->base, task);
    take_columns(j, &r, block.n, block.first, out->column);
    add_steps(steps, &r.head.steps);
    effort->copy_s = r.head.copy_s > effort->copy_s ? r.head.copy_s : effort->copy_s;
    return r.decisions_len > 0 ? buf_append(&out->decisions, r.decisions, r.decisions_len)
                               : ST_OK;
}

status_t job_graph_gang_read(const job_graph_t *j, graph_result_t *out,
                             job_graph_effort_t *effort)
{
    job_graph_steps_t steps = {0};
    graph_result_t r = {0};
    buf_t data = {0};
    status_t st = graph_result_create(j->info, j->part.n_nodes, &r);

    *effort = (job_graph_effort_t){0};
    for (int64_t task = 0; st == ST_OK && task < job_graph_n_tasks(j); task++)
        st = read_block(j, task, &data, &r, effort, &steps);
    buf_free(&data);
    if (st != ST_OK) {
        graph_result_free(&r);
        return st;
    }
    r.n_iterations = reslog_complete(j->base.log);
    r.n_visited = steps.n_visited;
    r.seconds = steps.seconds;
    effort->exchange_s = steps.exchange_s;
    effort->exchange_bytes = steps.n_bytes;
    *out = r;
    return ST_OK;
}
