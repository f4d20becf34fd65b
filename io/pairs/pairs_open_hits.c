/*
 * pairs_open_hits.c - opening a file of hits: its datasets must fit each other.
 */
#include "io/pairs/pairs_open_hits.h"

#include "io/store/h5text.h"

#include <stdio.h>
#include <stdlib.h>

/* Open a dataset of /hits. @return its number of values, -1 if it is missing or not 1-d
 */
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
            return pairs_refuse(f->path,
                                "a dataset of /hits is missing or of the wrong length");
    f->n_datasets = PAIRS_N_IDENTITY;
    if (f->n_hits < 0)
        return pairs_refuse(f->path,
                            "a dataset of /hits is missing or of the wrong length");
    if (H5Lexists(f->file, "cigar", H5P_DEFAULT) <= 0)
        return ST_OK;
    f->n_datasets = PAIRS_N_CIGAR;
    f->cigar = pairs_open_text(f->file);
    if (f->cigar < 0 ||
        open_dataset(f, "cigar_offset", &f->cigar_offset) != f->n_hits + 1)
        return pairs_refuse(f->path,
                            "a dataset of CIGARs is missing or of the wrong length");
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
    return good ? ST_OK : pairs_refuse(f->path, "cannot read the rows of its hits");
}

static status_t read_min_identity(pairs_file_t *f)
{
    char *text = h5text_get(f->file, "min_identity");
    bool good = text == NULL || fraction_from_ratio(text, &f->min_identity);

    free(text);
    return good ? ST_OK : pairs_refuse(f->path, "its min_identity is invalid");
}

status_t pairs_open_hits(pairs_file_t *f)
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
