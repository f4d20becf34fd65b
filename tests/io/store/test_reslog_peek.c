/*
 * test_reslog_peek.c - a look at a log tells what it holds, and changes nothing.
 */
#include "tests/support/unit_test.h"

#include "io/store/deflate.h"
#include "io/store/reslog_head.h"
#include "tests/io/store/reslog_fixture.h"

static void assert_peek(int n_records, bool is_held)
{
    reslog_peek_t p = {.text = NULL};

    assert_true(reslog_is_log(path));
    assert_int_equal(reslog_peek(path, &p), ST_OK);
    assert_string_equal(p.text, JOB);
    assert_int_equal(p.version, 4);
    assert_int_equal(p.n_tasks, N_TASKS);
    assert_int_equal(p.n_records, n_records);
    assert_int_equal(p.is_held, is_held);
    free(p.text);
}

static void assert_not_peeked(status_t want, const char *message)
{
    reslog_peek_t p;
    status_t st;

    capture_start();
    st = reslog_peek(path, &p);
    capture_stop();
    assert_int_equal(st, want);
    assert_logged_one_line();
    assert_logged(message);
}

static void whole_records_are_counted(void **state)
{
    (void)state;
    for (int n = 0; n <= 3; n++) {
        make_log(n);
        assert_peek(n, false);
    }
}

static void a_log_that_a_run_holds_is_in_use(void **state)
{
    reslog_t *log;

    (void)state;
    make_log(2);
    log = open_log();
    assert_peek(2, true);
    assert_int_equal(reslog_append(log, task_of[2], 0, "x", 1), ST_OK);
    assert_peek(3, true);
    reslog_close(log);
    assert_peek(3, false);
}

/* A torn record is no record; opening the log would cut it off. */
static void a_torn_or_damaged_record_is_not_counted_and_stays(void **state)
{
    size_t len, now;
    unsigned char *bytes, *after;

    (void)state;
    make_log(3);
    bytes = dir_get(path, &len);
    dir_put(path, bytes, len - 1);
    assert_peek(2, false);
    after = dir_get(path, &now);
    assert_int_equal(now, len - 1);
    assert_memory_equal(after, bytes, now);
    free(after);
    bytes[len - 1] ^= 1;
    dir_put(path, bytes, len);
    assert_peek(2, false);
    free(bytes);
}

static void what_is_no_whole_log_is_refused(void **state)
{
    size_t len;
    unsigned char *bytes;

    (void)state;
    make_log(1);
    bytes = dir_get(path, &len);
    dir_put(path, bytes, 7);
    assert_not_peeked(ST_EINPUT, "is cut within its header");
    dir_put(path, bytes, HEAD_BYTES + TEXT_BYTES - 1);
    assert_not_peeked(ST_EINPUT, "is cut within its header");
    bytes[HEAD_BYTES] ^= 1;
    dir_put(path, bytes, len);
    assert_not_peeked(ST_EINPUT, "is damaged");
    bytes[MAGIC_DIGIT] = '9';
    dir_put(path, bytes, len);
    assert_true(reslog_is_log(path));
    assert_not_peeked(ST_EINPUT, "a newer version");
    bytes[0] = 'X';
    dir_put(path, bytes, len);
    assert_false(reslog_is_log(path));
    free(bytes);
    unlink(path);
    assert_false(reslog_is_log(path));
    assert_not_peeked(ST_EIO, "No such file");
}

/* Set a byte of the job, with valid checksums. */
static void forge_text(unsigned char *bytes, int at, unsigned char byte)
{
    enum { TEXT_CRC_AT = FRONT_BYTES + 24, CRC_AT = FRONT_BYTES + 28 };
    uint32_t crc;

    bytes[HEAD_BYTES + at] = byte;
    crc = deflate_crc32(bytes + HEAD_BYTES, TEXT_BYTES);
    memcpy(bytes + TEXT_CRC_AT, &crc, sizeof(crc));
    crc = deflate_crc32(bytes + FRONT_BYTES, CRC_AT - FRONT_BYTES);
    memcpy(bytes + CRC_AT, &crc, sizeof(crc));
}

static void a_job_has_no_nul(void **state)
{
    size_t len;
    unsigned char *bytes;
    reslog_t *log;

    (void)state;
    make_log(1);
    bytes = dir_get(path, &len);
    forge_text(bytes, 10, '\0');
    dir_put(path, bytes, len);
    free(bytes);
    assert_not_peeked(ST_EINPUT, "is damaged");
    capture_start();
    assert_int_equal(reslog_open(path, "input=a.fa", N_TASKS, false, &log), ST_EINPUT);
    capture_stop();
    assert_logged("is damaged");
}

static void assert_text(const char *want)
{
    char *text;

    capture_start();
    text = reslog_head_text(path);
    capture_stop();
    assert_logged_nothing();
    if (want != NULL)
        assert_string_equal(text, want);
    else
        assert_null(text);
    free(text);
}

static void a_look_at_the_job_logs_nothing(void **state)
{
    const int damaged[] = {0, MAGIC_DIGIT, FRONT_BYTES + MAGIC_BYTES, HEAD_BYTES};
    size_t len;
    unsigned char *bytes;

    (void)state;
    make_log(2);
    assert_text(JOB);
    bytes = dir_get(path, &len);
    dir_put(path, bytes, HEAD_BYTES + TEXT_BYTES);
    assert_text(JOB);
    dir_put(path, bytes, HEAD_BYTES + TEXT_BYTES - 1);
    assert_text(NULL);
    for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        bytes[damaged[i]] ^= 1;
        dir_put(path, bytes, len);
        if (damaged[i] != MAGIC_DIGIT) /* that of the header counts */
            assert_text(NULL);
        bytes[damaged[i]] ^= 1;
    }
    free(bytes);
    unlink(path);
    assert_text(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(whole_records_are_counted, forget),
        cmocka_unit_test_teardown(a_log_that_a_run_holds_is_in_use, forget),
        cmocka_unit_test_teardown(a_torn_or_damaged_record_is_not_counted_and_stays,
                                  forget),
        cmocka_unit_test_teardown(what_is_no_whole_log_is_refused, forget),
        cmocka_unit_test_teardown(a_job_has_no_nul, forget),
        cmocka_unit_test_teardown(a_look_at_the_job_logs_nothing, forget),
    };

    return cmocka_run_group_tests(tests, log_directory, dir_remove);
}
