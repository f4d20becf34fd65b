/*
 * gpu_edit_filter.c - the edit filter on a GPU keeps exactly the pairs that it keeps on
 * the CPU.
 *
 * usage: gpu_edit_filter [PAIRS]
 *
 * A plain program, so that it runs without cmocka.  It compares random families of all
 * lengths with every kind of scores, ends and ambiguity codes, with several identities
 * and minimum overlaps; then families that overlap, about as similar as the identity
 * requires, so that all classes of bands are used; at the end it times PAIRS pairs of
 * genes (200000).  Without a GPU it exits with 77.
 */
#include "io/base/clock.h"
#include "kernels/align/edits/edit_filter.h"
#include "tests/kernels/align/edits/overlap_set.h"
#include "tests/support/gpu_case.h"
#include "tests/support/random_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_IDENTITIES = 6, N_KINDS = 4, N_PAIRS = 3000, MANY = 200000 };
enum { LONGEST = 2048 }; /* bases of the longest query that the GPU tests */

static const fraction_t identities[N_IDENTITIES] = {{1, 2},    {80, 100}, {9, 10},
                                                    {97, 100}, {99, 100}, {1, 1}};

static const random_set_opts_t kinds[N_KINDS] = {{200, 1, 30, 30},
                                                 {150, 1, 300, 50},
                                                 {300, 900, 1500, 30},
                                                 {60, 1, 3000, 30}};

typedef struct {
    device_t cpu, gpu;
    pool_t *pool;
    int n_passed, n_failed;
    int64_t n_kept, n_ruled_out;
} comparison_t;

/* @return the seconds of the second of two runs, or a negative number */
static double run_filter(const device_t *device, pool_t *pool, const seqset_t *set,
                         const align_spec_t *spec, fraction_t identity,
                         const pair_batch_t *batch, uint8_t *keep)
{
    edit_filter_t *filter = NULL;
    double begin, seconds = -1;

    if (edit_filter_create(&(align_context_t){device, pool, set, spec, {0}}, identity,
                           &filter) == ST_OK &&
        edit_filter_run(filter, batch, keep) == ST_OK) {
        begin = clock_now_s();
        if (edit_filter_run(filter, batch, keep) == ST_OK)
            seconds = clock_now_s() - begin;
    }
    edit_filter_destroy(filter);
    return seconds;
}

/* @return whether both keep the same pairs, except those that the GPU does not test */
static bool same(comparison_t *s, const seqset_t *set, const align_spec_t *spec,
                 const pair_batch_t *batch, const uint8_t *expected,
                 const uint8_t *actual)
{
    for (int64_t i = 0; i < batch->n; i++) {
        const pair_t *p = &batch->pairs[i];
        bool taken = spec->scoring.two_valued &&
                     (spec->ends == ENDS_COUNT || seqset_len(set, p->query) <= LONGEST);

        if (taken ? expected[i] != actual[i] : actual[i] == 0) {
            printf("  pair %lld, %lld x %lld letters: %d, not %d\n", (long long)i,
                   (long long)seqset_len(set, p->query),
                   (long long)seqset_len(set, p->target), actual[i], expected[i]);
            return false;
        }
        s->n_kept += expected[i] != 0;
        s->n_ruled_out += expected[i] == 0;
    }
    return true;
}

static void compare(comparison_t *s, const seqset_t *set, const pair_batch_t *batch,
                    const align_spec_t *spec, fraction_t identity, bool timed)
{
    uint8_t *expected = malloc((size_t)batch->n), *actual = malloc((size_t)batch->n);
    char text[RANDOM_SET_TEXT_BYTES];
    double cpu = -1, gpu = -1;
    bool good = expected != NULL && actual != NULL;

    if (good) {
        cpu = run_filter(&s->cpu, s->pool, set, spec, identity, batch, expected);
        gpu = run_filter(&s->gpu, s->pool, set, spec, identity, batch, actual);
        good = cpu >= 0 && gpu >= 0 && same(s, set, spec, batch, expected, actual);
    }
    random_set_describe(spec, text);
    if (!good)
        printf("FAILED  %s, %lld/%lld, %lld pairs\n", text, (long long)identity.numerator,
               (long long)identity.denominator, (long long)batch->n);
    if (good && timed)
        printf("ok      %s, %lld/%lld: %lld pairs in %.4f s, on the CPU %.4f s\n", text,
               (long long)identity.numerator, (long long)identity.denominator,
               (long long)batch->n, gpu, cpu);
    s->n_passed += good;
    s->n_failed += !good;
    free(expected);
    free(actual);
}

/* @return whether a random set and n pairs of it were made */
static bool draw_pairs(rng_t *rng, const random_set_opts_t *opts, int64_t n,
                       seqset_t **set, pair_t **pairs)
{
    *pairs = malloc((size_t)n * sizeof(**pairs));
    if (*pairs == NULL || random_set_create(rng, opts, set) != ST_OK)
        return false;
    random_set_pairs(rng, *set, n, *pairs);
    return true;
}

/* Compare families of one length that overlap, at an identity of some percent. */
static void compare_overlaps(comparison_t *s, rng_t *rng, int64_t whole, int percent)
{
    fraction_t identity = {percent, 100};
    int edits = 1000 * (100 - percent) / percent;
    overlap_set_opts_t opts = {400, whole, edits, percent % 3 == 0 ? 50 : 0};
    align_spec_t spec = random_set_spec(percent % 2);
    pair_t *pairs = malloc(N_PAIRS * sizeof(*pairs));
    seqset_t *set = NULL;

    spec.ends = ENDS_FREE;
    spec.min_overlap = (fraction_t){(percent + whole / 100) % 5, 4};
    if (pairs != NULL && overlap_set_create(rng, &opts, &set) == ST_OK) {
        random_set_pairs(rng, set, N_PAIRS, pairs);
        for (int i = 0; i < N_PAIRS / 2; i++) /* full warps */
            pairs[i].query = pairs[i].target / OVERLAP_SET_FAMILY * OVERLAP_SET_FAMILY;
        compare(s, set, &(pair_batch_t){pairs, N_PAIRS}, &spec, identity, false);
    } else {
        s->n_failed++;
    }
    seqset_destroy(set);
    free(pairs);
}

static void compare_all(comparison_t *s, int64_t many)
{
    static const int64_t wholes[] = {30, 100, 300, 700, 1000, 1500, 1900, 2040, 2500};
    static const int percents[] = {80, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 97, 99};
    rng_t rng = rng_seed(23);

    for (int k = 0; k < 2 * RANDOM_SET_ALL_SPECS; k++) {
        align_spec_t spec = random_set_spec(k % RANDOM_SET_ALL_SPECS);
        seqset_t *set = NULL;
        pair_t *pairs = NULL;

        spec.min_overlap = (fraction_t){k % 5, 4 + k % 3};
        if (draw_pairs(&rng, &kinds[k % N_KINDS], N_PAIRS, &set, &pairs))
            compare(s, set, &(pair_batch_t){pairs, k % 7 == 0 ? k : N_PAIRS}, &spec,
                    identities[k % N_IDENTITIES], false);
        else
            s->n_failed++;
        seqset_destroy(set);
        free(pairs);
    }
    for (size_t k = 0; k < sizeof(percents) / sizeof(percents[0]); k++)
        for (size_t w = 0; w < sizeof(wholes) / sizeof(wholes[0]); w++)
            compare_overlaps(s, &rng, wholes[w], percents[k]);
    for (align_ends_t ends = ENDS_FREE; ends <= ENDS_QUERY; ends++) {
        align_spec_t spec = random_set_spec(0);
        seqset_t *set = NULL;
        pair_t *pairs = NULL;

        spec.ends = ends;
        if (draw_pairs(&rng, &(random_set_opts_t){3000, 1400, 1500, 20}, many, &set,
                       &pairs))
            compare(s, set, &(pair_batch_t){pairs, many}, &spec, identities[2], true);
        else
            s->n_failed++;
        seqset_destroy(set);
        free(pairs);
    }
}

int main(int argc, char **argv)
{
    comparison_t s = {0};
    int code = gpu_case_begin(0, &s.cpu, &s.gpu, &s.pool);

    if (code != EXIT_SUCCESS)
        return code;
    compare_all(&s, argc > 1 ? atoll(argv[1]) : MANY);
    pool_destroy(s.pool);
    printf("%lld kept, %lld ruled out\n", (long long)s.n_kept, (long long)s.n_ruled_out);
    printf("%d passed, %d failed\n", s.n_passed, s.n_failed);
    return s.n_failed == 0 && s.n_kept > 0 && s.n_ruled_out > 0 ? EXIT_SUCCESS
                                                                : EXIT_FAILURE;
}
