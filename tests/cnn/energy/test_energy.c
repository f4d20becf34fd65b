/*
 * test_energy.c - energy from a library in the place of NVML and from files in the place
 * of RAPL's; sources that are absent.
 *
 * The library is found through LD_LIBRARY_PATH, which the test's settings give.
 */
#include "tests/support/unit_test.h"

#include "cnn/energy/energy_meter.h"
#include "tests/support/captured_log.h"

#include <math.h>
#include <sys/stat.h>
#include <time.h>

static device_t stub_gpu(void)
{
    return (device_t){.kind = DEVICE_CUDA, .uuid = "GPU-stub"};
}

static void a_gpu_of_100_watts_takes_100_joules_per_second(void **state)
{
    const struct timespec pause = {.tv_nsec = 300000000};
    const device_t gpu = stub_gpu();
    energy_meter_t *meter;
    energy_window_t w;

    (void)state;
    assert_int_equal(energy_meter_create(&gpu, &meter), ST_OK);
    assert_true(energy_meter_has_source(meter));
    energy_meter_begin(meter);
    nanosleep(&pause, NULL);
    w = energy_meter_end(meter);
    /* the counter moves in steps of 10 J, and both ends are just behind one */
    assert_true(w.gpu_j >= 30 && fmod(w.gpu_j + 0.5, 10) < 1);
    assert_true(w.seconds >= 0.3);
    assert_true(w.cpu_idle >= 0 && w.cpu_idle <= 1);
    energy_meter_destroy(meter);
}

static void what_is_measured_and_absent_is_named(void **state)
{
    device_t device = stub_gpu();
    energy_meter_t *meter;
    buf_t text = {0};

    (void)state;
    assert_int_equal(energy_meter_create(&device, &meter), ST_OK);
    assert_int_equal(energy_meter_describe(meter, &text), ST_OK);
    assert_int_equal(buf_append(&text, "", 1), ST_OK);
    assert_non_null(strstr((char *)text.data, "GPU energy: NVML's counter\n"));
    assert_non_null(strstr((char *)text.data, "cores 1500 MHz, memory 3000 MHz\n"));
    assert_non_null(strstr((char *)text.data, "error correction: on\n"));
    energy_meter_destroy(meter);
    text.len = 0;
    strcpy(device.uuid, "GPU-other");
    assert_int_equal(energy_meter_create(&device, &meter), ST_OK);
    assert_int_equal(energy_meter_describe(meter, &text), ST_OK);
    assert_int_equal(buf_append(&text, "", 1), ST_OK);
    assert_non_null(strstr((char *)text.data, "absent, because NVML: Not Found\n"));
    energy_meter_begin(meter);
    assert_true(isnan(energy_meter_end(meter).gpu_j));
    energy_meter_destroy(meter);
    buf_free(&text);
}

static void clocks_are_given_back(void **state)
{
    static const char want[] = "core 1200\nmemory 2600\ncore 0\nmemory 0\n";
    char why[NVML_WHY_BYTES], log[PATH_BYTES];
    unsigned char *text;
    nvml_t *nvml = nvml_open("GPU-stub", why);
    size_t len;

    (void)state;
    assert_non_null(nvml);
    dir_file("clocks.log", log);
    setenv("NVML_STUB_LOG", log, 1);
    assert_int_equal(nvml_lock_clocks(nvml, 1200, 2600), ST_OK);
    nvml_close(nvml);
    text = dir_get(log, &len);
    assert_int_equal(len, sizeof(want) - 1);
    assert_memory_equal(text, want, len);
    free(text);
    unlink(log);
}

/* A folder as Linux makes it, with one package and one part of it. */
static void put_package(const char *name, const char *what, const char *uj)
{
    char path[PATH_BYTES];

    dir_file(name, path);
    mkdir(path, 0700);
    strcat(path, "/name");
    dir_put(path, what, strlen(what));
    strcpy(strrchr(path, '/'), "/max_energy_range_uj");
    dir_put(path, "1000000000\n", 11);
    strcpy(strrchr(path, '/'), "/energy_uj");
    dir_put(path, uj, strlen(uj));
}

static void remove_package(const char *name)
{
    static const char *const files[] = {"name", "max_energy_range_uj", "energy_uj"};
    char path[PATH_BYTES], folder[PATH_BYTES];

    dir_file(name, folder);
    for (int i = 0; i < 3; i++) {
        assert_true(snprintf(path, sizeof(path), "%.3000s/%s", folder, files[i]) > 0);
        unlink(path);
    }
    rmdir(folder);
}

static void packages_are_added_up_and_wrap(void **state)
{
    char why[RAPL_WHY_BYTES];
    rapl_t rapl;
    double joules;

    (void)state;
    put_package("intel-rapl:0", "package-0\n", "999000000\n");
    put_package("intel-rapl:0:0", "core\n", "5\n");
    assert_true(rapl_open(&rapl, dir, why));
    assert_int_equal(rapl.n, 1);
    put_package("intel-rapl:0", "package-0\n", "2000000\n");
    assert_true(rapl_energy_j(&rapl, &joules));
    assert_true(fabs(joules - 3) < 1e-9); /* 999 to 1000, and 2 more */
    remove_package("intel-rapl:0");
    assert_false(rapl_energy_j(&rapl, &joules));
    assert_false(rapl_open(&rapl, dir, why));
    assert_non_null(strstr(why, "has no packages"));
    remove_package("intel-rapl:0:0");
    assert_false(rapl_open(&rapl, "/nonexistent", why));
    assert_non_null(strstr(why, "no RAPL on this machine"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_of_100_watts_takes_100_joules_per_second),
        cmocka_unit_test(what_is_measured_and_absent_is_named),
        cmocka_unit_test(clocks_are_given_back),
        cmocka_unit_test(packages_are_added_up_and_wrap),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
