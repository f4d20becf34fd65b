/* test_cnn_draw.c - the vectors of the authors' Random123, and the numbers of elements.
 */
#include "kernels/cnn/common/cnn_draw.h"

#include "tests/support/unit_test.h"

static void expect(philox_t counter, uint64_t key, philox_t expected)
{
    philox_t bits = philox_bits(counter, key);

    for (int i = 0; i < 4; i++)
        assert_int_equal(bits.word[i], expected.word[i]);
}

/* kat_vectors of Random123, philox4x32 with 10 rounds */
static void published_vectors_hold(void **state)
{
    (void)state;
    expect((philox_t){{0, 0, 0, 0}}, 0,
           (philox_t){{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
    expect((philox_t){{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, UINT64_MAX,
           (philox_t){{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
    expect((philox_t){{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
           UINT64_C(0x299f31d0a4093822),
           (philox_t){{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

static void an_element_takes_its_word_of_its_block(void **state)
{
    uint64_t seed = UINT64_C(0x299f31d0a4093822), block = UINT64_C(0x85a308d3243f6a88);

    (void)state;
    assert_int_equal(cnn_draw(seed, 0x03707344, 0x13198a2e, 0), /* of another block */
                     cnn_draw_block(seed, 0x03707344, 0x13198a2e, 0).word[0]);
    assert_int_equal(cnn_draw_block(seed, 0x03707344, 0x13198a2e, block).word[0],
                     0xd16cfe09);
    assert_int_equal(cnn_draw(1, 2, 3, 4 * 5 + 2), cnn_draw_block(1, 2, 3, 5).word[2]);
}

static void a_fraction_p_is_below_the_limit(void **state)
{
    (void)state;
    assert_int_equal(cnn_draw_limit(0), 0);
    assert_int_equal(cnn_draw_limit(0.5), 0x80000000);
    assert_int_equal(cnn_draw_limit(0.25), 0x40000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors_hold),
        cmocka_unit_test(an_element_takes_its_word_of_its_block),
        cmocka_unit_test(a_fraction_p_is_below_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
