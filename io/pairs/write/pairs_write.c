/*
 * pairs_write.c - writing n x n matrices: compressed chunks go from the log to the file
 * as they are, in the order of the tiles.
 */
#include "io/pairs/write/pairs_write.h"

#include "io/pairs/write/pairs_cigar_write.h"
#include "io/pairs/write/pairs_datasets.h"
#include "io/store/h5text.h"
#include "io/store/tile_pack.h"

#include <string.h>

/* Read a tile's record. @param at  out: where its first chunk starts */
static status_t read_tile(const char *path, const reslog_t *log, int64_t k, buf_t *packed,
                          size_t *at, pairs_counts_t *counts)
{
    int64_t n_without_identity;
    status_t st = reslog_read(log, k, packed);

    if (st != ST_OK)
        return st;
    if (packed->len < sizeof(n_without_identity))
        return pairs_datasets_fail(path, "write");
    memcpy(&n_without_identity, packed->data, sizeof(n_without_identity));
    counts->n_without_identity += n_without_identity;
    *at = sizeof(n_without_identity);
    return ST_OK;
}

static status_t write_tiles(const char *path, hid_t file, int n_datasets,
                            const tile_grid_t *grid, const reslog_t *log,
                            pairs_counts_t *counts)
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

        st = read_tile(path, log, k, &packed, &at, counts);
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
                     const tile_grid_t *grid, const reslog_t *log, pairs_counts_t *counts)
{
    int64_t n_pairs = set->n * (set->n - 1) / 2;
    pairs_counts_t c = {.n_pairs = n_pairs, .n_aligned = n_pairs, .n_kept = n_pairs};
    status_t st = ST_OK;
    hid_t file;

    h5util_init();
    if ((file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) < 0)
        return pairs_datasets_fail(path, "create");
    if (!pairs_datasets_put_root(file, head) ||
        !h5text_put(file, "triangle", "row < col") ||
        !h5util_put_int(file, "tile_side", grid->side) ||
        !pairs_datasets_put_names(file, "sequences", set, 0, set->n) ||
        !pairs_datasets_put_sequences(file, head, set, set->n))
        st = pairs_datasets_fail(path, "write");
    if (st == ST_OK)
        st = write_tiles(path, file, head->n_datasets, grid, log, &c);
    if (st == ST_OK && !pairs_datasets_put_run(file, head, &c))
        st = pairs_datasets_fail(path, "write");
    if (H5Fclose(file) < 0 && st == ST_OK)
        st = pairs_datasets_fail(path, "write");
    if (st == ST_OK)
        *counts = c;
    return st;
}
