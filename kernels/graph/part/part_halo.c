/*
 * part_halo.c - finds the nodes of other ranks that a rank needs, and exchanges their
 * values.
 */
#include "kernels/graph/part/part_halo.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* Mark the targets that other ranks hold, and list them in ascending order.
 * @param mark   [n_nodes + 1] zeroed; becomes the number of ghosts before each node
 * @param ghost  [ghosts] out, the caller's */
static status_t list_ghosts(const part_graph_t *p, const csr_rows_t *rows, int32_t *mark,
                            int32_t **ghost, int64_t *n_ghosts)
{
    int64_t n_arcs = rows->first[rows->end - rows->begin], n = 0;

    for (int64_t a = 0; a < n_arcs; a++)
        if (rows->to[a] < rows->begin || rows->to[a] >= rows->end)
            mark[rows->to[a]] = 1;
    for (int64_t u = 0; u < p->n_nodes; u++)
        n += mark[u];
    if ((*ghost = malloc((size_t)n * sizeof(**ghost) + 1)) == NULL)
        return log_nomem("nodes of other ranks");
    *n_ghosts = n;
    n = 0;
    for (int64_t u = 0; u < p->n_nodes; u++) {
        bool is_ghost = mark[u] != 0;

        if (is_ghost)
            (*ghost)[n] = (int32_t)u;
        mark[u] = (int32_t)n;
        n += is_ghost;
    }
    return ST_OK;
}

static void renumber(csr_rows_t *rows, const int32_t *ghosts_before)
{
    int64_t n_own = rows->end - rows->begin, n_arcs = rows->first[n_own];

    for (int64_t a = 0; a < n_arcs; a++) {
        int32_t v = rows->to[a];

        rows->to[a] = v >= rows->begin && v < rows->end
                          ? (int32_t)(v - rows->begin)
                          : (int32_t)(n_own + ghosts_before[v]);
    }
}

/* Send each holder the nodes that this rank needs of it. */
static status_t tell_holders(const part_graph_t *p, part_halo_t *h, part_comm_t *c,
                             const int32_t *ghost)
{
    int n = p->n_ranks;
    int64_t *need = h->send_bytes, *need_at = need + n, *asked = need + 2 * n,
            *asked_at = need + 3 * n, total;
    status_t st;

    for (int64_t i = 0; i < h->n_ghosts; i++)
        h->recv_n[part_graph_holder(p, ghost[i])]++;
    for (int r = 1; r < n; r++)
        h->recv_at[r] = h->recv_at[r - 1] + h->recv_n[r - 1];
    for (int r = 0; r < n; r++) {
        need[r] = h->recv_n[r] * (int64_t)sizeof(*ghost);
        need_at[r] = h->recv_at[r] * (int64_t)sizeof(*ghost);
    }
    if ((st = part_comm_lengths(c, need, asked, asked_at, &total)) != ST_OK)
        return st;
    h->n_sent = total / (int64_t)sizeof(*h->sent);
    h->sent = malloc((size_t)total + 1);
    h->packed = malloc((size_t)h->n_sent * sizeof(*h->packed) + 1);
    if (h->sent == NULL || h->packed == NULL)
        return log_nomem("nodes of other ranks");
    st = part_comm_exchange(c, ghost, need, need_at, h->sent, asked, asked_at);
    for (int64_t i = 0; i < h->n_sent; i++)
        h->sent[i] -= (int32_t)p->cut[p->rank];
    for (int r = 0; r < n; r++) {
        h->send_n[r] = asked[r] / (int64_t)sizeof(*h->sent);
        h->send_at[r] = asked_at[r] / (int64_t)sizeof(*h->sent);
    }
    for (int i = 0; i < 4 * n; i++)
        h->send_bytes[i] = h->counts[i] * (int64_t)sizeof(double);
    return st;
}

static status_t create_arrays(int n_ranks, part_halo_t *h)
{
    size_t n = (size_t)n_ranks;

    h->counts = calloc(4 * n, sizeof(*h->counts));
    h->send_bytes = calloc(4 * n, sizeof(*h->send_bytes));
    if (h->counts == NULL || h->send_bytes == NULL)
        return log_nomem("nodes of other ranks");
    h->send_n = h->counts;
    h->send_at = h->counts + n;
    h->recv_n = h->counts + 2 * n;
    h->recv_at = h->counts + 3 * n;
    h->send_bytes_at = h->send_bytes + n;
    h->recv_bytes = h->send_bytes + 2 * n;
    h->recv_bytes_at = h->send_bytes + 3 * n;
    return ST_OK;
}

status_t part_halo_create(const part_graph_t *p, csr_rows_t *rows, part_comm_t *c,
                          part_halo_t *out)
{
    part_halo_t h = {.n_own = rows->end - rows->begin};
    int32_t *ghosts_before = calloc((size_t)p->n_nodes + 1, sizeof(*ghosts_before));
    int32_t *ghost = NULL;
    status_t st = ghosts_before != NULL ? ST_OK : log_nomem("nodes of other ranks");

    if (st == ST_OK && (st = create_arrays(p->n_ranks, &h)) == ST_OK)
        st = list_ghosts(p, rows, ghosts_before, &ghost, &h.n_ghosts);
    if (st == ST_OK)
        st = tell_holders(p, &h, c, ghost);
    if (st == ST_OK)
        renumber(rows, ghosts_before);
    free(ghosts_before);
    free(ghost);
    if (st == ST_OK)
        *out = h;
    else
        part_halo_free(&h);
    return st;
}

status_t part_halo_exchange(part_halo_t *h, part_comm_t *c, double *values)
{
    for (int64_t i = 0; i < h->n_sent; i++)
        h->packed[i] = values[h->sent[i]];
    return part_comm_exchange(c, h->packed, h->send_bytes, h->send_bytes_at,
                              values + h->n_own, h->recv_bytes, h->recv_bytes_at);
}

void part_halo_free(part_halo_t *h)
{
    free(h->sent);
    free(h->counts);
    free(h->packed);
    free(h->send_bytes);
    *h = (part_halo_t){0};
}
