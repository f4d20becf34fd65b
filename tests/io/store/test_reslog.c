/*
 * test_reslog.c - the log keeps finished tasks, whatever is torn, damaged or full.
 */
#include "tests/support/unit_test.h"

#include "tests/io/store/reslog_fixture.h"

#include <time.h>

static void a_new_log_has_no_task_finished(void **state)
{
    reslog_t *log = open_log();

    (void)state;
    assert_int_equal(reslog_n_done(log), 0);
    for (int64_t task = 0; task < N_TASKS; task++)
        assert_false(reslog_has(log, task));
    reslog_close(log);
    reslog_close(NULL);
}

static void a_log_of_no_tasks_opens(void **state)
{
    reslog_t *log = NULL;

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(reslog_open(path, "", 0, false, &log), ST_OK);
        assert_int_equal(reslog_n_done(log), 0);
        reslog_close(log);
    }
}

static void payloads_are_read_back_at_once_and_after_reopening(void **state)
{
    reslog_t *log = open_log();

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(reslog_append(log, task_of[i], 0, payload[i],
                                       strlen(payload[i])),
                         ST_OK);
        assert_int_equal(reslog_n_done(log), i + 1);
        assert_holds(log, i);
    }
    assert_int_equal(reslog_sync(log), ST_OK);
    reslog_close(log);
    log = open_log();
    assert_int_equal(reslog_n_done(log), 3);
    for (int i = 0; i < 3; i++)
        assert_holds(log, i);
    assert_false(reslog_has(log, 1));
    assert_false(reslog_has(log, 2));
    reslog_close(log);
}

static void a_second_record_of_the_same_version_is_not_written(void **state)
{
    size_t bytes = make_log(3), now;
    reslog_t *log = open_log();

    (void)state;
    assert_int_equal(reslog_append(log, task_of[0], 0, "other", 5), ST_OK);
    assert_int_equal(reslog_n_done(log), 3);
    assert_holds(log, 0);
    reslog_close(log);
    free(dir_get(path, &now));
    assert_int_equal(now, bytes);
}

static void a_tail_torn_at_any_byte_costs_only_the_last_record(void **state)
{
    size_t two = make_log(2), three = make_log(3), now;
    unsigned char *bytes = dir_get(path, &now);

    (void)state;
    assert_int_equal(now, three);
    for (size_t cut = two; cut < three; cut++) {
        reslog_t *log;

        dir_put(path, bytes, cut);
        log = open_log();
        assert_int_equal(reslog_n_done(log), 2);
        assert_holds(log, 0);
        assert_holds(log, 1);
        assert_false(reslog_has(log, task_of[2]));
        free(dir_get(path, &now));
        assert_int_equal(now, two);
        assert_int_equal(reslog_append(log, task_of[2], 0, payload[2],
                                       strlen(payload[2])),
                         ST_OK);
        reslog_close(log);
        log = open_log();
        assert_int_equal(reslog_n_done(log), 3);
        assert_holds(log, 2);
        reslog_close(log);
    }
    free(bytes);
}

static void a_log_cut_within_its_header_is_started_again(void **state)
{
    size_t len = make_log(0), now;
    unsigned char *bytes = dir_get(path, &now), *again;

    (void)state;
    for (size_t cut = 0; cut < len; cut++) {
        reslog_t *log;

        dir_put(path, bytes, cut);
        log = open_log();
        assert_int_equal(reslog_n_done(log), 0);
        reslog_close(log);
        again = dir_get(path, &now);
        assert_int_equal(now, len);
        assert_memory_equal(again, bytes, len);
        free(again);
    }
    free(bytes);
}

/* Open a log with one byte flipped. @return NULL where it is refused */
static reslog_t *open_flipped(const unsigned char *bytes, size_t len, size_t at, int bit)
{
    unsigned char *flipped = malloc(len);
    reslog_t *log = NULL;
    status_t st;

    assert_non_null(flipped);
    memcpy(flipped, bytes, len);
    flipped[at] ^= (unsigned char)(1 << bit);
    dir_put(path, flipped, len);
    free(flipped);
    capture_start();
    st = reslog_open(path, JOB, N_TASKS, false, &log);
    capture_stop();
    assert_int_equal(st, log != NULL ? ST_OK : ST_EINPUT);
    if (log == NULL)
        assert_logged_one_line();
    return log;
}

/* A refused log stays as it was found. */
static void assert_all_but_one_bit(const unsigned char *bytes, size_t len, size_t at,
                                   int bit)
{
    size_t now;
    unsigned char *after = dir_get(path, &now);

    assert_int_equal(now, len);
    after[at] ^= (unsigned char)(1 << bit);
    assert_memory_equal(after, bytes, len);
    free(after);
}

/* A damaged payload costs its record; a damaged record header costs all records after it,
 * too. */
static void a_flipped_bit_never_changes_a_payload(void **state)
{
    size_t end[3], len;
    unsigned char *bytes;

    (void)state;
    for (int i = 0; i < 3; i++)
        end[i] = make_log(i + 1);
    bytes = dir_get(path, &len);
    for (size_t at = 0; at < len; at = at + 1 == MAGIC_BYTES ? FRONT_BYTES : at + 1)
        for (int bit = 0; bit < 8; bit += 7) {
            reslog_t *log = open_flipped(bytes, len, at, bit);
            int hit = (at >= end[0]) + (at >= end[1]);
            bool in_payload = at >= end[hit] - strlen(payload[hit]);

            if (at < HEAD_BYTES + TEXT_BYTES) {
                assert_null(log);
                assert_logged(at == MAGIC_DIGIT && bit == 0 ? "newer" : "damaged");
                assert_all_but_one_bit(bytes, len, at, bit);
                continue;
            }
            for (int i = 0; i < 3; i++)
                if (i < hit || (i > hit && in_payload))
                    assert_holds(log, i);
                else
                    assert_false(reslog_has(log, task_of[i]));
            assert_int_equal(reslog_n_done(log), in_payload ? 2 : hit);
            reslog_close(log);
        }
    free(bytes);
}

static void a_record_that_changes_in_an_open_log_is_an_error(void **state)
{
    status_t st;
    size_t len;
    unsigned char *bytes;
    reslog_t *log;
    buf_t read = {0};

    (void)state;
    make_log(1);
    log = open_log();
    bytes = dir_get(path, &len);
    bytes[len - 1] ^= 1;
    dir_put(path, bytes, len);
    capture_start();
    st = reslog_read(log, task_of[0], &read);
    capture_stop();
    assert_int_equal(st, ST_EIO);
    assert_logged_one_line();
    assert_logged("task 3 has changed on disk");
    buf_free(&read);
    reslog_close(log);
    free(bytes);
}

static uint32_t swapped(uint32_t x)
{
    return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24;
}

static void a_log_of_another_byte_order_is_refused(void **state)
{
    status_t st;
    size_t len;
    unsigned char *bytes;
    reslog_t *log = NULL;
    uint32_t mark;

    (void)state;
    make_log(0);
    bytes = dir_get(path, &len);
    memcpy(&mark, bytes + FRONT_BYTES + MAGIC_BYTES, 4);
    mark = swapped(mark);
    memcpy(bytes + FRONT_BYTES + MAGIC_BYTES, &mark, 4);
    dir_put(path, bytes, len);
    capture_start();
    st = reslog_open(path, JOB, N_TASKS, false, &log);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged("another byte order");
    free(bytes);
}

/* Eleven reads: the front (three times), header, text, three record headers, two payloads
 * that have bytes, the end. */
static void a_failing_disk_is_logged_and_costs_no_record(void **state)
{
    size_t len, now;
    unsigned char *bytes, *after;

    (void)state;
    make_log(3);
    bytes = dir_get(path, &len);
    for (int n = 0; n < 11; n++) {
        reslog_t *log = NULL;
        status_t st;

        capture_start();
        reads_left = n;
        st = reslog_open(path, JOB, N_TASKS, false, &log);
        reads_left = -1;
        capture_stop();
        assert_int_equal(st, ST_EIO);
        assert_logged_one_line();
        assert_logged("cannot read: Input/output error");
        after = dir_get(path, &now);
        assert_int_equal(now, len);
        assert_memory_equal(after, bytes, len);
        free(after);
    }
    free(bytes);
}

static void the_log_of_another_job_is_refused_and_kept(void **state)
{
    status_t st;
    reslog_t *log = NULL;

    (void)state;
    make_log(3);
    capture_start();
    st = reslog_open(path, "input=a.fa\nmatch=6\n", N_TASKS, false, &log);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged("there 'match=5', now 'match=6'");
    assert_null(log);
    log = open_log();
    assert_int_equal(reslog_n_done(log), 3);
    reslog_close(log);
}

static void a_log_with_another_number_of_tasks_is_refused(void **state)
{
    reslog_t *log = NULL;
    status_t st;

    (void)state;
    make_log(3);
    capture_start();
    st = reslog_open(path, JOB, N_TASKS - 1, false, &log);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged("divided this job into 5 tasks, not 4");
    assert_null(log);
}

static void afresh_discards_the_old_content(void **state)
{
    reslog_t *log = NULL;

    (void)state;
    make_log(3);
    assert_int_equal(reslog_open(path, "input=b.fa\n", 2, true, &log), ST_OK);
    assert_int_equal(reslog_n_done(log), 0);
    reslog_close(log);
    assert_int_equal(reslog_open(path, "input=b.fa\n", 2, false, &log), ST_OK);
    assert_int_equal(reslog_n_done(log), 0);
    reslog_close(log);
}

static void a_locked_log_is_waited_for(void **state)
{
    struct timespec before, after;
    reslog_t *log;
    pid_t child;

    (void)state;
    make_log(2);
    clock_gettime(CLOCK_MONOTONIC, &before);
    child = hold_log(1000, false);
    log = open_log();
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true((double)(after.tv_sec - before.tv_sec) +
                    (double)(after.tv_nsec - before.tv_nsec) / 1e9 >
                0.9);
    assert_holds(log, 1);
    reslog_close(log);
    assert_ended_well(child);
}

static void no_log_is_created_when_the_holder_removes_it(void **state)
{
    reslog_t *log = NULL;
    pid_t child;

    (void)state;
    make_log(2);
    child = hold_log(300, true);
    assert_int_equal(reslog_open(path, JOB, N_TASKS, false, &log), ST_EDONE);
    assert_null(log);
    assert_int_equal(access(path, F_OK), -1);
    assert_ended_well(child);
    log = open_log();
    assert_int_equal(reslog_n_done(log), 0);
    reslog_close(log);
}

static void remove_does_not_remove_another_log_of_the_same_name(void **state)
{
    reslog_t *first = open_log(), *second;

    (void)state;
    reslog_remove(first);
    assert_int_equal(access(path, F_OK), -1);
    second = open_log();
    reslog_remove(first);
    assert_int_equal(access(path, F_OK), 0);
    reslog_close(first);
    reslog_remove(second);
    assert_int_equal(access(path, F_OK), -1);
    reslog_close(second);
}

static void a_full_disk_leaves_the_log_as_it_was(void **state)
{
    size_t two = make_log(2), now;

    (void)state;
    for (size_t left = 0; left < RECORD_BYTES + strlen(payload[2]); left++) {
        reslog_t *log;
        pid_t child;

        capture_start();
        child = fork();
        if (child == 0)
            _exit(append_beyond(two + left));
        capture_stop(); /* the child's errors are captured too */
        assert_true(child > 0);
        assert_ended_well(child);
        free(dir_get(path, &now));
        assert_int_equal(now, two);
        log = open_log();
        assert_int_equal(reslog_n_done(log), 2);
        assert_holds(log, 0);
        assert_holds(log, 1);
        reslog_close(log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_new_log_has_no_task_finished, forget),
        cmocka_unit_test_teardown(a_log_of_no_tasks_opens, forget),
        cmocka_unit_test_teardown(payloads_are_read_back_at_once_and_after_reopening,
                                  forget),
        cmocka_unit_test_teardown(a_second_record_of_the_same_version_is_not_written,
                                  forget),
        cmocka_unit_test_teardown(a_tail_torn_at_any_byte_costs_only_the_last_record,
                                  forget),
        cmocka_unit_test_teardown(a_log_cut_within_its_header_is_started_again, forget),
        cmocka_unit_test_teardown(a_flipped_bit_never_changes_a_payload, forget),
        cmocka_unit_test_teardown(a_record_that_changes_in_an_open_log_is_an_error,
                                  forget),
        cmocka_unit_test_teardown(a_log_of_another_byte_order_is_refused, forget),
        cmocka_unit_test_teardown(a_failing_disk_is_logged_and_costs_no_record, forget),
        cmocka_unit_test_teardown(the_log_of_another_job_is_refused_and_kept, forget),
        cmocka_unit_test_teardown(a_log_with_another_number_of_tasks_is_refused, forget),
        cmocka_unit_test_teardown(afresh_discards_the_old_content, forget),
        cmocka_unit_test_teardown(a_locked_log_is_waited_for, forget),
        cmocka_unit_test_teardown(no_log_is_created_when_the_holder_removes_it, forget),
        cmocka_unit_test_teardown(remove_does_not_remove_another_log_of_the_same_name,
                                  forget),
        cmocka_unit_test_teardown(a_full_disk_leaves_the_log_as_it_was, forget),
    };

    return cmocka_run_group_tests(tests, log_directory, dir_remove);
}
