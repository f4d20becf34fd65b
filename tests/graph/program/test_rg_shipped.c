/*
 * test_rg_shipped.c - the shipped programs on automata, beside a subset construction and
 * a search for default transitions written in C.  The other programs: test_rg_run.c.
 */
#include "tests/support/unit_test.h"

#include "graph/program/rg_run.h"
#include "io/graphfile/csr_build.h"
#include "kernels/automata/dfa_group.h"
#include "kernels/automata/subset.h"
#include "kernels/automata/word_set.h"
#include "tests/support/made_patterns.h"

#include <stdlib.h>

/* Of the programs, at most; a symbol that no class of bytes has. */
enum { MAX_VALUES = 64, MAX_PATTERNS = 16, END = 256 };

static const char *const sets[][MAX_PATTERNS] = {{"ab", NULL},
                                                 {"a.*b", "ac", NULL},
                                                 {"(a|b)*a(a|b){5}", NULL},
                                                 {"abc", "b[cd]+e", "[a-d]{3}x",
                                                  "hello|help|shell", NULL},
                                                 {"a[^b].{4}x", "x(yz)*", NULL}};

enum { N_SETS = sizeof(sets) / sizeof(sets[0]) };

/* ---- graphs of automata ---- */

static graph_edges_t no_edges(void)
{
    graph_edges_t e;

    assert_int_equal(graph_edges_create(64, true, false, &e), ST_OK);
    e.is_directed = true;
    return e;
}

static void add(graph_edges_t *e, int64_t from, int64_t to, int32_t symbol)
{
    assert_int_equal(graph_edges_add(e, from, to), ST_OK);
    e->weight[e->n - 1] = symbol;
}

/* @param edges  freed */
static csr_t graph_of(graph_edges_t *edges, int64_t n_nodes)
{
    csr_t g;

    edges->n_declared = n_nodes;
    assert_int_equal(csr_build(edges, &(csr_options_t){.symmetrize = false}, NULL, &g),
                     ST_OK);
    graph_edges_free(edges);
    return g;
}

/* Run a program with the node params that are given; the interpreter is the definition.
 */
static rg_result_t run(const char *name, const csr_t *g, const char *const *params,
                       const int64_t *values)
{
    rg_value_t param[MAX_VALUES] = {{0}};
    bool is_given[MAX_VALUES] = {false};
    const rg_input_t input = {g, param, is_given, 1 << 20, INT32_MAX};
    buf_t text = {0};
    rg_program_t p;
    rg_result_t r;

    assert_int_equal(rg_read(name, &text, &p), ST_OK);
    assert_true(p.n_values < MAX_VALUES);
    for (const rg_symbol_t *s = p.symbols; s != NULL; s = s->next)
        for (int k = 0; params[k] != NULL; k++)
            if (s->kind == SYMBOL_PARAM && strcmp(s->name, params[k]) == 0) {
                param[s->slot].i = values[k];
                is_given[s->slot] = true;
            }
    assert_int_equal(rg_run(&p, &input, &r), ST_OK);
    rg_free(&p);
    buf_free(&text);
    return r;
}

/* ---- subset ---- */

/* The begin is node 0, position p is node p + 1; symbols are classes of bytes. */
static csr_t graph_of_positions(const nfa_t *nfa, const subset_t *s)
{
    graph_edges_t e = no_edges();
    const int64_t n = nfa->n_positions;

    for (int32_t c = 0; c < s->n_classes; c++) {
        const uint64_t *consume = s->consume + c * s->n_words;

        add(&e, 0, 0, c);
        for (int64_t p = 0; p < n; p++) {
            if ((consume[p / 64] >> p % 64 & 1) == 0)
                continue;
            if ((nfa->role[p] & NFA_STARTS) != 0)
                add(&e, 0, p + 1, c);
            for (int64_t q = 0; q < n; q++)
                if ((s->follow[q * s->n_words + p / 64] >> p % 64 & 1) != 0)
                    add(&e, q + 1, p + 1, c);
        }
    }
    for (int64_t p = 0; p < n; p++)
        if ((nfa->role[p] & NFA_ACCEPTS) != 0)
            add(&e, p + 1, 0, END);
    return graph_of(&e, n + 1);
}

/* The construction in C: states are numbered as classes in ascending order lead to them.
 * @return the graph of them */
static csr_t construct(const subset_t *s, bool **accepts)
{
    word_set_t states = {.n_words = s->n_words};
    uint64_t *follow = malloc((size_t)s->n_words * sizeof(*follow));
    uint64_t *state = malloc((size_t)s->n_words * sizeof(*state));
    uint64_t output[MAX_PATTERNS];
    graph_edges_t e = no_edges();
    int32_t number;
    csr_t g;

    assert_true(follow != NULL && state != NULL && s->n_output_words < MAX_PATTERNS);
    subset_begin(s, false, state);
    assert_int_equal(word_set_add(&states, state, &number), ST_OK);
    for (int64_t k = 0; k < states.n; k++) {
        subset_follow(s, word_set_key(&states, k), follow);
        for (int32_t c = 0; c < s->n_classes; c++) {
            for (int64_t w = 0; w < s->n_words; w++)
                state[w] = follow[w] & s->consume[c * s->n_words + w];
            assert_int_equal(word_set_add(&states, state, &number), ST_OK);
            add(&e, k, number, c);
        }
    }
    *accepts = calloc((size_t)states.n, sizeof(**accepts));
    assert_non_null(*accepts);
    for (int64_t k = 0; k < states.n; k++)
        (*accepts)[k] = subset_output(s, word_set_key(&states, k), output);
    g = graph_of(&e, states.n);
    word_set_free(&states);
    free(follow);
    free(state);
    return g;
}

static void compare_states(const rg_result_t *got, const csr_t *want, const bool *accepts)
{
    const csr_t *g = &got->graph;

    assert_int_equal(g->n_nodes, want->n_nodes);
    assert_int_equal(g->n_arcs, want->n_arcs);
    assert_memory_equal(g->first, want->first,
                        (size_t)(g->n_nodes + 1) * sizeof(*g->first));
    assert_memory_equal(g->to, want->to, (size_t)g->n_arcs * sizeof(*g->to));
    assert_memory_equal(g->weight, want->weight, (size_t)g->n_arcs * sizeof(*g->weight));
    for (int64_t u = 0; u < g->n_nodes; u++) {
        assert_int_equal(((int64_t *)got->column[0].values)[u], u);
        assert_int_equal(((uint8_t *)got->column[1].values)[u], accepts[u]);
    }
}

static void subset_equals_the_construction(void **state)
{
    (void)state;
    for (int k = 0; k < N_SETS; k++) {
        nfa_t nfa = made_patterns(sets[k]);
        int32_t all[MAX_PATTERNS];
        subset_t s;
        csr_t g, want;
        bool *accepts;
        rg_result_t r;

        for (int32_t p = 0; p < nfa.n_patterns; p++)
            all[p] = p;
        assert_int_equal(subset_create(&nfa, all, nfa.n_patterns, &s), ST_OK);
        g = graph_of_positions(&nfa, &s);
        want = construct(&s, &accepts);
        r = run("subset", &g, (const char *const[]){"start", NULL}, (int64_t[]){0});
        assert_true(want.n_nodes > 2);
        compare_states(&r, &want, accepts);
        rg_result_free(&r);
        csr_free(&g);
        csr_free(&want);
        free(accepts);
        subset_free(&s);
        nfa_free(&nfa);
    }
}

/* 1 -a-> 1 2, 1 -b-> 1, 2 -b-> 3, which accepts; symbols that lead nowhere have no arc.
 */
static void subset_takes_automata_with_gaps(void **state)
{
    graph_edges_t e = no_edges();
    csr_t g;
    rg_result_t r;

    (void)state;
    add(&e, 0, 1, 7);
    add(&e, 0, 1, 9);
    add(&e, 0, 2, 9);
    add(&e, 1, 1, 7);
    add(&e, 2, 2, 5);
    g = graph_of(&e, 3);
    r = run("subset", &g, (const char *const[]){"start", "end", NULL}, (int64_t[]){0, 5});
    assert_int_equal(r.graph.n_nodes, 3); /* 0; 1; 1 2 */
    assert_int_equal(r.graph.n_arcs, 4);
    assert_int_equal(r.graph.to[0], 1);
    assert_int_equal(r.graph.weight[0], 7);
    assert_int_equal(r.graph.to[1], 2);
    assert_int_equal(r.graph.weight[1], 9);
    assert_int_equal(((uint8_t *)r.column[1].values)[1], 0);
    assert_int_equal(((uint8_t *)r.column[1].values)[2], 1);
    rg_result_free(&r);
    csr_free(&g);
}

/* ---- A-DFA ---- */

static csr_t graph_of_states(const dfa_set_t *d)
{
    graph_edges_t e = no_edges();

    for (int64_t s = 0; s < d->n_states; s++)
        for (int32_t c = 0; c < d->n_classes[0]; c++)
            add(&e, s, d->next[s * d->n_classes[0] + c], c);
    return graph_of(&e, d->n_states);
}

/* Breadth first, by rounds. */
static void find_levels(const dfa_set_t *d, int64_t *level)
{
    bool is_changed = true;

    for (int64_t s = 0; s < d->n_states; s++)
        level[s] = s == 0 || s == d->middle[0] ? 0 : INT32_MAX;
    while (is_changed) {
        is_changed = false;
        for (int64_t k = 0; k < d->n_cells; k++)
            if (level[d->next[k]] > level[k / d->n_classes[0]] + 1) {
                level[d->next[k]] = level[k / d->n_classes[0]] + 1;
                is_changed = true;
            }
    }
}

/* @return the default of a state, or -1; *kept: its transitions */
static int64_t find_default(const dfa_set_t *d, const int64_t *level, int64_t s,
                            int64_t skip, int64_t within, int64_t *kept)
{
    const int32_t n = d->n_classes[0];
    int64_t best = -1;

    *kept = n;
    for (int64_t t = 0; t < d->n_states; t++) {
        const int64_t down = level[s] - level[t];
        int64_t differ = 0;

        if (down < skip || (within > 0 && down > within))
            continue;
        for (int32_t c = 0; c < n; c++)
            differ += d->next[s * n + c] != d->next[t * n + c];
        if (differ < *kept && differ < n - 1) {
            *kept = differ;
            best = t;
        }
    }
    return best;
}

static void adfa_equals_the_search_for_defaults(void **state)
{
    static const int64_t rules[][2] = {{1, 0}, {2, 0}, {1, 1}, {1, 2}};
    const dfa_limits_t limits = {.max_states = 1 << 16, .max_bytes = 1 << 26};
    int64_t n_defaults = 0;

    (void)state;
    for (int k = 0; k < 4 * N_SETS; k++) {
        nfa_t nfa = made_patterns(sets[k / 4]);
        const int64_t *rule = rules[k % 4];
        int64_t *level, kept;
        rg_result_t r;
        dfa_set_t d;
        csr_t g;

        assert_int_equal(dfa_group_all(&nfa, &limits, NULL, &d), ST_OK);
        assert_int_equal(d.n_groups, 1);
        level = malloc((size_t)d.n_states * sizeof(*level));
        assert_non_null(level);
        find_levels(&d, level);
        g = graph_of_states(&d);
        r = run("adfa", &g,
                (const char *const[]){"start", "middle", "skip", "within", NULL},
                (int64_t[]){0, d.middle[0], rule[0], rule[1]});
        for (int64_t s = 0; s < d.n_states; s++) {
            const int64_t t = find_default(&d, level, s, rule[0], rule[1], &kept);

            assert_int_equal(((int64_t *)r.column[0].values)[s], level[s]);
            assert_int_equal(((int32_t *)r.column[1].values)[s], t);
            assert_int_equal(((int64_t *)r.column[2].values)[s], kept);
            n_defaults += t >= 0;
        }
        rg_result_free(&r);
        csr_free(&g);
        free(level);
        dfa_set_free(&d);
        nfa_free(&nfa);
    }
    assert_true(n_defaults > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subset_equals_the_construction),
        cmocka_unit_test(subset_takes_automata_with_gaps),
        cmocka_unit_test(adfa_equals_the_search_for_defaults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
