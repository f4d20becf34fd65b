/*
 * job_graph_record.c - packs results and reads them again.
 */
#include "worker/graph/job_graph_record.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t n_arcs, n_iterations, n_visited;
    double seconds, copy_s;
} head_t;

status_t job_graph_record_pack(const graph_info_t *info, int64_t n_nodes,
                               const graph_result_t *r, const job_graph_effort_t *effort,
                               buf_t *out)
{
    head_t head = {r->n_arcs, r->n_iterations, r->n_visited, r->seconds, effort->copy_s};
    status_t st = buf_append(out, &head, sizeof(head));

    for (int i = 0; st == ST_OK && i < info->n_columns; i++)
        st =
            buf_append(out, r->column[i],
                       (size_t)n_nodes * (size_t)graph_type_bytes(info->columns[i].type));
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
                                 const void *data, size_t len, graph_result_t *out,
                                 job_graph_effort_t *effort)
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
    for (int i = 0; st == ST_OK && i < info->n_columns; i++)
        if (!take(&rest, r.column[i],
                  (size_t)n_nodes * (size_t)graph_type_bytes(info->columns[i].type)))
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
