/*
 * pairs_scan.c - a scan of a result file: the same stream from matrices and from hits.
 */
#include "io/pairs/pairs_scan.h"

#include "io/base/child.h"
#include "io/base/logmsg.h"
#include "io/pairs/pairs_check.h"
#include "io/pairs/pairs_read.h"
#include "io/pairs/pairs_scan_state.h"

#include <stdlib.h>

/* CIGARs with gaps of at most TEXT_GAP_MAX bytes between them are read together, until
 * there are READ_BYTES. */
enum { TEXT_GAP_MAX = 1 << 14, READ_BYTES = 1 << 20 };

static bool has_cigars(const pairs_scan_t *s)
{
    return s->file->n_datasets == PAIRS_N_CIGAR;
}

static status_t refuse_scores(const pairs_file_t *f)
{
    log_error("%s: the file holds only scores; align with --emit identity", f->path);
    return ST_EINPUT;
}

status_t pairs_scan_check_one_set(const pairs_file_t *f)
{
    if (f->n_datasets == PAIRS_N_SCORE)
        return refuse_scores(f);
    if (pairs_has_centroids(f, NULL)) {
        log_error("%s: it has only hits with centroids, for `cluster --method centroid` "
                  "with the --id and the --order of `align`; align without --centroids",
                  f->path);
        return ST_EINPUT;
    }
    if (!f->is_against)
        return ST_OK;
    log_error("%s: its pairs are queries against references; give a file of one set, "
              "all against all",
              f->path);
    return ST_EINPUT;
}

/* Otherwise pairs that the file lacks would be taken for dissimilar ones. */
status_t pairs_scan_check(const pairs_file_t *f, const fraction_t *id)
{
    const fraction_t *min_id = &f->min_identity;
    char text[FRACTION_RATIO_BYTES];

    if (id->denominator == 0)
        return ST_OK;
    if (f->n_datasets == PAIRS_N_SCORE)
        return refuse_scores(f);
    if (min_id->denominator == 0 ||
        fraction_reached(min_id, id->numerator, id->denominator))
        return ST_OK;
    log_error(
        "%s: the file holds only pairs with an identity of at least %s; raise --id, "
        "or align with a lower one",
        f->path, fraction_to_ratio(min_id, text));
    return ST_EINPUT;
}

status_t pairs_scan_open_sorted(const pairs_file_t *file, const fraction_t *id,
                                const pairs_region_t *region, pairs_order_t order,
                                pairs_scan_t **out)
{
    pairs_scan_t *s = calloc(1, sizeof(*s));
    status_t st;

    if (s == NULL)
        return log_nomem("pairs");
    s->file = file;
    s->region =
        region != NULL ? *region : (pairs_region_t){0, file->rows.n, 0, file->cols.n};
    s->order = order;
    s->id = id != NULL ? *id : (fraction_t){0, 0};
    s->at = s->region.row0;
    st = pairs_scan_check(file, &s->id);
    if (st == ST_OK)
        st = pairs_order_check(file, order);
    if (st == ST_OK && order == PAIRS_BY_EVALUE)
        evalue_begin(file, &s->law);
    if (st == ST_OK)
        st = file->is_sparse ? pairs_scan_hits_create(s) : pairs_scan_dense_create(s);
    if (st == ST_OK)
        *out = s;
    else
        pairs_scan_close(s);
    return st;
}

status_t pairs_scan_open_region(const pairs_file_t *file, const fraction_t *id,
                                const pairs_region_t *region, pairs_scan_t **out)
{
    return pairs_scan_open_sorted(file, id, region, PAIRS_BY_ROW, out);
}

status_t pairs_scan_open(const pairs_file_t *file, const fraction_t *id,
                         pairs_scan_t **out)
{
    return pairs_scan_open_region(file, id, NULL, out);
}

status_t pairs_scan_open_whole(const pairs_file_t *file, pairs_scan_t **out)
{
    status_t st = pairs_scan_open(file, NULL, out);

    if (st == ST_OK)
        (*out)->is_whole = true;
    return st;
}

status_t pairs_scan_next(pairs_scan_t *s, const pairs_hit_t **hits, int64_t *n)
{
    status_t st = s->file->is_sparse ? pairs_scan_hits_next(s) : pairs_scan_dense_next(s);

    if (st == ST_OK && s->order != PAIRS_BY_ROW)
        st = pairs_scan_sort(s);
    if (st != ST_OK)
        return st;
    child_tick();
    s->text.len = 0;
    *hits = s->hits;
    *n = s->n;
    return ST_OK;
}

/* Read the k-th CIGAR, and with it those that follow closely. */
static status_t read_text(pairs_scan_t *s, int64_t k)
{
    int64_t begin = s->text_begin[k], end = begin + s->text_len[k];

    while (++k < s->n && end - begin < READ_BYTES) {
        int64_t gap = s->text_begin[k] - end;

        if (s->text_len[k] == 0)
            continue;
        if (gap < 0 || gap > TEXT_GAP_MAX)
            break;
        end = s->text_begin[k] + s->text_len[k];
    }
    s->text_first = begin;
    return pairs_read_cigar_text(s->file, begin, end, &s->text);
}

/* Find the k-th CIGAR, not checked yet. */
static status_t find_text(pairs_scan_t *s, int64_t k, const char **text, int64_t *len)
{
    int64_t begin, n_bytes;
    status_t st;

    *len = 0;
    *text = "";
    if (!has_cigars(s) || (n_bytes = s->text_len[k]) <= 0)
        return ST_OK;
    begin = s->text_begin[k];
    if (begin < s->text_first || begin + n_bytes > s->text_first + (int64_t)s->text.len)
        if ((st = read_text(s, k)) != ST_OK)
            return st;
    *text = (const char *)s->text.data + (begin - s->text_first);
    *len = n_bytes;
    return ST_OK;
}

status_t pairs_scan_cigar(pairs_scan_t *s, int64_t k, const char **text, int64_t *len)
{
    int64_t n_runs;
    status_t st = find_text(s, k, text, len);

    if (st != ST_OK || *len == 0)
        return st;
    return pairs_check_cigar(s->file, &s->hits[k], *text, *len, NULL, &n_runs);
}

status_t pairs_scan_runs(pairs_scan_t *s, int64_t k, const uint32_t **runs,
                         int64_t *n_runs)
{
    const char *text;
    int64_t len;
    status_t st = find_text(s, k, &text, &len);

    *n_runs = 0;
    s->runs.len = 0;
    if (st == ST_OK)
        st = buf_reserve(&s->runs, (size_t)len / 2 * sizeof(**runs) + sizeof(**runs));
    if (st != ST_OK)
        return st;
    *runs = (const uint32_t *)(const void *)s->runs.data;
    return len == 0 ? ST_OK
                    : pairs_check_cigar(s->file, &s->hits[k], text, len,
                                        (uint32_t *)(void *)s->runs.data, n_runs);
}

void pairs_scan_close(pairs_scan_t *s)
{
    if (s == NULL)
        return;
    pairs_scan_dense_free(&s->strip);
    free(s->hits);
    free(s->text_begin);
    free(s->text_len);
    free(s->block);
    buf_free(&s->text);
    buf_free(&s->runs);
    buf_free(&s->sorted);
    free(s);
}
