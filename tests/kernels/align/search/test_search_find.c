/*
 * test_search_find.c - tests that the best hits of queries are those of the reference
 * alignment, complete, and in order.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "io/seq/seqset.h"
#include "kernels/align/common/nw_reference.h"
#include "kernels/align/search/search_state.h"
#include "tests/kernels/classify/nbc_case.h"
#include "tests/support/pool_fixture.h"
#include "tests/support/random_set.h"

enum { N_CLASSES = 6, N_REFS = 60, N_READS = 20, GENE_LEN = 150, READ_LEN = 70 };

/* Reads, their reverse complements and references; those of class -1 come last. */
typedef struct {
    seqset_t *set;
    int32_t class_of[N_REFS];
    align_spec_t spec;
} case_t;

static case_t make_case(uint64_t seed)
{
    rng_t rng = rng_seed(seed);
    seqset_builder_t builder = {0};
    seqset_t *refs = NULL, *reads = NULL;
    uint8_t genes[N_CLASSES][GENE_LEN], codes[GENE_LEN];
    case_t c = {.set = NULL};

    for (int k = 0; k < N_CLASSES; k++) {
        if (k == 0)
            for (int i = 0; i < GENE_LEN; i++)
                genes[k][i] = (uint8_t)(1 << rng_below(&rng, 4));
        else
            memcpy(genes[k], genes[rng_below(&rng, (uint64_t)k)], GENE_LEN);
        nbc_case_mutate(&rng, genes[k], GENE_LEN, 12, false);
    }
    for (int i = 0; i < N_REFS; i++) {
        const int k = (int)rng_below(&rng, N_CLASSES);

        memcpy(codes, genes[k], GENE_LEN);
        nbc_case_mutate(&rng, codes, GENE_LEN, (int)rng_below(&rng, 8), i % 5 == 0);
        c.class_of[i] = i >= N_REFS - 4 ? -1 : k;
        assert_int_equal(seqset_builder_add(&builder, "r", 1, codes,
                                            GENE_LEN - (size_t)rng_below(&rng, 30)),
                         ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&builder, &refs), ST_OK);
    assert_int_equal(nbc_case_reads(&rng, refs, N_READS, READ_LEN, &reads), ST_OK);
    assert_int_equal(seqset_join(reads, true, refs, &c.set), ST_OK);
    seqset_destroy(reads);
    seqset_destroy(refs);
    return c;
}

static search_t *make_search(case_t *c, align_ends_t ends, int64_t n_best, fraction_t min)
{
    const search_context_t context = {.device = &cpu,
                                      .pool = pool,
                                      .run = {.band = true},
                                      .set = c->set,
                                      .n_queries = 2 * N_READS,
                                      .first_target = 2 * N_READS,
                                      .n_strands = 1,
                                      .spec = &c->spec,
                                      .filter = &c->spec,
                                      .min_identity = min,
                                      .n_best = n_best,
                                      .order = PAIRS_BY_IDENTITY,
                                      .aligner = {.kernel = "auto"},
                                      .group_of = c->class_of};
    search_t *s = NULL;

    c->spec = (align_spec_t){.emit = EMIT_IDENTITY, .ends = ends, .min_overlap = {1, 2}};
    align_scoring_set(&c->spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    assert_int_equal(search_create(&context, &s), ST_OK);
    return s;
}

static bool is_in(const int32_t *values, int64_t n, int32_t value)
{
    for (int64_t i = 0; i < n; i++)
        if (values[i] == value)
            return true;
    return false;
}

/* Find all hits of a query with the plain reference, in the order of references.
 * @return their number */
static int64_t expected(const case_t *c, const search_query_t *q, pairs_hit_t *out)
{
    nw_values_t row[GENE_LEN + 1];
    int64_t n = 0, m, n_bases;

    for (int32_t ref = 0; ref < N_REFS; ref++) {
        nw_cell_t r;

        if (c->class_of[ref] < 0 || ref >= q->n_targets ||
            is_in(q->removed, q->n_removed, ref))
            continue;
        m = seqset_len(c->set, q->row);
        n_bases = seqset_len(c->set, 2 * N_READS + ref);
        r = nw_reference_pair(&c->spec, seqset_letters(c->set, q->row), m,
                              seqset_letters(c->set, 2 * N_READS + ref), n_bases, row);
        if (r.columns > 0 && align_overlap_suffices(&c->spec, m, n_bases, r.columns))
            out[n++] = (pairs_hit_t){q->row,    2 * N_READS + ref, r.score,
                                     r.matches, r.columns,         1};
    }
    return n;
}

static int compare(const pairs_hit_t *a, const pairs_hit_t *b)
{
    return pairs_order_compare(PAIRS_BY_IDENTITY, a, b);
}

static void assert_is_sorted(const pairs_hit_t *hits, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const int order = compare(&hits[i - 1], &hits[i]);

        assert_true(order > 0 || (order == 0 && hits[i - 1].col < hits[i].col));
    }
}

static const pairs_hit_t *find(const pairs_hit_t *hits, int64_t n, int32_t col)
{
    for (int64_t i = 0; i < n; i++)
        if (hits[i].col == col)
            return &hits[i];
    return NULL;
}

/* Queries of every read in both orientations, with varying classes likely. */
typedef struct {
    search_query_t query[2 * N_READS];
    int32_t likely[2 * N_READS][N_REFS];
} queries_t;

static const int32_t removed[] = {0, 7, 8, 30, 59};

static void make_queries(const case_t *c, queries_t *q)
{
    for (int32_t i = 0; i < 2 * N_READS; i++) {
        int64_t n = 0;

        for (int32_t ref = 0; ref < N_REFS; ref++)
            for (int32_t k = 0; k < i % 4; k++)
                if (c->class_of[ref] == (i + 5 * k) % N_CLASSES)
                    q->likely[i][n++] = ref;
        q->query[i] = (search_query_t){.row = i,
                                       .likely = q->likely[i],
                                       .n_likely = n,
                                       .removed = removed,
                                       .n_removed = i % 3 == 0 ? 5 : 0,
                                       .n_targets = i % 5 == 0 ? i : N_REFS};
    }
}

static void all_hits_are_found_if_more_are_wanted_than_there_are(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (CASE_STEP > 1 ? 1 : 2); seed++) {
        case_t c = make_case(seed);
        search_t *h = make_search(&c, seed % 2 == 0 ? ENDS_QUERY : ENDS_FREE, N_REFS + 1,
                                  (fraction_t){0, 0});
        search_hits_t r;
        queries_t q;

        make_queries(&c, &q);
        assert_int_equal(search_find(h, q.query, 2 * N_READS, &r), ST_OK);
        for (int i = 0; i < 2 * N_READS; i++) {
            pairs_hit_t want[N_REFS];
            const pairs_hit_t *got = r.hits + r.first[i];
            const int64_t n = r.first[i + 1] - r.first[i];

            assert_int_equal(n, expected(&c, &q.query[i], want));
            assert_is_sorted(got, n);
            for (int64_t k = 0; k < n; k++) {
                assert_non_null(find(got, n, want[k].col));
                assert_memory_equal(find(got, n, want[k].col), &want[k], sizeof(*want));
            }
        }
        search_destroy(h);
        seqset_destroy(c.set);
    }
}

/* Keep those of all hits that search_find promises.
 * @return their number */
static int64_t promised(const case_t *c, pairs_hit_t *hits, int64_t n, int64_t n_best,
                        double min)
{
    int64_t n_kept = 0, needed = n_best;

    for (int64_t i = 0; i < n; i++)
        if ((double)hits[i].matches / hits[i].columns >= min)
            hits[n_kept++] = hits[i];
    n = n_kept;
    for (int64_t i = 1; i < n; i++) /* insertion sort */
        for (int64_t k = i; k > 0 && compare(&hits[k], &hits[k - 1]) > 0; k--) {
            const pairs_hit_t worse = hits[k - 1];

            hits[k - 1] = hits[k];
            hits[k] = worse;
        }
    for (int64_t i = 0; i < n; i++)
        if (c->class_of[hits[i].col - 2 * N_READS] !=
            c->class_of[hits[0].col - 2 * N_READS]) {
            needed = i + 1 > needed ? i + 1 : needed;
            while (needed > 0 && needed < n &&
                   compare(&hits[needed], &hits[needed - 1]) == 0)
                needed++;
            return needed < n ? needed : n;
        }
    return n;
}

static void assert_finds_the_best(case_t *c, align_ends_t ends, int64_t n_best,
                                  fraction_t min)
{
    const double least =
        min.denominator > 0 ? (double)min.numerator / (double)min.denominator : 0;
    search_t *h = make_search(c, ends, n_best, min);
    search_hits_t r, in_pieces;
    queries_t q;
    int32_t removed_too[N_CLASSES][N_REFS];
    int64_t n_hits;
    pairs_hit_t *hits;

    make_queries(c, &q);
    q.query[3].row = q.query[4].row;          /* different references are removed */
    for (int32_t k = 1; k < N_CLASSES; k++) { /* all but those of two classes */
        int32_t *others = removed_too[k];
        search_query_t *other = &q.query[4 + k];

        *other = (search_query_t){.row = q.query[4].row,
                                  .removed = others,
                                  .n_targets = N_REFS};
        for (int32_t ref = 0; ref < N_REFS; ref++)
            if (c->class_of[ref] != k && c->class_of[ref] != (k + 1) % N_CLASSES)
                others[other->n_removed++] = ref;
    }
    assert_int_equal(search_find(h, q.query, 2 * N_READS, &r), ST_OK);
    for (int i = 0; i < 2 * N_READS; i++) {
        pairs_hit_t want[N_REFS];
        const int64_t n =
            promised(c, want, expected(c, &q.query[i], want), n_best, least);

        assert_int_equal(r.first[i + 1] - r.first[i], n);
        assert_memory_equal(r.hits + r.first[i], want, (size_t)n * sizeof(*want));
    }
    n_hits = r.first[2 * N_READS];
    hits = malloc((size_t)n_hits * sizeof(*hits) + 1);
    assert_non_null(hits);
    memcpy(hits, r.hits, (size_t)n_hits * sizeof(*hits));
    h->find.piece_pairs = 7 * 2 * N_READS;
    assert_int_equal(search_find(h, q.query, 2 * N_READS, &in_pieces), ST_OK);
    assert_int_equal(in_pieces.first[2 * N_READS], n_hits);
    assert_memory_equal(in_pieces.hits, hits, (size_t)n_hits * sizeof(*hits));
    free(hits);
    search_destroy(h);
}

static void the_best_hits_among_all_references_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (CASE_STEP > 1 ? 1 : 2); seed++) {
        case_t c = make_case(seed);

        assert_finds_the_best(&c, ENDS_QUERY, 1, (fraction_t){0, 0});
        assert_finds_the_best(&c, ENDS_QUERY, 4, (fraction_t){seed == 1 ? 97 : 85, 100});
        assert_finds_the_best(&c, ENDS_FREE, 2, (fraction_t){9, 10});
        assert_finds_the_best(&c, ENDS_FREE, 1, (fraction_t){0, 0});
        seqset_destroy(c.set);
    }
}

static void a_query_without_a_row_has_no_hits(void **state)
{
    (void)state;
    case_t c = make_case(9);
    search_t *h = make_search(&c, ENDS_QUERY, 1, (fraction_t){0, 0});
    search_hits_t r;
    queries_t q;

    make_queries(&c, &q);
    q.query[0].row = q.query[2].row = -1;
    assert_int_equal(search_find(h, q.query, 3, &r), ST_OK);
    assert_int_equal(r.first[1], 0);
    assert_true(r.first[2] > 0);
    assert_int_equal(r.first[3], r.first[2]);
    assert_int_equal(search_find(h, q.query, 1, &r), ST_OK);
    assert_int_equal(r.first[1], 0);
    search_destroy(h);
    seqset_destroy(c.set);
}

static void a_second_batch_does_not_see_the_first(void **state)
{
    (void)state;
    case_t c = make_case(9);
    search_t *h = make_search(&c, ENDS_QUERY, 1, (fraction_t){0, 0});
    search_hits_t r;
    queries_t q;
    int64_t n;

    make_queries(&c, &q);
    assert_int_equal(search_find(h, q.query + 1, 1, &r), ST_OK);
    n = r.first[1];
    assert_true(n > 0);
    assert_int_equal(search_find(h, q.query, 2 * N_READS, &r), ST_OK);
    assert_int_equal(search_find(h, q.query + 1, 1, &r), ST_OK);
    assert_int_equal(r.first[1], n);
    search_destroy(h);
    seqset_destroy(c.set);
}

/* Two queries have one row.  For the first, references 0 and 1, which equal it, are
 * likely: its bound is 1.  The second lacks these two; the others, at 540 / 600, are its
 * best, and the k-mer filter rules them out at a bound of 1. */
static void a_row_requires_the_lowest_bound_of_its_queries(void **state)
{
    enum { LEN = 600, STEP = 10 };
    static const int32_t exact[] = {0, 1};
    const search_query_t queries[] = {
        {.row = 0, .likely = exact, .n_likely = 2, .n_targets = N_REFS},
        {.row = 0, .removed = exact, .n_removed = 2, .n_targets = N_REFS}};
    rng_t rng = rng_seed(1);
    seqset_builder_t builder = {0};
    uint8_t codes[LEN];
    case_t c = {.set = NULL};
    search_hits_t r;
    search_t *s;

    (void)state;
    for (int i = 0; i < LEN; i++)
        codes[i] = (uint8_t)(1 << rng_below(&rng, 4));
    for (int k = 0; k < 2 * N_READS + N_REFS; k++) {
        if (k == 2 * N_READS + 2)
            for (int i = STEP / 2; i < LEN; i += STEP)
                codes[i] = codes[i] == 1 ? 2 : 1;
        assert_int_equal(seqset_builder_add(&builder, "s", 1, codes, LEN), ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&builder, &c.set), ST_OK);
    for (int k = 0; k < N_REFS; k++)
        c.class_of[k] = k % 2;
    s = make_search(&c, ENDS_QUERY, 1, (fraction_t){0, 0});
    assert_int_equal(search_find(s, queries, 2, &r), ST_OK);
    assert_int_equal(r.first[1], 2);
    assert_int_equal(r.first[2] - r.first[1], N_REFS - 2);
    for (int64_t k = 0; k < r.first[2]; k++) {
        assert_int_equal(r.hits[k].matches, k < 2 ? LEN : LEN - LEN / STEP);
        assert_int_equal(r.hits[k].columns, LEN);
    }
    search_destroy(s);
    seqset_destroy(c.set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_hits_are_found_if_more_are_wanted_than_there_are),
        cmocka_unit_test(the_best_hits_among_all_references_are_found),
        cmocka_unit_test(a_row_requires_the_lowest_bound_of_its_queries),
        cmocka_unit_test(a_query_without_a_row_has_no_hits),
        cmocka_unit_test(a_second_batch_does_not_see_the_first),
    };

    return cmocka_run_group_tests(tests, pool_fixture_start, pool_fixture_stop);
}
