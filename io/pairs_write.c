#include "io/alphabet.h"
#include "io/h5util.h"
#include "io/logmsg.h"
#include "io/pairs_cigar.h"
#include "io/pairs_extra.h"
#include "io/pairs_file.h"
#include "io/tile_pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const pairs_dataset_name[PAIRS_DATASETS_MAX] = {"score", "matches", "columns",
                                                            "cigar_length"};
const int32_t pairs_fill[PAIRS_DATASETS_MAX] = {INT32_MIN, 0, 0, 0};

enum { LETTER_CHUNK = 1 << 16, TEXT_SLICE = 1 << 16 };

static status_t fail(const char *path, const char *verb)
{
    log_error(
        "%s: HDF5 cannot %s it: %s; the log is whole: mend that, then give --resume",
        path, verb, h5util_cause());
    return ST_EIO;
}

static bool write_root(hid_t file, const pairs_head_t *head, const tile_grid_t *grid)
{
    return h5util_put_text(file, "format", PAIRS_FORMAT) &&
           h5util_put_int(file, "format_version", PAIRS_VERSION_MAJOR) &&
           h5util_put_int(file, "format_version_minor", PAIRS_VERSION_MINOR) &&
           h5util_put_text(file, "identity", "matches / columns") &&
           h5util_put_text(file, "ends", head->ends) &&
           h5util_put_text(file, "triangle", "row < col") &&
           h5util_put_int(file, "tile_side", grid->side) &&
           (head->cigar_style == NULL ||
            h5util_put_text(file, "cigar_style", head->cigar_style)) &&
           h5util_put_text(file, "job", head->job);
}

static bool write_run(hid_t file, const pairs_head_t *head)
{
    hid_t run = H5Gcreate2(file, "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = run >= 0;

    for (int i = 0; good && i < head->n_run; i++)
        good = head->run[i].text != NULL
                   ? h5util_put_text(run, head->run[i].name, head->run[i].text)
                   : h5util_put_real(run, head->run[i].name, head->run[i].number);
    good =
        good && h5util_put_texts(run, "devices", head->devices, (hsize_t)head->n_devices);
    if (run >= 0)
        H5Gclose(run);
    return good;
}

/* Names a slice at a time: the pointers to all of them could outweigh the sequences. */
static bool write_names(hid_t group, const seqset_t *set)
{
    hsize_t n = (hsize_t)set->n, slice = n < TEXT_SLICE ? n : TEXT_SLICE;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &n, NULL);
    const char **names = malloc((slice + 1) * sizeof(*names));
    hid_t data;
    bool good;

    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    data = H5Dcreate2(group, "names", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    good = data >= 0 && names != NULL;
    for (hsize_t first = 0; good && first < n; first += slice) {
        hsize_t count = n - first < slice ? n - first : slice;
        hid_t memory = H5Screate_simple(1, &count, NULL);

        for (hsize_t i = 0; i < count; i++)
            names[i] = seqset_name(set, (int64_t)(first + i));
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL);
        good = H5Dwrite(data, type, memory, space, H5P_DEFAULT, names) >= 0;
        H5Sclose(memory);
    }
    if (data >= 0)
        H5Dclose(data);
    free(names);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* Letters as ASCII, so that a reader needs no table. */
static bool write_letters(hid_t group, const seqset_t *set)
{
    hsize_t n = (hsize_t)set->offset[set->n], chunk = n < LETTER_CHUNK ? n : LETTER_CHUNK;
    hid_t space = H5Screate_simple(1, &n, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    unsigned char *text = malloc(LETTER_CHUNK);
    bool good = text != NULL;
    hid_t data;

    if (n > 0) {
        H5Pset_chunk(how, 1, &chunk);
        H5Pset_deflate(how, 1);
    }
    data =
        H5Dcreate2(group, "letters", H5T_STD_U8LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    good = good && data >= 0;
    for (hsize_t first = 0; good && first < n; first += chunk) {
        hsize_t count = n - first < chunk ? n - first : chunk;
        hid_t memory = H5Screate_simple(1, &count, NULL);

        for (hsize_t i = 0; i < count; i++)
            text[i] = (unsigned char)alphabet_letter(set->letters[first + i]);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL);
        good = H5Dwrite(data, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, text) >= 0;
        H5Sclose(memory);
    }
    if (data >= 0)
        H5Dclose(data);
    free(text);
    H5Pclose(how);
    H5Sclose(space);
    return good;
}

static bool write_sequences(hid_t file, const seqset_t *set)
{
    hid_t group = H5Gcreate2(file, "sequences", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int32_t *lengths = malloc(((size_t)set->n + 1) * sizeof(*lengths));
    bool good = group >= 0 && lengths != NULL;

    for (int64_t i = 0; good && i < set->n; i++)
        lengths[i] = (int32_t)seqset_len(set, i);
    good = good &&
           h5util_put_array(group, "lengths", H5T_STD_I32LE, H5T_NATIVE_INT32, lengths,
                            (hsize_t)set->n, 0) &&
           h5util_put_array(group, "offset", H5T_STD_I64LE, H5T_NATIVE_INT64, set->offset,
                            (hsize_t)set->n + 1, 0) &&
           write_names(group, set) && write_letters(group, set);
    if (group >= 0)
        H5Gclose(group);
    free(lengths);
    return good;
}

hid_t pairs_create_matrix(hid_t file, const char *name, hid_t type,
                          const tile_grid_t *grid, const void *fill)
{
    hsize_t dims[2] = {(hsize_t)grid->n, (hsize_t)grid->n};
    hsize_t chunk[2] = {(hsize_t)grid->side, (hsize_t)grid->side};
    hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, NULL);
    hid_t dataset;

    if (grid->n > 0) {
        H5Pset_chunk(how, 2, chunk);
        H5Pset_shuffle(how);
        H5Pset_deflate(how, TILE_PACK_LEVEL);
    }
    H5Pset_fill_value(how, type, fill);
    dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(how);
    return dataset;
}

/* Chunks go from the log to the file as they are, in the order of the tiles. */
static status_t write_tiles(const char *path, hid_t file, int n_datasets,
                            const tile_grid_t *grid, const reslog_t *log)
{
    hid_t dataset[PAIRS_DATASETS_MAX];
    pairs_cigar_writer_t cigar = {.n_chunks = 0};
    bool has_cigars = n_datasets == PAIRS_N_CIGAR;
    buf_t packed = {0};
    status_t st = ST_OK;

    for (int d = 0; d < n_datasets; d++)
        if ((dataset[d] = pairs_create_matrix(file, pairs_dataset_name[d], H5T_STD_I32LE,
                                              grid, &pairs_fill[d])) < 0)
            st = fail(path, "write");
    if (has_cigars && !pairs_cigar_begin(file, grid, &cigar))
        st = fail(path, "write");
    for (int64_t k = 0; st == ST_OK && k < grid->n_tiles; k++) {
        tile_t tile = tile_at(grid, k);
        hsize_t origin[2] = {(hsize_t)tile.row0, (hsize_t)tile.col0};
        size_t at = 0;

        st = reslog_read(log, k, &packed);
        for (int d = 0; st == ST_OK && d < n_datasets; d++) {
            uint32_t len;
            const unsigned char *chunk = tile_pack_next(&packed, &at, &len);

            if (chunk == NULL ||
                H5Dwrite_chunk(dataset[d], H5P_DEFAULT, 0, origin, len, chunk) < 0 ||
                (d == PAIRS_CIGAR_LENGTH &&
                 !pairs_cigar_put(&cigar, &tile, chunk, len, &packed, at)))
                st = fail(path, "write");
        }
    }
    for (int d = 0; d < n_datasets; d++)
        if (dataset[d] >= 0 && H5Dclose(dataset[d]) < 0 && st == ST_OK)
            st = fail(path, "write");
    if (has_cigars && !pairs_cigar_end(&cigar) && st == ST_OK)
        st = fail(path, "write");
    buf_free(&packed);
    return st;
}

static status_t sync_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    status_t st = ST_OK;

    if (fd < 0 || fsync(fd) != 0) {
        log_error("%s: cannot sync: %s", path, strerror(errno));
        st = ST_EIO;
    }
    if (fd >= 0)
        close(fd);
    return st;
}

status_t pairs_write(const char *path, const pairs_head_t *head, const seqset_t *set,
                     const tile_grid_t *grid, const reslog_t *log)
{
    status_t st = ST_OK;
    hid_t file;

    h5util_init();
    if ((file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) < 0)
        return fail(path, "create");
    if (!write_root(file, head, grid) || !write_run(file, head) ||
        !write_sequences(file, set) || !pairs_extra_write(file, head, set->n))
        st = fail(path, "write");
    if (st == ST_OK)
        st = write_tiles(path, file, head->n_datasets, grid, log);
    if (H5Fclose(file) < 0 && st == ST_OK)
        st = fail(path, "write");
    return st == ST_OK ? sync_file(path) : st;
}
