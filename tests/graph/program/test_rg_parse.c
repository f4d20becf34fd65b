/*
 * test_rg_parse.c - the grammar and the types of graph programs, and where errors are.
 */
#include "tests/support/unit_test.h"

#include "tests/graph/program/program_case.h"

/* A program of statements, after an output and some names. */
#define HEAD \
    "output attribute int x; attribute real y; set s; int i; real r; bool b; node n;\n"

static void conversions_are_explicit_in_the_tree(void **state)
{
    rg_program_t p = rg_parsed("output attribute real y = 1; real r = 1 / 2 + 0.5;");
    const rg_expr_t *sum = p.body->next->symbol->initial;

    (void)state;
    assert_int_equal(p.body->symbol->initial->kind, EXPR_REAL);
    assert_int_equal(sum->kind, EXPR_ADD);
    assert_int_equal(sum->type, RG_REAL);
    assert_int_equal(sum->a->kind, EXPR_REAL);
    assert_int_equal(sum->a->a->kind, EXPR_DIVIDE);
    assert_int_equal(sum->a->a->type, RG_INT);
    rg_free(&p);
}

static void operators_bind_by_their_precedence(void **state)
{
    rg_program_t p = rg_parsed(HEAD "b = i + 2 * 3 - 4 < 5 || b && !b;");
    const rg_stmt_t *last = p.body;
    const rg_expr_t *e;

    (void)state;
    while (last->next != NULL)
        last = last->next;
    e = last->value;
    assert_int_equal(e->kind, EXPR_OR);
    assert_int_equal(e->b->kind, EXPR_AND);
    assert_int_equal(e->a->kind, EXPR_LESS);
    assert_int_equal(e->a->a->kind, EXPR_SUBTRACT);
    assert_int_equal(e->a->a->a->kind, EXPR_ADD);
    assert_int_equal(e->a->a->a->b->kind, EXPR_MULTIPLY);
    rg_free(&p);
}

static void what_a_program_reads_is_known(void **state)
{
    rg_program_t p = rg_parsed(HEAD "foreach (v in nodes) { v.x = count(u in v.in); }");

    (void)state;
    assert_true(p.reads_arcs_in);
    assert_false(p.reads_weights);
    assert_int_equal(p.n_outputs, 1);
    assert_int_equal(p.n_attributes, 2);
    assert_int_equal(p.n_sets, 1);
    rg_free(&p);
    p = rg_parsed(HEAD "foreach (v in nodes) { v.y = sum(e in v.edges: e.weight); }");
    assert_false(p.reads_arcs_in);
    assert_true(p.reads_weights);
    rg_free(&p);
}

/* What a backend lacks is found, with its place. */
static void constructs_are_noted(void **state)
{
    rg_program_t p = rg_parsed(HEAD "omultiset m;\n  edge attribute int w;");

    (void)state;
    assert_int_equal(rg_find_construct(&p, ~0U), RG_EDGE_ATTRIBUTES);
    assert_int_equal(rg_find_construct(&p, 1 << RG_MULTISETS), RG_MULTISETS);
    assert_int_equal(rg_find_construct(&p, 1 << RG_SEQUENCES), RG_SEQUENCES);
    assert_int_equal(p.used[RG_EDGE_ATTRIBUTES].line, 3);
    assert_int_equal(p.used[RG_EDGE_ATTRIBUTES].column, 8);
    rg_free(&p);
    p = rg_parsed(HEAD);
    assert_int_equal(rg_find_construct(&p, ~0U), RG_N_CONSTRUCTS);
    rg_free(&p);
}

/* A name is seen to the end of its block; after it the same name is another one. */
static void names_end_with_their_block(void **state)
{
    rg_program_t p = rg_parsed(HEAD "if (b) { int k = 1; i = k; } else { real k; r = k; }"
                                    "real t = sum(v in nodes: v.y); r = t;");

    (void)state;
    rg_free(&p);
    assert_rg_refused(HEAD "if (b) { int k; }\nk = 2;", "p.rg:3:1: 'k' is not declared");
    assert_rg_refused(HEAD "int k = k;", "p.rg:2:9: 'k' is not declared");
    assert_rg_refused(HEAD "int i;", "p.rg:2:5: 'i' is declared in line 1 already");
    assert_rg_refused(HEAD "int any;", "p.rg:2:5: 'any' is a word of the language");
}

static void types_must_fit(void **state)
{
    (void)state;
    assert_rg_refused(HEAD "i = 2.5;", "p.rg:2:5: the new value must have the type int, "
                                       "but this has the type real; write int(...)");
    assert_rg_refused(HEAD "if (i) { }", "p.rg:2:5: a condition must have the type bool");
    assert_rg_refused(HEAD "b = i == b;", "p.rg:2:7: the types int and bool do not go");
    assert_rg_refused(HEAD "i = 5 % 2.5;", "p.rg:2:7: this operator does not take");
    assert_rg_refused(HEAD "r = -b;", "p.rg:2:6: the operand of - must have the type");
    assert_rg_refused(HEAD "s.add(3);", "p.rg:2:7: what a set has must have the type "
                                        "node");
    assert_rg_refused(HEAD "b = n in n;", "p.rg:2:10: 'n' is no set");
    assert_rg_refused(HEAD "n += n;", "p.rg:2:1: += does not take the type node");
    assert_rg_refused(HEAD "b min= b;", "p.rg:2:1: min= does not take the type bool");
    assert_rg_refused(HEAD "swap s, i;", "p.rg:2:1: swap takes two sets of one");
    assert_rg_refused(HEAD "i = sum(v in nodes: v);", "no sum, minimum or maximum");
    assert_rg_refused(HEAD "multiset m;\nswap s, m;", "p.rg:3:1: swap takes two sets of");
    assert_rg_refused(HEAD "edge attribute int w;\nswap x, w;", "p.rg:3:1: swap takes");
    assert_rg_refused(HEAD "r = b ? 1.5 : true;", "the types real and bool do not go");
}

static void members_must_exist(void **state)
{
    (void)state;
    assert_rg_refused(HEAD "i = n.degre;", "p.rg:2:7: 'degre' is not declared");
    assert_rg_refused(HEAD "i = n.r;", "p.rg:2:7: 'r' is no attribute");
    assert_rg_refused(HEAD "i = i.x;", "p.rg:2:7: the type int has no such member");
    assert_rg_refused(HEAD "i = x;", "p.rg:2:5: 'x' is an attribute; write NODE.x");
    assert_rg_refused(HEAD "for (e in n.edges) {\ni = e.x; }",
                      "p.rg:3:7: 'x' is no attribute of edges; they have those declared");
    assert_rg_refused(HEAD "edge attribute int w;\ni = n.w;",
                      "p.rg:3:7: 'w' is no attribute of nodes");
    assert_rg_refused(HEAD "i = s.first;", "p.rg:2:7: 'first' in a set as a value");
    assert_rg_refused(HEAD "i = s.count(n);", "p.rg:2:7: 'count' in a set as a value");
    assert_rg_refused(HEAD "i = s;", "p.rg:2:6: ';' in a set as a value");
    assert_rg_refused(HEAD "for (v in i) { }", "p.rg:2:11: this is no range");
    assert_rg_refused(HEAD "for (v in n.x) { }", "p.rg:2:11: this is no range");
}

static void the_grammar_is_kept(void **state)
{
    (void)state;
    assert_rg_refused("", "p.rg:1:1: the program has no result; declare an 'output");
    assert_rg_refused(HEAD "i = 1", "p.rg:2:6: the program ends within an assignment; "
                                    "';' must follow");
    assert_rg_refused(HEAD "i = (1;", "p.rg:2:7: ';' in an expression in parentheses");
    assert_rg_refused(HEAD "i * 3;", "p.rg:2:3: no assignment");
    assert_rg_refused(HEAD "n.degree = 3;", "p.rg:2:3: this cannot be changed");
    assert_rg_refused(HEAD "for (v in nodes) { v = n; }", "this cannot be changed");
    assert_rg_refused(HEAD "param int k; k = 3;", "this cannot be changed");
    assert_rg_refused(HEAD "if (b) { set t; }", "p.rg:2:10: params, attributes and sets");
    assert_rg_refused(HEAD "s.insert(n);", "p.rg:2:3: sets have no such statement");
    assert_rg_refused(HEAD "s.pop();", "p.rg:2:3: sets have no such statement");
    assert_rg_refused(
        HEAD "queue q; q.remove(n);",
        "p.rg:2:12: queues have no such statement; write q.add(NODE), .pop()");
    assert_rg_refused(HEAD "if (b) { queue q; }", "params, attributes and sets");
    assert_rg_refused(HEAD "output edge attribute int w;", "'edge' in output; write");
    assert_rg_refused(HEAD "i = = 3;", "p.rg:2:5: '=' stands where a value is needed");
    assert_rg_refused(HEAD "while (b) {", "the program ends within a block");
    assert_rg_refused(HEAD "i = 3 @ 4;", "p.rg:2:7: this character has no meaning");
    assert_rg_refused("output attribute int Deep;", "p.rg:1:22: 'Deep' cannot be a");
    assert_rg_refused("output attribute int id;", "'id' cannot be a column");
}

static void scans_and_sorts_are_of_the_right_kind(void **state)
{
#define MORE HEAD "multiset m; queue q; oset o; edge attribute int w;\n"
    (void)state;
    assert_rg_refused(MORE "x = 3;", "p.rg:3:5: '3' in an assignment to all nodes; write "
                                     "'scan' before it");
    assert_rg_refused(MORE "y = scan(v in nodes: 1);", "p.rg:3:1: 'y' is an attribute");
    assert_rg_refused(MORE "w = scan(v in nodes: 1);",
                      "'w' is an attribute; write EDGE.w");
    assert_rg_refused(MORE "x = scan(v in nodes: 0.5);",
                      "what is added up must have the");
    assert_rg_refused(MORE "x = scan(v in m: 1);",
                      "p.rg:3:15: scan goes through each node");
    assert_rg_refused(MORE "x = scan(v in n.out: 1);",
                      "scan goes through each node once");
    assert_rg_refused(MORE "foreach (v in nodes) { x = scan(u in nodes: 1); }",
                      "scan stands outside of foreach");
    assert_rg_refused(MORE "s = sort(v in nodes: 1);", "p.rg:3:1: a set is in ascending");
    assert_rg_refused(MORE "q = sort(v in nodes: b);", "the type bool has no order");
    assert_rg_refused(MORE "q = sort(e in n.edges: 1);", "p.rg:3:15: sort takes nodes");
    assert_rg_refused(MORE "while (b; dynamic_update(q)) { q = sort(v in q: 1); }",
                      "'q' can only be added to here");
#undef MORE
}

/* Whatever nests must end before the stack does. */
static void depth_is_limited(void **state)
{
    enum { N = 20000 };
    static const char *const nests[] = {"(", "-", "1+", "true?", "sum(v in nodes:"};
    char *text = malloc(N * 20);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < sizeof(nests) / sizeof(nests[0]); i++) {
        strcpy(text, "int i = ");
        for (size_t at = strlen(text); at < 60000; at += strlen(nests[i]))
            strcpy(text + at, nests[i]);
        assert_rg_refused(text, i == 2   ? "more than 100 operations in one chain"
                                : i == 4 ? "'v' is declared in line 1 already"
                                         : "nested more than 100 deep");
    }
    free(text);
}

static void a_text_that_is_too_long_is_refused(void **state)
{
    char *text = malloc(RG_TEXT_MAX + 2);

    (void)state;
    assert_non_null(text);
    memset(text, ' ', RG_TEXT_MAX + 1);
    text[RG_TEXT_MAX + 1] = '\0';
    assert_rg_refused(text, "p.rg: more than 65536 bytes; give a graph program");
    free(text);
}

static void a_result_has_eight_columns_at_most(void **state)
{
    char text[512] = "";

    (void)state;
    for (char c = 'a'; c < 'a' + GRAPH_RESULT_MAX_COLUMNS; c++)
        sprintf(text + strlen(text), "output attribute int %c_;\n", c);
    rg_program_t p = rg_parsed(text);
    rg_free(&p);
    strcat(text, "output attribute int z;");
    assert_rg_refused(text, "p.rg:9:22: a result has at most 8 columns");
}

static void all_shipped_programs_are_valid(void **state)
{
    (void)state;
    for (int i = 0; rg_shipped[i].name != NULL; i++) {
        rg_program_t p;
        buf_t text = {0};

        assert_int_equal(rg_read(rg_shipped[i].name, &text, &p), ST_OK);
        assert_string_equal((const char *)text.data, rg_shipped[i].text);
        rg_free(&p);
        buf_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions_are_explicit_in_the_tree),
        cmocka_unit_test(operators_bind_by_their_precedence),
        cmocka_unit_test(what_a_program_reads_is_known),
        cmocka_unit_test(constructs_are_noted),
        cmocka_unit_test(names_end_with_their_block),
        cmocka_unit_test(types_must_fit),
        cmocka_unit_test(members_must_exist),
        cmocka_unit_test(the_grammar_is_kept),
        cmocka_unit_test(scans_and_sorts_are_of_the_right_kind),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(a_text_that_is_too_long_is_refused),
        cmocka_unit_test(a_result_has_eight_columns_at_most),
        cmocka_unit_test(all_shipped_programs_are_valid),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
