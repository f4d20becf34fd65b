/*
 * pairs_read_hits.c - a file of hits: what it holds, and a scan of it.
 */
#include "io/base/logmsg.h"
#include "io/pairs/pairs_scan_state.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16 }; /* hits that are read at a time */

/* Open a dataset of /hits. @return its values, -1 if it is none such */
static int64_t open_dataset(pairs_file_t *f, const char *name, hid_t *out)
{
    char path[64];
    hid_t space;
    int64_t n = -1;

    snprintf(path, sizeof(path), "/hits/%s", name);
    if (H5Lexists(f->file, path, H5P_DEFAULT) <= 0 ||
        (*out = H5Dopen2(f->file, path, H5P_DEFAULT)) < 0)
        return -1;
    space = H5Dget_space(*out);
    if (H5Sget_simple_extent_ndims(space) == 1)
        n = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    return n;
}

static status_t open_datasets(pairs_file_t *f)
{
    f->n_hits = open_dataset(f, pairs_hit_name[0], &f->hit[0]);
    for (int d = 1; d < PAIRS_HIT_DATASETS; d++)
        if (open_dataset(f, pairs_hit_name[d], &f->hit[d]) != f->n_hits &&
            (d != PAIRS_HIT_STRAND || f->hit[d] >= 0))
            return pairs_refuse(f->path, "it lacks a dataset of /hits");
    f->n_datasets = PAIRS_N_IDENTITY;
    if (f->n_hits < 0)
        return pairs_refuse(f->path, "it lacks a dataset of /hits");
    if (H5Lexists(f->file, "cigar", H5P_DEFAULT) <= 0)
        return ST_OK;
    f->n_datasets = PAIRS_N_CIGAR;
    f->cigar = pairs_open_text(f->file);
    if (f->cigar < 0 ||
        open_dataset(f, "cigar_offset", &f->cigar_offset) != f->n_hits + 1)
        return pairs_refuse(f->path, "it lacks a dataset of CIGARs");
    return ST_OK;
}

static status_t read_row_start(pairs_file_t *f)
{
    int64_t n = f->rows.n, *start;
    bool good;

    f->row_start = start = h5util_get_array(f->file, "/hits/row_start", H5T_NATIVE_INT64,
                                            sizeof(*start), n + 1, NULL);
    good = start != NULL && start[0] == 0 && start[n] == f->n_hits;
    for (int64_t i = 0; good && i < n; i++)
        good = start[i] <= start[i + 1];
    return good ? ST_OK : pairs_refuse(f->path, "its rows of hits cannot be read");
}

static status_t read_min_identity(pairs_file_t *f)
{
    char *text = h5util_get_text(f->file, "min_identity");
    bool good = text == NULL || fraction_from_ratio(text, &f->min_identity);

    free(text);
    return good ? ST_OK : pairs_refuse(f->path, "its min_identity cannot be");
}

status_t pairs_hits_open(pairs_file_t *f)
{
    status_t st;

    f->is_sparse = true;
    f->is_against = H5Lexists(f->file, "references", H5P_DEFAULT) > 0;
    if ((st = pairs_read_side(f, "sequences", -1, &f->rows)) != ST_OK)
        return st;
    f->grid.n = f->rows.n;
    if (f->is_against &&
        (st = pairs_read_side(f, "references", -1, &f->references)) != ST_OK)
        return st;
    if ((st = open_datasets(f)) != ST_OK || (st = read_row_start(f)) != ST_OK)
        return st;
    return read_min_identity(f);
}

void pairs_hits_close(pairs_file_t *f)
{
    for (int d = 0; d < PAIRS_HIT_DATASETS; d++)
        if (f->hit[d] >= 0)
            H5Dclose(f->hit[d]);
    h5util_free_texts(f->references.names, f->references.n);
    free(f->references.lengths);
    free(f->row_start);
}

status_t pairs_block_create(pairs_scan_t *s)
{
    const pairs_file_t *f = s->file;
    int64_t n;

    s->at = f->row_start[s->region.row0];
    s->hits_end = f->row_start[s->region.row1];
    n = s->hits_end - s->at < BLOCK ? s->hits_end - s->at : BLOCK;
    n = n > 0 ? n : 0;
    if ((s->block = malloc((size_t)n * sizeof(*s->block) + 1)) == NULL)
        return log_nomem("pairs");
    return pairs_scan_reserve(s, n);
}

static bool read_values(hid_t dataset, hid_t type, int64_t at, int64_t n, void *out)
{
    hsize_t start = (hsize_t)at, count = (hsize_t)n;
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, &count, NULL);
    bool good;

    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    good = H5Dread(dataset, type, memory, space, H5P_DEFAULT, out) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

/* Read n hits from s->at. */
static status_t read_block(pairs_scan_t *s, int64_t n)
{
    static const size_t place[PAIRS_HIT_DATASETS] = {offsetof(pairs_hit_t, row),
                                                     offsetof(pairs_hit_t, col),
                                                     offsetof(pairs_hit_t, score),
                                                     offsetof(pairs_hit_t, matches),
                                                     offsetof(pairs_hit_t, columns),
                                                     offsetof(pairs_hit_t, strand)};
    const pairs_file_t *f = s->file;

    for (int d = 0; d < PAIRS_HIT_DATASETS; d++) {
        char *to = (char *)s->hits + place[d];

        for (int64_t k = 0; f->hit[d] < 0 && k < n; k++)
            s->hits[k].strand = 1;
        if (f->hit[d] < 0)
            continue;
        if (!read_values(f->hit[d], H5T_NATIVE_INT32, s->at, n, s->block))
            return h5util_fail(f->path, "read");
        for (int64_t k = 0; k < n; k++, to += sizeof(pairs_hit_t))
            memcpy(to, &s->block[k], sizeof(*s->block));
    }
    if (f->n_datasets == PAIRS_N_CIGAR &&
        !read_values(f->cigar_offset, H5T_NATIVE_INT64, s->at, n + 1, s->text_begin))
        return h5util_fail(f->path, "read");
    for (int64_t k = 0; f->n_datasets == PAIRS_N_CIGAR && k < n; k++)
        s->text_len[k] = s->text_begin[k + 1] - s->text_begin[k];
    return ST_OK;
}

/* Leave the wanted ones of n hits; none may be where there is no sequence. */
static status_t take_block(pairs_scan_t *s, int64_t n)
{
    const pairs_file_t *f = s->file;
    const pairs_region_t *r = &s->region;

    for (int64_t k = 0; k < n; k++) {
        const pairs_hit_t h = s->hits[k];

        if (h.row < r->row0 || h.row >= r->row1 || h.col < 0 || h.col >= pairs_n_cols(f))
            return pairs_refuse(f->path, "a hit is of no sequence");
        if (h.col < r->col0 || h.col >= r->col1 ||
            !fraction_reached(&s->id, h.matches, h.columns))
            continue;
        if (f->n_datasets == PAIRS_N_CIGAR) {
            s->text_begin[s->n] = s->text_begin[k];
            s->text_len[s->n] = s->text_len[k];
        }
        s->hits[s->n++] = h;
    }
    return ST_OK;
}

status_t pairs_block_next(pairs_scan_t *s)
{
    status_t st = ST_OK;

    for (s->n = 0; st == ST_OK && s->n == 0 && s->at < s->hits_end;) {
        int64_t left = s->hits_end - s->at, n = left < BLOCK ? left : BLOCK;

        if ((st = read_block(s, n)) == ST_OK)
            st = take_block(s, n);
        s->at += n;
    }
    return st;
}
