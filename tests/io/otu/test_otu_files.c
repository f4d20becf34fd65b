/*
 * test_otu_files.c - either all files of a clustering appear, or none; the HDF5 files
 * hold the table.
 */
#include "tests/support/unit_test.h"

#include <stdio.h>

#include "io/base/logmsg.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/otu/otu_write.h"
#include "tests/io/otu/otu_case.h"
#include "tests/support/captured_log.h"

#include <glob.h>
#include <stdbool.h>
#include <sys/stat.h>

static const char *const suffix[] = {".otus.tsv", ".biom", ".reps.fasta", ".list",
                                     ".groups.h5"};
enum { N_FILES = 5 };

static char prefix[PATH_BYTES];
static bool is_forced = true;

static void name_file(int k, const char *ending, char path[PATH_BYTES])
{
    char name[64];

    snprintf(name, sizeof(name), "x%s%s", suffix[k], ending);
    dir_file(name, path);
}

/* @return how many files and directories there are, temporary ones as well */
static int n_existing(void)
{
    char pattern[PATH_BYTES];
    glob_t found;
    int n;

    dir_file("x*", pattern);
    n = glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    globfree(&found);
    return n;
}

static int forget(void **state)
{
    char path[PATH_BYTES];

    (void)state;
    for (int k = 0; k < N_FILES; k++) {
        name_file(k, "", path);
        unlink(path);
        rmdir(path);
    }
    return 0;
}

static status_t write_files(const otu_table_t *t)
{
    seqset_t *set = otu_case_set();
    char name[6][16], *names[6];
    int32_t sequence[6];
    pairs_members_t members = {.n = 6, .name = names, .sequence = sequence};
    otu_files_t files = {.head = {.program = "ribogrid test",
                                  .input = "a.h5",
                                  .method = "opti",
                                  .seed = 3,
                                  .starts = 10,
                                  .id = {97, 100},
                                  .min_size = 1,
                                  .mcc = 0.5,
                                  .tp = 1,
                                  .tn = 2,
                                  .fp = 3,
                                  .fn = 4},
                         .table = t,
                         .set = set,
                         .members = &members};
    status_t st;

    for (int i = 0; i < 6; i++) {
        snprintf(name[i], sizeof(name[i]), "s%d", i);
        names[i] = name[i];
        sequence[i] = i;
    }
    dir_file("x", prefix);
    capture_start();
    st = otu_files_write(prefix, is_forced, &files, 1);
    capture_stop();
    seqset_destroy(set);
    return st;
}

static void all_files_appear_and_no_others(void **state)
{
    otu_table_t *t = otu_case_table(false, 1);

    (void)state;
    assert_int_equal(write_files(t), ST_OK);
    assert_int_equal(n_existing(), N_FILES);
    assert_logged_nothing();
    otu_table_destroy(t);
}

/* A directory has the name of a file. */
static void if_one_file_cannot_be_written_none_appears(void **state)
{
    otu_table_t *t = otu_case_table(false, 1);
    char path[PATH_BYTES];

    (void)state;
    for (int k = 0; k < N_FILES; k++) {
        name_file(k, "", path);
        assert_int_equal(mkdir(path, 0700), 0);
        assert_int_equal(write_files(t), ST_EINPUT);
        assert_logged_one_line();
        assert_logged(path);
        assert_logged("is a directory");
        assert_int_equal(n_existing(), 1); /* the directory */
        rmdir(path);
    }
    otu_table_destroy(t);
}

/* The last file has got a name that exists, and --force was not given. */
static void if_one_file_cannot_be_published_none_is_left(void **state)
{
    otu_table_t *t = otu_case_table(false, 1);
    char path[PATH_BYTES];

    (void)state;
    name_file(N_FILES - 1, "", path);
    dir_put(path, "old", 3);
    is_forced = false;
    assert_int_equal(write_files(t), ST_EINPUT);
    is_forced = true;
    assert_logged_one_line();
    assert_int_equal(n_existing(), 1); /* the old file */
    otu_table_destroy(t);
}

static status_t check(const char *where, bool force)
{
    status_t st;

    capture_start();
    st = otu_files_check(where, force, false, &(fraction_list_t){1, {{97, 100}}});
    capture_stop();
    return st;
}

static void existing_files_are_replaced_only_with_force(void **state)
{
    char path[PATH_BYTES];

    (void)state;
    dir_file("x", prefix);
    assert_int_equal(check(prefix, false), ST_OK);
    name_file(3, "", path);
    dir_put(path, "", 0);
    assert_int_equal(check(prefix, false), ST_EINPUT);
    assert_logged_one_line();
    assert_logged("x.list exists; give --force");
    assert_int_equal(check(prefix, true), ST_OK);
    dir_file("none/x", prefix);
    assert_int_equal(check(prefix, false), ST_EIO);
    assert_logged_one_line();
    assert_logged("cannot create: No such file");
    assert_int_equal(check(dir, true), ST_EINPUT);
    assert_logged_one_line();
    assert_logged("is a directory; give a prefix");
    dir_file("", prefix);
    assert_int_equal(check(prefix, true), ST_EINPUT);
    assert_int_equal(check("", true), ST_EINPUT);
    assert_logged("'' is empty; give a prefix");
}

/* A 1-d dataset holds the numbers, as any HDF5 reader sees them. */
static void assert_numbers(const char *path, const char *name, int n, const int64_t *want)
{
    int64_t got[16] = {0};
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t data = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(data);

    assert_int_equal(H5Sget_simple_extent_npoints(space), n);
    assert_true(n <= 16);
    assert_true(H5Dread(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, got) >= 0);
    for (int i = 0; i < n; i++)
        assert_int_equal(got[i], want[i]);
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(file);
}

static void biom_holds_the_matrix_by_otu_and_by_sample(void **state)
{
    otu_table_t *t = otu_case_table(true, 1);
    char path[PATH_BYTES];

    (void)state;
    assert_int_equal(write_files(t), ST_OK);
    name_file(1, "", path);
    assert_numbers(path, "observation/matrix/data", 6, (int64_t[]){6, 12, 1, 4, 1, 2});
    assert_numbers(path, "observation/matrix/indices", 6, (int64_t[]){0, 1, 0, 1, 0, 1});
    assert_numbers(path, "observation/matrix/indptr", 4, (int64_t[]){0, 2, 4, 6});
    assert_numbers(path, "sample/matrix/data", 6, (int64_t[]){6, 1, 1, 12, 4, 2});
    assert_numbers(path, "sample/matrix/indices", 6, (int64_t[]){0, 1, 2, 0, 1, 2});
    assert_numbers(path, "sample/matrix/indptr", 3, (int64_t[]){0, 3, 6});
    otu_table_destroy(t);
}

static void groups_hold_the_members_and_how_they_were_found(void **state)
{
    otu_table_t *t = otu_case_table(false, 5);
    char path[PATH_BYTES], *text;
    int64_t seed = 0, version = 0;
    hid_t file;

    (void)state;
    assert_int_equal(write_files(t), ST_OK);
    name_file(4, "", path);
    assert_numbers(path, "sequences/otu", 6, (int64_t[]){1, 0, 1, -1, 0, -1});
    assert_numbers(path, "otus/size", 2, (int64_t[]){18, 5});
    assert_numbers(path, "otus/representative", 2, (int64_t[]){1, 2});
    assert_numbers(path, "otus/member_start", 3, (int64_t[]){0, 2, 4});
    assert_numbers(path, "otus/member", 4, (int64_t[]){1, 4, 0, 2});
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(h5util_get_int(file, "format_version", &version));
    assert_int_equal(version, 1);
    assert_true(h5util_get_int(file, "seed", &seed));
    assert_int_equal(seed, 3);
    text = h5text_get(file, "id");
    assert_string_equal(text, "97/100");
    free(text);
    assert_null(h5text_get(file, "order"));
    H5Fclose(file);
    otu_table_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(all_files_appear_and_no_others, forget),
        cmocka_unit_test_teardown(if_one_file_cannot_be_written_none_appears, forget),
        cmocka_unit_test_teardown(if_one_file_cannot_be_published_none_is_left, forget),
        cmocka_unit_test_teardown(existing_files_are_replaced_only_with_force, forget),
        cmocka_unit_test_teardown(biom_holds_the_matrix_by_otu_and_by_sample, forget),
        cmocka_unit_test_teardown(groups_hold_the_members_and_how_they_were_found,
                                  forget),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
