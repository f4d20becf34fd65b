/*
 * cpu_search.c - levels that push from a queue, and levels that pull into a bitmap.
 */
#include "kernels/graph/cpu/cpu_state.h"

#include <stdatomic.h>
#include <string.h>

/* PULL_BELOW, PUSH_BELOW: alpha and beta of the paper, as in the GAP benchmark.  A level
 * is pulled when its nodes have more than 1/15 of the arcs of missing nodes, until it has
 * fewer than 1/18 of all nodes. */
enum {
    WORD = 64,
    PULL_BELOW = 15,
    PUSH_BELOW = 18,
    QUEUE_GRAIN = 64,
    NODE_GRAIN = 64 * WORD,
    LOCAL = 512 /* found nodes that a thread keeps before it writes them */
};

typedef struct {
    const csr_t *g, *in;
    cpu_search_memory_t m;
    _Atomic int32_t *depth;
    _Atomic uint32_t *parent; /* or NULL */
    int32_t level;            /* of the nodes that are searched now */
    int64_t n_front;
    atomic_llong n_next, arcs_next, n_visited;
} search_t;

typedef struct {
    int n;
    int32_t nodes[LOCAL];
} found_t;

static void write_found(search_t *s, found_t *found)
{
    int64_t at = atomic_fetch_add_explicit(&s->n_next, found->n, memory_order_relaxed);

    memcpy(s->m.next_queue + at, found->nodes, (size_t)found->n * sizeof(int32_t));
    found->n = 0;
}

static inline void find(search_t *s, found_t *found, int32_t v)
{
    found->nodes[found->n++] = v;
    if (found->n == LOCAL)
        write_found(s, found);
}

static inline void lower_parent(_Atomic uint32_t *parent, uint32_t u)
{
    uint32_t old = atomic_load_explicit(parent, memory_order_relaxed);

    while (u < old &&
           !atomic_compare_exchange_weak_explicit(parent, &old, u, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

static void push(void *ctx, int64_t begin, int64_t end, int thread)
{
    search_t *s = ctx;
    found_t found = {.n = 0};
    int64_t arcs_next = 0, n_visited = 0;

    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int32_t u = s->m.queue[k];

        n_visited += csr_degree(s->g, u);
        for (int64_t a = s->g->first[u]; a < s->g->first[u + 1]; a++) {
            int32_t v = s->g->to[a];
            int32_t depth = atomic_load_explicit(&s->depth[v], memory_order_relaxed);

            if (depth < 0) {
                if (atomic_compare_exchange_strong_explicit(&s->depth[v], &depth,
                                                            s->level,
                                                            memory_order_relaxed,
                                                            memory_order_relaxed)) {
                    depth = s->level;
                    find(s, &found, v);
                    arcs_next += csr_degree(s->g, v);
                }
            }
            if (depth == s->level && s->parent != NULL)
                lower_parent(&s->parent[v], (uint32_t)u);
        }
    }
    write_found(s, &found);
    atomic_fetch_add_explicit(&s->arcs_next, arcs_next, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->n_visited, n_visited, memory_order_relaxed);
}

static inline bool is_in(const uint64_t *bitmap, int32_t u)
{
    return bitmap[u / WORD] >> (u % WORD) & 1;
}

/* @return whether node v has a neighbor in the last level */
static inline bool pull_node(search_t *s, int32_t v, int64_t *n_visited)
{
    const int64_t first = s->in->first[v], end = s->in->first[v + 1];

    for (int64_t a = first; a < end; a++)
        if (is_in(s->m.front, s->in->to[a])) {
            atomic_store_explicit(&s->depth[v], s->level, memory_order_relaxed);
            if (s->parent != NULL)
                atomic_store_explicit(&s->parent[v], (uint32_t)s->in->to[a],
                                      memory_order_relaxed);
            *n_visited += a + 1 - first;
            return true;
        }
    *n_visited += end - first;
    return false;
}

static void pull(void *ctx, int64_t begin, int64_t end, int thread)
{
    search_t *s = ctx;
    int64_t n_next = 0, n_visited = 0;

    (void)thread;
    for (int64_t w = begin / WORD; w < (end + WORD - 1) / WORD; w++) {
        uint64_t found = 0;

        for (uint64_t left = s->m.missing[w]; left != 0; left &= left - 1) {
            int bit = __builtin_ctzll(left);

            if (pull_node(s, (int32_t)(w * WORD + bit), &n_visited))
                found |= UINT64_C(1) << bit;
        }
        s->m.next_front[w] = found;
        s->m.missing[w] &= ~found;
        n_next += __builtin_popcountll(found);
    }
    atomic_fetch_add_explicit(&s->n_next, n_next, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->n_visited, n_visited, memory_order_relaxed);
}

/* Make the bitmaps of the last level, and of missing nodes that have arcs in. */
static void make_bitmaps(void *ctx, int64_t begin, int64_t end, int thread)
{
    search_t *s = ctx;

    (void)thread;
    for (int64_t w = begin / WORD; w < (end + WORD - 1) / WORD; w++) {
        uint64_t front = 0, missing = 0;

        for (int64_t u = w * WORD; u < end && u < (w + 1) * WORD; u++) {
            int32_t depth = atomic_load_explicit(&s->depth[u], memory_order_relaxed);

            front |= (uint64_t)(depth == s->level - 1) << (u % WORD);
            missing |= (uint64_t)(depth < 0 && csr_degree(s->in, (int32_t)u) > 0)
                       << (u % WORD);
        }
        s->m.front[w] = front;
        s->m.missing[w] = missing;
    }
}

/* Write the nodes of the bitmap next_front to next_queue. */
static void make_queue(void *ctx, int64_t begin, int64_t end, int thread)
{
    search_t *s = ctx;
    found_t found = {.n = 0};
    int64_t arcs_next = 0;

    (void)thread;
    for (int64_t w = begin / WORD; w < (end + WORD - 1) / WORD; w++)
        for (uint64_t left = s->m.next_front[w]; left != 0; left &= left - 1) {
            int32_t v = (int32_t)(w * WORD + __builtin_ctzll(left));

            find(s, &found, v);
            arcs_next += csr_degree(s->g, v);
        }
    write_found(s, &found);
    atomic_fetch_add_explicit(&s->arcs_next, arcs_next, memory_order_relaxed);
}

/* Pull levels until they are small, and leave the last one in next_queue. */
static void pull_levels(search_t *s, pool_t *pool)
{
    int64_t n = s->g->n_nodes, n_before;

    cpu_for(pool, n, NODE_GRAIN, make_bitmaps, s);
    for (;;) {
        uint64_t *front = s->m.front;

        n_before = s->n_front;
        atomic_store(&s->n_next, 0);
        cpu_for(pool, n, NODE_GRAIN, pull, s);
        s->n_front = atomic_load(&s->n_next);
        if (s->n_front < n_before && s->n_front <= n / PUSH_BELOW)
            break;
        s->m.front = s->m.next_front;
        s->m.next_front = front;
        s->level++;
    }
    atomic_store(&s->n_next, 0);
    atomic_store(&s->arcs_next, 0);
    cpu_for(pool, n, NODE_GRAIN, make_queue, s);
}

static status_t note(cpu_search_stats_t *stats, const search_t *s, const char *direction)
{
    return stats->decisions != NULL
               ? buf_printf(stats->decisions, "level %d: %s, from %lld nodes\n", s->level,
                            direction, (long long)s->n_front)
               : ST_OK;
}

/* Find all levels below the source, which is in the queue. */
static status_t run_levels(search_t *s, pool_t *pool, cpu_search_stats_t *stats)
{
    int64_t arcs_left = s->g->n_arcs, arcs_front = csr_degree(s->g, s->m.queue[0]);
    status_t st = note(stats, s, "push");

    while (st == ST_OK && s->n_front > 0) {
        int32_t *queue = s->m.queue;

        if (arcs_front > arcs_left / PULL_BELOW) {
            st = note(stats, s, "pull");
            pull_levels(s, pool);
            if (st == ST_OK && s->n_front > 0) {
                s->level++;
                st = note(stats, s, "push");
                s->level--;
            }
            arcs_left = s->g->n_arcs; /* most of its levels are behind */
        } else {
            arcs_left -= arcs_front;
            atomic_store(&s->n_next, 0);
            atomic_store(&s->arcs_next, 0);
            cpu_for(pool, s->n_front, QUEUE_GRAIN, push, s);
        }
        s->m.queue = s->m.next_queue;
        s->m.next_queue = queue;
        s->n_front = atomic_load(&s->n_next);
        arcs_front = atomic_load(&s->arcs_next);
        s->level++;
    }
    return st;
}

status_t cpu_search(const cpu_t *c, pool_t *pool, int32_t source,
                    const cpu_search_memory_t *memory, int32_t *depth, int32_t *parent,
                    cpu_search_stats_t *stats)
{
    int64_t n = c->graph->n_nodes;
    search_t s = {.g = c->graph,
                  .in = c->in,
                  .m = *memory,
                  .depth = (_Atomic int32_t *)depth,
                  .parent = (_Atomic uint32_t *)parent,
                  .level = 1,
                  .n_front = 1};
    status_t st;

    memset(depth, -1, (size_t)n * sizeof(*depth));
    depth[source] = 0;
    if (parent != NULL) {
        memset(parent, -1, (size_t)n * sizeof(*parent));
        parent[source] = source;
    }
    s.m.queue[0] = source;
    st = run_levels(&s, pool, stats);
    stats->n_levels = s.level - 1;
    stats->n_visited = atomic_load(&s.n_visited);
    return st;
}

status_t cpu_bfs(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    int64_t n = c->graph->n_nodes, n_words = n / 64 + 1;
    const cpu_search_memory_t memory = {cpu_array(c, 0, n, sizeof(int32_t)),
                                        cpu_array(c, 1, n, sizeof(int32_t)),
                                        cpu_array(c, 2, n_words, sizeof(uint64_t)),
                                        cpu_array(c, 3, n_words, sizeof(uint64_t)),
                                        cpu_array(c, 4, n_words, sizeof(uint64_t))};
    cpu_search_stats_t stats = {.decisions = &out->decisions};
    status_t st;

    if (memory.queue == NULL || memory.next_queue == NULL || memory.front == NULL ||
        memory.next_front == NULL || memory.missing == NULL)
        return ST_ENOMEM;
    st = cpu_search(c, c->pool, task->sources[0], &memory, out->column[0], out->column[1],
                    &stats);
    out->n_iterations = stats.n_levels;
    out->n_visited = stats.n_visited;
    return st;
}
