/*
 * test_otu_groups_read.c - groups come back as they were written; inconsistent ones are
 * refused.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/otu/otu_groups.h"
#include "tests/io/otu/otu_case.h"
#include "tests/support/captured_log.h"

#include <math.h>

static char path[PATH_BYTES];

static int make(void **state)
{
    int failed = dir_make(state);

    dir_file("x.groups.h5", path);
    return failed;
}

static int forget(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

/* The OTUs of otu_case.h; those below an abundance of 5 are left out. */
static void write_groups(void)
{
    otu_groups_head_t head = {.program = "ribogrid 1",
                              .input = "p.h5",
                              .method = "opti",
                              .seed = 3,
                              .starts = -1,
                              .id = {97, 100},
                              .min_size = 5,
                              .mcc = 0.5,
                              .tp = 1,
                              .tn = 2,
                              .fp = 3,
                              .fn = 4};
    otu_table_t *t = otu_case_table(false, 5);
    seqset_t *set = otu_case_set();
    whole_file_t *to;

    assert_int_equal(whole_file_open(path, WHOLE_FILE_HDF5, true, &to), ST_OK);
    assert_int_equal(whole_file_close(to, otu_groups_write(to, &head, t, set)), ST_OK);
    seqset_destroy(set);
    otu_table_destroy(t);
}

static void groups_come_back(void **state)
{
    const int32_t otu[] = {1, 0, 1, -1, 0, -1}, member[] = {1, 4, 0, 2};
    seqset_t *set;
    otu_groups_t g;

    (void)state;
    write_groups();
    assert_int_equal(otu_groups_read(path, &g), ST_OK);
    assert_string_equal(g.head.program, "ribogrid 1");
    assert_string_equal(g.head.method, "opti");
    assert_null(g.head.order);
    assert_int_equal(g.head.seed, 3);
    assert_int_equal(g.head.starts, -1);
    assert_int_equal(g.head.id.numerator, 97);
    assert_true(g.head.mcc == 0.5);
    assert_int_equal(g.head.fn, 4);
    assert_int_equal(g.table->n, 6);
    assert_int_equal(g.table->n_otus, 2);
    assert_int_equal(g.table->n_left_out, 2);
    assert_string_equal(g.names[5], "s5");
    assert_string_equal(g.otu_names[1], "Otu2");
    assert_int_equal(g.table->number[1], 2);
    assert_int_equal(g.table->last_number, 2);
    assert_null(g.head.previous);
    set = otu_case_set();
    assert_int_equal(g.head.digest, otu_groups_digest(set, 6));
    assert_int_not_equal(g.head.digest, otu_groups_digest(set, 5));
    seqset_destroy(set);
    assert_memory_equal(g.table->otu, otu, sizeof(otu));
    assert_memory_equal(g.table->member, member, sizeof(member));
    assert_int_equal(g.table->size[0], 18);
    assert_int_equal(g.table->representative[1], 2);
    otu_groups_free(&g);
}

static hid_t edit(void)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);

    assert_true(file >= 0);
    return file;
}

static void the_agreement_may_be_unknown(void **state)
{
    static const char *const names[] = {"mcc", "tp", "tn", "fp", "fn"};
    otu_groups_t g;
    hid_t file;

    (void)state;
    write_groups();
    file = edit();
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_true(H5Adelete(file, names[i]) >= 0);
    H5Fclose(file);
    assert_int_equal(otu_groups_read(path, &g), ST_OK);
    assert_true(isnan(g.head.mcc));
    assert_int_equal(g.head.tp, -1);
    assert_int_equal(g.head.fn, -1);
    otu_groups_free(&g);
}

static void assert_refused(const char *want)
{
    otu_groups_t g;
    status_t st;

    capture_start();
    st = otu_groups_read(path, &g);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged(want);
}

/* Groups with one value replaced are refused. */
static void assert_value_refused(const char *name, int64_t at, int64_t value,
                                 const char *want)
{
    hsize_t start = (hsize_t)at, count = 1;
    hid_t file, data, space, one = H5Screate_simple(1, &count, NULL);

    write_groups();
    file = edit();
    data = H5Dopen2(file, name, H5P_DEFAULT);
    space = H5Dget_space(data);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    assert_true(H5Dwrite(data, H5T_NATIVE_INT64, one, space, H5P_DEFAULT, &value) >= 0);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(file);
    assert_refused(want);
}

static void inconsistent_groups_are_refused(void **state)
{
    (void)state;
    assert_value_refused("sequences/otu", 3, -2,
                         "/sequences/otu leads to an OTU that does not exist at value 4");
    assert_value_refused("sequences/otu", 3, 2,
                         "/sequences/otu leads to an OTU that does not exist at value 4");
    assert_value_refused("sequences/otu", 3, 1, "do not list all their sequences");
    assert_value_refused("sequences/otu", 0, -1,
                         "OTU 2 has a member that /sequences/otu has elsewhere");
    assert_value_refused("otus/member", 1, 6, "OTU 1 has a member that does not exist");
    assert_value_refused("otus/member", 1, 1, "OTU 1 has members that do not ascend");
    assert_value_refused("otus/member_start", 0, 1, "/otus/member_start does not go");
    assert_value_refused("otus/member_start", 2, 3, "/otus/member_start does not go");
    assert_value_refused("otus/member_start", 1, 0, "OTU 1 has no members");
    assert_value_refused("otus/member_start", 1, INT64_MAX,
                         "/otus/member_start descends at value 3");
    assert_value_refused("otus/representative", 0, 0,
                         "OTU 1 has a representative that is no member");
    assert_value_refused("otus/representative", 0, -1,
                         "OTU 1 has a representative that is no member");
    assert_value_refused("otus/size", 1, 1, "OTU 2 has an abundance that is too small");
    assert_value_refused("otus/size", 0, INT64_MAX, "too small or too large");
    assert_value_refused("otus/size", 1, 19,
                         "OTU 2 is more abundant than the one before");
}

static void set_text(const char *name, const char *text)
{
    hid_t file;

    write_groups();
    file = edit();
    assert_true(H5Adelete(file, name) >= 0);
    if (text != NULL)
        assert_true(h5text_put(file, name, text));
    H5Fclose(file);
}

static void missing_and_invalid_attributes_are_refused(void **state)
{
    static const char *const names[] = {"program", "method", "id", "min_size"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        set_text(names[i], NULL);
        assert_refused(names[i]);
        assert_logged("is missing");
    }
    set_text("mcc", NULL);
    assert_refused("only some of its attributes mcc, tp, tn, fp, fn are there");
    set_text("fn", NULL);
    assert_refused("only some of its attributes mcc, tp, tn, fp, fn are there");
    set_text("id", "98/97");
    assert_refused("its attribute id is missing or invalid");
    set_text("seed", "3");
    assert_refused("its attribute seed is missing or invalid");
    set_text("format", "ribogrid-pairs");
    assert_refused("not the groups of a clustering");
}

/* Change the number of the last name. */
static void set_last_number(int64_t value)
{
    hid_t file;

    write_groups();
    file = edit();
    assert_true(H5Adelete(file, "last_number") >= 0);
    if (value >= 0)
        assert_true(h5util_put_int(file, "last_number", value));
    H5Fclose(file);
}

static void names_have_numbers_up_to_the_last_one(void **state)
{
    otu_groups_t g;

    (void)state;
    set_last_number(7);
    assert_int_equal(otu_groups_read(path, &g), ST_OK);
    assert_int_equal(g.table->last_number, 7);
    otu_groups_free(&g);
    set_last_number(-1);
    assert_int_equal(otu_groups_read(path, &g), ST_OK);
    assert_int_equal(g.table->last_number, 2);
    otu_groups_free(&g);
    set_last_number(1);
    assert_refused("the name of OTU 2 is that of another, or is not Otu and a number up "
                   "to 1; give");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(groups_come_back, forget),
        cmocka_unit_test_teardown(the_agreement_may_be_unknown, forget),
        cmocka_unit_test_teardown(inconsistent_groups_are_refused, forget),
        cmocka_unit_test_teardown(missing_and_invalid_attributes_are_refused, forget),
        cmocka_unit_test_teardown(names_have_numbers_up_to_the_last_one, forget),
    };

    return cmocka_run_group_tests(tests, make, dir_remove);
}
