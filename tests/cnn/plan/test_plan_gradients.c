/*
 * test_plan_gradients.c - gradients of whole networks against central differences of
 * their loss, and the updates, in 64 bits on the backend that is the definition.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "io/base/rng.h"
#include "kernels/cnn/serial/serial_cnn.h"
#include "tests/cnn/plan/plan_case.h"

#include <math.h>

enum { N_IMAGES = 3, MAX_VALUES = 4096, N_PROBES = 6 };

static const cnn_iteration_t iteration = {
    .iteration = 4, .seed = 7, .rate = 0.125, .first_image = 0, .n_images = N_IMAGES};

typedef struct {
    plan_case_t c;
    void *state;
    rng_t rng;
} run_t;

static double uniform(rng_t *rng)
{
    return (double)rng_below(rng, 2000001) / 1e6 - 1;
}

static void fill(run_t *r, int tensor)
{
    static double values[MAX_VALUES];
    const cnn_tensor_t *t = &r->c.program->tensors[tensor];

    assert_true(cnn_tensor_n(t) <= MAX_VALUES);
    for (int64_t i = 0; i < cnn_tensor_n(t); i++)
        values[i] = uniform(&r->rng);
    assert_int_equal(serial_cnn_backend.write(r->state, tensor, values), ST_OK);
}

static run_t begin(const char *layers)
{
    static const int32_t labels[N_IMAGES] = {2, 0, 1};
    run_t r = {.c = plan_case_layers(layers, N_IMAGES, CNN_PLAN_FP64, CNN_PLAN_TRAINING),
               .rng = rng_seed(1)};
    const cnn_context_t context = {.program = r.c.program};

    assert_int_equal(serial_cnn_backend.create(&context, &r.state), ST_OK);
    for (int i = 0; i < r.c.program->n_tensors; i++) {
        cnn_role_t role = r.c.program->tensors[i].role;

        if (role == CNN_INPUT || role == CNN_PARAMETER)
            fill(&r, i);
        if (role == CNN_LABELS)
            assert_int_equal(serial_cnn_backend.write(r.state, i, labels), ST_OK);
    }
    return r;
}

static void end(run_t *r)
{
    serial_cnn_backend.destroy(r->state);
    plan_case_free(&r->c);
}

static void run_steps(run_t *r, int last)
{
    assert_int_equal(serial_cnn_backend.run(r->state, 0, last, &iteration), ST_OK);
    assert_int_equal(serial_cnn_backend.wait(r->state), ST_OK);
}

static double *read_values(run_t *r, int tensor)
{
    double *values = malloc(MAX_VALUES * sizeof(*values));

    assert_non_null(values);
    assert_int_equal(serial_cnn_backend.read(r->state, tensor, values), ST_OK);
    return values;
}

static double loss_with(run_t *r, int tensor, double *values, int64_t at, double value)
{
    double before = values[at], *loss, got;

    values[at] = value;
    assert_int_equal(serial_cnn_backend.write(r->state, tensor, values), ST_OK);
    run_steps(r, r->c.program->n_forward);
    loss = read_values(r, cnn_plan_tensor(r->c.program, "loss"));
    got = loss[0];
    free(loss);
    values[at] = before;
    assert_int_equal(serial_cnn_backend.write(r->state, tensor, values), ST_OK);
    return got;
}

static int gradient_of(const cnn_program_t *p, int parameter)
{
    char name[64];

    snprintf(name, sizeof(name), "d.%s", p->tensors[parameter].name);
    for (int i = 0; i < p->n_tensors; i++)
        if (strcmp(p->tensors[i].name, name) == 0)
            return i;
    fail_msg("no %s", name);
    return -1;
}

static void compare_parameter(run_t *r, int parameter)
{
    const cnn_program_t *p = r->c.program;
    double *w = read_values(r, parameter), *d, h = 1e-6;

    run_steps(r, p->n_forward + p->n_backward);
    d = read_values(r, gradient_of(p, parameter));
    for (int k = 0; k < N_PROBES; k++) {
        int64_t n = cnn_tensor_n(&p->tensors[parameter]);
        int64_t at = (int64_t)rng_below(&r->rng, (uint64_t)n);
        double up = loss_with(r, parameter, w, at, w[at] + h);
        double slope = (up - loss_with(r, parameter, w, at, w[at] - h)) / (2 * h);

        if (fabs(slope - d[at]) > 1e-7 + 1e-6 * fabs(slope))
            fail_msg("%s[%d]: %.12g, not %.12g", p->tensors[parameter].name, (int)at,
                     d[at], slope);
    }
    free(w);
    free(d);
}

static void compare(const char *layers)
{
    run_t r = begin(layers);

    for (int i = 0; i < r.c.program->n_tensors; i++)
        if (r.c.program->tensors[i].role == CNN_PARAMETER)
            compare_parameter(&r, i);
    end(&r);
}

static void a_chain_has_the_gradients_of_its_loss(void **state)
{
    (void)state;
    compare("a = convolution 4 kernel=3 pad=1 groups=2 relu\n"
            "b = lrn size=3 alpha=0.5\n"
            "c = max 3 stride=2 ceil=yes\n"
            "d = convolution 6 kernel=2 bias=no\n"
            "e = relu\n"
            "f = linear 8 batch-norm relu dropout\n"
            "g = linear classes\n"
            "h = softmax\n");
}

static void branches_have_the_gradients_of_their_loss(void **state)
{
    (void)state;
    compare("a = convolution 4 kernel=3 batch-norm relu\n"
            "b = convolution 3 kernel=1 batch-norm relu from=a\n"
            "c = convolution 2 kernel=3 pad=1 relu from=a\n"
            "d = average 3 stride=1 pad=1 from=a\n"
            "e = relu from=a\n"
            "f = concat from=b,c,d,e,a\n"
            "g = linear classes\n"
            "h = softmax\n");
}

/* v is 0 before the first iteration, so that momentum does not matter. */
static void updates_follow_the_gradients(void **state)
{
    run_t r = begin("a = linear classes\nb = softmax\n"
                    "[solver]\nmomentum = 0.5\ndecay = 0.25\nbias-rate = 2\n");
    const cnn_program_t *p = r.c.program;
    const int tensors[2] = {cnn_plan_tensor(p, "a.weight"), cnn_plan_tensor(p, "a.bias")};
    double *before[2] = {read_values(&r, tensors[0]), read_values(&r, tensors[1])};

    (void)state;
    run_steps(&r, p->n_steps);
    for (int k = 0; k < 2; k++) {
        double *d = read_values(&r, gradient_of(p, tensors[k]));
        double *after = read_values(&r, tensors[k]);
        double rate = iteration.rate * (k == 0 ? 1 : 2);

        for (int64_t i = 0; i < cnn_tensor_n(&p->tensors[tensors[k]]); i++)
            assert_true(fabs(after[i] - before[k][i] +
                             rate * (d[i] + 0.25 * before[k][i])) < 1e-12);
        free(before[k]);
        free(d);
        free(after);
    }
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_has_the_gradients_of_its_loss),
        cmocka_unit_test(branches_have_the_gradients_of_their_loss),
        cmocka_unit_test(updates_follow_the_gradients),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
