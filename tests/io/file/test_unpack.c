/*
 * test_unpack.c - bzip2, xz and zstd, where the build has them: every byte of a file is
 * read or refused.  test_packed_input.c is the same for gzip.
 */
#include "tests/support/unit_test.h"

#include "io/file/packed_input.h"
#include "io/file/unpack.h"
#include "tests/support/captured_log.h"

#include <stdbool.h>
#ifdef RIBOGRID_HAVE_BZIP2
#include <bzlib.h>
#endif
#ifdef RIBOGRID_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef RIBOGRID_HAVE_ZSTD
#include <zstd.h>
#endif

enum { FILE_BYTES = 1 << 20, LONG = 400000 };

static char path[PATH_BYTES];
static unsigned char file[FILE_BYTES]; /* the file to read */
static size_t file_len;
static unsigned char got[2 * FILE_BYTES]; /* what was read */
static size_t got_len;
static unsigned char data[LONG]; /* bases, which no format packs below a quarter */

#ifdef RIBOGRID_HAVE_BZIP2
static size_t pack_bzip2(const void *from, size_t len, void *to, size_t max)
{
    unsigned n = (unsigned)max;

    assert_int_equal(BZ2_bzBuffToBuffCompress(to, &n, (char *)(uintptr_t)from,
                                              (unsigned)len, 1, 0, 0),
                     BZ_OK);
    return n;
}
#endif

#ifdef RIBOGRID_HAVE_LZMA
static size_t pack_xz(const void *from, size_t len, void *to, size_t max)
{
    size_t n = 0;

    assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, from, len, to, &n,
                                             max),
                     LZMA_OK);
    return n;
}
#endif

#ifdef RIBOGRID_HAVE_ZSTD
static size_t pack_zstd(const void *from, size_t len, void *to, size_t max)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    size_t n;

    assert_non_null(context);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    n = ZSTD_compress2(context, to, max, from, len);
    assert_false(ZSTD_isError(n));
    ZSTD_freeCCtx(context);
    return n;
}
#endif

static const struct {
    const char *name;
    size_t (*pack)(const void *from, size_t len, void *to, size_t max);
} formats[] = {
    {NULL, NULL}, /* no array is empty */
#ifdef RIBOGRID_HAVE_BZIP2
    {"bzip2", pack_bzip2},
#endif
#ifdef RIBOGRID_HAVE_LZMA
    {"xz", pack_xz},
#endif
#ifdef RIBOGRID_HAVE_ZSTD
    {"zstd", pack_zstd},
#endif
};

#define EACH_FORMAT(f) (int f = 1; f < (int)(sizeof(formats) / sizeof(formats[0])); f++)

static void add_member(int f, const void *from, size_t len)
{
    file_len += formats[f].pack(from, len, file + file_len, sizeof(file) - file_len);
}

static status_t read_in(size_t piece)
{
    packed_input_t *in;
    size_t n = piece;
    status_t st = packed_input_open(path, &in);

    got_len = 0;
    assert_int_equal(st, ST_OK);
    while (st == ST_OK && n == piece) {
        assert_true(got_len + piece <= sizeof(got));
        st = packed_input_read(in, got + got_len, piece, &n);
        got_len += st == ST_OK ? n : 0;
    }
    packed_input_close(in);
    return st;
}

static void assert_read(const void *due, size_t len)
{
    static const size_t pieces[] = {1, 4096, 1 << 19};

    dir_put(path, file, file_len);
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        assert_int_equal(read_in(pieces[i]), ST_OK);
        assert_int_equal(got_len, len);
        assert_memory_equal(got, due, len);
    }
}

static void assert_refused(const char *format, ...)
{
    char why[128];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    dir_put(path, file, file_len);
    capture_start();
    assert_int_equal(read_in(4096), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged(path);
    assert_logged(why);
}

static void the_build_has_gzip_and_the_formats_of_these_tests(void **state)
{
    const int n = (int)(sizeof(formats) / sizeof(formats[0]));

    (void)state;
    assert_string_equal(unpack_methods[0]->name, "gzip");
    for
        EACH_FORMAT(f)
    assert_string_equal(unpack_methods[f]->name, formats[f].name);
    assert_null(unpack_methods[n]);
}

static void members_follow_one_another(void **state)
{
    (void)state;
    for
        EACH_FORMAT(f)
        {
            file_len = 0;
            add_member(f, "he", 2);
            add_member(f, "", 0);
            add_member(f, "llo", 3);
            add_member(f, "", 0);
            assert_read("hello", 5);
        }
}

static void members_may_be_larger_than_a_block(void **state)
{
    uint32_t random = 1;

    (void)state;
    for (size_t i = 0; i < LONG; i++) {
        random = random * 1664525 + 1013904223;
        data[i] = "ACGT"[random >> 30];
    }
    for
        EACH_FORMAT(f)
        {
            file_len = 0;
            add_member(f, data, LONG / 4 * 3);
            add_member(f, data + LONG / 4 * 3, LONG / 4);
            assert_read(data, LONG);
        }
}

static void every_cut_and_every_damaged_byte_of_the_data_is_refused(void **state)
{
    (void)state;
    for
        EACH_FORMAT(f)
        {
            size_t first, len;

            file_len = 0;
            add_member(f, "hello", 5);
            first = file_len;
            add_member(f, "world", 5);
            len = file_len;
            for (file_len = UNPACK_MAGIC_BYTES; file_len < first; file_len++)
                assert_refused("unexpected end of the %s data after %zu bytes",
                               formats[f].name, file_len);
            for (file_len = first + UNPACK_MAGIC_BYTES; file_len < len; file_len++)
                assert_refused("unexpected end of the %s data after ", formats[f].name);
            for (size_t at = len - 4; at < len; at++) {
                file[at] ^= 0x80;
                assert_refused("the %s data are damaged near byte ", formats[f].name);
                file[at] ^= 0x80;
            }
            assert_read("helloworld", 10);
        }
}

static void what_follows_the_last_member_is_refused(void **state)
{
    (void)state;
    for
        EACH_FORMAT(f)
        {
            const char *name = formats[f].name;
            size_t member;

            file_len = 0;
            add_member(f, ">a\nACGT\n", 8);
            member = file_len;
            file[file_len++] = '\n';
            assert_refused(
                "data that are not %s after the end of the %s data, at byte %zu;", name,
                name, member);
            file[member] = 0;
            assert_refused("zeros after the end of the %s data, at byte %zu;", name,
                           member);
            file_len = member;
            memcpy(file + file_len, "\x1f\x8b\x08", 3); /* another format */
            file_len += 3;
            assert_refused("data that are not %s after the end of", name);
        }
}

static void a_text_that_begins_like_bzip2_passes_as_it_is(void **state)
{
    static const char text[] = "BZh91AY&S and more text\n";

    (void)state;
    file_len = sizeof(text) - 1;
    memcpy(file, text, file_len);
    assert_read(text, file_len);
}

#ifdef RIBOGRID_HAVE_LZMA
static int xz_format(void)
{
    for
        EACH_FORMAT(f)
    if (strcmp(formats[f].name, "xz") == 0)
        return f;
    fail();
    return 0;
}

static void zeros_may_follow_xz_in_fours(void **state)
{
    const int xz = xz_format();

    (void)state;
    file_len = 0;
    add_member(xz, "he", 2);
    memset(file + file_len, 0, 24);
    file_len += 24;
    add_member(xz, "llo", 3);
    memset(file + file_len, 0, 8);
    file_len += 4;
    assert_read("hello", 5);
    file_len += 3;
    assert_refused("zeros after the end of the xz data");
}

/* Byte 18 is the size of the dictionary, bytes 20 to 23 are the header's checksum. */
static void xz_with_a_dictionary_of_4_gib_is_refused(void **state)
{
    uint32_t crc;

    (void)state;
    file_len = 0;
    add_member(xz_format(), "hello", 5);
    assert_int_equal(file[16], 0x21); /* LZMA2 */
    file[18] = 40;
    crc = lzma_crc32(file + 12, 8, 0);
    for (int i = 0; i < 4; i++)
        file[20 + i] = (unsigned char)(crc >> 8 * i);
    assert_refused("the xz data need more than 256 MiB of memory; unpack them first "
                   "with 'xz -dk'");
}
#endif

#ifdef RIBOGRID_HAVE_ZSTD
static void zstd_frames_without_data_are_skipped(void **state)
{
    static const unsigned char skipped[] = {0x50, 0x2a, 0x4d, 0x18, 3,  0,
                                            0,    0,    'a',  'b',  'c'};

    (void)state;
    memcpy(file, skipped, sizeof(skipped));
    file_len = sizeof(skipped);
    file_len += pack_zstd("hello", 5, file + file_len, sizeof(file) - file_len);
    memcpy(file + file_len, skipped, sizeof(skipped));
    file_len += sizeof(skipped);
    assert_read("hello", 5);
}

/* The byte after the flags is the window: 2^(10 + exponent), the exponent in bits 3 to 7;
 * then the last block, of 0 bytes. */
static void zstd_with_a_window_above_128_mib_is_refused(void **state)
{
    static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 17 << 3, 1, 0, 0};

    (void)state;
    memcpy(file, frame, sizeof(frame));
    file_len = sizeof(frame);
    assert_read("", 0);
    file[5] = 18 << 3;
    assert_refused("the zstd data need more than 128 MiB of memory; unpack them first "
                   "with 'zstd -d --long=31'");
}
#endif

static void the_end_of_a_name_that_marks_a_format_is_left_out(void **state)
{
    (void)state;
    assert_int_equal(unpack_stem("a.mtx.gz"), 5);
    assert_int_equal(unpack_stem("a.mtx.GZ"), 5);
    assert_int_equal(unpack_stem("a.mtx"), 5);
    assert_int_equal(unpack_stem(""), 0);
    for
        EACH_FORMAT(f)
        {
            char name[16];

            snprintf(name, sizeof(name), "a%s", unpack_methods[f]->suffix);
            assert_int_equal(unpack_stem(name), 1);
        }
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static int make_dir(void **state)
{
    const int code = dir_make(state);

    dir_file("input", path);
    return code;
}

int main(void)
{
#define UNPACK_TEST(name) cmocka_unit_test_teardown(name, remove_file)
    const struct CMUnitTest tests[] = {
        UNPACK_TEST(the_build_has_gzip_and_the_formats_of_these_tests),
        UNPACK_TEST(members_follow_one_another),
        UNPACK_TEST(members_may_be_larger_than_a_block),
        UNPACK_TEST(every_cut_and_every_damaged_byte_of_the_data_is_refused),
        UNPACK_TEST(what_follows_the_last_member_is_refused),
        UNPACK_TEST(a_text_that_begins_like_bzip2_passes_as_it_is),
#ifdef RIBOGRID_HAVE_LZMA
        UNPACK_TEST(zeros_may_follow_xz_in_fours),
        UNPACK_TEST(xz_with_a_dictionary_of_4_gib_is_refused),
#endif
#ifdef RIBOGRID_HAVE_ZSTD
        UNPACK_TEST(zstd_frames_without_data_are_skipped),
        UNPACK_TEST(zstd_with_a_window_above_128_mib_is_refused),
#endif
        UNPACK_TEST(the_end_of_a_name_that_marks_a_format_is_left_out),
    };

    return cmocka_run_group_tests(tests, make_dir, dir_remove);
}
