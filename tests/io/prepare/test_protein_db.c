/*
 * test_protein_db.c - databases of proteins are read as they were written; damaged and
 * hostile ones, and those of another version, are refused in one line.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5text.h"
#include "io/prepare/protein_db.h"
#include "tests/support/captured_log.h"
#include "tests/support/sent_object.h"

#include <hdf5.h>
#include <string.h>
#include <unistd.h>

static char path[PATH_BYTES];

static const run_info_t run = {.program = "ribogrid",
                               .command = "c",
                               .input = "i",
                               .started = "s",
                               .finished = "f",
                               .devices = "d\n",
                               .ranks = 1};

/* "a" MKVX and "b c" W*, or the first ones of them. */
static void write_db(int64_t n, mask_t mask)
{
    static const char residues[] = "MKVXW*";
    uint8_t letters[6];
    int64_t offset[] = {0, 4, 6}, name_offset[] = {0, 2, 6};
    char names[] = "a\0b c";
    seqset_t set = {ALPHABET_PROTEIN, n, letters, offset, names, name_offset};
    const protein_db_t db = {&set, mask};

    for (int i = 0; i < 6; i++)
        letters[i] = alphabet_code(ALPHABET_PROTEIN, (unsigned char)residues[i]);
    assert_int_equal(protein_db_write(path, true, &db, &run, NULL), ST_OK);
}

static void proteins_and_masks_are_read_as_they_were_written(void **state)
{
    protein_db_t db;

    (void)state;
    write_db(2, MASK_SEG);
    assert_int_equal(protein_db_read(path, &db), ST_OK);
    assert_int_equal(db.mask, MASK_SEG);
    assert_int_equal(db.set->alphabet, ALPHABET_PROTEIN);
    assert_int_equal(db.set->n, 2);
    assert_string_equal(seqset_name(db.set, 1), "b c");
    assert_int_equal(seqset_len(db.set, 1), 2);
    assert_int_equal(seqset_letters(db.set, 1)[1], alphabet_code(ALPHABET_PROTEIN, '*'));
    assert_int_equal(protein_db_count_x(&db), 1);
    protein_db_free(&db);
}

static void a_database_may_be_empty(void **state)
{
    protein_db_t db;

    (void)state;
    write_db(0, MASK_DB);
    assert_int_equal(protein_db_read(path, &db), ST_OK);
    assert_int_equal(db.set->n, 0);
    protein_db_free(&db);
}

static void only_hdf5_may_be_a_database(void **state)
{
    FILE *file;

    (void)state;
    write_db(1, MASK_NONE);
    assert_true(protein_db_is_hdf5(path));
    assert_non_null(file = fopen(path, "w"));
    fputs(">a\nMKV\n", file);
    fclose(file);
    assert_false(protein_db_is_hdf5(path));
    assert_false(protein_db_is_hdf5("/nowhere"));
}

static void expect_refusal(const char *part)
{
    protein_db_t db;

    capture_start();
    assert_int_equal(protein_db_read(path, &db), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_non_null(strstr(logged, part));
    assert_non_null(strstr(logged, path));
    assert_null(db.set);
}

/* Overwrite the beginning of a dataset. */
static void overwrite(const char *name, hid_t type, hsize_t n, const void *values)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, name, H5P_DEFAULT), to = H5Dget_space(data);
    const hid_t from = H5Screate_simple(1, &n, NULL);

    assert_true(H5Sselect_hyperslab(to, H5S_SELECT_SET, (hsize_t[]){0}, NULL, &n, NULL) >=
                0);
    assert_true(H5Dwrite(data, type, from, to, H5P_DEFAULT, values) >= 0);
    H5Sclose(from);
    H5Sclose(to);
    H5Dclose(data);
    H5Fclose(file);
}

/* Replace an attribute of the root. */
static void replace_text(const char *name, const char *text)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);

    assert_true(H5Adelete(file, name) >= 0);
    if (text != NULL)
        assert_true(h5text_put(file, name, text));
    H5Fclose(file);
}

static void another_residue_is_noticed(void **state)
{
    (void)state;
    write_db(2, MASK_DB);
    overwrite("/proteins/residues", H5T_NATIVE_CHAR, 1, "W");
    expect_refusal("its proteins are not those that were written; give a file that "
                   "`ribogrid search build` wrote");
    overwrite("/proteins/residues", H5T_NATIVE_CHAR, 1, "M");
    replace_text("digest", "0");
    expect_refusal("its proteins are not those that were written");
    replace_text("digest", NULL);
    expect_refusal("its attribute digest is missing");
}

static void what_is_no_residue_is_refused(void **state)
{
    (void)state;
    write_db(2, MASK_DB);
    overwrite("/proteins/residues", H5T_NATIVE_CHAR, 2, "M1");
    expect_refusal("/proteins/residues has no residue at value 2");
}

static void offsets_have_to_divide_the_residues_into_proteins(void **state)
{
    const int64_t empty[] = {0, 0}, descends[] = {0, 7}, negative[] = {-1};

    (void)state;
    write_db(2, MASK_DB);
    overwrite("/proteins/offset", H5T_NATIVE_INT64, 2, empty);
    expect_refusal("protein 1 has 0 residues");
    overwrite("/proteins/offset", H5T_NATIVE_INT64, 2, descends);
    expect_refusal("/proteins/offset descends");
    overwrite("/proteins/offset", H5T_NATIVE_INT64, 1, negative);
    expect_refusal("/proteins/offset does not go from 0");
}

static void other_masks_and_versions_are_refused(void **state)
{
    hid_t file;

    (void)state;
    write_db(2, MASK_DB);
    replace_text("mask", "tantan");
    expect_refusal("its masks 'tantan' are unknown");
    replace_text("format", "ribogrid-graph");
    expect_refusal("an HDF5 file, but not a database of `ribogrid search build`");
    assert_true((file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) >= 0);
    assert_true(h5text_put_format(file, "ribogrid-proteins", 2, 0));
    H5Fclose(file);
    expect_refusal("version 2");
}

static void set_an_unknown_residue(void *object)
{
    ((protein_db_t *)object)->set->letters[0] = 200;
}

/* The child that reads is not trusted either. */
static void what_a_child_sends_is_checked(void **state)
{
    protein_db_t db;

    (void)state;
    write_db(2, MASK_DB);
    assert_int_equal(protein_db_read(path, &db), ST_OK);
    assert_int_equal(send_changed(&protein_db_arrays, &db, NULL), ST_OK);
    assert_int_not_equal(send_changed(&protein_db_arrays, &db, set_an_unknown_residue),
                         ST_OK);
    protein_db_free(&db);
}

static int make_dir(void **state)
{
    const int failed = dir_make(state);

    dir_file("db.h5", path);
    return failed;
}

static int remove_dir(void **state)
{
    unlink(path);
    return dir_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proteins_and_masks_are_read_as_they_were_written),
        cmocka_unit_test(a_database_may_be_empty),
        cmocka_unit_test(only_hdf5_may_be_a_database),
        cmocka_unit_test(another_residue_is_noticed),
        cmocka_unit_test(what_is_no_residue_is_refused),
        cmocka_unit_test(offsets_have_to_divide_the_residues_into_proteins),
        cmocka_unit_test(other_masks_and_versions_are_refused),
        cmocka_unit_test(what_a_child_sends_is_checked),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
