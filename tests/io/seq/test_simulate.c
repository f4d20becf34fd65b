/*
 * test_simulate.c - simulated sets are reproducible and follow their options.
 *
 * Divergence is measured as the edit distance divided by the longer length.
 */
#include "tests/support/unit_test.h"

#include "io/seq/alphabet.h"
#include "io/seq/simulate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static seqset_t *make(simulate_opts_t opts)
{
    seqset_t *set = NULL;

    assert_int_equal(simulate_make(&opts, &set), ST_OK);
    assert_non_null(set);
    assert_int_equal(set->n, opts.n);
    return set;
}

/* Sequences as they evolve: untrimmed and without ambiguity codes. */
static simulate_opts_t plain(int64_t n, int64_t length, int divergence_percent)
{
    simulate_opts_t opts = simulate_defaults();

    opts.n = n;
    opts.length = length;
    opts.divergence_percent = divergence_percent;
    opts.ambiguous_percent = 0;
    opts.trim_percent = 0;
    return opts;
}

static simulate_opts_t trimmed_and_ambiguous(int64_t n)
{
    simulate_opts_t opts = simulate_defaults();

    opts.n = n;
    return opts;
}

/* FNV-1a, independent of digest.h, which may change. */
static uint64_t fnv(uint64_t hash, const void *data, size_t len)
{
    const unsigned char *p = data;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t digest_of(simulate_opts_t opts)
{
    seqset_t *set = make(opts);
    uint64_t digest = fnv(UINT64_C(0xcbf29ce484222325), &set->n, sizeof(set->n));

    digest = fnv(digest, set->offset, (size_t)(set->n + 1) * sizeof(*set->offset));
    digest = fnv(digest, set->letters, (size_t)set->offset[set->n]);
    digest = fnv(digest, set->names, (size_t)set->name_offset[set->n]);

    seqset_destroy(set);
    return digest;
}

static bool same_bases(const seqset_t *set, int64_t i, int64_t j)
{
    return seqset_len(set, i) == seqset_len(set, j) &&
           memcmp(seqset_letters(set, i), seqset_letters(set, j),
                  (size_t)seqset_len(set, i)) == 0;
}

static int min_of(int a, int b)
{
    return a < b ? a : b;
}

static int edit_distance(const seqset_t *set, int64_t i, int64_t j)
{
    const uint8_t *a = seqset_letters(set, i), *b = seqset_letters(set, j);
    int m = (int)seqset_len(set, i), n = (int)seqset_len(set, j), distance;
    int *row = malloc(((size_t)n + 1) * sizeof(*row));

    assert_non_null(row);
    for (int y = 0; y <= n; y++)
        row[y] = y;
    for (int x = 1; x <= m; x++) {
        int diagonal = row[0];

        row[0] = x;
        for (int y = 1; y <= n; y++) {
            int up = row[y];
            int gap = min_of(up, row[y - 1]) + 1;

            row[y] = min_of(gap, diagonal + (a[x - 1] != b[y - 1]));
            diagonal = up;
        }
    }
    distance = row[n];
    free(row);
    return distance;
}

static int ascending(const void *a, const void *b)
{
    const int *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* @return the median divergence of 60 neighbouring pairs, in thousandths; since five
 * pairs in six are across the root, it is that of such a pair */
static int median_divergence(simulate_opts_t opts)
{
    enum { N_PAIRS = 60 };
    seqset_t *set = make(opts);
    int permille[N_PAIRS];

    assert_int_equal(set->n, N_PAIRS + 1);
    for (int k = 0; k < N_PAIRS; k++) {
        int64_t m = seqset_len(set, k), n = seqset_len(set, k + 1);

        permille[k] = (int)(1000 * edit_distance(set, k, k + 1) / (m > n ? m : n));
    }
    seqset_destroy(set);
    qsort(permille, N_PAIRS, sizeof(permille[0]), ascending);
    return permille[N_PAIRS / 2];
}

static int64_t n_ambiguous(const seqset_t *set, int64_t i)
{
    int64_t n = 0;

    for (int64_t k = 0; k < seqset_len(set, i); k++)
        n += !alphabet_is_base(ALPHABET_DNA, seqset_letters(set, i)[k]);
    return n;
}

static void fixed_options_give_the_same_bytes_as_in_every_version(void **state)
{
    simulate_opts_t opts = trimmed_and_ambiguous(20);

    (void)state;
    opts.length = 300;
    assert_true(digest_of(opts) == UINT64_C(0x9d51e50662782c5c));
}

static void the_same_seed_gives_the_same_set(void **state)
{
    (void)state;
    assert_true(digest_of(trimmed_and_ambiguous(50)) ==
                digest_of(trimmed_and_ambiguous(50)));
}

static void another_seed_gives_another_set(void **state)
{
    simulate_opts_t opts = trimmed_and_ambiguous(10);

    (void)state;
    opts.seed++;
    assert_true(digest_of(opts) != digest_of(trimmed_and_ambiguous(10)));
}

static void a_smaller_set_is_the_start_of_a_larger_one(void **state)
{
    seqset_t *small = make(trimmed_and_ambiguous(10));
    seqset_t *large = make(trimmed_and_ambiguous(30));

    (void)state;
    assert_memory_equal(small->offset, large->offset, 11 * sizeof(*small->offset));
    assert_memory_equal(small->letters, large->letters, (size_t)small->offset[10]);
    seqset_destroy(small);
    seqset_destroy(large);
}

static void sequences_are_named_from_sim1_on(void **state)
{
    seqset_t *set = make(trimmed_and_ambiguous(12));

    (void)state;
    assert_string_equal(seqset_name(set, 0), "sim1");
    assert_string_equal(seqset_name(set, 11), "sim12");
    seqset_destroy(set);
}

static void untrimmed_lengths_are_close_to_the_ancestor_s(void **state)
{
    seqset_t *set = make(plain(100, 1500, 25));

    (void)state;
    for (int64_t i = 0; i < set->n; i++)
        assert_in_range(seqset_len(set, i), 1425, 1575);
    assert_in_range(set->offset[set->n] / set->n, 1485, 1515);
    seqset_destroy(set);
}

static void sequences_are_trimmed_at_few_distinct_positions(void **state)
{
    simulate_opts_t opts = plain(200, 1000, 0);
    bool seen[1001] = {false};
    int n_lengths = 0;
    seqset_t *set;

    (void)state;
    opts.trim_percent = 10;
    set = make(opts);
    for (int64_t i = 0; i < set->n; i++) {
        assert_in_range(seqset_len(set, i), 800, 1000);
        n_lengths += !seen[seqset_len(set, i)];
        seen[seqset_len(set, i)] = true;
    }
    assert_in_range(n_lengths, 5, 25); /* no cut, or one of four, at each end */
    seqset_destroy(set);
}

static void divergence_follows_its_option(void **state)
{
    (void)state;
    assert_in_range(median_divergence(plain(61, 1500, 5)), 35, 60);
    assert_in_range(median_divergence(plain(61, 1500, 10)), 80, 120);
    assert_in_range(median_divergence(plain(61, 1500, 25)), 190, 250);
}

static void no_divergence_makes_all_sequences_equal(void **state)
{
    seqset_t *set = make(plain(20, 200, 0));

    (void)state;
    for (int64_t i = 1; i < set->n; i++)
        assert_true(same_bases(set, 0, i));
    seqset_destroy(set);
}

static void some_sequences_are_equal_and_some_similar(void **state)
{
    seqset_t *set = make(plain(300, 300, 25));
    int n_equal = 0, n_similar = 0;

    (void)state;
    for (int64_t i = 0; i < set->n; i++)
        for (int64_t j = 0; j < i; j++) {
            int n_differ = 0;

            if (seqset_len(set, i) != seqset_len(set, j))
                continue;
            for (int64_t k = 0; k < seqset_len(set, i); k++)
                n_differ += seqset_letters(set, i)[k] != seqset_letters(set, j)[k];
            n_equal += n_differ == 0;
            n_similar += n_differ > 0 && n_differ <= 9; /* at least 97 % */
        }
    assert_in_range(n_equal, 1, 300);
    assert_in_range(n_similar, 30, 3000);
    seqset_destroy(set);
}

static void the_number_of_ambiguous_sequences_follows_its_option(void **state)
{
    seqset_t *set = make(trimmed_and_ambiguous(1000));
    int n_with = 0;

    (void)state;
    for (int64_t i = 0; i < set->n; i++) {
        assert_in_range(n_ambiguous(set, i), 0, 8);
        n_with += n_ambiguous(set, i) > 0;
    }
    assert_in_range(n_with, 150, 250);
    seqset_destroy(set);
}

static void most_ambiguity_codes_are_n_and_the_others_stand_for_two_bases(void **state)
{
    simulate_opts_t opts = trimmed_and_ambiguous(200);
    int64_t count[DNA_SIZE] = {0}, n_two = 0;
    seqset_t *set;

    (void)state;
    opts.ambiguous_percent = 100;
    set = make(opts);
    for (int64_t i = 0; i < set->n; i++)
        assert_true(n_ambiguous(set, i) > 0);
    for (int64_t k = 0; k < set->offset[set->n]; k++)
        count[set->letters[k]]++;
    for (const char *letter = "RYKMSW"; *letter != '\0'; letter++) {
        assert_true(count[alphabet_code(ALPHABET_DNA, (unsigned char)*letter)] > 0);
        n_two += count[alphabet_code(ALPHABET_DNA, (unsigned char)*letter)];
    }
    for (const char *letter = "BDHV"; *letter != '\0'; letter++)
        assert_int_equal(count[alphabet_code(ALPHABET_DNA, (unsigned char)*letter)], 0);
    assert_int_equal(count[CODE_NONE], 0);
    assert_true(count[CODE_N] > 2 * n_two);
    seqset_destroy(set);
}

static void no_sequences_make_an_empty_set(void **state)
{
    seqset_t *set = make(trimmed_and_ambiguous(0));

    (void)state;
    assert_int_equal(set->offset[0], 0);
    seqset_destroy(set);
}

static void the_shortest_sequences_keep_at_least_one_base(void **state)
{
    (void)state;
    for (int64_t length = 1; length <= 5; length++) {
        simulate_opts_t opts = plain(200, length, 60);
        seqset_t *set;

        opts.trim_percent = 45;
        opts.ambiguous_percent = 50;
        set = make(opts);
        for (int64_t i = 0; i < set->n; i++)
            assert_true(seqset_len(set, i) >= 1);
        seqset_destroy(set);
    }
}

static void assert_refused(simulate_opts_t opts)
{
    seqset_t *set = NULL;

    assert_int_equal(simulate_make(&opts, &set), ST_EUSAGE);
    assert_null(set);
}

static void options_out_of_range_are_refused(void **state)
{
    simulate_opts_t opts;

    (void)state;
    assert_refused(plain(-1, 100, 25));
    assert_refused(plain(1000000001, 100, 25));
    assert_refused(plain(1, 0, 25));
    assert_refused(plain(1, 10000001, 25));
    assert_refused(plain(1, 100, -1));
    assert_refused(plain(1, 100, 61));
    opts = plain(1, 100, 25);
    opts.ambiguous_percent = 101;
    assert_refused(opts);
    opts.ambiguous_percent = -1;
    assert_refused(opts);
    opts = plain(1, 100, 25);
    opts.trim_percent = 46;
    assert_refused(opts);
    opts.trim_percent = -1;
    assert_refused(opts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_options_give_the_same_bytes_as_in_every_version),
        cmocka_unit_test(the_same_seed_gives_the_same_set),
        cmocka_unit_test(another_seed_gives_another_set),
        cmocka_unit_test(a_smaller_set_is_the_start_of_a_larger_one),
        cmocka_unit_test(sequences_are_named_from_sim1_on),
        cmocka_unit_test(untrimmed_lengths_are_close_to_the_ancestor_s),
        cmocka_unit_test(sequences_are_trimmed_at_few_distinct_positions),
        cmocka_unit_test(divergence_follows_its_option),
        cmocka_unit_test(no_divergence_makes_all_sequences_equal),
        cmocka_unit_test(some_sequences_are_equal_and_some_similar),
        cmocka_unit_test(the_number_of_ambiguous_sequences_follows_its_option),
        cmocka_unit_test(most_ambiguity_codes_are_n_and_the_others_stand_for_two_bases),
        cmocka_unit_test(no_sequences_make_an_empty_set),
        cmocka_unit_test(the_shortest_sequences_keep_at_least_one_base),
        cmocka_unit_test(options_out_of_range_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
