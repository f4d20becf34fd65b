/*
 * cluster_run.c - one function per clustering method, fed by scans of the pairs.
 *
 * Methods that need only connectivity join edges as they are read; the others collect the
 * edges first.  Average linkage reads them twice: the first scan finds components,
 * the second sums identities between members of the same component.
 */
#include "graph/cluster/cluster_run.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const cluster_method_name[] = {"single", "complete", "centroid", "average",
                                           "opti"};

typedef struct {
    const cluster_source_t *source;
    const cluster_pairs_opts_t *opts;
    pool_t *pool;
    int64_t n;
    buf_t edges; /* edge_t: pairs at or above the identity, for methods that collect */
    int64_t n_edges;            /* number of such pairs, collected or not */
    int64_t n_without_identity; /* pairs that the last scan has skipped */
    components_t *components;
    average_t *average;
    buf_t *joins; /* cluster_join_t; NULL: not needed */
} run_t;

/* Feed all pairs at or above an identity to `take`. */
static status_t scan(run_t *r, const fraction_t *id, cluster_take_t take)
{
    return r->source->scan(r->source, id, take, r, &r->n_without_identity);
}

static status_t join(void *ctx, edge_t *edges, int64_t n_edges)
{
    run_t *r = ctx;

    r->n_edges += n_edges;
    components_join(r->components, r->pool, edges, n_edges);
    return ST_OK;
}

static status_t join_and_note(void *ctx, edge_t *edges, int64_t n_edges)
{
    run_t *r = ctx;

    status_t st = ST_OK;

    for (int64_t e = 0; st == ST_OK && e < n_edges; e++) {
        const edge_t *x = &edges[e];
        cluster_join_t step = {x->a, x->b, 1 - (double)x->matches / x->columns};

        st = buf_append(r->joins, &step, sizeof(step));
    }
    return st == ST_OK ? join(r, edges, n_edges) : st;
}

static status_t collect(void *ctx, edge_t *edges, int64_t n_edges)
{
    run_t *r = ctx;

    r->n_edges += n_edges;
    return buf_append(&r->edges, edges, (size_t)n_edges * sizeof(*edges));
}

/* Collect the pairs that reach the identity exactly (for the MCC); join those that reach
 * it after rounding, which is what average linkage compares. */
static status_t join_and_collect(void *ctx, edge_t *edges, int64_t n_edges)
{
    run_t *r = ctx;
    int64_t n_joined = 0;
    status_t st = ST_OK;

    for (int64_t e = 0; st == ST_OK && e < n_edges; e++) {
        if (fraction_reached(&r->opts->id, edges[e].matches, edges[e].columns))
            st = collect(r, &edges[e], 1);
        if (average_reaches(&r->opts->id, edges[e].matches, edges[e].columns))
            edges[n_joined++] = edges[e];
    }
    components_join(r->components, r->pool, edges, n_joined);
    return st;
}

static status_t add(void *ctx, edge_t *edges, int64_t n_edges)
{
    run_t *r = ctx;

    average_add(r->average, edges, n_edges);
    return ST_OK;
}

/* @return [n] the lengths of the sequences, now the caller's; NULL: no memory (logged) */
static int64_t *copy_lengths(const run_t *r)
{
    int64_t *lengths = malloc((size_t)r->n * sizeof(*lengths) + 1);

    if (lengths == NULL)
        log_nomem("lengths of sequences");
    for (int64_t i = 0; lengths != NULL && i < r->n; i++)
        lengths[i] = r->source->lengths[i];
    return lengths;
}

/* Warn if fragments may join clusters: where the ends of the longer sequence are not
 * counted, a fragment is close to all genes that are conserved where it comes from. */
static status_t warn_of_fragments(const run_t *r)
{
    int64_t *lengths;
    length_spread_t s;

    if (r->n == 0 || r->source->counts_overhang)
        return ST_OK;
    if ((lengths = copy_lengths(r)) == NULL)
        return ST_ENOMEM;
    s = length_spread_of(lengths, r->n);
    if (s.n_short > 0)
        log_warn("%s: %" PRId64 " of %" PRId64
                 " sequences are shorter than half of the median length of %" PRId64
                 " %s (the shortest has %" PRId64
                 "); such fragments are close to many genes, and single linkage joins "
                 "these; align with --min-length %" PRId64
                 ", or with --iddef 1 to count end gaps, or choose another --method",
                 r->source->label, s.n_short, r->n, s.median,
                 alphabet_letters[r->source->alphabet], s.min, s.median - s.median / 2);
    free(lengths);
    return ST_OK;
}

/* @param by_node  [n] as of cluster_methods.h; NULL: joins are not needed */
static status_t keep_joins(const run_t *r, const cluster_join_t *by_node)
{
    status_t st = ST_OK;

    for (int64_t i = 0; by_node != NULL && st == ST_OK && i < r->n; i++)
        if (by_node[i].a >= 0)
            st = buf_append(r->joins, &by_node[i], sizeof(by_node[i]));
    return st;
}

/* @param out  [n] joins by node, now the caller's; NULL: they are not needed */
static status_t alloc_joins(const run_t *r, cluster_join_t **out)
{
    *out = NULL;
    if (r->joins == NULL)
        return ST_OK;
    *out = malloc((size_t)r->n * sizeof(**out) + 1);
    return *out != NULL ? ST_OK : log_nomem("the tree of clusters");
}

static status_t run_single(run_t *r, int32_t *label)
{
    status_t st = components_create(r->n, &r->components);

    if (st == ST_OK)
        st = warn_of_fragments(r);
    if (st == ST_OK &&
        (st = scan(r, &r->opts->id, r->joins != NULL ? join_and_note : join)) == ST_OK)
        components_label(r->components, label);
    return st;
}

static status_t run_average(run_t *r, int32_t *label)
{
    static const fraction_t all = {0, 0};
    cluster_join_t *joins;
    status_t st = components_create(r->n, &r->components);

    if (st != ST_OK || (st = scan(r, &all, join_and_collect)) != ST_OK)
        return st;
    if (r->n_without_identity > 0)
        log_info("%s: %" PRId64 " of %" PRId64 " pairs have no identity; average linkage "
                 "takes it as 0",
                 r->source->label, r->n_without_identity, r->n * (r->n - 1) / 2);
    components_label(r->components, label);
    if ((st = average_create(r->n, &r->opts->id, label, &r->average)) != ST_OK ||
        (st = scan(r, &all, add)) != ST_OK || (st = alloc_joins(r, &joins)) != ST_OK)
        return st;
    average_cluster(r->average, r->pool, label, joins);
    st = keep_joins(r, joins);
    free(joins);
    return st;
}

/* Process sequences longest first (abundance breaks ties) or most abundant first. */
static status_t run_centroid(const run_t *r, const adjacency_t *graph, int32_t *label)
{
    const int64_t *sizes = r->source->sizes;
    int64_t *lengths = copy_lengths(r);
    int32_t *order = malloc((size_t)r->n * sizeof(*order) + 1);
    status_t st = ST_ENOMEM;

    if (lengths == NULL)
        goto done;
    if (order == NULL) {
        log_nomem("the order of sequences");
        goto done;
    }
    st = r->opts->by_length ? centroid_order(r->n, lengths, sizes, order)
                            : centroid_order(r->n, sizes, NULL, order);
    if (st == ST_OK)
        st = centroid_cluster(graph, order, label);
done:
    free(order);
    free(lengths);
    return st;
}

static status_t run_complete(const run_t *r, adjacency_t *graph, int32_t *label)
{
    cluster_join_t *joins;
    status_t st = alloc_joins(r, &joins);

    if (st == ST_OK && (st = complete_cluster(graph, label, joins)) == ST_OK)
        st = keep_joins(r, joins);
    free(joins);
    return st;
}

static status_t count_mcc(const run_t *r, const int32_t *label, mcc_t *mcc)
{
    int64_t *size;

    *mcc = (mcc_t){-1, -1, -1, -1};
    if (r->source->is_partial)
        return ST_OK;
    if ((size = calloc((size_t)r->n + 1, sizeof(*size))) == NULL)
        return log_nomem("sizes of clusters");
    *mcc = mcc_count(r->n, label, size,
                     r->opts->method == CLUSTER_SINGLE ? NULL : (edge_t *)r->edges.data,
                     r->n_edges);
    free(size);
    return ST_OK;
}

/* Cluster from the earlier clusters, if there are some, and for comparison without. */
static status_t run_opti(const run_t *r, const adjacency_t *graph, int32_t *label)
{
    const cluster_pairs_opts_t *o = r->opts;
    mcc_t fresh, mcc;
    status_t st = opticlust_cluster(graph, NULL, o->seed, o->n_starts, r->pool, label);

    if (o->from == NULL || st != ST_OK)
        return st;
    if ((st = count_mcc(r, label, &fresh)) == ST_OK &&
        (st = opticlust_cluster(graph, o->from, o->seed, o->n_starts, r->pool, label)) ==
            ST_OK &&
        (st = count_mcc(r, label, &mcc)) == ST_OK)
        log_info("MCC %.4f from the previous OTUs, %.4f by a fresh run", mcc_value(&mcc),
                 mcc_value(&fresh));
    return st;
}

static status_t run_on_graph(run_t *r, int32_t *label)
{
    adjacency_t *graph = NULL;
    status_t st = scan(r, &r->opts->id, collect);

    if (st == ST_OK)
        st = adjacency_create(r->n, (edge_t *)r->edges.data, r->n_edges, &graph);
    if (st != ST_OK)
        return st;
    if (r->opts->method == CLUSTER_COMPLETE) {
        st = run_complete(r, graph, label);
    } else if (r->opts->method == CLUSTER_CENTROID) {
        st = run_centroid(r, graph, label);
    } else {
        st = run_opti(r, graph, label);
    }
    adjacency_destroy(graph);
    return st;
}

status_t cluster_run(const cluster_source_t *source, const cluster_pairs_opts_t *opts,
                     pool_t *pool, int32_t *label, mcc_t *mcc, buf_t *joins)
{
    run_t r = {
        .source = source, .opts = opts, .pool = pool, .n = source->n, .joins = joins};
    status_t st;

    st = opts->method == CLUSTER_SINGLE    ? run_single(&r, label)
         : opts->method == CLUSTER_AVERAGE ? run_average(&r, label)
                                           : run_on_graph(&r, label);
    if (st == ST_OK)
        st = count_mcc(&r, label, mcc);
    average_destroy(r.average);
    components_destroy(r.components);
    buf_free(&r.edges);
    return st;
}

otu_groups_head_t cluster_head(const cluster_pairs_opts_t *o, const mcc_t *mcc)
{
    static const mcc_t unknown = {.tp = -1, .tn = -1, .fp = -1, .fn = -1};
    const mcc_t *m = mcc != NULL ? mcc : &unknown;
    const bool is_opti = o->method == CLUSTER_OPTI;

    return (otu_groups_head_t){.method = cluster_method_name[o->method],
                               .order = o->method != CLUSTER_CENTROID ? NULL
                                        : o->by_length                ? "length"
                                                                      : "abundance",
                               .seed = is_opti ? (int64_t)o->seed : -1,
                               .starts = is_opti ? o->n_starts : -1,
                               .id = o->id,
                               .min_size = 1,
                               .mcc = mcc != NULL ? mcc_value(mcc) : NAN,
                               .tp = m->tp,
                               .tn = m->tn,
                               .fp = m->fp,
                               .fn = m->fn};
}
