/*
 * test_remote_address.c - lists of devices: local ones, remote ones, and what is neither.
 */
#include "dispatcher/remote/remote_address.h"
#include "tests/support/captured_log.h"
#include "tests/support/unit_test.h"

static remote_list_t list;

static void assert_parsed(const char *text, const char *local, int n)
{
    assert_true(remote_list_is(text));
    assert_int_equal(remote_list_parse(text, &list), ST_OK);
    assert_string_equal(list.local, local);
    assert_int_equal(list.n, n);
}

static void assert_refused(const char *text)
{
    capture_start();
    assert_int_equal(remote_list_parse(text, &list), ST_EUSAGE);
    capture_stop();
    assert_logged_one_line();
    assert_logged(text);
}

static void local_devices_are_no_remote_ones(void **state)
{
    static const char *const local[] = {"auto",     "cpu", "cuda", "cuda:0",
                                        "cpu,cuda", "",    "unix"};

    (void)state;
    for (size_t i = 0; i < sizeof(local) / sizeof(*local); i++)
        assert_false(remote_list_is(local[i]));
}

static void a_path_ends_before_the_last_slash(void **state)
{
    (void)state;
    assert_parsed("unix:/run/ribogrid.sock/0", "none", 1);
    assert_string_equal(list.at[0].place, "/run/ribogrid.sock");
    assert_int_equal(list.at[0].index, 0);
    assert_parsed("unix:s/12", "none", 1);
    assert_string_equal(list.at[0].place, "s");
    assert_int_equal(list.at[0].index, 12);
}

static void a_host_is_a_word_for_ssh(void **state)
{
    static const char *const bad[] = {"ssh:///0", "ssh://-oProxyCommand=x/0",
                                      "ssh://a b/0", "ssh://a;b/0", "ssh://h"};
    char text[64];

    (void)state;
    assert_parsed("ssh://me@gpu-1.lab/2", "none", 1);
    assert_int_equal(list.at[0].kind, REMOTE_SSH);
    assert_string_equal(list.at[0].place, "me@gpu-1.lab");
    remote_address_text(&list.at[0], text, sizeof(text));
    assert_string_equal(text, "ssh://me@gpu-1.lab/2");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_refused(bad[i]);
}

static void local_and_remote_devices_stand_in_any_order(void **state)
{
    (void)state;
    assert_parsed("cuda:1,unix:a/0,unix:b/1", "cuda:1", 2);
    assert_parsed("unix:a/0,cpu,unix:b/1", "cpu", 2);
    assert_string_equal(list.at[1].place, "b");
    assert_int_equal(list.at[1].index, 1);
}

static void what_is_no_list_is_refused(void **state)
{
    static const char *const bad[] = {
        "unix:a",
        "unix:/0",
        "unix:a/",
        "unix:a/x",
        "unix:a/-1",
        "unix:a/1x",
        "unix:a/1000",
        "cpu,cpu,unix:a/0",
        ",unix:a/0",
        "unix:a/0,",
        "unix:a/0,,cpu",
        "unix:a/+1",
        "unix:a/0,a-word-that-is-too-long-for-a-local-device"};
    char many[REMOTE_MAX * 10 + 20] = "unix:a/0", longest[REMOTE_PLACE_BYTES + 16];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_refused(bad[i]);
    for (int i = 0; i < REMOTE_MAX; i++)
        strcat(many, ",unix:a/0");
    capture_start();
    assert_int_equal(remote_list_parse(many, &list), ST_EUSAGE);
    capture_stop();
    memset(longest, 'x', sizeof(longest));
    memcpy(longest, "unix:", 5);
    strcpy(longest + sizeof(longest) - 3, "/0");
    capture_start();
    assert_int_equal(remote_list_parse(longest, &list), ST_EUSAGE);
    capture_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_devices_are_no_remote_ones),
        cmocka_unit_test(a_path_ends_before_the_last_slash),
        cmocka_unit_test(a_host_is_a_word_for_ssh),
        cmocka_unit_test(local_and_remote_devices_stand_in_any_order),
        cmocka_unit_test(what_is_no_list_is_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
