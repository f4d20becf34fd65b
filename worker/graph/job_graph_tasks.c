/*
 * job_graph_tasks.c - the tasks of the job "graph".
 */
#include "worker/graph/job_graph_state.h"

#include "io/base/logmsg.h"
#include "worker/graph/graph_blocks.h"

#include <inttypes.h>
#include <string.h>

int64_t job_graph_n_tasks(const job_graph_t *j)
{
    if (j->is_divided)
        return part_graph_n_blocks(j->part.n_nodes);
    if (!j->info->has_sources)
        return j->graph.n_nodes > 0 ? 1 + j->leaves.n_samples : 0;
    return j->info->is_summed ? graph_block_count(j->n_sources) : j->n_sources;
}

graph_task_t job_graph_task(const job_graph_t *j, int64_t task)
{
    const int64_t n = job_graph_n_tasks(j);

    if (j->is_divided)
        return (graph_task_t){j->sources, j->n_sources, 0};
    if (!j->info->has_sources || n == 0)
        return (graph_task_t){NULL, 0, task};
    return graph_block_at(j->sources, j->n_sources, task, n);
}

const char *job_graph_task_word(const job_graph_t *j)
{
    if (j->is_divided)
        return "blocks";
    if (!j->info->has_sources)
        return "tasks";
    return j->info->is_summed ? "blocks" : "sources";
}

static status_t append_name(const job_graph_t *j, int64_t task, buf_t *out)
{
    if (!j->info->has_sources)
        return buf_printf(out, "%s: ", j->info->name);
    if (j->info->is_summed)
        return buf_printf(out, "block %" PRId64 ": ", task);
    return buf_printf(out, "source %" PRId64 ": ", j->graph.id[j->sources[task]]);
}

status_t job_graph_note_decisions(const job_graph_t *j, int64_t task, const buf_t *text,
                                  buf_t *out)
{
    const char *at = text->len > 0 ? (const char *)text->data : "";
    const char *end = at + text->len;
    status_t st = ST_OK;

    while (st == ST_OK && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((stop != NULL ? stop : end) - at);

        if ((st = append_name(j, task, out)) == ST_OK)
            st = buf_append(out, at, len);
        if (st == ST_OK)
            st = buf_append(out, "\n", 1);
        at += len + 1;
    }
    return st;
}

status_t job_graph_log_decisions(const job_graph_t *j, int64_t task,
                                 const buf_t *decisions)
{
    buf_t text = {0};
    status_t st;

    if (log_level() < LOG_VERBOSE || decisions->len == 0)
        return ST_OK;
    st = job_graph_note_decisions(j, task, decisions, &text);
    if (st == ST_OK)
        st = buf_append(&text, "", 1);
    if (st == ST_OK) {
        char *rest = (char *)text.data, *line;

        while ((line = strsep(&rest, "\n")) != NULL && *line != '\0')
            log_verbose("%s", line);
    }
    buf_free(&text);
    return st;
}

int64_t job_graph_block_arcs(const job_graph_t *j, int64_t task)
{
    int64_t n = job_graph_n_tasks(j), each = j->graph.n_arcs / n;

    return each + (task < j->graph.n_arcs % n);
}

int64_t job_graph_cost(const job_t *job, int64_t task)
{
    const job_graph_t *j = (const job_graph_t *)job;
    graph_task_t t = job_graph_task(j, task);
    const int64_t once = j->graph.n_arcs + j->graph.n_nodes;

    if (j->is_divided)
        return job_graph_block_arcs(j, task);
    if (j->opts->algorithm == GRAPH_PAGERANK)
        return j->opts->max_iterations * once;
    return t.n_sources > 1 ? t.n_sources * once : once;
}
