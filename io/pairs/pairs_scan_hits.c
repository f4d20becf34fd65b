/*
 * pairs_scan_hits.c - scanning a file of hits, a block of hits at a time.
 */
#include "io/pairs/pairs_scan_state.h"

#include "io/base/logmsg.h"
#include "io/pairs/pairs_check.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16 }; /* hits per read */

status_t pairs_scan_hits_create(pairs_scan_t *s)
{
    const pairs_file_t *f = s->file;
    int64_t n;

    s->row = s->region.row0;
    s->at = f->row_start[s->region.row0];
    s->hits_end = f->row_start[s->region.row1];
    n = s->hits_end - s->at < BLOCK ? s->hits_end - s->at : BLOCK;
    for (int64_t i = s->region.row0; s->order != PAIRS_BY_ROW && i < s->region.row1; i++)
        if (f->row_start[i + 1] - f->row_start[i] > n)
            n = f->row_start[i + 1] - f->row_start[i];
    n = n > 0 ? n : 0;
    if ((s->block = malloc((size_t)n * sizeof(*s->block) + 1)) == NULL)
        return log_nomem("pairs");
    return pairs_scan_reserve(s, n);
}

/* Read n hits, starting with hit s->at. */
static status_t read_block(pairs_scan_t *s, int64_t n)
{
    static const size_t place[PAIRS_HIT_DATASETS] = {offsetof(pairs_hit_t, row),
                                                     offsetof(pairs_hit_t, col),
                                                     offsetof(pairs_hit_t, score),
                                                     offsetof(pairs_hit_t, matches),
                                                     offsetof(pairs_hit_t, columns),
                                                     offsetof(pairs_hit_t, strand)};
    const pairs_file_t *f = s->file;
    status_t st = ST_OK;

    for (int64_t k = 0; k < n; k++)
        s->hits[k].strand = 1; /* unless the file has strands */
    for (int d = 0; st == ST_OK && d < PAIRS_HIT_DATASETS; d++) {
        char *to = (char *)s->hits + place[d];

        if (f->h5->hit[d] == NULL)
            continue;
        st = h5data_read(f->h5->hit[d], 0, 1, s->at, s->at + n, s->block);
        for (int64_t k = 0; st == ST_OK && k < n; k++, to += sizeof(pairs_hit_t))
            memcpy(to, &s->block[k], sizeof(*s->block));
    }
    if (st != ST_OK || f->n_datasets != PAIRS_N_CIGAR)
        return st;
    return h5data_read(f->h5->cigar_offset, 0, 1, s->at, s->at + n + 1, s->text_begin);
}

/* Check n hits, starting with hit s->at, and where their CIGARs are. */
static status_t check_block(pairs_scan_t *s, int64_t n)
{
    status_t st = pairs_check_hits(s->file, s->at, s->last_col, s->hits, n);

    s->last_col = s->hits[n - 1].col;
    for (int64_t k = 0; st == ST_OK && s->file->h5->cigar != NULL && k < n; k++) {
        int64_t begin = s->text_begin[k], end = s->text_begin[k + 1];

        s->text_len[k] = begin >= 0 && end >= begin ? end - begin : -1;
        st = pairs_check_place(s->file, &s->hits[k], begin, s->text_len[k]);
    }
    return st;
}

/* Keep those of n hits that are in the region and reach the identity. */
static void select_hits(pairs_scan_t *s, int64_t n)
{
    const pairs_file_t *f = s->file;
    const pairs_region_t *r = &s->region;

    for (int64_t k = 0; k < n; k++) {
        const pairs_hit_t h = s->hits[k];

        if (h.col < r->col0 || h.col >= r->col1 ||
            !fraction_reached(&s->id, h.matches, h.columns))
            continue;
        if (f->n_datasets == PAIRS_N_CIGAR) {
            s->text_begin[s->n] = s->text_begin[k];
            s->text_len[s->n] = s->text_len[k];
        }
        s->hits[s->n++] = h;
    }
}

/* @return how many hits to read next: as many as fit; of a sorted scan whole rows */
static int64_t next_block(pairs_scan_t *s)
{
    const int64_t *row_start = s->file->row_start;
    int64_t n = s->hits_end - s->at < s->capacity ? s->hits_end - s->at : s->capacity;

    if (s->order == PAIRS_BY_ROW)
        return n;
    while (s->row < s->region.row1 && row_start[s->row + 1] - s->at <= n)
        s->row++;
    return row_start[s->row] - s->at;
}

status_t pairs_scan_hits_next(pairs_scan_t *s)
{
    status_t st = ST_OK;

    for (s->n = 0; st == ST_OK && s->n == 0 && s->at < s->hits_end;) {
        int64_t n = next_block(s);

        if ((st = read_block(s, n)) == ST_OK && (st = check_block(s, n)) == ST_OK)
            select_hits(s, n);
        s->at += n;
    }
    return st;
}
