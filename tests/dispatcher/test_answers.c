/*
 * test_answers.c - several workers' results of one task: who takes part, and on what most
 * agree.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/free_state.h"

#include <string.h>

enum { SKIP = 3 };

static answers_t *a;

static status_t equal(const job_t *job, const buf_t *x, const buf_t *y, bool *out)
{
    (void)job;
    *out = x->len == y->len && memcmp(x->data, y->data, x->len) == 0;
    return ST_OK;
}

static const job_ops_t ops = {.equal = equal};
static const job_t job = {.ops = &ops};

static int begin(void **state)
{
    (void)state;
    return answers_create(10, &a) == ST_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    answers_destroy(a);
    return 0;
}

/* Worker w answers task 4; what is in front of the result differs from worker to worker.
 */
static void put(int w, const char *result)
{
    buf_t data = {0};

    assert_int_equal(buf_printf(&data, "%03d%s", w, result), ST_OK);
    assert_int_equal(answers_put(a, 4, w, JOB_DEFAULT, &data), ST_OK);
    assert_null(data.data);
}

static const answer_t *best(void)
{
    answer_t *answer;

    assert_int_equal(answers_compare(a, 4, &job, SKIP, &answer), ST_OK);
    return answer;
}

static void most_agree_on_the_result_of_two(void **state)
{
    (void)state;
    put(0, "left");
    put(1, "right");
    put(2, "right");
    assert_int_equal(best()->worker, 1);
    assert_int_equal(best()->n_equal, 2);
    assert_int_equal(answers_n(a, 4), 3);
}

static void nobody_agrees_with_a_result_of_its_own(void **state)
{
    (void)state;
    put(0, "left");
    put(1, "right");
    assert_int_equal(best()->worker, 0);
    assert_int_equal(best()->n_equal, 1);
}

static void an_expected_answer_counts_once_it_is_there(void **state)
{
    (void)state;
    assert_false(answers_involves(a, 4, 7));
    assert_int_equal(answers_expect(a, 4, 7, JOB_DEFAULT), ST_OK);
    assert_true(answers_involves(a, 4, 7));
    assert_false(answers_involves(a, 5, 7));
    assert_int_equal(answers_n(a, 4), 0);
    assert_false(answers_has(a, 4, 7, JOB_DEFAULT));
    put(7, "left");
    assert_int_equal(answers_n(a, 4), 1);
    assert_true(answers_has(a, 4, 7, JOB_DEFAULT));
    assert_true(answers_has(a, 4, -1, JOB_DEFAULT));
    assert_false(answers_has(a, 4, -1, JOB_ALTERNATIVE));
}

static void a_worker_that_is_forgotten_keeps_what_it_answered(void **state)
{
    (void)state;
    put(1, "left");
    assert_int_equal(answers_expect(a, 4, 1, JOB_ALTERNATIVE), ST_OK);
    assert_int_equal(answers_expect(a, 4, 2, JOB_DEFAULT), ST_OK);
    answers_forget(a, 4, 1);
    answers_forget(a, 4, 2);
    assert_true(answers_involves(a, 4, 1));
    assert_false(answers_involves(a, 4, 2));
    assert_int_equal(answers_n(a, 4), 1);
    answers_drop(a, 4);
    assert_int_equal(answers_n(a, 4), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(most_agree_on_the_result_of_two),
        TEST(nobody_agrees_with_a_result_of_its_own),
        TEST(an_expected_answer_counts_once_it_is_there),
        TEST(a_worker_that_is_forgotten_keeps_what_it_answered),
    };

    answers_destroy(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
