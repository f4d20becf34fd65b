#include "io/base/logmsg.h"
#include "io/pairs/pairs_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Enough for a row of pairs across a hundred tiles. */
enum { TEXT_CACHE_SLOTS = 10007, TEXT_CACHE_BYTES = 64 << 20 };

status_t pairs_refuse(const char *path, const char *what)
{
    log_error("%s: %s; give a file that `ribogrid align` wrote", path, what);
    return ST_EINPUT;
}

static status_t check_format(pairs_file_t *f)
{
    char *format = h5util_get_text(f->file, "format");
    bool ours = format != NULL && strcmp(format, PAIRS_FORMAT) == 0;

    free(format);
    if (!ours || !h5util_get_int(f->file, "format_version", &f->version))
        return pairs_refuse(f->path, "HDF5, but not a result of ribogrid's");
    if (f->version > PAIRS_VERSION_MAJOR) {
        log_error("%s: format version %" PRId64
                  " is newer than this program knows (%d); use "
                  "a newer ribogrid",
                  f->path, f->version, PAIRS_VERSION_MAJOR);
        return ST_EINPUT;
    }
    return ST_OK;
}

status_t pairs_read_side(pairs_file_t *f, const char *group, int64_t n, pairs_side_t *out)
{
    char path[64];

    snprintf(path, sizeof(path), "/%s/names", group);
    out->names = h5util_get_texts(f->file, path, n, &out->n);
    if (out->names == NULL)
        return pairs_refuse(f->path, "its names cannot be read");
    snprintf(path, sizeof(path), "/%s/lengths", group);
    out->lengths =
        h5util_get_array(f->file, path, H5T_NATIVE_INT32, sizeof(int32_t), out->n, NULL);
    return out->lengths != NULL ? ST_OK
                                : pairs_refuse(f->path, "its lengths cannot be read");
}

static status_t read_sizes(pairs_file_t *f)
{
    if (H5Lexists(f->file, "/sequences/size", H5P_DEFAULT) <= 0)
        return ST_OK;
    f->sizes = h5util_get_array(f->file, "/sequences/size", H5T_NATIVE_INT64,
                                sizeof(int64_t), f->rows.n, NULL);
    return f->sizes != NULL ? ST_OK
                            : pairs_refuse(f->path, "its abundances cannot be read");
}

/* The side of an n x n dataset, -1 if it is none such. */
static int64_t side_of(hid_t dataset)
{
    hsize_t dims[2] = {0, 1};
    hid_t space = H5Dget_space(dataset);

    if (H5Sget_simple_extent_ndims(space) == 2)
        H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    return dims[0] == dims[1] ? (int64_t)dims[0] : -1;
}

/* Lines of text are read row by row of the matrix, across all tiles of the row. */
hid_t pairs_open_text(hid_t file)
{
    hid_t how = H5Pcreate(H5P_DATASET_ACCESS), dataset;

    H5Pset_chunk_cache(how, TEXT_CACHE_SLOTS, TEXT_CACHE_BYTES, 1);
    dataset = H5Dopen2(file, "cigar", how);
    H5Pclose(how);
    return dataset;
}

static status_t open_cigars(pairs_file_t *f)
{
    f->cigar_offset = H5Dopen2(f->file, "cigar_offset", H5P_DEFAULT);
    f->cigar = pairs_open_text(f->file);
    if (f->cigar_offset < 0 || f->cigar < 0)
        return pairs_refuse(f->path, "it lacks a dataset");
    if (side_of(f->cigar_offset) != f->grid.n)
        return pairs_refuse(f->path, "its datasets are not n x n");
    return ST_OK;
}

static status_t open_datasets(pairs_file_t *f)
{
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++) {
        int64_t side;

        if (H5Lexists(f->file, pairs_dataset_name[d], H5P_DEFAULT) <= 0)
            break;
        if ((f->dataset[d] = H5Dopen2(f->file, pairs_dataset_name[d], H5P_DEFAULT)) < 0)
            return h5util_fail(f->path, "read");
        side = side_of(f->dataset[d]);
        if (side < 0 || (d > 0 && side != f->grid.n))
            return pairs_refuse(f->path, "its datasets are not n x n");
        f->grid.n = side;
        f->n_datasets = d + 1;
    }
    if (f->n_datasets == PAIRS_N_CIGAR)
        return open_cigars(f);
    if (f->n_datasets != PAIRS_N_SCORE && f->n_datasets != PAIRS_N_IDENTITY)
        return pairs_refuse(f->path, "it lacks a dataset");
    return ST_OK;
}

/* What a file of matrices holds. */
static status_t open_dense(pairs_file_t *f)
{
    int64_t side = 0;
    status_t st = open_datasets(f);

    if (st != ST_OK)
        return st;
    if (!h5util_get_int(f->file, "tile_side", &side))
        return pairs_refuse(f->path, "it lacks an attribute");
    if (side > f->grid.n || side < (f->grid.n > 0))
        return pairs_refuse(f->path, "its tile_side cannot be");
    f->grid = tile_grid_of(f->grid.n, side);
    return pairs_read_side(f, "sequences", f->grid.n, &f->rows);
}

/* A definition that is not known here must not be taken for another. */
static status_t read_identity_def(pairs_file_t *f)
{
    char *ends = h5util_get_text(f->file, "ends");
    char *name = h5util_get_text(f->file, "identity_definition");
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

static status_t open_parts(pairs_file_t *f)
{
    char *layout = NULL;
    status_t st = check_format(f);

    if (st != ST_OK)
        return st;
    layout = h5util_get_text(f->file, "layout");
    if (layout != NULL && strcmp(layout, "hits") == 0)
        st = pairs_hits_open(f);
    else if (layout != NULL && strcmp(layout, "dense") != 0)
        st = pairs_refuse(f->path, "its layout is unknown");
    else
        st = open_dense(f);
    free(layout);
    if (st != ST_OK)
        return st;
    if ((f->job = h5util_get_text(f->file, "job")) == NULL)
        return pairs_refuse(f->path, "it lacks an attribute");
    if ((st = read_identity_def(f)) != ST_OK)
        return st;
    return read_sizes(f);
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
    f->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (f->file < 0)
        st = access(path, R_OK) != 0
                 ? pairs_refuse(path, "it cannot be opened")
                 : pairs_refuse(path, "not an HDF5 file, or not a whole one");
    else
        st = open_parts(f);
    if (st == ST_OK)
        *out = f;
    else
        pairs_close(f);
    return st;
}

const tile_grid_t *pairs_grid(const pairs_file_t *file)
{
    return &file->grid;
}

int pairs_n_datasets(const pairs_file_t *file)
{
    return file->n_datasets;
}

bool pairs_is_sparse(const pairs_file_t *file)
{
    return file->is_sparse;
}

bool pairs_is_against(const pairs_file_t *file)
{
    return file->is_against;
}

bool pairs_has_strand(const pairs_file_t *file)
{
    return file->hit[PAIRS_HIT_STRAND] >= 0;
}

int64_t pairs_n_hits(const pairs_file_t *file)
{
    return file->n_hits;
}

const int64_t *pairs_row_start(const pairs_file_t *file)
{
    return file->row_start;
}

/* The sequences that columns are. */
static const pairs_side_t *columns(const pairs_file_t *file)
{
    return file->is_against ? &file->references : &file->rows;
}

int64_t pairs_n_rows(const pairs_file_t *file)
{
    return file->rows.n;
}

int64_t pairs_n_cols(const pairs_file_t *file)
{
    return columns(file)->n;
}

const char *pairs_name(const pairs_file_t *file, int64_t i)
{
    return file->rows.names[i];
}

const char *pairs_col_name(const pairs_file_t *file, int64_t j)
{
    return columns(file)->names[j];
}

int64_t pairs_len(const pairs_file_t *file, int64_t i)
{
    return file->rows.lengths[i];
}

int64_t pairs_col_len(const pairs_file_t *file, int64_t j)
{
    return columns(file)->lengths[j];
}

fraction_t pairs_min_identity(const pairs_file_t *file)
{
    return file->min_identity;
}

identity_def_t pairs_identity_def(const pairs_file_t *file)
{
    return file->identity_def;
}

bool pairs_ends_count(const pairs_file_t *file)
{
    return file->ends_count;
}

bool pairs_ends_query(const pairs_file_t *file)
{
    return file->ends_query;
}

const int64_t *pairs_sizes(const pairs_file_t *file)
{
    return file->sizes;
}

const char *pairs_job(const pairs_file_t *file)
{
    return file->job;
}

static status_t read_rectangle(const pairs_file_t *f, hid_t dataset, hid_t type,
                               int64_t row0, int64_t row1, int64_t col0, int64_t col1,
                               void *out)
{
    hsize_t start[2] = {(hsize_t)row0, (hsize_t)col0};
    hsize_t count[2] = {(hsize_t)(row1 - row0), (hsize_t)(col1 - col0)};
    hid_t space = H5Dget_space(dataset);
    hid_t memory = H5Screate_simple(2, count, NULL);
    bool good;

    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    good = H5Dread(dataset, type, memory, space, H5P_DEFAULT, out) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good ? ST_OK : h5util_fail(f->path, "read");
}

status_t pairs_read(const pairs_file_t *f, pairs_dataset_t dataset, int64_t row0,
                    int64_t row1, int64_t col0, int64_t col1, int32_t *out)
{
    return read_rectangle(f, f->dataset[dataset], H5T_NATIVE_INT32, row0, row1, col0,
                          col1, out);
}

status_t pairs_read_cigar_offsets(const pairs_file_t *f, int64_t row0, int64_t row1,
                                  int64_t col0, int64_t col1, int64_t *out)
{
    return read_rectangle(f, f->cigar_offset, H5T_NATIVE_INT64, row0, row1, col0, col1,
                          out);
}

status_t pairs_read_cigar_text(const pairs_file_t *f, int64_t begin, int64_t end,
                               buf_t *out)
{
    hid_t space = H5Dget_space(f->cigar), memory;
    hsize_t first = (hsize_t)begin, count = (hsize_t)(end - begin);
    bool good;
    status_t st;

    out->len = 0;
    if (begin < 0 || end < begin || end > H5Sget_simple_extent_npoints(space)) {
        H5Sclose(space);
        return pairs_refuse(f->path, "its CIGARs stand beyond their end");
    }
    if ((st = buf_reserve(out, count)) != ST_OK || count == 0) {
        H5Sclose(space);
        return st;
    }
    memory = H5Screate_simple(1, &count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL);
    good =
        H5Dread(f->cigar, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, out->data) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    out->len = good ? count : 0;
    return good ? ST_OK : h5util_fail(f->path, "read");
}

void pairs_close(pairs_file_t *f)
{
    if (f == NULL)
        return;
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++)
        if (f->dataset[d] >= 0)
            H5Dclose(f->dataset[d]);
    if (f->cigar >= 0)
        H5Dclose(f->cigar);
    if (f->cigar_offset >= 0)
        H5Dclose(f->cigar_offset);
    pairs_hits_close(f);
    if (f->file >= 0)
        H5Fclose(f->file);
    h5util_free_texts(f->rows.names, f->rows.n);
    free(f->rows.lengths);
    free(f->sizes);
    free(f->job);
    free(f->path);
    free(f);
}
