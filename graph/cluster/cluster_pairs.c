/*
 * cluster_pairs.c - the pairs of a result file as a source of clusters.
 */
#include "graph/cluster/cluster_pairs.h"

#include "io/base/logmsg.h"
#include "io/pairs/pairs_scan.h"

typedef struct {
    cluster_source_t base;
    const pairs_file_t *file;
} file_source_t;

static edge_t edge_of(const pairs_hit_t *hit)
{
    return (edge_t){hit->row, hit->col, hit->matches, hit->columns};
}

/* Hand on the pairs of one step of the scan.  Those without columns have no identity. */
static status_t take_hits(const pairs_hit_t *hits, int64_t n, buf_t *chunk,
                          cluster_take_t take, void *ctx, int64_t *n_without)
{
    edge_t *edges;
    int64_t n_edges = 0;
    status_t st;

    chunk->len = 0;
    if ((st = buf_reserve(chunk, (size_t)n * sizeof(edge_t))) != ST_OK)
        return st;
    edges = (edge_t *)chunk->data;
    for (int64_t k = 0; k < n; k++)
        if (hits[k].columns > 0)
            edges[n_edges++] = edge_of(&hits[k]);
    *n_without += n - n_edges;
    return take(ctx, edges, n_edges);
}

static status_t scan(const cluster_source_t *source, const fraction_t *id,
                     cluster_take_t take, void *ctx, int64_t *n_without)
{
    const pairs_hit_t *hits;
    buf_t chunk = {0};
    pairs_scan_t *s;
    int64_t n = 0;
    status_t st = pairs_scan_open(((const file_source_t *)source)->file, id, &s);

    if (st != ST_OK)
        return st;
    *n_without = 0;
    while ((st = pairs_scan_next(s, &hits, &n)) == ST_OK && n > 0)
        if ((st = take_hits(hits, n, &chunk, take, ctx, n_without)) != ST_OK)
            break;
    pairs_scan_close(s);
    buf_free(&chunk);
    return st;
}

/* @return whether a file of hits with centroids has those of this clustering */
static bool has_centroids_of(const pairs_file_t *file, const cluster_pairs_opts_t *opts)
{
    const fraction_t *a = &opts->id, *b = &file->min_identity;

    return opts->method == CLUSTER_CENTROID &&
           a->numerator * b->denominator == b->numerator * a->denominator &&
           pairs_has_centroids(file, opts->by_length ? "length" : "abundance");
}

status_t cluster_pairs_check(const pairs_file_t *file, const cluster_pairs_opts_t *opts)
{
    status_t st;

    if (has_centroids_of(file, opts))
        return ST_OK;
    if ((st = pairs_scan_check_one_set(file)) != ST_OK)
        return st;
    if (opts->method == CLUSTER_AVERAGE && file->is_sparse) {
        log_error(
            "%s lacks pairs below an identity, but average linkage needs all pairs; "
            "align without --id, or choose another --method",
            file->path);
        return ST_EINPUT;
    }
    return pairs_scan_check(file, &opts->id);
}

/* Warn if pairs of any sequences may be close: their best parts, however short. */
static void warn_of_short_parts(const pairs_file_t *file)
{
    if (file->ends_local && pairs_any_overlap(file))
        log_warn(
            "%s: identities are those of local alignments, however short; align with "
            "--min-overlap, or without --mode local",
            file->path);
}

status_t cluster_pairs(const pairs_file_t *file, const cluster_pairs_opts_t *opts,
                       pool_t *pool, int32_t *label, mcc_t *mcc, buf_t *joins)
{
    const file_source_t source = {
        .base = {.label = file->path,
                 .n = file->rows.n,
                 .alphabet = file->alphabet,
                 .lengths = file->rows.lengths,
                 .sizes = file->sizes,
                 .counts_overhang =
                     identity_def_counts_overhang(file->identity_def, file->ends_count),
                 .is_partial = pairs_has_centroids(file, NULL),
                 .scan = scan},
        .file = file};

    warn_of_short_parts(file);
    return cluster_run(&source.base, opts, pool, label, mcc, joins);
}
