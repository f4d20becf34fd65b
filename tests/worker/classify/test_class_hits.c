/*
 * test_class_hits.c - tests that hits are those of the reference alignment, complete,
 * and the best first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/base/rng.h"
#include "io/seq/seqset_join.h"
#include "kernels/align/common/nw_reference.h"
#include "tests/kernels/classify/nbc_case.h"
#include "tests/support/pool_fixture.h"
#include "tests/support/random_set.h"
#include "worker/classify/class_hits_state.h"

enum { N_CLASSES = 6, N_REFS = 60, N_READS = 20, GENE_LEN = 150, READ_LEN = 70 };

/* Reads, their reverse complements and references; those of class -1 come last. */
typedef struct {
    seqset_t *set;
    int32_t class_of[N_REFS];
} case_t;

static case_t make_case(uint64_t seed)
{
    rng_t rng = rng_seed(seed);
    seqset_builder_t builder = {0};
    seqset_t *refs = NULL, *reads = NULL;
    uint8_t genes[N_CLASSES][GENE_LEN], codes[GENE_LEN];
    case_t c = {NULL, {0}};

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

/* @param n_best, min  for class_hits_find */
static class_hits_t *make_search(const case_t *c, align_ends_t ends, int64_t n_best,
                                 fraction_t min)
{
    const class_hits_context_t context = {.device = &cpu,
                                          .pool = pool,
                                          .set = c->set,
                                          .first_ref = 2 * N_READS,
                                          .class_of = c->class_of,
                                          .n_classes = N_CLASSES,
                                          .ends = ends,
                                          .run = {.band = true},
                                          .n_best = n_best,
                                          .min_identity = min};
    class_hits_t *h = NULL;

    assert_int_equal(class_hits_create(&context, &h), ST_OK);
    return h;
}

static class_hits_t *make_hits(const case_t *c, align_ends_t ends)
{
    return make_search(c, ends, 1, (fraction_t){0, 0});
}

static bool is_in(const int32_t *values, int64_t n, int32_t value)
{
    for (int64_t i = 0; i < n; i++)
        if (values[i] == value)
            return true;
    return false;
}

/* Find all hits of a query with the plain reference, in the order of references.
 * @param candidates_only  else with all references
 * @return their number */
static int64_t expected(const case_t *c, const class_hits_t *h, const class_query_t *q,
                        bool candidates_only, class_hit_t *out)
{
    nw_values_t row[GENE_LEN + 1];
    int64_t n = 0, m, n_bases;

    for (int32_t ref = 0; ref < N_REFS; ref++) {
        const int32_t k = c->class_of[ref];
        nw_cell_t r;

        if (k < 0 || is_in(q->removed, q->n_removed, ref) ||
            (candidates_only && !is_in(q->classes, q->n_classes, k)))
            continue;
        m = seqset_len(c->set, q->row);
        n_bases = seqset_len(c->set, 2 * N_READS + ref);
        r = nw_reference_pair(&h->spec, seqset_letters(c->set, q->row), m,
                              seqset_letters(c->set, 2 * N_READS + ref), n_bases, row);
        if (r.columns > 0 && align_overlap_suffices(&h->spec, m, n_bases, r.columns))
            out[n++] = (class_hit_t){ref, k, r.matches, r.columns};
    }
    return n;
}

static void assert_is_sorted(const class_hit_t *hits, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const int order = class_hits_compare(&hits[i - 1], &hits[i]);

        assert_true(order > 0 || (order == 0 && hits[i - 1].ref < hits[i].ref));
    }
}

static const class_hit_t *find(const class_hit_t *hits, int64_t n, int32_t ref)
{
    for (int64_t i = 0; i < n; i++)
        if (hits[i].ref == ref)
            return &hits[i];
    return NULL;
}

/* Queries of every read in both orientations, with varying candidates. */
typedef struct {
    class_query_t query[2 * N_READS];
    int32_t classes[2 * N_READS][N_CLASSES];
} queries_t;

static const int32_t removed[] = {0, 7, 8, 30, 59};

static void make_queries(queries_t *q)
{
    for (int32_t i = 0; i < 2 * N_READS; i++) {
        for (int32_t k = 0; k < N_CLASSES; k++)
            q->classes[i][k] = (i + 5 * k) % N_CLASSES;
        q->query[i] = (class_query_t){.row = i,
                                      .classes = q->classes[i],
                                      .n_classes = i % 4,
                                      .removed = removed,
                                      .n_removed = i % 3 == 0 ? 5 : 0};
    }
}

static void candidates_are_aligned_with_all_of_their_references(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        case_t c = make_case(seed);
        class_hits_t *h = make_hits(&c, seed % 2 == 0 ? ENDS_QUERY : ENDS_FREE);
        class_hits_results_t r;
        queries_t q;

        make_queries(&q);
        assert_int_equal(class_hits_among(h, q.query, 2 * N_READS, &r), ST_OK);
        for (int i = 0; i < 2 * N_READS; i++) {
            class_hit_t want[N_REFS];
            const class_hit_t *got = r.hits + r.first[i];
            const int64_t n = r.first[i + 1] - r.first[i];

            assert_int_equal(n, expected(&c, h, &q.query[i], true, want));
            assert_is_sorted(got, n);
            for (int64_t k = 0; k < n; k++) {
                assert_non_null(find(got, n, want[k].ref));
                assert_memory_equal(find(got, n, want[k].ref), &want[k], sizeof(*want));
            }
        }
        class_hits_destroy(h);
        seqset_destroy(c.set);
    }
}

/* Keep those of all hits that class_hits_find promises.
 * @return their number */
static int64_t promised(class_hit_t *hits, int64_t n, int64_t n_best, double min)
{
    int64_t n_kept = 0, needed = n_best;

    for (int64_t i = 0; i < n; i++)
        if (class_hit_identity(&hits[i]) >= min)
            hits[n_kept++] = hits[i];
    n = n_kept;
    for (int64_t i = 1; i < n; i++) /* insertion sort */
        for (int64_t k = i; k > 0 && class_hits_compare(&hits[k], &hits[k - 1]) > 0;
             k--) {
            const class_hit_t worse = hits[k - 1];

            hits[k - 1] = hits[k];
            hits[k] = worse;
        }
    for (int64_t i = 0; i < n; i++)
        if (hits[i].class_number != hits[0].class_number) {
            needed = i + 1 > needed ? i + 1 : needed;
            return class_hits_top(hits, n, needed);
        }
    return n;
}

static void assert_finds_the_best(const case_t *c, align_ends_t ends, int64_t n_best,
                                  fraction_t min)
{
    const double least =
        min.denominator > 0 ? (double)min.numerator / (double)min.denominator : 0;
    class_hits_t *h = make_search(c, ends, n_best, min);
    class_hits_results_t r, in_pieces;
    queries_t q;
    int64_t n_hits;
    class_hit_t *hits;

    make_queries(&q);
    q.query[3].row = q.query[4].row; /* different references are removed */
    assert_int_equal(class_hits_find(h, q.query, 2 * N_READS, &r), ST_OK);
    for (int i = 0; i < 2 * N_READS; i++) {
        class_hit_t want[N_REFS];
        const int64_t n =
            promised(want, expected(c, h, &q.query[i], false, want), n_best, least);

        assert_int_equal(r.first[i + 1] - r.first[i], n);
        assert_memory_equal(r.hits + r.first[i], want, (size_t)n * sizeof(*want));
    }
    n_hits = r.first[2 * N_READS];
    hits = malloc((size_t)n_hits * sizeof(*hits) + 1);
    assert_non_null(hits);
    memcpy(hits, r.hits, (size_t)n_hits * sizeof(*hits));
    h->search.piece_pairs = 7 * 2 * N_READS;
    assert_int_equal(class_hits_find(h, q.query, 2 * N_READS, &in_pieces), ST_OK);
    assert_int_equal(in_pieces.first[2 * N_READS], n_hits);
    assert_memory_equal(in_pieces.hits, hits, (size_t)n_hits * sizeof(*hits));
    free(hits);
    class_hits_destroy(h);
}

static void the_best_hits_among_all_references_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        case_t c = make_case(seed);

        assert_finds_the_best(&c, ENDS_QUERY, 1, (fraction_t){0, 0});
        assert_finds_the_best(&c, ENDS_QUERY, 4, (fraction_t){seed == 1 ? 97 : 85, 100});
        assert_finds_the_best(&c, ENDS_FREE, 2, (fraction_t){9, 10});
        assert_finds_the_best(&c, ENDS_FREE, 1, (fraction_t){0, 0});
        seqset_destroy(c.set);
    }
}

static void a_second_batch_does_not_see_the_first(void **state)
{
    (void)state;
    case_t c = make_case(9);
    class_hits_t *h = make_hits(&c, ENDS_QUERY);
    class_hits_results_t r;
    queries_t q;
    int64_t n;

    make_queries(&q);
    assert_int_equal(class_hits_among(h, q.query + 1, 1, &r), ST_OK);
    n = r.first[1];
    assert_true(n > 0);
    assert_int_equal(class_hits_among(h, q.query, 2 * N_READS, &r), ST_OK);
    assert_int_equal(class_hits_among(h, q.query + 1, 1, &r), ST_OK);
    assert_int_equal(r.first[1], n);
    class_hits_destroy(h);
    seqset_destroy(c.set);
}

static void the_best_hits_include_ties(void **state)
{
    const class_hit_t hits[] = {{4, 0, 99, 100},
                                {5, 0, 98, 100},
                                {9, 1, 98, 100},
                                {1, 0, 49, 50}};

    (void)state;
    assert_int_equal(class_hits_top(hits, 4, 1), 1);
    assert_int_equal(class_hits_top(hits, 4, 2), 3);
    assert_int_equal(class_hits_top(hits, 4, 9), 4);
    assert_int_equal(class_hits_top(hits, 0, 1), 0);
}

/* Two genera (taxa 2 and 3) of one family (1), and a family (4) as its own class. */
static void rivals_are_outside_the_taxon(void **state)
{
    int32_t taxa[] = {2, 3, 4}, lineage[] = {1, 1, 4, 2, 3, -1};
    const nbc_classes_t classes = {3, 2, taxa, lineage};
    const class_hit_t hits[] = {{4, 1, 99, 100},
                                {5, 0, 97, 100},
                                {9, 2, 90, 100},
                                {1, 0, 80, 100}};
    class_hits_rivals_t r = class_hits_rivals(&classes, hits, 4, 0, 2);

    (void)state;
    assert_ptr_equal(r.own, &hits[1]);
    assert_ptr_equal(r.rival, &hits[0]);
    r = class_hits_rivals(&classes, hits, 4, 0, 1);
    assert_ptr_equal(r.own, &hits[0]);
    assert_ptr_equal(r.rival, &hits[2]);
    r = class_hits_rivals(&classes, hits, 1, 0, 1);
    assert_null(r.rival);
    assert_true(class_hit_identity(r.own) == 0.99);
    assert_true(class_hit_identity(r.rival) == 0);
}

/* Reads of 60 bases among genes of 150 are amplicons, of 140 they are genes. */
static void short_reads_count_the_ends_of_the_query(void **state)
{
    seqset_t *set = NULL;

    (void)state;
    assert_int_equal(random_set_spell("A60 A150 A150", &set), ST_OK);
    assert_int_equal(class_hits_ends(set, 1), ENDS_QUERY);
    seqset_destroy(set);
    assert_int_equal(random_set_spell("A120 A150 A150", &set), ST_OK);
    assert_int_equal(class_hits_ends(set, 1), ENDS_FREE);
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_aligned_with_all_of_their_references),
        cmocka_unit_test(the_best_hits_among_all_references_are_found),
        cmocka_unit_test(a_second_batch_does_not_see_the_first),
        cmocka_unit_test(the_best_hits_include_ties),
        cmocka_unit_test(rivals_are_outside_the_taxon),
        cmocka_unit_test(short_reads_count_the_ends_of_the_query),
    };

    return cmocka_run_group_tests(tests, pool_fixture_start, pool_fixture_stop);
}
