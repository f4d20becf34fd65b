/*
 * test_primer_search.c - regions of reads and of pairs of reads equal those that a loop
 * over places finds; regions that cannot be are refused.
 */
#include "tests/support/unit_test.h"

#include "kernels/primers/search/primer_search.h"

#include "tests/kernels/primers/primer_case.h"
#include "tests/support/random_set.h"
#include "tests/support/spelled_set.h"

enum { N_PAIRS = 3, N_READS = 60, READ_LEN_MAX = 300 };

/* ---- the rule, place by place, in copies of reads that are turned round ---- */

typedef struct {
    int at, len, mismatches, gaps; /* len 0: none */
} best_t;

/* A primer at a place of a read. */
typedef struct {
    const uint8_t *read;
    int len, at; /* of the read; the place */
    const primer_t *primer;
    bool is_sense;
    const primer_search_opts_t *o;
    best_t best;
} trial_t;

static bool must_match(const trial_t *t, int i)
{
    return (t->is_sense ? t->primer->len - 1 - i : i) < t->o->three_prime;
}

static int rank_of(const best_t *b)
{
    return (b->mismatches + b->gaps) * 10 + b->gaps;
}

/* Align base i of the primer with the read's, and try all gaps behind it. */
static void try_base(trial_t *t, int i, int pos, int mismatches, int gaps)
{
    if (pos >= t->len)
        return;
    if ((t->read[pos] & ~t->primer->codes[i]) != 0) {
        if (must_match(t, i) || ++mismatches > t->o->max_mismatches)
            return;
    }
    if (i == t->primer->len - 1) {
        const best_t found = {t->at, pos + 1 - t->at, mismatches, gaps};

        if (t->best.len == 0 || rank_of(&found) < rank_of(&t->best) ||
            (rank_of(&found) == rank_of(&t->best) && t->best.at == found.at &&
             found.len < t->best.len))
            t->best = found;
        return;
    }
    for (int missing = 0; gaps + missing <= t->o->max_gaps; missing++) {
        if (i + missing >= t->primer->len - 1 ||
            (missing > 0 && must_match(t, i + missing)))
            return;
        for (int more = 0; gaps + missing + more <= t->o->max_gaps; more++)
            if (more == 0 || missing > 0 || !must_match(t, i) || !must_match(t, i + 1))
                try_base(t, i + 1 + missing, pos + 1 + more, mismatches,
                         gaps + missing + more);
    }
}

static best_t find_best(const uint8_t *read, int len, int from, const primer_t *primer,
                        bool is_sense, const primer_search_opts_t *o)
{
    trial_t t = {read, len, from, primer, is_sense, o, {0, 0, 0, 0}};

    for (; t.at < len; t.at++)
        try_base(&t, 0, t.at, 0, 0);
    return t.best;
}

static void set_place(primer_region_t *r, int role, const best_t *b)
{
    r->at[role] = b->at;
    r->len[role] = (uint8_t)b->len;
    r->mismatches[role] = (uint8_t)b->mismatches;
    r->gaps[role] = (uint8_t)b->gaps;
}

static bool find_forward(const uint8_t *read, int len, const primer_pair_t *pair,
                         const primer_search_opts_t *o, primer_region_t *out)
{
    const primer_t reverse = primer_reverse_complement(&pair->reverse);
    const best_t f = find_best(read, len, 0, &pair->forward, true, o);
    best_t r;

    if (f.len == 0)
        return false;
    r = find_best(read, len, f.at + f.len, &reverse, false, o);
    if (r.len == 0 || r.at == f.at + f.len)
        return false;
    *out = (primer_region_t){.pair = 0};
    set_place(out, 0, &f);
    set_place(out, 1, &r);
    return true;
}

static bool find_in_read(const uint8_t *read, int len, const primer_pair_t *pair,
                         const primer_search_opts_t *o, primer_region_t *out)
{
    uint8_t turned[READ_LEN_MAX];
    primer_region_t back;
    const bool is_found = find_forward(read, len, pair, o, out);

    for (int i = 0; i < len; i++)
        turned[i] = alphabet_complement(read[len - 1 - i]);
    if (!find_forward(turned, len, pair, o, &back) ||
        (is_found && primer_region_edits(&back) >= primer_region_edits(out)))
        return is_found;
    *out = back;
    for (int role = 0; role < 2; role++)
        out->at[role] = len - back.at[role] - back.len[role];
    out->is_reversed = true;
    return true;
}

/* The primer that a read begins with, and the end of what is kept. */
static bool find_start(const seqset_t *set, int64_t i, const primer_t *primer,
                       const primer_t *other, const primer_search_opts_t *o, int role,
                       primer_region_t *out)
{
    const uint8_t *read = seqset_letters(set, i);
    const int len = (int)seqset_len(set, i);
    const primer_t turned = primer_reverse_complement(other);
    const best_t b = find_best(read, len, 0, primer, true, o);
    best_t end;

    if (b.len == 0)
        return false;
    set_place(out, role, &b);
    end = find_best(read, len, b.at + b.len, &turned, false, o);
    out->end[role] = end.len > 0 ? end.at : len;
    out->end_len[role] = (uint8_t)end.len;
    return true;
}

static bool find_in_mates(const seqset_t *set, int64_t i, const primer_pair_t *pair,
                          const primer_search_opts_t *o, primer_region_t *out)
{
    bool is_found = false;

    for (int swapped = 0; swapped < 2; swapped++) {
        primer_region_t r = {.is_reversed = (uint8_t)swapped};

        if (find_start(set, 2 * i + swapped, &pair->forward, &pair->reverse, o, 0, &r) &&
            find_start(set, 2 * i + !swapped, &pair->reverse, &pair->forward, o, 1, &r) &&
            (!is_found || primer_region_edits(&r) < primer_region_edits(out))) {
            *out = r;
            is_found = true;
        }
    }
    return is_found;
}

/* ---- cases ---- */

static device_t cpu;

/* @return the regions of all reads, which the caller frees; some are found */
static buf_t find_all(const seqset_t *set, const base_planes_t *text,
                      const primer_pair_t *pairs, const primer_search_opts_t *o,
                      primer_search_t **search)
{
    const int64_t n = set->n / (o->are_pairs ? 2 : 1);
    buf_t out = {0};

    assert_int_equal(primer_search_create(&cpu, NULL, NULL, text, pairs, N_PAIRS, o,
                                          search),
                     ST_OK);
    assert_int_equal(primer_search_load(*search, 0, n), ST_OK);
    assert_int_equal(primer_search_find(*search, 0, n, 0, &out), ST_OK);
    return out;
}

static void compare(rng_t *rng, bool are_pairs, int max_gaps, int64_t *n_found)
{
    const uint64_t n_bases = 2 + rng_below(rng, 3);
    const primer_search_opts_t o = {.max_mismatches = (int)rng_below(rng, 4),
                                    .max_gaps = max_gaps,
                                    .three_prime = (int)rng_below(rng, 3),
                                    .are_pairs = are_pairs};
    primer_pair_t pairs[N_PAIRS];
    primer_search_t *search;
    base_planes_t text;
    const primer_region_t *got;
    seqset_t *set;
    buf_t out;
    int64_t k = 0;

    for (int q = 0; q < N_PAIRS; q++)
        pairs[q] =
            (primer_pair_t){primer_case_draw(rng, 3 + (int)rng_below(rng, 20), n_bases),
                            primer_case_draw(rng, 3 + (int)rng_below(rng, 20), n_bases)};
    set = primer_case_reads(rng, pairs, N_PAIRS, N_READS, READ_LEN_MAX, n_bases);
    assert_non_null(set);
    assert_int_equal(base_planes_of_set(set, &text), ST_OK);
    out = find_all(set, &text, pairs, &o, &search);
    got = (const primer_region_t *)(const void *)out.data;
    for (int64_t i = 0; i < set->n / (are_pairs ? 2 : 1); i++)
        for (int q = 0; q < N_PAIRS; q++) {
            primer_region_t want;

            if (are_pairs ? !find_in_mates(set, i, &pairs[q], &o, &want)
                          : !find_in_read(seqset_letters(set, i), (int)seqset_len(set, i),
                                          &pairs[q], &o, &want))
                continue;
            want.read = (int32_t)i;
            want.pair = (int16_t)q;
            assert_true((size_t)k < out.len / sizeof(want));
            assert_memory_equal(&want, &got[k], sizeof(want));
            assert_true(primer_search_may_be(search, 0, &got[k++]));
        }
    assert_int_equal(out.len, (size_t)k * sizeof(*got));
    *n_found += k;
    buf_free(&out);
    primer_search_destroy(search);
    base_planes_free(&text);
    seqset_destroy(set);
}

static void regions_equal_those_of_a_loop_over_places(void **state)
{
    rng_t rng = rng_seed(3);
    int64_t n_found = 0;

    (void)state;
    for (int round = random_set_count(60); round > 0; round--)
        compare(&rng, false, 0, &n_found);
    assert_true(n_found > 100);
}

static void so_do_those_of_pairs_of_reads(void **state)
{
    rng_t rng = rng_seed(4);
    int64_t n_found = 0;

    (void)state;
    for (int round = random_set_count(60); round > 0; round--)
        compare(&rng, true, 0, &n_found);
    assert_true(n_found > 100);
}

static void so_do_those_with_gaps(void **state)
{
    rng_t rng = rng_seed(5);
    int64_t n_found = 0;

    (void)state;
    for (int round = random_set_count(24); round > 0; round--)
        for (int max_gaps = 1; max_gaps <= PRIMER_GAPS_MAX; max_gaps++)
            compare(&rng, round % 2 == 0, max_gaps, &n_found);
    assert_true(n_found > 100);
}

/* ---- regions of others ---- */

/* ACGTCA at 2, and AACCCC as GGGGTT at 10. */
static void regions_that_cannot_be_are_refused(void **state)
{
    enum { N_BAD = 13 };
    const primer_search_opts_t o = {.max_mismatches = 1};
    seqset_t *set = spelled_set("r TTACGTCAAAGGGGTTAA");
    const primer_region_t good = {.at = {2, 10}, .len = {6, 6}};
    primer_region_t bad[N_BAD];
    primer_pair_t pair;
    primer_search_t *s;
    base_planes_t text;

    (void)state;
    assert_true(primer_pair_parse("ACGTCA/AACCCC", &pair));
    assert_int_equal(base_planes_of_set(set, &text), ST_OK);
    assert_int_equal(primer_search_create(&cpu, NULL, NULL, &text, &pair, 1, &o, &s),
                     ST_OK);
    assert_true(primer_search_may_be(s, 0, &good));
    for (int k = 0; k < N_BAD; k++)
        bad[k] = good;
    bad[0].read = 1;
    bad[1].pair = 1;
    bad[2].at[0] = 3;
    bad[3].at[1] = 13;
    bad[4].mismatches[0] = 1;
    bad[5].is_reversed = 1;
    bad[6].end[0] = 1;
    bad[7].zero = 1;
    bad[8].at[0] = INT32_MIN;
    bad[9].len[0] = 5;
    bad[10].gaps[0] = 1;
    bad[11].len[1] = 255;
    bad[12].end_len[0] = 1;
    for (int k = 0; k < N_BAD; k++)
        assert_false(primer_search_may_be(s, 0, &bad[k]));
    primer_search_destroy(s);
    base_planes_free(&text);
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_equal_those_of_a_loop_over_places),
        cmocka_unit_test(so_do_those_of_pairs_of_reads),
        cmocka_unit_test(so_do_those_with_gaps),
        cmocka_unit_test(regions_that_cannot_be_are_refused),
    };

    cpu = device_cpu();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
