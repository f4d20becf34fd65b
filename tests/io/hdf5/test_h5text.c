/*
 * test_h5text.c - texts in HDF5 come back as they were, from strings of both forms.
 */
#include "tests/support/unit_test.h"

#include "io/base/texts.h"
#include "io/hdf5/h5text.h"
#include "tests/support/captured_log.h"
#include "tests/support/h5_variable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hid_t file; /* in memory only */

static int create(void **state)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    (void)state;
    h5util_init();
    H5Pset_fapl_core(access, 1 << 20, 0);
    file = H5Fcreate("test_h5text", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file >= 0 ? 0 : -1;
}

static int discard(void **state)
{
    (void)state;
    return H5Fclose(file) >= 0 ? 0 : -1;
}

static void assert_attribute(const char *name, const char *expected)
{
    char *text = h5text_get(file, name);

    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_array(const char *name, const char *const *expected, int64_t n)
{
    int64_t n_read = -1;
    char **texts = h5text_get_array(file, name, n, &n_read);

    assert_non_null(texts);
    assert_int_equal(n_read, n);
    for (int64_t i = 0; i < n; i++)
        assert_string_equal(texts[i], expected[i]);
    texts_free(texts);
}

/* Check that a dataset holds strings of `width` bytes, and its chunks `rows` of them. */
static void assert_stored(const char *name, size_t width, hsize_t rows)
{
    hid_t data = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(data);
    hid_t creation = H5Dget_create_plist(data);
    hsize_t chunk = 0;

    assert_int_equal(H5Tget_class(type), H5T_STRING);
    assert_false(H5Tis_variable_str(type));
    assert_int_equal(H5Tget_size(type), width);
    assert_int_equal(H5Tget_cset(type), H5T_CSET_UTF8);
    if (rows > 0)
        assert_int_equal(H5Pget_chunk(creation, 1, &chunk), 1);
    assert_int_equal(chunk, rows);
    H5Pclose(creation);
    H5Tclose(type);
    H5Dclose(data);
}

static void attributes_come_back(void **state)
{
    (void)state;
    assert_true(h5text_put(file, "format", "ribogrid-pairs"));
    assert_true(h5text_put(file, "empty", ""));
    assert_true(h5text_put(file, "lines", "a=1\nb=\xc3\xa9\n"));
    assert_attribute("format", "ribogrid-pairs");
    assert_attribute("empty", "");
    assert_attribute("lines", "a=1\nb=\xc3\xa9\n");
    assert_null(h5text_get(file, "none"));
}

static void attributes_are_clean_in_the_file(void **state)
{
    hid_t attribute, type;

    (void)state;
    assert_true(h5text_put(file, "command", "align Jos\xe9\t.fa"));
    assert_attribute("command", "align Jos\\xe9\\x09.fa");
    attribute = H5Aopen(file, "command", H5P_DEFAULT);
    type = H5Aget_type(attribute);
    assert_int_equal(H5Tget_size(type), strlen("align Jos\\xe9\\x09.fa"));
    H5Tclose(type);
    H5Aclose(attribute);
}

/* "x", then two-byte characters: the cut falls into one of them. */
static void a_long_attribute_is_cut_between_characters(void **state)
{
    size_t len = 2 * H5TEXT_ATTRIBUTE_BYTES + 1;
    char *text = malloc(len + 1), *read;

    (void)state;
    for (size_t i = 1; i < len; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    text[0] = 'x';
    text[len] = '\0';
    assert_true(h5text_put(file, "command", text));
    read = h5text_get(file, "command");
    assert_non_null(read);
    assert_int_equal(strlen(read), H5TEXT_ATTRIBUTE_BYTES);
    assert_memory_equal(read, text, H5TEXT_ATTRIBUTE_BYTES - 3);
    assert_string_equal(read + H5TEXT_ATTRIBUTE_BYTES - 3, "...");
    free(text);
    free(read);
}

static void texts_are_as_wide_as_the_longest(void **state)
{
    const char *const texts[] = {"a", "", "Jos\xc3\xa9 1", "bc"};

    (void)state;
    assert_true(h5text_put_array(file, "names", texts, 4));
    assert_stored("names", 7, 4);
    assert_array("names", texts, 4);
    assert_array("names", texts, 4);
    assert_null(h5text_get_array(file, "names", 5, NULL));
}

static void no_texts_and_empty_texts_come_back(void **state)
{
    const char *const empty[] = {"", ""};

    (void)state;
    assert_true(h5text_put_array(file, "none", NULL, 0));
    assert_true(h5text_put_array(file, "empty", empty, 2));
    assert_stored("none", 1, 0);
    assert_stored("empty", 1, 2);
    assert_array("none", NULL, 0);
    assert_array("empty", empty, 2);
}

static void chunks_have_at_most_a_mebibyte_or_one_text(void **state)
{
    enum { LONG = 3 << 20, N = 300000 };
    char *longest = calloc(1, LONG + 1), **texts = calloc(N, sizeof(*texts));
    char *block = malloc((size_t)N * 16);
    const char *two[] = {"short", longest};

    (void)state;
    memset(longest, 'x', LONG);
    assert_true(h5text_put_array(file, "long", two, 2));
    assert_stored("long", LONG, 1);
    assert_array("long", two, 2);
    for (int i = 0; i < N; i++) {
        texts[i] = block + (size_t)i * 16;
        snprintf(texts[i], 16, "%d", i);
    }
    assert_true(h5text_put_array(file, "many", (const char *const *)texts, N));
    assert_stored("many", 6, (1 << 20) / 6);
    assert_array("many", (const char *const *)texts, N);
    free(longest);
    free(block);
    free(texts);
}

static void variable_length_strings_are_read(void **state)
{
    const char *const texts[] = {"a", "", "Jos\xc3\xa9", "bc"};
    enum { N = 10000 }; /* more than are read at a time */
    const char *same[N];

    (void)state;
    put_variable(file, "format", "ribogrid-pairs");
    put_variable_array(file, "names", texts, 4);
    put_variable_array(file, "none", NULL, 0);
    assert_attribute("format", "ribogrid-pairs");
    assert_array("names", texts, 4);
    assert_array("none", NULL, 0);
    for (int i = 0; i < N; i++)
        same[i] = i % 2 == 0 ? "even" : "odd";
    put_variable_array(file, "same", same, N);
    assert_array("same", same, N);
}

static void texts_that_are_not_clean_are_escaped(void **state)
{
    const char *const texts[] = {"Jos\xe9", "a\nb"};
    const char *const escaped[] = {"Jos\\xe9", "a\\x0ab"};

    (void)state;
    put_variable(file, "job", "a=\x1b[2J\nb=1\n");
    put_variable_array(file, "old", texts, 2);
    assert_true(h5text_put_array(file, "new", texts, 2));
    assert_attribute("job", "a=\\x1b[2J\nb=1\n");
    assert_array("old", escaped, 2);
    assert_array("new", escaped, 2);
}

static void strings_of_other_programs_are_read(void **state)
{
    const char *const expected[] = {"ab", "c"};
    hid_t type = H5Tcopy(H5T_C_S1);

    (void)state;
    H5Tset_size(type, 4); /* ASCII */
    assert_true(h5util_put_array(file, "ended", type, type, "ab\0?c\0??", 2, 0));
    assert_array("ended", expected, 2);
    H5Tset_strpad(type, H5T_STR_SPACEPAD);
    assert_true(h5util_put(file, "text", type, type, "ab  "));
    assert_true(h5util_put_array(file, "blanks", type, type, "ab  c   ", 2, 0));
    assert_attribute("text", "ab");
    assert_array("blanks", expected, 2);
    H5Tclose(type);
}

static void what_is_no_text_is_refused(void **state)
{
    const int32_t numbers[2] = {1, 2};
    const char *const missing[] = {"a", NULL};
    hsize_t n = 2;
    hid_t space = H5Screate_simple(1, &n, NULL), type = variable_type(), attribute;

    (void)state;
    assert_true(h5util_put_int(file, "number", 1));
    assert_null(h5text_get(file, "number"));
    attribute = H5Acreate2(file, "array", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    assert_null(h5text_get(file, "array"));
    assert_true(h5util_put_int32s(file, "numbers", numbers, 2, 0));
    put_variable_array(file, "missing", missing, 2);
    assert_null(h5text_get_array(file, "numbers", -1, NULL));
    assert_null(h5text_get_array(file, "missing", -1, NULL));
    assert_null(h5text_get_array(file, "none", -1, NULL));
}

static void assert_refused_in_one_line(const char *name)
{
    capture_start();
    assert_null(h5text_get_array(file, name, -1, NULL));
    capture_stop();
    assert_logged_one_line();
}

static void damaged_texts_are_refused_in_one_line(void **state)
{
    const char *const missing[] = {"a", NULL};
    const hsize_t origin = 0;
    hid_t type = H5Tcopy(H5T_C_S1), data;

    (void)state;
    H5Tset_size(type, 4);
    assert_true(h5util_put_array(file, "damaged", type, type, "abcdefgh", 2, 2));
    data = H5Dopen2(file, "damaged", H5P_DEFAULT);
    assert_true(H5Dwrite_chunk(data, H5P_DEFAULT, 0, &origin, 5, "wrong") >= 0);
    H5Dclose(data);
    H5Tclose(type);
    put_variable_array(file, "missing", missing, 2);
    assert_refused_in_one_line("damaged");
    assert_refused_in_one_line("missing");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, create, discard)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(attributes_come_back),
        TEST(attributes_are_clean_in_the_file),
        TEST(a_long_attribute_is_cut_between_characters),
        TEST(texts_are_as_wide_as_the_longest),
        TEST(no_texts_and_empty_texts_come_back),
        TEST(chunks_have_at_most_a_mebibyte_or_one_text),
        TEST(variable_length_strings_are_read),
        TEST(texts_that_are_not_clean_are_escaped),
        TEST(strings_of_other_programs_are_read),
        TEST(what_is_no_text_is_refused),
        TEST(damaged_texts_are_refused_in_one_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
