/*
 * test_chimera_decide.c - calls in the order of abundance: a chimera is no parent, also
 * where its place among the hits has to be taken by others.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "io/seq/seqset.h"
#include "tests/support/pool_fixture.h"
#include "worker/chimera/chimera_decide.h"

#include <stdlib.h>
#include <string.h>

enum { LEN = 200, N_MAX = 64 };

static const chimera_rule_t rule = {CHIMERA_UCHIME, 8, 1.4, 0.28, 0.8, 3};

/* Reads by falling abundance. */
typedef struct {
    uint8_t letters[N_MAX][LEN];
    int64_t size[N_MAX], n_targets[N_MAX];
    int n;
    seqset_t *set;
} made_t;

static void add(made_t *m, const uint8_t *left, const uint8_t *right, int cut,
                int64_t size)
{
    memcpy(m->letters[m->n], left, (size_t)cut);
    memcpy(m->letters[m->n] + cut, right + cut, (size_t)(LEN - cut));
    m->size[m->n] = size;
    while (m->n_targets[m->n] < m->n && m->size[m->n_targets[m->n]] >= 2 * size)
        m->n_targets[m->n]++;
    m->n++;
}

static void substitute(made_t *m, int read, int at)
{
    m->letters[read][at] = m->letters[read][at] == 1 ? 2 : 1;
}

static void make_parents(made_t *m, uint64_t seed)
{
    rng_t rng = rng_seed(seed);
    uint8_t letters[2][LEN];

    *m = (made_t){.n = 0};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < LEN; i++)
            letters[k][i] = (uint8_t)(1 << rng_below(&rng, 4));
    add(m, letters[0], letters[0], LEN, 100000);
    add(m, letters[1], letters[1], LEN, 90000);
}

/* Search and decide. @param n_hits  kept of a part */
static void decide(made_t *m, int n_hits, chimera_verdict_t *out)
{
    seqset_builder_t b = {.alphabet = ALPHABET_DNA};
    chimera_hits_t hits[N_MAX];
    chimera_query_t queries[N_MAX];
    chimera_search_t *s;
    chimera_decide_t how = {.rule = rule,
                            .n_targets = m->n_targets,
                            .hits = hits,
                            .n_hits = n_hits,
                            .pool = pool};

    for (int i = 0; i < m->n; i++) {
        assert_int_equal(seqset_builder_add(&b, "r", 1, m->letters[i], LEN), ST_OK);
        queries[i] = (chimera_query_t){.read = i, .n_targets = m->n_targets[i]};
    }
    assert_int_equal(seqset_builder_finish(&b, &m->set), ST_OK);
    how.reads = how.targets = m->set;
    assert_int_equal(chimera_search_create(&(chimera_search_context_t){.device = &cpu,
                                                                       .pool = pool,
                                                                       .kernel = "auto",
                                                                       .reads = m->set,
                                                                       .targets = m->set,
                                                                       .n_hits = n_hits},
                                           &s),
                     ST_OK);
    assert_int_equal(chimera_search_find(s, queries, m->n, hits), ST_OK);
    chimera_search_destroy(s);
    assert_int_equal(chimera_decide(&how, out), ST_OK);
    seqset_destroy(m->set);
}

/* Read 2 is made of 0 and 1, read 3 is an error of read 2, read 4 one of read 0, and read
 * 5 is made of 0 and 1 but as abundant as 2. */
static void chimeras_and_errors(void **state)
{
    chimera_verdict_t v[N_MAX];
    made_t m;

    (void)state;
    make_parents(&m, 1);
    add(&m, m.letters[0], m.letters[1], 100, 1000);
    add(&m, m.letters[1], m.letters[0], 90, 1000);
    add(&m, m.letters[2], m.letters[2], LEN, 10);
    substitute(&m, 4, 30);
    add(&m, m.letters[0], m.letters[0], LEN, 9);
    substitute(&m, 5, 30);
    decide(&m, CHIMERA_HITS_MAX, v);
    for (int i = 0; i < m.n; i++)
        assert_int_equal(v[i].score.call, i >= 2 && i <= 4 ? CHIMERA_YES : CHIMERA_NO);
    for (int i = 2; i <= 4; i++) {
        assert_int_equal(v[i].parent[0], i == 3);
        assert_int_equal(v[i].parent[1], i != 3);
    }
    assert_int_equal(v[5].parent[0], -1);
}

/* 20 chimeras with errors in their last part are nearer to the last read in each
 * part, or as near, than the parents: of four hits all are chimeras, of 16 as well. */
static void chimeras_in_the_way_are_searched_around(void **state)
{
    chimera_verdict_t v[N_MAX], few[N_MAX];
    made_t m;

    (void)state;
    make_parents(&m, 2);
    for (int k = 0; k < 20; k++) {
        add(&m, m.letters[0], m.letters[1], 75, 3000 - k);
        substitute(&m, m.n - 1, 180 + k % 10);
        if (k >= 10)
            substitute(&m, m.n - 1, 160 + k % 10);
    }
    add(&m, m.letters[0], m.letters[1], 75, 5);
    for (int at = 130; at < 150; at += 5) /* only the chimeras are as near as 80 % */
        substitute(&m, m.n - 1, at);
    decide(&m, CHIMERA_HITS_MAX, v);
    for (int i = 2; i < m.n; i++) {
        assert_int_equal(v[i].score.call, CHIMERA_YES);
        assert_int_equal(v[i].parent[0], 0);
        assert_int_equal(v[i].parent[1], 1);
    }
    decide(&m, CHIMERA_PARENTS + 1, few);
    assert_memory_equal(few, v, (size_t)m.n * sizeof(*v));
}

/* Removed targets and those beyond the first are no hits; hits are in order. */
static void hits_are_the_targets_that_may_be_parents(void **state)
{
    static const int32_t removed[] = {0, 2};
    const chimera_query_t queries[] = {{5, 5, NULL, 0},
                                       {5, 4, removed, 2},
                                       {5, 0, NULL, 0}};
    seqset_builder_t b = {.alphabet = ALPHABET_DNA};
    chimera_hits_t hits[3];
    chimera_search_t *s;
    made_t m;

    (void)state;
    make_parents(&m, 3);
    for (int k = 0; k < 4; k++) {
        add(&m, m.letters[0], m.letters[0], LEN, 10);
        substitute(&m, m.n - 1, 5);
    }
    for (int i = 0; i < m.n; i++)
        assert_int_equal(seqset_builder_add(&b, "r", 1, m.letters[i], LEN), ST_OK);
    assert_int_equal(seqset_builder_finish(&b, &m.set), ST_OK);
    assert_int_equal(chimera_search_create(&(chimera_search_context_t){.device = &cpu,
                                                                       .pool = pool,
                                                                       .kernel = "auto",
                                                                       .reads = m.set,
                                                                       .targets = m.set,
                                                                       .n_hits = 4},
                                           &s),
                     ST_OK);
    assert_int_equal(chimera_search_find(s, queries, 3, hits), ST_OK);
    for (int k = 0; k < 4; k++) {
        const int32_t first[] = {2, 3, 4, 0}, others[] = {0, 2, 3, 4};

        assert_int_equal(hits[0].target[0][k], first[k]);
        assert_int_equal(hits[0].target[1][k], others[k]);
        assert_int_equal(hits[1].target[3][k], k == 0 ? 3 : -1);
        assert_int_equal(hits[2].target[2][k], -1);
    }
    chimera_search_destroy(s);
    seqset_destroy(m.set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chimeras_and_errors),
        cmocka_unit_test(chimeras_in_the_way_are_searched_around),
        cmocka_unit_test(hits_are_the_targets_that_may_be_parents),
    };

    return cmocka_run_group_tests(tests, pool_fixture_start, pool_fixture_stop);
}
