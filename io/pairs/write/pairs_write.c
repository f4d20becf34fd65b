/*
 * pairs_write.c - writing n x n matrices: compressed chunks go from the log to the file
 * as they are, in the order of the tiles.
 */
#include "io/pairs/write/pairs_write.h"

#include "io/pairs/write/pairs_cigar_write.h"
#include "io/pairs/write/pairs_datasets.h"
#include "io/store/h5text.h"
#include "io/store/tile_pack.h"

static status_t write_tiles(const char *path, hid_t file, int n_datasets,
                            const tile_grid_t *grid, const reslog_t *log)
{
    hid_t dataset[PAIRS_DATASETS_MAX];
    pairs_cigar_writer_t cigar = {.n_chunks = 0};
    bool has_cigars = n_datasets == PAIRS_N_CIGAR;
    buf_t packed = {0};
    status_t st = ST_OK;

    for (int d = 0; d < n_datasets; d++)
        if ((dataset[d] = pairs_datasets_matrix(file, pairs_dataset_name[d],
                                                H5T_STD_I32LE, grid, &pairs_fill[d])) < 0)
            st = pairs_datasets_fail(path, "write");
    if (has_cigars && !pairs_cigar_begin(file, grid, &cigar))
        st = pairs_datasets_fail(path, "write");
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
                st = pairs_datasets_fail(path, "write");
        }
    }
    for (int d = 0; d < n_datasets; d++)
        if (dataset[d] >= 0 && H5Dclose(dataset[d]) < 0 && st == ST_OK)
            st = pairs_datasets_fail(path, "write");
    if (has_cigars && !pairs_cigar_end(&cigar) && st == ST_OK)
        st = pairs_datasets_fail(path, "write");
    buf_free(&packed);
    return st;
}

status_t pairs_write(const char *path, const pairs_head_t *head, const seqset_t *set,
                     const tile_grid_t *grid, const reslog_t *log)
{
    status_t st = ST_OK;
    hid_t file;

    h5util_init();
    if ((file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) < 0)
        return pairs_datasets_fail(path, "create");
    if (!pairs_datasets_put_root(file, head) ||
        !h5text_put(file, "triangle", "row < col") ||
        !h5util_put_int(file, "tile_side", grid->side) ||
        !pairs_datasets_put_run(file, head, NULL) ||
        !pairs_datasets_put_names(file, "sequences", set, 0, set->n) ||
        !pairs_datasets_put_sequences(file, head, set, set->n))
        st = pairs_datasets_fail(path, "write");
    if (st == ST_OK)
        st = write_tiles(path, file, head->n_datasets, grid, log);
    if (H5Fclose(file) < 0 && st == ST_OK)
        st = pairs_datasets_fail(path, "write");
    return st == ST_OK ? pairs_datasets_sync(path) : st;
}
