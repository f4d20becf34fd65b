/*
 * test_tile_pack.c - HDF5's filters undo the packing, and truncated tiles are detected.
 */
#include "tests/support/unit_test.h"

#include "io/store/tile_pack.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { VALUES_MAX = 256 * 256 };

static int32_t values[VALUES_MAX], back[VALUES_MAX], scratch[VALUES_MAX];

/* Values of every size and sign. */
static void make_values(int64_t n)
{
    uint32_t bits = 1;

    for (int64_t i = 0; i < n; i++) {
        bits = bits * 1664525 + 1013904223;
        values[i] = (int32_t)(bits >> (i % 32));
    }
    if (n > 1) {
        values[0] = INT_MIN;
        values[1] = INT_MAX;
    }
}

/* Do what an HDF5 reader does: inflate, then put the bytes of each value together. */
static void unpack(const unsigned char *chunk, uint32_t len, int64_t n)
{
    uLongf raw = (uLongf)n * 4;
    unsigned char *shuffled = malloc(raw + 1);

    assert_non_null(shuffled);
    assert_int_equal(uncompress(shuffled, &raw, chunk, len), Z_OK);
    assert_int_equal(raw, n * 4);
    for (int64_t i = 0; i < n; i++)
        for (int64_t byte = 0; byte < 4; byte++)
            ((unsigned char *)back)[i * 4 + byte] = shuffled[byte * n + i];
    free(shuffled);
}

static void assert_comes_back(int64_t n)
{
    buf_t packed = {0};
    const unsigned char *chunk;
    size_t at = 0;
    uint32_t len = 0;

    make_values(n);
    assert_int_equal(tile_pack_append(values, n, scratch, &packed), ST_OK);
    chunk = tile_pack_next(&packed, &at, &len);
    assert_non_null(chunk);
    assert_int_equal(at, packed.len);
    assert_int_equal(len, packed.len - 4);
    unpack(chunk, len, n);
    assert_memory_equal(back, values, (size_t)n * 4);
    assert_null(tile_pack_next(&packed, &at, &len));
    buf_free(&packed);
}

/* 256 rows of random bytes; if half of them repeat others, they need half the space. */
static void recurring_rows_are_stored_once(void **state)
{
    size_t len[2];

    (void)state;
    for (int recurs = 0; recurs < 2; recurs++) {
        buf_t packed = {0};
        const unsigned char *chunk;
        uint32_t bits = 1, chunk_len;
        size_t at = 0;

        for (int i = 0; i < 256 * 256; i++) {
            bits = bits * 1664525 + 1013904223;
            values[i] = (int32_t)(bits >> 24);
        }
        for (int row = 1; recurs && row < 256; row += 2)
            memcpy(values + row * 256, values + (row - 1) * 256, 256 * sizeof(*values));
        assert_int_equal(tile_pack_append(values, 256 * 256, scratch, &packed), ST_OK);
        len[recurs] = packed.len;
        chunk = tile_pack_next(&packed, &at, &chunk_len);
        assert_non_null(chunk);
        unpack(chunk, chunk_len, 256 * 256);
        assert_memory_equal(back, values, sizeof(back));
        buf_free(&packed);
    }
    assert_true(len[1] < len[0] * 6 / 10);
}

static void chunks_of_any_size_come_back(void **state)
{
    (void)state;
    assert_comes_back(1);
    assert_comes_back(2 * 2);
    assert_comes_back(3 * 3);
    for (int64_t side = 4; side <= 256; side *= 2)
        assert_comes_back(side * side);
}

/* Two values, given by their bytes so that the byte order of the machine does not
 * matter. */
static void the_first_bytes_of_all_values_come_first(void **state)
{
    const unsigned char in[8] = {1, 2, 3, 4, 0x11, 0x12, 0x13, 0x14};
    const unsigned char want[8] = {1, 0x11, 2, 0x12, 3, 0x13, 4, 0x14};
    int32_t two[2];
    buf_t packed = {0};

    (void)state;
    memcpy(two, in, sizeof(two));
    assert_int_equal(tile_pack_append(two, 2, scratch, &packed), ST_OK);
    assert_memory_equal(scratch, want, 8);
    buf_free(&packed);
}

static void tile_pack_undo_undoes_the_packing_of_the_right_length(void **state)
{
    buf_t packed = {0};
    size_t at = 0;
    uint32_t len;
    const unsigned char *chunk;

    (void)state;
    make_values(64 * 64);
    assert_int_equal(tile_pack_append(values, 64 * 64, scratch, &packed), ST_OK);
    chunk = tile_pack_next(&packed, &at, &len);
    assert_true(tile_pack_undo(chunk, len, 64 * 64, back, scratch));
    assert_memory_equal(back, values, sizeof(int32_t) * 64 * 64);
    assert_false(tile_pack_undo(chunk, len, 64 * 64 - 1, back, scratch));
    assert_false(tile_pack_undo(chunk, len, 64 * 64 + 1, back, scratch));
    assert_false(tile_pack_undo(chunk, len - 1, 64 * 64, back, scratch));
    buf_free(&packed);
}

/* Inflate the only chunk. */
static size_t inflate_into(const buf_t *packed, unsigned char *out, size_t capacity)
{
    uLongf raw = capacity;
    size_t at = 0;
    uint32_t len;
    const unsigned char *chunk = tile_pack_next(packed, &at, &len);

    assert_non_null(chunk);
    assert_int_equal(at, packed->len);
    assert_int_equal(uncompress(out, &raw, chunk, len), Z_OK);
    return raw;
}

static void bytes_are_deflated_without_shuffling(void **state)
{
    unsigned char out[16];
    buf_t packed = {0};

    (void)state;
    assert_int_equal(tile_pack_append_bytes("10M2I", 5, DEFLATE_TEXT, &packed), ST_OK);
    assert_int_equal(inflate_into(&packed, out, sizeof(out)), 5);
    assert_memory_equal(out, "10M2I", 5);
    buf_free(&packed);
}

static void values_of_8_bytes_are_shuffled_too(void **state)
{
    const unsigned char in[16] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18};
    const unsigned char want[16] = {1, 11, 2, 12, 3, 13, 4, 14,
                                    5, 15, 6, 16, 7, 17, 8, 18};
    unsigned char out[16];
    int64_t two[2], shuffled[2];
    buf_t packed = {0};

    (void)state;
    memcpy(two, in, sizeof(two));
    assert_int_equal(tile_pack_append64(two, 2, shuffled, &packed), ST_OK);
    assert_int_equal(inflate_into(&packed, out, sizeof(out)), 16);
    assert_memory_equal(out, want, 16);
    buf_free(&packed);
}

static void pack_three(buf_t *packed, size_t ends[3])
{
    for (int d = 0; d < 3; d++) {
        make_values(4 + d);
        assert_int_equal(tile_pack_append(values, 4 + d, scratch, packed), ST_OK);
        ends[d] = packed->len;
    }
}

static void tile_pack_next_steps_through_all_chunks(void **state)
{
    buf_t packed = {0};
    size_t ends[3], at = 0;
    uint32_t len;

    (void)state;
    pack_three(&packed, ends);
    for (int d = 0; d < 3; d++) {
        const unsigned char *chunk = tile_pack_next(&packed, &at, &len);

        assert_non_null(chunk);
        assert_int_equal(at, ends[d]);
        unpack(chunk, len, 4 + d);
        make_values(4 + d);
        assert_memory_equal(back, values, (size_t)(4 + d) * 4);
    }
    assert_null(tile_pack_next(&packed, &at, &len));
    buf_free(&packed);
}

static void a_tile_truncated_anywhere_yields_only_its_whole_chunks(void **state)
{
    buf_t packed = {0};
    size_t ends[3];

    (void)state;
    pack_three(&packed, ends);
    for (size_t cut = 0; cut < packed.len; cut++) {
        buf_t head = {.len = cut, .capacity = cut, .data = malloc(cut + (cut == 0))};
        size_t at = 0;
        uint32_t len;
        int n_chunks = 0;

        assert_non_null(head.data);
        memcpy(head.data, packed.data, cut);
        while (tile_pack_next(&head, &at, &len) != NULL)
            n_chunks++;
        assert_int_equal(n_chunks, (cut >= ends[0]) + (cut >= ends[1]));
        free(head.data);
    }
    buf_free(&packed);
}

static void an_empty_tile_has_no_chunks(void **state)
{
    const buf_t empty = {0};
    size_t at = 0;
    uint32_t len;

    (void)state;
    assert_null(tile_pack_next(&empty, &at, &len));
    assert_int_equal(at, 0);
}

static void a_length_beyond_the_tile_is_refused(void **state)
{
    unsigned char bytes[8] = {0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4};
    const buf_t tile = {.data = bytes, .len = 8, .capacity = 8};
    size_t at = 0, beyond = 9;
    uint32_t len;

    (void)state;
    assert_null(tile_pack_next(&tile, &at, &len));
    assert_null(tile_pack_next(&tile, &beyond, &len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recurring_rows_are_stored_once),
        cmocka_unit_test(chunks_of_any_size_come_back),
        cmocka_unit_test(the_first_bytes_of_all_values_come_first),
        cmocka_unit_test(tile_pack_undo_undoes_the_packing_of_the_right_length),
        cmocka_unit_test(bytes_are_deflated_without_shuffling),
        cmocka_unit_test(values_of_8_bytes_are_shuffled_too),
        cmocka_unit_test(tile_pack_next_steps_through_all_chunks),
        cmocka_unit_test(a_tile_truncated_anywhere_yields_only_its_whole_chunks),
        cmocka_unit_test(an_empty_tile_has_no_chunks),
        cmocka_unit_test(a_length_beyond_the_tile_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
