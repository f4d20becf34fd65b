/*
 * test_pairs_file.c - result files return what was written; damaged and foreign files are
 * refused.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5text.h"
#include "io/pairs/pairs_file.h"
#include "tests/io/pairs/pairs_fixture.h"
#include "tests/support/h5_variable.h"

#include <limits.h>

static void assert_values(const pairs_file_t *file, int64_t n, int n_datasets)
{
    for (int d = 0; d < n_datasets; d++) {
        int32_t *values = malloc((size_t)(n * n + 1) * sizeof(*values));

        assert_non_null(values);
        assert_int_equal(pairs_read(file, (pairs_dataset_t)d, 0, n, 0, n, values), ST_OK);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                assert_int_equal(values[i * n + j], value_of(d, i, j));
        free(values);
    }
}

static void assert_comes_back(int64_t n, int n_datasets)
{
    pairs_file_t *file;

    write_result(n, n_datasets);
    file = open_result();
    assert_int_equal(file->grid.n, n);
    assert_int_equal(file->grid.side, n < 4 ? n : 4);
    assert_int_equal(file->n_datasets, n_datasets);
    assert_string_equal(file->job, JOB);
    for (int64_t i = 0; i < n; i++) {
        char name[16];

        snprintf(name, sizeof(name), "s%d", (int)i);
        assert_string_equal(file->rows.names[i], name);
    }
    assert_values(file, n, n_datasets);
    pairs_close(file);
}

static void every_value_comes_back_for_any_number_of_sequences(void **state)
{
    const int64_t numbers[] = {0, 1, 2, 3, 4, 5, 8, 9};

    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        assert_comes_back(numbers[i], 1);
        assert_comes_back(numbers[i], 3);
        assert_comes_back(numbers[i], PAIRS_N_CIGAR);
    }
}

static void fill_values_are_on_and_below_the_diagonal(void **state)
{
    pairs_file_t *file;
    int32_t value;

    (void)state;
    assert_int_equal(pairs_fill[PAIRS_SCORE], INT_MIN);
    write_result(9, 3);
    file = open_result();
    assert_int_equal(pairs_read(file, PAIRS_SCORE, 8, 9, 0, 1, &value), ST_OK);
    assert_int_equal(value, INT_MIN); /* in a tile that was not stored */
    assert_int_equal(pairs_read(file, PAIRS_SCORE, 1, 2, 0, 1, &value), ST_OK);
    assert_int_equal(value, INT_MIN); /* in a tile that was */
    assert_int_equal(pairs_read(file, PAIRS_SCORE, 8, 9, 8, 9, &value), ST_OK);
    assert_int_equal(value, INT_MIN);
    assert_int_equal(pairs_read(file, PAIRS_MATCHES, 8, 9, 0, 1, &value), ST_OK);
    assert_int_equal(value, 0);
    assert_int_equal(pairs_read(file, PAIRS_COLUMNS, 8, 9, 0, 1, &value), ST_OK);
    assert_int_equal(value, 0);
    pairs_close(file);
}

static void a_rectangle_across_tiles_is_read_row_by_row(void **state)
{
    status_t st;
    pairs_file_t *file;
    int32_t values[3 * 4];

    (void)state;
    write_result(9, 3);
    file = open_result();
    assert_int_equal(pairs_read(file, PAIRS_COLUMNS, 2, 5, 5, 9, values), ST_OK);
    assert_int_equal(values[0], 7000 + 205);
    assert_int_equal(values[3], 7000 + 208);
    assert_int_equal(values[4], 7000 + 305);
    assert_int_equal(values[8], 7000 + 405);
    assert_int_equal(values[11], 7000 + 408);
    assert_int_equal(pairs_read(file, PAIRS_SCORE, 3, 3, 0, 9, values), ST_OK);
    capture_start();
    st = pairs_read(file, PAIRS_SCORE, 8, 10, 0, 1, values);
    capture_stop();
    assert_int_equal(st, ST_EIO);
    assert_logged_one_line();
    pairs_close(file);
}

static void pairs_describe_prints_the_metadata(void **state)
{
    pairs_file_t *file;
    char *text = NULL, *stored;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);

    (void)state;
    assert_non_null(to);
    write_result(5, 3);
    file = open_result();
    assert_int_equal(pairs_describe(file, to), ST_OK);
    fclose(to);
    pairs_close(file);
    stored = strstr(text, "file\tstored_bytes\t");
    assert_non_null(stored);
    assert_true(atol(stored + strlen("file\tstored_bytes\t")) > 0);
    *stored = '\0';
    assert_string_equal(text, "file\tformat\tribogrid-pairs 1.6\n"
                              "file\tsequences\t5\nfile\tpairs\t10\n"
                              "file\tdatasets\tscore matches columns\n"
                              "file\talphabet\tdna\n"
                              "file\tidentity\tmatches / columns\n"
                              "file\ttile\t4 x 4\n");
    assert_string_equal(
        strchr(stored + 1, '\n'),
        "\njob\tinput\ta.fa\njob\tmatch\t5\njob\tnote\t\nrun\tprogram\tribogrid test\n"
        "run\tcommand\talign\nrun\tseconds\t2.5\nrun\tranks\t2\n"
        "run\tpairs\t10\nrun\tpairs_aligned\t10\nrun\tpairs_kept\t10\n"
        "run\tpairs_without_identity\t0\nrun\trecords\t5\n"
        "run\tdevice\t0 cpu\nrun\tdevice\t1 cuda:0\n");
    free(text);
}

/* Read a dataset as any HDF5 reader does. */
static void read_array(const char *name, hid_t type, void *out)
{
    hid_t file = H5Fopen(result, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t data = H5Dopen2(file, name, H5P_DEFAULT);

    assert_true(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Dclose(data);
    H5Fclose(file);
}

static void any_hdf5_reader_finds_letters_and_lengths(void **state)
{
    unsigned char letters[7] = {0};
    int32_t lengths[3];
    int64_t offset[4];
    seqset_t *set = numbered_set_of(3, 1);

    (void)state;
    write_set(set, 1);
    seqset_destroy(set);
    read_array("/sequences/letters", H5T_NATIVE_UINT8, letters);
    read_array("/sequences/lengths", H5T_NATIVE_INT32, lengths);
    read_array("/sequences/offset", H5T_NATIVE_INT64, offset);
    assert_string_equal((char *)letters, "AACACG");
    for (int i = 0; i < 3; i++)
        assert_int_equal(lengths[i], i + 1);
    assert_int_equal(offset[0], 0);
    assert_int_equal(offset[1], 1);
    assert_int_equal(offset[2], 3);
    assert_int_equal(offset[3], 6);
}

/* A chunk has 65536 letters. */
static void a_sequence_longer_than_a_chunk_comes_back(void **state)
{
    enum { LEN = 2 * 65536 + 5 };
    unsigned char *letters = malloc(LEN);
    seqset_builder_t builder = {0};
    seqset_t *set = NULL;

    (void)state;
    assert_non_null(letters);
    for (int i = 0; i < LEN; i++)
        letters[i] = (unsigned char)(1 + i % 15);
    assert_int_equal(seqset_builder_add(&builder, "long", 4, letters, LEN), ST_OK);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    write_set(set, 1);
    read_array("/sequences/letters", H5T_NATIVE_UINT8, letters);
    for (int i = 0; i < LEN; i++)
        assert_int_equal(letters[i], "ACMGRSVTWYHKDBN"[i % 15]);
    seqset_destroy(set);
    free(letters);
}

static void a_file_truncated_anywhere_is_refused(void **state)
{
    size_t len;
    unsigned char *bytes;

    (void)state;
    write_result(5, 3);
    bytes = dir_get(result, &len);
    for (size_t cut = 0; cut < len; cut += 1 + len / 40) {
        dir_put(result, bytes, cut);
        assert_not_opened("not an HDF5 file, or a truncated one");
    }
    dir_put(result, bytes, len - 1);
    assert_not_opened("not an HDF5 file, or a truncated one");
    free(bytes);
}

static void a_text_file_and_a_missing_file_are_refused(void **state)
{
    (void)state;
    dir_put(result, ">a\nACGT\n", 8);
    assert_not_opened("not an HDF5 file");
    unlink(result);
    assert_not_opened("cannot open it: No such file or directory");
}

/* Open the result to be edited. */
static hid_t edit(void)
{
    hid_t file = H5Fopen(result, H5F_ACC_RDWR, H5P_DEFAULT);

    assert_true(file >= 0);
    return file;
}

static void put_int(const char *name, int64_t value)
{
    hid_t file = edit();

    assert_true(H5Adelete(file, name) >= 0);
    assert_true(h5util_put_int(file, name, value));
    H5Fclose(file);
}

static void an_hdf5_file_of_another_program_is_refused(void **state)
{
    hid_t file;

    (void)state;
    h5util_init();
    file = H5Fcreate(result, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    H5Fclose(file);
    assert_not_opened("an HDF5 file, but not a ribogrid result");
    file = edit();
    assert_true(h5text_put(file, "format", "biom"));
    H5Fclose(file);
    assert_not_opened("an HDF5 file, but not a ribogrid result");
}

static void a_newer_major_version_is_refused_and_a_newer_minor_one_is_read(void **state)
{
    (void)state;
    write_result(2, 1);
    put_int("format_version_minor", PAIRS_VERSION_MINOR + 1);
    pairs_close(open_result());
    put_int("format_version", PAIRS_VERSION_MAJOR + 1);
    assert_not_opened("format version 2 is newer than this program knows (1)");
}

static void a_file_without_one_of_its_datasets_is_refused(void **state)
{
    static const char *const datasets[] = {"score", "columns", "sequences/names"};

    (void)state;
    for (size_t i = 0; i < sizeof(datasets) / sizeof(datasets[0]); i++) {
        hid_t file;

        write_result(3, 3);
        file = edit();
        assert_true(H5Ldelete(file, datasets[i], H5P_DEFAULT) >= 0);
        H5Fclose(file);
        assert_not_opened(i < 2 ? "a dataset is missing" : "/sequences/names is missing");
    }
}

static void a_file_without_one_of_its_attributes_is_refused(void **state)
{
    static const char *const names[] = {"format", "format_version", "job", "tile_side"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        hid_t file;

        write_result(3, 3);
        file = edit();
        assert_true(H5Adelete(file, names[i]) >= 0);
        H5Fclose(file);
        assert_not_opened(i < 2 ? "not a ribogrid result" : "an attribute is missing");
    }
}

static void set_text(const char *attribute, const char *value)
{
    hid_t file = edit();

    H5Adelete(file, attribute);
    assert_true(h5text_put(file, attribute, value));
    H5Fclose(file);
}

static void ends_and_the_definition_of_identity_are_read(void **state)
{
    pairs_file_t *file;

    (void)state;
    write_result(3, 3); /* free ends, no definition named */
    file = open_result();
    assert_int_equal(file->identity_def, IDENTITY_INNER_COLUMNS);
    assert_false(file->ends_count);
    assert_false(file->ends_query);
    pairs_close(file);
    set_text("identity_definition", "onegap");
    set_text("ends", "query");
    file = open_result();
    assert_int_equal(file->identity_def, IDENTITY_ONEGAP);
    assert_false(file->ends_count);
    assert_true(file->ends_query);
    pairs_close(file);
    set_text("identity_definition", "7");
    assert_not_opened("its identity_definition '7' is unknown; use a newer ribogrid");
}

static void a_tile_side_out_of_range_is_refused(void **state)
{
    static const int64_t sides[] = {-4, 0, 6, INT64_MAX};

    (void)state;
    write_result(5, 1);
    for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
        put_int("tile_side", sides[i]);
        assert_not_opened("its tile_side is out of range");
    }
}

/* Put 64 numbers where one is expected; the reader must not overrun its buffer. */
static void put_many(hid_t at, const char *name)
{
    const int64_t numbers[64] = {0};
    hsize_t n = 64;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t attribute =
        H5Acreate2(at, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);

    assert_true(H5Awrite(attribute, H5T_NATIVE_INT64, numbers) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void an_array_in_place_of_a_number_is_refused(void **state)
{
    hid_t file;

    (void)state;
    write_result(5, 1);
    file = edit();
    assert_true(H5Adelete(file, "tile_side") >= 0);
    put_many(file, "tile_side");
    H5Fclose(file);
    assert_not_opened("an attribute is missing");
}

static void unknown_attributes_of_run_are_not_printed(void **state)
{
    hid_t edited, run;
    pairs_file_t *file;
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);

    (void)state;
    write_result(5, 1);
    edited = edit();
    run = H5Gopen2(edited, "run", H5P_DEFAULT);
    put_many(run, "many");
    assert_true(H5Ldelete(run, "devices", H5P_DEFAULT) >= 0);
    H5Gclose(run);
    H5Fclose(edited);
    file = open_result();
    assert_int_equal(pairs_describe(file, to), ST_OK);
    fclose(to);
    assert_non_null(strstr(text, "run\tseconds\t2.5\n"));
    assert_null(strstr(text, "many"));
    assert_null(strstr(text, "device"));
    free(text);
    pairs_close(file);
}

static void names_that_are_not_texts_are_refused(void **state)
{
    const double wrong[5] = {1, 2, 3, 4, 5};
    const char *const missing[5] = {"s0", NULL, "s2", "s3", "s4"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        hid_t file;

        write_result(5, 1);
        file = edit();
        assert_true(H5Ldelete(file, "sequences/names", H5P_DEFAULT) >= 0);
        if (i == 0)
            assert_true(h5util_put_array(file, "sequences/names", H5T_IEEE_F64LE,
                                         H5T_NATIVE_DOUBLE, wrong, 5, 0));
        else
            put_variable_array(file, "sequences/names", missing, 5);
        H5Fclose(file);
        assert_not_opened(i == 0 ? "/sequences/names does not hold texts"
                                 : "/sequences/names");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_value_comes_back_for_any_number_of_sequences,
                                  results_forget),
        cmocka_unit_test_teardown(fill_values_are_on_and_below_the_diagonal,
                                  results_forget),
        cmocka_unit_test_teardown(a_rectangle_across_tiles_is_read_row_by_row,
                                  results_forget),
        cmocka_unit_test_teardown(pairs_describe_prints_the_metadata, results_forget),
        cmocka_unit_test_teardown(any_hdf5_reader_finds_letters_and_lengths,
                                  results_forget),
        cmocka_unit_test_teardown(a_sequence_longer_than_a_chunk_comes_back,
                                  results_forget),
        cmocka_unit_test_teardown(a_file_truncated_anywhere_is_refused, results_forget),
        cmocka_unit_test_teardown(a_text_file_and_a_missing_file_are_refused,
                                  results_forget),
        cmocka_unit_test_teardown(an_hdf5_file_of_another_program_is_refused,
                                  results_forget),
        cmocka_unit_test_teardown(
            a_newer_major_version_is_refused_and_a_newer_minor_one_is_read,
            results_forget),
        cmocka_unit_test_teardown(a_file_without_one_of_its_datasets_is_refused,
                                  results_forget),
        cmocka_unit_test_teardown(a_file_without_one_of_its_attributes_is_refused,
                                  results_forget),
        cmocka_unit_test_teardown(ends_and_the_definition_of_identity_are_read,
                                  results_forget),
        cmocka_unit_test_teardown(a_tile_side_out_of_range_is_refused, results_forget),
        cmocka_unit_test_teardown(an_array_in_place_of_a_number_is_refused,
                                  results_forget),
        cmocka_unit_test_teardown(unknown_attributes_of_run_are_not_printed,
                                  results_forget),
        cmocka_unit_test_teardown(names_that_are_not_texts_are_refused, results_forget),
    };

    return cmocka_run_group_tests(tests, results_make, dir_remove);
}
