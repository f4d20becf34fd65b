#include "io/pairs/pairs_scan.h"

#include "io/base/logmsg.h"
#include "io/pairs/pairs_scan_state.h"

#include <stdlib.h>

/* CIGARs that stand close together are read at once. */
enum { TEXT_GAP_MAX = 1 << 14, TEXT_BYTES = 1 << 20 };

static bool has_cigars(const pairs_scan_t *s)
{
    return pairs_n_datasets(s->file) == PAIRS_N_CIGAR;
}

status_t pairs_scan_reserve(pairs_scan_t *s, int64_t capacity)
{
    size_t n = (size_t)capacity;

    s->hits = malloc(n * sizeof(*s->hits) + 1);
    s->text_begin = malloc((n + 1) * sizeof(*s->text_begin));
    s->text_len = malloc(n * sizeof(*s->text_len) + 1);
    if (s->hits == NULL || s->text_begin == NULL || s->text_len == NULL)
        return log_nomem("pairs");
    s->capacity = capacity;
    return ST_OK;
}

static status_t refuse_scores(const pairs_file_t *f)
{
    log_error("%s: it holds scores alone; align with --emit identity", f->path);
    return ST_EINPUT;
}

status_t pairs_scan_check_one_set(const pairs_file_t *f)
{
    if (pairs_n_datasets(f) == PAIRS_N_SCORE)
        return refuse_scores(f);
    if (!pairs_is_against(f))
        return ST_OK;
    log_error("%s: its pairs are queries against references; give a file of all against "
              "all",
              f->path);
    return ST_EINPUT;
}

/* Pairs that the file lacks would be taken for pairs that are not alike. */
status_t pairs_scan_check(const pairs_file_t *f, const fraction_t *id)
{
    const fraction_t *least = &f->min_identity;
    char text[FRACTION_RATIO_BYTES];

    if (id->denominator == 0)
        return ST_OK;
    if (pairs_n_datasets(f) == PAIRS_N_SCORE)
        return refuse_scores(f);
    if (least->denominator == 0 ||
        fraction_reached(least, id->numerator, id->denominator))
        return ST_OK;
    log_error("%s: it holds only pairs of an identity of %s or more; ask for no less, or "
              "align with a lower --id",
              f->path, fraction_to_ratio(least, text));
    return ST_EINPUT;
}

status_t pairs_scan_open_region(const pairs_file_t *file, const fraction_t *id,
                                const pairs_region_t *region, pairs_scan_t **out)
{
    pairs_scan_t *s = calloc(1, sizeof(*s));
    status_t st;

    if (s == NULL)
        return log_nomem("pairs");
    s->file = file;
    s->region = region != NULL
                    ? *region
                    : (pairs_region_t){0, pairs_n_rows(file), 0, pairs_n_cols(file)};
    s->id = id != NULL ? *id : (fraction_t){0, 0};
    s->at = s->region.row0;
    st = pairs_scan_check(file, &s->id);
    if (st == ST_OK)
        st = file->is_sparse ? pairs_block_create(s) : pairs_strip_create(s);
    if (st == ST_OK)
        *out = s;
    else
        pairs_scan_close(s);
    return st;
}

status_t pairs_scan_open(const pairs_file_t *file, const fraction_t *id,
                         pairs_scan_t **out)
{
    return pairs_scan_open_region(file, id, NULL, out);
}

status_t pairs_scan_next(pairs_scan_t *s, const pairs_hit_t **hits, int64_t *n)
{
    status_t st = s->file->is_sparse ? pairs_block_next(s) : pairs_strip_next(s);

    if (st != ST_OK)
        return st;
    s->text.len = 0;
    *hits = s->hits;
    *n = s->n;
    return ST_OK;
}

/* Read the k-th CIGAR and those that follow it closely. */
static status_t read_text(pairs_scan_t *s, int64_t k)
{
    int64_t begin = s->text_begin[k], end = begin + s->text_len[k];

    while (++k < s->n && end - begin < TEXT_BYTES) {
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

status_t pairs_scan_cigar(pairs_scan_t *s, int64_t k, const char **text, int64_t *len)
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

void pairs_scan_close(pairs_scan_t *s)
{
    if (s == NULL)
        return;
    pairs_strip_free(&s->strip);
    free(s->hits);
    free(s->text_begin);
    free(s->text_len);
    free(s->block);
    buf_free(&s->text);
    free(s);
}
