#include "io/h5util.h"
#include "io/logmsg.h"
#include "io/pairs_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Enough for a row of pairs across a hundred tiles. */
enum { TEXT_CACHE_SLOTS = 10007, TEXT_CACHE_BYTES = 64 << 20 };

struct pairs_file {
    char *path;
    hid_t file;
    hid_t dataset[PAIRS_DATASETS_MAX];
    hid_t cigar, cigar_offset; /* of a file with CIGARs */
    int n_datasets;
    int64_t version;
    tile_grid_t grid;
    char **names; /* [n] HDF5's memory */
    char *job;
};

static status_t refuse(const char *path, const char *what)
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
        return refuse(f->path, "HDF5, but not a result of ribogrid's");
    if (f->version > PAIRS_VERSION_MAJOR) {
        log_error("%s: format version %" PRId64
                  " is newer than this program knows (%d); use "
                  "a newer ribogrid",
                  f->path, f->version, PAIRS_VERSION_MAJOR);
        return ST_EINPUT;
    }
    return ST_OK;
}

static status_t read_names(pairs_file_t *f)
{
    hid_t data = H5Dopen2(f->file, "/sequences/names", H5P_DEFAULT);
    hid_t type = data >= 0 ? H5Dget_type(data) : H5I_INVALID_HID;
    hid_t space = data >= 0 ? H5Dget_space(data) : H5I_INVALID_HID;
    bool good = data >= 0 && H5Sget_simple_extent_npoints(space) == f->grid.n &&
                H5Tis_variable_str(type) > 0;

    if (good)
        f->names = calloc((size_t)f->grid.n + 1, sizeof(*f->names));
    good = good && f->names != NULL &&
           (f->grid.n == 0 ||
            H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, f->names) >= 0);
    for (int64_t i = 0; good && i < f->grid.n; i++)
        good = f->names[i] != NULL; /* HDF5's for a text that was never written */
    if (data >= 0) {
        H5Sclose(space);
        H5Tclose(type);
        H5Dclose(data);
    }
    return good ? ST_OK : refuse(f->path, "its names cannot be read");
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
static hid_t open_text(hid_t file)
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
    f->cigar = open_text(f->file);
    if (f->cigar_offset < 0 || f->cigar < 0)
        return refuse(f->path, "it lacks a dataset");
    if (side_of(f->cigar_offset) != f->grid.n)
        return refuse(f->path, "its datasets are not n x n");
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
            return refuse(f->path, "its datasets are not n x n");
        f->grid.n = side;
        f->n_datasets = d + 1;
    }
    if (f->n_datasets == PAIRS_N_CIGAR)
        return open_cigars(f);
    if (f->n_datasets != PAIRS_N_SCORE && f->n_datasets != PAIRS_N_IDENTITY)
        return refuse(f->path, "it lacks a dataset");
    return ST_OK;
}

status_t pairs_open(const char *path, pairs_file_t **out)
{
    pairs_file_t *f = calloc(1, sizeof(*f));
    int64_t side = 0;
    status_t st;

    h5util_init();
    if (f == NULL || (f->path = strdup(path)) == NULL) {
        free(f);
        return log_nomem("a result file");
    }
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++)
        f->dataset[d] = H5I_INVALID_HID;
    f->cigar = f->cigar_offset = H5I_INVALID_HID;
    f->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (f->file < 0)
        st = access(path, R_OK) != 0
                 ? refuse(path, "it cannot be opened")
                 : refuse(path, "not an HDF5 file, or not a whole one");
    else if ((st = check_format(f)) == ST_OK && (st = open_datasets(f)) == ST_OK) {
        f->job = h5util_get_text(f->file, "job");
        if (f->job == NULL || !h5util_get_int(f->file, "tile_side", &side))
            st = refuse(path, "it lacks an attribute");
        else if (side > f->grid.n || side < (f->grid.n > 0))
            st = refuse(path, "its tile_side cannot be");
        else
            f->grid = tile_grid_of(f->grid.n, side);
    }
    if (st == ST_OK)
        st = read_names(f);
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

const char *pairs_name(const pairs_file_t *file, int64_t i)
{
    return file->names[i];
}

const char *pairs_job(const pairs_file_t *file)
{
    return file->job;
}

/* Print an attribute of /run, text or number. */
static herr_t describe_item(hid_t run, const char *name, const H5A_info_t *info, void *to)
{
    char *text = h5util_get_text(run, name);

    (void)info;
    if (text != NULL) {
        fprintf(to, "run\t%s\t%s\n", name, text);
    } else {
        double number;

        if (h5util_get_real(run, name, &number))
            fprintf(to, "run\t%s\t%.6g\n", name, number);
    }
    free(text);
    return 0;
}

static void describe_devices(hid_t run, FILE *to)
{
    hid_t data = H5Dopen2(run, "devices", H5P_DEFAULT);
    hid_t type = data >= 0 ? H5Dget_type(data) : H5I_INVALID_HID;
    hid_t space = data >= 0 ? H5Dget_space(data) : H5I_INVALID_HID;
    hssize_t n = data >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
    char **lines = calloc((size_t)n + 1, sizeof(*lines));

    if (data < 0) {
        free(lines);
        return;
    }
    if (lines != NULL && n > 0 && H5Tis_variable_str(type) > 0 &&
        H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, lines) >= 0) {
        for (hssize_t i = 0; i < n; i++)
            fprintf(to, "run\tdevice\t%s\n", lines[i]);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, lines);
    }
    free(lines);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(data);
}

static void describe_job(const char *job, FILE *to)
{
    while (*job != '\0') {
        size_t len = strcspn(job, "\n");
        const char *equals = memchr(job, '=', len);
        int name_len = (int)(equals != NULL ? equals - job : (ptrdiff_t)len);
        int value = equals != NULL ? name_len + 1 : name_len;

        fprintf(to, "job\t%.*s\t%.*s\n", name_len, job, (int)len - value, job + value);
        job += len + (job[len] == '\n');
    }
}

static void describe_style(const pairs_file_t *f, FILE *to)
{
    char *style = h5util_get_text(f->file, "cigar_style");

    if (style != NULL)
        fprintf(to, "file\tcigar_style\t%s\n", style);
    free(style);
}

status_t pairs_describe(const pairs_file_t *f, FILE *to)
{
    int64_t n = f->grid.n, minor = 0, stored = 0;
    hid_t run = H5Gopen2(f->file, "run", H5P_DEFAULT);

    h5util_get_int(f->file, "format_version_minor", &minor);
    for (int d = 0; d < f->n_datasets; d++)
        stored += (int64_t)H5Dget_storage_size(f->dataset[d]);
    if (f->n_datasets == PAIRS_N_CIGAR)
        stored += (int64_t)(H5Dget_storage_size(f->cigar) +
                            H5Dget_storage_size(f->cigar_offset));
    fprintf(to, "file\tformat\t%s %" PRId64 ".%" PRId64 "\n", PAIRS_FORMAT, f->version,
            minor);
    fprintf(to, "file\tsequences\t%" PRId64 "\n", n);
    fprintf(to, "file\tpairs\t%" PRId64 "\n", n * (n - 1) / 2);
    fprintf(to, "file\tdatasets\t%s\n",
            f->n_datasets == PAIRS_N_SCORE      ? "score"
            : f->n_datasets == PAIRS_N_IDENTITY ? "score matches columns"
                                                : "score matches columns cigar");
    describe_style(f, to);
    fprintf(to, "file\ttile\t%" PRId64 " x %" PRId64 "\n", f->grid.side, f->grid.side);
    fprintf(to, "file\tstored_bytes\t%" PRId64 "\n", stored);
    describe_job(f->job, to);
    if (run >= 0) {
        hsize_t at = 0;

        H5Aiterate2(run, H5_INDEX_NAME, H5_ITER_INC, &at, describe_item, to);
        describe_devices(run, to);
        H5Gclose(run);
    }
    return ferror(to) ? ST_EIO : ST_OK;
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
        return refuse(f->path, "its CIGARs stand beyond their end");
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
    for (int64_t i = 0; f->names != NULL && i < f->grid.n; i++)
        H5free_memory(f->names[i]);
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++)
        if (f->dataset[d] >= 0)
            H5Dclose(f->dataset[d]);
    if (f->cigar >= 0)
        H5Dclose(f->cigar);
    if (f->cigar_offset >= 0)
        H5Dclose(f->cigar_offset);
    if (f->file >= 0)
        H5Fclose(f->file);
    free(f->names);
    free(f->job);
    free(f->path);
    free(f);
}
