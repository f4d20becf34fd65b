/*
 * csr_build.c - arcs are distributed to buckets of consecutive sources, in the order of
 * the list, and each bucket is sorted by one thread.
 */
#include "io/graphfile/csr_build.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/graphfile/radix_sort.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUCKET_ARCS = 1 << 15, /* arcs of a bucket, on average: they fit in a core's cache */
    MAX_BUCKETS = 1 << 11,
    MIN_CHUNK = 1 << 16, /* edges */
    CHUNKS_PER_THREAD = 4
};

/* An arc's key is its source within the bucket, then its target. */
typedef struct {
    const graph_edges_t *edges;
    const csr_options_t *options;
    bool doubles, dedupes;
    node_numbers_t numbers;
    int bucket_bits, target_bits; /* of a source within its bucket, and of a target */
    int64_t n_buckets, n_chunks;
    int64_t *at; /* [n_chunks * n_buckets] arcs of each, then where the next one goes */
    int64_t *begin;            /* [n_buckets + 1] */
    radix_items_t arcs, spare; /* [begin[n_buckets]] */
    int64_t *kept;             /* [n_buckets + 1] arcs that stay, then their begins */
    csr_t graph;
} build_t;

int32_t csr_build_weight(const csr_options_t *options, int64_t source, int64_t target)
{
    uint64_t n = (uint64_t)(options->high - (int64_t)options->low + 1);
    uint64_t state = options->seed, hash = rng_splitmix(&state);

    state = hash ^ (uint64_t)(source < target ? source : target);
    hash = rng_splitmix(&state);
    state = hash ^ (uint64_t)(source < target ? target : source);
    hash = rng_splitmix(&state);
    return (int32_t)(options->low + (int64_t)((hash >> 32) * n >> 32));
}

static int bits_of(int64_t max)
{
    int bits = 0;

    while (bits < 63 && max >> bits != 0)
        bits++;
    return bits;
}

static radix_items_t items_from(radix_items_t items, int64_t i)
{
    items.key += i;
    items.weight = items.weight != NULL ? items.weight + i : NULL;
    items.value = items.value != NULL ? items.value + i : NULL;
    return items;
}

static int64_t chunk_begin(const build_t *b, int64_t chunk)
{
    return (int64_t)((__int128)b->edges->n * chunk / b->n_chunks);
}

/* Call with the edges of a chunk: count arcs, or place them. */
static void add_arc(build_t *b, int64_t chunk, int64_t edge, int32_t u, int32_t v)
{
    int64_t *at = &b->at[chunk * b->n_buckets + (u >> b->bucket_bits)];
    int64_t i = (*at)++;
    uint64_t within = (uint64_t)u & ((UINT64_C(1) << b->bucket_bits) - 1);

    if (b->arcs.key == NULL)
        return;
    b->arcs.key[i] = within << b->target_bits | (uint64_t)v;
    if (b->options->weights == CSR_WEIGHTS_UNIFORM)
        b->arcs.weight[i] =
            csr_build_weight(b->options, b->edges->source[edge], b->edges->target[edge]);
    else if (b->arcs.weight != NULL)
        b->arcs.weight[i] = b->edges->weight[edge];
    else if (b->arcs.value != NULL)
        b->arcs.value[i] = b->edges->value[edge];
}

static void distribute_chunk(void *ctx, int64_t chunk, int thread)
{
    build_t *b = ctx;
    int64_t end = chunk_begin(b, chunk + 1);

    (void)thread;
    for (int64_t i = chunk_begin(b, chunk); i < end; i++) {
        int32_t u = b->numbers.source[i], v = b->numbers.target[i];

        if (u == v && b->options->drop_loops)
            continue;
        add_arc(b, chunk, i, u, v);
        if (b->doubles && u != v)
            add_arc(b, chunk, i, v, u);
    }
}

static void set_sizes(build_t *b, pool_t *pool)
{
    int64_t n_nodes = b->numbers.n_nodes, n_arcs = b->edges->n * (b->doubles ? 2 : 1);
    int64_t wanted = n_arcs / BUCKET_ARCS + 1;

    wanted = wanted < MAX_BUCKETS ? wanted : MAX_BUCKETS;
    b->target_bits = bits_of(n_nodes - 1);
    while ((n_nodes - 1) >> b->bucket_bits >= wanted)
        b->bucket_bits++;
    b->n_buckets = n_nodes > 0 ? ((n_nodes - 1) >> b->bucket_bits) + 1 : 0;
    b->n_chunks = b->edges->n / MIN_CHUNK + 1;
    if (b->n_chunks > CHUNKS_PER_THREAD * pool_n_threads(pool))
        b->n_chunks = CHUNKS_PER_THREAD * pool_n_threads(pool);
}

static bool allocate_items(int64_t n, bool has_weight, bool has_value, radix_items_t *out)
{
    size_t count = n > 0 ? (size_t)n : 1;

    out->key = malloc(count * sizeof(*out->key));
    out->weight = has_weight ? malloc(count * sizeof(*out->weight)) : NULL;
    out->value = has_value ? malloc(count * sizeof(*out->value)) : NULL;
    return out->key != NULL && (!has_weight || out->weight != NULL) &&
           (!has_value || out->value != NULL);
}

/* Count the arcs of each chunk and bucket, then place them in that order. */
static status_t distribute(build_t *b, pool_t *pool)
{
    bool given = b->options->weights == CSR_WEIGHTS_GIVEN;
    bool has_weight =
        b->options->weights == CSR_WEIGHTS_UNIFORM || (given && b->edges->weight != NULL);
    int64_t n = 0;

    b->at = calloc((size_t)(b->n_chunks * b->n_buckets) + 1, sizeof(*b->at));
    b->begin = calloc((size_t)b->n_buckets + 1, sizeof(*b->begin));
    b->kept = calloc((size_t)b->n_buckets + 1, sizeof(*b->kept));
    if (b->at == NULL || b->begin == NULL || b->kept == NULL)
        return log_nomem("building a graph");
    pool_run(pool, b->n_chunks, distribute_chunk, b);
    for (int64_t bucket = 0; bucket < b->n_buckets; bucket++) {
        b->begin[bucket] = n;
        for (int64_t chunk = 0; chunk < b->n_chunks; chunk++) {
            int64_t *at = &b->at[chunk * b->n_buckets + bucket];
            int64_t count = *at;

            *at = n;
            n += count;
        }
    }
    b->begin[b->n_buckets] = n;
    if (!allocate_items(n, has_weight, given && b->edges->value != NULL, &b->arcs) ||
        !allocate_items(n, has_weight, given && b->edges->value != NULL, &b->spare))
        return log_nomem("building a graph");
    pool_run(pool, b->n_chunks, distribute_chunk, b);
    return ST_OK;
}

static void keep_smaller(radix_items_t arcs, int64_t kept, int64_t other)
{
    if (arcs.weight != NULL && arcs.weight[other] < arcs.weight[kept])
        arcs.weight[kept] = arcs.weight[other];
    if (arcs.value != NULL && arcs.value[other] < arcs.value[kept])
        arcs.value[kept] = arcs.value[other];
}

/* @param arcs  [n] sorted; the first ones are those that stay
 * @return how many stay */
static int64_t dedupe(radix_items_t arcs, int64_t n)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < n; i++) {
        if (kept > 0 && arcs.key[i] == arcs.key[kept - 1]) {
            keep_smaller(arcs, kept - 1, i);
            continue;
        }
        arcs.key[kept] = arcs.key[i];
        if (arcs.weight != NULL)
            arcs.weight[kept] = arcs.weight[i];
        if (arcs.value != NULL)
            arcs.value[kept] = arcs.value[i];
        kept++;
    }
    return kept;
}

static void sort_bucket(void *ctx, int64_t bucket, int thread)
{
    build_t *b = ctx;
    int64_t begin = b->begin[bucket], n = b->begin[bucket + 1] - begin;
    radix_items_t arcs = items_from(b->arcs, begin);

    (void)thread;
    radix_sort(arcs, items_from(b->spare, begin), n, b->bucket_bits + b->target_bits);
    b->kept[bucket] = b->dedupes ? dedupe(arcs, n) : n;
}

static void copy_bucket(void *ctx, int64_t bucket, int thread)
{
    build_t *b = ctx;
    int64_t at = b->kept[bucket], n = b->kept[bucket + 1] - at;
    int64_t u = bucket << b->bucket_bits, end = (bucket + 1) << b->bucket_bits;
    radix_items_t arcs = items_from(b->arcs, b->begin[bucket]);
    uint64_t target_mask = (UINT64_C(1) << b->target_bits) - 1;
    csr_t *g = &b->graph;

    (void)thread;
    end = end < g->n_nodes ? end : g->n_nodes;
    for (int64_t i = 0; i < n; i++) {
        int64_t source =
            (bucket << b->bucket_bits) + (int64_t)(arcs.key[i] >> b->target_bits);

        while (u <= source)
            g->first[u++] = at + i;
        g->to[at + i] = (int32_t)(arcs.key[i] & target_mask);
    }
    while (u < end)
        g->first[u++] = at + n;
    if (g->weight != NULL)
        memcpy(g->weight + at, arcs.weight, (size_t)n * sizeof(*g->weight));
    if (g->value != NULL)
        memcpy(g->value + at, arcs.value, (size_t)n * sizeof(*g->value));
}

/* Take the graph's arrays from the sorted buckets. */
static status_t copy_buckets(build_t *b, pool_t *pool)
{
    int64_t n_arcs = 0;
    status_t st;

    for (int64_t bucket = 0; bucket < b->n_buckets; bucket++) {
        int64_t count = b->kept[bucket];

        b->kept[bucket] = n_arcs;
        n_arcs += count;
    }
    b->kept[b->n_buckets] = n_arcs;
    if ((st = csr_create(b->numbers.n_nodes, n_arcs, b->arcs.weight != NULL,
                         b->arcs.value != NULL, &b->graph)) != ST_OK)
        return st;
    pool_run(pool, b->n_buckets, copy_bucket, b);
    b->graph.first[b->graph.n_nodes] = n_arcs;
    memcpy(b->graph.id, b->numbers.id, (size_t)b->graph.n_nodes * sizeof(*b->graph.id));
    b->graph.is_symmetric = b->doubles;
    return b->doubles ? ST_OK : csr_check_symmetric(&b->graph);
}

static void free_items(radix_items_t *items)
{
    free(items->key);
    free(items->weight);
    free(items->value);
}

/* Check that there is memory for the list, two arrays of arcs, and the numbers of nodes
 * or, after these, the graph. */
static status_t check_memory(const build_t *b)
{
    const graph_edges_t *e = b->edges;
    const bool given = b->options->weights == CSR_WEIGHTS_GIVEN;
    const bool has_value = given && e->value != NULL;
    const bool has_weight =
        given ? e->weight != NULL : b->options->weights == CSR_WEIGHTS_UNIFORM;
    const size_t number = has_value ? sizeof(double) : has_weight ? sizeof(int32_t) : 0;
    const size_t n_arcs = b->doubles ? 2 : 1, numbers = 2 * sizeof(int32_t);
    const size_t graph = n_arcs * (sizeof(int32_t) + number);

    return graph_edges_check_memory(e->n_declared > 0 ? e->n_declared : 0, e->n,
                                    graph_edges_bytes(e->weight != NULL,
                                                      e->value != NULL) +
                                        2 * n_arcs * (sizeof(uint64_t) + number) +
                                        (graph > numbers ? graph : numbers));
}

status_t csr_build(const graph_edges_t *edges, const csr_options_t *options, pool_t *pool,
                   csr_t *out)
{
    build_t b = {.edges = edges, .options = options};
    status_t st;

    b.doubles = options->symmetrize || !edges->is_directed;
    b.dedupes = options->dedupe || (options->symmetrize && edges->is_directed);
    if ((st = check_memory(&b)) != ST_OK ||
        (st = node_numbers_create(edges, pool, &b.numbers)) != ST_OK)
        goto done;
    set_sizes(&b, pool);
    if ((st = distribute(&b, pool)) != ST_OK)
        goto done;
    free(b.numbers.source);
    free(b.numbers.target);
    b.numbers.source = b.numbers.target = NULL;
    pool_run(pool, b.n_buckets, sort_bucket, &b);
    st = copy_buckets(&b, pool);
done:
    node_numbers_free(&b.numbers);
    free(b.at);
    free(b.begin);
    free(b.kept);
    free_items(&b.arcs);
    free_items(&b.spare);
    if (st == ST_OK)
        *out = b.graph;
    else
        csr_free(&b.graph);
    return st;
}
