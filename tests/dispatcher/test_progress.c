/*
 * test_progress.c - what is shown during a run: lines in a log, a bar on a terminal.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/progress.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "tests/support/captured_log.h"

#include <sys/ioctl.h>

static void assert_count(double count, const char *text)
{
    char out[32];

    assert_string_equal(progress_count(count, out, sizeof(out)), text);
}

static void counts_below_a_hundred_thousand_are_whole(void **state)
{
    (void)state;
    assert_count(0, "0");
    assert_count(0.4, "0");
    assert_count(999, "999");
    assert_count(31125, "31125");
    assert_count(99999, "99999");
}

static void larger_counts_get_a_unit(void **state)
{
    (void)state;
    assert_count(1e5, "100.0 k");
    assert_count(123456, "123.5 k");
    assert_count(10.64e6, "10.6 M");
    assert_count(99.9e6, "99.9 M");
    assert_count(999.96e3, "1.0 M");
    assert_count(224.6e6, "224.6 M");
    assert_count(1.5e11, "150.0 G");
    assert_count(2.25e14, "225.0 T");
    assert_count(1e18, "1000.0 P");
    assert_count(1e21, "1000000.0 P");
}

static void the_clock_never_goes_back(void **state)
{
    double before = clock_now_s();

    (void)state;
    for (int i = 0; i < 1000; i++) {
        double now = clock_now_s();

        assert_true(now >= before);
        before = now;
    }
}

/* A run begun `seconds` ago, with nothing shown since. */
static progress_t run_of(double seconds)
{
    progress_t p = {.cost_word = "cells",
                    .rate_word = "CUPS",
                    .task_word = "tiles",
                    .item_word = "pairs",
                    .n_tasks = 10,
                    .n_items = 1000,
                    .tasks_before = 1,
                    .items_before = 50,
                    .cost_left = 6e11};

    progress_begin(&p);
    p.start_s -= seconds;
    p.last_s -= seconds;
    return p;
}

static void a_log_gets_a_line(void **state)
{
    progress_t p;

    (void)state;
    capture_start();
    p = run_of(100);
    /* 100 pairs of this run in 100 s; 2e11 cells took 100 s, so 4e11 take 200 s */
    progress_show(&p, 3, 150, 2e11);
    capture_stop();
    assert_false(p.terminal);
    assert_logged("ribogrid: 3/10 tiles, 150/1000 pairs, 1 pairs/s, 2.0 GCUPS, ETA 3:2");
    assert_logged_one_line();
}

static void a_part_has_the_unit_of_the_whole(void **state)
{
    progress_t p;

    (void)state;
    capture_start();
    p = run_of(100);
    p.items_before = 0;
    p.n_items = 10640000;
    progress_show(&p, 3, 50000, 2e11);
    capture_stop();
    assert_logged("3/10 tiles, 0.1/10.6 M pairs, ");
}

static void costs_that_are_estimates_are_not_shown(void **state)
{
    progress_t p;

    (void)state;
    capture_start();
    p = run_of(100);
    p.cost_word = NULL;
    progress_show(&p, 3, 150, 2e11);
    capture_stop();
    assert_logged("ribogrid: 3/10 tiles, 150/1000 pairs, 1 pairs/s, ETA 3:2");
    assert_logged_one_line();
    capture_start();
    p = run_of(95);
    p.cost_word = NULL;
    progress_end(&p, 1000, 6e11);
    capture_stop();
    assert_logged("ribogrid: 950 pairs in 95.00 s: 10 pairs/s\n");
    assert_logged_one_line();
}

static void one_item_is_no_plural(void **state)
{
    progress_t p;

    (void)state;
    capture_start();
    p = run_of(100);
    p.item_word = "pairs of reads";
    progress_end(&p, p.items_before + 1, 6e11);
    capture_stop();
    assert_logged("ribogrid: 1 pair of reads in 100.00 s: 0 pairs of reads/s");
}

static void a_run_that_did_nothing_has_no_speed(void **state)
{
    progress_t p;

    (void)state;
    capture_start();
    p = run_of(100);
    progress_end(&p, p.items_before, 0);
    capture_stop();
    assert_logged_nothing();
}

static void times_above_an_hour_have_hours(void **state)
{
    progress_t p;

    (void)state;
    capture_start();
    p = run_of(1000);
    p.cost_left = 5.4e11; /* 1e11 took 1000 s */
    progress_show(&p, 3, 150, 1e11);
    capture_stop();
    assert_logged("ETA 1:13:2"); /* 4400 s = 1:13:20 */
}

static void before_the_first_result_the_end_is_unknown(void **state)
{
    progress_t p;

    (void)state;
    capture_start();
    p = run_of(60);
    progress_show(&p, 1, 50, 0);
    capture_stop();
    assert_logged("1/10 tiles, 50/1000 pairs, 0 pairs/s, 0.0 GCUPS, ETA ?");
}

static void a_gang_shows_its_steps(void **state)
{
    progress_t p;

    (void)state;
    capture_start();
    p = run_of(100);
    p.n_steps = 500;
    p.steps_before = 100;
    p.rate_word = NULL;
    /* 200 steps of this run in 100 s, and 200 more to come */
    progress_show_steps(&p, 300, 5e5);
    capture_stop();
    assert_logged("ribogrid: 300/500 steps, 2 steps/s, 5000 cells/s, ETA 1:40");
    assert_logged_one_line();

    capture_start();
    p.last_s -= 100;
    p.n_steps = 0; /* unknown */
    progress_show_steps(&p, 300, 5e5);
    capture_stop();
    assert_logged("ribogrid: 300 steps, 2 steps/s, 5000 cells/s, ETA ?");
}

static void a_log_gets_no_second_line_within_ten_seconds(void **state)
{
    progress_t p;

    (void)state;
    capture_start();
    p = run_of(100);
    for (int i = 0; i < 1000; i++)
        progress_show(&p, 3, 150, 2e11);
    capture_stop();
    assert_logged_one_line();

    capture_start();
    p.last_s -= 9;
    progress_show(&p, 3, 150, 2e11);
    capture_stop();
    assert_logged_nothing();

    capture_start();
    p.last_s -= 2;
    progress_show(&p, 4, 250, 3e11);
    capture_stop();
    assert_logged("4/10 tiles");
}

static void the_last_line_counts_this_run_only(void **state)
{
    progress_t p;

    (void)state;
    capture_start();
    p = run_of(100);
    progress_end(&p, 1000, 6.04e11);
    capture_stop();
    assert_logged("ribogrid: 950 pairs in 100.");
    assert_logged(" s: 9 pairs/s, 6.0"); /* 9.5 and a little more time */
    assert_logged_one_line();
}

static void a_quiet_run_logs_nothing(void **state)
{
    progress_t p;

    (void)state;
    log_set_level(LOG_QUIET);
    capture_start();
    p = run_of(100);
    progress_show(&p, 3, 150, 2e11);
    progress_end(&p, 1000, 6e11);
    capture_stop();
    log_set_level(LOG_NORMAL);
    assert_logged_nothing();
}

/* Make stderr a terminal with that many columns until screen_close. @return its other
 * side
 */
static int screen_open(int columns, int *before)
{
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    int master = posix_openpt(O_RDWR | O_NOCTTY), slave;

    assert_true(master >= 0);
    assert_int_equal(grantpt(master), 0);
    assert_int_equal(unlockpt(master), 0);
    slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
    *before = dup(STDERR_FILENO);
    dup2(slave, STDERR_FILENO);
    close(slave);
    return master;
}

/* Copy what the terminal got into `logged`.  Its end of input comes after everything that
 * was written to it. */
static void screen_close(int master, int before)
{
    size_t len = 0;
    ssize_t n;

    dup2(before, STDERR_FILENO); /* the terminal is closed then */
    close(before);
    while (len < CAPTURE_BYTES - 1 &&
           (n = read(master, logged + len, CAPTURE_BYTES - 1 - len)) > 0)
        len += (size_t)n;
    close(master);
    assert_true(len > 0);
    logged[len] = '\0';
}

static void a_terminal_gets_a_bar(void **state)
{
    int before, master = screen_open(200, &before);
    progress_t p = run_of(100);

    (void)state;
    progress_show(&p, 5, 500, 2e11);
    progress_show(&p, 6, 600, 2e11); /* too early for the next one */
    screen_close(master, before);
    assert_true(p.terminal);
    assert_logged("\r\033[K[##########..........]  50 % 5/10 tiles, 500/1000 pairs, ");
    assert_null(strstr(logged, "6/10"));
    assert_null(strchr(logged, '\n'));
}

static void a_bar_fits_its_terminal(void **state)
{
    int before, master = screen_open(40, &before);
    progress_t p = run_of(100);

    (void)state;
    progress_show(&p, 10, 1000, 6e11);
    screen_close(master, before);
    assert_string_equal(logged, "\r\033[K[####################] 100 % 10/10 tile");
}

static void the_end_removes_the_bar(void **state)
{
    int before, master = screen_open(200, &before);
    progress_t p = run_of(100);

    (void)state;
    progress_show(&p, 5, 500, 2e11);
    progress_end(&p, 1000, 6e11);
    screen_close(master, before);
    assert_logged("\r\033[Kribogrid: 950 pairs in ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_below_a_hundred_thousand_are_whole),
        cmocka_unit_test(larger_counts_get_a_unit),
        cmocka_unit_test(the_clock_never_goes_back),
        cmocka_unit_test(a_log_gets_a_line),
        cmocka_unit_test(a_part_has_the_unit_of_the_whole),
        cmocka_unit_test(costs_that_are_estimates_are_not_shown),
        cmocka_unit_test(one_item_is_no_plural),
        cmocka_unit_test(a_run_that_did_nothing_has_no_speed),
        cmocka_unit_test(times_above_an_hour_have_hours),
        cmocka_unit_test(before_the_first_result_the_end_is_unknown),
        cmocka_unit_test(a_gang_shows_its_steps),
        cmocka_unit_test(a_log_gets_no_second_line_within_ten_seconds),
        cmocka_unit_test(the_last_line_counts_this_run_only),
        cmocka_unit_test(a_quiet_run_logs_nothing),
        cmocka_unit_test(a_terminal_gets_a_bar),
        cmocka_unit_test(a_bar_fits_its_terminal),
        cmocka_unit_test(the_end_removes_the_bar),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
