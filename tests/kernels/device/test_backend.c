/*
 * test_backend.c - rows are found by name and kind of device, other names are refused
 * with those that there are, and the CPU takes over from a GPU that cannot.
 */
#include "tests/support/unit_test.h"

#include "io/base/logmsg.h"
#include "kernels/device/backend.h"
#include "tests/support/captured_log.h"

static const backend_t fast_gpu = {"fast", DEVICE_CUDA, 1e9},
                       other_gpu = {"other", DEVICE_CUDA, 1e8},
                       fast_cpu = {"fast", DEVICE_CPU, 1e7},
                       plain_cpu = {"plain", DEVICE_CPU, 1e6};
static const backend_t *const rows[] = {&fast_gpu, &other_gpu, &fast_cpu, &plain_cpu,
                                        NULL};

/* A context lists what rows do with it. */
typedef struct {
    const backend_t *refuses[3];   /* then NULL */
    const backend_t *no_memory[3]; /* likewise */
} made_t;

static bool lists(const backend_t *const *list, const backend_t *row)
{
    for (; *list != NULL; list++)
        if (*list == row)
            return true;
    return false;
}

static bool takes(const backend_t *row, const void *context)
{
    return !lists(((const made_t *)context)->refuses, row);
}

/* The state is the row. */
static status_t create(const backend_t *row, const void *context, void **state)
{
    if (lists(((const made_t *)context)->no_memory, row))
        return ST_EDEVICE;
    *(const backend_t **)state = row;
    return ST_OK;
}

static void refuse(const void *context)
{
    (void)context;
    log_error("no row takes it");
}

static const backend_table_t table = {"made", rows, takes, create, refuse};

static device_t device; /* of the last open_on */

/* @param may_change  whether the CPU may take over
 * @return the row, or NULL after an error @param st  out */
static const backend_t *open_on(device_kind_t kind, bool may_change, const char *name,
                                const made_t *context, status_t *st)
{
    const backend_request_t request = {.name = name,
                                       .device = &device,
                                       .fallback = may_change ? &device : NULL,
                                       .what = "such tests"};
    const backend_t *row = NULL;
    void *state = NULL;

    device = (device_t){.kind = kind, .name = "made-up device"};
    capture_start();
    *st = backend_open(&table, &request, context, &row, &state);
    capture_stop();
    assert_ptr_equal(state, row);
    return row;
}

static void a_row_belongs_to_its_kind_of_device(void **state)
{
    (void)state;
    assert_ptr_equal(backend_find(&table, "fast", DEVICE_CUDA), &fast_gpu);
    assert_ptr_equal(backend_find(&table, "fast", DEVICE_CPU), &fast_cpu);
    assert_ptr_equal(backend_find(&table, "plain", DEVICE_CPU), &plain_cpu);
    assert_null(backend_find(&table, "plain", DEVICE_CUDA));
    assert_null(backend_find(&table, "fas", DEVICE_CPU));
    assert_ptr_equal(backend_find(&table, "auto", DEVICE_CPU), &fast_cpu);
    assert_ptr_equal(backend_find(&table, NULL, DEVICE_CUDA), &fast_gpu);
}

static void a_name_tells_the_kinds_of_devices(void **state)
{
    (void)state;
    assert_int_equal(backend_kinds(&table, "fast"),
                     DEVICE_BIT(DEVICE_CPU) | DEVICE_BIT(DEVICE_CUDA));
    assert_int_equal(backend_kinds(&table, "other"), DEVICE_BIT(DEVICE_CUDA));
    assert_int_equal(backend_kinds(&table, "slow"), 0);
    assert_string_equal(backend_name_on(&table, "plain", DEVICE_CPU), "plain");
    assert_null(backend_name_on(&table, "plain", DEVICE_CUDA));
}

static void a_rate_counts_for_a_gpu_or_for_each_thread(void **state)
{
    pool_t *pool;

    (void)state;
    assert_int_equal(pool_create(3, &pool), ST_OK);
    assert_float_equal(backend_rate(&fast_gpu, pool), 1e9, 0);
    assert_float_equal(backend_rate(&fast_cpu, pool), 3e7, 0);
    assert_float_equal(backend_rate(&fast_cpu, NULL), 1e7, 0);
    pool_destroy(pool);
}

static void another_name_is_refused_with_those_of_the_device(void **state)
{
    const made_t all = {{NULL}, {NULL}};
    status_t st;

    (void)state;
    assert_null(open_on(DEVICE_CPU, true, "slow", &all, &st));
    assert_int_equal(st, ST_EUSAGE);
    assert_logged_one_line();
    assert_logged("--kernel slow: no such kernel for this device; choose from: auto fast "
                  "plain");
}

static void the_first_row_that_takes_it_is_chosen(void **state)
{
    const made_t all = {{NULL}, {NULL}}, not_fast = {{&fast_gpu, NULL}, {NULL}};
    status_t st;

    (void)state;
    assert_ptr_equal(open_on(DEVICE_CUDA, true, "auto", &all, &st), &fast_gpu);
    assert_ptr_equal(open_on(DEVICE_CUDA, true, "auto", &not_fast, &st), &other_gpu);
    assert_int_equal(device.kind, DEVICE_CUDA);
    assert_logged_nothing();
}

static void the_cpu_takes_over_where_the_gpu_has_no_row(void **state)
{
    const made_t none = {{&fast_gpu, &other_gpu, NULL}, {NULL}};
    status_t st;

    (void)state;
    assert_ptr_equal(open_on(DEVICE_CUDA, true, NULL, &none, &st), &fast_cpu);
    assert_int_equal(device.kind, DEVICE_CPU);
    assert_logged_one_line();
    assert_logged("made-up device has no kernel for such tests; the CPU computes them, "
                  "with kernel fast");
    assert_null(open_on(DEVICE_CUDA, false, NULL, &none, &st));
    assert_int_equal(st, ST_EUSAGE);
    assert_int_equal(device.kind, DEVICE_CUDA);
    assert_logged("no row takes it");
}

static void the_cpu_takes_over_where_the_gpu_has_too_little_memory(void **state)
{
    const made_t large = {{NULL}, {&fast_gpu, NULL}};
    status_t st;

    (void)state;
    assert_ptr_equal(open_on(DEVICE_CUDA, true, NULL, &large, &st), &fast_cpu);
    assert_logged("made-up device has too little memory for such tests; the CPU computes "
                  "them, with kernel fast");
    assert_null(open_on(DEVICE_CUDA, false, NULL, &large, &st));
    assert_int_equal(st, ST_EDEVICE);
}

static void the_cpu_forgets_a_name_that_only_the_gpu_has(void **state)
{
    const made_t large = {{NULL}, {&other_gpu, NULL}};
    status_t st;

    (void)state;
    assert_ptr_equal(open_on(DEVICE_CUDA, true, "other", &large, &st), &fast_cpu);
}

static void nothing_takes_over_from_the_cpu(void **state)
{
    const made_t large = {{NULL}, {&fast_cpu, NULL}};
    status_t st;

    (void)state;
    assert_null(open_on(DEVICE_CPU, true, NULL, &large, &st));
    assert_int_equal(st, ST_EDEVICE);
    assert_logged_nothing();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_belongs_to_its_kind_of_device),
        cmocka_unit_test(a_name_tells_the_kinds_of_devices),
        cmocka_unit_test(a_rate_counts_for_a_gpu_or_for_each_thread),
        cmocka_unit_test(another_name_is_refused_with_those_of_the_device),
        cmocka_unit_test(the_first_row_that_takes_it_is_chosen),
        cmocka_unit_test(the_cpu_takes_over_where_the_gpu_has_no_row),
        cmocka_unit_test(the_cpu_takes_over_where_the_gpu_has_too_little_memory),
        cmocka_unit_test(the_cpu_forgets_a_name_that_only_the_gpu_has),
        cmocka_unit_test(nothing_takes_over_from_the_cpu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
