/*
 * test_child_reader.c - a reader's bytes reach its parent; its crash does not.
 */
#include "tests/support/unit_test.h"

#include "io/base/child.h"
#include "io/base/child_reader.h"
#include "tests/support/captured_log.h"

#include <signal.h>

static const child_limits_t plenty = {.memory_bytes = INT64_C(1) << 40, .seconds = 60};

/* More than a socket holds. */
enum { LONG_BYTES = 3000000 };

static status_t read_file(const void *arg, int what, buf_t *out)
{
    size_t len;
    unsigned char *data = dir_get(arg, &len);
    status_t st = buf_append(out, data, len);

    free(data);
    return what == 7 ? st : ST_EUSAGE;
}

static status_t fail_after_output(const void *arg, int what, buf_t *out)
{
    (void)arg;
    (void)what;
    return buf_printf(out, "not passed on") == ST_OK ? ST_EIO : ST_ENOMEM;
}

static status_t die(const void *arg, int what, buf_t *out)
{
    (void)what;
    (void)out;
    child_reads("x.h5");
    signal(*(const int *)arg, SIG_DFL); /* cmocka handles it */
    raise(*(const int *)arg);
    return ST_OK;
}

static status_t spin(const void *arg, int what, buf_t *out)
{
    volatile int turns = 0;

    (void)arg;
    (void)what;
    child_reads("x.h5");
    while (out->len == 0)
        turns = !turns;
    return ST_OK;
}

static void a_reader_reads_when_asked(void **state)
{
    char path[PATH_BYTES], *text = calloc(1, LONG_BYTES);
    child_reader_t *reader = NULL;
    buf_t out = {0};

    (void)state;
    dir_file("late", path);
    assert_int_equal(child_reader_start(&plenty, read_file, path, &reader), ST_OK);
    dir_put(path, "abc", 3);
    assert_int_equal(child_fetch(reader, 7, &out), ST_OK);
    assert_int_equal(out.len, 3);
    assert_memory_equal(out.data, "abc", 3);
    buf_free(&out);
    dir_put(path, text, LONG_BYTES);
    assert_int_equal(child_fetch(reader, 7, &out), ST_OK);
    assert_int_equal(out.len, LONG_BYTES);
    assert_memory_equal(out.data, text, LONG_BYTES);
    buf_free(&out);
    child_reader_destroy(reader);
    unlink(path);
    free(text);
}

static status_t double_it(const void *arg, int what, buf_t *out)
{
    (void)arg;
    (void)what;
    for (size_t i = 0; i < out->len; i++)
        out->data[i] = (unsigned char)(2 * out->data[i]);
    return ST_OK;
}

static void a_question_may_have_details(void **state)
{
    child_reader_t *reader = NULL;
    buf_t bytes = {0};

    (void)state;
    assert_int_equal(child_reader_start(&plenty, double_it, NULL, &reader), ST_OK);
    assert_int_equal(buf_append(&bytes, "\1\2\3", 3), ST_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(child_fetch(reader, 0, &bytes), ST_OK);
    assert_int_equal(bytes.len, 3);
    assert_memory_equal(bytes.data, "\4\10\14", 3);
    buf_free(&bytes);
    child_reader_destroy(reader);
}

/* A question is the caller's again once it is asked; answers come into used buffers. */
static void answers_are_fetched_later(void **state)
{
    child_reader_t *reader = NULL;
    buf_t question = {0}, answer = {0};

    (void)state;
    assert_int_equal(child_reader_start(&plenty, double_it, NULL, &reader), ST_OK);
    assert_int_equal(buf_append(&answer, "used", 4), ST_OK);
    assert_int_equal(buf_append(&question, "\1\2\3", 3), ST_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(child_ask(reader, 0, &question), ST_OK);
        question.data[0] = 5;
        assert_int_equal(child_answer(reader, &answer), ST_OK);
        assert_int_equal(answer.len, 3);
        assert_memory_equal(answer.data, i == 0 ? "\2\4\6" : "\12\4\6", 3);
    }
    child_reader_stop(reader);
    assert_int_equal(child_ask(reader, 0, &question), ST_EINPUT);
    assert_int_equal(child_answer(reader, &answer), ST_EINPUT);
    buf_free(&question);
    buf_free(&answer);
    child_reader_destroy(reader);
}

static void a_status_is_passed_on(void **state)
{
    child_reader_t *reader = NULL;
    buf_t out = {0};

    (void)state;
    assert_int_equal(child_reader_start(&plenty, fail_after_output, NULL, &reader),
                     ST_OK);
    assert_int_equal(child_fetch(reader, 0, &out), ST_EIO);
    assert_int_equal(child_fetch(reader, 0, &out), ST_EIO);
    assert_int_equal(out.len, 0);
    child_reader_destroy(reader);
}

static void a_crash_is_one_line(void **state)
{
    int number = SIGSEGV;
    child_reader_t *reader = NULL;
    buf_t out = {0};

    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    skip(); /* sanitizers catch crashes themselves */
#endif
    assert_int_equal(child_reader_start(&plenty, die, &number, &reader), ST_OK);
    capture_start();
    assert_int_equal(child_fetch(reader, 0, &out), ST_EINPUT);
    assert_int_equal(child_fetch(reader, 0, &out), ST_EINPUT);
    capture_stop();
    assert_logged("x.h5: reading it ended in a crash, probably inside HDF5 (signal 11");
    assert_logged_one_line();
    child_reader_destroy(reader);
}

static void reading_without_progress_is_ended(void **state)
{
    child_reader_t *reader = NULL;
    buf_t out = {0};

    (void)state;
    setenv("RIBOGRID_STALL_SECONDS", "0.3", 1);
    assert_int_equal(child_reader_start(&plenty, spin, NULL, &reader), ST_OK);
    unsetenv("RIBOGRID_STALL_SECONDS");
    capture_start();
    assert_int_equal(child_fetch(reader, 0, &out), ST_EINPUT);
    capture_stop();
    assert_logged("x.h5: no progress in 0.3 s of computing: the file is damaged");
    assert_logged_one_line();
    child_reader_destroy(reader);
}

static void a_reader_that_was_not_asked_can_be_stopped(void **state)
{
    child_reader_t *reader = NULL;

    (void)state;
    assert_int_equal(child_reader_start(&plenty, fail_after_output, NULL, &reader),
                     ST_OK);
    child_reader_stop(reader);
    child_reader_destroy(reader);
    child_reader_stop(NULL);
    child_reader_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_reads_when_asked),
        cmocka_unit_test(a_question_may_have_details),
        cmocka_unit_test(answers_are_fetched_later),
        cmocka_unit_test(a_status_is_passed_on),
        cmocka_unit_test(a_crash_is_one_line),
        cmocka_unit_test(reading_without_progress_is_ended),
        cmocka_unit_test(a_reader_that_was_not_asked_can_be_stopped),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
