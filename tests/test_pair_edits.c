/*
 * test_pair_edits.c - pair_edits.h: what passes is what the distances of a plain matrix
 * say, at each vector level, and no pair that reaches the identity is ruled out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/align/edits_bound.h"
#include "kernels/align/nw_reference.h"
#include "kernels/align/pair_edits.h"
#include "tests/random_set.h"

#include <stdlib.h>
#include <string.h>

enum { N_PARTS = 7, N_OVERLAPS = 3, THREADS = 2, TEXT_BYTES = RANDOM_SET_TEXT_BYTES };

static const align_part_t parts[N_PARTS] = {{1, 3},    {3, 5},    {80, 100}, {9, 10},
                                            {95, 100}, {99, 100}, {1, 1}};
static const align_part_t overlaps[N_OVERLAPS] = {{0, 1}, {1, 2}, {1, 1}};
static pool_t *pool;
static device_t cpu;

/* Distances of a pair's ends. */
typedef struct {
    int32_t *row;    /* [n + 1] the last */
    int32_t *column; /* [m + 1] the last */
} distances_t;

static int32_t least_of(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int64_t len_of(const seqset_t *set, int32_t i)
{
    return seqset_len(set, i);
}

/* The plain matrix, a row at a time. */
static void measure(const align_spec_t *spec, const seqset_t *set, pair_t p,
                    distances_t *d)
{
    const uint8_t *a = seqset_letters(set, p.query), *b = seqset_letters(set, p.target);
    int64_t m = len_of(set, p.query), n = len_of(set, p.target);

    for (int64_t j = 0; j <= n; j++)
        d->row[j] = spec->ends == ENDS_COUNT ? (int32_t)j : 0;
    d->column[0] = d->row[n];
    for (int64_t i = 1; i <= m; i++) {
        int32_t diagonal = d->row[0];

        d->row[0] = spec->ends == ENDS_FREE ? 0 : (int32_t)i;
        for (int64_t j = 1; j <= n; j++) {
            int32_t cell = diagonal + !spec->scoring.is_match[a[i - 1]][b[j - 1]];

            cell = least_of(cell, least_of(d->row[j], d->row[j - 1]) + 1);
            diagonal = d->row[j];
            d->row[j] = cell;
        }
        d->column[i] = d->row[n];
    }
}

/* c F <= (1 - c) min(i, j), for an end of so many letters at least */
static bool within(align_part_t c, int64_t edits, int64_t i, int64_t j, int64_t least)
{
    int64_t k = i < j ? i : j;

    return k >= least && edits * c.numerator <= (c.denominator - c.numerator) * k;
}

static bool wanted(const align_spec_t *spec, align_part_t c, int64_t m, int64_t n,
                   const distances_t *d)
{
    align_part_t part = spec->min_overlap;
    int64_t shorter = m < n ? m : n, least = 1;
    bool passes = false;

    if (spec->ends == ENDS_COUNT)
        return within(c, d->row[n], m, n, 1);
    if (spec->ends == ENDS_FREE) {
        int64_t overlap =
            (shorter * part.numerator + part.denominator - 1) / part.denominator;

        least = (overlap * c.numerator + c.denominator - 1) / c.denominator;
        least = least > 1 ? least : 1;
    }
    for (int64_t j = 1; j <= n; j++)
        passes = passes || within(c, d->row[j], m, j, least);
    for (int64_t i = 1; i <= m && spec->ends == ENDS_FREE; i++)
        passes = passes || within(c, d->column[i], i, n, least);
    return passes;
}

static void run_level(int level, const seqset_t *set, const align_spec_t *spec,
                      align_part_t part, const pair_batch_t *batch, uint8_t *keep)
{
    device_t device = cpu;
    pair_edits_t *edits;

    device.simd = (simd_level_t)level;
    memset(keep, 7, (size_t)batch->n);
    assert_int_equal(pair_edits_create(&device, pool, set, spec, part, &edits), ST_OK);
    assert_int_equal(pair_edits_run(edits, batch, keep), ST_OK);
    pair_edits_destroy(edits);
}

/* What passed of a batch, at each level, and what should have. */
typedef struct {
    const seqset_t *set;
    pair_batch_t batch;
    uint8_t *keep, *want; /* [N_OVERLAPS][N_PARTS][n] what should */
    int64_t n_out, n_passed;
} checked_t;

static void look_up(checked_t *c, const align_spec_t *spec)
{
    size_t max_len = (size_t)seqset_max_len(c->set) + 1;
    distances_t d = {malloc(max_len * sizeof(int32_t)),
                     malloc(max_len * sizeof(int32_t))};

    assert_true(d.row != NULL && d.column != NULL);
    for (int64_t i = 0; i < c->batch.n; i++) {
        pair_t p = c->batch.pairs[i];
        uint8_t *want = c->want + i;

        measure(spec, c->set, p, &d);
        for (int k = 0; k < N_OVERLAPS * N_PARTS; k++, want += c->batch.n) {
            align_spec_t one = *spec;

            one.min_overlap = overlaps[k / N_PARTS];
            *want = wanted(&one, parts[k % N_PARTS], len_of(c->set, p.query),
                           len_of(c->set, p.target), &d);
        }
    }
    free(d.row);
    free(d.column);
}

static void check_spec(checked_t *c, const align_spec_t *spec)
{
    look_up(c, spec);
    for (int k = 0; k < N_OVERLAPS * N_PARTS; k++)
        for (int level = SIMD_NONE; level <= (int)cpu.simd; level++) {
            const uint8_t *want = c->want + k * c->batch.n;
            align_spec_t one = *spec;
            char text[TEXT_BYTES];

            one.min_overlap = overlaps[k / N_PARTS];
            run_level(level, c->set, &one, parts[k % N_PARTS], &c->batch, c->keep);
            for (int64_t i = 0; i < c->batch.n; i++) {
                c->n_passed += want[i];
                c->n_out += !want[i];
                if (c->keep[i] == want[i])
                    continue;
                random_set_describe(&one, text);
                fail_msg("%s, level %d, part %d, overlap %d: pair %d,%d is %d", text,
                         level, k % N_PARTS, k / N_PARTS, c->batch.pairs[i].query,
                         c->batch.pairs[i].target, c->keep[i]);
            }
        }
}

static void begin(checked_t *c, rng_t *rng, const seqset_t *set, int64_t n)
{
    pair_t *pairs = malloc((size_t)n * sizeof(*pairs));

    *c = (checked_t){.set = set, .batch = {pairs, n}};
    c->keep = malloc((size_t)n);
    c->want = malloc((size_t)(N_OVERLAPS * N_PARTS * n));
    assert_true(pairs != NULL && c->keep != NULL && c->want != NULL);
    random_set_pairs(rng, set, n, pairs);
}

static void end(checked_t *c)
{
    free((void *)c->batch.pairs);
    free(c->keep);
    free(c->want);
}

static void pairs_pass_as_a_plain_matrix_says(void **state)
{
    static const random_set_opts_t kinds[] = {{64, 1, 12, 40},
                                              {64, 1, 130, 50},
                                              {48, 1, 400, 40},
                                              {48, 250, 400, 30}};
    const int64_t n = 200 / RANDOM_SET_PART;
    rng_t rng = rng_seed(21);
    int64_t n_out = 0, n_passed = 0;

    (void)state;
    for (int k = 0; k < 48; k++) {
        align_spec_t spec = {.ends = (align_ends_t)(k % 3)};
        score_matrix_t matrix;
        seqset_t *set;
        checked_t c;

        align_scoring_set(&spec.scoring, (align_ambiguity_t)(k / 3 % 4 % 3), 4, -5, -7);
        random_set_matrix(&rng, &matrix);
        if (k / 3 % 4 == 3)
            align_scoring_set_matrix(&spec.scoring, &matrix, -3);
        assert_int_equal(random_set_create(&rng, &kinds[k / 12], &set), ST_OK);
        begin(&c, &rng, set, n);
        check_spec(&c, &spec);
        n_out += c.n_out;
        n_passed += c.n_passed;
        end(&c);
        seqset_destroy(set);
    }
    assert_true(n_out > 10000 && n_passed > 10000);
}

static void long_pairs_do_so_too(void **state)
{
    const random_set_opts_t opts = {24, 2000, 3000, 30};
    rng_t rng = rng_seed(22);
    seqset_t *set;
    checked_t c;

    (void)state;
    assert_int_equal(random_set_create(&rng, &opts, &set), ST_OK);
    begin(&c, &rng, set, 30 / RANDOM_SET_PART);
    for (int k = 0; k < 3; k++) {
        align_spec_t spec = {.ends = (align_ends_t)k};

        align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
        check_spec(&c, &spec);
    }
    end(&c);
    seqset_destroy(set);
}

/* @return whether a pair reaches a part, by the definition */
static bool reaches(const nw_cell_t *cell, const align_spec_t *spec, align_part_t part,
                    int64_t m, int64_t n)
{
    return cell->columns > 0 &&
           align_overlap_suffices(spec, m, n, (int32_t)cell->columns) &&
           cell->matches * part.denominator >= cell->columns * part.numerator;
}

/* Pairs that reach a part pass. @return how many do */
static int64_t check_reaching(const align_spec_t *spec, const seqset_t *set,
                              const pair_batch_t *batch, align_part_t part,
                              const nw_cell_t *cells)
{
    uint8_t *keep = malloc((size_t)batch->n);
    char text[TEXT_BYTES];
    int64_t n_true = 0;

    assert_non_null(keep);
    run_level((int)cpu.simd, set, spec, part, batch, keep);
    random_set_describe(spec, text);
    for (int64_t i = 0; i < batch->n; i++) {
        pair_t p = batch->pairs[i];

        if (!reaches(&cells[i], spec, part, len_of(set, p.query), len_of(set, p.target)))
            continue;
        n_true++;
        if (!keep[i])
            fail_msg("%s: pair %d,%d, %d of %d columns, ruled out at %d/%d", text,
                     p.query, p.target, (int)cells[i].matches, (int)cells[i].columns,
                     (int)part.numerator, (int)part.denominator);
    }
    free(keep);
    return n_true;
}

static void align_pairs(const align_spec_t *spec, const seqset_t *set,
                        const pair_batch_t *batch, nw_cell_t *cells)
{
    nw_cell_t *row = malloc((size_t)(seqset_max_len(set) + 1) * sizeof(*row));

    assert_non_null(row);
    for (int64_t i = 0; i < batch->n; i++) {
        pair_t p = batch->pairs[i];

        cells[i] =
            nw_reference_pair(spec, seqset_letters(set, p.query), len_of(set, p.query),
                              seqset_letters(set, p.target), len_of(set, p.target), row);
    }
    free(row);
}

static void random_families_lose_no_pair(void **state)
{
    static const random_set_opts_t kinds[] = {{48, 1, 12, 30}, {48, 1, 250, 40}};
    enum { N = 400 / RANDOM_SET_PART };
    static nw_cell_t cells[N];
    rng_t rng = rng_seed(23);
    int64_t n_true = 0;

    (void)state;
    for (int k = 0; k < RANDOM_SET_ALL_SPECS + 6; k++) {
        align_spec_t spec = random_set_spec(k % RANDOM_SET_ALL_SPECS);
        score_matrix_t matrix;
        pair_t pairs[N];
        pair_batch_t batch = {pairs, N};
        seqset_t *set;

        if (k >= RANDOM_SET_ALL_SPECS) {
            random_set_matrix(&rng, &matrix);
            spec.ends = (align_ends_t)(k % 3);
            align_scoring_set_matrix(&spec.scoring, &matrix, -1 - 4 * (k % 2));
        }
        assert_int_equal(random_set_create(&rng, &kinds[k % 2], &set), ST_OK);
        random_set_pairs(&rng, set, N, pairs);
        align_pairs(&spec, set, &batch, cells);
        for (int part = 0; part < N_PARTS; part++)
            for (int o = 0; o < N_OVERLAPS; o++) {
                spec.min_overlap = overlaps[o];
                n_true += check_reaching(&spec, set, &batch, parts[part], cells);
            }
        seqset_destroy(set);
    }
    assert_true(n_true > 10000);
}

/* How two sequences overlap, and what differs there. */
typedef struct {
    int64_t columns, n_edits;
    int64_t before, behind; /* letters of the first in front, of the second behind */
    int edits;              /* 0: mismatches, 1: the second lacks letters, 2: the first
                             * does, 3: by turns */
    int letters;            /* 0: any, 1: one base, 2: a repeat of three, 3: any with runs
                             * of N */
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
 * Overlaps with as many edits as a part allows, and one more: of wholes, and such that
 * the columns are exactly half of the shorter one's letters.
 */
static void add_overlaps(rng_t *rng, align_part_t part, seqset_builder_t *builder)
{
    static const int64_t lengths[] = {20, 64, 101, 250};

    for (int k = 0; k < 4; k++)
        for (int kind = 0; kind < 32; kind++)
            for (int more = 0; more < 2; more++) {
                overlap_t o = {.columns = lengths[k],
                               .n_edits = lengths[k] *
                                              (part.denominator - part.numerator) /
                                              part.denominator +
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
    int64_t n_true = 0;

    (void)state;
    for (int k = 0; k < N_PARTS * 6; k++) {
        align_spec_t spec = {.ends = (align_ends_t)(k % 3), .min_overlap = {1, 2}};
        seqset_builder_t builder = {0};
        align_part_t part = parts[k / 6];
        nw_cell_t *cells;
        pair_t *pairs;
        seqset_t *set;
        int64_t n;

        align_scoring_set(&spec.scoring, AMBIGUITY_MATCH, 4, k % 2 == 0 ? -5 : -30, -7);
        add_overlaps(&rng, part, &builder);
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
        n_true += check_reaching(&spec, set, &batch, part, cells);
        free(pairs);
        free(cells);
        seqset_destroy(set);
    }
    assert_true(n_true > 3000);
}

/* 100 letters: at 9/10 eleven edits are allowed, 100/9 = 11.1, and 12 are not. */
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
        run_level((int)cpu.simd, set, &spec, (align_part_t){9, 10}, &batch, keep);
        assert_memory_equal(keep, ((uint8_t[]){1, 1, 0, 1, 0}), 5);
    }
    seqset_destroy(set);
}

static void a_cancelled_run_says_so(void **state)
{
    static const pair_t pairs[] = {{0, 1}};
    align_spec_t spec = random_set_spec(0);
    pair_batch_t batch = {pairs, 1};
    pair_edits_t *edits;
    uint8_t keep[1];
    seqset_t *set;
    int cancel = 0;

    (void)state;
    spec.cancel = &cancel;
    assert_int_equal(random_set_spell("ACGT ACGT", &set), ST_OK);
    assert_int_equal(pair_edits_create(&cpu, pool, set, &spec, (align_part_t){9, 10},
                                       &edits),
                     ST_OK);
    assert_int_equal(pair_edits_run(edits, &(pair_batch_t){pairs, 0}, keep), ST_OK);
    assert_int_equal(pair_edits_run(edits, &batch, keep), ST_OK);
    assert_int_equal(keep[0], 1);
    cancel = 1;
    assert_int_equal(pair_edits_run(edits, &batch, keep), ST_ESTOPPED);
    pair_edits_destroy(edits);
    pair_edits_destroy(NULL);
    assert_int_equal(pair_edits_create(&cpu, pool, set, &spec, (align_part_t){0, 1},
                                       &edits),
                     ST_EUSAGE);
    seqset_destroy(set);
}

static int start(void **state)
{
    (void)state;
    cpu = device_cpu();
    return pool_create(THREADS, &pool) == ST_OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    pool_destroy(pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(
                                           pairs_pass_as_a_plain_matrix_says),
                                       cmocka_unit_test(long_pairs_do_so_too),
                                       cmocka_unit_test(random_families_lose_no_pair),
                                       cmocka_unit_test(pairs_at_the_threshold_pass),
                                       cmocka_unit_test(one_edit_too_many_is_ruled_out),
                                       cmocka_unit_test(a_cancelled_run_says_so)};

    return cmocka_run_group_tests(tests, start, stop);
}
