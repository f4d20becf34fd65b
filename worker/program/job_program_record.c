/*
 * job_program_record.c - the record of the job "graph run".
 *
 * Its head; of a graph that the program has changed ids, rows, targets and weights; the
 * columns, in the order of their declarations.
 */
#include "worker/program/job_program_state.h"

#include <math.h>
#include <string.h>

enum { WEIGHTS_NONE, WEIGHTS_INT, WEIGHTS_REAL, WEIGHTS_N_KINDS };

/* ---- packing ---- */

static status_t pack_graph(const csr_t *g, buf_t *out)
{
    const size_t n = (size_t)g->n_nodes, m = (size_t)g->n_arcs;
    status_t st = buf_append(out, g->id, n * sizeof(*g->id));

    if (st == ST_OK)
        st = buf_append(out, g->first, (n + 1) * sizeof(*g->first));
    if (st == ST_OK && g->value != NULL)
        st = buf_append(out, g->value, m * sizeof(*g->value));
    if (st == ST_OK)
        st = buf_append(out, g->to, m * sizeof(*g->to));
    if (st == ST_OK && g->weight != NULL)
        st = buf_append(out, g->weight, m * sizeof(*g->weight));
    return st;
}

status_t job_program_pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    const job_program_t *j = (const job_program_t *)job;
    const job_program_found_t *found = job_result(job, place, k);
    const rg_result_t *r = &found->result;
    const csr_t *g = job_program_graph_of(j, r);
    const job_program_head_t head = {
        .has_failed = found->has_failed,
        .n_iterations = r->n_iterations,
        .n_visited = r->n_visited,
        .seconds = r->seconds,
        .copy_s = r->copy_s,
        .compile_s = j->compile_s,
        .is_on_gpu = j->gpu != NULL,
        .is_changed = g != &j->graph,
        .n_nodes = g->n_nodes,
        .n_arcs = g->n_arcs,
        .weights = g->value != NULL    ? WEIGHTS_REAL
                   : g->weight != NULL ? WEIGHTS_INT
                                       : WEIGHTS_NONE,
    };
    status_t st = buf_append(out, &head, sizeof(head));

    (void)thread;
    if (st == ST_OK && head.is_changed)
        st = pack_graph(g, out);
    for (int c = 0; st == ST_OK && c < r->n_columns; c++)
        st = buf_append(out, r->column[c].values,
                        (size_t)g->n_nodes * rg_value_bytes(r->column[c].symbol->type));
    return st;
}

/* ---- opening ---- */

/* What is left of a record. */
typedef struct {
    uint8_t *at;
    size_t bytes;
    bool is_short; /* something was not there */
} rest_t;

/* @return the next n values, or NULL: there are not as many */
static void *take(rest_t *rest, int64_t n, size_t value_bytes)
{
    uint8_t *values = rest->at;

    if (rest->is_short || (size_t)n > rest->bytes / value_bytes) {
        rest->is_short = true;
        return NULL;
    }
    rest->at += (size_t)n * value_bytes;
    rest->bytes -= (size_t)n * value_bytes;
    return values;
}

/* No value of a graph lies across its alignment. */
static void take_graph(rest_t *rest, const job_program_head_t *head, csr_t *g)
{
    const int64_t n = head->n_nodes, m = head->n_arcs;

    *g = (csr_t){.n_nodes = n, .n_arcs = m};
    g->id = take(rest, n, sizeof(*g->id));
    g->first = take(rest, n + 1, sizeof(*g->first));
    if (head->weights == WEIGHTS_REAL)
        g->value = take(rest, m, sizeof(*g->value));
    g->to = take(rest, m, sizeof(*g->to));
    if (head->weights == WEIGHTS_INT)
        g->weight = take(rest, m, sizeof(*g->weight));
}

/* @return whether the row of a node is possible */
static bool is_row(const csr_t *g, int64_t u)
{
    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
        if (g->to[a] < 0 || g->to[a] >= g->n_nodes ||
            (a > g->first[u] && g->to[a] < g->to[a - 1]) ||
            (g->weight != NULL && g->weight[a] < 0) ||
            (g->value != NULL && !isfinite(g->value[a])))
            return false;
    return true;
}

static bool is_graph(const csr_t *g)
{
    if (!arrays_divide(g->first, g->n_nodes, g->n_arcs))
        return false;
    for (int64_t u = 0; u < g->n_nodes; u++)
        if ((u > 0 && g->id[u] <= g->id[u - 1]) || !is_row(g, u))
            return false;
    return true;
}

/* @return whether all values are possible */
static bool are_values(rg_type_t type, const uint8_t *values, int64_t n_nodes)
{
    for (int64_t u = 0; u < n_nodes; u++) {
        int32_t node = 0;
        double real = 0;

        if (type == RG_BOOL && values[u] > 1)
            return false;
        if (type == RG_NODE)
            memcpy(&node, values + u * (int64_t)sizeof(node), sizeof(node));
        else if (type == RG_REAL)
            memcpy(&real, values + u * (int64_t)sizeof(real), sizeof(real));
        if (node < -1 || node >= n_nodes || !isfinite(real))
            return false;
    }
    return true;
}

static bool is_head(const job_program_t *j, const job_program_head_t *h)
{
    return !h->has_failed && h->n_iterations >= 0 && h->n_visited >= 0 &&
           h->seconds >= 0 && isfinite(h->seconds) && h->copy_s >= 0 &&
           isfinite(h->copy_s) && h->compile_s >= 0 && isfinite(h->compile_s) &&
           (h->is_on_gpu == 0 || h->is_on_gpu == 1) &&
           (!h->is_changed || j->program.used[RG_CHANGES].line != 0) && h->n_nodes >= 0 &&
           h->n_nodes <= INT32_MAX && h->n_arcs >= 0 && h->weights >= 0 &&
           h->weights < WEIGHTS_N_KINDS;
}

const rg_symbol_t *job_program_output_from(const rg_symbol_t *s)
{
    while (s != NULL && !s->is_output)
        s = s->next;
    return s;
}

const char *job_program_open_record(const job_program_t *j, const buf_t *record,
                                    job_program_record_t *out)
{
    rest_t rest = {record->data, record->len, false};
    const void *head = take(&rest, 1, sizeof(out->head));
    const rg_symbol_t *s = j->program.symbols;
    bool are_possible = true;

    if (head == NULL)
        return "has not the length of its columns";
    memcpy(&out->head, head, sizeof(out->head));
    if (!is_head(j, &out->head))
        return "has counts that no run makes";
    out->graph = j->graph;
    if (out->head.is_changed)
        take_graph(&rest, &out->head, &out->graph);
    out->values = rest.at;
    for (; (s = job_program_output_from(s)) != NULL && are_possible; s = s->next) {
        const int64_t n = out->graph.n_nodes;
        const uint8_t *values = take(&rest, n, rg_value_bytes(s->type));

        are_possible = values == NULL || are_values(s->type, values, n);
    }
    if (!are_possible)
        return "has values that no program can give";
    if (rest.is_short || rest.bytes > 0)
        return "has not the length of its columns";
    if (out->head.is_changed && !is_graph(&out->graph))
        return "has a graph that is none";
    return NULL;
}

const char *job_program_check_record(job_t *job, int64_t task, int64_t version,
                                     const buf_t *record)
{
    job_program_record_t opened;

    (void)task;
    (void)version;
    return job_program_open_record((const job_program_t *)job, record, &opened);
}

/* To run it again would fail again. */
status_t job_program_note_result(job_t *job, int64_t task, int64_t version,
                                 const void *data, size_t len)
{
    job_program_head_t head;

    (void)job;
    (void)task;
    (void)version;
    if (len < sizeof(head))
        return ST_EINPUT;
    memcpy(&head, data, sizeof(head));
    return head.has_failed ? ST_EINPUT : ST_OK;
}
