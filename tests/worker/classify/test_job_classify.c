/*
 * test_job_classify.c - records of the job "classify": the reads of a task and their
 * supports, and parts of references.
 */
#include "tests/support/unit_test.h"

#include "worker/classify/job_classify_state.h"

#include <stdlib.h>
#include <string.h>

enum { N_READS = JOB_CLASSIFY_BLOCK + 3, READ_BYTES = 4 + 1 + 1 + 2 * 2 };

/* Taxon 1 with 3, taxon 2 with 4; classes are 3 and 4. */
static int32_t parent[] = {-1, 0, 0, 1, 2};
static char names[] = "\0a\0b\0c\0d";
static int64_t name_offset[] = {0, 1, 3, 5, 7, 9};

/* A job of N_READS reads that are collected in place 0, as naive Bayes found them. */
typedef struct {
    job_classify_t job;
    class_opts_t opts;
    seqset_t reads;
    int32_t class_of[2];
    class_rule_t rules[2];
    int32_t limit[2];
} made_t;

/* Read i is of class i % 2, read 514 of none.  All resamples agree on rank 1, i % 101 of
 * 100 on rank 2. */
static void make(made_t *m)
{
    const int32_t taxon_of[] = {3, 4};
    job_classify_t *j = &m->job;
    nbc_results_t *r = &j->collected[0].results;

    *m = (made_t){.opts = {.n_resamples = 100, .strands = CLASS_STRANDS_BOTH},
                  .reads = {.n = N_READS},
                  .limit = {5000, 5000}};
    j->opts = &m->opts;
    j->reads = &m->reads;
    j->model.taxa = (class_taxa_t){5, parent, names, name_offset};
    assert_int_equal(nbc_classes_create(parent, 5, taxon_of, 2, &j->classes, m->class_of),
                     ST_OK);
    j->naming = (class_naming_t){.named_by = CLASS_BY_NBC,
                                 .method = CLASS_NBC,
                                 .rules = m->rules,
                                 .limit = m->limit,
                                 .n_ranks = 2};
    j->collected[0].batch = (job_classify_batch_t){{&m->reads, 0, N_READS}, 0, 2};
    assert_int_equal(nbc_results_create(N_READS, 2, r), ST_OK);
    for (int i = 0; i < N_READS; i++) {
        r->best[i] = (nbc_best_t){.class_number = i < 514 ? i % 2 : -1,
                                  .n_words = 9,
                                  .reversed = i % 3 == 0};
        r->support[2 * i] = 100;
        r->support[2 * i + 1] = (uint16_t)(i % 101);
    }
}

static void free_made(made_t *m)
{
    nbc_results_free(&m->job.collected[0].results);
    nbc_classes_free(&m->job.classes);
}

static void a_record_has_the_reads_of_its_task(void **state)
{
    made_t m;

    (void)state;
    make(&m);
    for (int task = 0; task < 2; task++) {
        const int n = task == 0 ? JOB_CLASSIFY_BLOCK : 3;
        buf_t record = {0};
        class_calls_t c;

        assert_int_equal(job_classify_pack(&m.job.base, 0, task, 0, &record), ST_OK);
        assert_int_equal(record.len, n * READ_BYTES);
        assert_int_equal(class_calls_create(n, 2, &c), ST_OK);
        assert_int_equal(job_classify_unpack(&m.job, task, record.data, record.len, 0,
                                             &c),
                         ST_OK);
        for (int i = 0; i < n; i++) {
            const int read = task * JOB_CLASSIFY_BLOCK + i;
            const bool has_class = read < 514;

            assert_int_equal(c.taxon[i], has_class ? 3 + read % 2 : -1);
            assert_int_equal(c.reversed[i], read % 3 == 0);
            assert_int_equal(c.method[i], CLASS_BY_NBC);
            assert_int_equal(c.support[2 * i], has_class ? 10000 : 0);
            assert_int_equal(c.support[2 * i + 1], has_class ? read % 101 * 100 : 0);
        }
        class_calls_free(&c);
        buf_free(&record);
    }
    free_made(&m);
}

static void a_record_of_another_length_is_refused(void **state)
{
    buf_t record = {0};
    class_calls_t c;
    made_t m;

    (void)state;
    make(&m);
    assert_int_equal(class_calls_create(N_READS, 2, &c), ST_OK);
    assert_int_equal(job_classify_pack(&m.job.base, 0, 1, 0, &record), ST_OK);
    assert_null(job_classify_check_record(&m.job.base, 1, 0, &record));
    assert_string_equal(job_classify_check_record(&m.job.base, 0, 0, &record),
                        "has another length than that of its task");
    for (size_t len = 0; len < record.len; len++)
        assert_int_equal(job_classify_unpack(&m.job, 1, record.data, len, 0, &c),
                         ST_EINPUT);
    class_calls_free(&c);
    buf_free(&record);
    free_made(&m);
}

/* In the record of the reads 512, 513 and 514. */
enum { TAXON = 0, REVERSED = 3 * 4, METHOD = REVERSED + 3, SUPPORT = METHOD + 3 };

/* Write a value into that record, check it, and put the value back. */
static void assert_wrong(made_t *m, buf_t *record, size_t at, uint16_t value, size_t len,
                         const char *why)
{
    unsigned char kept[sizeof(value)];
    const char *got;

    assert_true(at + len <= record->len);
    memcpy(kept, record->data + at, len);
    memcpy(record->data + at, &value, len);
    got = job_classify_check_record(&m->job.base, 1, 0, record);
    assert_non_null(got);
    assert_string_equal(got, why);
    memcpy(record->data + at, kept, len);
}

/* Of read 512, 100 % and 7 % of the resamples agree; read 514 has no taxon. */
static void names_that_no_run_gives_are_refused(void **state)
{
    const char *bad_taxa = "has names that do not fit the taxa of the model",
               *bad_support = "has supports that do not fit the lineage";
    buf_t record = {0};
    made_t m;

    (void)state;
    make(&m);
    assert_int_equal(job_classify_pack(&m.job.base, 0, 1, 0, &record), ST_OK);
    assert_null(job_classify_check_record(&m.job.base, 1, 0, &record));
    assert_wrong(&m, &record, TAXON, 1, 1, bad_taxa); /* it is divided */
    assert_wrong(&m, &record, TAXON, 5, 1, bad_taxa);
    assert_wrong(&m, &record, METHOD, CLASS_BY_ALIGN, 1, bad_taxa);
    assert_wrong(&m, &record, REVERSED, 2, 1, bad_taxa);
    assert_wrong(&m, &record, SUPPORT, 10001, 2, bad_taxa);
    assert_wrong(&m, &record, SUPPORT, 699, 2, bad_support);
    assert_wrong(&m, &record, SUPPORT + 8, 1, 2, bad_support);
    m.opts.strands = CLASS_STRANDS_PLUS; /* read 513 is reversed */
    assert_string_equal(job_classify_check_record(&m.job.base, 1, 0, &record), bad_taxa);
    buf_free(&record);
    free_made(&m);
}

/* One part is behind the reads: its cases without the genus and without a higher taxon.
 */
static void supports_of_parts_that_no_run_gives_are_refused(void **state)
{
    uint16_t absent[CLASS_TRAIN_ABSENT] = {10000, JOB_CLASSIFY_NONE};
    buf_t record = {0};
    made_t m;

    (void)state;
    make(&m);
    m.job.parts.train.n = 1;
    m.job.collected[1].batch = (job_classify_batch_t){.first_task = 2, .n_tasks = 1};
    m.job.collected[1].absent = absent;
    assert_int_equal(job_classify_n_blocks(&m.job), 2);
    assert_int_equal(job_classify_n_tasks(&m.job), 3);
    assert_int_equal(job_classify_pack(&m.job.base, 1, 0, 0, &record), ST_OK);
    assert_int_equal(record.len, sizeof(absent));
    assert_memory_equal(record.data, absent, sizeof(absent));
    assert_null(job_classify_check_record(&m.job.base, 2, 0, &record));
    record.len--;
    assert_string_equal(job_classify_check_record(&m.job.base, 2, 0, &record),
                        "has another length than that of its task");
    record.len++;
    memcpy(record.data, (uint16_t[]){10001}, sizeof(uint16_t));
    assert_string_equal(job_classify_check_record(&m.job.base, 2, 0, &record),
                        "has supports that no sequence gives");
    buf_free(&record);
    free_made(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_has_the_reads_of_its_task),
        cmocka_unit_test(a_record_of_another_length_is_refused),
        cmocka_unit_test(names_that_no_run_gives_are_refused),
        cmocka_unit_test(supports_of_parts_that_no_run_gives_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
