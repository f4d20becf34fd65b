/*
 * test_pattern_tree.c - the syntax of patterns: sets of bytes, and what is refused where.
 */
#include "tests/support/unit_test.h"

#include "io/automata/pattern_tree.h"

#include <string.h>

/* @return the set that a pattern of one byte describes */
static byte_set_t set_of(const char *text, unsigned flags)
{
    pattern_tree_t tree = {.root = 0};
    pattern_error_t why;
    byte_set_t set;

    assert_int_equal(pattern_tree_parse(text, strlen(text), flags, &tree, &why), ST_OK);
    assert_int_equal(pattern_tree_node(&tree, tree.root)->kind, PATTERN_SET);
    set = pattern_tree_node(&tree, tree.root)->set;
    buf_free(&tree.nodes);
    return set;
}

static void assert_set(const char *text, unsigned flags, const char *bytes, size_t n)
{
    const byte_set_t set = set_of(text, flags);

    assert_int_equal(byte_set_count(&set), n);
    for (size_t k = 0; k < n; k++)
        assert_true(byte_set_has(&set, (unsigned char)bytes[k]));
}

#define ASSERT_SET(text, flags, bytes) assert_set(text, flags, bytes, sizeof(bytes) - 1)

static void escapes_are_bytes(void **state)
{
    (void)state;
    ASSERT_SET("a", 0, "a");
    ASSERT_SET("\\.", 0, ".");
    ASSERT_SET("\\n", 0, "\n");
    ASSERT_SET("\\e", 0, "\x1b");
    ASSERT_SET("\\x4A", 0, "J");
    ASSERT_SET("\\x{4a}", 0, "J");
    ASSERT_SET("\\x", 0, "\0");
    ASSERT_SET("\\012", 0, "\n");
    ASSERT_SET("\\cA", 0, "\x01");
    ASSERT_SET("\\/", 0, "/");
}

static void classes_are_sets(void **state)
{
    byte_set_t set;

    (void)state;
    ASSERT_SET("[abc]", 0, "abc");
    ASSERT_SET("[a-c-]", 0, "abc-");
    ASSERT_SET("[]a]", 0, "]a");
    ASSERT_SET("[\\]\\\\]", 0, "]\\");
    ASSERT_SET("[\\b\\x41-\\x43]", 0, "\bABC");
    ASSERT_SET("[\\d]", 0, "0123456789");
    ASSERT_SET("[+-\\d]", 0, "+-0123456789");
    ASSERT_SET("\\h", 0, " \t\xa0");
    ASSERT_SET("[[:digit:]a]", 0, "0123456789a");
    ASSERT_SET("[a[:b]", 0, "a[:b");
    set = set_of("[^a-y]", 0);
    assert_int_equal(byte_set_count(&set), 256 - 25);
    set = set_of("\\W", 0);
    assert_int_equal(byte_set_count(&set), 256 - 63);
    set = set_of("[[:^alpha:]]", 0);
    assert_int_equal(byte_set_count(&set), 256 - 52);
}

static void flags_change_letters_and_dots(void **state)
{
    byte_set_t set;

    (void)state;
    ASSERT_SET("a", PATTERN_CASELESS, "aA");
    ASSERT_SET("(?i:[x1])", 0, "xX1");
    ASSERT_SET("(?-i:b)", PATTERN_CASELESS, "b");
    set = set_of(".", 0);
    assert_int_equal(byte_set_count(&set), 255);
    assert_false(byte_set_has(&set, '\n'));
    set = set_of(".", PATTERN_DOT_ALL);
    assert_int_equal(byte_set_count(&set), 256);
    set = set_of("[^a]", PATTERN_CASELESS);
    assert_int_equal(byte_set_count(&set), 254);
}

static void bytes_to_choose_from_are_one_set(void **state)
{
    (void)state;
    ASSERT_SET("a|b|[cd]", 0, "abcd");
    ASSERT_SET("(a|(?:b|c))", 0, "abc");
}

/* A brace that is no count is a byte. */
static void braces_may_be_bytes(void **state)
{
    static const char *const chains[] = {"a{", "a{x}", "a{,3}", "a{1,x}", "a{1"};
    pattern_error_t why;

    (void)state;
    for (size_t k = 0; k < sizeof(chains) / sizeof(chains[0]); k++) {
        pattern_tree_t tree = {.root = 0};

        assert_int_equal(pattern_tree_parse(chains[k], strlen(chains[k]), 0, &tree, &why),
                         ST_OK);
        assert_int_equal(pattern_tree_node(&tree, tree.root)->kind, PATTERN_CHAIN);
        buf_free(&tree.nodes);
    }
}

static void what_is_refused_has_its_column(void **state)
{
    static const struct {
        const char *text;
        int64_t column;
        const char *what;
    } all[] = {
        {"ab(c", 3, "a group lacks its )"},
        {"ab)c", 3, "a ) closes no group"},
        {"a[bc", 2, "a class lacks its ]"},
        {"a[c-a]", 3, "a range ends before it begins"},
        {"[[:nope:]]", 2, "an unknown class"},
        {"a|*b", 3, "there is nothing to repeat"},
        {"a{2,1}", 2, "the maximum of a repeat is below its minimum"},
        {"a{65536}", 2, "a repeat is above 65535"},
        {"a{99999999999}", 2, "a repeat is above 65535"},
        {"a**", 3, "a repeat is repeated, which only groups can be"},
        {"ab\\", 3, "a backslash ends the pattern"},
        {"\\x{41", 1, "\\x{ lacks hexadecimal digits and }"},
        {"(a)\\1", 4, "back-references are not supported"},
        {"(?<n>a)\\k<n>", 8, "back-references are not supported"},
        {"(?P<n>a)(?P=n)", 9, "back-references are not supported"},
        {"a(?=b)", 2, "look-around is not supported"},
        {"a(?!b)", 2, "look-around is not supported"},
        {"(?<=a)b", 1, "look-around is not supported"},
        {"(?<!a)b", 1, "look-around is not supported"},
        {"(?>a)", 1, "atomic groups are not supported"},
        {"ab*+c", 3, "possessive repeats are not supported"},
        {"ab{2}+", 3, "possessive repeats are not supported"},
        {"a\\bc", 2, "word boundaries are not supported"},
        {"(?m)^a", 1, "the flags m and x are not supported"},
        {"(?(1)a)", 1, "conditions are not supported"},
        {"(?R)", 1, "recursion is not supported"},
        {"(*FAIL)", 1, "verbs are not supported"},
        {"\\pL", 1, "this escape is not supported"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
        pattern_tree_t tree = {.root = 0};
        pattern_error_t why = {0, ""};

        assert_int_equal(pattern_tree_parse(all[k].text, strlen(all[k].text), 0, &tree,
                                            &why),
                         ST_EINPUT);
        assert_string_equal(why.what, all[k].what);
        assert_int_equal(why.column, all[k].column);
        buf_free(&tree.nodes);
    }
}

static void groups_are_nested_to_a_limit(void **state)
{
    char text[2 * PATTERN_MAX_DEPTH + 4];
    pattern_error_t why = {0, ""};

    (void)state;
    for (int depth = PATTERN_MAX_DEPTH; depth <= PATTERN_MAX_DEPTH + 1; depth++) {
        pattern_tree_t tree = {.root = 0};

        memset(text, '(', (size_t)depth);
        text[depth] = 'a';
        memset(text + depth + 1, ')', (size_t)depth);
        assert_int_equal(pattern_tree_parse(text, 2 * (size_t)depth + 1, 0, &tree, &why),
                         depth == PATTERN_MAX_DEPTH ? ST_OK : ST_EINPUT);
        buf_free(&tree.nodes);
    }
    assert_int_equal(why.column, PATTERN_MAX_DEPTH + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_are_bytes),
        cmocka_unit_test(classes_are_sets),
        cmocka_unit_test(flags_change_letters_and_dots),
        cmocka_unit_test(bytes_to_choose_from_are_one_set),
        cmocka_unit_test(braces_may_be_bytes),
        cmocka_unit_test(what_is_refused_has_its_column),
        cmocka_unit_test(groups_are_nested_to_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
