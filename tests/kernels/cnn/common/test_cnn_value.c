/* test_cnn_value.c - rounding of elements, and sizes of outputs. */
#include "kernels/cnn/common/cnn_program.h"
#include "kernels/cnn/common/cnn_shape.h"

#include "tests/support/unit_test.h"
#include <math.h>

/* 8 significant bits: steps of 2^-7 above 1 */
static void bf16_rounds_to_the_nearest_even(void **state)
{
    double half = ldexp(1, -8);

    (void)state;
    assert_true(cnn_value_round(CNN_BF16, 1 + half) == 1);
    assert_true(cnn_value_round(CNN_BF16, 1 + 3 * half) == 1 + 4 * half);
    assert_true(cnn_value_round(CNN_BF16, 1 + 1.5 * half) == 1 + 2 * half);
    assert_true(cnn_value_round(CNN_BF16, -1 - 3 * half) == -1 - 4 * half);
    assert_true(isinf(cnn_value_round(CNN_BF16, 3.4e38)));
    assert_true(isnan(cnn_value_round(CNN_BF16, (double)NAN)));
}

static void elements_survive_a_round_trip(void **state)
{
    double from[3] = {1.5, -2, 3}, to[3];
    unsigned char bytes[24];

    (void)state;
    for (int type = CNN_F32; type <= CNN_I32; type++) {
        cnn_value_store((cnn_type_t)type, 3, from, bytes);
        cnn_value_load((cnn_type_t)type, 3, bytes, to);
        assert_true(to[0] == (type == CNN_I32 ? 2 : 1.5));
        assert_true(to[1] == -2 && to[2] == 3);
    }
}

static void a_convolution_shrinks_by_its_kernel(void **state)
{
    cnn_convolution_t alexnet = {{11, 11}, {4, 4}, {2, 2}, 1};
    cnn_convolution_t oblong = {{1, 3}, {1, 2}, {0, 1}, 1};

    (void)state;
    assert_int_equal(cnn_shape_convolution(&alexnet, 0, 224), 55);
    assert_int_equal(cnn_shape_convolution(&oblong, 0, 7), 7);
    assert_int_equal(cnn_shape_convolution(&oblong, 1, 7), 4);
    assert_int_equal(cnn_shape_convolution(&alexnet, 1, 6), 0);
}

/* as torch.nn.MaxPool2d */
static void pooling_rounds_up_if_asked(void **state)
{
    cnn_pool_t floor = {{3, 3}, {2, 2}, {0, 0}, false, false, false};
    cnn_pool_t ceil = floor, padded = {{2, 2}, {2, 2}, {1, 1}, false, false, true};

    (void)state;
    ceil.is_ceil = true;
    assert_int_equal(cnn_shape_pool(&floor, 0, 112), 55);
    assert_int_equal(cnn_shape_pool(&ceil, 0, 112), 56);
    assert_int_equal(cnn_shape_pool(&ceil, 0, 113), 56);
    assert_int_equal(cnn_shape_pool(&padded, 0, 4), 3);
    assert_int_equal(cnn_shape_pool(&padded, 0, 5), 3); /* a 4th would begin at 5 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bf16_rounds_to_the_nearest_even),
        cmocka_unit_test(elements_survive_a_round_trip),
        cmocka_unit_test(a_convolution_shrinks_by_its_kernel),
        cmocka_unit_test(pooling_rounds_up_if_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
