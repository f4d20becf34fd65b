/*
 * test_filter.c - pair_filter.h: no pair that reaches the minimum identity is ruled out.
 *
 * All pairs are aligned, and those that reach the identity must have passed: first pairs
 * of random families, then pairs that are made to stand exactly at the bound.
 */
#include "tests/support/unit_test.h"

#include "io/seq/fasta.h"
#include "tests/kernels/align/filter/filter_case.h"
#include "tests/support/pool_fixture.h"
#include "tests/support/random_set.h"

#include <stdio.h>
#include <unistd.h>

enum { N_IDENTITIES = 6 };

static const fraction_t identities[N_IDENTITIES] = {{1, 2},    {80, 100}, {9, 10},
                                                    {97, 100}, {99, 100}, {1, 1}};

/* Filter all pairs, and check that those that reach an identity pass. @return how many
 * were ruled out */
static int64_t check_identity(const filter_truth_t *a, fraction_t identity,
                              int64_t *n_true)
{
    int64_t n = a->set->n;
    filter_rect_t rect = {0, n, 0, n};
    filter_case_t actual;

    assert_true(filter_case_run(&cpu, pool, a->set, &a->spec, identity,
                                filter_case_square, &rect, 1, &actual));
    assert_int_equal(actual.counts.n_pairs, n * n);
    assert_int_equal(actual.counts.n_passed, actual.rect_start[1]);
    for (int64_t i = 0; i < n * n; i++) {
        int64_t matches = a->results.matches[i], columns = a->results.columns[i];

        if (!filter_truth_reached(a, i / n, i % n, identity))
            continue;
        ++*n_true;
        if (!filter_case_holds(&actual, 0, i / n, i % n))
            fail_msg("pair %d,%d: %d of %d columns, ruled out at %d/%d", (int)(i / n),
                     (int)(i % n), (int)matches, (int)columns, (int)identity.numerator,
                     (int)identity.denominator);
    }
    n = actual.counts.n_pairs - actual.counts.n_passed;
    filter_case_free(&actual);
    return n;
}

static int64_t check_set(seqset_t *set, const align_spec_t *spec, int64_t *n_true)
{
    int64_t n_ruled_out = 0;
    filter_truth_t a;

    assert_true(filter_truth_make(&cpu, pool, set, spec, &a));
    for (int k = 0; k < N_IDENTITIES; k++)
        n_ruled_out += check_identity(&a, identities[k], n_true);
    filter_truth_free(&a);
    return n_ruled_out;
}

static void random_families_lose_no_pair(void **state)
{
    static const random_set_opts_t kinds[] = {{48, 1, 12, 30},
                                              {48, 1, 150, 50},
                                              {40, 100, 300, 40},
                                              {16, 1, 1500, 30}};
    rng_t rng = rng_seed(11);
    int64_t n_ruled_out = 0, n_true = 0;

    (void)state;
    for (int k = 0; k < RANDOM_SET_SPECS; k += CASE_STEP) {
        align_spec_t spec = random_set_spec(k);
        seqset_t *set;

        assert_int_equal(random_set_create(&rng, &kinds[k % 4], &set), ST_OK);
        n_ruled_out += check_set(set, &spec, &n_true);
        seqset_destroy(set);
    }
    assert_true(n_ruled_out > 10000 / CASE_STEP); /* otherwise nothing was tested */
    assert_true(n_true > 10000 / CASE_STEP);
}

/* There are pieces of sequences in a family: some queries are contained in a target. */
static void random_families_lose_no_pair_if_the_querys_ends_are_counted(void **state)
{
    static const random_set_opts_t kinds[] = {{48, 1, 12, 30},
                                              {48, 1, 150, 50},
                                              {32, 100, 250, 40},
                                              {16, 1, 600, 30}};
    rng_t rng = rng_seed(16);
    int64_t n_ruled_out = 0, n_true = 0;

    (void)state;
    for (int k = 0; k < RANDOM_SET_SPECS; k += RANDOM_SET_DIVISOR) {
        align_spec_t spec = random_set_spec(k);
        seqset_t *set;

        spec.ends = ENDS_QUERY;
        assert_int_equal(random_set_create(&rng, &kinds[k % 4], &set), ST_OK);
        n_ruled_out += check_set(set, &spec, &n_true);
        seqset_destroy(set);
    }
    assert_true(n_ruled_out > 10000 / RANDOM_SET_DIVISOR &&
                n_true > 10000 / RANDOM_SET_DIVISOR);
}

/* Affine gaps are longer and fewer, and priced ends make alignments reach further. */
static void affine_gaps_and_priced_ends_lose_no_pair(void **state)
{
    static const random_set_opts_t kinds[] = {{48, 1, 12, 30}, {32, 1, 150, 50}};
    rng_t rng = rng_seed(17);
    int64_t n_ruled_out = 0, n_true = 0;

    (void)state;
    for (int k = 0; k < 8; k += CASE_STEP) {
        align_spec_t spec = random_set_spec(k);
        seqset_t *set;

        spec.ends = k < 4 ? ENDS_PRICED : (align_ends_t)(k % 3);
        spec.end_gap = (align_gap_t){-2 - k, -k};
        if (k > 0) /* the first has linear gaps inside */
            align_scoring_set_gap(&spec.scoring, (align_gap_t){-9, -1});
        assert_int_equal(random_set_create(&rng, &kinds[k % 2], &set), ST_OK);
        n_ruled_out += check_set(set, &spec, &n_true);
        seqset_destroy(set);
    }
    assert_true(n_ruled_out > 1000 / CASE_STEP && n_true > 1000 / CASE_STEP);
}

static void scoring_matrices_lose_no_pair(void **state)
{
    const random_set_opts_t opts = {48, 1, 120, 40};
    rng_t rng = rng_seed(12);
    int64_t n_ruled_out = 0, n_true = 0;

    (void)state;
    for (int k = 0; k < 9; k += CASE_STEP) {
        align_spec_t spec = {.emit = EMIT_IDENTITY,
                             .ends = (align_ends_t)(k % 3),
                             .min_overlap = {k, 6}};
        score_matrix_t matrix;
        seqset_t *set;

        random_set_matrix(&rng, &matrix);
        align_scoring_set_matrix(&spec.scoring, &matrix, -1 - 3 * k);
        if (k >= 6)
            align_scoring_set(&spec.scoring, AMBIGUITY_NEUTRAL, 2, -4, -2);
        assert_int_equal(random_set_create(&rng, &opts, &set), ST_OK);
        n_ruled_out += check_set(set, &spec, &n_true);
        seqset_destroy(set);
    }
    assert_true(n_ruled_out > 1000 / CASE_STEP && n_true > 1000 / CASE_STEP);
}

/* How two sequences overlap, and how they differ there. */
typedef struct {
    int64_t overlap;        /* columns */
    int64_t n_edits;        /* as far apart as possible */
    int64_t before, behind; /* bases of the first in front, and of the second behind */
    int64_t around;         /* bases of the second on either side */
    bool indels;            /* the edits are deletions and insertions in turn */
    int code_every;   /* every how many letters one is an ambiguity code that matches */
    int n_run;        /* if not 0: as many N there, instead of one code */
    bool codes_first; /* the codes are in the first sequence */
} overlap_t;

/* @return whether a column of the overlap is its k-th edit; then k is increased */
static bool is_edit(const overlap_t *o, int64_t at, int64_t *k)
{
    if (*k >= o->n_edits || at != (2 * *k + 1) * o->overlap / (2 * o->n_edits))
        return false;
    ++*k;
    return true;
}

static uint8_t any_base(rng_t *rng)
{
    return (uint8_t)(1 << rng_below(rng, 4));
}

/* Add two sequences whose alignment is known: its columns and its edits. */
static void add_overlap(rng_t *rng, const overlap_t *o, seqset_builder_t *builder)
{
    uint8_t *a = malloc((size_t)(o->before + o->overlap)), *b;
    int64_t m = 0, n = 0, k = 0;

    b = malloc((size_t)(o->overlap + o->behind + 2 * o->around));
    assert_true(a != NULL && b != NULL);
    for (; m < o->before; m++)
        a[m] = any_base(rng);
    for (; n < o->around; n++)
        b[n] = any_base(rng);
    for (int64_t at = 0; at < o->overlap; at++) {
        uint8_t base = any_base(rng), code = base;
        bool edit = is_edit(o, at, &k);

        if (!edit && o->code_every > 0 && at % o->code_every == 0)
            code |= (uint8_t)(any_base(rng) | any_base(rng));
        if (!edit && o->n_run > 0)
            code = at % o->code_every < o->n_run ? CODE_N : base;
        if (!edit || !o->indels || k % 2 == 0)
            a[m++] = o->codes_first ? code : base;
        if (!edit)
            b[n++] = o->codes_first ? base : code;
        else if (!o->indels)
            b[n++] = (uint8_t)(base == 8 ? 1 : base << 1);
        else if (k % 2 != 0)
            b[n++] = base;
    }
    for (int64_t i = 0; i < o->behind + o->around; i++)
        b[n++] = any_base(rng);
    assert_int_equal(seqset_builder_add(builder, "a", 1, a, (size_t)m), ST_OK);
    assert_int_equal(seqset_builder_add(builder, "b", 1, b, (size_t)n), ST_OK);
    free(a);
    free(b);
}

/*
 * Add overlaps of every kind with as many edits as an identity allows, and with one more.
 * With the query's ends counted the overlap lies inside a longer target.
 *
 * The last two kinds overlap by exactly half and have runs of N, which set no bits: a
 * dovetail passes only because dropped windows are counted.
 */
static void add_overlaps(rng_t *rng, fraction_t identity, align_ends_t ends,
                         int64_t overlap, seqset_builder_t *builder)
{
    static const int code_every[] = {0, 50, 3, 1};

    for (int kind = 0; kind < 10; kind++)
        for (int more = 0; more < 2; more++) {
            int64_t beside = overlap * (kind < 8 ? kind % 4 : 3) / 3;
            int64_t hanging = ends == ENDS_FREE ? beside : 0;
            overlap_t o = {.overlap = overlap,
                           .n_edits = overlap *
                                          (identity.denominator - identity.numerator) /
                                          identity.denominator +
                                      more,
                           .before = hanging,
                           .behind = kind == 7 ? 2 * hanging : hanging,
                           .around = ends == ENDS_QUERY ? beside : 0,
                           .indels = kind / 4 == 1,
                           .code_every = kind < 8 ? code_every[(kind + overlap) % 4] : 60,
                           .n_run = kind < 8 ? 0 : 6,
                           .codes_first = kind > 3 && kind < 9};

            add_overlap(rng, &o, builder);
        }
}

static int64_t check_overlaps(rng_t *rng, fraction_t identity, align_ends_t ends,
                              int64_t overlap, int64_t *n_true)
{
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ends, .min_overlap = {1, 2}};
    seqset_builder_t builder = {0};
    seqset_t *set;
    filter_truth_t a;
    int64_t n_ruled_out;

    align_scoring_set(&spec.scoring, AMBIGUITY_MATCH, 4, -5, -7);
    for (int k = 0; k < (overlap < 200 ? 2 : 1); k++)
        add_overlaps(rng, identity, ends, overlap + k, &builder);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    assert_true(filter_truth_make(&cpu, pool, set, &spec, &a));
    n_ruled_out = check_identity(&a, identity, n_true);
    filter_truth_free(&a);
    seqset_destroy(set);
    return n_ruled_out;
}

static void pairs_at_the_threshold_pass(void **state)
{
    static const int64_t overlaps[] = {40, 101, 250, 600};
    rng_t rng = rng_seed(13);
    int64_t n_ruled_out = 0, n_true = 0;

    (void)state;
    for (int k = 0; k < N_IDENTITIES; k += CASE_STEP)
        for (int ends = ENDS_FREE; ends <= ENDS_QUERY; ends++)
            for (int i = 0; i < (ends == ENDS_QUERY ? 2 : CASE_STEP > 1 ? 3 : 4); i++)
                n_ruled_out += check_overlaps(&rng, identities[k], (align_ends_t)ends,
                                              overlaps[i], &n_true);
    assert_true(n_ruled_out > 10000 / RANDOM_SET_DIVISOR &&
                n_true > 500 / RANDOM_SET_DIVISOR);
}

/* 100 bases without a repeated window: 3 substitutions leave 97/100, 4 do not. */
static void equality_is_kept_and_one_below_is_not(void **state)
{
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ENDS_COUNT};
    filter_rect_t rect = {0, 1, 1, 4};
    rng_t rng = rng_seed(14);
    seqset_builder_t builder = {0};
    uint8_t letters[101], changed[101];
    filter_case_t actual;
    seqset_t *set;

    (void)state;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    for (int i = 0; i < 101; i++)
        changed[i] = letters[i] = any_base(&rng);
    assert_int_equal(seqset_builder_add(&builder, "a", 1, letters, 100), ST_OK);
    for (int i = 1; i <= 3; i++)
        changed[25 * i] = letters[25 * i] == 8 ? 1 : (uint8_t)(letters[25 * i] << 1);
    assert_int_equal(seqset_builder_add(&builder, "3", 1, changed, 100), ST_OK);
    for (int i = 10; i < 90; i += 11) /* 8 more, as far apart as possible */
        changed[i] = letters[i] == 8 ? 1 : (uint8_t)(letters[i] << 1);
    assert_int_equal(seqset_builder_add(&builder, "11", 2, changed, 100), ST_OK);
    assert_int_equal(seqset_builder_add(&builder, "96", 2, letters, 96), ST_OK);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    assert_true(filter_case_run(&cpu, pool, set, &spec, (fraction_t){97, 100},
                                filter_case_square, &rect, 1, &actual));
    assert_int_equal(actual.counts.n_pairs, 3);
    assert_int_equal(actual.counts.n_by_length, 1);
    assert_int_equal(actual.counts.n_by_kmers, 1);
    assert_int_equal(actual.counts.n_passed, 1);
    assert_true(filter_case_holds(&actual, 0, 0, 1));
    filter_case_free(&actual);
    seqset_destroy(set);
}

static seqset_t *some_set(int64_t n, int64_t len_max)
{
    const random_set_opts_t opts = {n, len_max / 2, len_max, 30};
    rng_t rng = rng_seed(15);
    seqset_t *set;

    assert_int_equal(random_set_create(&rng, &opts, &set), ST_OK);
    return set;
}

static void vector_levels_pass_the_same(void **state)
{
    seqset_t *set = some_set(150, 400);
    filter_rect_t rects[] = {{0, 150, 0, 150}, {3, 70, 65, 150}};

    (void)state;
    for (int k = 0; k < 4; k++) {
        const filter_shape_t shape = k == 0 ? filter_case_triangle : filter_case_square;
        align_spec_t spec = random_set_spec(k);
        device_t plain = cpu;
        filter_case_t expected, actual;

        plain.simd = SIMD_NONE;
        assert_true(filter_case_run(&plain, pool, set, &spec, identities[3 - k / 2],
                                    shape, rects, 2, &expected));
        for (int level = SIMD_128; level <= (int)cpu.simd; level++) {
            device_t one = cpu;

            one.simd = (simd_level_t)level;
            assert_true(filter_case_run(&one, pool, set, &spec, identities[3 - k / 2],
                                        shape, rects, 2, &actual));
            assert_true(filter_case_equal(&expected, &actual));
            filter_case_free(&actual);
        }
        filter_case_free(&expected);
    }
    seqset_destroy(set);
}

/* Small rectangles pass the same pairs as one large rectangle that contains them, with
 * two batches in flight. */
static void rectangles_divide_the_same_answer(void **state)
{
    seqset_t *set = some_set(150, 200);
    align_spec_t spec = random_set_spec(0);
    const fraction_t identity = {9, 10};
    filter_rect_t whole = {0, 150, 0, 150};
    filter_rect_t rects[] = {{0, 70, 0, 70},    {70, 70, 0, 150}, {0, 70, 70, 150},
                             {70, 150, 0, 150}, {9, 10, 20, 20},  {149, 150, 0, 150}};
    filter_case_t expected, actual;
    pair_filter_t *f;
    int64_t n = 0;

    (void)state;
    assert_true(filter_case_run(&cpu, pool, set, &spec, identity, filter_case_triangle,
                                &whole, 1, &expected));
    assert_int_equal(expected.counts.n_pairs, 150 * 149 / 2);
    assert_int_equal(pair_filter_create(&(align_context_t){&cpu, pool, set, &spec, {0}},
                                        identity, filter_case_triangle, &f),
                     ST_OK);
    assert_int_equal(pair_filter_submit(f, rects, 3), ST_OK);
    assert_int_equal(pair_filter_submit(f, rects + 3, 3), ST_OK);
    for (int k = 0; k < 2; k++) {
        assert_true(filter_case_take(f, 3, &actual));
        for (int64_t i = 0; i < actual.rect_start[3]; i++)
            assert_true(filter_case_holds(&expected, 0, actual.pairs[i].query,
                                          actual.pairs[i].target));
        n += actual.rect_start[3];
        if (k == 1)
            assert_int_equal(actual.counts.n_pairs, 80 * 79 / 2);
        filter_case_free(&actual);
    }
    assert_int_equal(n, expected.rect_start[1]);
    assert_int_equal(pair_filter_submit(f, rects, 0), ST_OK);
    assert_true(filter_case_take(f, 0, &actual));
    assert_int_equal(actual.counts.n_pairs, 0);
    filter_case_free(&actual);
    pair_filter_destroy(f);
    filter_case_free(&expected);
    seqset_destroy(set);
}

static void real_genes_are_ruled_out_and_none_is_lost(void **state)
{
    const fasta_opts_t opts = {.skip_bad = true};
    const char *dir = getenv("RIBOGRID_DATA");
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ENDS_FREE, .min_overlap = {1, 2}};
    int64_t n_true = 0, n_ruled_out;
    char path[1024];
    seqset_t *set;
    filter_truth_t a;

    (void)state;
    snprintf(path, sizeof(path), "%s/16s/rdp_Armatimonadetes.fasta.gz",
             dir != NULL ? dir : "");
    if (dir == NULL || access(path, R_OK) != 0)
        skip();
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    assert_int_equal(fasta_read(path, &opts, NULL, &set), ST_OK);
    set->n = set->n < 150 / CASE_STEP ? set->n : 150 / CASE_STEP;
    assert_true(filter_truth_make(&cpu, pool, set, &spec, &a));
    n_ruled_out = check_identity(&a, (fraction_t){97, 100}, &n_true);
    print_message("of %lld pairs %lld reach 0.97, %lld are ruled out\n",
                  (long long)(set->n * set->n), (long long)n_true,
                  (long long)n_ruled_out);
    assert_true(n_ruled_out > set->n * set->n * 8 / 10);
    filter_truth_free(&a);
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_families_lose_no_pair),
        cmocka_unit_test(random_families_lose_no_pair_if_the_querys_ends_are_counted),
        cmocka_unit_test(affine_gaps_and_priced_ends_lose_no_pair),
        cmocka_unit_test(scoring_matrices_lose_no_pair),
        cmocka_unit_test(pairs_at_the_threshold_pass),
        cmocka_unit_test(equality_is_kept_and_one_below_is_not),
        cmocka_unit_test(vector_levels_pass_the_same),
        cmocka_unit_test(rectangles_divide_the_same_answer),
        cmocka_unit_test(real_genes_are_ruled_out_and_none_is_lost)};

    return cmocka_run_group_tests(tests, pool_fixture_start, pool_fixture_stop);
}
