/*
 * test_dfa_compress.c - default transitions: by hand, and the same transitions as before
 * for any rule.
 */
#include "tests/support/unit_test.h"

#include "kernels/automata/dfa_compress.h"
#include "kernels/automata/dfa_group.h"
#include "tests/support/made_patterns.h"

#include <stdlib.h>

typedef struct {
    nfa_t nfa;
    int32_t *pattern_of;
    dfa_set_t whole, compressed;
} made_t;

static void make(const char *const *texts, dfa_rule_t rule, int64_t d, pool_t *pool,
                 made_t *m)
{
    const dfa_limits_t limits = {.max_states = 12, .max_bytes = 1 << 24};
    const dfa_compress_t how = {rule, d};

    m->nfa = made_patterns(texts);
    assert_int_equal(nfa_list_patterns(&m->nfa, &m->pattern_of), ST_OK);
    assert_int_equal(dfa_group_all(&m->nfa, &limits, NULL, &m->whole), ST_OK);
    assert_int_equal(dfa_group_all(&m->nfa, &limits, NULL, &m->compressed), ST_OK);
    assert_int_equal(dfa_compress(&m->compressed, &how, pool), ST_OK);
    assert_null(dfa_set_misfit(&m->compressed, &m->nfa, 0, m->pattern_of));
}

static void unmake(made_t *m)
{
    free(m->pattern_of);
    dfa_set_free(&m->whole);
    dfa_set_free(&m->compressed);
    nfa_free(&m->nfa);
}

/* States of "abc", by the bytes that lead there: 0 "", 1 "a", 2 "ab", 3 "abc"; classes:
 * other, a, b, c. All lead back to 0 and 1, and none but these two to 2 or 3:
 *     0: 0 1 0 0,  1: 0 1 2 0,  2: 0 1 0 3,  3: as 0 */
static const char *const abc[] = {"abc", NULL};

static void cells_that_a_default_has_are_dropped(void **state)
{
    const int32_t fallback[] = {-1, 0, 0, 0}, next[] = {0, 1, 0, 0, 2, 3};
    const int64_t first_cell[] = {0, 4, 5, 6, 6};
    made_t m;

    (void)state;
    make(abc, DFA_RULE_SKIP, 1, NULL, &m);
    assert_int_equal(m.compressed.n_states, 4);
    assert_int_equal(m.compressed.n_cells, 6);
    assert_memory_equal(m.compressed.fallback, fallback, sizeof(fallback));
    assert_memory_equal(m.compressed.first_cell, first_cell, sizeof(first_cell));
    assert_memory_equal(m.compressed.next, next, sizeof(next));
    assert_int_equal(m.compressed.cell_class[4], m.compressed.class_of['b']);
    assert_int_equal(m.compressed.cell_class[5], m.compressed.class_of['c']);
    assert_int_equal(dfa_set_bytes(&m.whole), 16 * 4);
    assert_int_equal(dfa_set_bytes(&m.compressed), 6 * 4 + 6 + 4 * 4 + 5 * 8);
    unmake(&m);
}

/* State 2 is two levels from state 0, and state 1 has only two of its transitions. */
static void a_rule_limits_the_levels_between(void **state)
{
    const int32_t within[] = {-1, 0, 1, 1}, skip[] = {-1, -1, 0, 0};
    made_t m;

    (void)state;
    make(abc, DFA_RULE_WITHIN, 1, NULL, &m);
    assert_memory_equal(m.compressed.fallback, within, 3 * sizeof(within[0]));
    unmake(&m);
    make(abc, DFA_RULE_SKIP, 2, NULL, &m);
    assert_memory_equal(m.compressed.fallback, skip, sizeof(skip));
    unmake(&m);
}

/* @return where a class leads from a state, by its defaults */
static int32_t look_up(const dfa_set_t *d, int64_t first_state, int32_t s, int c)
{
    for (;; s = d->fallback[first_state + s]) {
        const int64_t *cells = d->first_cell + first_state + s;

        for (int64_t k = cells[0]; k < cells[1]; k++)
            if (d->cell_class[k] == c)
                return d->next[k];
        assert_true(d->fallback[first_state + s] >= 0);
    }
}

static void assert_same_transitions(const made_t *m)
{
    const int32_t *next = m->whole.next;

    for (int64_t g = 0; g < m->whole.n_groups; g++)
        for (int64_t s = m->whole.first_state[g]; s < m->whole.first_state[g + 1]; s++)
            for (int c = 0; c < m->whole.n_classes[g]; c++)
                assert_int_equal(look_up(&m->compressed, m->whole.first_state[g],
                                         (int32_t)(s - m->whole.first_state[g]), c),
                                 *next++);
}

/* Several groups, anchors, and a pattern without a group, with any number of threads. */
static void bytes_lead_where_they_did(void **state)
{
    const char *const texts[] = {"ab+c",  "^a[bc]d", "[a-c]x", "a[^b].{9}x",
                                 "b.?d$", "cab|bca", "xyz",    NULL};
    pool_t *pool;

    (void)state;
    assert_int_equal(pool_create(3, &pool), ST_OK);
    for (int rule = 0; rule < DFA_N_RULES; rule++)
        for (int64_t d = 1; d < 4; d++) {
            made_t one, three;

            make(texts, (dfa_rule_t)rule, d, NULL, &one);
            make(texts, (dfa_rule_t)rule, d, pool, &three);
            assert_true(one.whole.n_groups > 1);
            assert_int_equal(one.whole.group[3], -1);
            assert_true(one.compressed.n_cells < one.whole.n_cells);
            assert_same_transitions(&one);
            assert_int_equal(arrays_digest(&dfa_set_arrays, 1, &one.compressed),
                             arrays_digest(&dfa_set_arrays, 1, &three.compressed));
            unmake(&one);
            unmake(&three);
        }
    pool_destroy(pool);
}

static void nothing_is_compressed_to_nothing(void **state)
{
    const char *const texts[] = {"a[^b].{9}x", NULL};
    made_t m;

    (void)state;
    make(texts, DFA_RULE_SKIP, 1, NULL, &m);
    assert_int_equal(m.compressed.n_groups, 0);
    assert_int_equal(m.compressed.n_cells, 0);
    assert_true(dfa_set_is_compressed(&m.compressed));
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_that_a_default_has_are_dropped),
        cmocka_unit_test(a_rule_limits_the_levels_between),
        cmocka_unit_test(bytes_lead_where_they_did),
        cmocka_unit_test(nothing_is_compressed_to_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
