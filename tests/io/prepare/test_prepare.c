/*
 * test_prepare.c - from records to sequences, sizes, members and samples.
 */
#include "tests/support/unit_test.h"

#include "io/prepare/prepare.h"

#include "tests/support/captured_log.h"
#include "tests/support/made_gene.h"
#include "tests/support/spelled_set.h"

static seq_files_t files; /* named in main, or of two files */
static prepared_t got;
static seqset_t *set;

static int free_results(void **state)
{
    (void)state;
    prepare_free(&got);
    seqset_destroy(set);
    set = NULL;
    return 0;
}

/* Prepare the set and capture the log. @param cuts  of each record, or NULL */
static status_t prepare_cut(prepare_opts_t opts, const primer_cut_t *cuts)
{
    status_t st;

    capture_start();
    st = prepare_set(&files, &opts, cuts, NULL, NULL, set, &got);
    capture_stop();
    return st;
}

static status_t prepare(prepare_opts_t opts)
{
    return prepare_cut(opts, NULL);
}

static void assert_sizes(const int64_t *want)
{
    for (int64_t i = 0; i < set->n; i++)
        assert_int_equal(got.size[i], want[i]);
}

static void assert_member(int64_t k, const char *name, int32_t sequence)
{
    assert_string_equal(got.members.name[k], name);
    assert_int_equal(got.members.sequence[k], sequence);
}

/* Check the counts of sequence i, as "soil 3 sea 4". */
static void assert_counts(int64_t i, const char *want)
{
    const pairs_samples_t *s = &got.samples;
    char text[256] = "";

    for (int64_t k = s->row_start[i]; k < s->row_start[i + 1]; k++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s %d",
                 text[0] != '\0' ? " " : "", s->name[s->sample[k]], (int)s->count[k]);
    assert_string_equal(text, want);
}

static void the_defaults_change_nothing(void **state)
{
    (void)state;
    set = spelled_set("a;size=3 ACGT b ACGT c N");
    assert_int_equal(prepare(prepare_defaults()), ST_OK);
    assert_logged_nothing();
    assert_spells(set, "a;size=3 ACGT b ACGT c N");
    assert_null(got.size);
    assert_int_equal(got.members.n, 0);
    assert_int_equal(got.samples.n, 0);
    assert_int_equal(got.n_records, 3);
}

static void dereplicated_records_are_members_of_their_sequence(void **state)
{
    prepare_opts_t opts = prepare_defaults();

    (void)state;
    set = spelled_set("a ACGT b GG c ACGT d GGG e ACGT");
    opts.derep = true;
    assert_int_equal(prepare(opts), ST_OK);
    assert_logged("in.fa: 5 records are 3 different sequences\n");
    assert_spells(set, "a ACGT b GG d GGG");
    assert_sizes((const int64_t[]){3, 1, 1});
    assert_int_equal(got.members.n, 5);
    assert_member(0, "a", 0);
    assert_member(1, "b", 1);
    assert_member(2, "c", 0);
    assert_member(3, "d", 2);
    assert_member(4, "e", 0);
}

/* b is too short and d has an ambiguity code: their sizes do not count. */
static void sizes_of_kept_records_add_up(void **state)
{
    prepare_opts_t opts = prepare_defaults();

    (void)state;
    set = spelled_set("a;size=5 ACGT b;size=7 GG c ACGT d;size=9 ACGN e;size=2 TTTT "
                      "f;size=11; ACGT");
    opts.derep = opts.labels.sizes = true;
    opts.filter = (seq_filter_t){3, 0, 0};
    assert_int_equal(prepare(opts), ST_OK);
    assert_logged("in.fa: 2 of 6 records dropped, 1 with fewer than 3 bases, 1 with more "
                  "than 0 ambiguity codes\n");
    assert_logged("in.fa: 4 records are 2 different sequences\n");
    assert_spells(set, "a ACGT e TTTT");
    assert_int_equal(got.record[0], 0);
    assert_int_equal(got.record[1], 4);
    assert_sizes((const int64_t[]){5 + 1 + 11, 2});
    assert_int_equal(got.members.n, 4);
    assert_member(3, "f", 0);
    assert_int_equal(got.dropped.n_short, 1);
    assert_int_equal(got.dropped.n_ambig, 1);
}

static void sizes_do_not_require_dereplication(void **state)
{
    prepare_opts_t opts = prepare_defaults();

    (void)state;
    set = spelled_set("a;size=5 ACGT b;size=7 AA c ACGT");
    opts.labels.sizes = true;
    opts.filter.min_length = 3;
    assert_int_equal(prepare(opts), ST_OK);
    assert_spells(set, "a ACGT c ACGT");
    assert_sizes((const int64_t[]){5, 1});
    assert_int_equal(got.members.n, 0);
}

static void counts_by_sample_add_up(void **state)
{
    static const char table[] = "Representative_Sequence\ttotal\tsoil\tsea\tlake\n"
                                "a\t10\t4\t6\t0\nb\t3\t3\t0\t0\nc\t7\t0\t2\t5\n"
                                "d\t1\t0\t0\t1\n";
    prepare_opts_t opts = prepare_defaults();
    char path[PATH_BYTES];

    (void)state;
    dir_file("counts", path);
    dir_put(path, table, strlen(table));
    set = spelled_set("a ACGT b GG c ACGT d TTTT");
    opts.derep = true;
    opts.count_table = path;
    opts.filter.min_length = 3;
    assert_int_equal(prepare(opts), ST_OK);
    unlink(path);
    assert_spells(set, "a ACGT d TTTT");
    assert_sizes((const int64_t[]){17, 1});
    assert_int_equal(got.samples.n, 3);
    assert_int_equal(got.samples.row_start[2], 4);
    assert_counts(0, "soil 4 sea 8 lake 5");
    assert_counts(1, "lake 1");
}

/* Of two files, with sizes: the sequences of b and d are those of a. */
static void equal_sequences_have_counts_in_the_samples_of_their_files(void **state)
{
    const seq_files_t named = files;
    char soil[] = "soil", sea[] = "sea", *samples[] = {soil, sea};
    int64_t first[] = {0, 3, 5};
    prepare_opts_t opts = prepare_defaults();

    (void)state;
    opts.derep = opts.labels.sizes = true;
    opts.filter.min_length = 3;
    files =
        (seq_files_t){.n = 2, .samples = samples, .first = first, .label = named.label};
    set = spelled_set("a;size=2 ACGT b ACGT c;size=9 AC d;size=4 ACGT e GGGG");
    assert_int_equal(prepare(opts), ST_OK);
    files = named;
    assert_logged("in.fa: 5 records of 2 samples: soil, sea\n");
    assert_spells(set, "a ACGT e GGGG");
    assert_sizes((int64_t[]){7, 1});
    assert_counts(0, "soil 3 sea 4");
    assert_counts(1, "sea 1");
}

static void unused_samples_in_names_cause_a_warning(void **state)
{
    prepare_opts_t opts = prepare_defaults();

    (void)state;
    opts.derep = true;
    set = spelled_set("a;sample=soil ACGT b ACGT");
    assert_int_equal(prepare(opts), ST_OK);
    assert_logged("such as 'a;sample=soil'; use them with --samplein");
    assert_int_equal(got.samples.n, 0);
}

static void unused_sizes_in_names_cause_a_warning(void **state)
{
    prepare_opts_t opts = prepare_defaults();

    (void)state;
    set = spelled_set("a;size=5 ACGT b;size=7 AA");
    opts.derep = true;
    assert_int_equal(prepare(opts), ST_OK);
    assert_logged("such as 'a;size=5'; use them with --sizein");
    assert_sizes((const int64_t[]){1, 1});
    assert_spells(set, "a;size=5 ACGT b;size=7 AA");
}

/* Five genes a to e and a copy f of b; b, c, d and e are reverse-complemented. */
static void make_reversed(void)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    static const uint64_t seeds[] = {1, 2, 3, 4, 5, 2};
    const motif_t motifs[] = {made_515, made_787, made_1099};
    seqset_builder_t builder = {0};

    for (int i = 0; i < 6; i++) {
        rng_t rng = rng_seed(seeds[i]);

        made_gene_add(&builder, &rng, names[i], motifs, 3);
    }
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    for (int64_t i = 1; i < 5; i++)
        orient_reverse_complement(set, i);
}

static void reverse_complemented_records_are_listed(void **state)
{
    seqset_t *before;

    (void)state;
    make_reversed();
    before = set;
    make_reversed();
    assert_int_equal(prepare(prepare_defaults()), ST_OK);
    assert_logged_one_line();
    assert_logged(
        "in.fa: 4 of 6 records look reverse-complemented; use --orient to orient "
        "them: b, c, d and 1 more\n");
    assert_int_equal(got.n_reverse, 4);
    assert_int_equal(got.n_unknown, 0);
    assert_int_equal(seqset_digest(set), seqset_digest(before));
    seqset_destroy(before);
}

static void with_both_strands_reversed_records_are_only_counted(void **state)
{
    prepare_opts_t opts = prepare_defaults();

    (void)state;
    make_reversed();
    opts.both_strands = true;
    assert_int_equal(prepare(opts), ST_OK);
    assert_logged_nothing();
    assert_int_equal(got.n_reverse, 4);
}

static void records_are_dereplicated_after_orientation(void **state)
{
    prepare_opts_t opts = prepare_defaults();

    (void)state;
    make_reversed();
    opts.derep = opts.orient = true;
    assert_int_equal(prepare(opts), ST_OK);
    assert_logged("4 of 6 records were reverse-complemented and have been oriented: "
                  "b, c, d and 1 more\n");
    assert_logged("6 records are 5 different sequences");
    assert_member(5, "f", 1);
    assert_sizes((const int64_t[]){1, 2, 1, 1, 1});
}

static void records_of_unknown_strand_are_counted(void **state)
{
    prepare_opts_t opts = prepare_defaults();

    (void)state;
    set = spelled_set("a ACGT b GG");
    opts.orient = true;
    assert_int_equal(prepare(opts), ST_OK);
    assert_logged_one_line();
    assert_logged("the strand of 2 of 2 records is unknown");
    assert_spells(set, "a ACGT b GG");
}

/* The gene ends with GGGGTT; b has no primer, c a short region, d is a's complement. */
static void primers_are_cut_before_the_filter_and_sizes_follow(void **state)
{
    const primer_cut_t cuts[] = {{.begin = 6, .end = 10},
                                 {0},
                                 {.begin = 6, .end = 7},
                                 {.begin = 6, .end = 10, .is_reversed = true}};
    prepare_opts_t opts = prepare_defaults();

    (void)state;
    set = spelled_set("a;size=3 ACGTCATTTTGGGGTT b;size=5 TTTT c;size=2 ACGTCATGGGGTT "
                      "d;size=7 AACCCCAAAATGACGT");
    opts.primers.text = "ACGTCA/AACCCC";
    opts.primers.max_mismatches = 0;
    opts.filter.min_length = 2;
    opts.labels.sizes = opts.derep = true;
    assert_int_equal(prepare_cut(opts, cuts), ST_OK);
    assert_spells(set, "a TTTT");
    assert_int_equal(got.n_records, 4);
    assert_logged("in.fa: 3 of 4 records have both primers of ACGTCA/AACCCC");
    assert_logged("in.fa: 1 of 3 records dropped, 1 with fewer than 2 bases");
    assert_sizes((const int64_t[]){10});
    assert_member(0, "a", 0);
    assert_member(1, "d", 0);
    assert_int_equal(got.record[0], 0);
}

static void options_that_contradict_each_other_are_refused(void **state)
{
    prepare_opts_t opts = prepare_defaults();

    (void)state;
    assert_null(prepare_misuse(&opts));
    opts.filter.min_length = opts.filter.max_length = 5;
    assert_null(prepare_misuse(&opts));
    opts.filter.min_length = 6;
    assert_non_null(prepare_misuse(&opts));
    opts = prepare_defaults();
    opts.labels.sizes = true;
    opts.samples = "x";
    set = spelled_set("a ACGT");
    assert_int_equal(prepare(opts), ST_EUSAGE);
    assert_logged_one_line();
    opts.labels.sizes = false;
    assert_null(prepare_misuse(&opts));
    opts.count_table = "x";
    assert_non_null(prepare_misuse(&opts));
}

static int64_t sum(const int64_t *values, int64_t n)
{
    int64_t total = 0;

    for (int64_t i = 0; i < n; i++)
        total += values[i];
    return total;
}

/* Record i is named i, with a size of i % 7 + 1: 1 in sample i % 3 and the rest in
 * sample 3. Its sequence is a random word of 1 to 5 bases. */
static void every_record_is_a_member_and_no_count_is_lost(void **state)
{
    enum { N = 500 };
    prepare_opts_t opts = prepare_defaults();
    seqset_builder_t builder = {0};
    char path[PATH_BYTES], name[16], records[N][8];
    int64_t want_sample[4] = {0}, sample[4] = {0};
    rng_t rng = rng_seed(1);
    buf_t table = {0};

    (void)state;
    for (int i = 0; i < N; i++) {
        size_t len = 1 + rng_below(&rng, 5);

        for (size_t k = 0; k < len; k++)
            records[i][k] = (char)(1 << rng_below(&rng, 4));
        records[i][len] = '\0';
        snprintf(name, sizeof(name), "%d", i);
        assert_int_equal(seqset_builder_add(&builder, name, strlen(name),
                                            (const uint8_t *)records[i], len),
                         ST_OK);
        assert_int_equal(buf_printf(&table, "%d\ts%d\n", i, i % 3), ST_OK);
        if (i % 7 > 0)
            assert_int_equal(buf_printf(&table, "%d\ts3\t%d\n", i, i % 7), ST_OK);
        want_sample[i % 3]++;
        want_sample[3] += i % 7;
    }
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    dir_file("samples", path);
    dir_put(path, table.data, table.len);
    buf_free(&table);
    opts.derep = true;
    opts.samples = path;
    assert_int_equal(prepare(opts), ST_OK);
    unlink(path);
    assert_int_equal(got.members.n, N);
    for (int i = 0; i < N; i++) {
        int32_t s = got.members.sequence[i];

        snprintf(name, sizeof(name), "%d", i);
        assert_string_equal(got.members.name[i], name);
        assert_int_equal(seqset_len(set, s), strlen(records[i]));
        assert_memory_equal(seqset_letters(set, s), records[i], strlen(records[i]));
    }
    assert_int_equal(sum(got.size, set->n), N + want_sample[3]);
    for (int64_t i = 0; i < set->n; i++) {
        int64_t first = got.samples.row_start[i],
                n = got.samples.row_start[i + 1] - first;

        assert_int_equal(sum(got.samples.count + first, n), got.size[i]);
        for (int64_t k = first; k < first + n; k++) {
            assert_true(k == first || got.samples.sample[k - 1] < got.samples.sample[k]);
            sample[got.samples.name[got.samples.sample[k]][1] - '0'] +=
                got.samples.count[k];
        }
    }
    assert_memory_equal(sample, want_sample, sizeof(sample));
}

static void different_sizes_and_members_have_different_digests(void **state)
{
    prepare_opts_t opts = prepare_defaults();
    uint64_t digest[3];

    (void)state;
    opts.labels.sizes = true;
    for (int k = 0; k < 3; k++) {
        set = spelled_set(k == 1 ? "a;size=3 A b;size=1 C" : "a;size=3 A b;size=2 C");
        opts.derep = k == 2;
        assert_int_equal(prepare(opts), ST_OK);
        digest[k] = prepare_digest(&got, set->n);
        assert_int_equal(prepare_digest(&got, set->n), digest[k]);
        free_results(NULL);
    }
    assert_int_not_equal(digest[0], digest[1]);
    assert_int_not_equal(digest[0], digest[2]);
}

#define TEST(f) cmocka_unit_test_teardown(f, free_results)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_defaults_change_nothing),
        TEST(dereplicated_records_are_members_of_their_sequence),
        TEST(sizes_of_kept_records_add_up),
        TEST(sizes_do_not_require_dereplication),
        TEST(counts_by_sample_add_up),
        TEST(equal_sequences_have_counts_in_the_samples_of_their_files),
        TEST(unused_samples_in_names_cause_a_warning),
        TEST(unused_sizes_in_names_cause_a_warning),
        TEST(reverse_complemented_records_are_listed),
        TEST(with_both_strands_reversed_records_are_only_counted),
        TEST(records_are_dereplicated_after_orientation),
        TEST(records_of_unknown_strand_are_counted),
        TEST(primers_are_cut_before_the_filter_and_sizes_follow),
        TEST(options_that_contradict_each_other_are_refused),
        TEST(every_record_is_a_member_and_no_count_is_lost),
        TEST(different_sizes_and_members_have_different_digests),
    };

    files = seq_files_named("in.fa");
    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
