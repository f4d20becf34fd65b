/*
 * test_seg.c - regions of low complexity, as NCBI's segmasker 1.0 prints them in lower
 * case.
 */
#include "tests/support/unit_test.h"

#include "io/seq/seg.h"

#include <ctype.h>
#include <string.h>

/* Lower case is what is masked with seg_usual. */
static const char *const proteins[] = {
    "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEkavqvkvkqqqqqqqqqqqqqqpapapapa"
    "papkaLPDAQFEVVHSLAKWKRQTLGQHDFSAGEGLYTHMKALRPDEDRLSPLHSVYVDQWDWERVMGDGE",
    "MseeeekeekkeededdsssGKSWLTRANPVGCHYFIMQRWTLP",
    "MXXXXXXXXXXXXXXXXXXKRNWDTCaaaaaaaaaaaabzXUO*", /* few other letters, or many */
    "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq",
    "AAAAAAAAAAA", /* shorter than a window */
    "MKVLATGDERWCHIYNPQSFMKVLATGDERWCHIYNPQSF",
    "X",
    "MKWVTlagavllagsaalagEDTRKPQNFHIYWC"};

/* With seg_light it is the same (`segmasker -window 10 -locut 1.8 -hicut 2.1`), but for
 * two: one that is longer than a window then, and one that is complex enough. */
enum { ONLY_LIGHT = 4, ONLY_USUAL = 7 };

enum { N_PROTEINS = sizeof(proteins) / sizeof(proteins[0]), COPIES = 50 };

static seqset_t *make_set(void)
{
    seqset_builder_t b = {.alphabet = ALPHABET_PROTEIN};
    seqset_t *set;

    for (int i = 0; i < N_PROTEINS * COPIES; i++) {
        const char *text = proteins[i % N_PROTEINS];
        const size_t len = strlen(text);
        uint8_t codes[256];

        for (size_t k = 0; k < len; k++)
            codes[k] = alphabet_code(ALPHABET_PROTEIN, (unsigned char)text[k]);
        assert_int_equal(seqset_builder_add(&b, "p", 1, codes, len), ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&b, &set), ST_OK);
    return set;
}

static bool is_masked(const seg_opts_t *opts, int64_t i, int64_t k)
{
    const int64_t at = i % N_PROTEINS;

    if (opts == &seg_light && (at == ONLY_LIGHT || at == ONLY_USUAL))
        return at == ONLY_LIGHT;
    return islower((unsigned char)proteins[at][k]);
}

static void assert_masked(const seg_opts_t *opts, const seqset_t *set, int64_t i)
{
    for (int64_t k = 0; k < seqset_len(set, i); k++)
        assert_int_equal(alphabet_letter(ALPHABET_PROTEIN, seqset_letters(set, i)[k]),
                         is_masked(opts, i, k)
                             ? 'X'
                             : toupper((unsigned char)proteins[i % N_PROTEINS][k]));
}

static void assert_regions(const seg_opts_t *opts, int n_threads)
{
    seqset_t *set = make_set();
    int64_t n_masked, n_sequences, want = 0;
    pool_t *pool = NULL;

    for (int64_t i = 0; i < N_PROTEINS; i++)
        for (int64_t k = 0; k < seqset_len(set, i); k++)
            want += is_masked(opts, i, k);
    assert_int_equal(pool_create(n_threads, &pool), ST_OK);
    assert_int_equal(seg_mask(pool, opts, set, &n_masked, &n_sequences), ST_OK);
    assert_int_equal(n_masked, want * COPIES);
    assert_int_equal(n_sequences, 5 * COPIES);
    for (int64_t i = 0; i < set->n; i++)
        assert_masked(opts, set, i);
    pool_destroy(pool);
    seqset_destroy(set);
}

static void regions_are_those_of_segmasker(void **state)
{
    (void)state;
    for (int n_threads = 1; n_threads <= 3; n_threads++) {
        assert_regions(&seg_usual, n_threads);
        assert_regions(&seg_light, n_threads);
    }
}

static void an_empty_set_stays_empty(void **state)
{
    seqset_builder_t b = {.alphabet = ALPHABET_PROTEIN};
    int64_t n_masked, n_sequences;
    seqset_t *set;

    (void)state;
    assert_int_equal(seqset_builder_finish(&b, &set), ST_OK);
    assert_int_equal(seg_mask(NULL, &seg_usual, set, &n_masked, &n_sequences), ST_OK);
    assert_int_equal(n_masked + n_sequences, 0);
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(regions_are_those_of_segmasker),
                                       cmocka_unit_test(an_empty_set_stays_empty)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
