/*
 * csr_rows.c - takes rows from a stream of arcs, piece by piece.
 */
#include "io/graphfile/csr_rows.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is done with arcs begin .. end-1. */
typedef struct {
    void (*take)(void *ctx, int64_t begin, int64_t end, const int32_t *to);
    void *ctx;
} scan_t;

/* Read all arcs, and use begin .. end-1. */
static status_t scan(csr_arcs_t *arcs, const scan_t *s, int64_t begin, int64_t end)
{
    const int64_t n = arcs->n_arcs;
    status_t st = ST_OK;
    int64_t next;

    for (int64_t at = 0; st == ST_OK && at < n; at = next) {
        next = n - at > CSR_ARCS_PIECE ? at + CSR_ARCS_PIECE : n;
        const int64_t low = at > begin ? at : begin, high = next < end ? next : end;

        st = arcs->read(arcs, at, next, arcs->piece);
        if (st == ST_OK && low < high)
            s->take(s->ctx, low, high, arcs->piece + (low - at));
    }
    return st;
}

/* The other ranks read together with this one. @return st */
static status_t give_up(csr_arcs_t *arcs, status_t st)
{
    status_t read = scan(arcs, &(scan_t){NULL, NULL}, 0, 0);

    return read == ST_EPEER ? read : st;
}

/* Allocate rows with the numbers of arcs of `first`. */
static status_t create(const int64_t *first, int64_t begin, int64_t end, csr_rows_t *out)
{
    csr_rows_t rows = {.begin = begin, .end = end};
    int64_t n = first[end] - first[begin];

    rows.first = malloc((size_t)(end - begin + 1) * sizeof(*rows.first));
    rows.to = malloc((size_t)n * sizeof(*rows.to) + 1);
    if (rows.first == NULL || rows.to == NULL) {
        csr_rows_free(&rows);
        return log_nomem("rows of a graph");
    }
    for (int64_t u = begin; u <= end; u++)
        rows.first[u - begin] = first[u] - first[begin];
    *out = rows;
    return ST_OK;
}

typedef struct {
    int32_t *to;
    int64_t begin; /* the arc at to[0] */
} copy_t;

static void copy_arcs(void *ctx, int64_t begin, int64_t end, const int32_t *to)
{
    const copy_t *c = ctx;

    memcpy(c->to + (begin - c->begin), to, (size_t)(end - begin) * sizeof(*to));
}

static status_t check(const csr_arcs_t *arcs, const csr_rows_t *rows)
{
    int64_t before = arcs->first[rows->begin];

    for (int64_t i = 0; i < rows->end - rows->begin; i++)
        for (int64_t a = rows->first[i]; a < rows->first[i + 1]; a++)
            if (rows->to[a] < 0 || rows->to[a] >= arcs->n_nodes ||
                (a > rows->first[i] && rows->to[a] < rows->to[a - 1])) {
                log_error("%s: /to leads to a node that does not exist, or descends "
                          "within a node, at value %" PRId64
                          "; give a graph that `ribogrid graph make` wrote",
                          arcs->path, before + a + 1);
                return ST_EINPUT;
            }
    return ST_OK;
}

status_t csr_rows_take_out(csr_arcs_t *arcs, int64_t begin, int64_t end, csr_rows_t *out)
{
    csr_rows_t rows;
    copy_t copy;
    status_t st = create(arcs->first, begin, end, &rows);

    if (st != ST_OK)
        return give_up(arcs, st);
    copy = (copy_t){rows.to, arcs->first[begin]};
    st = scan(arcs, &(scan_t){copy_arcs, &copy}, arcs->first[begin], arcs->first[end]);
    if (st == ST_OK)
        st = check(arcs, &rows);
    if (st == ST_OK)
        *out = rows;
    else
        csr_rows_free(&rows);
    return st;
}

typedef struct {
    int64_t n_nodes;
    int64_t *n; /* [n_nodes] */
} count_t;

static void count_arcs(void *ctx, int64_t begin, int64_t end, const int32_t *to)
{
    const count_t *c = ctx;

    for (int64_t i = 0; i < end - begin; i++)
        if (to[i] >= 0 && to[i] < c->n_nodes)
            c->n[to[i]]++;
}

status_t csr_rows_count_in(csr_arcs_t *arcs, int64_t *in_first)
{
    count_t c = {arcs->n_nodes, in_first + 1};
    status_t st;

    memset(in_first, 0, (size_t)(arcs->n_nodes + 1) * sizeof(*in_first));
    st = scan(arcs, &(scan_t){count_arcs, &c}, 0, arcs->n_arcs);
    for (int64_t u = 0; u < arcs->n_nodes; u++)
        in_first[u + 1] += in_first[u];
    return st;
}

typedef struct {
    const int64_t *first; /* of the stream */
    csr_rows_t *rows;
    int64_t *at;    /* [rows] where the next arc of each row goes */
    int64_t source; /* of the last arc */
} reverse_t;

/* Sources ascend, so each row does. */
static void place_arcs(void *ctx, int64_t begin, int64_t end, const int32_t *to)
{
    reverse_t *r = ctx;
    int64_t u = r->source;

    for (int64_t a = begin; a < end; a++) {
        int64_t v = to[a - begin] - r->rows->begin;

        while (r->first[u + 1] <= a)
            u++;
        if (v >= 0 && v < r->rows->end - r->rows->begin)
            r->rows->to[r->at[v]++] = (int32_t)u;
    }
    r->source = u;
}

status_t csr_rows_take_in(csr_arcs_t *arcs, const int64_t *in_first, int64_t begin,
                          int64_t end, csr_rows_t *out)
{
    reverse_t r = {.first = arcs->first};
    csr_rows_t rows;
    status_t st = create(in_first, begin, end, &rows);

    if (st != ST_OK)
        return give_up(arcs, st);
    if ((r.at = malloc((size_t)(end - begin) * sizeof(*r.at) + 1)) == NULL) {
        csr_rows_free(&rows);
        return give_up(arcs, log_nomem("reversing a graph"));
    }
    memcpy(r.at, rows.first, (size_t)(end - begin) * sizeof(*r.at));
    r.rows = &rows;
    st = scan(arcs, &(scan_t){place_arcs, &r}, 0, arcs->n_arcs);
    free(r.at);
    if (st == ST_OK)
        *out = rows;
    else
        csr_rows_free(&rows);
    return st;
}

bool csr_rows_equal(const csr_rows_t *a, const csr_rows_t *b)
{
    size_t n = (size_t)(a->end - a->begin);

    return a->begin == b->begin && a->end == b->end &&
           memcmp(a->first, b->first, (n + 1) * sizeof(*a->first)) == 0 &&
           memcmp(a->to, b->to, (size_t)a->first[n] * sizeof(*a->to)) == 0;
}

void csr_rows_free(csr_rows_t *rows)
{
    free(rows->first);
    free(rows->to);
    *rows = (csr_rows_t){0};
}
