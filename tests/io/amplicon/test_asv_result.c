/*
 * test_asv_result.c - results of `denoise`: written and read again, damaged ones refused,
 * as lines and as FASTA.
 */
#include "tests/support/unit_test.h"

#include "io/amplicon/asv_result.h"
#include "io/hdf5/h5util.h"
#include "tests/support/captured_log.h"
#include "tests/support/spelled_set.h"

#include <stdio.h>

enum { N = 4 };

/* Reads a and b are ASVs, c is an error of b, and d is left out. */
typedef struct {
    asv_result_t result;
    int64_t size[N];
    int32_t mismatches[N];
    char *samples[2];
    seqset_t *reads;
} made_t;

static void make(made_t *m)
{
    static const int32_t label[N] = {0, 1, 1, -1};
    int64_t row_start[N + 1] = {0, 2, 3, 4, 4};
    int32_t sample[N] = {0, 1, 1, 0};
    int64_t count[N] = {40, 10, 90, 9};
    const pairs_samples_t samples = {.n = 2,
                                     .name = m->samples,
                                     .row_start = row_start,
                                     .sample = sample,
                                     .count = count};

    *m = (made_t){.size = {50, 90, 9, 1},
                  .mismatches = {0, 0, 1, -1},
                  .samples = {"gut", "soil"},
                  .reads = spelled_set("a ACGTAC b GGTTAA c GGTTAC d TTTTTT")};
    m->result = (asv_result_t){.size = m->size,
                               .mismatches = m->mismatches,
                               .job = "job=denoise\n",
                               .info = {.program = "ribogrid",
                                        .command = "ribogrid denoise",
                                        .input = "reads.fa",
                                        .started = "2026-01-31T12:00:00Z",
                                        .finished = "2026-01-31T12:00:01Z",
                                        .ranks = 1,
                                        .devices = "rank=0"}};
    assert_int_equal(otu_table_create(N, label, m->size, &samples, 1, &m->result.table),
                     ST_OK);
    m->result.table->prefix = ASV_RESULT_PREFIX;
}

static void unmake(made_t *m)
{
    otu_table_destroy(m->result.table);
    seqset_destroy(m->reads);
}

static void write_file(made_t *m, const char *path)
{
    h5util_init();
    assert_int_equal(asv_result_write(path, true, &m->result, m->reads, NULL), ST_OK);
}

static void what_was_written_is_read(void **state)
{
    char path[PATH_BYTES];
    asv_result_t r;
    made_t m;

    (void)state;
    dir_file("read.h5", path);
    make(&m);
    write_file(&m, path);
    assert_int_equal(asv_result_read(path, &r), ST_OK);
    assert_spells(r.asvs, "Asv1 GGTTAA Asv2 ACGTAC");
    assert_int_equal(r.table->n, N);
    assert_int_equal(r.table->n_otus, 2);
    assert_int_equal(r.table->n_left_out, 1);
    assert_int_equal(r.table->n_samples, 2);
    assert_string_equal(r.table->sample_name[1], "soil");
    assert_memory_equal(r.table->otu, m.result.table->otu, sizeof(int32_t) * N);
    assert_memory_equal(r.table->member, m.result.table->member, sizeof(int32_t) * 3);
    assert_memory_equal(r.table->size, m.result.table->size, sizeof(int64_t) * 2);
    assert_memory_equal(r.table->row_start, m.result.table->row_start,
                        sizeof(int64_t) * 3);
    assert_memory_equal(r.table->count, m.result.table->count, sizeof(int64_t) * 4);
    assert_memory_equal(r.size, m.size, sizeof(m.size));
    assert_memory_equal(r.mismatches, m.mismatches, sizeof(m.mismatches));
    assert_string_equal(r.names[3], "d");
    assert_string_equal(r.job, m.result.job);
    asv_result_free(&r);
    unmake(&m);
    unlink(path);
}

static void expect_refused(made_t *m, const char *why)
{
    char path[PATH_BYTES];
    asv_result_t r;
    status_t st;

    dir_file("refused.h5", path);
    write_file(m, path);
    capture_start();
    st = asv_result_read(path, &r);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged(why);
    unmake(m);
    unlink(path);
}

static void results_that_no_run_makes_are_refused(void **state)
{
    made_t m;

    (void)state;
    make(&m);
    m.mismatches[2] = -1;
    expect_refused(&m, "read 3 has mismatches without an ASV");
    make(&m);
    m.size[2] = 10;
    expect_refused(&m, "ASV 1 has reads above its abundance");
    make(&m);
    m.size[2] = 8;
    expect_refused(&m, "ASV 1 has reads below its abundance");
    make(&m);
    m.result.table->representative[0] = 0;
    expect_refused(&m, "ASV 1 has a centroid that is another one's read");
    make(&m);
    m.result.table->count[2]++;
    expect_refused(&m, "ASV 2 has counts above its abundance");
    make(&m);
    m.result.table->sample[3] = 0;
    expect_refused(&m, "ASV 2 has samples that do not ascend");
    make(&m);
    m.result.table->otu[2] = 2;
    expect_refused(&m, "/reads/asv");
}

/* @return what a function prints, the caller's */
static char *print(const asv_result_t *r, bool is_fasta)
{
    char *text;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    assert_non_null(to);
    if (is_fasta)
        asv_fasta_print(r, true, to);
    else
        asv_lines_print(r, true, to);
    assert_int_equal(fclose(to), 0);
    return text;
}

static void a_line_has_the_asv_of_a_read(void **state)
{
    char path[PATH_BYTES], *text;
    asv_result_t r;
    made_t m;

    (void)state;
    dir_file("lines.h5", path);
    make(&m);
    write_file(&m, path);
    assert_int_equal(asv_result_read(path, &r), ST_OK);
    text = print(&r, false);
    assert_string_equal(text, "read\tsize\tasv\tmismatches\na\t50\tAsv2\t0\n"
                              "b\t90\tAsv1\t0\nc\t9\tAsv1\t1\nd\t1\tNA\tNA\n");
    free(text);
    text = print(&r, true);
    assert_string_equal(text, ">Asv1;size=99 b\nGGTTAA\n>Asv2;size=50 a\nACGTAC\n");
    free(text);
    asv_result_free(&r);
    unmake(&m);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(results_that_no_run_makes_are_refused),
        cmocka_unit_test(a_line_has_the_asv_of_a_read),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
