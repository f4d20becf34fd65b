/*
 * test_h5stream.c - HDF5 reads back what was appended, for any pieces and threads.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5data.h"
#include "io/hdf5/h5stream.h"
#include "io/hdf5/h5util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_MAX = 20000 };

static char path[64];
static int64_t values[N_MAX];

/* Fill values with n numbers of value_bytes each. */
static void make_values(int64_t n, size_t value_bytes)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t value = i * 7919 % 1009 - 500;

        memcpy((char *)values + (size_t)i * value_bytes, &value, value_bytes);
    }
}

/* Write n values in pieces of 1, 2, 3, ... and read them. */
static void assert_comes_back(hid_t type, deflate_kind_t kind, int64_t n, bool grows,
                              pool_t *pool)
{
    const int64_t chunk = 100;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    size_t value_bytes = H5Tget_size(type);
    int64_t n_back = 0;
    h5stream_t s;
    void *read;

    assert_true(file >= 0);
    make_values(n, value_bytes);
    assert_true(h5stream_begin(file, "d", type, chunk, grows ? -1 : n, kind, pool, &s));
    for (int64_t at = 0, piece = 1; at < n; at += piece++) {
        piece = piece < n - at ? piece : n - at;
        assert_true(
            h5stream_append(&s, (char *)values + (size_t)at * value_bytes, piece));
    }
    assert_true(h5stream_end(&s));
    assert_true(h5stream_end(&s)); /* ending twice does no harm */
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    read = h5data_get(file, "d", type, -1, &n_back);
    assert_non_null(read);
    assert_int_equal(n_back, n);
    assert_memory_equal(read, values, (size_t)n * value_bytes);
    free(read);
    H5Fclose(file);
}

/* 8 chunks per thread are written together: with three threads 24 chunks of 100 values.
 */
static void any_number_of_values_comes_back(void **state)
{
    static const int64_t n[] = {0, 1, 99, 100, 101, 2399, 2400, 2401, 4800, N_MAX};
    const hid_t types[] = {H5T_STD_I8LE, H5T_STD_I32LE, H5T_STD_I64LE};
    pool_t *pools[] = {NULL, NULL, NULL};

    (void)state;
    assert_int_equal(pool_create(1, &pools[1]), ST_OK);
    assert_int_equal(pool_create(3, &pools[2]), ST_OK);
    for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++)
        for (int p = 0; p < 3; p++)
            for (int grows = 0; grows < 2; grows++) {
                for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
                    assert_comes_back(types[t], DEFLATE_NUMBERS, n[i], grows, pools[p]);
                assert_comes_back(types[0], DEFLATE_TEXT, n[i], grows, pools[p]);
                assert_comes_back(types[0], DEFLATE_LETTERS, n[i], grows, pools[p]);
            }
    pool_destroy(pools[1]);
    pool_destroy(pools[2]);
}

static void a_stream_whose_dataset_cannot_be_created_can_be_ended(void **state)
{
    h5stream_t s;

    (void)state;
    assert_false(
        h5stream_begin(-1, "d", H5T_STD_I32LE, 100, -1, DEFLATE_NUMBERS, NULL, &s));
    assert_true(h5stream_end(&s));
}

static int start(void **state)
{
    (void)state;
    h5util_init();
    snprintf(path, sizeof(path), "/tmp/test_h5stream.%d", (int)getpid());
    return 0;
}

static int stop(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_values_comes_back),
        cmocka_unit_test(a_stream_whose_dataset_cannot_be_created_can_be_ended),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
