/*
 * job_graph_record.c - packs results and reads them again.
 */
#include "worker/graph/job_graph_state.h"

#include "io/base/logmsg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t n_arcs, n_iterations, n_visited;
    double seconds, copy_s;
} head_t;

/* A record has the columns, or in their place the counts of a sample. */

static int n_parts(const graph_info_t *info, const graph_task_t *task)
{
    return task->sample > 0 ? 1 : info->n_columns;
}

static void *part_of(const graph_result_t *r, const graph_task_t *task, int part)
{
    return task->sample > 0 ? r->count : r->column[part];
}

static size_t part_bytes(const graph_info_t *info, const graph_task_t *task,
                         int64_t n_nodes, int part)
{
    return (size_t)n_nodes * (task->sample > 0
                                  ? sizeof(int64_t)
                                  : (size_t)graph_type_bytes(info->columns[part].type));
}

status_t job_graph_record_pack(const graph_info_t *info, int64_t n_nodes,
                               const graph_task_t *task, const graph_result_t *r,
                               const job_graph_effort_t *effort, buf_t *out)
{
    head_t head = {r->n_arcs, r->n_iterations, r->n_visited, r->seconds, effort->copy_s};
    status_t st = buf_append(out, &head, sizeof(head));

    for (int i = 0; st == ST_OK && i < n_parts(info, task); i++)
        st = buf_append(out, part_of(r, task, i), part_bytes(info, task, n_nodes, i));
    if (st == ST_OK && r->n_arcs > 0)
        st = buf_append(out, r->arcs, (size_t)r->n_arcs * sizeof(*r->arcs));
    if (st == ST_OK && r->decisions.len > 0)
        st = buf_append(out, r->decisions.data, r->decisions.len);
    return st;
}

/* What is left of a record. */
typedef struct {
    const char *data;
    size_t len;
} rest_t;

/* @return whether that many bytes were left */
static bool take(rest_t *rest, void *to, size_t len)
{
    if (rest->len < len)
        return false;
    if (len > 0)
        memcpy(to, rest->data, len);
    rest->data += len;
    rest->len -= len;
    return true;
}

static status_t take_arcs(rest_t *rest, graph_result_t *r)
{
    size_t n = (size_t)r->n_arcs;

    if (r->n_arcs < 0 || n > rest->len / sizeof(*r->arcs))
        return ST_EINPUT;
    if ((r->arcs = malloc(n * sizeof(*r->arcs) + 1)) == NULL)
        return log_nomem("results of a graph");
    return take(rest, r->arcs, n * sizeof(*r->arcs)) ? ST_OK : ST_EINPUT;
}

status_t job_graph_record_unpack(const graph_info_t *info, int64_t n_nodes,
                                 const graph_task_t *task, const void *data, size_t len,
                                 graph_result_t *out, job_graph_effort_t *effort)
{
    rest_t rest = {data, len};
    graph_result_t r = {0};
    head_t head;
    status_t st;

    if (!take(&rest, &head, sizeof(head)))
        return ST_EINPUT;
    if ((st = graph_result_create(info, n_nodes, &r)) != ST_OK)
        return st;
    r.n_arcs = head.n_arcs;
    r.n_iterations = head.n_iterations;
    r.n_visited = head.n_visited;
    r.seconds = head.seconds;
    for (int i = 0; st == ST_OK && i < n_parts(info, task); i++)
        if (!take(&rest, part_of(&r, task, i), part_bytes(info, task, n_nodes, i)))
            st = ST_EINPUT;
    if (st == ST_OK)
        st = take_arcs(&rest, &r);
    if (st == ST_OK && rest.len > 0)
        st = buf_append(&r.decisions, rest.data, rest.len);
    if (st != ST_OK) {
        graph_result_free(&r);
        return st;
    }
    *out = r;
    *effort = (job_graph_effort_t){.copy_s = head.copy_s};
    return ST_OK;
}

/* ---- checks ---- */

bool job_graph_check_lines(const void *text, size_t len)
{
    const char *c = text;

    for (size_t i = 0; i < len; i++)
        if ((c[i] < ' ' && c[i] != '\n') || c[i] == 0x7f)
            return false;
    return len == 0 || c[len - 1] == '\n';
}

static double value_at(graph_type_t type, const char *values, int64_t i)
{
    const char *from = values + i * graph_type_bytes(type);
    int32_t whole;
    int64_t large;
    double real;

    switch (type) {
    case GRAPH_REAL:
        memcpy(&real, from, sizeof(real));
        return real;
    case GRAPH_INT64:
        memcpy(&large, from, sizeof(large));
        return (double)large;
    case GRAPH_FLAG:
        return (unsigned char)*from;
    default:
        memcpy(&whole, from, sizeof(whole));
        return whole;
    }
}

const char *job_graph_check_values(const job_graph_t *j, const char *const *column,
                                   int64_t n)
{
    const int64_t n_nodes = j->is_divided ? j->part.n_nodes : j->graph.n_nodes;

    for (int c = 0; c < j->info->n_columns; c++)
        for (int64_t i = 0; i < n; i++) {
            const double value = value_at(j->info->columns[c].type, column[c], i);

            if (!graph_values_have(j->info->columns[c].values, n_nodes, value))
                return "has values that its algorithm cannot give";
        }
    return NULL;
}

/* @return whether a node has the parent that its depth implies, as far as that one is
 * among the n nodes */
static bool parent_fits(const char *const *column, int64_t first, int64_t n, int64_t i,
                        int64_t source)
{
    const double depth = value_at(GRAPH_INT32, column[0], i);
    const int64_t parent = (int64_t)value_at(GRAPH_NODE, column[1], i),
                  at = parent - first;

    if (first + i == source)
        return parent == source;
    if (depth < 0 || parent < 0)
        return depth < 0 && parent < 0;
    return depth > 0 &&
           (at < 0 || at >= n || value_at(GRAPH_INT32, column[0], at) == depth - 1);
}

const char *job_graph_check_paths(const job_graph_t *j, int64_t task,
                                  const char *const *column, int64_t first, int64_t n)
{
    int64_t source;

    if (!j->info->has_sources || job_graph_task(j, task).n_sources != 1)
        return NULL;
    source = job_graph_task(j, task).sources[0]; /* its depth or distance, or the paths
                                                  * through it that begin there: 0 */
    if (source >= first && source < first + n &&
        value_at(j->info->columns[0].type, column[0], source - first) != 0)
        return "is of another source";
    for (int64_t i = 0; j->info->is_leveled && i < n; i++)
        if (!parent_fits(column, first, n, i, source))
            return "has parents that contradict its depths";
    return NULL;
}

/* Arcs of a forest, ascending. */
static bool arcs_fit(const job_graph_t *j, const graph_result_t *r)
{
    int64_t before = -1;

    if (r->n_arcs > 0 && (!j->info->gives_arcs || r->n_arcs >= j->graph.n_nodes))
        return false;
    for (int64_t k = 0; k < r->n_arcs; before = r->arcs[k++])
        if (r->arcs[k] <= before || r->arcs[k] >= j->graph.n_arcs)
            return false;
    return true;
}

/* No sum of a sample is larger than that of all its leaves. */
static const char *check_counts(const job_graph_t *j, int64_t sample,
                                const int64_t *count)
{
    const leaf_counts_t *c = &j->leaves;
    int64_t total = 0;

    for (int64_t k = c->first[sample]; k < c->first[sample + 1]; k++)
        total += c->count[k];
    for (int64_t u = 0; u < j->graph.n_nodes; u++)
        if (count[u] < 0 || count[u] > total)
            return "has counts that its sample cannot give";
    return NULL;
}

static const char *check_result(const job_graph_t *j, int64_t task,
                                const graph_result_t *r, const job_graph_effort_t *effort)
{
    const int64_t sample = job_graph_task(j, task).sample;
    const char *columns[GRAPH_MAX_COLUMNS], *why;

    for (int c = 0; c < GRAPH_MAX_COLUMNS; c++)
        columns[c] = r->column[c];
    if (r->n_iterations < 0 || r->n_visited < 0 || !(r->seconds >= 0) ||
        !isfinite(r->seconds) || !(effort->copy_s >= 0) || !isfinite(effort->copy_s) ||
        !job_graph_check_lines(r->decisions.data, r->decisions.len))
        return "has counts or notes that no run makes";
    if (!arcs_fit(j, r))
        return "has arcs that are not those of a forest in the graph";
    if (sample > 0)
        return check_counts(j, sample - 1, r->count);
    why = job_graph_check_values(j, columns, j->graph.n_nodes);
    return why == NULL ? job_graph_check_paths(j, task, columns, 0, j->graph.n_nodes)
                       : why;
}

const char *job_graph_check_result(const job_graph_t *j, int64_t task,
                                   const buf_t *record)
{
    const graph_task_t what = job_graph_task(j, task);
    job_graph_effort_t effort;
    graph_result_t r;
    const char *why;
    status_t st;

    st = job_graph_record_unpack(j->info, j->graph.n_nodes, &what, record->data,
                                 record->len, &r, &effort);
    if (st != ST_OK)
        return st == ST_ENOMEM ? "cannot be checked: there is not enough memory"
                               : "has not the length of its parts";
    why = check_result(j, task, &r, &effort);
    graph_result_free(&r);
    return why;
}
