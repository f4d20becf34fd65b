/*
 * gpu_filter.c - the filter on a GPU passes exactly the pairs that it passes on the CPU.
 *
 * usage: gpu_filter [SEQUENCES [STEP]]
 *
 * A plain program, so that it runs without cmocka.  It compares random families of all
 * lengths with every kind of scores, ends and ambiguity codes, several identities, and
 * rectangles of all shapes, with two batches in flight; with STEP, for slow tools, only
 * every STEP-th family.  At the end it times the tiles of SEQUENCES sequences (4000).
 * Without a GPU it exits with 77.
 */
#include "io/base/clock.h"
#include "tests/kernels/align/filter/filter_case.h"
#include "tests/support/gpu_case.h"
#include "tests/support/random_set.h"

#include <stdio.h>

enum {

    N_IDENTITIES = 6,
    N_KINDS = 4,
    N_RECTS = 12,
    ROWS_MAX = 100,
    MANY = 4000,
    SIDE = 256
};

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
    int64_t n_ruled_out, n_left; /* pairs ruled out by k-mers, and pairs passed */
} comparison_t;

static int64_t draw(rng_t *rng, int64_t min, int64_t max)
{
    return min + (int64_t)rng_below(rng, (uint64_t)(max - min + 1));
}

/* The whole matrix, one pair, no pair, and random rectangles. */
static void draw_rects(rng_t *rng, int64_t n, filter_rect_t *out)
{
    out[0] = (filter_rect_t){0, n, 0, n};
    out[1] = (filter_rect_t){n - 1, n, 0, 1};
    out[2] = (filter_rect_t){5, 5, 0, n};
    out[3] = (filter_rect_t){0, n, 7, 7};
    for (int k = 4; k < N_RECTS; k++) {
        int64_t row0 = draw(rng, 0, n - 1), col0 = draw(rng, 0, n - 1);

        out[k] = (filter_rect_t){row0, draw(rng, row0, n), col0, draw(rng, col0, n)};
    }
}

/* Submit batches of all rectangles, of none, of the last few and of the first, two at a
 * time. @return whether both devices pass the same pairs */
static bool batches_equal(comparison_t *s, pair_filter_t *cpu, pair_filter_t *gpu,
                          const filter_rect_t *rects)
{
    static const int first[] = {0, 0, N_RECTS - 3, 0}, n_of[] = {N_RECTS, 0, 3, 1};
    enum { N_BATCHES = sizeof(first) / sizeof(first[0]) };
    bool good = true;

    for (int k = 0; good && k <= N_BATCHES; k++) {
        filter_case_t expected = {0}, actual = {0};

        if (k < N_BATCHES)
            good = pair_filter_submit(cpu, rects + first[k], n_of[k]) == ST_OK &&
                   pair_filter_submit(gpu, rects + first[k], n_of[k]) == ST_OK;
        if (k == 0 || !good)
            continue;
        good = filter_case_take(cpu, n_of[k - 1], &expected) &&
               filter_case_take(gpu, n_of[k - 1], &actual) &&
               filter_case_equal(&expected, &actual);
        if (!good)
            printf("  batch %d: %lld of %lld pairs passed, not %lld of %lld\n", k - 1,
                   (long long)actual.counts.n_passed, (long long)actual.counts.n_pairs,
                   (long long)expected.counts.n_passed,
                   (long long)expected.counts.n_pairs);
        s->n_ruled_out += expected.counts.n_by_kmers + expected.counts.n_by_overlap;
        s->n_left += expected.counts.n_passed;
        filter_case_free(&expected);
        filter_case_free(&actual);
    }
    return good;
}

static void compare(comparison_t *s, rng_t *rng, const seqset_t *set,
                    const align_spec_t *spec, fraction_t identity)
{
    pair_filter_t *cpu = NULL, *gpu = NULL;
    filter_rect_t rects[N_RECTS];
    char text[RANDOM_SET_TEXT_BYTES];
    bool triangle = rng_chance(rng, 1, 2), good;
    const filter_shape_t shape = triangle ? filter_case_triangle : filter_case_square;

    draw_rects(rng, set->n, rects);
    good = pair_filter_create(&(align_context_t){&s->cpu, s->pool, set, spec, {0}},
                              identity, shape, &cpu) == ST_OK &&
           pair_filter_create(&(align_context_t){&s->gpu, s->pool, set, spec, {0}},
                              identity, shape, &gpu) == ST_OK &&
           batches_equal(s, cpu, gpu, rects);
    random_set_describe(spec, text);
    if (!good)
        printf("FAILED  %s%s, %lld/%lld, %lld sequences%s\n", text,
               spec->ends == ENDS_QUERY ? " of the query" : "",
               (long long)identity.numerator, (long long)identity.denominator,
               (long long)set->n, triangle ? ", triangle" : "");
    s->n_passed += good;
    s->n_failed += !good;
    pair_filter_destroy(cpu);
    pair_filter_destroy(gpu);
}

/* Compare queries with references, each query with a minimum identity of its own. */
static void compare_row_identities(comparison_t *s, rng_t *rng, const seqset_t *set,
                                   align_spec_t spec, fraction_t identity)
{
    const int64_t n = set->n;
    const filter_shape_t shape = {.n_rows = n / 3, .per_row_identity = true};
    filter_rect_t rects[N_RECTS];
    fraction_t of_rows[ROWS_MAX];
    pair_filter_t *cpu = NULL, *gpu = NULL;
    bool good;

    spec.ends = rng_chance(rng, 1, 2) ? ENDS_QUERY : ENDS_COUNT;
    for (int k = 0; k < N_RECTS; k++) {
        int64_t row0 = draw(rng, 0, n / 3), col0 = draw(rng, n / 3, n);

        rects[k] =
            (filter_rect_t){row0, draw(rng, row0, n / 3), col0, draw(rng, col0, n)};
    }
    good = pair_filter_create(&(align_context_t){&s->cpu, s->pool, set, &spec, {0}},
                              identity, shape, &cpu) == ST_OK &&
           pair_filter_create(&(align_context_t){&s->gpu, s->pool, set, &spec, {0}},
                              identity, shape, &gpu) == ST_OK &&
           batches_equal(s, cpu, gpu, rects);
    for (int round = 0; good && round < 2; round++) {
        for (int64_t row = 0; row < n / 3; row++)
            of_rows[row] = rng_chance(rng, 1, 8) ? pair_filter_none
                           : rng_chance(rng, 1, 8)
                               ? pair_filter_every
                               : identities[rng_below(rng, N_IDENTITIES)];
        good = pair_filter_set_identities(cpu, of_rows) == ST_OK &&
               pair_filter_set_identities(gpu, of_rows) == ST_OK &&
               batches_equal(s, cpu, gpu, rects);
    }
    if (!good)
        printf("FAILED  rows with identities of their own, %lld sequences\n",
               (long long)n);
    s->n_passed += good;
    s->n_failed += !good;
    pair_filter_destroy(cpu);
    pair_filter_destroy(gpu);
}

static void compare_all(comparison_t *s, int step)
{
    rng_t rng = rng_seed(21);

    for (int k = 0; k < 6 * RANDOM_SET_SPECS; k += step) {
        align_spec_t spec = random_set_spec(k % RANDOM_SET_SPECS);
        seqset_t *set = NULL;

        if (k >= 4 * RANDOM_SET_SPECS)
            spec.ends = ENDS_QUERY;
        spec.min_overlap = (fraction_t){k % 5, 4 + k % 3};
        if (random_set_create(&rng, &kinds[k % N_KINDS], &set) != ST_OK) {
            s->n_failed++;
            return;
        }
        for (int c = k % 2; c < N_IDENTITIES; c += 2)
            compare(s, &rng, set, &spec, identities[c]);
        compare_row_identities(s, &rng, set, spec, identities[2 + k % 3]);
        seqset_destroy(set);
    }
}

static int64_t cut_tiles(int64_t n, filter_rect_t *out)
{
    int64_t k = 0;

    for (int64_t i = 0; i < n; i += SIDE)
        for (int64_t j = i; j < n; j += SIDE)
            out[k++] = (filter_rect_t){i, i + SIDE < n ? i + SIDE : n, j,
                                       j + SIDE < n ? j + SIDE : n};
    return k;
}

static void compare_many(comparison_t *s, int64_t n)
{
    const random_set_opts_t opts = {n, 1200, 1500, 20};
    align_spec_t spec = random_set_spec(0);
    rng_t rng = rng_seed(22);
    int64_t bands = (n + SIDE - 1) / SIDE, n_rects;
    filter_rect_t *rects = malloc((size_t)(bands * (bands + 1) / 2) * sizeof(*rects));
    pair_filter_t *f = NULL;
    filter_case_t expected = {0}, actual = {0};
    seqset_t *set = NULL;
    double begin, took = 0;
    bool good;

    if (rects == NULL || random_set_create(&rng, &opts, &set) != ST_OK) {
        s->n_failed++;
        return;
    }
    n_rects = cut_tiles(n, rects);
    good = pair_filter_create(&(align_context_t){&s->gpu, s->pool, set, &spec, {0}},
                              identities[3], filter_case_triangle, &f) == ST_OK;
    for (int k = 0; good && k < 3; k++) { /* the first run allocates */
        filter_case_free(&actual);
        begin = clock_now_s();
        good = pair_filter_submit(f, rects, n_rects) == ST_OK &&
               filter_case_take(f, n_rects, &actual);
        took = clock_now_s() - begin;
    }
    pair_filter_destroy(f);
    good = good &&
           filter_case_run(&s->cpu, s->pool, set, &spec, identities[3],
                           filter_case_triangle, rects, n_rects, &expected) &&
           filter_case_equal(&expected, &actual);
    printf("%s  %lld sequences of 1200..1500: %.3g pairs/s, %.3f %% passed\n",
           good ? "ok    " : "FAILED", (long long)n, (double)actual.counts.n_pairs / took,
           100.0 * (double)actual.counts.n_passed / (double)actual.counts.n_pairs);
    s->n_passed += good;
    s->n_failed += !good;
    filter_case_free(&expected);
    filter_case_free(&actual);
    seqset_destroy(set);
    free(rects);
}

int main(int argc, char **argv)
{
    comparison_t s = {0};
    int code = gpu_case_begin(0, &s.cpu, &s.gpu, &s.pool);

    if (code != EXIT_SUCCESS)
        return code;
    compare_all(&s, argc > 2 && atoi(argv[2]) > 0 ? atoi(argv[2]) : 1);
    printf("%lld pairs ruled out by windows, %lld passed\n", (long long)s.n_ruled_out,
           (long long)s.n_left);
    compare_many(&s, argc > 1 ? atoll(argv[1]) : MANY);
    pool_destroy(s.pool);
    printf("%d passed, %d failed\n", s.n_passed, s.n_failed);
    return s.n_failed == 0 && s.n_passed > 0 && s.n_ruled_out > 0 && s.n_left > 0
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
