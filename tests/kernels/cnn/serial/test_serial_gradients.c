/*
 * test_serial_gradients.c - the gradients of every kind of layer against central
 * differences, in 64 bits.
 *
 * The objective is the sum of y dy or the loss.  With steps of 1e-5 and values near 1 the
 * differences are exact to about 1e-10.
 */
#include "tests/support/unit_test.h"

#include "kernels/cnn/common/cnn_backend.h"
#include "tests/support/layer_case.h"

#include <math.h>

static device_t cpu;

static double objective(layer_program_t *p, const one_step_values_t *in,
                        one_step_values_t *out)
{
    int n_steps = p->one.program.n_steps;
    double sum = 0;

    p->one.program.n_steps = p->n_forward;
    assert_int_equal(one_step_run(&p->one, &serial_cnn_backend,
                                  &(cnn_context_t){.device = &cpu}, &layer_iteration, in,
                                  out),
                     ST_OK);
    p->one.program.n_steps = n_steps;
    for (int64_t i = 0; i < cnn_tensor_n(&p->one.tensors[p->y]); i++)
        sum += out->of[p->y][i] * (p->dy < 0 ? 1 : in->of[p->dy][i]);
    return sum;
}

/* @param x, gradient  arrays of n values of `in` and of the program's results */
static void check_gradient(const layer_case_t *c, layer_program_t *p,
                           one_step_values_t *in, one_step_values_t *scratch, double *x,
                           const double *gradient, int64_t n)
{
    const double h = 1e-5;

    for (int64_t i = 0; i < n; i++) {
        double before = x[i], difference;

        x[i] = before + h;
        difference = objective(p, in, scratch);
        x[i] = before - h;
        difference = (difference - objective(p, in, scratch)) / (2 * h);
        x[i] = before;
        if (!(fabs(difference - gradient[i]) < 1e-8 * fmax(1, fabs(difference))))
            fail_msg("%s %s: gradient %lld is %.12g, not %.12g", cnn_op_name(c->op),
                     c->name, (long long)i, gradient[i], difference);
    }
}

static void check_case(const layer_case_t *c)
{
    layer_program_t p;
    one_step_values_t in, out, scratch;

    layer_case_program(c, CNN_F64, CNN_STRICT, &p);
    assert_true(cnn_program_check(&p.one.program, NULL));
    layer_case_values(c, &p, &in);
    one_step_values_create(&p.one, &out);
    one_step_values_create(&p.one, &scratch);
    assert_int_equal(one_step_run(&p.one, &serial_cnn_backend,
                                  &(cnn_context_t){.device = &cpu}, &layer_iteration, &in,
                                  &out),
                     ST_OK);
    for (int g = 0; g < p.n_gradients; g++) {
        int of = p.gradients[g].of;

        check_gradient(c, &p, &in, &scratch, in.of[of], out.of[p.gradients[g].tensor],
                       cnn_tensor_n(&p.one.tensors[of]));
    }
    one_step_values_free(&in);
    one_step_values_free(&out);
    one_step_values_free(&scratch);
}

/* Equal values are left out: a maximum of them has no gradient, nor has ReLU at 0. */
static void check_cases(cnn_op_t op)
{
    int n_checked = 0;

    cpu = device_cpu();
    for (int i = 0; i < n_layer_cases; i++)
        if (layer_cases[i].op == op && !layer_cases[i].is_large &&
            !layer_cases[i].is_coarse) {
            check_case(&layer_cases[i]);
            n_checked++;
        }
    assert_true(n_checked > 0);
}

static void convolutions_have_their_gradients(void **state)
{
    (void)state;
    check_cases(CNN_CONVOLUTION);
}

static void pooling_has_its_gradient(void **state)
{
    (void)state;
    check_cases(CNN_POOL);
}

static void lrn_has_its_gradient(void **state)
{
    (void)state;
    check_cases(CNN_LRN);
}

static void linear_layers_have_their_gradients(void **state)
{
    (void)state;
    check_cases(CNN_LINEAR);
}

static void relu_has_its_gradient(void **state)
{
    (void)state;
    check_cases(CNN_RELU);
}

static void dropout_draws_the_same_mask_again(void **state)
{
    (void)state;
    check_cases(CNN_DROPOUT);
}

static void batch_norm_has_its_gradients(void **state)
{
    (void)state;
    check_cases(CNN_BATCH_NORM);
    check_cases(CNN_BATCH_NORM_PART);
}

static void concat_has_its_gradients(void **state)
{
    (void)state;
    check_cases(CNN_CONCAT);
}

static void softmax_loss_has_its_gradient(void **state)
{
    (void)state;
    check_cases(CNN_SOFTMAX_LOSS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_have_their_gradients),
        cmocka_unit_test(pooling_has_its_gradient),
        cmocka_unit_test(lrn_has_its_gradient),
        cmocka_unit_test(linear_layers_have_their_gradients),
        cmocka_unit_test(relu_has_its_gradient),
        cmocka_unit_test(dropout_draws_the_same_mask_again),
        cmocka_unit_test(batch_norm_has_its_gradients),
        cmocka_unit_test(concat_has_its_gradients),
        cmocka_unit_test(softmax_loss_has_its_gradient),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
