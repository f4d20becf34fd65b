/*
 * test_deflate.c - streams of every kind come back, from any thread; zlib reads them, and
 * damaged ones are refused.  Built once for each implementation.
 */
#include "tests/support/unit_test.h"

#include "io/base/pool.h"
#include "io/store/deflate.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LEN = 1 << 16, N_THREADS = 4, N_CALLS = 64 };

/* Runs of a few letters: compressible, but not trivially. */
static void make(unsigned char *out, size_t len, uint32_t seed)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * 1664525 + 1013904223;
        out[i] = (unsigned char)("ACGTACGTM=XID019"[seed >> 28]);
    }
}

static bool comes_back(size_t len, deflate_kind_t kind, uint32_t seed)
{
    unsigned char *raw = malloc(len + 1), *back = malloc(len + 1);
    buf_t out = {0};
    bool good = raw != NULL && back != NULL;

    if (good) {
        make(raw, len, seed);
        good = deflate_append(raw, len, kind, &out) == ST_OK &&
               deflate_undo(out.data, out.len, back, len) && memcmp(raw, back, len) == 0;
    }
    buf_free(&out);
    free(raw);
    free(back);
    return good;
}

static void bytes_of_every_kind_come_back(void **state)
{
    const size_t lengths[] = {0, 1, 3, 100, LEN - 1, LEN, 3 * LEN};

    (void)state;
    for (int kind = 0; kind < DEFLATE_KINDS; kind++)
        for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
            assert_true(comes_back(lengths[i], (deflate_kind_t)kind, 1));
}

/* Of no bytes as well. */
static void zlib_reads_a_member_of_gzip(void **state)
{
    const size_t lengths[] = {0, LEN};

    (void)state;
    for (int k = 0; k < 2; k++) {
        static unsigned char raw[LEN], back[LEN + 1];
        buf_t out = {0};
        z_stream z = {.next_out = back, .avail_out = sizeof(back)};

        make(raw, lengths[k], 3);
        assert_int_equal(deflate_append_gzip(raw, lengths[k], &out), ST_OK);
        z.next_in = out.data;
        z.avail_in = (uInt)out.len;
        assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
        assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
        assert_int_equal(z.total_out, lengths[k]);
        assert_int_equal(z.avail_in, 0);
        assert_memory_equal(raw, back, lengths[k]);
        inflateEnd(&z);
        buf_free(&out);
    }
}

static void zlib_reads_a_stream_that_follows_other_bytes(void **state)
{
    static unsigned char raw[LEN], back[LEN];

    (void)state;
    make(raw, LEN, 1);
    for (int kind = 0; kind < DEFLATE_KINDS; kind++) {
        uLongf len = LEN;
        buf_t out = {0};

        assert_int_equal(buf_append(&out, "before", 6), ST_OK);
        assert_int_equal(deflate_append(raw, LEN, (deflate_kind_t)kind, &out), ST_OK);
        assert_memory_equal(out.data, "before", 6);
        assert_true(out.len < LEN * 3 / 4);
        assert_int_equal(uncompress(back, &len, out.data + 6, out.len - 6), Z_OK);
        assert_int_equal(len, LEN);
        assert_memory_equal(raw, back, LEN);
        buf_free(&out);
    }
}

static void streams_of_zlib_are_read_at_their_length_only(void **state)
{
    static unsigned char raw[LEN], packed[2 * LEN], back[LEN + 1];
    uLongf len = sizeof(packed);

    (void)state;
    make(raw, LEN, 1);
    assert_int_equal(compress2(packed, &len, raw, LEN, 9), Z_OK);
    assert_true(deflate_undo(packed, len, back, LEN));
    assert_memory_equal(raw, back, LEN);
    assert_false(deflate_undo(packed, len, back, LEN - 1));
    assert_false(deflate_undo(packed, len, back, LEN + 1));
}

static void cut_and_changed_streams_are_refused(void **state)
{
    static unsigned char raw[LEN], back[LEN];
    buf_t out = {0};

    (void)state;
    make(raw, LEN, 1);
    assert_int_equal(deflate_append(raw, LEN, DEFLATE_TEXT, &out), ST_OK);
    for (size_t cut = 0; cut < out.len; cut += cut < 64 ? 1 : 997)
        assert_false(deflate_undo(out.data, cut, back, LEN));
    assert_false(deflate_undo(out.data, out.len - 1, back, LEN));
    out.data[out.len - 1] ^= 1; /* of the checksum */
    assert_false(deflate_undo(out.data, out.len, back, LEN));
    buf_free(&out);
}

static void call(void *ctx, int64_t k, int thread)
{
    atomic_int *n_good = ctx;

    (void)thread;
    atomic_fetch_add(n_good,
                     comes_back(1000 + (size_t)k, (deflate_kind_t)(k % 4), (uint32_t)k));
}

static void threads_compress_at_the_same_time_and_end(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        atomic_int n_good = 0;
        pool_t *pool;

        assert_int_equal(pool_create(N_THREADS, &pool), ST_OK);
        pool_run(pool, N_CALLS, call, &n_good);
        pool_destroy(pool);
        assert_int_equal(atomic_load(&n_good), N_CALLS);
    }
}

/* The check value of the catalogue of CRCs. */
static void the_crc_is_that_of_zlib(void **state)
{
    static unsigned char raw[LEN];

    (void)state;
    assert_int_equal(deflate_crc32("123456789", 9), 0xCBF43926);
    assert_int_equal(deflate_crc32("", 0), 0);
    make(raw, LEN, 1);
    assert_int_equal(deflate_crc32(raw + 1, LEN - 1), crc32(0, raw + 1, LEN - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_every_kind_come_back),
        cmocka_unit_test(zlib_reads_a_member_of_gzip),
        cmocka_unit_test(zlib_reads_a_stream_that_follows_other_bytes),
        cmocka_unit_test(streams_of_zlib_are_read_at_their_length_only),
        cmocka_unit_test(cut_and_changed_streams_are_refused),
        cmocka_unit_test(threads_compress_at_the_same_time_and_end),
        cmocka_unit_test(the_crc_is_that_of_zlib),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
