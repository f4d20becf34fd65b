/*
 * row_packets.c - cuts rows twice, to count and to fill the arrays; and the columns that
 * most arcs lead to.
 */
#include "kernels/graph/common/row_packets.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    row_packets_t *to; /* without arrays: only its counts are set */
    row_packet_t last;
    int32_t next_target; /* if the last packet stays plain */
} packing_t;

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Append the arcs first .. first + n_arcs - 1, at most those of a packet. */
static void add_piece(packing_t *p, uint32_t first, uint32_t n_arcs, int32_t target)
{
    const uint32_t n_quads = (n_arcs + QUAD_ARCS - 1) / QUAD_ARCS;
    row_packets_t *to = p->to;
    row_packet_t *last = &p->last;

    if (to->n_packets == 0 || last->n_quads + n_quads > PACKET_QUADS) {
        *last = (row_packet_t){to->n_quads, 0, (uint32_t)to->n_pieces, 0, target >= 0};
        p->next_target = target;
        to->n_packets++;
    }
    last->is_plain = last->is_plain && target == p->next_target;
    p->next_target = target + 1;
    last->heads |= 1u << last->n_quads;
    last->n_quads = (uint16_t)(last->n_quads + n_quads);
    to->n_quads += n_quads;
    if (to->packet != NULL) {
        to->packet[to->n_packets - 1] = *last;
        to->piece_first[to->n_pieces] = first;
        to->target[to->n_pieces] = target;
    }
    to->n_pieces++;
}

static void pack_rows(const csr_t *g, row_packets_t *to)
{
    packing_t p = {.to = to};

    to->n_packets = to->n_pieces = 0;
    to->n_quads = 0;
    to->n_cut = to->n_sums = 0;
    for (int32_t u = 0; u < g->n_nodes; u++) {
        const uint32_t end = (uint32_t)g->first[u + 1];
        const bool is_cut = csr_degree(g, u) > PACKET_ARCS;

        if (is_cut && to->packet != NULL) {
            to->cut_node[to->n_cut] = u;
            to->cut_sum[to->n_cut] = to->n_sums;
        }
        to->n_cut += is_cut;
        for (uint32_t a = (uint32_t)g->first[u], n; a < end; a += n) {
            n = min_u32(end - a, PACKET_ARCS);
            add_piece(&p, a, n, is_cut ? -1 - to->n_sums++ : u);
        }
    }
    if (to->packet == NULL)
        return;
    to->piece_first[to->n_pieces] = (uint32_t)g->n_arcs;
    to->cut_sum[to->n_cut] = to->n_sums;
}

status_t row_packets_create(const csr_t *g, row_packets_t *out)
{
    *out = (row_packets_t){0};
    pack_rows(g, out);
    out->packet = calloc((size_t)out->n_packets + 1, sizeof(*out->packet));
    out->piece_first = malloc(((size_t)out->n_pieces + 1) * sizeof(*out->piece_first));
    out->target = malloc(((size_t)out->n_pieces + 1) * sizeof(*out->target));
    out->cut_node = malloc(((size_t)out->n_cut + 1) * sizeof(*out->cut_node));
    out->cut_sum = malloc(((size_t)out->n_cut + 1) * sizeof(*out->cut_sum));
    if (out->packet == NULL || out->piece_first == NULL || out->target == NULL ||
        out->cut_node == NULL || out->cut_sum == NULL) {
        row_packets_free(out);
        return log_nomem("packets of a matrix");
    }
    pack_rows(g, out);
    return ST_OK;
}

void row_packets_free(row_packets_t *p)
{
    free(p->packet);
    free(p->piece_first);
    free(p->target);
    free(p->cut_node);
    free(p->cut_sum);
    memset(p, 0, sizeof(*p));
}

/* ---- counts columns by their arcs, from the most arcs down ---- */

/* @return the arcs that a hot column has at least */
static uint32_t least_arcs(const uint32_t *n_arcs, int64_t n_nodes, uint32_t most,
                           int32_t max, int32_t *n_with)
{
    int64_t n = 0;
    uint32_t least = most;

    for (int64_t u = 0; u < n_nodes; u++)
        n_with[n_arcs[u]]++;
    for (; least > 0 && n + n_with[least] <= max; least--)
        n += n_with[least];
    return least + 1;
}

static void choose(const uint32_t *n_arcs, int64_t n_nodes, uint32_t least,
                   hot_columns_t *out)
{
    for (int32_t u = 0; u < n_nodes; u++) {
        out->number[u] = u;
        if (n_arcs[u] < least)
            continue;
        out->number[u] = (int32_t)n_nodes + out->n;
        out->node[out->n++] = u;
        out->n_arcs += n_arcs[u];
    }
}

/* @param n_arcs  [n_nodes] all 0 */
static status_t find(const csr_t *g, int32_t max, uint32_t *n_arcs, hot_columns_t *out)
{
    uint32_t most = 0;
    int32_t *n_with;

    for (int64_t a = 0; a < g->n_arcs; a++) {
        const uint32_t n = ++n_arcs[g->to[a]];

        most = n > most ? n : most;
    }
    n_with = calloc((size_t)most + 1, sizeof(*n_with));
    if (n_with == NULL)
        return log_nomem("columns of a matrix");
    choose(n_arcs, g->n_nodes, least_arcs(n_arcs, g->n_nodes, most, max, n_with), out);
    free(n_with);
    return ST_OK;
}

status_t hot_columns_create(const csr_t *g, int32_t max, hot_columns_t *out)
{
    const size_t n_nodes = (size_t)g->n_nodes;
    uint32_t *n_arcs = calloc(n_nodes + 1, sizeof(*n_arcs));
    status_t st;

    *out = (hot_columns_t){0};
    out->node = malloc(((size_t)max + 1) * sizeof(*out->node));
    out->number = malloc((n_nodes + 1) * sizeof(*out->number));
    if (n_arcs == NULL || out->node == NULL || out->number == NULL)
        st = log_nomem("columns of a matrix");
    else
        st = find(g, max, n_arcs, out);
    free(n_arcs);
    if (st != ST_OK)
        hot_columns_free(out);
    return st;
}

void hot_columns_free(hot_columns_t *h)
{
    free(h->node);
    free(h->number);
    memset(h, 0, sizeof(*h));
}
