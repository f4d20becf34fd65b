/*
 * gpu_seeds.c - a GPU's filter of seeds passes the pairs that the CPU's does.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It prints one line per
 * set, and exits with 1 if any pair differs, 77 without a GPU.
 */
#include "io/base/rng.h"
#include "io/seq/matrix_file.h"
#include "kernels/align/seeds/seed_filter.h"
#include "kernels/align/seeds/seed_gpu.h"
#include "tests/support/gpu_case.h"

#include <string.h>

/* Random sets: proteins are pieces of each other, with mutations. */
static const struct {
    const char *name;
    int n_queries, n_targets, max_len, n_letters;
    bool with_long; /* proteins that are left to the CPU, or have rings of their own */
} cases[] = {{"1..60, all letters", 40, 500, 60, PROTEIN_SIZE - 1, false},
             {"1..700", 60, 2000, 700, 25, false},
             {"1..3000", 30, 400, 3000, 25, false},
             {"few letters", 20, 300, 400, 3, false},
             {"up to 70,000", 12, 60, 2000, 25, true}};

enum { N_CASES = sizeof(cases) / sizeof(cases[0]), LONG = 70000 };

static uint8_t letter(rng_t *rng, int n_letters)
{
    return (uint8_t)(1 + rng_below(rng, (uint64_t)n_letters));
}

static status_t make_set(int k, seqset_t **out)
{
    seqset_builder_t b = {.alphabet = ALPHABET_PROTEIN};
    rng_t rng = rng_seed((uint64_t)k + 1);
    uint8_t *pool = malloc(LONG), *text = malloc(LONG);
    status_t st = pool != NULL && text != NULL ? ST_OK : ST_ENOMEM;

    for (int i = 0; st == ST_OK && i < LONG; i++)
        pool[i] = letter(&rng, cases[k].n_letters);
    for (int i = 0; st == ST_OK && i < cases[k].n_queries + cases[k].n_targets; i++) {
        const bool is_long = cases[k].with_long && i % 8 == 0;
        const int64_t max = is_long ? LONG : cases[k].max_len;
        const int64_t len = 1 + (int64_t)rng_below(&rng, (uint64_t)max);
        int64_t from = (int64_t)rng_below(&rng, (uint64_t)(LONG / 8));

        for (int64_t j = 0; j < len; j++, from++) {
            from += rng_below(&rng, 60) == 0;
            text[j] = rng_below(&rng, 10) < 5 ? letter(&rng, cases[k].n_letters)
                                              : pool[from % LONG];
        }
        st = seqset_builder_add(&b, "p", 1, text, (size_t)len);
    }
    free(pool);
    free(text);
    return st == ST_OK ? seqset_builder_finish(&b, out) : st;
}

/* @return whether the results are those of the CPU. @param n_passed  out */
static bool equals(const seqset_t *set, const align_scoring_t *scoring, int k,
                   const uint8_t *got, int64_t *n_passed, int64_t *n_unknown)
{
    seed_filter_t *f;
    bool good = seed_filter_create(scoring, &f) == ST_OK;

    *n_passed = *n_unknown = 0;
    for (int64_t q = 0; good && q < cases[k].n_queries; q++) {
        good = seed_filter_set(f, seqset_letters(set, q), seqset_len(set, q)) == ST_OK;
        for (int64_t t = 0; good && t < cases[k].n_targets; t++) {
            const int64_t target = cases[k].n_queries + t;
            const uint8_t fate = got[q * cases[k].n_targets + t];

            *n_unknown += fate == SEED_UNKNOWN;
            *n_passed += fate == SEED_PASSES;
            if (fate != SEED_UNKNOWN)
                good = (fate == SEED_PASSES) ==
                       seed_filter_passes(f, seqset_letters(set, target),
                                          seqset_len(set, target));
            if (!good)
                printf("query %lld, target %lld: %d\n", (long long)q, (long long)t, fate);
        }
    }
    seed_filter_destroy(f);
    return good;
}

static const seqset_t *sorted_set;

static int longest_first(const void *a, const void *b)
{
    const int64_t x = seqset_len(sorted_set, ((const seed_row_t *)a)->query),
                  y = seqset_len(sorted_set, ((const seed_row_t *)b)->query);

    return (x < y) - (x > y);
}

static bool try_case(int k, const device_t *gpu, pool_t *pool,
                     const align_scoring_t *scoring)
{
    const int64_t n_pairs = (int64_t)cases[k].n_queries * cases[k].n_targets;
    uint8_t *got = calloc((size_t)n_pairs, 1);
    seed_row_t rows[64];
    seqset_t *set = NULL;
    seed_gpu_t *filter = NULL;
    int64_t n_passed, n_unknown;
    bool good = got != NULL && make_set(k, &set) == ST_OK &&
                seed_gpu_create(gpu, pool, set, scoring, &filter) == ST_OK;

    for (int q = 0; good && q < cases[k].n_queries; q++)
        rows[q] = (seed_row_t){q, cases[k].n_queries, cases[k].n_targets,
                               (int64_t)q * cases[k].n_targets};
    if (good) {
        sorted_set = set;
        qsort(rows, (size_t)cases[k].n_queries, sizeof(*rows), longest_first);
        good = seed_gpu_run(filter, rows, cases[k].n_queries, n_pairs, got) == ST_OK &&
               equals(set, scoring, k, got, &n_passed, &n_unknown);
    }
    if (good)
        printf("ok      seeds: %s: %lld pairs, %lld pass, %lld left to the CPU\n",
               cases[k].name, (long long)n_pairs, (long long)n_passed,
               (long long)n_unknown);
    else
        printf("FAILED  seeds: %s\n", cases[k].name);
    seed_gpu_destroy(filter);
    seqset_destroy(set);
    free(got);
    return good;
}

int main(void)
{
    align_scoring_t scoring;
    score_matrix_t matrix;
    device_t cpu, gpu;
    pool_t *pool = NULL;
    int n_failed = 0, code = gpu_case_begin(0, &cpu, &gpu, &pool);

    if (code != EXIT_SUCCESS)
        return code;
    named_matrix_find("BLOSUM62", &matrix);
    align_scoring_set_matrix(&scoring, &matrix, -1);
    for (int k = 0; k < N_CASES; k++)
        n_failed += !try_case(k, &gpu, pool, &scoring);
    pool_destroy(pool);
    printf("%d passed, %d failed\n", N_CASES - n_failed, n_failed);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
