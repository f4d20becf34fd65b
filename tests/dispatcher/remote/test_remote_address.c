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

static void a_port_is_that_of_a_server_with_tls(void **state)
{
    static const char *const bad[] = {"tls://gpu.lab/0",     "tls://:7070/0",
                                      "tls://gpu.lab:0/0",   "tls://gpu.lab:65536/0",
                                      "tls://gpu.lab:70x/0", "tls://@gpu:1/0",
                                      "tls://a b:7070/0",    "gpu.lab:7070/x",
                                      "tls://7070/0",        "tls://[::1/0"};
    char text[64];

    (void)state;
    assert_parsed("tls://gpu.lab:7070/1,gpu-2:80/0", "none", 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(list.at[i].kind, REMOTE_TLS);
    assert_string_equal(list.at[0].place, "gpu.lab:7070");
    assert_int_equal(list.at[0].index, 1);
    remote_address_text(&list.at[1], text, sizeof(text));
    assert_string_equal(text, "tls://gpu-2:80/0");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_refused(bad[i]);
}

static void assert_port(const char *text, const char *user, const char *host,
                        const char *port)
{
    remote_port_t p;

    assert_true(remote_port_parse(text, &p));
    assert_string_equal(p.user, user);
    assert_string_equal(p.host, host);
    assert_string_equal(p.port, port);
}

static void a_place_has_a_user_a_host_and_a_port(void **state)
{
    remote_port_t p;

    (void)state;
    assert_port("7070", "", "", "7070");
    assert_port("gpu.lab:7070", "", "gpu.lab", "7070");
    assert_port("alice@10.0.0.1:7070", "alice", "10.0.0.1", "7070");
    assert_port("[::1]:7070", "", "::1", "7070");
    assert_port("alice@[fe80::1%eth0]:1", "alice", "fe80::1%eth0", "1");
    assert_false(remote_port_parse("alice@7070", &p));
    assert_false(remote_port_parse("[]:7070", &p));
    assert_false(remote_port_parse("", &p));
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
        cmocka_unit_test(a_port_is_that_of_a_server_with_tls),
        cmocka_unit_test(a_place_has_a_user_a_host_and_a_port),
        cmocka_unit_test(a_path_ends_before_the_last_slash),
        cmocka_unit_test(a_host_is_a_word_for_ssh),
        cmocka_unit_test(local_and_remote_devices_stand_in_any_order),
        cmocka_unit_test(what_is_no_list_is_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
