/*
 * node_numbers.c - ids that are declared are counted off; others are collected in a
 * bitmap, or sorted if they are too sparse for one.
 */
#include "io/graphfile/csr_build.h"

#include "io/base/logmsg.h"
#include "io/graphfile/radix_sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 /* edges */, WORD_BITS = 64, SPARE_WORDS = 1 << 16 };

/* The ids that occur, as a bitmap of first_id + 0, 1, ... or as a sorted list. */
typedef struct {
    const graph_edges_t *edges;
    node_numbers_t *numbers;
    int64_t first_id;
    int64_t n_words;
    uint64_t *word;  /* [n_words] */
    int64_t *before; /* [n_words] ids in the words before */
} id_map_t;

static int64_t n_pieces(const graph_edges_t *edges)
{
    return (edges->n + PIECE - 1) / PIECE;
}

static void end_of_piece(const id_map_t *m, int64_t piece, int64_t *begin, int64_t *end)
{
    *begin = piece * PIECE;
    *end = *begin + PIECE < m->edges->n ? *begin + PIECE : m->edges->n;
}

static void mark(id_map_t *m, int64_t id)
{
    uint64_t offset = (uint64_t)(id - m->first_id);
    uint64_t bit = UINT64_C(1) << offset % WORD_BITS;
    uint64_t *word = &m->word[offset / WORD_BITS];

    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bit) == 0)
        __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
}

static void mark_piece(void *ctx, int64_t piece, int thread)
{
    id_map_t *m = ctx;
    int64_t begin, end;

    (void)thread;
    end_of_piece(m, piece, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        mark(m, m->edges->source[i]);
        mark(m, m->edges->target[i]);
    }
}

static int32_t look_up(const id_map_t *m, int64_t id)
{
    const int64_t *sorted = m->numbers->id;
    uint64_t offset = (uint64_t)(id - m->first_id);
    int64_t low = 0, high = m->numbers->n_nodes - 1;

    if (m->edges->n_declared >= 0 && m->edges->id == NULL)
        return (int32_t)offset;
    if (m->word != NULL) {
        uint64_t bit = UINT64_C(1) << offset % WORD_BITS;
        uint64_t lower = m->word[offset / WORD_BITS] & (bit - 1);

        return (int32_t)(m->before[offset / WORD_BITS] + __builtin_popcountll(lower));
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if (sorted[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return (int32_t)low;
}

static void look_up_piece(void *ctx, int64_t piece, int thread)
{
    id_map_t *m = ctx;
    int64_t begin, end;

    (void)thread;
    end_of_piece(m, piece, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        m->numbers->source[i] = look_up(m, m->edges->source[i]);
        m->numbers->target[i] = look_up(m, m->edges->target[i]);
    }
}

static status_t refuse_count(void)
{
    log_error("the graph has more than %" PRId32 " nodes; give a part of it", INT32_MAX);
    return ST_EINPUT;
}

static status_t allocate_ids(node_numbers_t *numbers, int64_t n)
{
    if (n > INT32_MAX)
        return refuse_count();
    numbers->n_nodes = n;
    numbers->id = malloc((n > 0 ? (size_t)n : 1) * sizeof(*numbers->id));
    return numbers->id != NULL ? ST_OK : log_nomem("the nodes of a graph");
}

static status_t count_off(id_map_t *m)
{
    status_t st = allocate_ids(m->numbers, m->edges->n_declared);

    m->first_id = m->edges->first_id;
    for (int64_t u = 0; st == ST_OK && u < m->numbers->n_nodes; u++)
        m->numbers->id[u] = m->edges->id != NULL ? m->edges->id[u] : m->first_id + u;
    return st;
}

static status_t use_bitmap(id_map_t *m, pool_t *pool)
{
    int64_t n = 0;
    status_t st;

    m->word = calloc((size_t)m->n_words, sizeof(*m->word));
    m->before = malloc((size_t)m->n_words * sizeof(*m->before));
    if (m->word == NULL || m->before == NULL)
        return log_nomem("the nodes of a graph");
    pool_run(pool, n_pieces(m->edges), mark_piece, m);
    for (int64_t w = 0; w < m->n_words; w++) {
        m->before[w] = n;
        n += __builtin_popcountll(m->word[w]);
    }
    if ((st = allocate_ids(m->numbers, n)) != ST_OK)
        return st;
    n = 0;
    for (int64_t w = 0; w < m->n_words; w++)
        for (uint64_t bits = m->word[w]; bits != 0; bits &= bits - 1)
            m->numbers->id[n++] = m->first_id + w * WORD_BITS + __builtin_ctzll(bits);
    return ST_OK;
}

/* Sort all ids and keep one of each. */
static status_t use_sorted_list(id_map_t *m)
{
    size_t n = (size_t)m->edges->n, bytes = n * sizeof(uint64_t);
    uint64_t *ids = malloc(2 * bytes), *spare = malloc(2 * bytes);
    int64_t n_distinct = 0;
    status_t st = ST_OK;

    if (ids == NULL || spare == NULL) {
        st = log_nomem("the nodes of a graph");
        goto done;
    }
    memcpy(ids, m->edges->source, bytes);
    memcpy(ids + n, m->edges->target, bytes);
    radix_sort((radix_items_t){.key = ids}, (radix_items_t){.key = spare},
               2 * m->edges->n, WORD_BITS);
    for (size_t i = 0; i < 2 * n; i++)
        if (i == 0 || ids[i] != ids[i - 1])
            ids[n_distinct++] = ids[i];
    if ((st = allocate_ids(m->numbers, n_distinct)) == ST_OK)
        memcpy(m->numbers->id, ids, (size_t)n_distinct * sizeof(*ids));
done:
    free(ids);
    free(spare);
    return st;
}

static status_t collect(id_map_t *m, pool_t *pool)
{
    const graph_edges_t *e = m->edges;
    int64_t last_id = -1;

    if (e->n_declared >= 0)
        return count_off(m);
    m->first_id = INT64_MAX;
    for (int64_t i = 0; i < e->n; i++) {
        int64_t low = e->source[i] < e->target[i] ? e->source[i] : e->target[i];
        int64_t high = e->source[i] < e->target[i] ? e->target[i] : e->source[i];

        m->first_id = low < m->first_id ? low : m->first_id;
        last_id = high > last_id ? high : last_id;
    }
    if (e->n == 0)
        return allocate_ids(m->numbers, 0);
    m->n_words = (last_id - m->first_id) / WORD_BITS + 1;
    return m->n_words <= e->n + SPARE_WORDS ? use_bitmap(m, pool) : use_sorted_list(m);
}

status_t node_numbers_create(const graph_edges_t *edges, pool_t *pool,
                             node_numbers_t *out)
{
    id_map_t m = {.edges = edges, .numbers = out};
    size_t n = edges->n > 0 ? (size_t)edges->n : 1;
    status_t st;

    *out = (node_numbers_t){0};
    if ((st = collect(&m, pool)) != ST_OK)
        goto done;
    out->source = malloc(n * sizeof(*out->source));
    out->target = malloc(n * sizeof(*out->target));
    if (out->source == NULL || out->target == NULL) {
        st = log_nomem("the edges of a graph");
        goto done;
    }
    pool_run(pool, n_pieces(edges), look_up_piece, &m);
done:
    free(m.word);
    free(m.before);
    if (st != ST_OK)
        node_numbers_free(out);
    return st;
}

void node_numbers_free(node_numbers_t *numbers)
{
    free(numbers->id);
    free(numbers->source);
    free(numbers->target);
    *numbers = (node_numbers_t){0};
}
