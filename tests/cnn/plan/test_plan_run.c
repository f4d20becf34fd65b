/*
 * test_plan_run.c - training a whole network on the backend `cpu`, against `serial` and
 * with several numbers of threads.
 */
#include "tests/support/unit_test.h"

#include <stdint.h>
#include <stdio.h>

#include "io/base/rng.h"
#include "kernels/cnn/common/cnn_backend.h"
#include "tests/cnn/plan/plan_case.h"

#include <math.h>
#include <stdlib.h>

/* With branches, a sum of gradients, and every kind of layer. */
static const char layers[] = "a = convolution 4 kernel=3 pad=1 batch-norm relu\n"
                             "b = max 3 stride=2 ceil=yes\n"
                             "b1 = convolution 2 kernel=1 relu from=b\n"
                             "b2 = convolution 2 kernel=1 relu from=b\n"
                             "b3 = convolution 4 kernel=3 pad=1 groups=2\n"
                             "b4 = max 3 stride=1 pad=1 from=b\n"
                             "c = concat from=b1,b3,b4,b\n"
                             "d = lrn\n"
                             "e = average 2 stride=1\n"
                             "f = linear 7 relu dropout\n"
                             "g = linear classes\n"
                             "h = softmax\n"
                             "[solver]\n";

enum { N_IMAGES = 5 };

typedef struct {
    plan_case_t c;
    const cnn_backend_t *backend;
    device_t device;
    pool_t *pool;
    void *state;
} net_t;

/* @param solver  lines of its settings */
static void net_create(net_t *n, const cnn_backend_t *backend, const char *solver,
                       int n_threads)
{
    char text[1024];
    cnn_context_t context;

    snprintf(text, sizeof(text), "%s%s", layers, solver);
    *n = (net_t){.backend = backend, .device = device_cpu()};
    n->c = plan_case_layers(text, N_IMAGES, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    assert_int_equal(pool_create(n_threads, &n->pool), ST_OK);
    context =
        (cnn_context_t){.device = &n->device, .pool = n->pool, .program = n->c.program};
    assert_true(backend->takes(&context));
    assert_int_equal(backend->create(&context, &n->state), ST_OK);
}

static void net_destroy(net_t *n)
{
    n->backend->destroy(n->state);
    pool_destroy(n->pool);
    plan_case_free(&n->c);
}

static const cnn_tensor_t *tensor(const net_t *n, int t)
{
    return &n->c.program->tensors[t];
}

/* @return values of a tensor; the caller frees them */
static void *net_read(const net_t *n, int t)
{
    void *values = calloc(1, cnn_tensor_bytes(tensor(n, t)));

    assert_non_null(values);
    assert_int_equal(n->backend->read(n->state, t, values), ST_OK);
    return values;
}

/* Write random numbers from -0.5 to 0.5 to all inputs and parameters. */
static void net_fill(const net_t *n)
{
    rng_t rng = rng_seed(1);

    for (int t = 0; t < n->c.program->n_tensors; t++) {
        const cnn_tensor_t *to = tensor(n, t);
        void *values = net_read(n, t);

        for (int64_t i = 0; i < cnn_tensor_n(to); i++) {
            float x = (float)(rng_next(&rng) >> 40) * 0x1p-24f - 0.5f;

            if (to->role == CNN_LABELS)
                ((int32_t *)values)[i] = (int32_t)(i % 3);
            else
                ((float *)values)[i] = x;
        }
        if (to->role <= CNN_PARAMETER)
            assert_int_equal(n->backend->write(n->state, t, values), ST_OK);
        free(values);
    }
}

static const char *const solvers[] = {
    "momentum = 0.9\ndecay = 0.001\n",
    "type = adam\ndecay = 0.001\n",
};

static void train(const net_t *n)
{
    net_fill(n);
    for (int i = 0; i < 4; i++) {
        const cnn_iteration_t it = {.iteration = i,
                                    .seed = 5,
                                    .rate = 1,
                                    .n_images = N_IMAGES};

        assert_int_equal(n->backend->run(n->state, 0, n->c.program->n_steps, &it), ST_OK);
        assert_int_equal(n->backend->wait(n->state), ST_OK);
    }
}

static bool is_kept(const net_t *n, int t)
{
    cnn_role_t role = tensor(n, t)->role;

    return role == CNN_PARAMETER || role == CNN_STATE || role == CNN_OUTPUT;
}

/* Compare what both have after training. @param tolerance  of the largest value of each
 * tensor; 0: bytes */
static void assert_equal(const net_t *a, const net_t *b, double tolerance)
{
    for (int t = 0; t < a->c.program->n_tensors; t++) {
        float *x, *y, largest = 0;
        int64_t count = cnn_tensor_n(tensor(a, t));

        if (!is_kept(a, t))
            continue;
        x = net_read(a, t);
        y = net_read(b, t);
        for (int64_t i = 0; i < count; i++)
            largest = fmaxf(largest, fabsf(y[i]));
        if (tolerance == 0)
            assert_memory_equal(x, y, (size_t)count * sizeof(*x));
        for (int64_t i = 0; i < count; i++)
            if (!(fabs((double)(x[i] - y[i])) <= tolerance * (double)largest))
                fail_msg("%s[%lld] is %.9g, not %.9g", tensor(a, t)->name, (long long)i,
                         (double)x[i], (double)y[i]);
        free(x);
        free(y);
    }
}

static void cpu_trains_as_serial_does(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        net_t cpu, serial;

        net_create(&cpu, &cpu_cnn_backend, solvers[i], 2);
        net_create(&serial, &serial_cnn_backend, solvers[i], 1);
        train(&cpu);
        train(&serial);
        assert_equal(&cpu, &serial, 1e-3);
        net_destroy(&cpu);
        net_destroy(&serial);
    }
}

static void training_is_the_same_with_any_number_of_threads(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        net_t one, three;

        net_create(&one, &cpu_cnn_backend, solvers[i], 1);
        net_create(&three, &cpu_cnn_backend, solvers[i], 3);
        train(&one);
        train(&three);
        assert_equal(&one, &three, 0);
        net_destroy(&one);
        net_destroy(&three);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_trains_as_serial_does),
        cmocka_unit_test(training_is_the_same_with_any_number_of_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
