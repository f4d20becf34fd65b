/* test_serial_values.c - results of single operations, worked by hand. */
#include "tests/support/unit_test.h"

#include "kernels/cnn/common/cnn_backend.h"
#include "kernels/cnn/common/cnn_draw.h"
#include "tests/support/one_step.h"

#include <math.h>

enum { MAX_TENSORS = 6 };

/* A tensor of a step; value NULL: 0s. */
typedef struct {
    int64_t size[4];
    const double *value;
} given_t;

static const cnn_iteration_t iteration = {.seed = 5, .rate = 0.5, .n_images = 2};

#define VALUES(...) ((const double[]){__VA_ARGS__})

static void expect_near(const double *got, const double *expected, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(got[i] - expected[i]) <= 1e-12 * fmax(1, fabs(expected[i]))))
            fail_msg("value %lld is %.17g, not %.17g", (long long)i, got[i], expected[i]);
}

/*
 * Run one step and compare what it writes.
 *
 * @param reads, writes   its tensors; of the written ones the values before
 * @param expected        [n_writes] values afterwards
 */
static void expect(cnn_op_t op, cnn_params_t params, int n_reads, const given_t *reads,
                   int n_writes, const given_t *writes, const double *const *expected)
{
    device_t cpu = device_cpu();
    int numbers[2][MAX_TENSORS + 1];
    one_step_values_t v;
    one_step_t o;

    one_step_begin(&o, "layer", CNN_STRICT);
    for (int i = 0; i < n_reads; i++)
        numbers[0][i] = one_step_tensor(&o, "read", CNN_INPUT, CNN_F64, reads[i].size);
    for (int i = 0; i < n_writes; i++)
        numbers[1][i] = one_step_tensor(&o, "write", CNN_OUTPUT, CNN_F64, writes[i].size);
    numbers[0][n_reads] = numbers[1][n_writes] = -1;
    if (op == CNN_SOFTMAX_LOSS)
        o.tensors[1].type = CNN_I32; /* labels */
    one_step_add(&o, op, &params, numbers[0], numbers[1]);
    one_step_values_create(&o, &v);
    for (int i = 0; i < o.program.n_tensors; i++) {
        const given_t *given = i < n_reads ? &reads[i] : &writes[i - n_reads];

        for (int64_t k = 0; given->value != NULL && k < cnn_tensor_n(&o.tensors[i]); k++)
            v.of[i][k] = given->value[k];
    }
    assert_int_equal(one_step_run(&o, &serial_cnn_backend,
                                  &(cnn_context_t){.device = &cpu}, &iteration, &v, &v),
                     ST_OK);
    for (int i = 0; i < n_writes; i++)
        expect_near(v.of[n_reads + i], expected[i],
                    cnn_tensor_n(&o.tensors[n_reads + i]));
    one_step_values_free(&v);
}

/* One read, one written tensor. */
static void expect_one(cnn_op_t op, cnn_params_t params, given_t x, const int64_t y[4],
                       const double *expected)
{
    given_t out = {{y[0], y[1], y[2], y[3]}, NULL};

    expect(op, params, 1, &x, 1, &out, &expected);
}

/*  1 2 3   windows: 1 2  2 3  4 5  5 6   with 1 2 of channel 1 and 1 1 of channel 2
 *  4 5 6            4 5  5 6                  3 4                  1 1 */
static void a_convolution_does_not_flip_its_kernel(void **state)
{
    cnn_params_t p = {.convolution = {{2, 2}, {1, 1}, {0, 0}, 1}};
    given_t reads[3] = {{{1, 2, 2, 3}, VALUES(1, 2, 3, 4, 5, 6, 0, 1, 0, 1, 0, 1)},
                        {{1, 2, 2, 2}, VALUES(1, 2, 3, 4, 1, 1, 1, 1)},
                        {{1, 1, 1, 1}, VALUES(100)}};
    given_t y = {{1, 1, 1, 2}, NULL};

    (void)state;
    expect(CNN_CONVOLUTION, p, 3, reads, 1, &y,
           &(const double *){
               VALUES(100 + 1 + 4 + 12 + 20 + 2, 100 + 2 + 6 + 15 + 24 + 2)});
}

static void padding_and_stride_move_the_window(void **state)
{
    cnn_params_t p = {.convolution = {{3, 1}, {2, 2}, {1, 0}, 1}};
    given_t reads[2] = {{{1, 1, 3, 3}, VALUES(1, 2, 3, 4, 5, 6, 7, 8, 9)},
                        {{1, 1, 3, 1}, VALUES(100, 10, 1)}};
    given_t y = {{1, 1, 2, 2}, NULL};

    (void)state;
    expect(CNN_CONVOLUTION, p, 2, reads, 1, &y,
           &(const double *){VALUES(14, 36, 470, 690)});
}

static void a_group_reads_its_own_channels(void **state)
{
    cnn_params_t p = {.convolution = {{1, 1}, {1, 1}, {0, 0}, 2}};
    given_t reads[2] = {{{1, 4, 1, 1}, VALUES(1, 2, 3, 4)},
                        {{2, 2, 1, 1}, VALUES(10, 1, 10, 1)}};
    given_t y = {{1, 2, 1, 1}, NULL};

    (void)state;
    expect(CNN_CONVOLUTION, p, 2, reads, 1, &y, &(const double *){VALUES(12, 34)});
}

static void a_linear_layer_takes_images_as_vectors(void **state)
{
    cnn_params_t p = {.convolution = {{0}, {0}, {0}, 0}};
    given_t reads[3] = {{{2, 1, 1, 3}, VALUES(1, 2, 3, 4, 5, 6)},
                        {{2, 3, 1, 1}, VALUES(1, 0, 0, 1, 1, 1)},
                        {{1, 2, 1, 1}, VALUES(0.5, -1)}};
    given_t y = {{2, 2, 1, 1}, NULL};

    (void)state;
    expect(CNN_LINEAR, p, 3, reads, 1, &y, &(const double *){VALUES(1.5, 5, 4.5, 14)});
}

static const given_t square = {{1, 1, 3, 3}, (const double[]){1, 9, 3, 4, 5, 6, 7, 8, 2}};

static void maxima_of_windows(void **state)
{
    cnn_params_t p = {.pool = {{2, 2}, {2, 2}, {0, 0}, false, false, true}};

    (void)state;
    expect_one(CNN_POOL, p, square, (int64_t[4]){1, 1, 2, 2}, VALUES(9, 6, 8, 2));
    p.pool.is_ceil = false;
    expect_one(CNN_POOL, p, square, (int64_t[4]){1, 1, 1, 1}, VALUES(9));
}

static void means_count_padding_if_asked(void **state)
{
    cnn_params_t p = {.pool = {{2, 2}, {2, 2}, {1, 1}, true, false, false}};

    (void)state;
    expect_one(CNN_POOL, p, square, (int64_t[4]){1, 1, 2, 2}, VALUES(1, 6, 5.5, 5.25));
    p.pool.count_padding = true;
    expect_one(CNN_POOL, p, square, (int64_t[4]){1, 1, 2, 2},
               VALUES(0.25, 3, 2.75, 5.25));
}

/* windows {2, 2, 1} and {2, 1, 2} both begin with a maximum of 2 */
static void the_first_maximum_takes_the_gradient(void **state)
{
    cnn_params_t p = {.pool = {{1, 3}, {1, 1}, {0, 0}, false, false, false}};
    given_t reads[3] = {{{1, 1, 1, 4}, VALUES(2, 2, 1, 2)},
                        {{1, 1, 1, 2}, VALUES(2, 2)},
                        {{1, 1, 1, 2}, VALUES(10, 100)}};
    given_t dx = {{1, 1, 1, 4}, NULL};

    (void)state;
    expect(CNN_POOL_BACKWARD, p, 3, reads, 1, &dx,
           &(const double *){VALUES(10, 100, 0, 0)});
}

/* alpha / size = 1; with beta = 1 y = x / (1 + sum of the neighbours' squares) */
static void lrn_ends_at_the_first_and_last_channel(void **state)
{
    cnn_params_t p = {.lrn = {3, 3, 1, 1}};
    given_t x = {{1, 4, 1, 1}, VALUES(1, 2, 3, 4)};

    (void)state;
    expect_one(CNN_LRN, p, x, x.size, VALUES(1 / 6.0, 2 / 15.0, 3 / 30.0, 4 / 26.0));
    p.lrn = (cnn_lrn_t){2, 2, 1, 1}; /* a channel and the next one */
    expect_one(CNN_LRN, p, x, x.size, VALUES(1 / 6.0, 2 / 14.0, 3 / 26.0, 4 / 17.0));
}

static void dropout_keeps_and_scales(void **state)
{
    cnn_params_t p = {.dropout = {0.75, 3}};
    double x[64], expected[64];
    int n_kept = 0;

    (void)state;
    for (int i = 0; i < 64; i++) {
        bool keep = cnn_draw(5, 3, 0, (uint64_t)i) >= UINT32_C(0xc0000000);

        x[i] = i + 1;
        expected[i] = keep ? 4 * x[i] : 0;
        n_kept += keep;
    }
    assert_in_range(n_kept, 5, 30);
    expect_one(CNN_DROPOUT, p, (given_t){{2, 32, 1, 1}, x}, (int64_t[4]){2, 32, 1, 1},
               expected);
}

/* mean 4, biased variance 5, unbiased 20/3 */
static void batch_norm_saves_and_averages(void **state)
{
    cnn_params_t p = {.batch_norm = {4, 0.25}};
    given_t reads[3] = {{{2, 1, 1, 2}, VALUES(1, 3, 5, 7)},
                        {{1, 1, 1, 1}, VALUES(6)},
                        {{1, 1, 1, 1}, VALUES(10)}};
    given_t writes[5] = {{{2, 1, 1, 2}, NULL},
                         {{1, 1, 1, 1}, NULL},
                         {{1, 1, 1, 1}, NULL},
                         {{1, 1, 1, 1}, VALUES(8)},
                         {{1, 1, 1, 1}, VALUES(1)}};
    const double *expected[5] = {VALUES(4, 8, 12, 16), VALUES(4), VALUES(1 / 3.0),
                                 VALUES(0.75 * 8 + 1), VALUES(0.75 + 5 / 3.0)};

    (void)state;
    expect(CNN_BATCH_NORM, p, 3, reads, 5, writes, expected);
}

/* The same batch in two parts, of means 2 and 6, squares 2 and 2. */
static void parts_have_the_moments_of_the_whole(void **state)
{
    cnn_params_t p = {.batch_norm = {4, 0.25}};
    given_t x = {{1, 1, 1, 2}, VALUES(5, 7)};
    given_t reads[4] = {x,
                        {{1, 1, 1, 1}, VALUES(6)},
                        {{1, 1, 1, 1}, VALUES(10)},
                        {{4, 1, 1, 1}, VALUES(2, 2, 6, 2)}};
    given_t writes[5] = {{{1, 1, 1, 2}, NULL},
                         {{1, 1, 1, 1}, NULL},
                         {{1, 1, 1, 1}, NULL},
                         {{1, 1, 1, 1}, VALUES(8)},
                         {{1, 1, 1, 1}, VALUES(1)}};
    const double *expected[5] = {VALUES(12, 16), VALUES(4), VALUES(1 / 3.0),
                                 VALUES(0.75 * 8 + 1), VALUES(0.75 + 5 / 3.0)};

    (void)state;
    expect_one(CNN_BATCH_NORM_PART, p, x, (int64_t[4]){2, 1, 1, 1}, VALUES(6, 2));
    expect(CNN_BATCH_NORM_WHOLE, p, 4, reads, 5, writes, expected);
}

/* z of the part (5, 7) is (1/3, 1); with the sums 8 and 4 of the whole, n = 4:
 * dx = 6 / 3 (dy - 8 / 4 - z 4 / 4). */
static void a_part_has_the_gradient_of_the_whole(void **state)
{
    cnn_params_t p = {.batch_norm = {4, 0.25}};
    given_t reads[6] = {{{1, 1, 1, 2}, VALUES(5, 7)},
                        {{1, 1, 1, 2}, VALUES(3, 6)},
                        {{1, 1, 1, 1}, VALUES(6)},
                        {{1, 1, 1, 1}, VALUES(4)},
                        {{1, 1, 1, 1}, VALUES(1 / 3.0)},
                        {{4, 1, 1, 1}, VALUES(9, 7, -1, -3)}};
    given_t part_reads[4] = {reads[0], reads[1], reads[3], reads[4]};
    given_t writes[3] = {{{2, 1, 1, 1}, NULL},
                         {{1, 1, 1, 1}, NULL},
                         {{1, 1, 1, 1}, NULL}};
    given_t dx = {{1, 1, 1, 2}, NULL};
    const double *sums[3] = {VALUES(9, 7), VALUES(7), VALUES(9)};

    (void)state;
    expect(CNN_BATCH_NORM_BACKWARD_PART, p, 4, part_reads, 3, writes, sums);
    expect(CNN_BATCH_NORM_BACKWARD_WHOLE, p, 6, reads, 1, &dx,
           &(const double *){VALUES(4 / 3.0, 6)});
}

static void batch_norm_uses_running_averages(void **state)
{
    cnn_params_t p = {.batch_norm = {4, 0.25}};
    given_t reads[5] = {{{1, 2, 1, 1}, VALUES(7, 1)},
                        {{1, 2, 1, 1}, VALUES(6, 1)},
                        {{1, 2, 1, 1}, VALUES(10, 0)},
                        {{1, 2, 1, 1}, VALUES(4, 1)},
                        {{1, 2, 1, 1}, VALUES(5, 0)}};
    given_t y = {{1, 2, 1, 1}, NULL};

    (void)state;
    expect(CNN_BATCH_NORM_INFERENCE, p, 5, reads, 1, &y,
           &(const double *){VALUES(16, 0)});
}

/* Of 2 images in the whole batch: label 1 of (0, ln 3) has probability 3/4, label 0 of
 * equal values 1/2; the third image has no label.  1000 does not overflow. */
static void the_loss_is_a_mean_over_the_whole_batch(void **state)
{
    cnn_params_t p = {.update = {0}};
    given_t reads[2] = {{{3, 2, 1, 1}, VALUES(0, log(3), 1000, 1000, 5, 5)},
                        {{3, 1, 1, 1}, VALUES(1, 0, -1)}};
    given_t writes[3] = {{{3, 2, 1, 1}, NULL},
                         {{1, 1, 1, 1}, NULL},
                         {{1, 1, 1, 1}, NULL}};
    const double *expected[3] = {VALUES(0.25, 0.75, 0.5, 0.5, 0.5, 0.5),
                                 VALUES((log(4 / 3.0) + log(2)) / 2), VALUES(2)};

    (void)state;
    expect(CNN_SOFTMAX_LOSS, p, 2, reads, 3, writes, expected);
}

/* v = 0.9 * 10 + 1 + 0.1 * 2 = 10.2; w = 2 - 0.5 * 2 * 10.2 */
static void sgd_adds_decay_and_momentum(void **state)
{
    cnn_params_t p = {.update = {.momentum = 0.9, .decay = 0.1, .rate_factor = 2}};
    given_t g = {{1, 1, 1, 1}, VALUES(1)};
    given_t writes[2] = {{{1, 1, 1, 1}, VALUES(2)}, {{1, 1, 1, 1}, VALUES(10)}};
    const double *expected[2] = {VALUES(2 - 10.2), VALUES(10.2)};

    (void)state;
    expect(CNN_SGD, p, 1, &g, 2, writes, expected);
}

/* In the first iteration the corrected averages are g and g^2: a step of `rate`. */
static void adam_corrects_its_averages(void **state)
{
    cnn_params_t p = {
        .update = {.beta1 = 0.9, .beta2 = 0.99, .epsilon = 1, .rate_factor = 1}};
    given_t g = {{1, 1, 1, 1}, VALUES(3)};
    given_t writes[3] = {{{1, 1, 1, 1}, VALUES(2)},
                         {{1, 1, 1, 1}, NULL},
                         {{1, 1, 1, 1}, NULL}};
    const double *expected[3] = {VALUES(2 - 0.5 * 3 / 4), VALUES(0.3), VALUES(0.09)};

    (void)state;
    expect(CNN_ADAM, p, 1, &g, 3, writes, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_convolution_does_not_flip_its_kernel),
        cmocka_unit_test(padding_and_stride_move_the_window),
        cmocka_unit_test(a_group_reads_its_own_channels),
        cmocka_unit_test(a_linear_layer_takes_images_as_vectors),
        cmocka_unit_test(maxima_of_windows),
        cmocka_unit_test(means_count_padding_if_asked),
        cmocka_unit_test(the_first_maximum_takes_the_gradient),
        cmocka_unit_test(lrn_ends_at_the_first_and_last_channel),
        cmocka_unit_test(dropout_keeps_and_scales),
        cmocka_unit_test(batch_norm_saves_and_averages),
        cmocka_unit_test(parts_have_the_moments_of_the_whole),
        cmocka_unit_test(a_part_has_the_gradient_of_the_whole),
        cmocka_unit_test(batch_norm_uses_running_averages),
        cmocka_unit_test(the_loss_is_a_mean_over_the_whole_batch),
        cmocka_unit_test(sgd_adds_decay_and_momentum),
        cmocka_unit_test(adam_corrects_its_averages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
