/*
 * test_remote_limits.c - files of what users may use.
 */
#include "dispatcher/remote/remote_limits.h"
#include "tests/support/captured_log.h"
#include "tests/support/unit_test.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];
static const user_limits_t fallback = {.n_clients = 8, .weight = 1};

static void write_limits(const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void assert_refused(const char *text, const char *why)
{
    remote_limits_t l;

    write_limits(text);
    capture_start();
    assert_int_equal(remote_limits_read(path, &fallback, &l), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged(why);
}

static void users_have_their_limits(void **state)
{
    remote_limits_t l;
    user_limits_t u;

    (void)state;
    write_limits("# limits\nalice clients=4 memory=16G weight=2\n1000\tdevice-memory=8G\n"
                 "* clients=2 memory=1G\n");
    assert_int_equal(remote_limits_read(path, &fallback, &l), ST_OK);
    u = remote_limits_of(&l, "alice", &fallback);
    assert_int_equal(u.n_clients, 4);
    assert_int_equal(u.memory_bytes, (int64_t)4 << 30);
    assert_int_equal(u.device_bytes, 0);
    assert_float_equal(u.weight, 2, 0);
    u = remote_limits_of(&l, "user 1000", &fallback);
    assert_int_equal(u.n_clients, 2);
    assert_int_equal(u.memory_bytes, (int64_t)1 << 29);
    assert_int_equal(u.device_bytes, (int64_t)4 << 30);
    assert_float_equal(u.weight, 1, 0);
    u = remote_limits_of(&l, "user 7", &fallback);
    assert_int_equal(u.n_clients, 2);
    assert_int_equal(u.device_bytes, 0);
    remote_limits_free(&l);
    u = remote_limits_of(&l, "alice", &fallback);
    assert_int_equal(u.n_clients, 8);
    assert_int_equal(u.memory_bytes, 0);
}

static void what_is_no_limit_is_refused(void **state)
{
    (void)state;
    assert_refused("alice device-memory=4G\n",
                   "alice has 512 MiB of device-memory for each of 8 clients; give at "
                   "least 1 GiB for each");
    assert_refused("alice clients\n", ":1: 'clients': give clients=1 to 64");
    assert_refused("\nalice clients=0\n", ":2: 'clients=0': give");
    assert_refused("alice clients=65\n", "'clients=65'");
    assert_refused("alice memory=1X\n", "'memory=1X'");
    assert_refused("alice memory=0\n", "'memory=0'");
    assert_refused("alice weight=0\n", "'weight=0'");
    assert_refused("alice weight=nan\n", "'weight=nan'");
    assert_refused("alice wieght=2\n", "'wieght=2'");
    assert_refused("alice weight=2\nalice weight=3\n", ":2: alice has a line above");
    assert_refused("abcdefghijklmnopqrstuvwxyz0123456789 weight=2\n", "is no user");
    assert_refused("alice,clients=1\n", "'alice,clients=1' is no user: give the name");
    assert_refused("  # nobody\n", "'#' is no user");
    assert_refused("# nobody\n\n", "no user is named; give a line for *");
    assert_refused("alice weight=2 weight=3\n", "'weight=3': give");
    assert_refused("alice clients=1 clients=4\n", "'clients=4': give");
    /* less than a byte for each would be no limit */
    assert_refused("* clients=64 device-memory=63\n", "* has 1 byte of device-memory");
    assert_refused("alice memory=7\n", "alice has 1 byte of memory for each of 8");
}

/* Each client would wait for one who writes. */
static void what_cannot_be_read_again_is_refused(void **state)
{
    remote_limits_t l;

    (void)state;
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    capture_start();
    assert_int_equal(remote_limits_read(path, &fallback, &l), ST_EINPUT);
    capture_stop();
    assert_logged("limits are read again for each client; give a regular file");
}

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "/tmp/ribogrid_limits.%d", (int)getpid());
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_have_their_limits),
        cmocka_unit_test(what_is_no_limit_is_refused),
        cmocka_unit_test(what_cannot_be_read_again_is_refused),
    };

    return cmocka_run_group_tests(tests, make_path, remove_path);
}
