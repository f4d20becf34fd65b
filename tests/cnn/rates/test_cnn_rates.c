/*
 * test_cnn_rates.c - times of programs from rates that are worked out by hand, and rates
 * that are kept.
 */
#include "tests/support/unit_test.h"

#include "cnn/memory/swap_program.h"
#include "cnn/rates/cnn_rates.h"
#include "tests/cnn/plan/plan_case.h"
#include "tests/support/captured_log.h"

#include <math.h>

static plan_case_t net; /* LeNet without a limit */

/* @return rates of LeNet: each of its kinds takes a second, and the whole 3 s */
static cnn_rates_t rates_on(device_kind_t device)
{
    cnn_rates_t r = {.kernel = "cpu",
                     .device = device,
                     .n_threads = 2,
                     .iteration_s = 3,
                     .in_per_s = 1e6,
                     .out_per_s = 5e5};

    for (int s = 0; s < net.program->n_steps; s++)
        r.kind_s[cnn_op_kind(net.program->steps[s].op)] = 1;
    return r;
}

/* @return the program of the least memory */
static cnn_program_t *smallest(swap_policy_t policy)
{
    const swap_opts_t opts = {.policy = policy,
                              .keep_bytes = SWAP_KEEP_BYTES,
                              .rematerialize = SWAP_REMATERIALIZE_OFF};
    cnn_program_t *p;
    swap_need_t need;

    assert_int_equal(swap_program_need(net.program, &opts, &need), ST_OK);
    assert_int_equal(swap_program_make(net.program, &opts, need.arena_bytes, &p), ST_OK);
    assert_true(swap_program_traffic(p).n_fetches > 0);
    return p;
}

static double seconds_of(const cnn_rates_t *r, const cnn_program_t *p)
{
    double seconds = NAN;

    assert_int_equal(cnn_rates_time(r, NULL, net.program, p, &seconds), ST_OK);
    return seconds;
}

static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-9 * fabs(b));
}

static void what_was_measured_takes_what_was_measured(void **state)
{
    const cnn_rates_t cpu = rates_on(DEVICE_CPU), gpu = rates_on(DEVICE_CUDA);

    (void)state;
    assert_near(seconds_of(&cpu, net.program), 3);
    assert_near(seconds_of(&gpu, net.program), 3);
}

static void a_cpu_copies_between_the_steps(void **state)
{
    const cnn_rates_t r = rates_on(DEVICE_CPU);

    (void)state;
    for (int policy = 0; policy < SWAP_N_POLICIES; policy++) {
        cnn_program_t *p = smallest((swap_policy_t)policy);
        const swap_traffic_t t = swap_program_traffic(p);

        assert_near(seconds_of(&r, p), 3 + t.in_bytes / 1e6 + t.out_bytes / 5e5);
        cnn_program_destroy(p);
    }
}

static void a_gpu_copies_beside_the_steps_unless_copies_wait(void **state)
{
    cnn_rates_t r = rates_on(DEVICE_CUDA);
    cnn_program_t *ahead = smallest(SWAP_PLAN), *demand = smallest(SWAP_DEMAND);
    const swap_traffic_t t = swap_program_traffic(ahead),
                         d = swap_program_traffic(demand);
    const double in = t.in_bytes / 1e6, out = t.out_bytes / 5e5;
    double seconds;

    (void)state;
    assert_near(seconds_of(&r, demand), 3 + d.in_bytes / 1e6 + d.out_bytes / 5e5);
    seconds = seconds_of(&r, ahead);
    assert_true(seconds < 3 + in + out);
    assert_true(seconds >= fmax(3, fmax(in, out)) * (1 - 1e-9));
    r.in_per_s = r.out_per_s = 1e30;
    assert_near(seconds_of(&r, ahead), 3);
    cnn_program_destroy(ahead);
    cnn_program_destroy(demand);
}

static void a_step_that_is_done_again_takes_its_time_again(void **state)
{
    const cnn_rates_t r = rates_on(DEVICE_CPU);
    cnn_program_t *p = smallest(SWAP_PLAN), twice = *p;
    const double once = seconds_of(&r, p);
    int pool = 0;

    (void)state;
    while (p->steps[pool].op != CNN_POOL)
        pool++;
    twice.steps = malloc((size_t)(p->n_steps + 1) * sizeof(*twice.steps));
    assert_non_null(twice.steps);
    memcpy(twice.steps, p->steps, (size_t)p->n_steps * sizeof(*p->steps));
    twice.steps[twice.n_steps++] = p->steps[pool];
    assert_true(seconds_of(&r, &twice) > once + 0.01);
    free(twice.steps);
    cnn_program_destroy(p);
}

static void copies_of_unknown_rates_have_no_time(void **state)
{
    cnn_rates_t r = rates_on(DEVICE_CPU);
    cnn_program_t *p = smallest(SWAP_PLAN);
    double seconds = 7;

    (void)state;
    r.out_per_s = 0;
    assert_int_equal(cnn_rates_time(&r, NULL, net.program, p, &seconds), ST_EUSAGE);
    assert_true(seconds == 7);
    assert_near(seconds_of(&r, net.program), 3);
    cnn_program_destroy(p);
}

static void what_is_no_rate_is_named(void **state)
{
    const cnn_rates_t good = rates_on(DEVICE_CPU);
    cnn_rates_t r = good;

    (void)state;
    assert_null(cnn_rates_check(&good, net.program));
    r.iteration_s = NAN;
    assert_string_equal(cnn_rates_check(&r, net.program), "there is no time of training");
    r = good;
    r.kind_s[CNN_KIND_CONVOLUTION] = 0;
    assert_string_equal(cnn_rates_check(&r, net.program),
                        "there is no time of convolutions");
    r = good;
    r.kind_s[CNN_KIND_POOL] = -1;
    assert_string_equal(cnn_rates_check(&r, net.program), "a time is no number above 0");
    r = good;
    r.in_per_s = INFINITY;
    assert_string_equal(cnn_rates_check(&r, net.program),
                        "a rate of copies is no number above 0");
}

static void rates_are_kept_for_their_program_and_kind_of_device(void **state)
{
    const cnn_rates_t r = rates_on(DEVICE_CPU);
    plan_case_t other = plan_case_shipped("lenet", 9, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    char path[PATH_BYTES];
    cnn_rates_t found;
    bool is_found;

    (void)state;
    assert_int_equal(setenv("RIBOGRID_CACHE", dir, 1), 0);
    assert_int_equal(cnn_rates_find(net.program, DEVICE_CPU, &found, &is_found), ST_OK);
    assert_false(is_found);
    cnn_rates_keep(&r, net.program);
    assert_int_equal(cnn_rates_find(net.program, DEVICE_CPU, &found, &is_found), ST_OK);
    assert_true(is_found);
    assert_string_equal(found.kernel, "cpu");
    assert_int_equal(found.n_threads, 2);
    assert_true(found.iteration_s == 3 && found.in_per_s == 1e6 &&
                found.out_per_s == 5e5);
    assert_memory_equal(found.kind_s, r.kind_s, sizeof(r.kind_s));
    assert_int_equal(cnn_rates_find(net.program, DEVICE_CUDA, &found, &is_found), ST_OK);
    assert_false(is_found);
    assert_int_equal(cnn_rates_find(other.program, DEVICE_CPU, &found, &is_found), ST_OK);
    assert_false(is_found);
    plan_case_free(&other);
    dir_file("rates", path);
    unlink(path);
}

/* Each damaged copy of what was kept counts as nothing. */
static void damaged_rates_are_none(void **state)
{
    static const char *const changes[][2] = {{"3 training", "nan training"},
                                             {"3 training", "-3 training"},
                                             {"3 training", "3 trainings"},
                                             {"1 convolution", "0 convolution"},
                                             {"1 pooling\n", ""},
                                             {"cpu 2", "cpu two"}};
    const cnn_rates_t r = rates_on(DEVICE_CPU);
    char path[PATH_BYTES], text[4096];
    cnn_rates_t found;
    bool is_found;
    size_t len;

    (void)state;
    dir_file("rates", path);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        unsigned char *whole;
        const char *at;

        cnn_rates_keep(&r, net.program);
        whole = dir_get(path, &len);
        at = memmem(whole, len, changes[i][0], strlen(changes[i][0]));
        assert_non_null(at);
        snprintf(text, sizeof(text), "%.*s%s%.*s", (int)(at - (char *)whole), whole,
                 changes[i][1],
                 (int)(len - (size_t)(at - (char *)whole) - strlen(changes[i][0])),
                 at + strlen(changes[i][0]));
        dir_put(path, text, strlen(text));
        assert_int_equal(cnn_rates_find(net.program, DEVICE_CPU, &found, &is_found),
                         ST_OK);
        assert_false(is_found);
        free(whole);
    }
    unlink(path);
}

static int begin(void **state)
{
    net = plan_case_shipped("lenet", 64, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    return dir_make(state);
}

static int end(void **state)
{
    plan_case_free(&net);
    return dir_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_measured_takes_what_was_measured),
        cmocka_unit_test(a_cpu_copies_between_the_steps),
        cmocka_unit_test(a_gpu_copies_beside_the_steps_unless_copies_wait),
        cmocka_unit_test(a_step_that_is_done_again_takes_its_time_again),
        cmocka_unit_test(copies_of_unknown_rates_have_no_time),
        cmocka_unit_test(what_is_no_rate_is_named),
        cmocka_unit_test(rates_are_kept_for_their_program_and_kind_of_device),
        cmocka_unit_test(damaged_rates_are_none),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
