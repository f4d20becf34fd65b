/*
 * test_packed_input.c - every byte of a file is read or refused: gzip members one after
 * the other, and what follows them.
 */
#include "tests/support/unit_test.h"

#include "io/file/packed_input.h"
#include "tests/support/captured_log.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

enum { FILE_BYTES = 1 << 20 };

static char path[PATH_BYTES];
static unsigned char file[FILE_BYTES]; /* the file to read */
static size_t file_len;
static unsigned char got[4 * FILE_BYTES]; /* what was read */
static size_t got_len;

static int begin_file(void **state)
{
    (void)state;
    dir_file("input", path);
    file_len = 0;
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void add_bytes(const void *data, size_t len)
{
    assert_true(file_len + len <= sizeof(file));
    memcpy(file + file_len, data, len);
    file_len += len;
}

/* Append a gzip member. @param name  of the file in the header, or NULL */
static void add_member(const void *data, size_t len, const char *name)
{
    z_stream s = {0};
    gz_header header = {.name = (Bytef *)(uintptr_t)name,
                        .extra = (Bytef *)(uintptr_t) "extra",
                        .extra_len = name != NULL ? 5 : 0,
                        .hcrc = 1};

    assert_int_equal(deflateInit2(&s, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    if (name != NULL)
        assert_int_equal(deflateSetHeader(&s, &header), Z_OK);
    s.next_in = (Bytef *)(uintptr_t)data;
    s.avail_in = (unsigned)len;
    s.next_out = file + file_len;
    s.avail_out = (unsigned)(sizeof(file) - file_len);
    assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
    file_len = sizeof(file) - s.avail_out;
    deflateEnd(&s);
}

/* Read the file in pieces of `piece` bytes. */
static status_t read_in(size_t piece)
{
    packed_input_t *in;
    size_t n = piece;
    status_t st = packed_input_open(path, &in);

    got_len = 0;
    if (st != ST_OK)
        return st;
    while (st == ST_OK && n == piece) {
        assert_true(got_len + piece <= sizeof(got));
        st = packed_input_read(in, got + got_len, piece, &n);
        got_len += st == ST_OK ? n : 0;
    }
    if (st == ST_OK) { /* the end stays the end */
        assert_int_equal(packed_input_read(in, got + got_len, piece, &n), ST_OK);
        assert_int_equal(n, 0);
    }
    packed_input_close(in);
    return st;
}

static void assert_read(const void *due, size_t len)
{
    static const size_t pieces[] = {1, 7, 4096, 1 << 18};
    buf_t whole = {0};

    dir_put(path, file, file_len);
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        if (len > 100000 && pieces[i] < 1000)
            continue;
        assert_int_equal(read_in(pieces[i]), ST_OK);
        assert_int_equal(got_len, len);
        assert_memory_equal(got, due, len);
    }
    assert_int_equal(packed_input_read_file(path, &whole), ST_OK);
    assert_int_equal(whole.len, len);
    if (len > 0)
        assert_memory_equal(whole.data, due, len);
    buf_free(&whole);
}

static void assert_refused(const char *why)
{
    dir_put(path, file, file_len);
    capture_start();
    assert_int_equal(read_in(4096), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged(path);
    assert_logged(why);
}

static void what_is_no_gzip_passes_as_it_is(void **state)
{
    (void)state;
    assert_read("", 0);
    add_bytes("\x1f", 1);
    assert_read("\x1f", 1);
    add_bytes("\x8c text\0\n", 8);
    assert_read("\x1f\x8c text\0\n", 9);
}

static void a_member_is_inflated(void **state)
{
    (void)state;
    add_member("hello", 5, NULL);
    assert_read("hello", 5);
}

static void members_follow_one_another(void **state)
{
    (void)state;
    add_member("he", 2, "name");
    add_member("", 0, NULL);
    add_member("llo", 3, NULL);
    add_member("", 0, NULL);
    assert_read("hello", 5);
}

static void a_member_of_nothing_is_an_empty_file(void **state)
{
    (void)state;
    add_member("", 0, NULL);
    assert_read("", 0);
}

static void the_empty_block_at_the_end_of_bgzip_files_is_a_member(void **state)
{
    static const unsigned char end[] = {0x1f, 0x8b, 8,   4,   0, 0, 0,    0, 0, 0xff,
                                        6,    0,    'B', 'C', 2, 0, 0x1b, 0, 3, 0,
                                        0,    0,    0,   0,   0, 0, 0,    0};

    (void)state;
    add_member("hello", 5, "x");
    add_bytes(end, sizeof(end));
    assert_read("hello", 5);
}

/* Members end at every place of a block of the file, and of a block of the output. */
static void members_may_be_larger_than_a_block(void **state)
{
    enum { LONG = 300000 };
    unsigned char *data = malloc(3 * LONG);
    uint32_t random = 1;

    (void)state;
    assert_non_null(data);
    for (size_t i = 0; i < 3 * LONG; i++) {
        random = random * 1664525 + 1013904223;
        data[i] = "ACGT"[random >> 30];
    }
    for (size_t k = 0; k < 3; k++)
        add_member(data + k * LONG, LONG, NULL);
    assert_read(data, 3 * LONG);
    free(data);
}

static void what_follows_the_last_member_is_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *why;
    } leftovers[] = {
        {">b\nACGT\n", 8, "data that are not gzip after the end of the gzip data, at "},
        {"\0", 1, "zeros after the end of the gzip data, at byte "},
        {"\0\0\0\0\0\0\0\0\0\0\0\0", 12, "zeros after the end"},
        {"\x1f", 1, "data that are not gzip after the end"},
        {"\n", 1, "data that are not gzip after the end"},
        {"\x1f\x8b", 2, "unexpected end of the gzip data after "},
        {"\x1f\x8b\x08 no such header", 18, "the gzip data are damaged near byte "},
    };
    size_t member;

    (void)state;
    add_member(">a\nACGT\n", 8, NULL);
    member = file_len;
    for (size_t i = 0; i < sizeof(leftovers) / sizeof(leftovers[0]); i++) {
        file_len = member;
        add_bytes(leftovers[i].bytes, leftovers[i].len);
        assert_refused(leftovers[i].why);
    }
}

static void a_member_after_zeros_is_not_dropped(void **state)
{
    char why[64];

    (void)state;
    add_member("hello", 5, NULL);
    snprintf(why, sizeof(why), "zeros after the end of the gzip data, at byte %zu;",
             file_len);
    add_bytes("\0\0\0\0", 4);
    add_member("world", 5, NULL);
    assert_refused(why);
}

static void every_cut_and_every_damaged_checksum_is_refused(void **state)
{
    size_t first, len;

    (void)state;
    add_member("hello", 5, "name");
    first = file_len;
    add_member("world", 5, NULL);
    len = file_len;
    for (file_len = 2; file_len < len; file_len++)
        if (file_len > first + 1 || file_len < first)
            assert_refused("unexpected end of the gzip data after ");
    for (size_t at = len - 8; at < len; at++) {
        file[at] ^= 1;
        assert_refused("the gzip data are damaged near byte ");
        file[at] ^= 1;
    }
    assert_read("helloworld", 10);
}

static void a_pipe_that_gives_single_bytes_is_read(void **state)
{
    pid_t writer;

    (void)state;
    add_member("hello", 5, NULL);
    add_member("world", 5, NULL);
    assert_int_equal(mkfifo(path, 0600), 0);
    if ((writer = fork()) == 0) {
        int fd = open(path, O_WRONLY);

        for (size_t i = 0; i < file_len; i++)
            if (write(fd, file + i, 1) != 1)
                _exit(1);
        _exit(0);
    }
    assert_int_equal(read_in(1000), ST_OK);
    assert_int_equal(got_len, 10);
    assert_memory_equal(got, "helloworld", 10);
    waitpid(writer, NULL, 0);
}

static void what_cannot_be_read_is_reported_with_the_reason(void **state)
{
    packed_input_t *in = NULL;

    (void)state;
    capture_start();
    assert_int_equal(packed_input_open(path, &in), ST_EIO);
    capture_stop();
    assert_logged_one_line();
    assert_logged("input: No such file or directory; check the path");
    capture_start();
    assert_int_equal(packed_input_open(dir, &in), ST_EIO);
    capture_stop();
    assert_logged_one_line();
    assert_logged(": Is a directory; check the path");
    assert_null(in);
}

int main(void)
{
#define INPUT_TEST(name) cmocka_unit_test_setup_teardown(name, begin_file, remove_file)
    const struct CMUnitTest tests[] = {
        INPUT_TEST(what_is_no_gzip_passes_as_it_is),
        INPUT_TEST(a_member_is_inflated),
        INPUT_TEST(members_follow_one_another),
        INPUT_TEST(a_member_of_nothing_is_an_empty_file),
        INPUT_TEST(the_empty_block_at_the_end_of_bgzip_files_is_a_member),
        INPUT_TEST(members_may_be_larger_than_a_block),
        INPUT_TEST(what_follows_the_last_member_is_refused),
        INPUT_TEST(a_member_after_zeros_is_not_dropped),
        INPUT_TEST(every_cut_and_every_damaged_checksum_is_refused),
        INPUT_TEST(a_pipe_that_gives_single_bytes_is_read),
        INPUT_TEST(what_cannot_be_read_is_reported_with_the_reason),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
