/*
 * hits_fixture.h - files of hits with the values of pairs_fixture.h, and damage to them.
 *
 * Include it instead of pairs_fixture.h.
 */
#pragma once

#include "io/hdf5/h5util.h"
#include "io/pairs/write/pairs_hits.h"
#include "io/pairs/write/pairs_write.h"
#include "tests/io/pairs/pairs_fixture.h"
#include "tests/support/unit_test.h"

static const fraction_t any = {0, 0};

/* The hits of a tile, with the values of value_of, that reach the identity. */
static inline void gather(const tile_grid_t *grid, int64_t k, int n_datasets,
                          const fraction_t *id, pairs_hits_t *out)
{
    tile_t t = tile_at(grid, k);
    int64_t shift = grid->col_first;
    char text[TEXT_BYTES];

    for (int64_t i = t.row0; i < t.row1; i++)
        for (int64_t j = t.col0 > i ? t.col0 : i + 1; j < t.col1; j++) {
            pairs_hit_t hit = {.row = (int32_t)i,
                               .col = (int32_t)j,
                               .score = value_of(PAIRS_SCORE, i, j),
                               .matches = value_of(PAIRS_MATCHES, i, j),
                               .columns = value_of(PAIRS_COLUMNS, i, j),
                               .strand = shift > 0 && j % 2 == 0 ? -1 : 1};
            pairs_entry_t entry = {.hit = hit, .text_at = (int64_t)out->text.len};

            if (!fraction_reached(id, hit.matches, hit.columns))
                continue;
            text_of(i, j, text);
            if (n_datasets == PAIRS_N_CIGAR)
                assert_int_equal(buf_append(&out->text, text, strlen(text)), ST_OK);
            entry.text_len = (int32_t)((int64_t)out->text.len - entry.text_at);
            assert_int_equal(buf_append(&out->entries, &entry, sizeof(entry)), ST_OK);
        }
}

/* Write the hits of a set as align does. @return the numbers of pairs */
static inline pairs_counts_t write_hits(const seqset_t *set, const tile_grid_t *grid,
                                        const pairs_head_t *head)
{
    pairs_counts_t counts = {0};
    reslog_t *log = NULL;

    assert_int_equal(reslog_open(log_path, JOB, grid->n_tiles, true, &log), ST_OK);
    for (int64_t k = 0; k < grid->n_tiles; k++) {
        pairs_hits_t hits = {.n_dropped = {k % 3, 0, 1}, .n_without_identity = k};
        buf_t record = {0};

        gather(grid, k, head->n_datasets, &head->min_identity, &hits);
        assert_int_equal(pairs_hits_pack(&hits, &record), ST_OK);
        assert_int_equal(reslog_append(log, k, 0, record.data, record.len), ST_OK);
        buf_free(&record);
        pairs_hits_free(&hits);
    }
    assert_int_equal(pairs_write_hits(result, true, head, set, grid, log, &counts),
                     ST_OK);
    reslog_close(log);
    return counts;
}

static inline pairs_file_t *write_nine(fraction_t id, pairs_counts_t *counts)
{
    seqset_t *set = numbered_set(9);
    tile_grid_t grid = tile_grid(set);
    pairs_head_t head = head_of(PAIRS_N_CIGAR);

    head.min_identity = id;
    *counts = write_hits(set, &grid, &head);
    seqset_destroy(set);
    return open_result();
}

/* Replace one value of a dataset of the result. */
static inline void damage(const char *name, int64_t at, int64_t value)
{
    hid_t file = H5Fopen(result, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t data = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(data), one;
    hsize_t size[2] = {0, 0}, count[2] = {1, 1}, start[2];
    int rank = H5Sget_simple_extent_dims(space, size, NULL);

    start[0] = (hsize_t)at / (rank == 2 ? size[1] : 1);
    start[1] = rank == 2 ? (hsize_t)at % size[1] : 0;
    one = H5Screate_simple(rank, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    assert_true(H5Dwrite(data, H5T_NATIVE_INT64, one, space, H5P_DEFAULT, &value) >= 0);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(file);
}
