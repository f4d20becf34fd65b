/*
 * test_jobs.c - every registered job says what it is.
 *
 *   test_jobs list    prints their commands, one per line, for tests of all jobs
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/options/job_run.h"

#include <string.h>

static void every_job_has_what_all_jobs_need(void **state)
{
    (void)state;
    for (const job_command_t *const *c = job_commands; *c != NULL; c++) {
        const job_ops_t *ops = (*c)->ops;

        print_message("%s\n", (*c)->command->name);
        assert_true(ops->size >= sizeof(job_t));
        assert_true((*c)->take != NULL && (*c)->command->run != NULL &&
                    (*c)->command->on_all_ranks);
        assert_true(ops->settle != NULL && ops->reader != NULL && ops->begin != NULL &&
                    ops->cost != NULL && ops->items != NULL);
        assert_true(ops->describe != NULL && ops->check_record != NULL &&
                    ops->opened != NULL && ops->write_result != NULL);
        assert_true(ops->prepare != NULL && ops->release != NULL && ops->free != NULL);
    }
}

/* Some have both kinds, and choose one by their input. */
static void every_job_is_of_a_kind_and_has_all_of_it(void **state)
{
    (void)state;
    for (const job_command_t *const *c = job_commands; *c != NULL; c++) {
        const job_ops_t *ops = (*c)->ops;
        const int n_free =
            (ops->submit != NULL) + (ops->collect != NULL) + (ops->pack != NULL);
        const int n_gang = (ops->is_over != NULL) + (ops->step != NULL) +
                           (ops->holds != NULL) + (ops->save != NULL) +
                           (ops->restore != NULL);

        print_message("%s\n", (*c)->command->name);
        assert_true(n_free == 0 || n_free == 3);
        assert_true(n_gang == 0 || n_gang == 5);
        assert_true(n_free + n_gang > 0);
        assert_int_equal(ops->check == NULL, ops->equal == NULL);
    }
}

static void commands_of_jobs_have_names_of_their_own(void **state)
{
    (void)state;
    for (const job_command_t *const *c = job_commands; *c != NULL; c++)
        for (const job_command_t *const *d = job_commands; d < c; d++)
            assert_string_not_equal((*c)->command->name, (*d)->command->name);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_has_what_all_jobs_need),
        cmocka_unit_test(every_job_is_of_a_kind_and_has_all_of_it),
        cmocka_unit_test(commands_of_jobs_have_names_of_their_own),
    };

    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (const job_command_t *const *c = job_commands; *c != NULL; c++)
            printf("%s\n", (*c)->command->name);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
