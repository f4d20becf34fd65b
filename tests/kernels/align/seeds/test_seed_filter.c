/*
 * test_seed_filter.c - pairs share seeds by hand, and as the definition says.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "io/seq/matrix_file.h"
#include "kernels/align/seeds/seed_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEN_MAX = 700, N_QUERIES = 20, N_TARGETS = 40 };

static align_scoring_t scoring;

static int64_t encode(const char *text, uint8_t *out)
{
    const int64_t n = (int64_t)strlen(text);

    for (int64_t i = 0; i < n; i++)
        out[i] = alphabet_code(ALPHABET_PROTEIN, (unsigned char)text[i]);
    return n;
}

/* By both ways, which have to agree. */
static bool passes(const char *query, const char *target)
{
    uint8_t a[LEN_MAX], b[LEN_MAX];
    const int64_t m = encode(query, a), n = encode(target, b);
    seed_filter_t *f;
    bool got;

    assert_int_equal(seed_filter_create(&scoring, &f), ST_OK);
    assert_int_equal(seed_filter_set(f, a, m), ST_OK);
    got = seed_filter_passes(f, b, n);
    assert_int_equal(got, seed_reference_passes(&scoring, a, m, b, n));
    seed_filter_destroy(f);
    return got;
}

static void two_hits_and_a_score_are_needed(void **state)
{
    (void)state;
    /* W W W: 33; with C and H: 33 + 9 + 8 = 50, but WWW, WWC, WCH overlap */
    assert_false(passes("WWWCH", "WWWCH"));
    /* the second word does not overlap the first: 4 W are 44 */
    assert_true(passes("WWWCHH", "WWWCHH"));
    /* two hits, of 3 x 6 = 18 each: 36 */
    assert_false(passes("GGGGGG", "GGGGGG"));
    assert_true(passes("GGGGGGG", "GGGGGGG"));
}

/* WWW, n X and WWWW: XWW hits, too, n + 2 columns behind the first one. */
static const char *apart(int n, char out[LEN_MAX])
{
    snprintf(out, LEN_MAX, "WWW%.*sWWWW", n,
             "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX");
    return out;
}

static void hits_are_near_each_other_on_one_diagonal(void **state)
{
    char a[LEN_MAX], b[LEN_MAX];

    (void)state;
    assert_true(passes(apart(38, a), a));
    assert_false(passes(apart(39, a), a));
    assert_false(passes(apart(20, a), apart(24, b)));
}

static void nothing_is_shared_by_proteins_shorter_than_a_word(void **state)
{
    (void)state;
    assert_false(passes("", "WWWWWWWW"));
    assert_false(passes("WW", "WWWWWWWW"));
    assert_false(passes("WWWWWWWW", "WW"));
    assert_false(passes("XXXXXXXXXXXXXXXX", "XXXXXXXXXXXXXXXX"));
}

/* 136 words hit a place of W: those with two, and with one where the others score 0. */
static void a_query_that_too_many_words_hit_passes(void **state)
{
    enum { M = (1 << 26) / 136 + SEED_WORD };
    uint8_t *w = malloc(M);
    seed_filter_t *f;

    (void)state;
    assert_non_null(w);
    memset(w, alphabet_code(ALPHABET_PROTEIN, 'W'), M);
    assert_int_equal(seed_filter_create(&scoring, &f), ST_OK);
    assert_int_equal(seed_filter_set(f, w, M), ST_OK);
    assert_true(seed_filter_passes(f, w, SEED_WORD));
    assert_int_equal(seed_filter_set(f, w, 2 * SEED_WORD), ST_OK);
    assert_false(seed_filter_passes(f, w, SEED_WORD));
    seed_filter_destroy(f);
    free(w);
}

/* A random protein, of letters of any kind now and then, with a part of another one. */
static int64_t make_protein(rng_t *rng, const uint8_t *other, int64_t n_other,
                            uint8_t *out)
{
    static const char usual[] = "LAGVESIKRDTPNQFYMHCWLAGVES";
    const int64_t n = (int64_t)rng_below(rng, LEN_MAX);
    int64_t from, to, len;

    for (int64_t i = 0; i < n; i++)
        out[i] =
            rng_below(rng, 50) == 0
                ? (uint8_t)(1 + rng_below(rng, PROTEIN_SIZE - 1))
                : alphabet_code(ALPHABET_PROTEIN,
                                (unsigned char)usual[rng_below(rng, sizeof(usual) - 1)]);
    if (n_other < 20 || n < 20 || rng_below(rng, 3) == 0)
        return n;
    len = 3 + (int64_t)rng_below(rng, 17);
    from = (int64_t)rng_below(rng, (uint64_t)(n_other - len + 1));
    to = (int64_t)rng_below(rng, (uint64_t)(n - len + 1));
    memcpy(out + to, other + from, (size_t)len);
    return n;
}

static void passing_is_as_the_definition_says(void **state)
{
    uint8_t a[LEN_MAX], b[LEN_MAX];
    rng_t rng = rng_seed(1);
    seed_filter_t *f;
    int n_passed = 0;

    (void)state;
    assert_int_equal(seed_filter_create(&scoring, &f), ST_OK);
    for (int k = 0; k < N_QUERIES; k++) {
        const int64_t m = make_protein(&rng, NULL, 0, a);

        assert_int_equal(seed_filter_set(f, a, m), ST_OK);
        for (int t = 0; t < N_TARGETS; t++) {
            const int64_t n = make_protein(&rng, a, m, b);
            const bool got = seed_filter_passes(f, b, n);

            assert_int_equal(got, seed_reference_passes(&scoring, a, m, b, n));
            n_passed += got;
        }
    }
    assert_in_range(n_passed, N_QUERIES * N_TARGETS / 20, N_QUERIES * N_TARGETS * 9 / 10);
    seed_filter_destroy(f);
}

static int set_scoring(void **state)
{
    score_matrix_t matrix;

    (void)state;
    if (!named_matrix_find("BLOSUM62", &matrix))
        return 1;
    memcpy(scoring.score, matrix.score, sizeof(scoring.score));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_hits_and_a_score_are_needed),
        cmocka_unit_test(hits_are_near_each_other_on_one_diagonal),
        cmocka_unit_test(nothing_is_shared_by_proteins_shorter_than_a_word),
        cmocka_unit_test(a_query_that_too_many_words_hit_passes),
        cmocka_unit_test(passing_is_as_the_definition_says),
    };

    return cmocka_run_group_tests(tests, set_scoring, NULL);
}
