/*
 * pairs_fixture.h - result files whose values follow from row and column.
 *
 * results_make and dir_remove are the setup and teardown of
 * a group, results_forget the teardown of each test.
 */
#pragma once

#include "io/base/logmsg.h"
#include "io/pairs/pairs_file.h"
#include "io/pairs/pairs_read.h"
#include "io/pairs/write/pairs_cigar_pack.h"
#include "io/pairs/write/pairs_write.h"
#include "io/store/tile_pack.h"
#include "tests/support/captured_log.h"
#include "tests/support/unit_test.h"

#define JOB "input=a.fa\nmatch=5\nnote\n"

static char result[PATH_BYTES], log_path[PATH_BYTES];

static inline int results_make(void **state)
{
    log_set_level(LOG_QUIET); /* errors are still logged */
    if (dir_make(state) != 0)
        return -1;
    dir_file("result.h5", result);
    dir_file("result.part", log_path);
    return 0;
}

static inline int results_forget(void **state)
{
    (void)state;
    unlink(result);
    unlink(log_path);
    return 0;
}

/* Number i has BASES + i bases. */
enum { BASES = 4000, BASES_MAX = BASES + 16, TEXT_BYTES = 6000 };

/* The CIGAR of pair i < j: the first is longer than a chunk, some are empty. */
static inline void text_of(int64_t i, int64_t j, char *out)
{
    int n_left = (int)(BASES + i);
    size_t len = 0;

    for (; i == 0 && j == 1 && len < 5000; n_left--)
        len += (size_t)sprintf(out + len, "1I1D");
    if (i < j && (i + j) % 5 != 0)
        len += (size_t)sprintf(out + len, "%dM%dD", n_left, (int)(j - i));
    out[len] = '\0';
}

/* Score, matches, columns or CIGAR length of pair i < j. */
static inline int32_t value_of(int dataset, int64_t i, int64_t j)
{
    static const int32_t first[PAIRS_DATASETS_MAX] = {-1000000, 1, 7000};

    if (dataset == PAIRS_CIGAR_LENGTH) {
        char text[TEXT_BYTES];

        text_of(i, j, text);
        return (int32_t)strlen(text);
    }
    return i < j ? first[dataset] + (int32_t)(100 * i + j) : pairs_fill[dataset];
}

/* Sequences "s0", "s1", ...: number i has first_len + i bases, A, C, G, T in turn. */
static inline seqset_t *numbered_set_of(int64_t n, int64_t first_len)
{
    uint8_t acgt[BASES_MAX];
    seqset_builder_t builder = {0};
    seqset_t *set = NULL;

    for (int64_t k = 0; k < BASES_MAX; k++)
        acgt[k] = (uint8_t)(1 << k % 4);
    for (int64_t i = 0; i < n; i++) {
        char name[16];
        int len = snprintf(name, sizeof(name), "s%d", (int)i);

        assert_int_equal(seqset_builder_add(&builder, name, (size_t)len, acgt,
                                            (size_t)(first_len + i)),
                         ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    return set;
}

static inline seqset_t *numbered_set(int64_t n)
{
    return numbered_set_of(n, BASES);
}

static inline void pack_texts(const tile_grid_t *grid, const tile_t *tile, buf_t *packed)
{
    char text[TEXT_BYTES];
    buf_t texts = {0};

    for (int64_t i = tile->row0; i < tile->row1; i++)
        for (int64_t j = tile->col0; j < tile->col1; j++) {
            text_of(i, j, text);
            assert_int_equal(buf_append(&texts, text, strlen(text)), ST_OK);
        }
    assert_int_equal(pairs_cigar_pack(grid, &texts, packed), ST_OK);
    buf_free(&texts);
}

/* Pack a tile as a worker does: whole chunks, fill values outside of the matrix. */
static inline void pack_tile(const tile_grid_t *grid, int64_t k, int n_datasets,
                             buf_t *packed)
{
    int32_t values[16 * 16], scratch[16 * 16];
    const int64_t n_without_identity = 0;
    tile_t tile = tile_at(grid, k);

    assert_true(grid->side <= 16);
    assert_int_equal(buf_append(packed, &n_without_identity, sizeof(n_without_identity)),
                     ST_OK);
    for (int d = 0; d < n_datasets; d++) {
        for (int64_t r = 0; r < grid->side; r++)
            for (int64_t c = 0; c < grid->side; c++)
                values[r * grid->side + c] =
                    tile.row0 + r < tile.row1 && tile.col0 + c < tile.col1
                        ? value_of(d, tile.row0 + r, tile.col0 + c)
                        : pairs_fill[d];
        assert_int_equal(tile_pack_append(values, grid->side * grid->side, scratch,
                                          packed),
                         ST_OK);
    }
    if (n_datasets == PAIRS_N_CIGAR)
        pack_texts(grid, &tile, packed);
}

static inline reslog_t *finished_log(const tile_grid_t *grid, int n_datasets)
{
    reslog_t *log = NULL;

    assert_int_equal(reslog_open(log_path, JOB, grid->n_tiles, true, &log), ST_OK);
    for (int64_t k = 0; k < grid->n_tiles; k++) {
        buf_t packed = {0};

        pack_tile(grid, k, n_datasets, &packed);
        assert_int_equal(reslog_append(log, k, 0, packed.data, packed.len), ST_OK);
        buf_free(&packed);
    }
    return log;
}

static inline pairs_head_t head_of(int n_datasets)
{
    static const run_info_t run = {.program = "ribogrid test",
                                   .command = "align",
                                   .seconds = 2.5,
                                   .ranks = 2,
                                   .devices = "0 cpu\n1 cuda:0\n"};
    static const pairs_run_number_t numbers[] = {{"records", 5}};

    return (pairs_head_t){.ends = "free",
                          .job = JOB,
                          .n_datasets = n_datasets,
                          .cigar_style = n_datasets == PAIRS_N_CIGAR ? "m" : NULL,
                          .run = &run,
                          .run_numbers = numbers,
                          .n_run_numbers = 1};
}

/* Make a finished log of the set's tiles the result. */
static inline void write_as(const pairs_head_t *head, const seqset_t *set)
{
    tile_grid_t grid = tile_grid(set);
    reslog_t *log = finished_log(&grid, head->n_datasets);
    pairs_counts_t counts;

    assert_int_equal(pairs_write(head, set, &grid, log, &counts), ST_OK);
    assert_int_equal(rename(log_path, result), 0);
    reslog_close(log);
}

static inline void write_set(const seqset_t *set, int n_datasets)
{
    pairs_head_t head = head_of(n_datasets);

    write_as(&head, set);
}

static inline void write_result(int64_t n, int n_datasets)
{
    seqset_t *set = numbered_set(n);

    write_set(set, n_datasets);
    seqset_destroy(set);
}

static inline pairs_file_t *open_result(void)
{
    pairs_file_t *file = NULL;

    assert_int_equal(pairs_open(result, &file), ST_OK);
    return file;
}

/* The result file is refused with one line that contains `want`. */
static inline void assert_not_opened(const char *want)
{
    pairs_file_t *file = NULL;
    status_t st;

    capture_start();
    st = pairs_open(result, &file);
    capture_stop();
    pairs_close(file);
    assert_null(file);
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged(want);
}
