/*
 * test_remote_admin.c - requests to a server: what it answers and orders, whatever its
 * processes say of themselves.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/remote/remote_admin.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RUNS = 4, ANSWER_BYTES = 8192 };

static remote_page_t pages[RUNS];
static admin_run_t runs[RUNS];
static uint64_t locked;
static char answer[ANSWER_BYTES];

/* A run of a user: process 100 + i on a device. */
static void set_run(int i, const char *user, uint64_t number, int device, bool is_busy,
                    double left_s)
{
    pages[i] = (remote_page_t){.device = device,
                               .rank = 10 + i,
                               .is_busy = is_busy,
                               .run = number,
                               .left_ms = (int64_t)(left_s * 1000),
                               .job = "cnn train"};
    runs[i] = (admin_run_t){.pid = 100 + i,
                            .user = user,
                            .since_s = clock_now_s(),
                            .page = &pages[i]};
}

/* @return the answer to a request about the first n runs */
static const char *ask(const char *request, int n)
{
    int ends[2];
    ssize_t len;

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_true(write(ends[0], request, strlen(request)) >= 0);
    shutdown(ends[0], SHUT_WR);
    remote_admin_answer(ends[1], runs, n, &locked);
    len = read(ends[0], answer, sizeof(answer) - 1);
    close(ends[0]);
    answer[len > 0 ? len : 0] = '\0';
    return answer;
}

static int begin(void **state)
{
    (void)state;
    locked = 0;
    log_set_level(LOG_QUIET);
    return 0;
}

static void runs_are_listed(void **state)
{
    (void)state;
    set_run(0, "alice", 1, 0, true, 5);
    set_run(1, "alice", 1, 1, false, -1);
    set_run(2, "bob", 2, -1, false, -1); /* its client has not said what it wants */
    locked = 2;
    assert_string_equal(ask("list\n", 3),
                        "+device\tuser\tprocess\tcommand\tdone\tseconds\tstate\n"
                        "0\talice\t100\tcnn train\t0\t0\tcomputes\n"
                        "1\talice\t101\tcnn train\t0\t0\tleaves\n"
                        "1\t-\t-\t-\t-\t-\tlocked\n");
}

static void what_processes_say_is_bounded(void **state)
{
    (void)state;
    set_run(0, "eve", 1, 1000000, true, 9e15);
    set_run(1, "eve", 1, 5, true, -9e15);
    memset(pages[1].job, '\n', sizeof(pages[1].job));
    assert_non_null(strstr(ask("list\n", 2), "\n5\teve\t101\t?????"));
    assert_int_equal(strlen(strchr(answer, '?')),
                     strspn(strchr(answer, '?'), "?") + strlen("\t0\t0\tcomputes\n"));
    assert_string_equal(ask("rebalance time\n", 2), "+0\n");
    assert_string_equal(ask("drain ffffffffffffffff\n", 2), "+1\n");
}

static void drained_devices_are_locked_for_all(void **state)
{
    (void)state;
    set_run(0, "alice", 1, 0, true, 5);
    set_run(1, "bob", 2, 1, true, 5);
    assert_string_equal(ask("drain 1\n", 2), "+1\n");
    assert_true(locked == 1 && pages[0].locked == 1 && pages[1].locked == 1);
    assert_string_equal(ask("unlock 1\n", 2), "+1\n");
    assert_true(locked == 0 && pages[0].locked == 0);
}

static void other_requests_are_refused(void **state)
{
    static const char *const wrong[] = {"drain\n",        "drain x\n", "drain 1 2\n",
                                        "rebalance\n",    "move\n",    "move 1x\n",
                                        "list of runs\n", "\n"};

    (void)state;
    set_run(0, "alice", 1, 0, true, 5);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_int_equal(ask(wrong[i], 1)[0], '-');
    assert_string_equal(ask("", 1), "");
    assert_string_equal(ask("list", 1), ""); /* not a line */
    assert_string_equal(
        ask("listlistlistlistlistlistlistlistlistlistlistlistlistlistlistlistlist\n", 1),
        "");
}

static void a_run_that_computes_can_be_moved(void **state)
{
    (void)state;
    set_run(0, "alice", 1, 0, true, 5);
    set_run(1, "alice", 1, 1, false, -1);
    assert_string_equal(ask("move 100\n", 2), "+\n");
    assert_true(pages[0].n_moves == 1 && pages[0].to == 0);
    assert_int_equal(ask("move 101\n", 2)[0], '-');
    assert_int_equal(ask("move 7\n", 2)[0], '-');
}

static void of_two_runs_on_a_device_one_moves(void **state)
{
    (void)state;
    set_run(0, "alice", 1, 0, true, 50);
    set_run(1, "alice", 1, 1, false, -1);
    set_run(2, "bob", 2, 0, true, 50);
    set_run(3, "bob", 2, 1, false, -1);
    assert_string_equal(ask("rebalance calls\n", 4), "+1\n");
    assert_int_equal(pages[0].n_moves + pages[2].n_moves, 1);
    assert_int_equal(pages[0].n_moves == 1 ? pages[0].to : pages[2].to,
                     pages[0].n_moves == 1 ? 11 : 13);
    pages[0].n_moves = pages[2].n_moves = 0;
    assert_string_equal(ask("rebalance time\n", 4), "+1\n");
}

static void what_gains_little_stays(void **state)
{
    (void)state;
    set_run(0, "alice", 1, 0, true, 50);
    set_run(1, "alice", 1, 1, false, -1);
    assert_string_equal(ask("rebalance calls\n", 2), "+0\n");
    assert_string_equal(ask("rebalance time\n", 2), "+0\n");
    set_run(2, "bob", 2, 0, true, 5); /* which cannot move */
    assert_string_equal(ask("rebalance time\n", 3), "+0\n");
}

static void runs_of_others_are_no_places_to_move_to(void **state)
{
    (void)state;
    set_run(0, "alice", 1, 0, true, 50);
    set_run(1, "eve", 1, 1, false, -1); /* with the number of alice's run */
    set_run(2, "bob", 2, 0, true, 50);
    assert_string_equal(ask("rebalance calls\n", 3), "+0\n");
    set_run(1, "alice", 1, 1, false, -1);
    locked = 2;
    assert_string_equal(ask("rebalance calls\n", 3), "+0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(runs_are_listed, begin),
        cmocka_unit_test_setup(what_processes_say_is_bounded, begin),
        cmocka_unit_test_setup(drained_devices_are_locked_for_all, begin),
        cmocka_unit_test_setup(other_requests_are_refused, begin),
        cmocka_unit_test_setup(a_run_that_computes_can_be_moved, begin),
        cmocka_unit_test_setup(of_two_runs_on_a_device_one_moves, begin),
        cmocka_unit_test_setup(what_gains_little_stays, begin),
        cmocka_unit_test_setup(runs_of_others_are_no_places_to_move_to, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
