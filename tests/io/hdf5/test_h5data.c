/*
 * test_h5data.c - any rectangle of a dataset comes back, however it is stored; damaged
 * chunks are refused.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5data.h"
#include "io/store/tile_pack.h"
#include "tests/io/hdf5/h5_case.h"

enum { SIDE = 10, CHUNK = 4, N_CHUNK = CHUNK * CHUNK };

static int32_t value_at(int64_t row, int64_t col)
{
    return (int32_t)(1000 * row + col - 3000);
}

static void put_square(const char *name, hid_t type, hsize_t chunk, hid_t creation)
{
    int32_t values[SIDE * SIDE];
    hid_t dataset = h5_dataset(name, type, 2, SIDE, chunk, creation);

    for (int i = 0; i < SIDE * SIDE; i++)
        values[i] = value_at(i / SIDE, i % SIDE);
    assert_true(
        H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
}

static h5data_t *open_square(const char *name, bool is_triangle)
{
    static const int32_t fill = -7;
    h5data_t *d = h5data_open(h5_file, name,
                              &(h5data_want_t){.rank = 2,
                                               .memory_type = H5T_NATIVE_INT32,
                                               .is_triangle = is_triangle,
                                               .fill = &fill});

    assert_non_null(d);
    return d;
}

static void assert_rectangle(h5data_t *d, int64_t r0, int64_t r1, int64_t c0, int64_t c1)
{
    int32_t got[SIDE * SIDE];

    assert_int_equal(h5data_read(d, r0, r1, c0, c1, got), ST_OK);
    for (int64_t r = r0, k = 0; r < r1; r++)
        for (int64_t c = c0; c < c1; c++, k++)
            assert_int_equal(got[k], value_at(r, c));
}

static void assert_square_comes_back(const char *name)
{
    h5data_t *d = open_square(name, false);

    assert_int_equal(d->rows, SIDE);
    assert_int_equal(d->columns, SIDE);
    for (int64_t r0 = 0; r0 < SIDE; r0 += 3)
        for (int64_t c0 = 0; c0 < SIDE; c0 += 3)
            for (int64_t r1 = r0; r1 <= SIDE; r1 += 2)
                for (int64_t c1 = c0; c1 <= SIDE; c1 += 2)
                    assert_rectangle(d, r0, r1, c0, c1);
    h5data_close(d);
}

/* @return whether a chunk is returned as it is stored; then its values are checked */
static bool is_stored(const char *name, hid_t type, hid_t creation, int64_t col,
                      int64_t side)
{
    int32_t values[N_CHUNK], scratch[N_CHUNK];
    buf_t chunk = {0};
    h5data_t *d;
    bool is_such = true;

    put_square(name, type, CHUNK, creation);
    d = open_square(name, false);
    assert_int_equal(h5data_read_stored(d, CHUNK, col, side, &chunk, &is_such), ST_OK);
    assert_true(is_such || chunk.len == 0);
    if (is_such) {
        assert_true(
            tile_pack_undo(chunk.data, (uint32_t)chunk.len, N_CHUNK, values, scratch));
        for (int k = 0; k < N_CHUNK; k++)
            assert_int_equal(values[k], value_at(CHUNK + k / CHUNK, col + k % CHUNK));
    }
    buf_free(&chunk);
    h5data_close(d);
    return is_such;
}

static hid_t as_we_store(void)
{
    hid_t creation = h5_creation();

    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, 3);
    return creation;
}

static void a_chunk_is_returned_only_as_we_store_it(void **state)
{
    hid_t deflated = h5_creation();

    (void)state;
    H5Pset_deflate(deflated, 3);
    assert_true(is_stored("ours", H5T_STD_I32LE, as_we_store(), CHUNK, CHUNK));
    assert_false(is_stored("within", H5T_STD_I32LE, as_we_store(), 2, CHUNK));
    assert_false(is_stored("larger", H5T_STD_I32LE, as_we_store(), 0, 2 * CHUNK));
    assert_false(is_stored("order", H5T_STD_I32BE, as_we_store(), CHUNK, CHUNK));
    assert_false(is_stored("short", H5T_STD_I16LE, as_we_store(), CHUNK, CHUNK));
    assert_false(is_stored("deflated", H5T_STD_I32LE, deflated, CHUNK, CHUNK));
    assert_false(is_stored("plain", H5T_STD_I32LE, h5_creation(), CHUNK, CHUNK));
}

static void every_rectangle_comes_back_from_any_storage(void **state)
{
    const hid_t types[] = {H5T_STD_I32LE, H5T_STD_I32BE, H5T_STD_I16LE};
    char name[32];

    (void)state;
    for (int t = 0; t < 3; t++)
        for (int storage = 0; storage < 6; storage++) {
            hid_t creation = h5_creation();

            if (storage == 1)
                H5Pset_layout(creation, H5D_COMPACT);
            if (storage == 3 || storage == 5)
                H5Pset_shuffle(creation);
            if (storage >= 4)
                H5Pset_deflate(creation, 6);
            snprintf(name, sizeof(name), "%d.%d", t, storage);
            put_square(name, types[t], storage < 2 ? 0 : CHUNK, creation);
            assert_square_comes_back(name);
        }
}

/* A chunk for which deflate failed is stored without it: its mask says so. */
static void a_chunk_without_one_of_its_filters_comes_back(void **state)
{
    int32_t values[N_CHUNK], got[N_CHUNK], shuffled[N_CHUNK];
    hid_t creation = h5_creation(), dataset;
    h5data_t *d;

    (void)state;
    for (int i = 0; i < N_CHUNK; i++)
        values[i] = 77777 * i;
    tile_pack_shuffle(values, N_CHUNK, sizeof(*values), shuffled);
    for (uint32_t mask = 2; mask <= 3; mask++) {
        const hsize_t origin[2] = {0, 0};

        creation = h5_creation();
        H5Pset_shuffle(creation);
        H5Pset_deflate(creation, 6);
        dataset =
            h5_dataset(mask == 2 ? "2" : "3", H5T_STD_I32LE, 2, CHUNK, CHUNK, creation);
        assert_true(H5Dwrite_chunk(dataset, H5P_DEFAULT, mask, origin, sizeof(values),
                                   mask == 2 ? shuffled : values) >= 0);
        H5Dclose(dataset);
        d = open_square(mask == 2 ? "2" : "3", false);
        assert_int_equal(h5data_read(d, 0, CHUNK, 0, CHUNK, got), ST_OK);
        assert_memory_equal(got, values, sizeof(values));
        h5data_close(d);
    }
}

/* Store n values as the only chunk of a dataset of N_CHUNK values. */
static void put_chunk(const char *name, int64_t n, uint32_t mask)
{
    int32_t values[2 * N_CHUNK] = {0}, scratch[2 * N_CHUNK];
    const hsize_t origin[2] = {0, 0};
    hid_t creation = h5_creation(), dataset;
    const unsigned char *chunk;
    buf_t packed = {0};
    size_t at = 0;
    uint32_t len;

    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, 6);
    dataset = h5_dataset(name, H5T_STD_I32LE, 2, CHUNK, CHUNK, creation);
    assert_int_equal(tile_pack_append(values, n, scratch, &packed), ST_OK);
    chunk = tile_pack_next(&packed, &at, &len);
    assert_true(H5Dwrite_chunk(dataset, H5P_DEFAULT, mask, origin, len, chunk) >= 0);
    buf_free(&packed);
    H5Dclose(dataset);
}

static void assert_damaged(const char *name)
{
    int32_t got[N_CHUNK];
    h5data_t *d = open_square(name, false);
    status_t st;

    capture_start();
    st = h5data_read(d, 0, CHUNK, 0, CHUNK, got);
    capture_stop();
    assert_int_equal(st, ST_EIO);
    assert_logged_one_line();
    assert_logged("is damaged at row 1, column 1; give a file as ribogrid wrote it");
    h5data_close(d);
}

static void chunks_of_another_size_are_refused(void **state)
{
    (void)state;
    put_chunk("good", N_CHUNK, 0);
    h5data_close(open_square("good", false));
    put_chunk("short", N_CHUNK - 1, 0);
    assert_damaged("short");
    put_chunk("long", N_CHUNK + 1, 0);
    assert_damaged("long");
    put_chunk("no_deflate", N_CHUNK, 2);
    assert_damaged("no_deflate");
}

/* Only the chunks on and right of the diagonal are written, except for the last one. */
static void missing_chunks_are_refused_unless_they_are_below_the_diagonal(void **state)
{
    const int32_t values[N_CHUNK] = {0};
    int32_t got[SIDE * SIDE];
    hid_t dataset = h5_dataset("x", H5T_STD_I32LE, 2, SIDE, CHUNK, h5_creation());
    h5data_t *d;
    status_t st;

    (void)state;
    for (hsize_t r = 0; r < SIDE; r += CHUNK)
        for (hsize_t c = r; c < SIDE && r < 2 * CHUNK; c += CHUNK) {
            const hsize_t origin[2] = {r, c};

            assert_true(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, origin, sizeof(values),
                                       values) >= 0);
        }
    H5Dclose(dataset);
    d = open_square("x", true);
    assert_int_equal(h5data_read(d, 0, 2 * CHUNK, 0, SIDE, got), ST_OK);
    assert_int_equal(got[CHUNK * SIDE - 1], 0);
    assert_int_equal(got[CHUNK * SIDE], -7);
    capture_start();
    st = h5data_read(d, 0, SIDE, 0, SIDE, got);
    capture_stop();
    assert_int_equal(st, ST_EIO);
    assert_logged("is damaged at row 9, column 9");
    h5data_close(d);
}

/* Make the index of chunks, a B-tree of one key, say that the first one is longer. */
static void lengthen_chunk(uint32_t bytes)
{
    static const char signature[] = {'T', 'R', 'E', 'E', 1};
    const size_t to_key = 24; /* signature, type, level, entries, two siblings */
    unsigned char *file, *node;
    size_t len;

    H5Fclose(h5_file);
    file = dir_get(h5_path, &len);
    node = memmem(file, len, signature, sizeof(signature));
    assert_non_null(node);
    memcpy(node + to_key, &bytes, sizeof(bytes));
    dir_put(h5_path, file, len);
    free(file);
    h5_file = H5Fopen(h5_path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(h5_file >= 0);
}

static void a_chunk_that_is_longer_than_it_should_be_does_no_harm(void **state)
{
    int32_t values[N_CHUNK] = {0}, got[N_CHUNK];
    int64_t behind[1000] = {0};
    hid_t dataset = h5_dataset("x", H5T_STD_I32LE, 2, CHUNK, CHUNK, h5_creation());
    h5data_t *d;

    (void)state;
    assert_true(
        H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    assert_true(h5util_put_int64s(h5_file, "y", behind, 1000, 0));
    lengthen_chunk(1000);
    d = open_square("x", false);
    assert_int_equal(h5data_read(d, 0, CHUNK, 0, CHUNK, got), ST_OK);
    assert_memory_equal(got, values, sizeof(values));
    h5data_close(d);
}

static void rectangles_beyond_the_dataset_are_refused(void **state)
{
    int32_t got[SIDE * SIDE];
    h5data_t *d;

    (void)state;
    put_square("x", H5T_STD_I32LE, CHUNK, h5_creation());
    d = open_square("x", false);
    capture_start();
    assert_int_equal(h5data_read(d, 0, SIDE + 1, 0, 1, got), ST_EIO);
    assert_int_equal(h5data_read(d, 0, 1, -1, 1, got), ST_EIO);
    capture_stop();
    assert_int_equal(h5data_read(d, 3, 3, 0, SIDE, got), ST_OK);
    h5data_close(d);
}

static void a_row_is_read_at_once_or_in_parts_with_any_cache(void **state)
{
    int64_t values[100], got[100], n = 0, *all;
    h5data_t *d;

    (void)state;
    for (int i = 0; i < 100; i++)
        values[i] = INT64_C(1) << i % 60;
    assert_true(h5util_put_int64s(h5_file, "x", values, 100, 7));
    all = h5data_get(h5_file, "x", H5T_NATIVE_INT64, 100, &n);
    assert_non_null(all);
    assert_memory_equal(all, values, sizeof(values));
    free(all);
    capture_start();
    assert_null(h5data_get(h5_file, "x", H5T_NATIVE_INT64, 99, NULL));
    capture_stop();
    assert_logged_one_line();
    assert_logged("/x has 100 values instead of 99");
    for (size_t cache = 0; cache < 1000; cache += 100) {
        d = h5data_open(h5_file, "x",
                        &(h5data_want_t){.rank = 1,
                                         .memory_type = H5T_NATIVE_INT64,
                                         .cache_bytes = cache});
        assert_non_null(d);
        for (int64_t begin = 90; begin >= 0; begin -= 9)
            for (int64_t end = begin; end <= 100; end += 5) {
                assert_int_equal(h5data_read(d, 0, 1, begin, end, got), ST_OK);
                assert_memory_equal(got, values + begin,
                                    (size_t)(end - begin) * sizeof(*got));
            }
        h5data_close(d);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, h5_create, h5_forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_rectangle_comes_back_from_any_storage),
        TEST(a_chunk_is_returned_only_as_we_store_it),
        TEST(a_chunk_without_one_of_its_filters_comes_back),
        TEST(chunks_of_another_size_are_refused),
        TEST(missing_chunks_are_refused_unless_they_are_below_the_diagonal),
        TEST(a_chunk_that_is_longer_than_it_should_be_does_no_harm),
        TEST(rectangles_beyond_the_dataset_are_refused),
        TEST(a_row_is_read_at_once_or_in_parts_with_any_cache),
    };

    return cmocka_run_group_tests(tests, h5_make, dir_remove);
}
