/*
 * test_kmer_images.c - sequences as images of their 6-mers.
 */
#include "tests/support/unit_test.h"

#include "io/images/image_read.h"
#include "io/seq/alphabet.h"

#include <string.h>

enum { N = KMER_IMAGES_SIDE * KMER_IMAGES_SIDE };

static float image[N];

static void draw(const char *letters)
{
    uint8_t codes[64];
    size_t n = strlen(letters);

    for (size_t i = 0; i < n; i++)
        codes[i] = alphabet_code(ALPHABET_DNA, (unsigned char)letters[i]);
    kmer_images_draw(codes, (int64_t)n, image);
}

static int n_set(void)
{
    int n = 0;

    for (int k = 0; k < N; k++)
        n += image[k] != 0;
    return n;
}

/* The corners are A C above T G. */
static void runs_of_one_base_are_the_corners(void **state)
{
    const int last = KMER_IMAGES_SIDE - 1;

    (void)state;
    draw("AAAAAA");
    assert_true(image[0] == N);
    draw("CCCCCC");
    assert_true(image[last] == N);
    draw("TTTTTT");
    assert_true(image[last * KMER_IMAGES_SIDE] == N);
    draw("GGGGGG");
    assert_true(image[last * KMER_IMAGES_SIDE + last] == N);
    assert_int_equal(n_set(), 1);
}

static void the_last_base_decides_the_quarter(void **state)
{
    (void)state;
    draw("AAAAAG");
    assert_true(image[32 * KMER_IMAGES_SIDE + 32] == N);
    draw("GAAAAA");
    assert_true(image[KMER_IMAGES_SIDE + 1] == N);
}

static void values_are_shares_with_mean_1(void **state)
{
    (void)state;
    draw("AAAAAAAC"); /* AAAAAA twice, AAAAAC once */
    assert_true(image[0] == 2 * (N / 3.0F));
    assert_true(image[32] == N / 3.0F);
    assert_int_equal(n_set(), 2);
}

static void ambiguity_codes_break_kmers(void **state)
{
    (void)state;
    draw("AAAAANAAAAAA");
    assert_true(image[0] == N);
    assert_int_equal(n_set(), 1);
    draw("AAAAANAAAAA");
    assert_int_equal(n_set(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_one_base_are_the_corners),
        cmocka_unit_test(the_last_base_decides_the_quarter),
        cmocka_unit_test(values_are_shares_with_mean_1),
        cmocka_unit_test(ambiguity_codes_break_kmers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
