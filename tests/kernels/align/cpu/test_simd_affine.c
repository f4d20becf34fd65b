/*
 * test_simd_affine.c - with affine gaps and priced ends the backend simd equals the
 * reference at every SIMD level.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/align/common/cell_layout.h"
#include "kernels/align/common/nw_reference.h"
#include "tests/kernels/align/engine/aligner_case.h"

static void know_by_reference(case_t *c, const align_spec_t *spec)
{
    nw_values_t *row = malloc((size_t)(seqset_max_len(c->set) + 1) * sizeof(*row));

    assert_non_null(row);
    c->score = calloc((size_t)c->n, sizeof(int32_t));
    c->matches = calloc((size_t)c->n, sizeof(int32_t));
    c->columns = calloc((size_t)c->n, sizeof(int32_t));
    for (int64_t i = 0; i < c->n; i++) {
        pair_t p = c->pairs[i];
        nw_cell_t cell = nw_reference_pair(spec, seqset_letters(c->set, p.query),
                                           seqset_len(c->set, p.query),
                                           seqset_letters(c->set, p.target),
                                           seqset_len(c->set, p.target), row);

        c->score[i] = (int32_t)cell.score;
        c->matches[i] = (int32_t)cell.matches;
        c->columns[i] = (int32_t)cell.columns;
    }
    free(row);
}

/* Compare at every SIMD level of this machine, with and without bands, and free the case.
 */
static void assert_equals_reference(case_t *c, const align_spec_t *spec, pool_t *pool)
{
    align_spec_t s = *spec;

    know_by_reference(c, spec);
    for (int level = SIMD_128; level <= (int)device_cpu().simd; level++)
        for (int way = 0; way < 4; way++) {
            s.emit = way < 2 ? EMIT_SCORE : EMIT_IDENTITY;
            assert_equals_scalar(c, &s, (simd_level_t)level, way % 2 == 0, pool, "simd");
        }
    free_case(c);
}

/* Set RIBOGRID_TEST_SCALE to a factor to try more specs than usual. */
static void try_random_specs(uint64_t seed, const random_set_opts_t *opts, int n_specs,
                             int64_t n_pairs)
{
    const char *scale = getenv("RIBOGRID_TEST_SCALE");
    rng_t rng = rng_seed(seed);

    skip_without_simd();
    n_specs = n_specs * (scale != NULL ? atoi(scale) : 1) / RANDOM_SET_DIVISOR + 1;
    for (int k = 0; k < n_specs; k++) {
        align_spec_t spec = random_set_affine_spec(&rng);
        case_t c = random_case(&rng, opts, n_pairs);

        assert_equals_reference(&c, &spec, pools[k % 2 == 0 ? 1 : 3]);
    }
}

static void simd_equals_the_reference_on_tiny_pairs(void **state)
{
    (void)state;
    try_random_specs(1, &(random_set_opts_t){160, 1, 12, 50}, 100, 300);
}

static void simd_equals_the_reference_on_medium_pairs(void **state)
{
    (void)state;
    try_random_specs(2, &(random_set_opts_t){60, 1, 300, 30}, 60, 50);
}

static void simd_equals_the_reference_on_large_pairs(void **state)
{
    (void)state;
    try_random_specs(3, &(random_set_opts_t){16, 1, 2500, 30}, 8, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simd_equals_the_reference_on_tiny_pairs),
        cmocka_unit_test(simd_equals_the_reference_on_medium_pairs),
        cmocka_unit_test(simd_equals_the_reference_on_large_pairs),
    };

    return cmocka_run_group_tests(tests, make_pools, destroy_pools);
}
