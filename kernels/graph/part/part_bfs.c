/*
 * part_bfs.c - breadth-first search on several ranks, one level per step.
 *
 * The level is a bitmap of each rank's nodes.  Pulling, the ranks gather the whole
 * bitmap, and each node not reached searches the arcs into it, which ascend, for a node
 * of the level: the first is the smallest.  Pushing, each rank goes through its nodes of
 * the level in ascending order, and offers them as parents; nodes of other ranks travel
 * as pairs of node and parent.  It pulls while the level has many arcs (Beamer et al.
 * 2012).  A level that is pushed has few of them, so one thread does it.
 */
#include "io/base/logmsg.h"
#include "kernels/graph/part/part_cpu_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* It pulls when the level has more arcs than one in PULL_ARCS of the arcs left, and of
 * the nodes, which all have to be looked at; and until it has less than one in PULL_NODES
 * of the nodes. */
enum { PULL_ARCS = 14, PULL_NODES = 24 };

/* What all ranks count of a level. */
typedef enum { COUNT_NODES, COUNT_ARCS, COUNT_N } count_t;

typedef struct {
    int32_t node, parent;
} offer_t;

typedef struct {
    offer_t *all;
    int64_t n, capacity;
} offers_t;

typedef struct {
    part_graph_t *p;
    const csr_rows_t *in;
    int32_t *depth, *parent; /* [own] the columns */
    uint64_t *level, *next;  /* bitmaps of this rank's nodes */
    uint64_t *all;           /* bitmap of the level, of all nodes */
    uint64_t *offered;       /* bitmap of the other ranks' nodes that were offered one */
    int64_t n[COUNT_N];      /* of the level */
    int64_t n_arcs_left;     /* out of nodes that are not reached yet */
    bool pulls;
    offers_t *for_rank; /* [n_ranks] */
    offers_t sent, received;
    int64_t *counts; /* [4][n_ranks] of an exchange */
    int32_t next_depth;
    int64_t n_visited;
} bfs_t;

static int64_t n_words(int64_t n_nodes)
{
    return (n_nodes + PART_WORD - 1) / PART_WORD;
}

static bool bit_of(const uint64_t *bits, int64_t i)
{
    return bits[i / PART_WORD] >> (i % PART_WORD) & 1;
}

static void set_bit(uint64_t *bits, int64_t i)
{
    bits[i / PART_WORD] |= UINT64_C(1) << (i % PART_WORD);
}

static status_t create(part_cpu_t *c)
{
    part_graph_t *p = c->context.graph;
    size_t own = (size_t)n_words(part_graph_n_own(p)) + 1;
    size_t all = (size_t)n_words(p->n_nodes) + 1, n_ranks = (size_t)p->n_ranks;
    bfs_t *s = c->own = calloc(1, sizeof(*s));

    if (s == NULL)
        return log_nomem("a breadth-first search");
    s->p = p;
    s->in = part_graph_in(p);
    s->depth = c->context.column[0];
    s->parent = c->context.column[1];
    s->level = calloc(own, sizeof(*s->level));
    s->next = calloc(own, sizeof(*s->next));
    s->all = calloc(all, sizeof(*s->all));
    s->offered = calloc(all, sizeof(*s->offered));
    s->for_rank = calloc(n_ranks, sizeof(*s->for_rank));
    s->counts = calloc(4 * n_ranks, sizeof(*s->counts));
    return s->level != NULL && s->next != NULL && s->all != NULL && s->offered != NULL &&
                   s->for_rank != NULL && s->counts != NULL
               ? ST_OK
               : log_nomem("a breadth-first search");
}

static int64_t degree(const bfs_t *s, int64_t i)
{
    return s->p->out.first[i + 1] - s->p->out.first[i];
}

/* Count the nodes of the bitmap `level` and their arcs, on all ranks. */
static status_t count_level(part_cpu_t *c)
{
    bfs_t *s = c->own;
    int64_t n_own = part_graph_n_own(s->p);
    status_t st;

    s->n[COUNT_NODES] = s->n[COUNT_ARCS] = 0;
    for (int64_t w = 0; w < n_words(n_own); w++) {
        for (uint64_t bits = s->level[w]; bits != 0; bits &= bits - 1) {
            s->n[COUNT_NODES]++;
            s->n[COUNT_ARCS] += degree(s, w * PART_WORD + __builtin_ctzll(bits));
        }
    }
    st = part_comm_add(&c->comm, s->n, COUNT_N);
    s->n_arcs_left -= s->n[COUNT_ARCS];
    return st;
}

static status_t begin(part_cpu_t *c, int64_t k)
{
    bfs_t *s = c->own;
    int64_t n_own = part_graph_n_own(s->p), n_reached = 0;
    int64_t source = c->context.source - s->p->cut[s->p->rank];
    status_t st;

    for (int64_t i = 0; k == 0 && i < n_own; i++) {
        s->depth[i] = i == source ? 0 : -1;
        s->parent[i] = i == source ? c->context.source : -1;
    }
    for (int64_t i = 0; i < n_own; i++) {
        if (s->depth[i] == k)
            set_bit(s->level, i);
        else if (s->depth[i] >= 0)
            n_reached += degree(s, i);
    }
    if ((st = part_comm_add(&c->comm, &n_reached, 1)) != ST_OK)
        return st;
    s->n_arcs_left = s->p->n_arcs - n_reached;
    return count_level(c);
}

/* Bring every rank's part of the level together. */
static status_t gather_level(part_cpu_t *c)
{
    bfs_t *s = c->own;
    int n = s->p->n_ranks;
    int64_t *len = s->counts, *at = len + n;

    for (int r = 0; r < n; r++) {
        at[r] = n_words(s->p->cut[r]) * (int64_t)sizeof(uint64_t);
        len[r] = n_words(s->p->cut[r + 1]) * (int64_t)sizeof(uint64_t) - at[r];
    }
    return part_comm_gather(&c->comm, s->level, len, s->all, at);
}

static void pull_block(void *ctx, int64_t begin, int64_t end)
{
    bfs_t *s = ctx;
    int64_t n_visited = 0;

    for (int64_t i = begin; i < end; i++) {
        int64_t a = s->in->first[i], stop = s->in->first[i + 1];

        if (s->depth[i] >= 0)
            continue;
        while (a < stop && !bit_of(s->all, s->in->to[a]))
            a++;
        n_visited += a - s->in->first[i] + (a < stop);
        if (a == stop)
            continue;
        s->depth[i] = s->next_depth;
        s->parent[i] = s->in->to[a];
        set_bit(s->next, i);
    }
    __atomic_fetch_add(&s->n_visited, n_visited, __ATOMIC_RELAXED);
}

/* Offer a parent to one of this rank's nodes. */
static void offer(bfs_t *s, int64_t i, int32_t parent)
{
    if (s->depth[i] < 0) {
        s->depth[i] = s->next_depth;
        s->parent[i] = parent;
        set_bit(s->next, i);
    } else if (s->depth[i] == s->next_depth && parent < s->parent[i]) {
        s->parent[i] = parent;
    }
}

static status_t reserve(offers_t *o, int64_t n)
{
    offer_t *larger;

    if (n <= o->capacity)
        return ST_OK;
    n = n > 2 * o->capacity ? n : 2 * o->capacity;
    larger = realloc(o->all, (size_t)n * sizeof(*larger));
    if (larger == NULL)
        return log_nomem("a breadth-first search");
    o->all = larger;
    o->capacity = n;
    return ST_OK;
}

/* The first offer to a node is that of the smallest parent here; later ones are left out.
 */
static status_t push_node(bfs_t *s, int64_t i)
{
    const csr_rows_t *out = &s->p->out;
    int32_t u = (int32_t)(out->begin + i);
    int rank = 0;

    s->n_visited += degree(s, i);
    for (int64_t a = out->first[i]; a < out->first[i + 1]; a++) {
        int32_t v = out->to[a];
        offers_t *o;
        status_t st;

        if (v >= out->begin && v < out->end) {
            offer(s, v - out->begin, u);
            continue;
        }
        if (bit_of(s->offered, v))
            continue;
        set_bit(s->offered, v);
        while (s->p->cut[rank + 1] <= v)
            rank++;
        o = &s->for_rank[rank];
        if ((st = reserve(o, o->n + 1)) != ST_OK)
            return st;
        o->all[o->n++] = (offer_t){v, u};
    }
    return ST_OK;
}

static status_t exchange_offers(part_cpu_t *c)
{
    bfs_t *s = c->own;
    int n = s->p->n_ranks;
    int64_t *send = s->counts, *send_at = send + n, *recv = send + 2 * n,
            *recv_at = send + 3 * n, total;
    status_t st;

    s->sent.n = 0;
    for (int r = 0; r < n; r++) {
        offers_t *o = &s->for_rank[r];

        if ((st = reserve(&s->sent, s->sent.n + o->n)) != ST_OK)
            return st;
        if (o->n > 0)
            memcpy(s->sent.all + s->sent.n, o->all, (size_t)o->n * sizeof(*o->all));
        send_at[r] = s->sent.n * (int64_t)sizeof(offer_t);
        send[r] = o->n * (int64_t)sizeof(offer_t);
        s->sent.n += o->n;
        o->n = 0;
    }
    if ((st = part_comm_lengths(&c->comm, send, recv, recv_at, &total)) != ST_OK)
        return st;
    s->received.n = total / (int64_t)sizeof(offer_t);
    if ((st = reserve(&s->received, s->received.n)) != ST_OK)
        return st;
    st = part_comm_exchange(&c->comm, s->sent.all, send, send_at, s->received.all, recv,
                            recv_at);
    for (int64_t k = 0; st == ST_OK && k < s->received.n; k++)
        offer(s, s->received.all[k].node - s->p->out.begin, s->received.all[k].parent);
    return st;
}

static status_t push(part_cpu_t *c)
{
    bfs_t *s = c->own;
    status_t st = ST_OK;

    for (int64_t w = 0; w < n_words(part_graph_n_own(s->p)); w++)
        for (uint64_t bits = s->level[w]; st == ST_OK && bits != 0; bits &= bits - 1)
            st = push_node(s, w * PART_WORD + __builtin_ctzll(bits));
    return st == ST_OK && s->p->n_ranks > 1 ? exchange_offers(c) : st;
}

static bool choose_pull(const bfs_t *s)
{
    if (s->pulls)
        return s->n[COUNT_NODES] >= s->p->n_nodes / PULL_NODES;
    return s->n[COUNT_ARCS] > s->n_arcs_left / PULL_ARCS &&
           s->n[COUNT_ARCS] > s->p->n_nodes / PULL_ARCS;
}

static status_t step(part_cpu_t *c, int64_t k, part_step_report_t *out)
{
    bfs_t *s = c->own;
    bool pulled = s->pulls;
    uint64_t *level = s->level;
    status_t st;

    s->pulls = choose_pull(s);
    if (k == 0 || s->pulls != pulled)
        snprintf(out->decision, sizeof(out->decision),
                 "level %" PRId64 ": %s, from %" PRId64 " nodes", k + 1,
                 s->pulls ? "pull" : "push", s->n[COUNT_NODES]);
    s->next_depth = (int32_t)(k + 1);
    s->n_visited = 0;
    memset(s->next, 0, (size_t)n_words(part_graph_n_own(s->p)) * sizeof(*s->next));
    if ((st = s->pulls ? gather_level(c) : push(c)) != ST_OK)
        return st;
    if (s->pulls)
        part_cpu_for(c, pull_block, s);
    s->level = s->next;
    s->next = level;
    st = count_level(c);
    out->is_over = s->n[COUNT_NODES] == 0;
    out->n_visited = s->n_visited;
    return st;
}

static void destroy(part_cpu_t *c)
{
    bfs_t *s = c->own;

    if (s == NULL)
        return;
    for (int r = 0; s->for_rank != NULL && r < s->p->n_ranks; r++)
        free(s->for_rank[r].all);
    free(s->for_rank);
    free(s->sent.all);
    free(s->received.all);
    free(s->level);
    free(s->next);
    free(s->all);
    free(s->offered);
    free(s->counts);
    free(s);
}

const part_cpu_algorithm_t part_cpu_bfs = {create, begin, step, destroy};
