/*
 * test_filter_kmers.c - filter_kmers.c: vectors, dropped windows and excess windows are
 * those of the definition, for each whole sequence, start and end by itself.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/filter/filter_backend.h"
#include "tests/support/pool_fixture.h"
#include "tests/support/random_set.h"

#include <string.h>

enum { BITS_MAX = 1 << FILTER_LOG_MAX };

/* A vector in the making, one byte per bit. */
typedef struct {
    uint8_t is_set[BITS_MAX];
    int32_t dropped, excess, one_kmer, bits;
} plain_t;

/* What a test makes vectors of, and how. */
typedef struct {
    const seqset_t *set;
    filter_params_t params;
    int64_t n_several, n_excess; /* windows of several k-mers, and excess windows */
} case_t;

/* @return a k-mer's bit, written again here: the test compares which bits are set */
static uint32_t bit_of(uint32_t kmer, int k, int log_bits)
{
    uint64_t x = kmer;

    if (2 * k <= log_bits)
        return kmer;
    x *= UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(x >> (64 - log_bits));
}

/* @return how many k-mers k letters can stand for */
static int64_t n_kmers_of(const filter_params_t *params, const uint8_t *letters)
{
    int64_t n = 1;

    for (int i = 0; i < params->bound.k; i++)
        n *= __builtin_popcount(params->set_of[letters[i]]);
    return n;
}

/* @return number k of the k-mers that bound.k letters can stand for */
static uint32_t kmer_of(const filter_params_t *params, const uint8_t *letters, int64_t k)
{
    uint32_t kmer = 0;

    for (int i = 0; i < params->bound.k; i++) {
        int set = params->set_of[letters[i]], n = __builtin_popcount(set), base = -1;

        for (int64_t left = k % n; left >= 0; left--)
            do
                base++;
            while ((set >> base & 1) == 0);
        k /= n;
        kmer = kmer << 2 | (uint32_t)base;
    }
    return kmer;
}

static void add_plainly(const filter_params_t *params, const uint8_t *letters,
                        int log_bits, plain_t *p)
{
    int64_t n = n_kmers_of(params, letters);
    bool met = false;

    p->dropped += n > FILTER_WINDOW_KMERS_MAX;
    if (n > FILTER_WINDOW_KMERS_MAX)
        return;
    for (int64_t k = 0; k < n; k++)
        met |= p->is_set[bit_of(kmer_of(params, letters, k), params->bound.k, log_bits)];
    for (int64_t k = 0; k < n; k++) {
        uint32_t bit = bit_of(kmer_of(params, letters, k), params->bound.k, log_bits);

        p->bits += !p->is_set[bit];
        p->is_set[bit] = 1;
    }
    p->excess += met;
    p->one_kmer += n == 1;
}

static void assert_vector(const plain_t *expected, const uint64_t *actual, int log_bits)
{
    for (int bit = 0; bit < 1 << log_bits; bit++)
        if ((actual[bit / 64] >> bit % 64 & 1) != expected->is_set[bit])
            fail_msg("bit %d is %d", bit, !expected->is_set[bit]);
}

/* Check the vector of letters `from` .. to-1 of sequence i; windows are added from the
 * last one on if `backwards`. @return dropped windows */
static int32_t check_piece(case_t *c, int64_t i, int64_t from, int64_t to, bool backwards,
                           int log_bits, const uint64_t *actual, int32_t excess)
{
    static plain_t expected;
    const uint8_t *letters = seqset_letters(c->set, i);
    int64_t n = to - from - c->params.bound.k + 1, n_kmers = 0, n_put = 0;

    memset(&expected, 0, sizeof(expected));
    for (int64_t k = 0; k < n; k++) {
        const uint8_t *window = letters + (backwards ? from + n - 1 - k : from + k);

        add_plainly(&c->params, window, log_bits, &expected);
        n_kmers = n_kmers_of(&c->params, window);
        n_put += n_kmers > 0 && n_kmers <= FILTER_WINDOW_KMERS_MAX;
    }
    assert_vector(&expected, actual, log_bits);
    assert_int_equal(excess, expected.excess);
    if (n_put == expected.one_kmer) /* then the order does not matter */
        assert_int_equal(excess, n_put - expected.bits);
    c->n_several += n_put - expected.one_kmer;
    c->n_excess += excess;
    return expected.dropped;
}

/* Check sequence i of the set, which is number `at` of those made. */
static void check_sequence(case_t *c, const filter_kmers_t *g, int64_t i, int64_t at)
{
    const filter_seq_t *s = &g->seqs[at];
    int64_t len = seqset_len(c->set, i);
    int log_bits = c->params.log_bits;

    assert_int_equal(s->len, len);
    assert_int_equal(s->dropped, check_piece(c, i, 0, len, false, log_bits,
                                             g->whole + at * g->n_words, s->excess));
    if (c->params.goal.ends != ENDS_FREE) {
        assert_int_equal(g->n_end_words, 0);
        return;
    }
    assert_int_equal(g->n_end_words, g->n_words / 2);
    for (int k = 0; k < FILTER_BINS; k++) {
        int64_t in = filter_goal_bin_end(&c->params.goal, len, k);

        check_piece(c, i, 0, in, false, log_bits - 1, filter_kmers_end(g, at, 0, k),
                    s->end_excess[0][k]);
        check_piece(c, i, len - in, len, true, log_bits - 1,
                    filter_kmers_end(g, at, 1, k), s->end_excess[1][k]);
    }
}

static void check_range(case_t *c, filter_range_t range)
{
    filter_kmers_t *g;

    assert_int_equal(filter_kmers_create(pool, c->set, &c->params, range, &g), ST_OK);
    assert_int_equal(g->n, range.n);
    assert_int_equal(g->n_words, (1 << c->params.log_bits) / 64);
    for (int64_t at = 0; at < range.n; at++)
        check_sequence(c, g, range.listed != NULL ? range.listed[at] : range.first + at,
                       at);
    filter_kmers_destroy(g);
}

/* Make and check the vectors of a set in one of the ways; k chooses. */
static void check_set(case_t *c, int k)
{
    static const struct {
        int k, log_bits;
    } sizes[] = {{5, 10}, {5, 12}, {6, 12}, {7, 14}, {8, 13}, {10, 16}, {12, 11}};
    static const fraction_t overlaps[] = {{1, 2}, {0, 1}, {1, 1}, {1, 10}, {9, 10}};
    align_spec_t spec = {.ends = (align_ends_t)(k % 4 < 3 ? k % 4 : ENDS_FREE),
                         .min_overlap = overlaps[k % 5]};

    c->params = (filter_params_t){.log_bits = sizes[k % 7].log_bits};
    assert_int_equal(filter_goal_set(&spec, (fraction_t){97, 100}, &c->params.goal),
                     ST_OK);
    for (int a = 1; a < DNA_SIZE;
         a++) /* N matches nothing in every other set, and everything in the others */
        c->params.set_of[a] = a == CODE_N && k % 2 == 0 ? 0 : (uint8_t)a;
    assert_int_equal(filter_bound_create(&c->params.goal, sizes[k % 7].k,
                                         seqset_max_len(c->set), &c->params.bound),
                     ST_OK);
    check_range(c, (filter_range_t){.n = c->set->n});
    filter_bound_free(&c->params.bound);
}

static void vectors_of_random_sequences_are_as_defined(void **state)
{
    static const random_set_opts_t kinds[] = {{24, 1, 16, 50},
                                              {24, 1, 150, 50},
                                              {16, 100, 400, 40},
                                              {16, 1, 1500, 50}};
    rng_t rng = rng_seed(21);
    case_t c = {0};

    (void)state;
    for (int k = 0; k < 140 / RANDOM_SET_DIVISOR; k++) {
        seqset_t *set;

        assert_int_equal(random_set_create(&rng, &kinds[k / 2 % 4], &set), ST_OK);
        c.set = set;
        check_set(&c, k);
        seqset_destroy(set);
    }
    assert_true(c.n_several > 10000 &&
                c.n_excess > 10000); /* otherwise they were not tested */
}

/* Sequences about as long as a window, ambiguity codes that make windows dropped, runs of
 * N. */
static void vectors_of_corner_cases_are_as_defined(void **state)
{
    case_t c = {0};
    seqset_t *set;

    (void)state;
    assert_int_equal(
        random_set_spell(
            "A AC ACGT ACGTA ACGTAC ACGTACG ACGTACGT ACGTACGTACGTACG A300 N40 "
            "ACGTN9ACGTACGTACGTN12ACGTACGTAGGCATTAGC N20ACGTACGATTAGC "
            "GATTACAGATTACATN20 R30 ACGRACGYACGTTKAC B4ACGTACGTACTGCATB4 "
            "ACGTGCTAGCTAGBBBGCATTAGCATGCVVACTGCATTAGCACATGT",
            &set),
        ST_OK);
    c.set = set;
    for (int k = 0; k < 140; k++)
        check_set(&c, k);
    seqset_destroy(set);
}

static void sequences_of_a_range_or_a_list_are_made_alone(void **state)
{
    const random_set_opts_t opts = {30, 1, 300, 40};
    const int64_t listed[] = {29, 3, 3, 17, 0};
    rng_t rng = rng_seed(22);
    align_spec_t spec = {.ends = ENDS_FREE, .min_overlap = {1, 2}};
    case_t c = {.params = {.log_bits = 10}};
    seqset_t *set;

    (void)state;
    assert_int_equal(random_set_create(&rng, &opts, &set), ST_OK);
    c.set = set;
    for (int a = 1; a < CODE_N; a++)
        c.params.set_of[a] = (uint8_t)a;
    assert_int_equal(filter_goal_set(&spec, (fraction_t){9, 10}, &c.params.goal), ST_OK);
    assert_int_equal(filter_bound_create(&c.params.goal, 6, 300, &c.params.bound), ST_OK);
    check_range(&c, (filter_range_t){.first = 11, .n = 13});
    check_range(&c, (filter_range_t){.n = 5, .listed = listed});
    check_range(&c, (filter_range_t){.first = 30, .n = 0});
    filter_bound_free(&c.params.bound);
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_random_sequences_are_as_defined),
        cmocka_unit_test(vectors_of_corner_cases_are_as_defined),
        cmocka_unit_test(sequences_of_a_range_or_a_list_are_made_alone)};

    return cmocka_run_group_tests(tests, pool_fixture_start, pool_fixture_stop);
}
