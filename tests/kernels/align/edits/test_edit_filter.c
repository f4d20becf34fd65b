/*
 * test_edit_filter.c - edit_filter.h: no pair that reaches the minimum identity is ruled
 * out.
 *
 * Pairs are aligned, and those that reach the identity must have passed: first pairs of
 * random families, then pairs that are made to stand exactly at the bound.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/common/nw_reference.h"
#include "tests/kernels/align/edits/edit_filter_case.h"
#include "tests/support/pool_fixture.h"

/* @return whether a pair reaches an identity, by the definition */
static bool reaches(const nw_cell_t *cell, const align_spec_t *spec, fraction_t identity,
                    int64_t m, int64_t n)
{
    return cell->columns > 0 &&
           align_overlap_suffices(spec, m, n, (int32_t)cell->columns) &&
           cell->matches * identity.denominator >= cell->columns * identity.numerator;
}

/* Check that pairs that reach an identity pass. @return how many reach it */
static int64_t check_reaching(const align_spec_t *spec, const seqset_t *set,
                              const pair_batch_t *batch, fraction_t identity,
                              const nw_cell_t *cells)
{
    uint8_t *keep = malloc((size_t)batch->n);
    char text[RANDOM_SET_TEXT_BYTES];
    int64_t n_true = 0;

    assert_non_null(keep);
    assert_true(edit_filter_case_run(&(align_context_t){&cpu, pool, set, spec, {0}},
                                     identity, batch, keep));
    random_set_describe(spec, text);
    for (int64_t i = 0; i < batch->n; i++) {
        pair_t p = batch->pairs[i];

        if (!reaches(&cells[i], spec, identity, seqset_len(set, p.query),
                     seqset_len(set, p.target)))
            continue;
        n_true++;
        if (!keep[i])
            fail_msg("%s: pair %d,%d, %d of %d columns, ruled out at %d/%d", text,
                     p.query, p.target, (int)cells[i].matches, (int)cells[i].columns,
                     (int)identity.numerator, (int)identity.denominator);
    }
    free(keep);
    return n_true;
}

static void align_pairs(const align_spec_t *spec, const seqset_t *set,
                        const pair_batch_t *batch, nw_cell_t *cells)
{
    nw_values_t *row = malloc((size_t)(seqset_max_len(set) + 1) * sizeof(*row));

    assert_non_null(row);
    for (int64_t i = 0; i < batch->n; i++) {
        pair_t p = batch->pairs[i];

        cells[i] =
            nw_reference_pair(spec, seqset_letters(set, p.query),
                              seqset_len(set, p.query), seqset_letters(set, p.target),
                              seqset_len(set, p.target), row);
    }
    free(row);
}

static void random_families_lose_no_pair(void **state)
{
    static const random_set_opts_t kinds[] = {{48, 1, 12, 30}, {48, 1, 250, 40}};
    enum { N = 250 };
    static nw_cell_t cells[N];
    const int n = random_set_count(N);
    rng_t rng = rng_seed(23);
    int64_t n_true = 0;

    (void)state;
    for (int k = 0; k < RANDOM_SET_ALL_SPECS + 10; k += CASE_STEP) {
        align_spec_t spec = random_set_spec(k % RANDOM_SET_ALL_SPECS);
        score_matrix_t matrix;
        pair_t pairs[N];
        pair_batch_t batch = {pairs, n};
        seqset_t *set;

        if (k >= RANDOM_SET_ALL_SPECS + 6) {
            spec.ends = k % 2 == 0 ? ENDS_PRICED : spec.ends;
            spec.end_gap = (align_gap_t){-3, -1};
            if (k >= RANDOM_SET_ALL_SPECS + 8)
                align_scoring_set(&spec.scoring, AMBIGUITY_NEUTRAL, 2, -4, -2);
            align_scoring_set_gap(&spec.scoring, (align_gap_t){-11, -2});
        } else if (k >= RANDOM_SET_ALL_SPECS) {
            random_set_matrix(&rng, &matrix);
            spec.ends = (align_ends_t)(k % 3);
            align_scoring_set_matrix(&spec.scoring, &matrix, -1 - 4 * (k % 2));
        }
        assert_int_equal(random_set_create(&rng, &kinds[k % 2], &set), ST_OK);
        random_set_pairs(&rng, set, n, pairs);
        align_pairs(&spec, set, &batch, cells);
        for (int identity = 0; identity < N_IDENTITIES; identity++)
            for (int o = 0; o < N_OVERLAPS; o++) {
                spec.min_overlap = overlaps[o];
                n_true += check_reaching(&spec, set, &batch, identities[identity], cells);
            }
        seqset_destroy(set);
    }
    assert_true(n_true > 40 * n / CASE_STEP);
}

/* How two sequences overlap, and how they differ there. */
typedef struct {
    int64_t columns, n_edits;
    int64_t before, behind; /* bases of the first in front, and of the second behind */
    int edits; /* 0: mismatches, 1: deletions in the second, 2: deletions in the first, 3:
                  all in turn */
    /* 0: random, 1: one base, 2: a repeat of three, 3: random with runs of N */
    int letters;
} overlap_t;

static uint8_t letter_of(rng_t *rng, int letters, int64_t at)
{
    static const uint8_t repeat[] = {1, 2, 8};

    if (letters == 1)
        return 1;
    if (letters == 2)
        return repeat[at % 3];
    if (letters == 3 && at % 20 < 5)
        return CODE_N;
    return (uint8_t)(1 << rng_below(rng, 4));
}

static void add_overlap(rng_t *rng, const overlap_t *o, seqset_builder_t *builder)
{
    uint8_t *a = malloc((size_t)(o->before + o->columns + 1));
    uint8_t *b = malloc((size_t)(o->behind + o->columns + 1));
    int64_t m = 0, n = 0, k = 0;

    assert_true(a != NULL && b != NULL);
    for (; m < o->before; m++)
        a[m] = 4;
    for (int64_t at = 0; at < o->columns; at++) {
        uint8_t letter = letter_of(rng, o->letters, at);
        int edit = o->edits < 3 ? o->edits : (int)(k % 3);

        if (k >= o->n_edits || at != (2 * k + 1) * o->columns / (2 * o->n_edits)) {
            a[m++] = b[n++] = letter;
            continue;
        }
        k++;
        if (edit != 2)
            a[m++] = letter;
        if (edit != 1)
            b[n++] = edit == 2 ? letter : letter == 8 ? 1 : (uint8_t)(letter << 1 & 15);
    }
    for (int64_t i = 0; i < o->behind; i++)
        b[n++] = 8;
    assert_int_equal(seqset_builder_add(builder, "a", 1, a, (size_t)m), ST_OK);
    assert_int_equal(seqset_builder_add(builder, "b", 1, b, (size_t)n), ST_OK);
    free(a);
    free(b);
}

/*
 * Add overlaps with as many edits as an identity allows, and with one more: of whole
 * sequences, and such that the columns are exactly half of the shorter sequence.
 */
static void add_overlaps(rng_t *rng, fraction_t identity, seqset_builder_t *builder)
{
    static const int64_t lengths[] = {20, 64, 101, 250};

    for (int k = 0; k < (CASE_STEP > 1 ? 3 : 4); k++)
        for (int kind = 0; kind < 32; kind++)
            for (int more = 0; more < 2; more++) {
                overlap_t o = {.columns = lengths[k],
                               .n_edits =
                                   lengths[k] *
                                       (identity.denominator - identity.numerator) /
                                       identity.denominator +
                                   more,
                               .edits = kind % 4,
                               .letters = kind / 4 % 4};
                bool halves = kind / 16 == 1;

                if (o.n_edits > 0 && o.edits == 1 && o.n_edits >= o.columns)
                    continue;
                o.before = halves ? o.columns + (o.edits == 2 ? o.n_edits : 0) : 0;
                o.behind = halves ? o.columns + (o.edits == 1 ? o.n_edits : 0) : 0;
                add_overlap(rng, &o, builder);
            }
}

static void pairs_at_the_threshold_pass(void **state)
{
    rng_t rng = rng_seed(24);
    enum { ALL = 1000, FEW = 5 }; /* of each identity another kind of ends and scores */
    const int step = random_set_count(ALL) >= ALL ? 1 : FEW;
    int64_t n_true = 0;

    (void)state;
    for (int k = 0; k < N_IDENTITIES * 6; k += step) {
        align_spec_t spec = {.ends = (align_ends_t)(k % 3), .min_overlap = {1, 2}};
        seqset_builder_t builder = {0};
        fraction_t identity = identities[k / 6];
        nw_cell_t *cells;
        pair_t *pairs;
        seqset_t *set;
        int64_t n;

        align_scoring_set(&spec.scoring, AMBIGUITY_MATCH, 4, k % 2 == 0 ? -5 : -30, -7);
        add_overlaps(&rng, identity, &builder);
        assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
        n = set->n / 2;
        pairs = malloc((size_t)(2 * n) * sizeof(*pairs));
        cells = malloc((size_t)(2 * n) * sizeof(*cells));
        assert_true(pairs != NULL && cells != NULL);
        for (int32_t i = 0; i < n; i++) {
            pairs[i] = (pair_t){2 * i, 2 * i + 1};
            pairs[n + i] = (pair_t){2 * i + 1, 2 * i};
        }
        pair_batch_t batch = {pairs, 2 * n};

        align_pairs(&spec, set, &batch, cells);
        n_true += check_reaching(&spec, set, &batch, identity, cells);
        free(pairs);
        free(cells);
        seqset_destroy(set);
    }
    assert_true(n_true > 2000 / step);
}

/* 100 bases at 9/10: 100/9 = 11.1, so eleven edits are allowed and twelve are not. */
static void one_edit_too_many_is_ruled_out(void **state)
{
    static const pair_t pairs[] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {2, 0}};
    pair_batch_t batch = {pairs, 5};
    uint8_t letters[3][100], keep[5];
    seqset_builder_t builder = {0};
    rng_t rng = rng_seed(25);
    seqset_t *set;

    (void)state;
    for (int i = 0; i < 100; i++) {
        uint8_t base = (uint8_t)(1 << rng_below(&rng, 4));

        letters[0][i] = letters[1][i] = letters[2][i] = base;
        if (i % 8 == 4 && i / 8 < 12)
            letters[2][i] = base == 8 ? 1 : (uint8_t)(base << 1);
        if (i % 8 == 4 && i / 8 < 11)
            letters[1][i] = letters[2][i];
    }
    for (int k = 0; k < 3; k++)
        assert_int_equal(seqset_builder_add(&builder, "s", 1, letters[k], 100), ST_OK);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    for (int ends = 0; ends < 3; ends++) {
        align_spec_t spec = {.ends = (align_ends_t)ends, .min_overlap = {1, 1}};

        align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
        assert_true(edit_filter_case_run(&(align_context_t){&cpu, pool, set, &spec, {0}},
                                         (fraction_t){9, 10}, &batch, keep));
        assert_memory_equal(keep, ((uint8_t[]){1, 1, 0, 1, 0}), 5);
    }
    seqset_destroy(set);
}

static void a_cancelled_run_returns_stopped(void **state)
{
    static const pair_t pairs[] = {{0, 1}};
    align_spec_t spec = random_set_spec(0);
    pair_batch_t batch = {pairs, 1};
    edit_filter_t *edits;
    uint8_t keep[1];
    seqset_t *set;
    int cancel = 0;

    (void)state;
    assert_int_equal(random_set_spell("ACGT ACGT", &set), ST_OK);
    assert_int_equal(edit_filter_create(
                         &(align_context_t){&cpu, pool, set, &spec, {.cancel = &cancel}},
                         (fraction_t){9, 10}, &edits),
                     ST_OK);
    assert_int_equal(edit_filter_run(edits, &(pair_batch_t){pairs, 0}, keep), ST_OK);
    assert_int_equal(edit_filter_run(edits, &batch, keep), ST_OK);
    assert_int_equal(keep[0], 1);
    cancel = 1;
    assert_int_equal(edit_filter_run(edits, &batch, keep), ST_ESTOPPED);
    edit_filter_destroy(edits);
    edit_filter_destroy(NULL);
    assert_int_equal(edit_filter_create(&(align_context_t){&cpu, pool, set, &spec, {0}},
                                        (fraction_t){0, 1}, &edits),
                     ST_EUSAGE);
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_families_lose_no_pair),
                                       cmocka_unit_test(pairs_at_the_threshold_pass),
                                       cmocka_unit_test(one_edit_too_many_is_ruled_out),
                                       cmocka_unit_test(a_cancelled_run_returns_stopped)};

    return cmocka_run_group_tests(tests, pool_fixture_start, pool_fixture_stop);
}
