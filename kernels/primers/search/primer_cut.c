/*
 * primer_cut.c - the regions of a set, block by block.
 */
#include "kernels/primers/search/primer_cut.h"

#include "io/base/logmsg.h"
#include "kernels/primers/search/primer_search.h"

#include <stdlib.h>

/* Sequences that a thread searches at a time. */
enum { BLOCK = 1024 };

typedef struct {
    const seqset_t *set;
    primer_search_t *search;
    primer_cut_t *cuts; /* [set->n] zeroed */
    int failed;         /* a status_t; any of those that failed */
} run_t;

/* Translate regions to what is cut. @param first  sequence, from which they count */
static void make_cuts(run_t *run, int64_t first, const buf_t *regions)
{
    const primer_region_t *r = (const primer_region_t *)(const void *)regions->data;
    const size_t n = regions->len / sizeof(*r);

    for (const primer_region_t *end = r + n; r < end; r++) {
        const int32_t len = (int32_t)seqset_len(run->set, first + r->read);
        primer_cut_t *c = &run->cuts[first + r->read];

        c->is_reversed = r->is_reversed;
        c->n_mismatches = primer_region_edits(r);
        c->begin = r->is_reversed ? len - r->at[PRIMER_FORWARD]
                                  : r->at[PRIMER_FORWARD] + r->len[PRIMER_FORWARD];
        c->end = r->is_reversed ? len - (r->at[PRIMER_REVERSE] + r->len[PRIMER_REVERSE])
                                : r->at[PRIMER_REVERSE];
    }
}

static void find_block(void *ctx, int64_t k, int thread)
{
    run_t *run = ctx;
    const int64_t first = k * BLOCK, left = run->set->n - first;
    buf_t regions = {0};
    const status_t st = primer_search_find(run->search, first,
                                           left < BLOCK ? left : BLOCK, thread, &regions);

    if (st == ST_OK)
        make_cuts(run, first, &regions);
    else
        __atomic_store_n(&run->failed, (int)st, __ATOMIC_RELAXED);
    buf_free(&regions);
}

static status_t find(const primer_pair_t *pair, int max_mismatches, const seqset_t *set,
                     pool_t *pool, primer_cut_t *cuts)
{
    const primer_search_opts_t opts = {.max_mismatches = max_mismatches};
    device_t cpu = device_cpu();
    base_planes_t text = {.n = 0};
    run_t run = {.set = set, .cuts = cuts, .failed = ST_OK};
    status_t st = base_planes_of_set(set, &text);

    if (st == ST_OK)
        st = primer_search_create(&cpu, NULL, pool, &text, pair, 1, &opts, &run.search);
    if (st == ST_OK) {
        pool_run(pool, (set->n + BLOCK - 1) / BLOCK, find_block, &run);
        st = (status_t)run.failed;
    }
    primer_search_destroy(run.search);
    base_planes_free(&text);
    return st;
}

status_t primer_cut_find(const primer_trim_t *o, const seqset_t *set, pool_t *pool,
                         primer_cut_t **out)
{
    primer_pair_t pair;
    primer_cut_t *cuts;
    status_t st = ST_OK;

    *out = NULL;
    if (o->text == NULL || !primer_pair_parse(o->text, &pair))
        return ST_OK;
    if ((cuts = calloc((size_t)set->n + 1, sizeof(*cuts))) == NULL)
        return log_nomem("primers");
    if (set->alphabet == ALPHABET_DNA)
        st = find(&pair, primer_trim_mismatches(o), set, pool, cuts);
    if (st == ST_OK)
        *out = cuts;
    else
        free(cuts);
    return st;
}
