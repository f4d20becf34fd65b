/*
 * test_clock_guard.c - a locked clock is given back at the end, also of a process that is
 * stopped or killed; a GPU whose clocks may not be locked.
 *
 * The library in the place of NVML (nvml_stub.c) notes all changes of clocks in a file.
 */
#include "tests/support/unit_test.h"

#include "cnn/energy/energy_meter.h"
#include "tests/support/captured_log.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static const device_t gpu = {.kind = DEVICE_CUDA, .uuid = "GPU-stub"};
static char noted[PATH_BYTES];

static int begin(void **state)
{
    (void)state;
    dir_file("clocks.log", noted);
    setenv("NVML_STUB_LOG", noted, 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(noted);
    unsetenv("NVML_STUB_REFUSES");
    return 0;
}

/* Wait for the file's text, 5 s at most. */
static void expect_noted(const char *want)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    bool is_equal = false;

    for (int i = 0; i < 500 && !is_equal; i++) {
        size_t len = 0;
        unsigned char *text = access(noted, F_OK) == 0 ? dir_get(noted, &len) : NULL;

        is_equal = text != NULL && len == strlen(want) && memcmp(text, want, len) == 0;
        free(text);
        if (!is_equal)
            nanosleep(&pause, NULL);
    }
    assert_true(is_equal);
}

/* Lock a clock in a new group of processes, and end by a signal. */
static void end_by(int number)
{
    clock_guard_t *guard;
    energy_meter_t *meter;
    pid_t process;
    int how;

    fflush(NULL);
    if ((process = fork()) == 0) {
        if (setpgid(0, 0) != 0 || clock_guard_start(&guard) != ST_OK ||
            energy_meter_create(&gpu, &meter) != ST_OK ||
            clock_guard_arm(guard, gpu.uuid) != ST_OK ||
            energy_meter_lock_clock(meter, 1200) != ST_OK)
            _exit(1);
        signal(number, SIG_DFL);
        kill(number == SIGKILL ? getpid() : 0, number); /* as a terminal does */
        pause();
    }
    assert_int_equal(waitpid(process, &how, 0), process);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == number);
}

static void a_stopped_process_gives_its_clock_back(void **state)
{
    (void)state;
    end_by(SIGTERM);
    expect_noted("core 1200\ncore 0\n");
}

static void an_interrupted_process_gives_its_clock_back(void **state)
{
    (void)state;
    end_by(SIGINT);
    expect_noted("core 1200\ncore 0\n");
}

static void a_killed_process_gives_its_clock_back(void **state)
{
    (void)state;
    end_by(SIGKILL);
    expect_noted("core 1200\ncore 0\n");
}

static void clocks_are_given_back_once(void **state)
{
    clock_guard_t *guard;
    energy_meter_t *meter;

    (void)state;
    assert_int_equal(clock_guard_start(&guard), ST_OK);
    assert_int_equal(energy_meter_create(&gpu, &meter), ST_OK);
    assert_int_equal(clock_guard_arm(guard, gpu.uuid), ST_OK);
    assert_int_equal(energy_meter_lock_clock(meter, 900), ST_OK);
    assert_true(energy_meter_clock_mhz(meter) == 900);
    assert_int_equal(energy_meter_lock_clock(meter, 1200), ST_OK);
    energy_meter_destroy(meter);
    clock_guard_end(guard);
    expect_noted("core 900\ncore 1200\ncore 0\n");
}

static void a_guard_without_orders_does_nothing(void **state)
{
    clock_guard_t *guard;

    (void)state;
    assert_int_equal(clock_guard_start(&guard), ST_OK);
    clock_guard_end(guard);
    clock_guard_end(NULL);
    assert_int_not_equal(access(noted, F_OK), 0);
}

static void a_missing_permission_is_one_line(void **state)
{
    energy_meter_t *meter;

    (void)state;
    setenv("NVML_STUB_REFUSES", "1", 1);
    assert_int_equal(energy_meter_create(&gpu, &meter), ST_OK);
    capture_start();
    assert_int_equal(energy_meter_lock_clock(meter, 1200), ST_EDEVICE);
    capture_stop();
    assert_logged("at 1200 MHz: Insufficient Permissions; run as root");
    assert_logged_one_line();
    energy_meter_destroy(meter);
    assert_int_not_equal(access(noted, F_OK), 0);
}

static void a_cpu_has_no_clock_to_lock(void **state)
{
    const device_t cpu = {.kind = DEVICE_CPU};
    energy_meter_t *meter;

    (void)state;
    assert_int_equal(energy_meter_create(&cpu, &meter), ST_OK);
    capture_start();
    assert_int_equal(energy_meter_lock_clock(meter, 1200), ST_EDEVICE);
    capture_stop();
    assert_logged("because the device is a CPU; leave out --clocks");
    energy_meter_destroy(meter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_stopped_process_gives_its_clock_back, begin,
                                        end),
        cmocka_unit_test_setup_teardown(an_interrupted_process_gives_its_clock_back,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_killed_process_gives_its_clock_back, begin,
                                        end),
        cmocka_unit_test_setup_teardown(clocks_are_given_back_once, begin, end),
        cmocka_unit_test_setup_teardown(a_guard_without_orders_does_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_missing_permission_is_one_line, begin, end),
        cmocka_unit_test_setup_teardown(a_cpu_has_no_clock_to_lock, begin, end),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
