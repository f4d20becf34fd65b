/*
 * test_chimera_result.c - results of `chimeras`: written and read again, damaged ones
 * refused, and as lines.
 */
#include "tests/support/unit_test.h"

#include "io/amplicon/chimera_result.h"
#include "io/hdf5/h5util.h"
#include "tests/support/captured_log.h"

enum { N = 3, N_PARENTS = 2 };

static char names[] = "a\0b\0c";
static int64_t name_offset[] = {0, 2, 4, 6};
static int64_t size[] = {90, 50, 7};
static char parent_names[] = "a;size=90\0b;size=50";
static int64_t parent_name_offset[] = {0, 10, 20};

/* Read c is a chimera of a and b. */
static void make(chimera_result_t *r)
{
    const int32_t matches[] = {200, 190, 197, 187}, votes[] = {3, 0, 0, 10, 0, 0};

    assert_int_equal(chimera_result_create(N, r), ST_OK);
    r->names = names;
    r->name_offset = name_offset;
    r->size = size;
    r->parent_names = parent_names;
    r->parent_name_offset = parent_name_offset;
    r->n_parents = N_PARENTS;
    r->job = "job=chimeras\n";
    for (int i = 0; i < 4; i++)
        r->parent[i] = -1;
    r->call[2] = 2;
    r->score[2] = 0.25;
    r->parent[4] = 1;
    r->parent[5] = 0;
    r->columns[2] = 200;
    memcpy(r->matches + 8, matches, sizeof(matches));
    memcpy(r->votes + 12, votes, sizeof(votes));
    r->info = (run_info_t){.program = "ribogrid",
                           .command = "ribogrid chimeras",
                           .input = "reads.fa",
                           .started = "2026-01-31T12:00:00Z",
                           .finished = "2026-01-31T12:00:01Z",
                           .ranks = 1,
                           .devices = "rank=0"};
}

static void write_file(const chimera_result_t *r, const char *path)
{
    h5util_init();
    assert_int_equal(chimera_result_write(path, true, r, NULL), ST_OK);
}

static void what_was_written_is_read(void **state)
{
    char path[PATH_BYTES];
    chimera_result_t r, again;

    (void)state;
    dir_file("read.h5", path);
    make(&r);
    write_file(&r, path);
    assert_int_equal(chimera_result_read(path, &again), ST_OK);
    assert_int_equal(again.n, N);
    assert_int_equal(again.n_parents, N_PARENTS);
    assert_memory_equal(again.names, names, sizeof(names));
    assert_memory_equal(again.parent_names, parent_names, sizeof(parent_names));
    assert_memory_equal(again.size, size, sizeof(size));
    assert_memory_equal(again.call, r.call, N);
    assert_memory_equal(again.score, r.score, N * sizeof(*r.score));
    assert_memory_equal(again.parent, r.parent, 2 * N * sizeof(*r.parent));
    assert_memory_equal(again.columns, r.columns, N * sizeof(*r.columns));
    assert_memory_equal(again.matches, r.matches, 4 * N * sizeof(*r.matches));
    assert_memory_equal(again.votes, r.votes, 6 * N * sizeof(*r.votes));
    assert_string_equal(again.job, r.job);
    chimera_result_free(&again);
    chimera_result_destroy(&r);
    unlink(path);
}

static void expect_refused(chimera_result_t *r, const char *why)
{
    char path[PATH_BYTES];
    chimera_result_t again;
    status_t st;

    dir_file("refused.h5", path);
    write_file(r, path);
    capture_start();
    st = chimera_result_read(path, &again);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged(why);
    assert_logged_one_line();
    unlink(path);
}

static void values_that_no_run_gives_are_refused(void **state)
{
    chimera_result_t r;

    (void)state;
    make(&r);
    r.call[0] = 3;
    expect_refused(&r, "/reads/call");
    r.call[0] = 0;
    r.parent[0] = 1;
    expect_refused(&r, "a read has one parent");
    r.parent[0] = 2;
    expect_refused(&r, "/reads/parent");
    r.parent[0] = -1;
    r.columns[1] = 4;
    expect_refused(&r, "a read has one parent, or none and columns");
    r.columns[1] = 0;
    r.matches[9] = 201;
    expect_refused(&r, "more matches than columns");
    chimera_result_destroy(&r);
}

static void lines_are_those_of_vsearch(void **state)
{
    static const char want[] =
        "0.0000\ta;size=90\t*\t*\t*\t*\t*\t*\t*\t*\t0\t0\t0\t0\t0\t0\t*\tN\n"
        "0.0000\tb;size=50\t*\t*\t*\t*\t*\t*\t*\t*\t0\t0\t0\t0\t0\t0\t*\tN\n"
        "0.2500\tc;size=7\tb;size=50\ta;size=90\ta;size=90\t100.0\t95.0\t98.5\t93.5\t98."
        "5\t"
        "3\t0\t0\t10\t0\t0\t1.5\tY\n";
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    chimera_result_t r;

    (void)state;
    make(&r);
    chimera_lines_print(&r, false, to);
    fclose(to);
    assert_string_equal(text, want);
    free(text);
    chimera_result_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(values_that_no_run_gives_are_refused),
        cmocka_unit_test(lines_are_those_of_vsearch),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
