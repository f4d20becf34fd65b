/*
 * test_result_table.c - a made-up table: what is written is read, what its checks exclude
 * is refused, and it prints as documentation; /run by its names and by old ones.
 */
#include "tests/support/unit_test.h"

#include "io/base/fraction.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/result/result_kind.h"
#include "io/result/result_table.h"
#include "io/seq/alphabet.h"
#include "tests/support/captured_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1, COLUMNS, VALUES };

typedef struct {
    char *title, *note;
    int64_t count, limit;
    double part;
    fraction_t id;
    int64_t *start, *rising;
    int32_t *row;
    uint8_t *flags, *bases;
    uint16_t *matrix;
    double *reals;
    char **texts;
    char *names;
    int64_t *name_offset;
    char *lines;
} thing_t;

#define AT(member) offsetof(thing_t, member)

static const result_field_t fields[] = {
    {.name = "@title", .type = RESULT_TEXT, .at = AT(title), .meaning = "a title"},
    {.name = "@note",
     .type = RESULT_TEXT,
     .at = AT(note),
     .is_optional = true,
     .meaning = "a note"},
    {.name = "/more@count",
     .type = RESULT_INT,
     .at = AT(count),
     .check = {RESULT_WITHIN, 0, 9, 0},
     .unit = "bytes",
     .meaning = "a count"},
    {.name = "/more@limit",
     .type = RESULT_INT,
     .at = AT(limit),
     .is_optional = true,
     .meaning = "a limit"},
    {.name = "@part",
     .type = RESULT_REAL,
     .at = AT(part),
     .check = {RESULT_WITHIN, -1, 1, 0},
     .meaning = "a part"},
    {.name = "@id", .type = RESULT_FRACTION, .at = AT(id), .meaning = "an identity"},
    {.name = "/start",
     .type = RESULT_INT64,
     .at = AT(start),
     .shape = {ROWS},
     .plus = 1,
     .check = {RESULT_DIVIDES, 0, 0, VALUES},
     .meaning = "starts"},
    {.name = "/rising",
     .type = RESULT_INT64,
     .at = AT(rising),
     .shape = {ROWS},
     .check = {RESULT_ASCENDS, 0, 0, 0},
     .meaning = "ids"},
    {.name = "/deep/row",
     .type = RESULT_INT32,
     .at = AT(row),
     .shape = {VALUES},
     .check = {RESULT_INDEX, -1, 0, ROWS},
     .meaning = "rows"},
    {.name = "/flags",
     .type = RESULT_UINT8,
     .at = AT(flags),
     .shape = {ROWS},
     .check = {RESULT_WITHIN, 0, 1, 0},
     .is_optional = true,
     .meaning = "flags"},
    {.name = "/bases",
     .type = RESULT_BASES,
     .at = AT(bases),
     .shape = {VALUES},
     .meaning = "bases"},
    {.name = "/matrix",
     .type = RESULT_UINT16,
     .at = AT(matrix),
     .shape = {ROWS, COLUMNS},
     .meaning = "a matrix"},
    {.name = "/reals",
     .type = RESULT_FLOAT64,
     .at = AT(reals),
     .shape = {ROWS},
     .meaning = "reals"},
    {.name = "/texts",
     .type = RESULT_TEXTS,
     .at = AT(texts),
     .shape = {ROWS},
     .meaning = "texts"},
    {.name = "/names",
     .type = RESULT_NAMES,
     .at = AT(names),
     .at_offset = AT(name_offset),
     .shape = {ROWS},
     .meaning = "names"},
    {.name = "/lines",
     .type = RESULT_LINES,
     .at = AT(lines),
     .old_names = "@lines",
     .meaning = "lines"},
    {.name = NULL},
};

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [ROWS] = {"n", "a row", "rows", 2},
    [COLUMNS] = {"m", "a column", "columns", 0},
    [VALUES] = {"k", "a value", "values", 0},
};

static const result_kind_t kind = {.title = "Things",
                                   .maker = "ribogrid thing",
                                   .format = "ribogrid-thing",
                                   .major = 2,
                                   .minor = 1,
                                   .oldest = 2,
                                   .what = "a thing",
                                   .dims = dims,
                                   .tables = {fields},
                                   .more = "No more."};

static char path[PATH_BYTES];

/* A thing of two rows, three columns and three values. */
static thing_t made(void)
{
    static int64_t start[] = {0, 1, 3}, rising[] = {4, 7}, name_offset[] = {0, 2, 4};
    static int32_t row[] = {-1, 1, 0};
    static uint8_t bases[] = {1, CODE_N, 2};
    static uint16_t matrix[] = {1, 2, 3, 4, 5, 65535};
    static double reals[] = {-1.5, 1e300};
    static char *texts[] = {"one", "two"};

    return (thing_t){.title = "t",
                     .count = 9,
                     .limit = -1,
                     .part = -0.5,
                     .id = {97, 100},
                     .start = start,
                     .rising = rising,
                     .row = row,
                     .bases = bases,
                     .matrix = matrix,
                     .reals = reals,
                     .texts = texts,
                     .names = "a\0b",
                     .name_offset = name_offset,
                     .lines = "x y\nz\n"};
}

static void write_thing(const thing_t *thing)
{
    const int64_t n[RESULT_DIMS_MAX] = {[ROWS] = 2, [COLUMNS] = 3, [VALUES] = 3};
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    assert_true(result_write_format(file, &kind));
    assert_true(result_write(file, fields, thing, n, NULL));
    assert_true(H5Fclose(file) >= 0);
}

static status_t read_thing(thing_t *out, result_reader_t *r)
{
    status_t st = result_read_open(path, &kind, r);

    memset(out, 0, sizeof(*out));
    if (st != ST_OK)
        return st;
    st = result_read(r, fields, out);
    result_read_close(r);
    return st;
}

static void what_is_written_is_read(void **state)
{
    const thing_t want = made();
    result_reader_t r;
    thing_t got;

    (void)state;
    write_thing(&want);
    assert_int_equal(read_thing(&got, &r), ST_OK);
    assert_int_equal(r.version, 2);
    assert_int_equal(r.n[ROWS], 2);
    assert_int_equal(r.n[COLUMNS], 3);
    assert_int_equal(r.n[VALUES], 3);
    assert_string_equal(got.title, "t");
    assert_null(got.note);
    assert_int_equal(got.count, 9);
    assert_int_equal(got.limit, -1);
    assert_true(got.part == -0.5);
    assert_int_equal(got.id.numerator, 97);
    assert_memory_equal(got.start, want.start, 3 * sizeof(*got.start));
    assert_memory_equal(got.rising, want.rising, 2 * sizeof(*got.rising));
    assert_memory_equal(got.row, want.row, 3 * sizeof(*got.row));
    assert_null(got.flags);
    assert_memory_equal(got.bases, want.bases, 3);
    assert_memory_equal(got.matrix, want.matrix, 6 * sizeof(*got.matrix));
    assert_memory_equal(got.reals, want.reals, 2 * sizeof(*got.reals));
    assert_string_equal(got.texts[1], "two");
    assert_string_equal(got.names + got.name_offset[1], "b");
    assert_string_equal(got.lines, "x y\nz\n");
    result_free(fields, &got);
    assert_null(got.matrix);
    assert_null(got.name_offset);
}

static void assert_refused(const char *reason)
{
    result_reader_t r;
    thing_t got;
    status_t st;

    capture_start();
    st = read_thing(&got, &r);
    capture_stop();
    result_free(fields, &got);
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged(reason);
}

/* A thing with one member that its check excludes is refused. */
#define ASSERT_EXCLUDED(member, reason, ...)                                \
    do {                                                                    \
        thing_t thing = made();                                             \
        __typeof__(*thing.member) values[] = {__VA_ARGS__};                 \
                                                                            \
        thing.member = values;                                              \
        write_thing(&thing);                                                \
        assert_refused(reason "; give a file that `ribogrid thing` wrote"); \
    } while (0)

static void values_that_checks_exclude_are_refused(void **state)
{
    (void)state;
    ASSERT_EXCLUDED(start, "/start does not go from 0 to the number of values", 1, 1, 3);
    ASSERT_EXCLUDED(start, "/start does not go from 0 to the number of values", 0, 1, 2);
    ASSERT_EXCLUDED(start, "/start descends at value 3", 0, 4, 3);
    ASSERT_EXCLUDED(rising, "/rising does not ascend at value 2", 4, 4);
    ASSERT_EXCLUDED(rising, "/rising does not ascend at value 1", -1, 4);
    ASSERT_EXCLUDED(row, "/deep/row leads to a row that does not exist at value 2", 0, 2,
                    0);
    ASSERT_EXCLUDED(row, "/deep/row leads to a row that does not exist at value 3", 0, 1,
                    -2);
    ASSERT_EXCLUDED(flags, "/flags is not within 0 and 1 at value 1", 2, 0);
    ASSERT_EXCLUDED(bases, "/bases has no base at value 2", 1, CODE_NONE, 1);
}

static void reals_that_are_not_finite_are_refused(void **state)
{
    double reals[] = {0, INFINITY};
    thing_t thing = made();

    (void)state;
    thing.reals = reals;
    write_thing(&thing);
    assert_refused("/reals is not finite at value 2; give a file as ribogrid wrote it");
}

static void attributes_that_checks_exclude_are_refused(void **state)
{
    thing_t thing = made();

    (void)state;
    thing.count = 10;
    write_thing(&thing);
    assert_refused("the attribute count of /more is missing or invalid");
    thing = made();
    thing.part = -1.5;
    write_thing(&thing);
    assert_refused("its attribute part is missing or invalid");
}

static void remove_group(hid_t file)
{
    H5Ldelete(file, "/more", H5P_DEFAULT);
}

static void remove_dataset(hid_t file)
{
    H5Ldelete(file, "/matrix", H5P_DEFAULT);
}

/* The file itself is whole, but a member is a link to elsewhere. */
static void link_group(hid_t file)
{
    H5Lmove(file, "/more", file, "/elsewhere", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/elsewhere", file, "/more", H5P_DEFAULT, H5P_DEFAULT);
}

static void link_group_to_a_file(hid_t file)
{
    H5Ldelete(file, "/more", H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/more", file, "/more", H5P_DEFAULT, H5P_DEFAULT);
}

static void link_optional_dataset(hid_t file)
{
    H5Lcreate_soft("/rising", file, "/flags", H5P_DEFAULT, H5P_DEFAULT);
}

static void replace_group(hid_t file)
{
    H5Ldelete(file, "/more", H5P_DEFAULT);
    h5util_put_int64s(file, "more", (int64_t[]){1}, 1, 0);
}

static void lengthen(hid_t file)
{
    H5Ldelete(file, "/rising", H5P_DEFAULT);
    h5util_put_int64s(file, "rising", (int64_t[]){1, 2, 3}, 3, 0);
}

static void set_minor(hid_t file)
{
    H5Adelete(file, "format_version_minor");
    h5util_put_int(file, "format_version_minor", 7);
}

static void set_old(hid_t file)
{
    H5Adelete(file, "format_version");
    h5util_put_int(file, "format_version", 1);
}

static void set_new(hid_t file)
{
    H5Adelete(file, "format_version");
    h5util_put_int(file, "format_version", 3);
}

static void rename_format(hid_t file)
{
    H5Adelete(file, "format");
    h5text_put(file, "format", "other");
}

static void edit(void (*change)(hid_t file))
{
    const thing_t thing = made();
    hid_t file;

    write_thing(&thing);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    change(file);
    H5Fclose(file);
}

static void make_a_dataset_of_the_group(hid_t file)
{
    H5Ldelete(file, "more", H5P_DEFAULT);
    h5util_put_int32s(file, "more", (const int32_t[]){1}, 1, 0);
}

static void files_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    edit(remove_group);
    assert_refused("/more is missing");
    edit(make_a_dataset_of_the_group);
    assert_refused("/more is not a group, or a damaged one");
    edit(remove_dataset);
    assert_refused("/matrix is missing");
    edit(link_group);
    assert_refused("/more is a link to another place");
    edit(link_group_to_a_file);
    assert_refused("/more is a link to another place");
    edit(link_optional_dataset);
    assert_refused("/flags is a link to another place");
    edit(replace_group);
    assert_refused("/more is not a group");
    edit(lengthen);
    assert_refused("/rising has 3 values instead of 2");
    edit(set_old);
    assert_refused("a thing, of version 1, and not 2; make it again");
    edit(set_new);
    assert_refused("format version 3 is newer");
    edit(rename_format);
    assert_refused("an HDF5 file, but not a thing");
}

/* Of "/more", which is a link, all fields are optional. */
static void a_link_is_not_the_absence_of_optional_fields(void **state)
{
    const result_field_t only[] = {fields[3], {.name = NULL}};
    result_reader_t r;
    thing_t got = {.title = NULL};

    (void)state;
    for (int linked = 0; linked <= 1; linked++) {
        edit(linked ? link_group : remove_group);
        assert_int_equal(result_read_open(path, &kind, &r), ST_OK);
        capture_start();
        assert_int_equal(result_read(&r, only, &got), linked ? ST_EINPUT : ST_OK);
        capture_stop();
        if (linked)
            assert_logged("/more is a link to another place; give a file as ribogrid "
                          "wrote it\n");
        else
            assert_logged_nothing();
        result_read_close(&r);
    }
    assert_int_equal(got.limit, -1);
}

static void link_run(hid_t file)
{
    link_group(file);
    H5Lcreate_soft("/elsewhere", file, "/run", H5P_DEFAULT, H5P_DEFAULT);
}

static void a_job_is_read_alone(void **state)
{
    static const result_field_t job_fields[] = {
        {.name = "/run@job", .type = RESULT_TEXT, .old_names = "@job"}, {.name = NULL}};
    result_kind_t job_kind = kind;
    buf_t job = {0};
    hid_t file;

    (void)state;
    job_kind.tables[1] = job_fields;
    edit(remove_dataset); /* the rest of the file may be anything */
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    h5text_put(file, "job", "a=1\nb=2\n");
    H5Fclose(file);
    assert_int_equal(result_read_job(path, &job_kind, &job), ST_OK);
    assert_int_equal(job.len, 8);
    assert_memory_equal(job.data, "a=1\nb=2\n", 8);
    capture_start();
    edit(rename_format);
    assert_int_equal(result_read_job(path, &job_kind, &job), ST_EINPUT);
    edit(remove_dataset);
    assert_int_equal(result_read_job(path, &job_kind, &job), ST_EINPUT);
    edit(link_run);
    assert_int_equal(result_read_job(path, &job_kind, &job), ST_EINPUT);
    capture_stop();
    assert_logged("an HDF5 file, but not a thing");
    assert_logged("/run is missing");
    assert_logged("/run is a link to another place");
    buf_free(&job);
}

static void too_many_rows_are_refused(void **state)
{
    const int64_t n[RESULT_DIMS_MAX] = {[ROWS] = 3, [COLUMNS] = 1, [VALUES] = 1};
    const result_field_t only[] = {fields[7], {.name = NULL}};
    int64_t rising[] = {1, 2, 3};
    const thing_t thing = {.rising = rising};
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    result_reader_t r;
    thing_t got = {.title = NULL};

    (void)state;
    assert_true(result_write_format(file, &kind) &&
                result_write(file, only, &thing, n, NULL));
    H5Fclose(file);
    assert_int_equal(result_read_open(path, &kind, &r), ST_OK);
    capture_start();
    assert_int_equal(result_read(&r, only, &got), ST_EINPUT);
    capture_stop();
    assert_logged("it has more than 2 rows");
    result_read_close(&r);
    result_free(only, &got);
}

static void move_lines(hid_t file)
{
    H5Ldelete(file, "/lines", H5P_DEFAULT);
    h5text_put(file, "lines", "of\nold\n");
}

static void old_names_are_known(void **state)
{
    result_reader_t r;
    thing_t got;

    (void)state;
    edit(move_lines);
    assert_int_equal(read_thing(&got, &r), ST_OK);
    assert_string_equal(got.lines, "of\nold\n");
    result_free(fields, &got);
}

static void it_is_printed(void **state)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    (void)state;
    result_doc_print(&kind, to);
    fclose(to);
    assert_non_null(strstr(text,
                           "### Things\n\n`ribogrid thing` writes them. The format is "
                           "`ribogrid-thing`, version 2.1; older files are refused."));
    assert_non_null(strstr(text, "Sizes: n rows, m columns, k values.\n"));
    assert_non_null(strstr(text,
                           "| attribute `count` of `/more` | int64, bytes | a count; "
                           "0 to 9 |\n"));
    assert_non_null(
        strstr(text,
               "| `/start` | n + 1, int64 | starts; from 0 to k, never descending |"));
    assert_non_null(
        strstr(text, "| `/deep/row` | k, int32 | rows; -1 (none), or 0 to n - 1 |"));
    assert_non_null(strstr(text, "| `/matrix` | n x m, uint16 | a matrix |"));
    assert_non_null(strstr(text, "\nNo more.\n"));
    free(text);
}

/* ---- /run ---- */

static void runs_come_back_with_their_stages(void **state)
{
    run_info_t run = {.program = "p",
                      .command = "c",
                      .started = "s",
                      .seconds = 1.5,
                      .ranks = 2,
                      .devices = "one\ntwo\n"};
    result_reader_t r;
    run_info_t got = {.program = NULL};
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    (void)state;
    run_info_add(&run, "read", 0.5);
    assert_true(result_write_format(file, &kind) && run_info_write(file, &run));
    H5Fclose(file);
    assert_int_equal(result_read_open(path, &kind, &r), ST_OK);
    assert_int_equal(run_info_read(&r, &got), ST_OK);
    result_read_close(&r);
    assert_string_equal(got.command, "c");
    assert_null(got.input);
    assert_true(got.seconds == 1.5 && got.ranks == 2);
    assert_string_equal(got.devices, "one\ntwo\n");
    assert_true(run_info_stage(&got, "read") == 0.5);
    assert_true(run_info_stage(&got, "write") < 0);
    run_info_free(&got);
}

/* The root has the program, as in results of `graph` of version 0.1. */
static void write_old_run(void)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), run;

    assert_true(result_write_format(file, &kind) && h5text_put(file, "program", "p"));
    run = h5util_create_group(file, "run");
    assert_true(h5text_put(run, "command_line", "c") &&
                h5util_put_real(run, "seconds_total", 2) &&
                h5util_put_real(run, "seconds_read", 0.25) &&
                h5text_put(run, "devices", "a\nb\n") &&
                h5text_put(run, "decisions", "1 x\n2 y\n"));
    H5Gclose(run);
    H5Fclose(file);
}

static void runs_of_earlier_versions_are_read(void **state)
{
    run_info_t got = {.program = NULL};
    result_reader_t r;

    (void)state;
    write_old_run();
    assert_int_equal(result_read_open(path, &kind, &r), ST_OK);
    assert_int_equal(run_info_read(&r, &got), ST_OK);
    result_read_close(&r);
    assert_string_equal(got.program, "p");
    assert_string_equal(got.command, "c");
    assert_true(got.seconds == 2);
    assert_int_equal(got.ranks, -1);
    assert_string_equal(got.devices, "a\nb\n");
    assert_int_equal(got.n_stages, 1);
    assert_true(run_info_stage(&got, "read") == 0.25);
    run_info_free(&got);
}

static void the_format_is_printed_as_the_file_says(void **state)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    (void)state;
    edit(set_minor);
    assert_int_equal(run_info_print_format(path, to), ST_OK);
    fclose(to);
    assert_string_equal(text, "file\tformat\tribogrid-thing 2.7\n");
    free(text);
}

static void runs_are_printed_by_their_new_names(void **state)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    (void)state;
    write_old_run();
    assert_int_equal(run_info_print(path, to), ST_OK);
    fclose(to);
    assert_string_equal(text,
                        "run\tprogram\tp\nrun\tcommand\tc\nrun\tseconds\t2\n"
                        "run\tdecisions\t1 x\nrun\tdecisions\t2 y\n"
                        "run\tseconds_read\t0.25\nrun\tdevice\ta\nrun\tdevice\tb\n");
    free(text);
}

static int setup(void **state)
{
    int failed = dir_make(state);

    dir_file("thing.h5", path);
    h5util_init();
    return failed;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_written_is_read, remove_file),
        cmocka_unit_test_teardown(values_that_checks_exclude_are_refused, remove_file),
        cmocka_unit_test_teardown(reals_that_are_not_finite_are_refused, remove_file),
        cmocka_unit_test_teardown(attributes_that_checks_exclude_are_refused,
                                  remove_file),
        cmocka_unit_test_teardown(files_that_do_not_fit_are_refused, remove_file),
        cmocka_unit_test_teardown(a_link_is_not_the_absence_of_optional_fields,
                                  remove_file),
        cmocka_unit_test_teardown(a_job_is_read_alone, remove_file),
        cmocka_unit_test_teardown(too_many_rows_are_refused, remove_file),
        cmocka_unit_test_teardown(old_names_are_known, remove_file),
        cmocka_unit_test(it_is_printed),
        cmocka_unit_test_teardown(runs_come_back_with_their_stages, remove_file),
        cmocka_unit_test_teardown(runs_of_earlier_versions_are_read, remove_file),
        cmocka_unit_test_teardown(the_format_is_printed_as_the_file_says, remove_file),
        cmocka_unit_test_teardown(runs_are_printed_by_their_new_names, remove_file),
    };

    return cmocka_run_group_tests(tests, setup, dir_remove);
}
