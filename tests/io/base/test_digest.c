/*
 * test_digest.c - what differs at all has another digest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/base/digest.h"
#include "io/base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 67, MANY = 200000 };

static void every_bit_counts(void **state)
{
    unsigned char data[LONGEST];
    rng_t rng = rng_seed(3);

    (void)state;
    for (size_t i = 0; i < LONGEST; i++)
        data[i] = (unsigned char)rng_below(&rng, 256);
    for (size_t len = 1; len <= LONGEST; len++) {
        uint64_t digest = digest_add(DIGEST_START, data, len);

        for (size_t bit = 0; bit < 8 * len; bit++) {
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_true(digest_add(DIGEST_START, data, len) != digest);
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        assert_true(digest_add(DIGEST_START, data, len) == digest);
        assert_true(digest_add(DIGEST_START + 1, data, len) != digest);
    }
}

static void zeros_count(void **state)
{
    static const unsigned char zeros[LONGEST];
    uint64_t digest[LONGEST];

    (void)state;
    for (size_t len = 0; len < LONGEST; len++) {
        digest[len] = digest_add(DIGEST_START, zeros, len);
        for (size_t k = 0; k < len; k++)
            assert_true(digest[k] != digest[len]);
    }
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Genes that differ in up to nine letters, each pair of them in one at least: 64 bits of
 * chance would not meet among so few. */
static void near_genes_do_not_meet(void **state)
{
    unsigned char gene[1500];
    uint64_t *digests = malloc(MANY * sizeof(*digests));
    rng_t rng = rng_seed(4);

    (void)state;
    assert_non_null(digests);
    for (size_t i = 0; i < sizeof(gene); i++)
        gene[i] = (unsigned char)(1u << rng_below(&rng, 4));
    for (int64_t k = 0; k < MANY; k++) {
        for (int digit = 0; digit < 9; digit++)
            gene[160 * digit + 7] = (unsigned char)(1u << (k >> 2 * digit & 3));
        digests[k] = digest_add(DIGEST_START, gene, sizeof(gene));
    }
    qsort(digests, MANY, sizeof(*digests), compare);
    for (int64_t k = 1; k < MANY; k++)
        assert_true(digests[k] != digests[k - 1]);
    free(digests);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(zeros_count),
        cmocka_unit_test(near_genes_do_not_meet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
