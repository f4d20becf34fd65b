/*
 * job_graph_check.c - whether a log's record can be one of a task: every value has to be
 * one that the algorithm can give.  Whether it is the right one is what --verify checks.
 */
#include "worker/graph/job_graph_record.h"
#include "worker/graph/job_graph_state.h"
#include "worker/graph/job_graph_tasks.h"

#include <math.h>
#include <string.h>

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

static const char *check_result(const job_graph_t *j, const graph_result_t *r,
                                const job_graph_effort_t *effort)
{
    const char *columns[GRAPH_MAX_COLUMNS];

    for (int c = 0; c < GRAPH_MAX_COLUMNS; c++)
        columns[c] = r->column[c];
    if (r->n_iterations < 0 || r->n_visited < 0 || !(r->seconds >= 0) ||
        !isfinite(r->seconds) || !(effort->copy_s >= 0) || !isfinite(effort->copy_s) ||
        !job_graph_check_lines(r->decisions.data, r->decisions.len))
        return "has counts or notes that no run makes";
    if (!arcs_fit(j, r))
        return "has arcs that are not those of a forest in the graph";
    return job_graph_check_values(j, columns, j->graph.n_nodes);
}

const char *job_graph_check_result(const job_graph_t *j, const buf_t *record)
{
    job_graph_effort_t effort;
    graph_result_t r;
    const char *why;
    status_t st;

    st = job_graph_record_unpack(j->info, j->graph.n_nodes, record->data, record->len, &r,
                                 &effort);
    if (st != ST_OK)
        return st == ST_ENOMEM ? "cannot be checked: there is not enough memory"
                               : "has not the length of its parts";
    why = check_result(j, &r, &effort);
    graph_result_free(&r);
    return why;
}
