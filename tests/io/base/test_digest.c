/*
 * test_digest.c - different inputs have different digests.
 */
#include "tests/support/unit_test.h"

#include "io/base/digest.h"
#include "io/base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LEN = 67, N_GENES = 200000 };

static void every_bit_changes_the_digest(void **state)
{
    unsigned char data[MAX_LEN];
    rng_t rng = rng_seed(3);

    (void)state;
    for (size_t i = 0; i < MAX_LEN; i++)
        data[i] = (unsigned char)rng_below(&rng, 256);
    for (size_t len = 1; len <= MAX_LEN; len++) {
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

static void every_bit_changes_the_digest_at_its_place(void **state)
{
    unsigned char data[MAX_LEN];
    rng_t rng = rng_seed(4);

    (void)state;
    for (size_t i = 0; i < MAX_LEN; i++)
        data[i] = (unsigned char)rng_below(&rng, 256);
    for (uint64_t at = 0; at < 10; at++) {
        uint64_t digest = digest_at(at, data, MAX_LEN);

        assert_true(digest_at(at + 1, data, MAX_LEN) != digest);
        for (size_t bit = 0; bit < 8 * MAX_LEN; bit++) {
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_true(digest_at(at, data, MAX_LEN) != digest);
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
}

static void the_digest_of_parts_is_the_sum_of_theirs(void **state)
{
    static const unsigned char zeros[MAX_LEN];
    unsigned char data[MAX_LEN];
    rng_t rng = rng_seed(5);

    (void)state;
    for (size_t i = 0; i < MAX_LEN; i++)
        data[i] = (unsigned char)rng_below(&rng, 256);
    for (uint64_t at = 0; at < 10; at++)
        for (size_t len = 0; len <= MAX_LEN; len++)
            assert_true(digest_at(at, data, len) +
                            digest_at(at + len, data + len, MAX_LEN - len) ==
                        digest_at(at, data, MAX_LEN));
    assert_true(digest_at(3, zeros, MAX_LEN) == 0);
}

static void the_number_of_zero_bytes_changes_the_digest(void **state)
{
    static const unsigned char zeros[MAX_LEN];
    uint64_t digest[MAX_LEN];

    (void)state;
    for (size_t len = 0; len < MAX_LEN; len++) {
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

/* Genes that differ from each other in one to nine bases.  Among so few, random 64-bit
 * numbers would not collide either. */
static void similar_genes_do_not_collide(void **state)
{
    unsigned char gene[1500];
    uint64_t *digests = malloc(N_GENES * sizeof(*digests));
    rng_t rng = rng_seed(4);

    (void)state;
    assert_non_null(digests);
    for (size_t i = 0; i < sizeof(gene); i++)
        gene[i] = (unsigned char)(1u << rng_below(&rng, 4));
    for (int64_t k = 0; k < N_GENES; k++) {
        for (int digit = 0; digit < 9; digit++)
            gene[160 * digit + 7] = (unsigned char)(1u << (k >> 2 * digit & 3));
        digests[k] = digest_add(DIGEST_START, gene, sizeof(gene));
    }
    qsort(digests, N_GENES, sizeof(*digests), compare);
    for (int64_t k = 1; k < N_GENES; k++)
        assert_true(digests[k] != digests[k - 1]);
    free(digests);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_changes_the_digest),
        cmocka_unit_test(every_bit_changes_the_digest_at_its_place),
        cmocka_unit_test(the_digest_of_parts_is_the_sum_of_theirs),
        cmocka_unit_test(the_number_of_zero_bytes_changes_the_digest),
        cmocka_unit_test(similar_genes_do_not_collide),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
