/*
 * primer_cut.c - the regions of a set, on the calling thread.
 */
#include "kernels/primers/search/primer_cut.h"

#include "io/base/logmsg.h"
#include "kernels/primers/search/primer_search.h"

#include <stdlib.h>

/* Translate regions to what is cut. @param cuts  zeroed */
static void make_cuts(const seqset_t *set, const buf_t *regions, primer_cut_t *cuts)
{
    const primer_region_t *r = (const primer_region_t *)(const void *)regions->data;
    const size_t n = regions->len / sizeof(*r);

    for (const primer_region_t *end = r + n; r < end; r++) {
        const int32_t len = (int32_t)seqset_len(set, r->read);
        primer_cut_t *c = &cuts[r->read];

        c->is_reversed = r->is_reversed;
        c->n_mismatches = primer_region_edits(r);
        c->begin = r->is_reversed ? len - r->at[PRIMER_FORWARD]
                                  : r->at[PRIMER_FORWARD] + r->len[PRIMER_FORWARD];
        c->end = r->is_reversed ? len - (r->at[PRIMER_REVERSE] + r->len[PRIMER_REVERSE])
                                : r->at[PRIMER_REVERSE];
    }
}

static status_t find(const primer_pair_t *pair, int max_mismatches, const seqset_t *set,
                     primer_cut_t *cuts)
{
    const primer_search_opts_t opts = {.max_mismatches = max_mismatches};
    const device_t cpu = device_cpu();
    base_planes_t text = {.n = 0};
    primer_search_t *search = NULL;
    buf_t regions = {0};
    status_t st = base_planes_of_set(set, &text);

    if (st == ST_OK)
        st = primer_search_create(&cpu, NULL, NULL, &text, pair, 1, &opts, &search);
    if (st == ST_OK)
        st = primer_search_find(search, 0, set->n, 0, &regions);
    if (st == ST_OK)
        make_cuts(set, &regions, cuts);
    buf_free(&regions);
    primer_search_destroy(search);
    base_planes_free(&text);
    return st;
}

status_t primer_cut_find(const primer_trim_t *o, const seqset_t *set, primer_cut_t **out)
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
        st = find(&pair, primer_trim_mismatches(o), set, cuts);
    if (st == ST_OK)
        *out = cuts;
    else
        free(cuts);
    return st;
}
