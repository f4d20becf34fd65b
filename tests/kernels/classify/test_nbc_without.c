/*
 * test_nbc_without.c - leaving references out equals a model without them.
 */
#include "tests/support/unit_test.h"

#include "kernels/classify/nbc_backend.h"
#include "kernels/classify/nbc_score.h"
#include "tests/kernels/classify/nbc_case.h"
#include "tests/support/pool_fixture.h"

enum { REFS = 300 };

static int32_t parent[NBC_CASE_TAXA], taxon_of[REFS];

typedef struct {
    seqset_t *refs, *reads;
    nbc_case_t model;
    nbc_context_t context;
} random_t;

static void random_model(uint64_t seed, int64_t n_refs, random_t *t)
{
    rng_t rng = rng_seed(seed);

    nbc_case_tree(parent);
    assert_int_equal(nbc_case_refs(&rng, n_refs, 300, &t->refs, taxon_of), ST_OK);
    assert_int_equal(nbc_case_reads(&rng, t->refs, 8, 200, &t->reads), ST_OK);
    assert_int_equal(nbc_case_create(t->refs, parent, NBC_CASE_TAXA, taxon_of, pool,
                                     &t->model),
                     ST_OK);
    t->context = (nbc_context_t){.device = &cpu,
                                 .pool = pool,
                                 .model = t->model.model,
                                 .options = {.n_resamples = 100,
                                             .seed = seed,
                                             .both_strands = seed % 2 == 1}};
}

static void random_free(random_t *t)
{
    nbc_case_free(&t->model);
    seqset_destroy(t->refs);
    seqset_destroy(t->reads);
}

/* Classify the first reads without some references, and by a model without them. */
static void removed_references_have_never_been_there(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        random_t t;
        rng_t rng = rng_seed(seed);
        nbc_without_t *without;
        int n_ranks;

        random_model(seed, seed <= 2 ? 30 : REFS, &t);
        n_ranks = t.model.classes.n_ranks;
        assert_int_equal(nbc_without_create(&t.context, &without), ST_OK);
        for (int64_t i = 0; i < t.reads->n; i++) {
            int32_t removed[REFS], class_of[REFS];
            int64_t n = 0;
            const seqset_t *refs = t.refs;
            nbc_model_t *model;
            nbc_context_t context = t.context;
            nbc_results_t want, got;

            memcpy(class_of, t.model.class_of, (size_t)refs->n * sizeof(*class_of));
            for (int32_t k = 0; k < refs->n; k++)
                if (i == 7 || rng_chance(&rng, (uint64_t)i, 7)) { /* none ... all */
                    removed[n++] = k;
                    class_of[k] = -1;
                }
            for (int64_t k = n - 1; k > 0; k--) { /* in any order */
                int64_t at = (int64_t)rng_below(&rng, (uint64_t)k + 1);
                int32_t ref = removed[at];

                removed[at] = removed[k];
                removed[k] = ref;
            }
            assert_int_equal(nbc_model_create(refs, class_of, &t.model.classes, NULL,
                                              &model),
                             ST_OK);
            context.model = model;
            assert_int_equal(nbc_case_run(&nbc_reference_backend, &context, t.reads,
                                          &want),
                             ST_OK);
            assert_int_equal(nbc_without_classify(without, t.reads, i, removed, n, &got),
                             ST_OK);
            assert_int_equal(nbc_case_compare(&(nbc_results_t){want.best + i,
                                                               want.support + i * n_ranks,
                                                               want.rival + i * n_ranks},
                                              &got, 1, n_ranks),
                             -1);
            nbc_results_free(&want);
            nbc_model_destroy(model);
        }
        nbc_without_destroy(without);
        random_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removed_references_have_never_been_there),
    };

    return cmocka_run_group_tests(tests, pool_fixture_start, pool_fixture_stop);
}
