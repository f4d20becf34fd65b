/*
 * pairs_open.c - opening a result file: the format and n x n matrices are checked here,
 * hits in pairs_open_hits.c.
 */
#include "io/pairs/pairs_open.h"

#include "io/base/child.h"
#include "io/base/logmsg.h"
#include "io/pairs/pairs_open_hits.h"
#include "io/store/h5text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REASON_BYTES = 256 };

static status_t check_format(pairs_file_t *f)
{
    char *format = h5text_get(f->file, "format");
    bool ours = format != NULL && strcmp(format, PAIRS_FORMAT) == 0;

    free(format);
    if (!ours || !h5util_get_int(f->file, "format_version", &f->version))
        return pairs_refuse(f->path, "an HDF5 file, but not a ribogrid result");
    if (f->version > PAIRS_VERSION_MAJOR) {
        log_error("%s: format version %" PRId64 " is newer than this program knows (%d); "
                  "use a newer ribogrid",
                  f->path, f->version, PAIRS_VERSION_MAJOR);
        return ST_EINPUT;
    }
    return ST_OK;
}

/* @return n of an n x n dataset, or -1 if it is not square */
static int64_t side_of(hid_t dataset)
{
    hsize_t dims[2] = {0, 1};
    hid_t space = H5Dget_space(dataset);

    if (H5Sget_simple_extent_ndims(space) == 2)
        H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    return dims[0] == dims[1] ? (int64_t)dims[0] : -1;
}

static status_t open_cigars(pairs_file_t *f)
{
    f->cigar_offset = H5Dopen2(f->file, "cigar_offset", H5P_DEFAULT);
    f->cigar = pairs_open_text(f->file);
    if (f->cigar_offset < 0 || f->cigar < 0)
        return pairs_refuse(f->path, "a dataset is missing");
    if (side_of(f->cigar_offset) != f->grid.n)
        return pairs_refuse(f->path, "its datasets are not n x n");
    return ST_OK;
}

static status_t open_matrices(pairs_file_t *f)
{
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++) {
        int64_t side;

        if (H5Lexists(f->file, pairs_dataset_name[d], H5P_DEFAULT) <= 0)
            break;
        if ((f->dataset[d] = H5Dopen2(f->file, pairs_dataset_name[d], H5P_DEFAULT)) < 0)
            return h5util_cannot_read(f->path);
        side = side_of(f->dataset[d]);
        if (side < 0 || (d > 0 && side != f->grid.n))
            return pairs_refuse(f->path, "its datasets are not n x n");
        f->grid.n = side;
        f->n_datasets = d + 1;
    }
    if (f->n_datasets == PAIRS_N_CIGAR)
        return open_cigars(f);
    if (f->n_datasets != PAIRS_N_SCORE && f->n_datasets != PAIRS_N_IDENTITY)
        return pairs_refuse(f->path, "a dataset is missing");
    return ST_OK;
}

static status_t open_dense(pairs_file_t *f)
{
    int64_t side = 0;
    status_t st = open_matrices(f);

    if (st != ST_OK)
        return st;
    if (!h5util_get_int(f->file, "tile_side", &side))
        return pairs_refuse(f->path, "an attribute is missing");
    if (side > f->grid.n || side < (f->grid.n > 0))
        return pairs_refuse(f->path, "its tile_side is out of range");
    f->grid = tile_grid_of(f->grid.n, side);
    return pairs_read_side(f, "sequences", f->grid.n, &f->rows);
}

static status_t open_layout(pairs_file_t *f)
{
    char *layout = h5text_get(f->file, "layout");
    status_t st;

    if (layout != NULL && strcmp(layout, "hits") == 0)
        st = pairs_open_hits(f);
    else if (layout != NULL && strcmp(layout, "dense") != 0)
        st = pairs_refuse(f->path, "its layout is unknown");
    else
        st = open_dense(f);
    free(layout);
    return st;
}

/* An unknown definition is refused: it must not be taken for another one. */
static status_t read_identity_def(pairs_file_t *f)
{
    char *ends = h5text_get(f->file, "ends");
    char *name = h5text_get(f->file, "identity_definition");
    status_t st = ST_OK;

    f->ends_query = ends != NULL && strcmp(ends, "query") == 0;
    f->ends_count = !f->ends_query && (ends == NULL || strcmp(ends, "free") != 0);
    f->identity_def = identity_def_canonical(f->ends_count);
    if (name != NULL && !identity_def_find(name, &f->identity_def)) {
        log_error("%s: its identity_definition '%s' is unknown; use a newer ribogrid",
                  f->path, name);
        st = ST_EINPUT;
    }
    free(ends);
    free(name);
    return st;
}

static status_t read_sizes(pairs_file_t *f)
{
    if (H5Lexists(f->file, "/sequences/size", H5P_DEFAULT) <= 0)
        return ST_OK;
    f->sizes = h5util_get_array(f->file, "/sequences/size", H5T_NATIVE_INT64,
                                sizeof(int64_t), f->rows.n, NULL);
    return f->sizes != NULL ? ST_OK : pairs_refuse(f->path, "cannot read its abundances");
}

static status_t open_content(pairs_file_t *f)
{
    status_t st;

    if ((st = check_format(f)) != ST_OK || (st = open_layout(f)) != ST_OK)
        return st;
    if ((f->job = h5text_get(f->file, "job")) == NULL)
        return pairs_refuse(f->path, "an attribute is missing");
    f->cigar_style = h5text_get(f->file, "cigar_style");
    if ((st = read_identity_def(f)) != ST_OK)
        return st;
    return read_sizes(f);
}

static status_t refuse_unopened(const char *path)
{
    char reason[REASON_BYTES];

    if (access(path, R_OK) == 0)
        return pairs_refuse(path, "not an HDF5 file, or a truncated one");
    snprintf(reason, sizeof(reason), "cannot open it: %s", strerror(errno));
    return pairs_refuse(path, reason);
}

status_t pairs_open(const char *path, pairs_file_t **out)
{
    pairs_file_t *f = calloc(1, sizeof(*f));
    status_t st;

    h5util_init();
    if (f == NULL || (f->path = strdup(path)) == NULL) {
        free(f);
        return log_nomem("a result file");
    }
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++)
        f->dataset[d] = H5I_INVALID_HID;
    for (int d = 0; d < PAIRS_HIT_DATASETS; d++)
        f->hit[d] = H5I_INVALID_HID;
    f->cigar = f->cigar_offset = H5I_INVALID_HID;
    child_reads(path);
    f->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    st = f->file < 0 ? refuse_unopened(path) : open_content(f);
    if (st == ST_OK)
        *out = f;
    else
        pairs_close(f);
    return st;
}

static void close_dataset(hid_t dataset)
{
    if (dataset >= 0)
        H5Dclose(dataset);
}

static void free_side(pairs_side_t *side)
{
    h5text_free_array(side->names);
    free(side->lengths);
}

void pairs_close(pairs_file_t *f)
{
    if (f == NULL)
        return;
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++)
        close_dataset(f->dataset[d]);
    for (int d = 0; d < PAIRS_HIT_DATASETS; d++)
        close_dataset(f->hit[d]);
    close_dataset(f->cigar);
    close_dataset(f->cigar_offset);
    if (f->file >= 0)
        H5Fclose(f->file);
    free_side(&f->rows);
    free_side(&f->references);
    free(f->row_start);
    free(f->sizes);
    free(f->job);
    free(f->cigar_style);
    free(f->path);
    free(f);
}
