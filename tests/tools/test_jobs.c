/*
 * test_jobs.c - every registered job says what it is.
 */
#include "tests/support/unit_test.h"

#include "tools/options/commands.h"
#include "tools/options/job_run.h"

/* @return the next command from i on that runs a job, or -1 */
static int next_job(int i)
{
    while (commands[i] != NULL && commands[i]->job == NULL)
        i++;
    return commands[i] != NULL ? i : -1;
}

static void every_job_has_what_all_jobs_need(void **state)
{
    (void)state;
    for (int i = 0; (i = next_job(i)) >= 0; i++) {
        const command_t *c = commands[i];
        const job_ops_t *ops = c->job->ops;

        print_message("%s\n", c->name);
        assert_true(ops->size >= sizeof(job_t));
        assert_non_null(c->words);
        assert_true(ops->settle != NULL && ops->begin != NULL && ops->cost != NULL &&
                    ops->items != NULL);
        assert_true(ops->describe != NULL && ops->check_record != NULL &&
                    ops->opened != NULL && ops->write_result != NULL);
        assert_true(ops->prepare != NULL && ops->release != NULL && ops->free != NULL);
    }
}

/* Some have both kinds, and choose one by their input. */
static void every_job_is_of_a_kind_and_has_all_of_it(void **state)
{
    (void)state;
    for (int i = 0; (i = next_job(i)) >= 0; i++) {
        const job_ops_t *ops = commands[i]->job->ops;
        const int n_free =
            (ops->collect != NULL || ops->submit != NULL) + (ops->pack != NULL);
        const int n_gang = (ops->is_over != NULL) + (ops->step != NULL) +
                           (ops->holds != NULL) + (ops->save != NULL) +
                           (ops->restore != NULL);

        print_message("%s\n", commands[i]->name);
        assert_true(n_free == 0 || n_free == 2);
        assert_true(n_gang == 0 || n_gang == 5);
        assert_true(n_free + n_gang > 0);
        assert_int_equal(ops->check == NULL, ops->equal == NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_has_what_all_jobs_need),
        cmocka_unit_test(every_job_is_of_a_kind_and_has_all_of_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
