/*
 * test_remote_cache.c - inputs that a server keeps, and the packets that they come in.
 */
#include "dispatcher/remote/remote_cache.h"
#include "tests/support/unit_test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static remote_cache_t cache;

static int begin(void **state)
{
    (void)state;
    cache = (remote_cache_t){.max_bytes = 100};
    return 0;
}

static int end(void **state)
{
    (void)state;
    remote_cache_free(&cache);
    return 0;
}

static int make_input(int bytes, int seals)
{
    const int fd = memfd_create("test", MFD_ALLOW_SEALING);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, bytes), 0);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
}

static const unsigned char *digest(char letter)
{
    static unsigned char all[CONTROL_DIGEST_BYTES];

    memset(all, letter, sizeof(all));
    return all;
}

static void keep(const char *user, char letter, int bytes)
{
    remote_cache_keep(&cache, user, digest(letter),
                      make_input(bytes, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE));
}

static bool has(const char *user, char letter)
{
    return remote_cache_find(&cache, user, digest(letter)) >= 0;
}

static void an_input_is_its_users_only(void **state)
{
    (void)state;
    keep("alice", 'a', 10);
    assert_true(has("alice", 'a'));
    assert_false(has("bob", 'a'));
    assert_false(has("alice", 'b'));
}

static void what_is_used_longest_ago_goes_first(void **state)
{
    (void)state;
    keep("alice", 'a', 40);
    keep("alice", 'b', 40);
    assert_true(has("alice", 'a'));
    keep("alice", 'c', 40);
    assert_true(has("alice", 'a') && has("alice", 'c'));
    assert_false(has("alice", 'b'));
    assert_int_equal(cache.bytes, 80);
}

static void who_has_most_makes_room(void **state)
{
    (void)state;
    keep("bob", 'b', 20);
    keep("alice", 'a', 35);
    keep("alice", 'c', 35);
    keep("alice", 'd', 35);
    assert_true(has("bob", 'b') && has("alice", 'c') && has("alice", 'd'));
    assert_false(has("alice", 'a'));
}

static void what_others_can_change_or_is_too_large_is_not_kept(void **state)
{
    (void)state;
    remote_cache_keep(&cache, "alice", digest('a'),
                      make_input(10, F_SEAL_SHRINK | F_SEAL_GROW));
    remote_cache_keep(&cache, "alice", digest('a'), open("/dev/null", O_RDONLY));
    remote_cache_keep(&cache, "alice", digest('a'), -1);
    keep("alice", 'a', 101);
    keep("alice", 'a', 0);
    assert_int_equal(cache.n, 0);
    keep("alice", 'a', 100);
    keep("alice", 'a', 100); /* it is there */
    assert_int_equal(cache.n, 1);
}

static void packets_carry_a_descriptor(void **state)
{
    control_t sent = {.kind = CONTROL_KEEP}, got;
    int ends[2], fd;

    (void)state;
    memset(sent.user, 'x', sizeof(sent.user));
    assert_true(control_pair(ends));
    assert_int_equal(control_receive(ends[1], false, &got, &fd), 0);
    assert_true(control_send(ends[0], &sent, ends[0]));
    assert_true(control_send(ends[0], &sent, -1));
    assert_int_equal(control_receive(ends[1], false, &got, &fd), 1);
    assert_true(fd >= 0);
    assert_int_equal(got.kind, CONTROL_KEEP);
    assert_int_equal(strlen(got.user), sizeof(got.user) - 1);
    close(fd);
    assert_int_equal(control_receive(ends[1], true, &got, &fd), 1);
    assert_int_equal(fd, -1);
    assert_int_equal(send(ends[0], &sent, sizeof(sent) - 1, 0), sizeof(sent) - 1);
    assert_int_equal(control_receive(ends[1], true, &got, &fd), -1);
    close(ends[0]);
    assert_int_equal(control_receive(ends[1], true, &got, &fd), -1);
    close(ends[1]);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_input_is_its_users_only),
        TEST(what_is_used_longest_ago_goes_first),
        TEST(who_has_most_makes_room),
        TEST(what_others_can_change_or_is_too_large_is_not_kept),
        TEST(packets_carry_a_descriptor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
