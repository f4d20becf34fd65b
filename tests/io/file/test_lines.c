/*
 * test_lines.c - unit tests of reading text files line by line.
 */
#include "tests/support/unit_test.h"

#include "io/file/lines.h"

#include "tests/support/captured_log.h"

#include <zlib.h>

static char path[PATH_BYTES];

/* Read the lines of the file into out, each followed by '|'. @return the last status */
static status_t read_all(char *out, size_t size)
{
    lines_t *lines;
    char *line;
    status_t st;
    int n = 0;

    out[0] = '\0';
    assert_int_equal(lines_open(path, &lines), ST_OK);
    while ((st = lines_next(lines, &line)) == ST_OK && line != NULL) {
        assert_int_equal(lines_number(lines), ++n);
        strncat(out, line, size - strlen(out) - 1);
        strncat(out, "|", size - strlen(out) - 1);
    }
    lines_close(lines);
    return st;
}

static void assert_lines(const char *text, const char *due)
{
    char got[256];

    dir_file("lines", path);
    dir_put(path, text, strlen(text));
    assert_int_equal(read_all(got, sizeof(got)), ST_OK);
    assert_string_equal(got, due);
    unlink(path);
}

/* Lines are read in blocks of 256 KiB: some cross their ends. */
static void lines_that_cross_blocks_are_whole(void **state)
{
    enum { LINES = 100000 };
    lines_t *lines;
    char *line, due[32];
    FILE *file;

    (void)state;
    dir_file("lines", path);
    assert_non_null(file = fopen(path, "w"));
    for (int i = 0; i < LINES; i++)
        fprintf(file, "%s%d \t%s\n", i % 1000 == 0 ? "\x01" : "x", i,
                i % 3 == 0 ? "\r" : "");
    fclose(file);
    assert_int_equal(lines_open(path, &lines), ST_OK);
    for (int i = 0; i < LINES; i++) {
        snprintf(due, sizeof(due), "%s%d", i % 1000 == 0 ? "\\x01" : "x", i);
        assert_int_equal(lines_next(lines, &line), ST_OK);
        assert_string_equal(line, due);
        assert_int_equal(lines_number(lines), i + 1);
    }
    assert_int_equal(lines_next(lines, &line), ST_OK);
    assert_null(line);
    lines_close(lines);
    unlink(path);
}

static void line_ends_and_trailing_blanks_are_removed(void **state)
{
    (void)state;
    assert_lines("a\tb\nc\n", "a\tb|c|");
    assert_lines("a \t\r\n\r\n c", "a|| c|");
    assert_lines("\xef\xbb\xbf"
                 "a\n\xef\xbb\xbf"
                 "b\n",
                 "a|\xef\xbb\xbf"
                 "b|");
    assert_lines("", "");
    assert_lines("\n", "|");
}

static void bytes_that_are_not_text_are_escaped(void **state)
{
    (void)state;
    assert_lines("Jos\xc3\xa9\tJos\xe9\x1b\n", "Jos\xc3\xa9\tJos\\xe9\\x1b|");
    assert_lines("a\xff\nb\n", "a\\xff|b|");
}

static void entries_are_lines_that_are_no_comments(void **state)
{
    lines_t *lines;
    char *line;

    (void)state;
    dir_file("lines", path);
    dir_put(path, "# a\n\nb\n #c\n#\n", 13);
    assert_int_equal(lines_open(path, &lines), ST_OK);
    assert_int_equal(lines_next_entry(lines, &line), ST_OK);
    assert_string_equal(line, "b");
    assert_int_equal(lines_number(lines), 3);
    assert_int_equal(lines_next_entry(lines, &line), ST_OK);
    assert_string_equal(line, " #c");
    assert_int_equal(lines_next_entry(lines, &line), ST_OK);
    assert_null(line);
    lines_close(lines);
    unlink(path);
}

static void a_line_may_be_longer_than_a_block(void **state)
{
    enum { LONG = 600000 };
    char *text = malloc(LONG + 3), *line;
    lines_t *lines;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', LONG);
    memcpy(text + LONG, "\ny", 3);
    dir_file("long", path);
    dir_put(path, text, LONG + 2);
    assert_int_equal(lines_open(path, &lines), ST_OK);
    assert_int_equal(lines_next(lines, &line), ST_OK);
    assert_int_equal(strlen(line), LONG);
    assert_int_equal(lines_next(lines, &line), ST_OK);
    assert_string_equal(line, "y");
    assert_int_equal(lines_next(lines, &line), ST_OK);
    assert_null(line);
    lines_close(lines);
    unlink(path);
    free(text);
}

static void gzip_is_read_and_a_truncated_file_is_refused(void **state)
{
    char got[256];
    unsigned char *data;
    size_t len;
    gzFile out;

    (void)state;
    dir_file("lines.gz", path);
    out = gzopen(path, "wb");
    assert_non_null(out);
    gzputs(out, "a\nb\n");
    gzclose(out);
    assert_int_equal(read_all(got, sizeof(got)), ST_OK);
    assert_string_equal(got, "a|b|");
    data = dir_get(path, &len);
    dir_put(path, data, len - 6);
    capture_start();
    assert_int_equal(read_all(got, sizeof(got)), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("unexpected end of the gzip data");
    unlink(path);
    free(data);
}

static void a_missing_file_and_a_nul_byte_are_errors(void **state)
{
    char got[256];
    lines_t *lines;

    (void)state;
    dir_file("none", path);
    capture_start();
    assert_int_equal(lines_open(path, &lines), ST_EIO);
    capture_stop();
    assert_logged_one_line();
    assert_logged("No such file");
    dir_put(path, "a\nb\0c\n", 6);
    capture_start();
    assert_int_equal(read_all(got, sizeof(got)), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("none:2: byte 0x00");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_cross_blocks_are_whole),
        cmocka_unit_test(line_ends_and_trailing_blanks_are_removed),
        cmocka_unit_test(bytes_that_are_not_text_are_escaped),
        cmocka_unit_test(entries_are_lines_that_are_no_comments),
        cmocka_unit_test(a_line_may_be_longer_than_a_block),
        cmocka_unit_test(gzip_is_read_and_a_truncated_file_is_refused),
        cmocka_unit_test(a_missing_file_and_a_nul_byte_are_errors),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
