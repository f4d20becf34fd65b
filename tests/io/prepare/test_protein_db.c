/*
 * test_protein_db.c - databases of proteins are read as they were written, also block by
 * block in less memory; damaged and hostile ones, and those of another version, are
 * refused in one line.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5text.h"
#include "io/prepare/protein_blocks.h"
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

    for (int i = 0; i < 6; i++)
        letters[i] = alphabet_code(ALPHABET_PROTEIN, (unsigned char)residues[i]);
    assert_int_equal(protein_db_write(path, true, &set, mask, &run, NULL), ST_OK);
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
    assert_null(db.set->letters);
    assert_int_equal(db.n_x, 1);
    assert_int_equal(db.n_blocks, 1);
    protein_db_free(&db);
}

static const seqset_t *no_queries(void)
{
    static int64_t zero;
    static uint8_t letter;
    static char name;
    static const seqset_t set = {ALPHABET_PROTEIN, 0, &letter, &zero, &name, &zero};

    return &set;
}

static uint8_t code(char letter)
{
    return alphabet_code(ALPHABET_PROTEIN, (unsigned char)letter);
}

static void residues_are_read_when_they_are_held(void **state)
{
    uint8_t letters[] = {code('C')};
    int64_t offset[] = {0, 1}, name_offset[] = {0, 2};
    char names[] = "q";
    const seqset_t query = {ALPHABET_PROTEIN, 1, letters, offset, names, name_offset};
    protein_blocks_t *blocks;
    protein_db_t db;
    const seqset_t *set;

    (void)state;
    write_db(2, MASK_DB);
    assert_int_equal(protein_db_read(path, &db), ST_OK);
    assert_int_equal(protein_blocks_open(path, &db, &query, 100, NULL, &blocks), ST_OK);
    set = protein_blocks_set(blocks);
    assert_int_equal(set->n, 3);
    assert_string_equal(seqset_name(set, 0), "q");
    assert_string_equal(seqset_name(set, 2), "b c");
    assert_int_equal(seqset_letters(set, 0)[0], code('C'));
    assert_int_equal(protein_blocks_resident(blocks), 0);
    assert_int_equal(protein_blocks_hold(blocks, 1, 2), ST_OK);
    assert_int_equal(protein_blocks_resident(blocks), 6); /* one block has both */
    assert_int_equal(seqset_letters(set, 2)[1], code('*'));
    assert_int_equal(seqset_letters(set, 1)[0], code('M'));
    protein_blocks_release(blocks, 1, 2);
    protein_blocks_close(blocks);
    protein_db_free(&db);
}

enum { LONG = PROTEIN_BLOCK, N_LONG = 8 };

/* Protein i consists of letter A + i, and is a block. */
static void write_long(void)
{
    int64_t offset[N_LONG + 1], name_offset[N_LONG + 1];
    uint8_t *letters = malloc((size_t)N_LONG * LONG);
    char names[2 * N_LONG];
    seqset_t set = {ALPHABET_PROTEIN, N_LONG, letters, offset, names, name_offset};

    assert_non_null(letters);
    for (int i = 0; i <= N_LONG; i++) {
        offset[i] = (int64_t)i * LONG;
        name_offset[i] = 2 * i;
    }
    for (int i = 0; i < N_LONG; i++) {
        memset(letters + offset[i], code((char)('A' + i)), LONG);
        memcpy(names + 2 * i, "p", 2);
    }
    assert_int_equal(protein_db_write(path, true, &set, MASK_NONE, &run, NULL), ST_OK);
    free(letters);
}

static void assert_held(const protein_blocks_t *b, int64_t i)
{
    const seqset_t *set = protein_blocks_set(b);

    for (int64_t k = 0; k < LONG; k++)
        assert_int_equal(seqset_letters(set, i)[k], code((char)('A' + i)));
}

static void blocks_that_nobody_holds_make_room(void **state)
{
    protein_blocks_t *b;
    protein_db_t db;

    (void)state;
    write_long();
    assert_int_equal(protein_db_read(path, &db), ST_OK);
    assert_int_equal(db.n_blocks, N_LONG);
    assert_int_equal(protein_blocks_open(path, &db, no_queries(), 3 * LONG, NULL, &b),
                     ST_OK);
    assert_int_equal(protein_blocks_hold(b, 0, 2), ST_OK);
    for (int64_t i = 2; i < N_LONG; i++) {
        assert_int_equal(protein_blocks_hold(b, i, i + 1), ST_OK);
        assert_held(b, i);
        assert_int_equal(protein_blocks_resident(b), 3 * LONG);
        protein_blocks_release(b, i, i + 1);
    }
    assert_held(b, 0); /* still held */
    assert_held(b, 1);
    protein_blocks_release(b, 0, 2);
    assert_int_equal(protein_blocks_hold(b, 0, N_LONG), ST_OK); /* more than the limit */
    for (int64_t i = 0; i < N_LONG; i++)
        assert_held(b, i);
    protein_blocks_release(b, 0, N_LONG);
    assert_int_equal(protein_blocks_hold(b, 3, 4), ST_OK);
    assert_held(b, 3);
    protein_blocks_close(b);
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

/* Reading the index succeeds, and holding all residues does not. */
static void expect_refused_block(const char *part)
{
    protein_blocks_t *blocks = NULL;
    protein_db_t db;
    status_t st;

    assert_int_equal(protein_db_read(path, &db), ST_OK);
    capture_start();
    st = protein_blocks_open(path, &db, no_queries(), 1, NULL, &blocks);
    if (st == ST_OK)
        st = protein_blocks_hold(blocks, 0, db.set->n);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_non_null(strstr(logged, part));
    assert_non_null(strstr(logged, path));
    protein_blocks_close(blocks);
    protein_db_free(&db);
}

static void another_residue_is_noticed(void **state)
{
    (void)state;
    write_db(2, MASK_DB);
    overwrite("/proteins/residues", H5T_NATIVE_CHAR, 1, "W");
    expect_refused_block("there are other residues than were written in proteins 1 to 2; "
                         "give a file that `ribogrid search build` wrote");
}

static void several_damaged_blocks_are_one_line(void **state)
{
    static char damage[3 * LONG];

    (void)state;
    write_long();
    overwrite("/proteins/residues", H5T_NATIVE_CHAR, sizeof(damage), damage);
    expect_refused_block("in proteins 1 to 1;");
}

/* A block that agrees with its digest, but not with the letters of the whole. */
static void another_letter_is_refused(void **state)
{
    protein_blocks_t *blocks;
    protein_db_t db;

    (void)state;
    write_db(2, MASK_DB);
    assert_int_equal(protein_db_read(path, &db), ST_OK);
    db.letters &= ~(INT64_C(1) << code('W'));
    assert_int_equal(protein_blocks_open(path, &db, no_queries(), 1, NULL, &blocks),
                     ST_OK);
    capture_start();
    assert_int_equal(protein_blocks_hold(blocks, 0, 2), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_non_null(strstr(logged, "letters that the database does not list"));
    protein_blocks_close(blocks);
    protein_db_free(&db);
}

static void a_file_that_was_cut_since_is_refused(void **state)
{
    protein_blocks_t *blocks = NULL;
    protein_db_t db;

    (void)state;
    write_long();
    assert_int_equal(protein_db_read(path, &db), ST_OK);
    assert_int_equal(protein_blocks_open(path, &db, no_queries(), 1, NULL, &blocks),
                     ST_OK);
    assert_int_equal(truncate(path, db.place + LONG + 1), 0);
    assert_int_equal(protein_blocks_hold(blocks, 0, 1), ST_OK);
    capture_start();
    assert_int_equal(protein_blocks_hold(blocks, 1, 2), ST_EINPUT);
    capture_stop();
    assert_non_null(strstr(logged, "the file ends in proteins 2 to 2"));
    protein_blocks_close(blocks);
    capture_start();
    assert_int_equal(protein_blocks_open(path, &db, no_queries(), 1, NULL, &blocks),
                     ST_EINPUT);
    capture_stop();
    assert_non_null(strstr(logged, "the file ends before its residues"));
    protein_db_free(&db);
}

static void all_but_the_residues_has_a_digest(void **state)
{
    static const char *const texts[] = {"sequences", "letters", "mask"};
    static const char *const others[] = {"0", "MKV", "none"};

    (void)state;
    for (int k = 0; k < 3; k++) {
        write_db(2, MASK_DB);
        replace_text(texts[k], others[k]);
        expect_refusal("its proteins are not those that were written");
    }
    write_db(2, MASK_DB);
    overwrite("/blocks/digest", H5T_NATIVE_INT64, 1, (int64_t[]){1});
    expect_refusal("its proteins are not those that were written");
    replace_text("letters", "MK1");
    expect_refusal("its attribute letters has other letters");
    replace_text("digest", NULL);
    expect_refusal("its attribute digest is missing");
}

/* Residues that HDF5 would have to decode. */
static void residues_in_chunks_are_refused(void **state)
{
    const hsize_t n = 6;
    hid_t file, creation, space;

    (void)state;
    write_db(2, MASK_DB);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    creation = H5Pcreate(H5P_DATASET_CREATE);
    space = H5Screate_simple(1, &n, NULL);
    H5Pset_chunk(creation, 1, &n);
    assert_true(H5Ldelete(file, "/proteins/residues", H5P_DEFAULT) >= 0);
    H5Dclose(H5Dcreate2(file, "/proteins/residues", H5T_STD_U8LE, space, H5P_DEFAULT,
                        creation, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(creation);
    H5Fclose(file);
    expect_refusal("/proteins/residues");
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
    replace_text("mask", "dust");
    expect_refusal("its masks 'dust' are unknown");
    replace_text("format", "ribogrid-graph");
    expect_refusal("an HDF5 file, but not a database of `ribogrid search build`");
    assert_true((file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) >= 0);
    assert_true(h5text_put_format(file, "ribogrid-proteins", 3, 0));
    H5Fclose(file);
    expect_refusal("version 3");
}

static void set_a_descending_offset(void *object)
{
    ((protein_db_t *)object)->set->offset[1] = 100;
}

/* The child that reads is not trusted either. */
static void what_a_child_sends_is_checked(void **state)
{
    protein_db_t db;

    (void)state;
    write_db(2, MASK_DB);
    assert_int_equal(protein_db_read(path, &db), ST_OK);
    assert_int_equal(send_changed(&protein_db_arrays, &db, NULL), ST_OK);
    assert_int_not_equal(send_changed(&protein_db_arrays, &db, set_a_descending_offset),
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
        cmocka_unit_test(residues_are_read_when_they_are_held),
        cmocka_unit_test(blocks_that_nobody_holds_make_room),
        cmocka_unit_test(several_damaged_blocks_are_one_line),
        cmocka_unit_test(another_letter_is_refused),
        cmocka_unit_test(a_file_that_was_cut_since_is_refused),
        cmocka_unit_test(all_but_the_residues_has_a_digest),
        cmocka_unit_test(residues_in_chunks_are_refused),
        cmocka_unit_test(offsets_have_to_divide_the_residues_into_proteins),
        cmocka_unit_test(other_masks_and_versions_are_refused),
        cmocka_unit_test(what_a_child_sends_is_checked),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
