/*
 * rg_cluster.c - clusters of sequences, from the alignments of all pairs.
 */
#include "library/rg_cluster.h"

#include "library/rg_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

/* Pairs in memory. */
typedef struct {
    cluster_source_t base;
    const rg_result_t *pairs;
    int32_t *lengths; /* [n] */
    edge_t *chunk;    /* [CHUNK] */
} memory_source_t;

static status_t scan(const cluster_source_t *source, const fraction_t *id,
                     cluster_take_t take, void *ctx, int64_t *n_without)
{
    const memory_source_t *m = (const memory_source_t *)source;
    const rg_result_t *r = m->pairs;
    int64_t n = 0;
    status_t st = ST_OK;

    *n_without = 0;
    for (int64_t k = 0; st == ST_OK && k < r->n; k++) {
        if (r->columns[k] == 0)
            ++*n_without;
        else if (fraction_reached(id, r->matches[k], r->columns[k]))
            m->chunk[n++] =
                (edge_t){r->query[k], r->target[k], r->matches[k], r->columns[k]};
        if (n == CHUNK) {
            st = take(ctx, m->chunk, n);
            n = 0;
        }
    }
    return st == ST_OK && n > 0 ? take(ctx, m->chunk, n) : st;
}

void rg_cluster_options_init(rg_cluster_options_t *options, size_t size)
{
    const rg_cluster_options_t defaults = {.size = size,
                                           .id = 0.97,
                                           .seed = CLUSTER_SEED,
                                           .starts = CLUSTER_STARTS};

    if (options != NULL)
        memcpy(options, &defaults, size < sizeof(defaults) ? size : sizeof(defaults));
}

static status_t take_words(const rg_cluster_options_t *o, cluster_pairs_opts_t *out)
{
    static const char *const orders[] = {"abundance", "length"};
    int method = CLUSTER_OPTI, order = 0;
    status_t st = ST_OK;

    if (o->method != NULL)
        st = rg_word_find("method", o->method, cluster_method_name, CLUSTER_OPTI + 1,
                          &method);
    if (st == ST_OK && o->order != NULL)
        st = rg_word_find("order", o->order, orders, 2, &order);
    if (st == ST_OK && order == 1 && method != CLUSTER_CENTROID) {
        log_error("order requires method centroid");
        return ST_EUSAGE;
    }
    out->method = (cluster_method_t)method;
    out->by_length = order == 1;
    return st;
}

static status_t take_numbers(const rg_cluster_options_t *o, int64_t n,
                             cluster_pairs_opts_t *out)
{
    status_t st = rg_fraction_take("id", o->id, &out->id);

    if (st != ST_OK)
        return st;
    if (out->id.numerator == 0) {
        log_error("id of 0: give one above 0, such as 0.97");
        return ST_EUSAGE;
    }
    if (o->starts < 1 || o->starts > CLUSTER_STARTS_MAX) {
        log_error("starts of %" PRId64 ": give 1 to %d", o->starts, CLUSTER_STARTS_MAX);
        return ST_EUSAGE;
    }
    for (int64_t i = 0; o->sizes != NULL && i < n; i++)
        if (o->sizes[i] < 1) {
            log_error("sequence %" PRId64 " has an abundance of %" PRId64
                      ": give at least 1",
                      i, o->sizes[i]);
            return ST_EUSAGE;
        }
    out->seed = o->seed;
    out->n_starts = o->starts;
    return ST_OK;
}

/* The pairs have to be all that a method needs. */
static status_t check_pairs(const rg_result_t *r, const cluster_pairs_opts_t *o)
{
    const fraction_t *min = &r->origin->opts.min_identity;

    if (r->matches == NULL) {
        log_error("clusters need identities; align with emit identity");
        return ST_EUSAGE;
    }
    if (min->denominator == 0 || min->numerator == 0)
        return ST_OK;
    if (o->method == CLUSTER_AVERAGE) {
        log_error("average linkage needs all pairs; align without id");
        return ST_EUSAGE;
    }
    if (min->numerator * o->id.denominator > o->id.numerator * min->denominator) {
        log_error("the pairs have identities of %g or more, but clusters need those of "
                  "%g; align with a smaller id",
                  fraction_value(min), fraction_value(&o->id));
        return ST_EUSAGE;
    }
    return ST_OK;
}

static status_t take_options(const rg_cluster_options_t *given, const rg_result_t *r,
                             const int64_t **sizes, cluster_pairs_opts_t *out)
{
    rg_cluster_options_t o;
    status_t st;

    rg_cluster_options_init(&o, sizeof(o));
    if ((st = rg_options_take(given, &o, sizeof(o))) != ST_OK)
        return st;
    if (!r->is_all || r->origin->references != NULL || r->origin->is_partial) {
        log_error("clusters need all pairs of one set: of rg_aligner_all, without "
                  "references");
        return ST_EUSAGE;
    }
    *sizes = o.sizes;
    if ((st = take_words(&o, out)) != ST_OK ||
        (st = take_numbers(&o, r->origin->queries->sequences->n, out)) != ST_OK)
        return st;
    return check_pairs(r, out);
}

static status_t run(rg_context_t *context, const rg_result_t *r, rg_clusters_t *c,
                    memory_source_t *m)
{
    const rg_origin_t *o = r->origin;
    const seqset_t *set = o->queries->sequences;

    m->lengths = malloc((size_t)set->n * sizeof(*m->lengths) + 1);
    m->chunk = malloc(CHUNK * sizeof(*m->chunk));
    c->label = malloc((size_t)set->n * sizeof(*c->label) + 1);
    if (m->lengths == NULL || m->chunk == NULL || c->label == NULL)
        return log_nomem("clusters");
    for (int64_t i = 0; i < set->n; i++)
        m->lengths[i] = (int32_t)seqset_len(set, i);
    m->base = (cluster_source_t){.label = "the set",
                                 .n = set->n,
                                 .alphabet = set->alphabet,
                                 .lengths = m->lengths,
                                 .sizes = c->sizes,
                                 .counts_overhang =
                                     identity_def_counts_overhang(o->spec.identity,
                                                                  o->spec.count_ends),
                                 .scan = scan};
    return cluster_run(&m->base, &c->opts, context->pool, c->label, &c->mcc, NULL);
}

status_t rg_cluster_make(rg_context_t *context, const rg_result_t *pairs,
                         const rg_cluster_options_t *given, rg_clusters_t *out)
{
    rg_clusters_t c = {.label = NULL};
    memory_source_t m = {.pairs = pairs};
    status_t st = take_options(given, pairs, &c.sizes, &c.opts);

    if (st == ST_OK)
        st = run(context, pairs, &c, &m);
    free(m.chunk);
    free(m.lengths);
    if (st == ST_OK)
        *out = c;
    else
        free(c.label);
    return st;
}

static status_t cluster(rg_context_t *context, const rg_result_t *pairs,
                        const rg_cluster_options_t *given, int32_t *out, double *mcc)
{
    rg_clusters_t c;
    status_t st = rg_cluster_make(context, pairs, given, &c);

    if (st != ST_OK)
        return st;
    memcpy(out, c.label, (size_t)pairs->origin->queries->sequences->n * sizeof(*out));
    if (mcc != NULL)
        *mcc = mcc_value(&c.mcc);
    free(c.label);
    return ST_OK;
}

rg_status_t rg_cluster(rg_context_t *context, const rg_result_t *pairs,
                       const rg_cluster_options_t *options, int32_t *out, double *mcc)
{
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (pairs != NULL && out != NULL)
        st = cluster(context, pairs, options, out, mcc);
    return rg_context_leave(context, before, st);
}
