/*
 * pairs_scan_dense.c - scanning n x n matrices: read in strips of rows, returned row by
 * row.
 */
#include "io/pairs/pairs_scan_state.h"

#include "io/base/logmsg.h"
#include "io/pairs/pairs_check.h"
#include "io/pairs/pairs_read.h"

#include <stdlib.h>

/* Bytes of a strip at most.  If a row of tiles fits, each chunk is read only once. */
enum { STRIP_BYTES_MAX = 256 << 20 };

status_t pairs_scan_dense_create(pairs_scan_t *s)
{
    pairs_strip_t *strip = &s->strip;
    const pairs_region_t *r = &s->region;
    int64_t side = s->file->grid.side, width = r->col1 - r->col0;
    int n_datasets = s->file->n_datasets;
    bool has_cigars = n_datasets == PAIRS_N_CIGAR;
    int64_t pair_bytes = 4 * n_datasets + (has_cigars ? 8 : 0);
    int64_t height = STRIP_BYTES_MAX / pair_bytes / (width > 0 ? width : 1);
    size_t n;

    strip->height = height < 1 ? 1 : height > side ? side : height;
    n = (size_t)(strip->height * width);
    if (has_cigars && (strip->offsets = malloc(n * sizeof(*strip->offsets) + 1)) == NULL)
        return log_nomem("a strip of the matrix");
    for (int d = 0; d < n_datasets; d++)
        if ((strip->values[d] = malloc(n * sizeof(**strip->values) + 1)) == NULL)
            return log_nomem("a strip of the matrix");
    return pairs_scan_reserve(s, width);
}

/* Read the rows from s->at on.  A strip as high as a tile ends where the tile does, so
 * that each chunk is read only once. */
static status_t read_strip(pairs_scan_t *s)
{
    const pairs_file_t *f = s->file;
    const pairs_region_t *r = &s->region;
    pairs_strip_t *strip = &s->strip;
    int64_t side = f->grid.side, row = s->at;
    int64_t end = strip->height == side ? (row / side + 1) * side : row + strip->height;
    status_t st = ST_OK;

    strip->row0 = row;
    strip->row1 = end < r->row1 ? end : r->row1;
    for (int d = 0; st == ST_OK && d < f->n_datasets; d++)
        st = pairs_read(f, (pairs_dataset_t)d, strip->row0, strip->row1, r->col0, r->col1,
                        strip->values[d]);
    if (st == ST_OK && f->n_datasets == PAIRS_N_CIGAR)
        st = pairs_read_cigar_offsets(f, strip->row0, strip->row1, r->col0, r->col1,
                                      strip->offsets);
    return st;
}

/* Check the values of row i, which start at `at` in the strip. */
static status_t check_row(const pairs_scan_t *s, int64_t i, int64_t at)
{
    const pairs_region_t *r = &s->region;
    const pairs_strip_t *strip = &s->strip;
    bool has_identities = s->file->n_datasets != PAIRS_N_SCORE;

    return pairs_check_row(s->file, i, r->col0, r->col1, strip->values[PAIRS_SCORE] + at,
                           has_identities ? strip->values[PAIRS_MATCHES] + at : NULL,
                           has_identities ? strip->values[PAIRS_COLUMNS] + at : NULL);
}

/* Put the pairs of row i that reach the identity into s->hits. */
static status_t select_row(pairs_scan_t *s, int64_t i)
{
    const pairs_region_t *r = &s->region;
    const pairs_strip_t *strip = &s->strip;
    int n_datasets = s->file->n_datasets;
    int64_t first = i < r->col0 ? r->col0 : i + 1;
    int64_t row_at = (i - strip->row0) * (r->col1 - r->col0);
    int64_t at = row_at + first - r->col0;
    status_t st = check_row(s, i, row_at);

    s->n = 0;
    if (st != ST_OK)
        return st;
    for (int64_t k = first; k < r->col1; k++, at++) {
        pairs_hit_t hit = {.row = (int32_t)i,
                           .col = (int32_t)k,
                           .score = strip->values[PAIRS_SCORE][at],
                           .strand = 1};

        if (n_datasets != PAIRS_N_SCORE) {
            hit.matches = strip->values[PAIRS_MATCHES][at];
            hit.columns = strip->values[PAIRS_COLUMNS][at];
            if (!s->is_whole && !fraction_reached(&s->id, hit.matches, hit.columns))
                continue;
        }
        if (n_datasets == PAIRS_N_CIGAR) {
            s->text_begin[s->n] = strip->offsets[at];
            s->text_len[s->n] = strip->values[PAIRS_CIGAR_LENGTH][at];
            st = pairs_check_place(s->file, &hit, s->text_begin[s->n], s->text_len[s->n]);
            if (st != ST_OK)
                return st;
        }
        s->hits[s->n++] = hit;
    }
    return ST_OK;
}

status_t pairs_scan_dense_next(pairs_scan_t *s)
{
    status_t st;

    for (s->n = 0; s->n == 0 && s->at < s->region.row1; s->at++) {
        if (s->at >= s->strip.row1 && (st = read_strip(s)) != ST_OK)
            return st;
        if ((st = select_row(s, s->at)) != ST_OK)
            return st;
    }
    return ST_OK;
}

void pairs_scan_dense_free(pairs_strip_t *strip)
{
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++)
        free(strip->values[d]);
    free(strip->offsets);
}
