/*
 * layer_case.c - a list of layers of all kinds, and their programs.
 */
#include "tests/support/layer_case.h"

#include "io/base/rng.h"
#include "kernels/cnn/common/cnn_backend.h"
#include "kernels/cnn/common/cnn_program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CASE(NAME, OP, N, C, H, W, ...)                        \
    {                                                          \
        .name = NAME, .op = OP, .x = {N, C, H, W}, __VA_ARGS__ \
    }

const layer_case_t layer_cases[] = {
    CASE("3x3", CNN_CONVOLUTION, 2, 3, 6, 5, .n_out = 4,
         .params.convolution = {{3, 3}, {1, 1}, {1, 1}, 1}, .has_bias = true),
    CASE("1x1", CNN_CONVOLUTION, 3, 5, 4, 4, .n_out = 6,
         .params.convolution = {{1, 1}, {1, 1}, {0, 0}, 1}, .has_bias = true),
    CASE("5x3, stride 2x1, padding 2x0", CNN_CONVOLUTION, 2, 2, 9, 6, .n_out = 3,
         .params.convolution = {{5, 3}, {2, 1}, {2, 0}, 1}),
    CASE("2 groups", CNN_CONVOLUTION, 2, 4, 5, 5, .n_out = 6,
         .params.convolution = {{3, 3}, {1, 1}, {1, 1}, 2}, .has_bias = true),
    CASE("a group per channel", CNN_CONVOLUTION, 1, 3, 5, 4, .n_out = 3,
         .params.convolution = {{3, 3}, {2, 2}, {1, 1}, 3}, .has_bias = true),
    CASE("columns that no window reaches", CNN_CONVOLUTION, 2, 2, 8, 8, .n_out = 3,
         .params.convolution = {{3, 3}, {3, 3}, {0, 0}, 1}, .has_bias = true),
    CASE("1x1, stride 2", CNN_CONVOLUTION, 2, 3, 5, 5, .n_out = 2,
         .params.convolution = {{1, 1}, {2, 2}, {0, 0}, 1}),
    CASE("window larger than the input", CNN_CONVOLUTION, 2, 3, 2, 2, .n_out = 2,
         .params.convolution = {{5, 5}, {1, 1}, {2, 2}, 1}, .has_bias = true),
    CASE("11x11, stride 4", CNN_CONVOLUTION, 1, 3, 35, 39, .n_out = 5,
         .params.convolution = {{11, 11}, {4, 4}, {2, 2}, 1}, .has_bias = true,
         .is_large = true),
    CASE("3x3, 64 to 96 channels", CNN_CONVOLUTION, 3, 64, 14, 14, .n_out = 96,
         .params.convolution = {{3, 3}, {1, 1}, {1, 1}, 1}, .has_bias = true,
         .is_large = true),
    CASE("3x3 of 11 images, 64 to 96 channels", CNN_CONVOLUTION, 11, 64, 14, 14,
         .n_out = 96, .params.convolution = {{3, 3}, {1, 1}, {1, 1}, 1}, .has_bias = true,
         .is_large = true),
    CASE("3x3, padding 0x1, 32 to 40 channels", CNN_CONVOLUTION, 4, 32, 23, 17,
         .n_out = 40, .params.convolution = {{3, 3}, {1, 1}, {0, 1}, 1},
         .is_large = true),
    CASE("3x3, padding 2, 36 to 32 channels", CNN_CONVOLUTION, 6, 36, 16, 16, .n_out = 32,
         .params.convolution = {{3, 3}, {1, 1}, {2, 2}, 1}, .has_bias = true,
         .is_large = true),
    CASE("5x5, 2 groups of 16 channels", CNN_CONVOLUTION, 2, 32, 13, 13, .n_out = 48,
         .params.convolution = {{5, 5}, {1, 1}, {2, 2}, 2}, .has_bias = true,
         .is_large = true),
    CASE("7x7, stride 2", CNN_CONVOLUTION, 2, 3, 65, 63, .n_out = 16,
         .params.convolution = {{7, 7}, {2, 2}, {3, 3}, 1}, .is_large = true),
    CASE("1x1, 130 channels", CNN_CONVOLUTION, 17, 130, 7, 7, .n_out = 70,
         .params.convolution = {{1, 1}, {1, 1}, {0, 0}, 1}, .has_bias = true,
         .is_large = true),
    CASE("5x5 of 20 images", CNN_CONVOLUTION, 20, 20, 12, 12, .n_out = 50,
         .params.convolution = {{5, 5}, {1, 1}, {0, 0}, 1}, .has_bias = true,
         .is_large = true),
    CASE("maximum 2x2", CNN_POOL, 2, 3, 6, 4,
         .params.pool = {{2, 2}, {2, 2}, {0, 0}, false, false, false}),
    CASE("overlapping maximum 3x3", CNN_POOL, 2, 2, 7, 9,
         .params.pool = {{3, 3}, {2, 2}, {0, 0}, false, false, false}),
    CASE("maximum, sizes rounded up", CNN_POOL, 1, 2, 8, 6,
         .params.pool = {{3, 3}, {2, 2}, {0, 0}, false, false, true}),
    CASE("padded maximum", CNN_POOL, 2, 2, 6, 5,
         .params.pool = {{3, 3}, {1, 1}, {1, 1}, false, false, false}),
    CASE("maximum of equal values", CNN_POOL, 2, 3, 9, 9,
         .params.pool = {{3, 3}, {2, 2}, {1, 1}, false, false, true}, .is_coarse = true),
    CASE("mean 2x3", CNN_POOL, 2, 2, 6, 6,
         .params.pool = {{2, 3}, {2, 3}, {0, 0}, true, false, false}),
    CASE("overlapping padded mean", CNN_POOL, 2, 2, 6, 5,
         .params.pool = {{3, 3}, {2, 2}, {1, 1}, true, false, true}),
    CASE("mean that counts padding", CNN_POOL, 2, 2, 6, 5,
         .params.pool = {{3, 3}, {2, 2}, {1, 1}, true, true, false}),
    CASE("global mean", CNN_POOL, 3, 4, 5, 5,
         .params.pool = {{5, 5}, {1, 1}, {0, 0}, true, false, false}),
    CASE("maximum of equal values in 16 channels", CNN_POOL, 2, 16, 9, 7,
         .params.pool = {{3, 3}, {1, 1}, {1, 1}, false, false, false}, .is_coarse = true),
    CASE("maximum of 32 channels", CNN_POOL, 2, 32, 8, 6,
         .params.pool = {{2, 2}, {2, 2}, {0, 0}, false, false, false}),
    CASE("mean of 16 channels", CNN_POOL, 2, 16, 7, 5,
         .params.pool = {{3, 3}, {2, 2}, {1, 1}, true, false, true}),
    CASE("maximum of 20 channels", CNN_POOL, 5, 20, 24, 24,
         .params.pool = {{3, 3}, {2, 2}, {0, 0}, false, false, true}, .is_large = true),
    CASE("maximum of equal values in 70 rows", CNN_POOL, 1, 2, 70, 50,
         .params.pool = {{3, 3}, {1, 1}, {1, 1}, false, false, false}, .is_coarse = true,
         .is_large = true),
    CASE("maximum of 4x2 in 90 rows", CNN_POOL, 2, 1, 90, 61,
         .params.pool = {{4, 2}, {3, 5}, {2, 0}, false, false, true}, .is_large = true),
    CASE("maximum of long rows", CNN_POOL, 1, 2, 2, 2500,
         .params.pool = {{2, 3}, {1, 2}, {1, 1}, false, false, false}, .is_large = true),
    CASE("maximum of longer rows", CNN_POOL, 1, 1, 1, 7000,
         .params.pool = {{1, 3}, {1, 1}, {0, 0}, false, false, false}, .is_coarse = true,
         .is_large = true),
    CASE("5 of 7 channels", CNN_LRN, 2, 7, 2, 3, .params.lrn = {5, 0.5, 0.75, 2}),
    CASE("5 of 2 channels", CNN_LRN, 2, 2, 3, 2, .params.lrn = {5, 0.5, 0.75, 1}),
    CASE("4 of 6 channels", CNN_LRN, 1, 6, 3, 2, .params.lrn = {4, 2, 0.5, 1}),
    CASE("1 of 3 channels", CNN_LRN, 2, 3, 2, 2, .params.lrn = {1, 1, 1.25, 1}),
    CASE("5 of 40 channels", CNN_LRN, 3, 40, 13, 13, .params.lrn = {5, 0.1, 0.75, 2},
         .is_large = true),
    CASE("of images", CNN_LINEAR, 3, 2, 2, 3, .n_out = 5, .has_bias = true),
    CASE("without bias", CNN_LINEAR, 4, 6, 1, 1, .n_out = 3),
    CASE("of one image", CNN_LINEAR, 1, 50, 1, 1, .n_out = 10, .has_bias = true),
    CASE("300 to 130", CNN_LINEAR, 70, 12, 5, 5, .n_out = 130, .has_bias = true,
         .is_large = true),
    CASE("another tensor", CNN_RELU, 2, 3, 4, 5),
    CASE("in place", CNN_RELU, 2, 3, 4, 5, .in_place = true),
    CASE("of zeros", CNN_RELU, 2, 3, 4, 5, .is_coarse = true),
    CASE("of many", CNN_RELU, 7, 33, 11, 13, .is_large = true),
    CASE("half", CNN_DROPOUT, 3, 5, 3, 3, .params.dropout = {0.5, 4}),
    CASE("a third", CNN_DROPOUT, 9, 37, 5, 7, .params.dropout = {1 / 3.0, 9},
         .is_large = true),
    CASE("of 32 channels", CNN_BATCH_NORM, 4, 32, 5, 3, .params.batch_norm = {1e-5, 0.1}),
    CASE("of two", CNN_ADD, 2, 3, 4, 5),
    CASE("of two in place", CNN_ADD, 2, 3, 4, 5, .in_place = true),
    CASE("of three", CNN_CONCAT, 2, 3, 2, 3),
    CASE("both ways", CNN_CAST, 2, 5, 3, 3),
    CASE("of images", CNN_BATCH_NORM, 3, 4, 3, 2, .params.batch_norm = {1e-5, 0.1}),
    CASE("of vectors", CNN_BATCH_NORM, 5, 3, 1, 1, .params.batch_norm = {1e-3, 0.3}),
    CASE("of many", CNN_BATCH_NORM, 9, 21, 17, 15, .params.batch_norm = {1e-5, 0.1},
         .is_large = true),
    CASE("of images", CNN_BATCH_NORM_PART, 3, 4, 3, 2, .params.batch_norm = {1e-5, 0.1}),
    CASE("of vectors", CNN_BATCH_NORM_PART, 5, 3, 1, 1, .params.batch_norm = {1e-3, 0.3}),
    CASE("of many", CNN_BATCH_NORM_PART, 9, 21, 17, 15, .params.batch_norm = {1e-5, 0.1},
         .is_large = true),
    CASE("7 classes", CNN_SOFTMAX_LOSS, 5, 7, 1, 1),
    CASE("2 classes", CNN_SOFTMAX_LOSS, 3, 2, 1, 1),
    CASE("1000 classes", CNN_SOFTMAX_LOSS, 33, 1000, 1, 1, .is_large = true),
    CASE("momentum and decay", CNN_SGD, 4, 3, 3, 3,
         .params.update = {.momentum = 0.9, .decay = 5e-4, .rate_factor = 2}),
    CASE("decay", CNN_ADAM, 4, 3, 3, 3,
         .params.update = {.beta1 = 0.9,
                           .beta2 = 0.999,
                           .epsilon = 1e-8,
                           .decay = 1e-2,
                           .rate_factor = 0.5}),
};
const int n_layer_cases = (int)(sizeof(layer_cases) / sizeof(*layer_cases));

const cnn_iteration_t layer_iteration = {.iteration = 3,
                                         .seed = UINT64_C(0x123456789a),
                                         .rate = 0.25,
                                         .first_image = 2,
                                         .n_images = 9};

static double uniform(rng_t *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-52 - 1;
}

static double draw(const layer_case_t *c, const cnn_tensor_t *t, rng_t *rng)
{
    double x = uniform(rng);

    if (c->is_coarse)
        return floor(1.5 * x + 0.5); /* -1, 0, 1 */
    if (strcmp(t->name, "w") == 0)
        return x / sqrt((double)(t->size[1] * t->size[2] * t->size[3]));
    if (strncmp(t->name, "running", 7) == 0 || strcmp(t->name, "moments") == 0)
        return fabs(x); /* variances and squares, means too */
    return x;
}

/* @return whether the first use of a tensor is to be read or updated */
static bool has_value_before(const layer_program_t *p, int tensor)
{
    const cnn_program_t *program = &p->one.program;

    if (program->tensors[tensor].role != CNN_OUTPUT)
        return true;
    for (int s = 0; s < program->n_steps; s++) {
        const cnn_step_t *step = &program->steps[s];

        for (int i = 0; i < step->n_reads; i++)
            if (step->reads[i] == tensor)
                return true;
        for (int i = 0; i < step->n_writes; i++)
            if (step->writes[i] == tensor)
                return false;
    }
    return false;
}

void layer_case_values(const layer_case_t *c, const layer_program_t *p,
                       one_step_values_t *out)
{
    rng_t rng = rng_seed(1);

    one_step_values_create(&p->one, out);
    for (int i = 0; i < p->one.program.n_tensors; i++) {
        const cnn_tensor_t *t = &p->one.tensors[i];
        bool has_value = has_value_before(p, i);

        for (int64_t k = 0; k < cnn_tensor_n(t); k++) {
            double x = has_value ? draw(c, t, &rng) : (double)NAN;

            if (t->role == CNN_LABELS) /* one image without */
                x = k == 1 ? -1 : (double)rng_below(&rng, (uint64_t)c->x[1]);
            out->of[i][k] = cnn_value_round(t->type, x);
        }
    }
}

/* @return whether a tensor is equal within the tolerance; prints what is not */
static bool compare(const layer_case_t *c, const cnn_tensor_t *t, const double *got,
                    const double *expected, double tolerance)
{
    double largest = 0;

    for (int64_t i = 0; i < cnn_tensor_n(t); i++)
        largest = fmax(largest, fabs(expected[i]));
    for (int64_t i = 0; i < cnn_tensor_n(t); i++)
        if (!(fabs(got[i] - expected[i]) <= tolerance * largest)) {
            fprintf(stderr, "%s %s: %s[%lld] is %.9g, not %.9g (largest: %.3g)\n",
                    cnn_op_name(c->op), c->name, t->name, (long long)i, got[i],
                    expected[i], largest);
            return false;
        }
    return true;
}

bool layer_case_compare(const layer_case_t *c, const cnn_backend_t *backend,
                        const cnn_context_t *where, cnn_type_t type, cnn_math_t math,
                        double tolerance)
{
    const device_t cpu = device_cpu();
    const cnn_context_t serial = {.device = &cpu};
    layer_program_t p;
    one_step_values_t in, expected, got;
    bool equal;

    layer_case_program(c, type, math, &p);
    layer_case_values(c, &p, &in);
    one_step_values_create(&p.one, &expected);
    one_step_values_create(&p.one, &got);
    equal = one_step_run(&p.one, &serial_cnn_backend, &serial, &layer_iteration, &in,
                         &expected) == ST_OK &&
            one_step_run(&p.one, backend, where, &layer_iteration, &in, &got) == ST_OK;
    for (int i = 0; equal && i < p.one.program.n_tensors; i++)
        equal = compare(c, &p.one.tensors[i], got.of[i], expected.of[i], tolerance);
    one_step_values_free(&in);
    one_step_values_free(&expected);
    one_step_values_free(&got);
    return equal;
}
