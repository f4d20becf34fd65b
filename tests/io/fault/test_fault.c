/*
 * test_fault.c - a plan of faults strikes where it says, and a fault that did not happen
 * is an error.
 */
#include "tests/support/unit_test.h"

#include "io/fault/fault.h"
#include "tests/support/captured_log.h"

#include <stdlib.h>

static status_t begin(const char *text, int rank)
{
    setenv("RIBOGRID_FAULTS_PLAN", text, 1);
    return fault_begin(rank, 2);
}

static void a_fault_strikes_at_its_number_once(void **state)
{
    (void)state;
    assert_int_equal(begin("1:2:eio", 1), ST_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(fault_now(FAULT_EIO), i == 2);
    assert_int_equal(fault_end(), ST_OK);
}

static void a_range_strikes_at_each_of_its_numbers(void **state)
{
    (void)state;
    assert_int_equal(begin("0:1-3:wrong,0:0:stall", 0), ST_OK);
    assert_true(fault_now(FAULT_STALL));
    for (int i = 0; i < 6; i++)
        assert_int_equal(fault_now(FAULT_WRONG), i >= 1 && i <= 3);
    assert_int_equal(fault_end(), ST_OK);
}

static void other_ranks_faults_do_not_strike(void **state)
{
    (void)state;
    assert_int_equal(begin("1:0:device", 0), ST_OK);
    assert_false(fault_now(FAULT_DEVICE));
    assert_int_equal(fault_end(), ST_OK);
}

static void a_fault_that_did_not_happen_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(begin("0:0-4:malloc", 0), ST_OK);
    for (int i = 0; i < 4; i++)
        assert_true(fault_now(FAULT_MALLOC));
    capture_start();
    assert_int_equal(fault_end(), ST_EUSAGE);
    capture_stop();
    assert_logged("of 5 faults 0:0-4:malloc 4 happened; ");
    assert_logged_one_line();
}

/* Of two ranks, number 2 does not exist: rank 0 reports its faults. */
static void a_fault_of_a_rank_that_does_not_exist_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(begin("2:0:kill", 1), ST_OK);
    assert_int_equal(fault_end(), ST_OK);
    assert_int_equal(begin("2:0:kill", 0), ST_OK);
    capture_start();
    assert_int_equal(fault_end(), ST_EUSAGE);
    capture_stop();
    assert_logged_one_line();
}

static void a_plan_that_cannot_be_read_is_refused(void **state)
{
    static const char *const bad[] = {"",          "0:1",      "0:1:fire", "0:1:eio,",
                                      "x:1:eio",   "-1:1:eio", "0:-1:eio", "0:3-2:eio",
                                      "0:1:eio:2", "0:1-:eio"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        capture_start();
        assert_int_equal(begin(bad[i], 0), ST_EUSAGE);
        capture_stop();
        assert_logged(" is no fault; ");
        assert_logged_one_line();
    }
}

static void without_a_plan_nothing_happens(void **state)
{
    (void)state;
    unsetenv("RIBOGRID_FAULTS_PLAN");
    assert_int_equal(fault_begin(0, 1), ST_OK);
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        assert_false(fault_now((fault_kind_t)kind));
    assert_int_equal(fault_end(), ST_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_strikes_at_its_number_once),
        cmocka_unit_test(a_range_strikes_at_each_of_its_numbers),
        cmocka_unit_test(other_ranks_faults_do_not_strike),
        cmocka_unit_test(a_fault_that_did_not_happen_is_an_error),
        cmocka_unit_test(a_fault_of_a_rank_that_does_not_exist_is_an_error),
        cmocka_unit_test(a_plan_that_cannot_be_read_is_refused),
        cmocka_unit_test(without_a_plan_nothing_happens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
