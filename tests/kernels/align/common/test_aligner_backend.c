/*
 * test_aligner_backend.c - a backend gets only what it declares.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/common/aligner_backend.h"

static int n_fits;

static bool fits_any(const align_context_t *context, int64_t m, int64_t n)
{
    (void)context;
    (void)m;
    (void)n;
    n_fits++;
    return true;
}

static const device_t cpu = {.kind = DEVICE_CPU}, gpu = {.kind = DEVICE_CUDA};

static const align_support_t everything = {
    .alphabets = ALIGN_BIT(ALPHABET_DNA),
    .gaps = ALIGN_BIT(GAPS_LINEAR),
    .ends = ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) | ALIGN_BIT(ENDS_QUERY),
    .scorings = ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
    .emits = ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) | ALIGN_BIT(EMIT_CIGAR)};

/* @return whether a backend that fits all pairs takes one; counts calls of its fits */
static bool takes(align_support_t supports, const align_spec_t *spec)
{
    const aligner_backend_t fake = {.base = {.name = "fake", .kind = DEVICE_CPU},
                                    .supports = supports,
                                    .fits = fits_any};
    const align_context_t context = {.device = &cpu, .spec = spec};

    n_fits = 0;
    return aligner_backend_takes(&fake, &context, 1, 1);
}

/* @return whether it is refused without a call of its fits */
static bool refuses(align_support_t supports, const align_spec_t *spec)
{
    return !takes(supports, spec) && n_fits == 0;
}

static void each_declared_property_is_taken_and_refused_without_its_bit(void **state)
{
    (void)state;
    for (int way = 0; way < 3 * 3 * 2; way++) {
        align_spec_t spec = {.emit = (align_emit_t)(way % 3),
                             .ends = (align_ends_t)(way / 3 % 3)};
        align_support_t without[] = {everything, everything, everything, everything};

        if (way / 9 == 0)
            align_scoring_set(&spec.scoring, AMBIGUITY_MATCH, 4, -5, -7);
        else
            align_scoring_set_matrix(&spec.scoring, &(score_matrix_t){.score = {{0}}},
                                     -7);
        assert_true(takes(everything, &spec));
        assert_int_equal(n_fits, 1);
        without[0].gaps = 0;
        without[1].ends &= ~ALIGN_BIT(spec.ends);
        without[2].scorings &= ~ALIGN_BIT(align_scoring_kind(&spec.scoring));
        without[3].emits &= ~ALIGN_BIT(spec.emit);
        for (int k = 0; k < 4; k++)
            assert_true(refuses(without[k], &spec));
    }
}

/* As if an enum had got a new enumerator: the next one, or one beyond a mask's bits. */
static void an_enumerator_that_it_never_heard_of_is_refused(void **state)
{
    static const int steps[] = {1, 32, 33};

    (void)state;
    for (int k = 0; k < 3; k++) {
        align_spec_t gaps = {.emit = EMIT_SCORE}, ends = gaps, emits = gaps;

        gaps.scoring.gaps = (align_gaps_t)(GAPS_AFFINE + steps[k]);
        ends.ends = (align_ends_t)(ENDS_PRICED + steps[k]);
        emits.emit = (align_emit_t)(EMIT_CIGAR + steps[k]);
        assert_true(refuses(everything, &gaps));
        assert_true(refuses(everything, &ends));
        assert_true(refuses(everything, &emits));
    }
}

static void a_backend_of_another_kind_of_device_is_refused(void **state)
{
    const aligner_backend_t fake = {.base = {.name = "fake", .kind = DEVICE_CPU},
                                    .supports = everything,
                                    .fits = fits_any};
    const align_spec_t spec = {.emit = EMIT_SCORE};
    const align_context_t context = {.device = &gpu, .spec = &spec};

    (void)state;
    assert_false(aligner_backend_takes(&fake, &context, 1, 1));
}

/* Backends for DNA refuse proteins by what they declare. */
static void bscan_takes_no_proteins(void **state)
{
    align_spec_t spec = {.emit = EMIT_SCORE, .ends = ENDS_COUNT};
    align_support_t supports = bscan_backend.supports;

    (void)state;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 1, 0, -1);
    assert_true(align_support_has(&supports, &spec));
    spec.scoring.alphabet = ALPHABET_PROTEIN;
    assert_false(align_support_has(&supports, &spec));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_declared_property_is_taken_and_refused_without_its_bit),
        cmocka_unit_test(an_enumerator_that_it_never_heard_of_is_refused),
        cmocka_unit_test(a_backend_of_another_kind_of_device_is_refused),
        cmocka_unit_test(bscan_takes_no_proteins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
