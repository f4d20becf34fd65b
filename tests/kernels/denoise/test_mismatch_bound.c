/*
 * test_mismatch_bound.c - which pairs the bound of mismatches rules out.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "io/pairs/identity_def.h"
#include "kernels/align/common/nw_reference.h"
#include "kernels/denoise/mismatch_bound.h"

#include <stdlib.h>
#include <string.h>

enum { LEN = 100, LEN_MAX = 130, MUTANTS = 600 };

static mismatch_words_t words;

typedef struct {
    uint8_t letters[LEN_MAX];
    int64_t len;
} sequence_t;

/* @return whether the bound passes two sequences */
static bool passes(const sequence_t *a, const sequence_t *b, int64_t max_mismatches)
{
    seqset_builder_t builder = {.alphabet = ALPHABET_DNA};
    seqset_t *set;
    mismatch_bound_t *bound;
    bool may;

    assert_int_equal(seqset_builder_add(&builder, "a", 1, a->letters, (size_t)a->len),
                     ST_OK);
    assert_int_equal(seqset_builder_add(&builder, "b", 1, b->letters, (size_t)b->len),
                     ST_OK);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    assert_int_equal(mismatch_bound_create(set, &bound), ST_OK);
    memset(&words, 0, sizeof(words));
    words.read = -1;
    mismatch_bound_set(bound, 1, &words);
    mismatch_bound_set(bound, 0, &words);
    may = mismatch_bound_may(bound, &words, 1, max_mismatches);
    mismatch_bound_destroy(bound);
    seqset_destroy(set);
    return may;
}

static sequence_t make(rng_t *rng)
{
    sequence_t s = {.len = LEN};

    for (int i = 0; i < LEN; i++)
        s.letters[i] = (uint8_t)(1 << rng_below(rng, 4));
    return s;
}

static void substitute(sequence_t *s, int64_t at)
{
    s->letters[at] = s->letters[at] == 1 ? 2 : 1;
}

static void erase(sequence_t *s, int64_t at)
{
    memmove(s->letters + at, s->letters + at + 1, (size_t)(s->len - at - 1));
    s->len--;
}

static void insert(sequence_t *s, int64_t at, uint8_t code)
{
    memmove(s->letters + at + 1, s->letters + at, (size_t)(s->len - at));
    s->letters[at] = code;
    s->len++;
}

/* Of 93 words 5 scattered substitutions leave 53.  With at most 1 mismatch the loss, 30,
 * is that of 1 mismatch and of gaps that take away 24 / 18 times 7 words: 93 - 8 - 9. */
static void scattered_substitutions_are_too_many(void **state)
{
    rng_t rng = rng_seed(1);
    sequence_t a = make(&rng), b = a;

    (void)state;
    for (int k = 0; k < 5; k++)
        substitute(&b, 10 + 20 * k);
    assert_false(passes(&a, &b, 1));
    assert_true(passes(&a, &b, 5));
    assert_true(passes(&a, &b, 1000000000));
}

static void one_substitution_is_no_gap(void **state)
{
    rng_t rng = rng_seed(2);
    sequence_t a = make(&rng), b = a;

    (void)state;
    substitute(&b, 50);
    assert_false(passes(&a, &b, 0));
    assert_true(passes(&a, &b, 1));
}

static void a_gap_is_no_mismatch(void **state)
{
    rng_t rng = rng_seed(3);
    sequence_t a = make(&rng), b = a;

    (void)state;
    erase(&b, 50);
    erase(&b, 50);
    assert_true(passes(&a, &b, 0));
    substitute(&b, 20);
    substitute(&b, 80);
    assert_false(passes(&a, &b, 0));
}

static void ambiguity_codes_and_short_reads_pass(void **state)
{
    rng_t rng = rng_seed(4);
    sequence_t a = make(&rng), b = make(&rng);

    (void)state;
    assert_true(passes(&a, &a, 0));
    b = a;
    for (int k = 0; k < 5; k++)
        substitute(&b, 10 + 20 * k);
    b.letters[3] = CODE_N;
    assert_true(passes(&a, &b, 0));
    b.letters[3] = a.letters[3];
    a.len = b.len = 5;
    assert_true(passes(&a, &b, 0));
}

/* @return the mismatches of the alignment */
static int64_t align(const sequence_t *a, const sequence_t *b)
{
    static nw_values_t cells[(LEN_MAX + 1) * (LEN_MAX + 1)];
    const align_spec_t spec = align_spec_vsearch();
    uint32_t runs[2 * LEN_MAX];
    const int64_t n =
        nw_reference_cigar(&spec, a->letters, a->len, b->letters, b->len, cells, runs);

    return identity_def_count(runs, n, 0).mismatches;
}

static void no_alignment_is_missed(void **state)
{
    rng_t rng = rng_seed(5);
    int n_out = 0;

    (void)state;
    for (int k = 0; k < MUTANTS; k++) {
        sequence_t a = make(&rng), b = a;
        const int64_t n_edits = (int64_t)rng_below(&rng, 12);
        int64_t mismatches;

        for (int64_t e = 0; e < n_edits; e++) {
            const int64_t at = (int64_t)rng_below(&rng, (uint64_t)b.len - 1);

            if (rng_below(&rng, 3) > 0)
                substitute(&b, at);
            else if (rng_below(&rng, 2) > 0)
                erase(&b, at);
            else
                insert(&b, at, (uint8_t)(1 << rng_below(&rng, 4)));
        }
        mismatches = align(&a, &b);
        assert_true(passes(&a, &b, mismatches));
        assert_true(passes(&b, &a, mismatches));
        n_out += !passes(&a, &b, 0);
    }
    assert_true(n_out > MUTANTS / 4); /* it is of use */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scattered_substitutions_are_too_many),
        cmocka_unit_test(one_substitution_is_no_gap),
        cmocka_unit_test(a_gap_is_no_mismatch),
        cmocka_unit_test(ambiguity_codes_and_short_reads_pass),
        cmocka_unit_test(no_alignment_is_missed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
