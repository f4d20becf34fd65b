/*
 * test_child.c - a child's exit code and signals are its parent's, and its crash, endless
 * loop or hunger for memory is one line.
 */
#include "tests/support/unit_test.h"

#include "io/base/child.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "tests/support/captured_log.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static const int64_t machine_bytes = INT64_C(1) << 40;
static const child_limits_t plenty = {.memory_bytes = INT64_C(1) << 40, .seconds = 60};

/* Sanitizers catch crashes themselves, and need more memory than any limit. */
#if defined(__SANITIZE_ADDRESS__)
#define SKIP_IF_SANITIZED() skip()
#else
#define SKIP_IF_SANITIZED() ((void)0)
#endif

static int count_words(int argc, char **argv)
{
    (void)argv;
    return argc;
}

static int crash(int argc, char **argv)
{
    (void)argc;
    child_reads(argv[0]);
    signal(SIGSEGV, SIG_DFL); /* cmocka handles it */
    raise(SIGSEGV);
    return 0;
}

/* Compute for more than the time that the tests allow without progress. */
static int compute(void (*every_turn)(void))
{
    struct timespec now;

    do {
        every_turn();
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    } while (now.tv_sec < 1 || now.tv_nsec < 200000000);
    return 7;
}

static void do_nothing(void)
{
}

static int stall(int argc, char **argv)
{
    (void)argc;
    child_reads(argv[0]);
    return compute(do_nothing);
}

static int progress(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return compute(child_tick);
}

static int wait_a_moment(int argc, char **argv)
{
    struct timespec rest = {.tv_sec = 1, .tv_nsec = 200000000};

    (void)argc;
    (void)argv;
    nanosleep(&rest, NULL);
    return 7;
}

static int wait_for_ever(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    while (pause() == -1)
        continue;
    return 0;
}

static int allocate(int argc, char **argv)
{
    void *memory = malloc((size_t)1 << 30);

    (void)argc;
    (void)argv;
    if (memory == NULL)
        return status_exit_code(log_nomem("everything"));
    free(memory);
    return 0;
}

static int die_by(int argc, char **argv)
{
    (void)argv;
    raise(argc);
    return 0;
}

static int limits_are_low(int argc, char **argv)
{
    struct rlimit core, stack;

    (void)argc;
    (void)argv;
    getrlimit(RLIMIT_CORE, &core);
    getrlimit(RLIMIT_STACK, &stack);
    return core.rlim_cur == 0 && stack.rlim_cur <= 64 << 20;
}

static char *words[] = {"x.h5", NULL};

static int run_captured(child_limits_t limits, int (*fn)(int, char **))
{
    int code;

    capture_start();
    code = child_run(&limits, fn, 1, words);
    capture_stop();
    return code;
}

static void the_exit_code_is_the_childs(void **state)
{
    (void)state;
    for (int code = 0; code < 256; code += 51)
        assert_int_equal(child_run(&plenty, count_words, code, words), code);
}

static void a_crash_is_one_line_with_the_file(void **state)
{
    (void)state;
    SKIP_IF_SANITIZED();
    assert_int_equal(run_captured(plenty, crash), EXIT_FAILED);
    assert_logged("x.h5: reading it ended in a crash, probably inside HDF5 (signal 11, "
                  "Segmentation fault): the file is damaged; copy it again or make it "
                  "again");
    assert_logged_one_line();
}

static void computing_without_progress_is_ended(void **state)
{
    (void)state;
    setenv("RIBOGRID_STALL_SECONDS", "0.2", 1);
    assert_int_equal(run_captured(plenty, stall), EXIT_FAILED);
    unsetenv("RIBOGRID_STALL_SECONDS");
    assert_logged("x.h5: no progress in 0.2 s of computing: the file is damaged");
    assert_logged_one_line();
}

static void progress_and_waiting_are_not(void **state)
{
    (void)state;
    setenv("RIBOGRID_STALL_SECONDS", "1", 1); /* starting may take a while */
    assert_int_equal(run_captured(plenty, progress), 7);
    assert_logged_nothing();
    assert_int_equal(run_captured(plenty, wait_a_moment), 7);
    unsetenv("RIBOGRID_STALL_SECONDS");
    assert_logged_nothing();
}

static void an_allocation_above_the_limit_fails(void **state)
{
    (void)state;
    SKIP_IF_SANITIZED();
    assert_int_equal(run_captured(plenty, allocate), 0);
    assert_int_equal(run_captured((child_limits_t){.memory_bytes = INT64_C(256) << 20,
                                                   .seconds = 60},
                                  allocate),
                     EXIT_FAILED);
    assert_logged("out of memory for everything");
    assert_logged_one_line();
}

static void a_child_leaves_no_core_and_has_a_finite_stack(void **state)
{
    (void)state;
    SKIP_IF_SANITIZED();
    assert_int_equal(child_run(&plenty, limits_are_low, 0, NULL), 1);
}

static void a_child_killed_from_outside_is_one_line(void **state)
{
    (void)state;
    capture_start();
    assert_int_equal(child_run(&plenty, die_by, SIGKILL, NULL), EXIT_FAILED);
    capture_stop();
    assert_logged("was killed (signal 9, Killed)");
    assert_logged_one_line();
}

/* @return the status of a process that runs fn in a child and gets a signal, 0: none */
static int status_of_parent(int (*fn)(int, char **), int argc, int sent)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        for (int number = 1; number < NSIG; number++)
            signal(number, SIG_DFL); /* background_make */
        _exit(child_run(&plenty, fn, argc, words));
    }
    assert_true(pid > 0);
    if (sent != 0) {
        usleep(200000);
        kill(pid, sent);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void a_childs_end_by_a_signal_is_the_parents(void **state)
{
    static const int numbers[] = {SIGPIPE, SIGINT, SIGTERM, SIGXCPU};

    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        int status = status_of_parent(die_by, numbers[i], 0);

        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
    }
}

static void a_signal_to_the_parent_reaches_the_child(void **state)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        int status = status_of_parent(wait_for_ever, 1, numbers[i]);

        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
    }
}

/* In a child: report its process id through the descriptor argc, then wait. */
static int tell_and_wait(int argc, char **argv)
{
    pid_t pid = getpid();

    (void)argv;
    return write(argc, &pid, sizeof(pid)) == sizeof(pid) ? wait_for_ever(0, NULL) : 1;
}

static void a_child_dies_with_its_parent(void **state)
{
    int ends[2], status;
    pid_t parent, child;
    char byte;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    if ((parent = fork()) == 0) {
        close(ends[0]);
        _exit(child_run(&plenty, tell_and_wait, ends[1], words));
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &child, sizeof(child)), sizeof(child));
    kill(parent, SIGKILL);
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* the child's end is closed, too */
    close(ends[0]);
}

static void large_files_raise_the_limits(void **state)
{
    enum { FILE_BYTES = 1 << 20 };
    char path[PATH_BYTES], option[PATH_BYTES + 16];
    char *line[] = {"cluster", path, option, "--id", "0.97", "missing.h5"};
    const child_limits_t none = child_limits(1, line, machine_bytes);
    child_limits_t one, two;

    (void)state;
    dir_file("x.h5", path);
    dir_put(path, words, 5);
    snprintf(option, sizeof(option), "--count-table=%s", path);
    assert_true(none.memory_bytes >= INT64_C(2) << 30 && none.seconds == 20);
    one = child_limits(2, line, machine_bytes);
    assert_int_equal(one.memory_bytes, none.memory_bytes); /* 2 GiB are enough */
    assert_int_equal(truncate(path, FILE_BYTES), 0);
    one = child_limits(2, line, machine_bytes);
    two = child_limits(6, line, machine_bytes);
    assert_int_equal(one.memory_bytes - none.memory_bytes, INT64_C(6) << 30);
    assert_int_equal(two.memory_bytes - one.memory_bytes, INT64_C(8) << 30);
    assert_true(one.seconds == 20.25 && two.seconds == 20.5);
    assert_int_equal(child_limits(6, line, 1 << 20).memory_bytes, 1 << 20);
    assert_int_equal(child_limits(6, line, none.memory_bytes + 3).memory_bytes,
                     none.memory_bytes + 3);
    unlink(path);
}

/* Compute a twentieth of the time, as on a busy machine. */
static int compute_slowly(int argc, char **argv)
{
    struct timespec now, end;

    (void)argc;
    child_reads(argv[0]);
    clock_gettime(CLOCK_MONOTONIC, &end);
    do {
        const struct timespec rest = {.tv_nsec = 19000000};
        clock_t begin = clock();

        while (clock() - begin < CLOCKS_PER_SEC / 1000)
            continue;
        nanosleep(&rest, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - end.tv_sec < 20);
    return 7;
}

static void a_busy_machine_does_not_raise_the_time(void **state)
{
    const double begin = clock_now_s();

    (void)state;
    assert_int_equal(run_captured((child_limits_t){.memory_bytes = machine_bytes,
                                                   .seconds = 1},
                                  compute_slowly),
                     EXIT_FAILED);
    assert_logged("x.h5: no progress in 1 s of computing: the file is damaged");
    assert_true(clock_now_s() - begin < 10);
}

/* A shell that starts a job in the background has it ignore these signals. */
static int background_make(void **state)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    return dir_make(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exit_code_is_the_childs),
        cmocka_unit_test(a_crash_is_one_line_with_the_file),
        cmocka_unit_test(computing_without_progress_is_ended),
        cmocka_unit_test(progress_and_waiting_are_not),
        cmocka_unit_test(an_allocation_above_the_limit_fails),
        cmocka_unit_test(a_child_leaves_no_core_and_has_a_finite_stack),
        cmocka_unit_test(a_child_killed_from_outside_is_one_line),
        cmocka_unit_test(a_childs_end_by_a_signal_is_the_parents),
        cmocka_unit_test(a_signal_to_the_parent_reaches_the_child),
        cmocka_unit_test(a_child_dies_with_its_parent),
        cmocka_unit_test(large_files_raise_the_limits),
        cmocka_unit_test(a_busy_machine_does_not_raise_the_time),
    };

    return cmocka_run_group_tests(tests, background_make, dir_remove);
}
