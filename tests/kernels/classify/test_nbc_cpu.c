/*
 * test_nbc_cpu.c - the CPU backend equals the reference at every vector level, and
 * leaving references out equals a model without them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/seq/fasta.h"
#include "io/seq/taxonomy.h"
#include "kernels/classify/nbc_backend.h"
#include "kernels/classify/nbc_score.h"
#include "kernels/classify/simd/nbc_rows.h"
#include "tests/kernels/classify/nbc_case.h"
#include "tests/support/pool_fixture.h"
#include "tests/support/spelled_set.h"

#include <stdio.h>
#include <unistd.h>

enum { REFS = 300, REFS_MAX = 25000 };

static int32_t parent[NBC_CASE_TAXA], taxon_of[REFS_MAX];

/* Check that a backend has the reference's results at every vector level. */
static void assert_equals_reference(const nbc_context_t *context, const seqset_t *reads)
{
    const int n_ranks = context->model->classes->n_ranks;
    nbc_context_t other = *context;
    nbc_results_t want, got;

    assert_int_equal(nbc_case_run(&nbc_reference_backend, context, reads, &want), ST_OK);
    for (int level = SIMD_NONE; level <= (int)cpu.simd; level++) {
        device_t device = cpu;

        device.simd = (simd_level_t)level;
        other.device = &device;
        other.pool = level == SIMD_NONE ? NULL : pool;
        assert_int_equal(nbc_case_run(&nbc_cpu_backend, &other, reads, &got), ST_OK);
        assert_int_equal(nbc_case_compare(&want, &got, reads->n, n_ranks), -1);
        nbc_results_free(&got);
    }
    nbc_results_free(&want);
}

typedef struct {
    seqset_t *refs, *reads;
    nbc_case_t model;
    nbc_context_t context;
} random_t;

static void random_model(uint64_t seed, int64_t n_refs, int64_t len, int64_t n_reads,
                         int64_t read_len_max, random_t *t)
{
    rng_t rng = rng_seed(seed);

    nbc_case_tree(parent);
    assert_int_equal(nbc_case_refs(&rng, n_refs, len, &t->refs, taxon_of), ST_OK);
    assert_int_equal(nbc_case_reads(&rng, t->refs, n_reads, read_len_max, &t->reads),
                     ST_OK);
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

static void random_reads_are_classified_as_by_the_reference(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        random_t t;

        random_model(seed, REFS, 400, 40, 300, &t);
        assert_equals_reference(&t.context, t.reads);
        random_free(&t);
    }
}

/* Of 150 draws and more, several sums of 16 bits are added up. */
static void long_reads_are_classified_as_by_the_reference(void **state)
{
    random_t t;

    (void)state;
    random_model(5, 40, 6000, 12, 6000, &t);
    assert_equals_reference(&t.context, t.reads);
    random_free(&t);
}

/* More than a thousand classes: their groups are more than those of one block. */
static void many_classes_are_bounded_by_several_blocks(void **state)
{
    random_t t;

    (void)state;
    random_model(9, 3000, 150, 8, 150, &t);
    assert_true(t.model.classes.n > NBC_BLOCK * NBC_GROUP);
    assert_equals_reference(&t.context, t.reads);
    random_free(&t);
}

static void few_classes_and_references_are_enough(void **state)
{
    static const int32_t one[] = {1, 1}, none[] = {-1, -1};
    seqset_t *refs = spelled_set("a ACGTACGTTTGACA b GGGGGGGGCA"),
             *reads = spelled_set("x ACGTACGTAC y NNNNNNNNNNN z CCCCCCCCAGG w A");

    (void)state;
    nbc_case_tree(parent);
    for (int i = 0; i < 2; i++) {
        nbc_case_t model;
        nbc_context_t context = {.device = &cpu,
                                 .options = {.n_resamples = i == 0 ? 10 : 0,
                                             .seed = 1,
                                             .both_strands = true}};

        assert_int_equal(nbc_case_create(refs, parent, NBC_CASE_TAXA, i == 0 ? one : none,
                                         NULL, &model),
                         ST_OK);
        context.model = model.model;
        assert_equals_reference(&context, reads);
        nbc_case_free(&model);
    }
    seqset_destroy(refs);
    seqset_destroy(reads);
}

/* Copies of one reference in different classes: every sum is a tie. */
static void ties_are_broken_as_by_the_reference(void **state)
{
    char text[20000] = "";
    int32_t taxa[200];
    seqset_t *refs, *reads = spelled_set("x TTGACCATGCATTACG y CGTAATGCATGG z CCATGCAA");
    nbc_case_t model;
    nbc_context_t context = {
        .device = &cpu, .options = {.n_resamples = 50, .seed = 1, .both_strands = true}};

    (void)state;
    nbc_case_tree(parent);
    for (int i = 0; i < 200; i++) {
        strcat(text, i == 0 ? "r TTGACCATGCATTACG" : " r TTGACCATGCATTACG");
        taxa[i] = NBC_CASE_TAXA - 1 - i;
    }
    refs = spelled_set(text);
    assert_int_equal(nbc_case_create(refs, parent, NBC_CASE_TAXA, taxa, NULL, &model),
                     ST_OK);
    context.model = model.model;
    assert_equals_reference(&context, reads);
    nbc_case_free(&model);
    seqset_destroy(refs);
    seqset_destroy(reads);
}

static void results_do_not_depend_on_batches(void **state)
{
    random_t t;
    nbc_results_t whole, part;
    nbc_batch_t batches[2];
    void *backend;
    int n_ranks;

    (void)state;
    random_model(7, REFS, 400, 60, 300, &t);
    n_ranks = t.model.classes.n_ranks;
    assert_int_equal(nbc_case_run(&nbc_cpu_backend, &t.context, t.reads, &whole), ST_OK);
    assert_int_equal(nbc_cpu_backend.create(&t.context, &backend), ST_OK);
    for (int round = 0; round < 2; round++) { /* batches grow */
        batches[0] = (nbc_batch_t){t.reads, 0, round == 0 ? 1 : 7};
        batches[1] = (nbc_batch_t){t.reads, batches[0].n, t.reads->n - batches[0].n};
        for (int i = 0; i < 2; i++)
            assert_int_equal(nbc_cpu_backend.submit(backend, &batches[i]), ST_OK);
        for (int i = 0; i < 2; i++) {
            nbc_results_t rest = {whole.best + batches[i].first,
                                  whole.support + batches[i].first * n_ranks,
                                  whole.rival + batches[i].first * n_ranks};

            assert_int_equal(nbc_cpu_backend.wait(backend, &part), ST_OK);
            assert_int_equal(nbc_case_compare(&rest, &part, batches[i].n, n_ranks), -1);
        }
    }
    nbc_cpu_backend.destroy(backend);
    nbc_results_free(&whole);
    random_free(&t);
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

        random_model(seed, seed <= 2 ? 30 : REFS, 300, 8, 200, &t);
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

static void genes_of_rdp_are_classified_as_by_the_reference(void **state)
{
    const char *dir = getenv("RIBOGRID_DATA");
    char path[4096], table[4096];
    seqset_t *refs = NULL, *reads;
    taxonomy_t *taxonomy = NULL;
    seqset_builder_t builder = {0};
    int32_t *parents;
    nbc_case_t model;
    nbc_context_t context = {.device = &cpu,
                             .pool = pool,
                             .options = {.n_resamples = 20,
                                         .seed = 1,
                                         .both_strands = true}};

    (void)state;
    snprintf(path, sizeof(path), "%s/16s/rdp_trainset18.fasta.gz",
             dir != NULL ? dir : "");
    snprintf(table, sizeof(table), "%s/16s/rdp_trainset18.tax.tsv.gz",
             dir != NULL ? dir : "");
    if (dir == NULL || access(path, R_OK) != 0) {
        printf("skipped: RIBOGRID_DATA/16s/rdp_trainset18.fasta.gz not found\n");
        skip();
    }
    assert_int_equal(fasta_read(path, &(fasta_opts_t){.skip_bad = true}, NULL, &refs),
                     ST_OK);
    assert_int_equal(taxonomy_read(table, &taxonomy), ST_OK);
    assert_in_range(refs->n, 1, REFS_MAX);
    parents = malloc((size_t)taxonomy_n_taxa(taxonomy) * sizeof(*parents));
    assert_non_null(parents);
    parents[TAXONOMY_ROOT] = -1;
    for (int32_t taxon = 1; taxon < taxonomy_n_taxa(taxonomy); taxon++)
        parents[taxon] =
            taxonomy_ancestor(taxonomy, taxon, taxonomy_rank(taxonomy, taxon) - 1);
    for (int64_t i = 0; i < refs->n; i++)
        taxon_of[i] = taxonomy_find(taxonomy, seqset_name(refs, i));
    assert_int_equal(nbc_case_create(refs, parents, taxonomy_n_taxa(taxonomy), taxon_of,
                                     pool, &model),
                     ST_OK);
    for (int64_t i = 0; i < 6; i++) {
        int64_t ref = i * (refs->n / 6), len = i % 4 == 0 ? seqset_len(refs, ref) : 250;

        assert_int_equal(seqset_builder_add(&builder, "x", 1, seqset_letters(refs, ref),
                                            (size_t)len),
                         ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&builder, &reads), ST_OK);
    context.model = model.model;
    assert_equals_reference(&context, reads);
    nbc_case_free(&model);
    free(parents);
    taxonomy_destroy(taxonomy);
    seqset_destroy(reads);
    seqset_destroy(refs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_reads_are_classified_as_by_the_reference),
        cmocka_unit_test(long_reads_are_classified_as_by_the_reference),
        cmocka_unit_test(many_classes_are_bounded_by_several_blocks),
        cmocka_unit_test(few_classes_and_references_are_enough),
        cmocka_unit_test(ties_are_broken_as_by_the_reference),
        cmocka_unit_test(results_do_not_depend_on_batches),
        cmocka_unit_test(removed_references_have_never_been_there),
        cmocka_unit_test(genes_of_rdp_are_classified_as_by_the_reference),
    };

    return cmocka_run_group_tests(tests, pool_fixture_start, pool_fixture_stop);
}
