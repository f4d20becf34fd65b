/*
 * test_leaf_counts.c - tables that are read, and lines that are refused.
 */
#include "tests/support/unit_test.h"

#include "io/graphfile/read/leaf_counts.h"
#include "tests/support/captured_log.h"

#include <string.h>

/* A root with the leaves "Otu001" and "it is", and a clade "x" of "c" and of a nameless
 * leaf. */
static char *const names[] = {"root", "Otu001", "it is", "x", "c", ""};
static csr_t tree;
static leaf_counts_t got;

static int begin(void **state)
{
    static const int64_t first[] = {0, 3, 3, 3, 5, 5, 5};

    if (csr_create(6, 5, false, false, &tree) != ST_OK)
        return -1;
    memcpy(tree.first, first, sizeof(first));
    for (int32_t u = 0; u < 6; u++)
        tree.id[u] = u + 1;
    for (int32_t a = 0; a < 5; a++)
        tree.to[a] = a + 1;
    return dir_make(state);
}

static int end(void **state)
{
    csr_free(&tree);
    return dir_remove(state);
}

static int release(void **state)
{
    (void)state;
    arrays_free(&leaf_counts_arrays, &got);
    return 0;
}

static status_t read_table(const char *text, char *const *of)
{
    char path[PATH_BYTES];
    status_t st;

    dir_file("table", path);
    dir_put(path, text, strlen(text));
    capture_start();
    st = leaf_counts_read(path, &tree, of, "t.nwk", &got);
    capture_stop();
    unlink(path);
    return st;
}

/* @param want  the counts of all nodes in a sample */
static void assert_sample(int64_t sample, const char *name, const int64_t want[6])
{
    int64_t count[6];

    assert_string_equal(got.sample[sample], name);
    leaf_counts_spread(&got, sample, 6, count);
    assert_memory_equal(count, want, sizeof(count));
}

static void a_header_names_the_samples(void **state)
{
    (void)state;
    assert_int_equal(read_table("# Constructed from biom file\n\n#OTU ID\tsoil\tsea\n"
                                "it is\t7\t9223372036854775807\nOtu001\t4\t0\nc\t0\t0\n",
                                names),
                     ST_OK);
    assert_int_equal(got.n_samples, 2);
    assert_int_equal(got.n, 3);
    assert_sample(0, "soil", (int64_t[]){0, 4, 7, 0, 0, 0});
    assert_sample(1, "sea", (int64_t[]){0, 0, INT64_MAX, 0, 0, 0});
    assert_int_equal(got.node[0], 1); /* ascending */
    assert_logged("table: 1 of 4 leaves of t.nwk have no line and count 0, the first is "
                  "node 6, ");
}

static void the_order_of_lines_does_not_matter(void **state)
{
    uint64_t digest;

    (void)state;
    assert_int_equal(read_table("n\ta\tb\nc\t1\t2\nOtu001\t3\t4\n", names), ST_OK);
    digest = arrays_digest(&leaf_counts_arrays, 0, &got);
    release(NULL);
    assert_int_equal(read_table("n\ta\tb\nOtu001\t3\t4\nc\t1\t2\n", names), ST_OK);
    assert_true(arrays_digest(&leaf_counts_arrays, 0, &got) == digest);
    release(NULL);
    assert_int_equal(read_table("n\ta\tB\nOtu001\t3\t4\nc\t1\t2\n", names), ST_OK);
    assert_true(arrays_digest(&leaf_counts_arrays, 0, &got) != digest);
}

static void two_columns_need_no_header(void **state)
{
    static const char *const texts[] = {"c\t5\n", "# reads\nc\t5\n", "#leaf\tall\nc\t5\n",
                                        "leaf\tall\nc\t5\n", "7\tall\nc\t5\n"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(read_table(texts[i], names), ST_OK);
        assert_int_equal(got.n_samples, 1);
        assert_sample(0, "all", (int64_t[]){0, 0, 0, 0, 5, 0});
        release(NULL);
    }
}

static void the_taxonomy_of_otu_tables_is_skipped(void **state)
{
    (void)state;
    assert_int_equal(read_table("#OTU ID\tsoil\ttaxonomy\nc\t5\tBacteria; Bacilli\n",
                                names),
                     ST_OK);
    assert_int_equal(got.n_samples, 1);
    assert_sample(0, "soil", (int64_t[]){0, 0, 0, 0, 5, 0});
}

static void leaves_without_names_have_ids(void **state)
{
    (void)state;
    assert_int_equal(read_table("2\t5\n3\t1\n5\t0\n6\t2\n", NULL), ST_OK);
    assert_logged_nothing();
    assert_sample(0, "all", (int64_t[]){0, 5, 1, 0, 0, 2});
}

static void assert_refused(const char *text, const char *reason)
{
    assert_int_equal(read_table(text, names), ST_EINPUT);
    assert_logged_one_line();
    assert_logged(reason);
}

static void malformed_tables_are_refused(void **state)
{
    (void)state;
    assert_refused("", "table:0: the file has no counts");
    assert_refused("# n\n\n", "table:2: the file has no counts");
    assert_refused("c\n", "table:1: expected a leaf and its counts");
    assert_refused("n\ta\nc\n", "table:2: expected a leaf and its counts");
    assert_refused("c\t1\nd\t1\n", "table:2: 'd' is no leaf of t.nwk");
    assert_refused("c\t1\nx\t1\n", "table:2: 'x' is no leaf of t.nwk");
    assert_refused("c\t1\n\t1\n", "table:2: '' is no leaf of t.nwk");
    assert_refused("d\t1\n", "table:1: 'd' is no leaf of t.nwk");
    assert_refused("c\t1\n\nc\t2\n", "table:3: 'c' has another line above");
    assert_refused("c\t-1\n", "table:1: '-1' is not a count");
    assert_refused("d\t-1\n", "table:1: 'd' is no leaf");
    assert_refused("c\t1.5\n", "table:1: '1.5' is not a count");
    assert_refused("c\t1e3\n", "table:1: '1e3' is not a count");
    assert_refused("c\tmany\n", "table:1: 'many' is not a count");
    assert_refused("c\t9223372036854775808\n", "'9223372036854775808' is not a count");
    assert_refused("c\t1\t2\n", "table:1: leaf 'c' has several counts, but no line");
    assert_refused("n\ta\ta\nc\t1\t2\n", "table:1: two columns are named 'a'");
    assert_refused("n\t\ta\nc\t1\t2\n", "table:1: a column has no name");
    assert_refused("n\ta\tb\nc\t1\n", "table:2: fewer fields than the header");
    assert_refused("n\ta\tb\nc\t1\t2\t3\n", "table:2: more fields than the header");
    assert_refused("n\ttaxonomy\nc\tBacteria\n", "table:2: 'Bacteria' is not a count");
}

static void a_sum_that_is_too_large_is_refused(void **state)
{
    (void)state;
    assert_refused("n\ta\tb\nc\t9\t9223372036854775807\nOtu001\t9\t0\nit is\t9\t1\n",
                   "table:4: the counts of 'b' add up to more than 9223372036854775807");
}

static void leaves_of_equal_names_are_refused(void **state)
{
    char *const equal[] = {"r", "a", "b", "x", "a", ""};

    (void)state;
    assert_int_equal(read_table("b\t1\n", equal), ST_EINPUT);
    assert_logged_one_line();
    assert_logged("t.nwk: nodes 2 and 5 are leaves named 'a', but ");
}

#define TEST(f) cmocka_unit_test_teardown(f, release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_header_names_the_samples),
        TEST(the_order_of_lines_does_not_matter),
        TEST(two_columns_need_no_header),
        TEST(the_taxonomy_of_otu_tables_is_skipped),
        TEST(leaves_without_names_have_ids),
        TEST(malformed_tables_are_refused),
        TEST(a_sum_that_is_too_large_is_refused),
        TEST(leaves_of_equal_names_are_refused),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
