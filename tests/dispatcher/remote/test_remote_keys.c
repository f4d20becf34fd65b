/*
 * test_remote_keys.c - files of users and their keys.
 */
#include "dispatcher/remote/remote_keys.h"
#include "tests/support/captured_log.h"
#include "tests/support/unit_test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000"

static char path[64];

static void write_keys(const char *text, mode_t mode)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void assert_refused(const char *text, mode_t mode, const char *why)
{
    remote_keys_t keys;

    write_keys(text, mode);
    capture_start();
    assert_int_equal(remote_keys_read(path, &keys), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged(why);
}

static void names_have_their_keys(void **state)
{
    remote_keys_t keys;

    (void)state;
    write_keys("# keys\n\nalice " ZEROS "1ff\nb-o.b_2\t" ZEROS "abc", 0600);
    assert_int_equal(remote_keys_read(path, &keys), ST_OK);
    assert_int_equal(keys.n, 2);
    assert_int_equal(remote_keys_find(&keys, "alice")->key[31], 0xff);
    assert_int_equal(remote_keys_find(&keys, "alice")->key[30], 0x01);
    assert_int_equal(remote_keys_find(&keys, "b-o.b_2")->key[31], 0xbc);
    assert_null(remote_keys_find(&keys, "carol"));
    assert_null(remote_keys_find(&keys, ""));
    remote_keys_free(&keys);
    assert_null(keys.at);
}

static void what_is_no_key_is_refused(void **state)
{
    (void)state;
    assert_refused("alice\n", 0600, ":1: give a name");
    assert_refused("alice " ZEROS "1f\n", 0600, ":1: give a name");
    assert_refused("alice " ZEROS "1fff\n", 0600, ":1: give a name");
    assert_refused("alice " ZEROS "1fg\n", 0600, ":1: give a name");
    assert_refused("# x\nal/ice " ZEROS "1ff\n", 0600, ":2: give a name");
    assert_refused("a-name-of-more-than-32-characters " ZEROS "1ff\n", 0600, ":1: give");
    assert_refused("a " ZEROS "1ff\na " ZEROS "2ff\n", 0600, ":2: a has a key above");
    assert_refused("# nobody\n", 0600, "there is no key");
}

static void what_others_can_read_is_refused(void **state)
{
    static const mode_t modes[] = {0640, 0604, 0620, 0602, 0610};

    (void)state;
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
        assert_refused("alice " ZEROS "1ff\n", modes[i], "chmod 600");
}

static void new_keys_are_random_and_private(void **state)
{
    remote_keys_t keys;
    struct stat info;

    (void)state;
    unlink(path);
    assert_int_equal(remote_keys_add(path, "alice"), ST_OK);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(truncate(path, info.st_size - 1), 0); /* an editor left it out */
    assert_int_equal(remote_keys_add(path, "bob"), ST_OK);
    capture_start();
    assert_int_equal(remote_keys_add(path, "alice"), ST_EUSAGE);
    assert_int_equal(remote_keys_add(path, "a b"), ST_EUSAGE);
    capture_stop();
    assert_int_equal(remote_keys_read(path, &keys), ST_OK);
    assert_int_equal(keys.n, 2);
    assert_string_equal(keys.at[1].name, "bob");
    assert_memory_not_equal(keys.at[0].key, keys.at[1].key, KEY_BYTES);
    remote_keys_free(&keys);
}

static void the_path_is_that_which_is_given(void **state)
{
    char found[64];

    (void)state;
    setenv("HOME", "/home/alice", 1);
    setenv("RIBOGRID_KEYS", "/keys", 1);
    assert_int_equal(remote_keys_path("x", found, sizeof(found)), ST_OK);
    assert_string_equal(found, "x");
    assert_int_equal(remote_keys_path(NULL, found, sizeof(found)), ST_OK);
    assert_string_equal(found, "/keys");
    unsetenv("RIBOGRID_KEYS");
    assert_int_equal(remote_keys_path(NULL, found, sizeof(found)), ST_OK);
    assert_string_equal(found, "/home/alice/.config/ribogrid/keys");
    unsetenv("HOME");
    capture_start();
    assert_int_equal(remote_keys_path(NULL, found, sizeof(found)), ST_EUSAGE);
    capture_stop();
    assert_logged_one_line();
}

static int remove_keys(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_their_keys),
        cmocka_unit_test(what_is_no_key_is_refused),
        cmocka_unit_test(what_others_can_read_is_refused),
        cmocka_unit_test(new_keys_are_random_and_private),
        cmocka_unit_test(the_path_is_that_which_is_given),
    };

    snprintf(path, sizeof(path), "/tmp/ribogrid-keys.%d", (int)getpid());
    return cmocka_run_group_tests(tests, NULL, remove_keys);
}
