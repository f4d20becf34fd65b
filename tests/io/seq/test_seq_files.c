/*
 * test_seq_files.c - files of a command line or a manifest, their samples, and reading
 * several of them into one set.
 */
#include "tests/support/unit_test.h"

#include "io/seq/fasta.h"
#include "io/seq/seq_files.h"

#include "tests/support/captured_log.h"
#include "tests/support/spelled_set.h"

static seq_files_t files;
static seqset_t *set;

static int free_results(void **state)
{
    (void)state;
    seq_files_free(&files);
    seqset_destroy(set);
    set = NULL;
    return 0;
}

static status_t list(const seq_inputs_t *inputs)
{
    status_t st;

    free_results(NULL);
    capture_start();
    st = seq_files_list(inputs, &files);
    capture_stop();
    return st;
}

static void assert_sample(const char *path, const char *want)
{
    const char *const paths[] = {"other.fa", path};

    assert_int_equal(list(&(seq_inputs_t){.paths = paths, .n = 2}), ST_OK);
    assert_string_equal(files.samples[1], want);
}

static void one_file_is_no_sample(void **state)
{
    const char *const path = "-";

    (void)state;
    assert_int_equal(list(&(seq_inputs_t){.paths = &path, .n = 1}), ST_OK);
    assert_null(files.samples);
    assert_string_equal(files.label, "stdin");
}

static void several_files_are_samples_named_after_them(void **state)
{
    (void)state;
    assert_sample("reads/S1.trimmed.fastq.gz", "S1.trimmed");
    assert_string_equal(files.label, "other.fa and 1 other file");
    assert_sample("./a b.fq", "a b");
    assert_sample("x.fasta.zst", "x");
    assert_sample("x.fna.txt", "x.fna.txt");
    assert_sample(".fa", ".fa");
    assert_sample("-", "stdin");
    assert_sample("caf\xe9.fa", "caf\\xe9");
}

static void files_that_follow_others_are_samples(void **state)
{
    const char *const path = "reads/tuesday.fa";
    char *earlier = seq_files_sample("reads/monday.fa.gz"), *other;

    (void)state;
    assert_int_equal(list(&(seq_inputs_t){.paths = &path, .n = 1, .follow = true}),
                     ST_OK);
    assert_string_equal(files.samples[0], "tuesday");
    assert_string_equal(files.label, path);
    assert_string_equal(earlier, "monday");
    other = seq_files_sample("stdin"); /* as /run has it */
    assert_string_equal(other, "stdin");
    free(earlier);
    free(other);
}

static void two_files_of_one_name_are_refused(void **state)
{
    const char *paths[] = {"a/x.fa", "y.fa", "b/x.fq.gz"};

    (void)state;
    assert_int_equal(list(&(seq_inputs_t){.paths = paths, .n = 3}), ST_EINPUT);
    assert_logged_one_line();
    assert_logged("a/x.fa and b/x.fq.gz would both be the sample 'x'");
    assert_null(files.paths);
    paths[2] = paths[0];
    assert_int_equal(list(&(seq_inputs_t){.paths = paths, .n = 3}), ST_EINPUT);
    assert_logged("a/x.fa is given twice");
}

static void files_and_manifests_exclude_each_other(void **state)
{
    const char *const path = "a.fa";

    (void)state;
    assert_null(seq_inputs_misuse(&(seq_inputs_t){.paths = &path, .n = 1}));
    assert_null(seq_inputs_misuse(&(seq_inputs_t){.manifest = path}));
    assert_non_null(seq_inputs_misuse(&(seq_inputs_t){.n = 0}));
    assert_non_null(
        seq_inputs_misuse(&(seq_inputs_t){.paths = &path, .n = 1, .manifest = path}));
}

/* ---- manifests ---- */

static status_t read_manifest(const char *text)
{
    char path[PATH_BYTES];
    status_t st;

    dir_file("manifest", path);
    dir_put(path, text, strlen(text));
    st = list(&(seq_inputs_t){.manifest = path});
    unlink(path);
    return st;
}

static void a_manifest_lists_samples_and_files(void **state)
{
    (void)state;
    assert_int_equal(read_manifest("# mine\ngut\ta.fq\n\ndeep sea\tb.fq\ngut\tc.fq\n"),
                     ST_OK);
    assert_int_equal(files.n, 3);
    assert_string_equal(files.paths[2], "c.fq");
    assert_string_equal(files.samples[1], "deep sea");
    assert_string_equal(files.samples[2], "gut");
    assert_int_equal(read_manifest("sample-id\tabsolute-filepath\ngut\t/a.fq\n"), ST_OK);
    assert_int_equal(files.n, 1);
    assert_string_equal(files.samples[0], "gut");
}

static void malformed_manifests_are_refused(void **state)
{
    static const char *const bad[][2] = {
        {"", "no file is listed"},
        {"sample-id\tabsolute-filepath\n", "no file is listed"},
        {"gut a.fq\n", "manifest:1: expected a sample and a file"},
        {"gut\ta.fq\tforward\n", "manifest:1: expected a sample and a file"},
        {"gut\ta.fq\nsoil\ta.fq\n", "manifest:2: a.fq is listed twice"},
        {"sample-id\tforward-absolute-filepath\treverse-absolute-filepath\n",
         "manifest:1: the files are pairs of reads; merge them first"}};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(read_manifest(bad[i][0]), ST_EINPUT);
        assert_logged_one_line();
        assert_logged(bad[i][1]);
        assert_null(files.paths);
    }
}

/* ---- reading ---- */

enum { MADE_MAX = 3 };

/* Read n files with these contents. */
static status_t read_made(const char *const *texts, int n)
{
    const fasta_opts_t opts = {.alphabet = ALPHABET_AUTO};
    static char paths[MADE_MAX][PATH_BYTES];
    const char *const at[] = {paths[0], paths[1], paths[2]};
    status_t st;

    for (int i = 0; i < n; i++) {
        char name[] = "0.fa";

        name[0] = (char)('0' + i);
        dir_file(name, paths[i]);
        dir_put(paths[i], texts[i], strlen(texts[i]));
    }
    assert_int_equal(list(&(seq_inputs_t){.paths = at, .n = n}), ST_OK);
    capture_start();
    st = fasta_read_files(&files, &opts, NULL, NULL, &set);
    capture_stop();
    for (int i = 0; i < n; i++)
        unlink(paths[i]);
    return st;
}

static void records_follow_each_other_in_the_order_of_their_files(void **state)
{
    static const char *const texts[] = {">a\nAC\n>b\nGT", "", "@c\nTT\n+\nII\n"};
    int64_t in_file;

    (void)state;
    assert_int_equal(read_made(texts, 3), ST_OK);
    assert_spells(set, "a AC b GT c TT");
    assert_logged("0.fa and 2 other files: 1 of them FASTQ, whose qualities are dropped");
    assert_int_equal(files.first[1], 2);
    assert_int_equal(files.first[2], 2);
    assert_int_equal(files.first[3], 3);
    assert_non_null(strstr(seq_files_find(&files, 1, &in_file), "/0.fa"));
    assert_int_equal(in_file, 1);
    assert_non_null(strstr(seq_files_find(&files, 2, &in_file), "/2.fa"));
    assert_int_equal(in_file, 0);
}

static void names_that_come_again_in_another_file_are_reported_once(void **state)
{
    static const char *const texts[] = {">a\nAC\n>b\nAC\n", ">a\nAC\n>b\nAC\n"};

    (void)state;
    assert_int_equal(read_made(texts, 2), ST_OK);
    assert_logged_one_line();
    assert_logged("2 records have a name that occurred before, the first is 'a'");
}

static void a_bad_record_is_refused_by_its_file(void **state)
{
    static const char *const texts[] = {">a\nAC\n", ">b\nAC\n>c\nA!C\n"};

    (void)state;
    assert_int_equal(read_made(texts, 2), ST_EINPUT);
    assert_logged_one_line();
    assert_logged("1.fa:4: record 2 'c': '!' is not");
}

static void files_of_both_alphabets_are_refused(void **state)
{
    static const char *const texts[] = {">a\nACGTACGTAC\n", ">p\nMKVLATTWWQ\n"};
    static const char *const turned[] = {">p\nMKVLATTWWQ\n", ">a\nACGTACGTAC\n"};

    (void)state;
    assert_int_equal(read_made(texts, 2), ST_EINPUT);
    assert_logged("1.fa holds protein sequences, but");
    assert_int_equal(read_made(turned, 2), ST_EINPUT);
    assert_logged("1.fa holds nucleotide sequences, but");
}

#define TEST(f) cmocka_unit_test_teardown(f, free_results)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_file_is_no_sample),
        TEST(several_files_are_samples_named_after_them),
        TEST(files_that_follow_others_are_samples),
        TEST(two_files_of_one_name_are_refused),
        TEST(files_and_manifests_exclude_each_other),
        TEST(a_manifest_lists_samples_and_files),
        TEST(malformed_manifests_are_refused),
        TEST(records_follow_each_other_in_the_order_of_their_files),
        TEST(names_that_come_again_in_another_file_are_reported_once),
        TEST(a_bad_record_is_refused_by_its_file),
        TEST(files_of_both_alphabets_are_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
