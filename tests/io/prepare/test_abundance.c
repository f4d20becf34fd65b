/*
 * test_abundance.c - abundances from names, count_tables and tables of samples.
 */
#include "tests/support/unit_test.h"

#include "io/prepare/abundance.h"

#include "tests/support/captured_log.h"
#include "tests/support/spelled_set.h"

typedef status_t (*read_table_t)(const char *, const seq_files_t *, const seqset_t *,
                                 abundance_t *);

static const abundance_labels_t sizes = {.sizes = true};

static seq_files_t files;
static abundance_t got;

static int free_result(void **state)
{
    (void)state;
    abundance_free(&got);
    return 0;
}

/* Read a table for records a, b and c into `got`, and capture the log. */
static status_t read_table(read_table_t read, const char *text)
{
    seqset_t *set = spelled_set("a ACGT b ACG c AC");
    char path[PATH_BYTES];
    status_t st;

    free_result(NULL);
    dir_file("table", path);
    dir_put(path, text, strlen(text));
    capture_start();
    st = read(path, &files, set, &got);
    capture_stop();
    unlink(path);
    seqset_destroy(set);
    return st;
}

static void assert_refused(read_table_t read, const char *text, const char *line)
{
    assert_int_equal(read_table(read, text), ST_EINPUT);
    assert_logged_one_line();
    assert_logged(line);
    assert_null(got.size);
}

static void assert_sizes(int64_t a, int64_t b, int64_t c)
{
    assert_int_equal(got.size[0], a);
    assert_int_equal(got.size[1], b);
    assert_int_equal(got.size[2], c);
}

/* Check that there are n counts after merging, and that count k is (row, sample, count).
 */
static void assert_count(int64_t k, int64_t n, int32_t row, const char *sample,
                         int64_t count)
{
    abundance_count_t c;

    abundance_merge(&got.counts);
    assert_int_equal(got.counts.len, (size_t)n * sizeof(c));
    memcpy(&c, got.counts.data + (size_t)k * sizeof(c), sizeof(c));
    assert_int_equal(c.row, row);
    assert_string_equal(name_table_at(&got.samples, c.sample), sample);
    assert_int_equal(c.count, count);
}

static void sizes_are_read_and_cut_out_of_names(void **state)
{
    static const int64_t want[] = {12, 3, 7, 1, 1, 1, 9, 2};
    seqset_t *set = spelled_set("a;size=12 A b;size=3; A c;size=7;ee=0.1 A d A "
                                "esize=4 A f;size=x A size=9;g A h;resize=5;size=2 A");

    (void)state;
    assert_true(abundance_labels("a;size=12").sizes);
    assert_false(abundance_labels("esize=4").sizes);
    assert_int_equal(abundance_from_names(&files, sizes, set, &got), ST_OK);
    assert_memory_equal(got.size, want, sizeof(want));
    assert_spells(set, "a A b A c;ee=0.1 A d A esize=4 A f;size=x A g A h;resize=5 A");
    assert_int_equal(got.samples.n, 0);
    seqset_destroy(set);
}

/* Names with blanks: whole headers. */
static void sizes_are_found_in_whole_headers(void **state)
{
    static const char *const names[][2] = {{"a;size=12 from soil", "a from soil"},
                                           {"b;size=3; x", "b x"},
                                           {"c d;size=7", "c d"},
                                           {"size=9;  e f", "e f"},
                                           {"size=2 g", "g"},
                                           {"h size=5", "h size=5"}};
    static const int64_t want[] = {12, 3, 7, 9, 2, 1};
    seqset_builder_t builder = {0};
    seqset_t *set;
    uint8_t code = 1;

    (void)state;
    for (int i = 0; i < 6; i++)
        assert_int_equal(seqset_builder_add(&builder, names[i][0], strlen(names[i][0]),
                                            &code, 1),
                         ST_OK);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    assert_int_equal(abundance_from_names(&files, sizes, set, &got), ST_OK);
    assert_memory_equal(got.size, want, sizeof(want));
    for (int i = 0; i < 6; i++)
        assert_string_equal(seqset_name(set, i), names[i][1]);
    seqset_destroy(set);
}

static void names_without_any_size_are_reported(void **state)
{
    seqset_t *set = spelled_set("a A b;size=x A");

    (void)state;
    capture_start();
    assert_int_equal(abundance_from_names(&files, sizes, set, &got), ST_OK);
    capture_stop();
    assert_logged_one_line();
    assert_logged("in.fa: no name has ';size=N'");
    assert_int_equal(got.size[1], 1);
    seqset_destroy(set);
}

static void sizes_of_zero_or_above_the_limit_are_refused(void **state)
{
    static const char *const bad[] = {"a;size=0", "a;size=4294967296",
                                      "a;size=99999999999999999999", "size=3;"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char text[64];
        seqset_t *set;

        snprintf(text, sizeof(text), "ok;size=4294967295 A %s A", bad[i]);
        set = spelled_set(text);
        capture_start();
        assert_int_equal(abundance_from_names(&files, sizes, set, &got), ST_EINPUT);
        capture_stop();
        assert_logged_one_line();
        assert_logged("in.fa: record 2 '");
        seqset_destroy(set);
    }
}

static void a_count_table_has_totals_and_groups(void **state)
{
    (void)state;
    assert_int_equal(read_table(abundance_from_count_table,
                                "Representative_Sequence\ttotal\tsoil\tsea\t\n"
                                "b\t10\t4\t6\n"
                                "a\t3\t0\t3\n"
                                "c\t1\t1\t0\n"),
                     ST_OK);
    assert_logged_nothing();
    assert_sizes(3, 10, 1);
    assert_int_equal(got.samples.n, 2);
    assert_count(0, 4, 0, "sea", 3);
    assert_count(1, 4, 1, "soil", 4);
    assert_count(2, 4, 1, "sea", 6);
    assert_count(3, 4, 2, "soil", 1);
}

static void a_compressed_count_table_gives_the_same(void **state)
{
    (void)state;
    assert_int_equal(
        read_table(abundance_from_count_table,
                   "#Compressed Format: groupIndex,abundance. For example 1,6 ...\n"
                   "#1,soil\t2,sea\t\n"
                   "Representative_Sequence\ttotal\tsoil\tsea\n"
                   "b\t10\t1,4\t2,6\na\t3\t2,3\nc\t1\t1,1\n"),
        ST_OK);
    assert_sizes(3, 10, 1);
    assert_count(0, 4, 0, "sea", 3);
    assert_count(2, 4, 1, "sea", 6);
}

static void a_count_table_without_groups_has_no_samples(void **state)
{
    (void)state;
    assert_int_equal(read_table(abundance_from_count_table,
                                "Representative_Sequence\ttotal\na\t3\nb\t1\nc\t2\n"),
                     ST_OK);
    assert_sizes(3, 1, 2);
    assert_int_equal(got.samples.n, 0);
    assert_int_equal(got.counts.len, 0);
}

#define HEADER "Representative_Sequence\ttotal\tsoil\tsea\n"

static void malformed_count_tables_are_refused(void **state)
{
    read_table_t read = abundance_from_count_table;

    (void)state;
    assert_refused(read, "", "table:0: the file ends before the header");
    assert_refused(read, "name\tn\na\t3\n", "table:1: a count_table of mothur starts");
    assert_refused(read, "Representative_Sequence\ttotal\tx\tx\n",
                   "two columns are named");
    assert_refused(read, HEADER "a\n", "table:2: expected a name and its total");
    assert_refused(read, HEADER "a\t0\t0\t0\n", "table:2: '0' is not a count");
    assert_refused(read, HEADER "a\t3\t-1\t4\n", "'-1' is not a count");
    assert_refused(read, HEADER "a\t3\t1.5\t1.5\n", "'1.5' is not a count");
    assert_refused(read, HEADER "a\t4294967296\t1\t1\n", "'4294967296' is not a count");
    assert_refused(read, HEADER "a\t3\t1\t1\n", "add up to 2, but the total is 3");
    assert_refused(read, HEADER "a\t3\t3\n", "fewer fields");
    assert_refused(read, HEADER "a\t3\t1\t1\t1\n", "more fields");
    assert_refused(read, HEADER "a\t3\t1\t2\na\t3\t1\t2\n", "'a' has another line above");
    assert_refused(read, "#Compressed\n" HEADER "a\t3\t3\n",
                   "not of the form group,count");
    assert_refused(read, "#Compressed\n" HEADER "a\t3\t3,3\n", "the header has 2");
}

static void a_record_without_a_line_is_refused(void **state)
{
    (void)state;
    assert_refused(abundance_from_count_table, HEADER "b\t3\t1\t2\n",
                   "table: 2 of 3 records of in.fa have no count here, the first is 'a'");
}

static void lines_without_a_record_are_reported_and_ignored(void **state)
{
    (void)state;
    assert_int_equal(read_table(abundance_from_count_table,
                                HEADER "a\t1\t1\t0\nx\t5\t5\t0\ny\t5\t5\t0\n"
                                       "b\t1\t1\t0\nc\t1\t0\t1\n"),
                     ST_OK);
    assert_logged_one_line();
    assert_logged("2 lines match no record of in.fa, the first is line 3");
    assert_sizes(1, 1, 1);
    assert_count(2, 3, 2, "sea", 1);
}

static void samples_come_with_or_without_counts_and_add_up(void **state)
{
    (void)state;
    assert_int_equal(read_table(abundance_from_samples,
                                "# name\tsample\tcount\n\n"
                                "c\tsea\na\tsoil\t2\n"
                                "a\tsea\t7\na\tsoil\r\nb\tsoil\n"),
                     ST_OK);
    assert_logged_nothing();
    assert_sizes(2 + 7 + 1, 1, 1);
    assert_int_equal(got.samples.n, 2);
    assert_count(0, 4, 0, "sea", 7);
    assert_count(1, 4, 0, "soil", 2 + 1);
    assert_count(2, 4, 1, "soil", 1);
    assert_count(3, 4, 2, "sea", 1);
}

static void malformed_tables_of_samples_are_refused(void **state)
{
    read_table_t read = abundance_from_samples;

    (void)state;
    assert_refused(read, "a\n", "table:1: expected record name, sample");
    assert_refused(read, "\tsoil\n", "table:1: expected record name, sample");
    assert_refused(read, "a\t\t3\n", "table:1: expected record name, sample");
    assert_refused(read, "a\tsoil\t3\tx\n", "table:1: expected record name, sample");
    assert_refused(read, "a\tsoil\t0\n", "'0' is not a count");
    assert_refused(read, "name\tsample\tcount\n", "'count' is not a count");
    assert_refused(read, "a\tsoil\n", "2 of 3 records of in.fa have no count here");
}

static void samples_are_read_and_cut_out_of_names(void **state)
{
    static const abundance_labels_t both = {.sizes = true, .samples = true};
    static const int64_t want[] = {3, 1, 2, 1};
    seqset_t *set = spelled_set("a;sample=soil;size=3 A sample=deep_sea;b A "
                                "c;size=2;sample=soil; A d;ee=1;sample=x=y;z A");

    (void)state;
    assert_true(abundance_labels("a;sample=soil").samples);
    assert_false(abundance_labels("a;sample=").samples);
    assert_false(abundance_labels("asample=soil").samples);
    assert_int_equal(abundance_from_names(&files, both, set, &got), ST_OK);
    assert_memory_equal(got.size, want, sizeof(want));
    assert_spells(set, "a A b A c A d;ee=1;z A");
    assert_count(0, 4, 0, "soil", 3);
    assert_count(1, 4, 1, "deep_sea", 1);
    assert_count(2, 4, 2, "soil", 2);
    assert_count(3, 4, 3, "x=y", 1);
    seqset_destroy(set);
}

/* Record 3 of the set is the second one of its file. */
static void a_record_without_a_sample_is_refused_by_its_file(void **state)
{
    static const abundance_labels_t labels = {.samples = true};
    static const char *const bad[][2] = {
        {"a;sample=s A b;sample=s A c;sample=t A d A",
         "two.fa: record 2 'd' has no ';sample=NAME'"},
        {"a;sample=s A sample=s A",
         "in.fa: record 2 'sample=s' has a label but no name"}};
    char in[] = "in.fa", two[] = "two.fa", *paths[] = {in, two};
    int64_t first[] = {0, 2, 4};
    const seq_files_t several = {.n = 2, .paths = paths, .first = first};

    (void)state;
    for (int i = 0; i < 2; i++) {
        seqset_t *set = spelled_set(bad[i][0]);

        capture_start();
        assert_int_equal(abundance_from_names(&several, labels, set, &got), ST_EINPUT);
        capture_stop();
        assert_logged_one_line();
        assert_logged(bad[i][1]);
        assert_null(got.size);
        seqset_destroy(set);
    }
}

/* The second file has no records, and the third one is of the first sample. */
static void records_are_of_the_samples_of_their_files(void **state)
{
    static const abundance_labels_t none = {.sizes = false};
    char soil[] = "soil", sea[] = "sea", *samples[] = {soil, sea, soil};
    int64_t first[] = {0, 2, 2, 3};
    const seq_files_t several = {.n = 3, .samples = samples, .first = first};
    seqset_t *set = spelled_set("a;size=2 A b A c A");

    (void)state;
    assert_int_equal(abundance_from_names(&several, none, set, &got), ST_OK);
    assert_spells(set, "a;size=2 A b A c A");
    assert_sizes(1, 1, 1);
    assert_int_equal(got.samples.n, 2);
    assert_string_equal(name_table_at(&got.samples, 1), "sea");
    for (int i = 0; i < 3; i++)
        assert_count(i, 3, i, "soil", 1);
    seqset_destroy(set);
}

static void duplicate_record_names_are_refused(void **state)
{
    seqset_t *set = spelled_set("a ACGT b ACG a AC");
    char path[PATH_BYTES];

    (void)state;
    dir_file("table", path);
    dir_put(path, "a\tsoil\n", 7);
    capture_start();
    assert_int_equal(abundance_from_samples(path, &files, set, &got), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("in.fa: records 1 and 3 are both named 'a'");
    unlink(path);
    seqset_destroy(set);
}

#define TEST(f) cmocka_unit_test_teardown(f, free_result)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sizes_are_read_and_cut_out_of_names),
        TEST(sizes_are_found_in_whole_headers),
        TEST(names_without_any_size_are_reported),
        TEST(sizes_of_zero_or_above_the_limit_are_refused),
        TEST(samples_are_read_and_cut_out_of_names),
        TEST(a_record_without_a_sample_is_refused_by_its_file),
        TEST(records_are_of_the_samples_of_their_files),
        TEST(a_count_table_has_totals_and_groups),
        TEST(a_compressed_count_table_gives_the_same),
        TEST(a_count_table_without_groups_has_no_samples),
        TEST(malformed_count_tables_are_refused),
        TEST(a_record_without_a_line_is_refused),
        TEST(lines_without_a_record_are_reported_and_ignored),
        TEST(samples_come_with_or_without_counts_and_add_up),
        TEST(malformed_tables_of_samples_are_refused),
        TEST(duplicate_record_names_are_refused),
    };

    files = seq_files_named("in.fa");
    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
