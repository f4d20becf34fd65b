/*
 * pairs_open_hits.c - opening a file of hits: its datasets must fit each other.
 */
#include "io/pairs/pairs_state.h"

#include "io/hdf5/h5check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Open a dataset of /hits that has n values; n < 0: of any number.
 * @return it, or NULL (logged) */
static h5data_t *open_dataset(const pairs_file_t *f, const char *name, hid_t type,
                              int64_t n)
{
    char path[64];
    h5data_t *data;

    snprintf(path, sizeof(path), "/hits/%s", name);
    data =
        h5data_open(f->h5->file, path, &(h5data_want_t){.rank = 1, .memory_type = type});
    if (data == NULL || n < 0 || data->columns == n)
        return data;
    pairs_refuse(f->path, "%s has %" PRId64 " values instead of %" PRId64, path,
                 data->columns, n);
    h5data_close(data);
    return NULL;
}

static status_t open_datasets(pairs_file_t *f)
{
    f->n_hits = -1;
    for (int d = 0; d < PAIRS_HIT_DATASETS; d++) {
        if (d == PAIRS_HIT_STRAND && !h5check_exists(f->h5->file, "/hits/strand"))
            continue;
        f->h5->hit[d] = open_dataset(f, pairs_hit_name[d], H5T_NATIVE_INT32, f->n_hits);
        if (f->h5->hit[d] == NULL)
            return ST_EINPUT;
        f->n_hits = f->h5->hit[d]->columns;
    }
    f->has_strand = f->h5->hit[PAIRS_HIT_STRAND] != NULL;
    f->n_datasets = PAIRS_N_IDENTITY;
    if (!h5check_exists(f->h5->file, "/cigar"))
        return ST_OK;
    f->n_datasets = PAIRS_N_CIGAR;
    f->h5->cigar_offset =
        open_dataset(f, "cigar_offset", H5T_NATIVE_INT64, f->n_hits + 1);
    if (f->h5->cigar_offset == NULL || (f->h5->cigar = pairs_open_text(f)) == NULL)
        return ST_EINPUT;
    return ST_OK;
}

static status_t read_row_start(pairs_file_t *f)
{
    static const char name[] = "/hits/row_start";
    int64_t n = f->rows.n, *start;

    f->row_start = start = h5data_get(f->h5->file, name, H5T_NATIVE_INT64, n + 1, NULL);
    if (start == NULL)
        return ST_EINPUT;
    if (start[0] != 0 || start[n] != f->n_hits)
        return pairs_refuse(f->path, "%s does not go from 0 to the number of hits", name);
    for (int64_t i = 0; i < n; i++)
        if (start[i] > start[i + 1])
            return pairs_refuse(f->path, "%s falls after row %" PRId64, name, i + 1);
    return ST_OK;
}

static status_t read_min_identity(pairs_file_t *f)
{
    char *text;
    status_t st = pairs_read_text(f, "min_identity", &text);

    if (text != NULL && !fraction_from_ratio(text, &f->min_identity))
        st = pairs_refuse(f->path, "its min_identity is invalid");
    free(text);
    return st;
}

static status_t read_top(pairs_file_t *f)
{
    if (h5util_get_int(f->h5->file, "top", &f->top) && f->top < 1)
        return pairs_refuse(f->path, "its top is invalid");
    return ST_OK;
}

status_t pairs_open_hits(pairs_file_t *f)
{
    status_t st;

    f->is_sparse = true;
    f->is_against = h5check_exists(f->h5->file, "/references");
    if ((st = pairs_read_side(f, "sequences", -1, &f->rows)) != ST_OK)
        return st;
    f->grid.n = f->rows.n;
    if (f->is_against && (st = pairs_read_side(f, "references", -1, &f->cols)) != ST_OK)
        return st;
    if ((st = open_datasets(f)) != ST_OK || (st = read_row_start(f)) != ST_OK)
        return st;
    if ((st = read_top(f)) != ST_OK)
        return st;
    return read_min_identity(f);
}
