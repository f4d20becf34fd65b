/* test_cnn_scratch.c - memory of the arena that is idle at a step. */
#include "tests/support/unit_test.h"

#include "kernels/cnn/common/cnn_scratch.h"

/* @return a tensor of n times 256 bytes */
static cnn_tensor_t tensor(int64_t n, size_t at, int first, int last)
{
    return (cnn_tensor_t){.size = {n, 64, 1, 1},
                          .role = CNN_ACTIVATION,
                          .offset = at * 256,
                          .first_step = first,
                          .last_step = last};
}

/* The arena is 10 times 256 bytes:  step 0: aaab......  1: ...b.c....  2: aaa..c.... */
static void the_largest_part_that_no_tensor_has_is_idle(void **state)
{
    cnn_tensor_t tensors[] = {tensor(3, 0, 2, 0), tensor(1, 3, 0, 1),
                              tensor(1, 5, 1, 2), tensor(10, 0, 0, 2),
                              tensor(9, 0, 0, 2), tensor(9, 0, -1, -1)};
    const cnn_program_t p = {.tensors = tensors, .n_tensors = 6, .arena_bytes = 2560};
    size_t at = 0;

    (void)state;
    tensors[3].on_host = true; /* lies elsewhere */
    tensors[4].part_of = 1;    /* of which `a` is the whole */
    assert_int_equal(cnn_scratch_idle(&p, 0, &at), 6 * 256);
    assert_int_equal(at, 4 * 256);
    assert_int_equal(cnn_scratch_idle(&p, 1, &at), 4 * 256);
    assert_int_equal(at, 6 * 256);
    tensors[2].offset = 9 * 256;
    assert_int_equal(cnn_scratch_idle(&p, 2, &at), 6 * 256);
    assert_int_equal(at, 3 * 256);
    tensors[1] = tensor(10, 0, 0, 2);
    assert_int_equal(cnn_scratch_idle(&p, 1, &at), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_part_that_no_tensor_has_is_idle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
