/*
 * test_ribogrid_api.c - the functions of ribogrid.h, and what they do with bad arguments.
 */
#include "tests/support/unit_test.h"

#include "tests/library/library_case.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 4 for a match, -5 for a mismatch, -7 for a gap; ends are free. */
static void all_pairs_have_scores_identities_and_alignments(void **state)
{
    rg_context_t *context = new_context(2);
    rg_set_t *set = new_set(context, "ACGTACGTAC ACGTACGAAC ACGTCGTAC");
    rg_align_options_t options = defaults();
    rg_aligner_t *aligner;
    rg_result_t *r = NULL;
    char text[16];

    (void)state;
    options.emit = "cigar";
    aligner = new_aligner(context, set, NULL, &options);
    assert_int_equal(rg_aligner_all(aligner, &r), RG_OK);
    assert_int_equal(rg_result_count(r), 3);
    assert_int_equal(rg_result_queries(r)[1], 0);
    assert_int_equal(rg_result_targets(r)[1], 2);
    assert_int_equal(rg_result_scores(r)[0], 9 * 4 - 5);
    assert_int_equal(rg_result_scores(r)[1], 9 * 4 - 7);
    assert_int_equal(rg_result_matches(r)[0], 9);
    assert_int_equal(rg_result_columns(r)[0], 10);
    assert_null(rg_result_strands(r));
    assert_int_equal(rg_result_cigar_text(r, 1, text, sizeof(text)), 6);
    assert_string_equal(text, "4M1I5M");
    assert_int_equal(rg_result_cigar_text(r, 1, text, 4), 6);
    assert_string_equal(text, "4M1");
    assert_int_equal(rg_result_cigar_text(r, 1, NULL, 0), 6);
    assert_int_equal(rg_result_cigar_text(r, 3, text, sizeof(text)), -1);
    assert_int_equal(rg_result_cigar_starts(r)[3], 1 + 3 + 3);
    assert_true(rg_aligner_score_unit(aligner) == 1);
    rg_context_destroy(context); /* in any order */
    rg_set_destroy(set);
    rg_result_destroy(r);
    rg_aligner_destroy(aligner);
}

static void listed_pairs_are_aligned_in_their_order(void **state)
{
    static const int32_t pairs[][2] = {{2, 0}, {1, 1}, {0, 1}};
    rg_context_t *context = new_context(1);
    rg_set_t *set = new_set(context, "ACGTACGTAC ACGTACGAAC ACGTCGTAC");
    rg_align_options_t options = defaults();
    rg_aligner_t *aligner;
    rg_result_t *r = NULL;

    (void)state;
    options.emit = "score";
    aligner = new_aligner(context, set, NULL, &options);
    assert_int_equal(rg_aligner_pairs(aligner, pairs[0], 3, &r), RG_OK);
    assert_int_equal(rg_result_scores(r)[0], 9 * 4 - 7);
    assert_int_equal(rg_result_scores(r)[1], 10 * 4);
    assert_int_equal(rg_result_scores(r)[2], 9 * 4 - 5);
    assert_null(rg_result_matches(r));
    assert_null(rg_result_cigar_starts(r));
    assert_null(rg_result_cigar_runs(r));
    assert_int_equal(rg_result_cigar_text(r, 0, NULL, 0), -1);
    rg_result_destroy(r);
    assert_int_equal(rg_aligner_pairs(aligner, NULL, 0, &r), RG_OK);
    assert_int_equal(rg_result_count(r), 0);
    rg_result_destroy(r);
    rg_aligner_destroy(aligner);
    rg_set_destroy(set);
    rg_context_destroy(context);
}

static void references_have_hits_of_the_better_strand(void **state)
{
    rg_context_t *context = new_context(2);
    rg_set_t *queries = new_set(context, "GTACCCTTTA ACGTACGAAC");
    rg_set_t *references = new_set(context, "TAAAGGGTAC ACGTACGAAC TTTTTTTTTT");
    rg_align_options_t options = defaults();
    rg_aligner_t *aligner;
    rg_result_t *r = NULL;

    (void)state;
    options.strand = "both";
    options.id = 0.9;
    options.top = 1;
    aligner = new_aligner(context, queries, references, &options);
    rg_set_destroy(queries);
    rg_set_destroy(references);
    assert_int_equal(rg_aligner_all(aligner, &r), RG_OK);
    assert_int_equal(rg_result_count(r), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rg_result_queries(r)[i], i);
        assert_int_equal(rg_result_targets(r)[i], i);
        assert_int_equal(rg_result_strands(r)[i], i == 0 ? -1 : 1);
        assert_int_equal(rg_result_matches(r)[i], 10);
    }
    rg_result_destroy(r);
    rg_aligner_destroy(aligner);
    rg_context_destroy(context);
}

static void half_units_are_reported(void **state)
{
    static const int32_t pair[2] = {0, 1};
    rg_context_t *context = new_context(1);
    rg_set_t *set = new_set(context, "ACGTACGTACGGCC ACGTACGACGGCC");
    rg_align_options_t options = defaults();
    rg_aligner_t *aligner;
    rg_result_t *r = NULL;

    (void)state;
    options.preset = "needle"; /* 5 for a match, a gap of one base costs 10 */
    aligner = new_aligner(context, set, NULL, &options);
    assert_int_equal(rg_aligner_pairs(aligner, pair, 1, &r), RG_OK);
    assert_true(rg_aligner_score_unit(aligner) == 0.5);
    assert_int_equal(rg_result_scores(r)[0], 2 * (13 * 5 - 10));
    rg_result_destroy(r);
    rg_aligner_destroy(aligner);
    rg_set_destroy(set);
    rg_context_destroy(context);
}

static void sets_are_read_back(void **state)
{
    static const int64_t offsets[] = {2, 6, 9};
    rg_context_t *context = new_context(1);
    rg_set_t *set = NULL;
    char letters[5] = "";

    (void)state;
    assert_int_equal(rg_set_create(context, "dna", 2, "--acguNRY", offsets, "one\0two",
                                   &set),
                     RG_OK);
    assert_int_equal(rg_set_count(set), 2);
    assert_string_equal(rg_set_alphabet(set), "dna");
    assert_string_equal(rg_set_name(set, 1), "two");
    assert_null(rg_set_name(set, 2));
    assert_int_equal(rg_set_length(set, 1), 3);
    assert_int_equal(rg_set_length(set, -1), -1);
    assert_int_equal(rg_set_letters(set, 0, letters), RG_OK);
    assert_string_equal(letters, "ACGT");
    assert_int_equal(rg_set_letters(set, 2, letters), RG_EINVAL);
    assert_int_equal(rg_set_letters(set, 0, NULL), RG_EINVAL);
    rg_set_destroy(set);
    rg_context_destroy(context);
}

static void files_are_read_with_warnings(void **state)
{
    char path[] = "/tmp/ribogrid_api_XXXXXX";
    const int fd = mkstemp(path);
    rg_context_t *context = new_context(2);
    rg_read_options_t options;
    rg_set_t *set = NULL;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, ">a b\nAC\nGT\n>c\nA!\n", 17), 17);
    close(fd);
    assert_fails(context, rg_set_read(context, path, NULL, &set), RG_EINPUT, "skip_bad");
    rg_read_options_init(&options, sizeof(options));
    options.skip_bad = options.full_names = 1;
    assert_int_equal(rg_set_read(context, path, &options, &set), RG_OK);
    assert_string_equal(rg_context_error(context), "");
    assert_non_null(strstr(rg_context_warnings(context), "record"));
    assert_int_equal(rg_set_count(set), 1);
    assert_string_equal(rg_set_name(set, 0), "a b");
    rg_set_destroy(set);
    unlink(path);
    assert_fails(context, rg_set_read(context, path, NULL, &set), RG_EIO, path);
    rg_context_destroy(context);
}

static void arrays_on_a_gpu_need_a_gpu(void **state)
{
    static const int64_t offsets[] = {0, 4, 8};
    static const int32_t pair[2] = {0, 1};
    rg_context_t *context = new_context(1);
    rg_set_t *set = new_set(context, "ACGTACGTAC ACGTACGAAC"), *made = NULL;
    rg_align_options_t options = defaults();
    rg_aligner_t *aligner = new_aligner(context, set, NULL, &options);
    int32_t score = -1;
    int8_t strand;

    (void)state;
    assert_fails(context,
                 rg_set_create_on_device(context, NULL, 2, "ACGTACGA", offsets, NULL,
                                         NULL, &made),
                 RG_EINVAL, "create one with the device cuda");
    assert_fails(context,
                 rg_aligner_pairs_on_device(aligner, pair, 1, NULL, &score, NULL, NULL,
                                            NULL),
                 RG_EINVAL, "create one with the device cuda");
    assert_int_equal(rg_set_create_on_device(context, NULL, 2, "ACGTACGA", NULL, NULL,
                                             NULL, &made),
                     RG_EINVAL);
    assert_int_equal(rg_aligner_pairs_on_device(aligner, NULL, 1, NULL, &score, NULL,
                                                NULL, NULL),
                     RG_EINVAL);
    assert_int_equal(rg_aligner_pairs_on_device(NULL, pair, 1, NULL, &score, NULL, NULL,
                                                NULL),
                     RG_EINVAL);
    assert_fails(context,
                 rg_aligner_pairs_on_device(aligner, pair, 1, NULL, &score, &score, NULL,
                                            NULL),
                 RG_EINVAL, "scores and matches overlap");
    assert_fails(context,
                 rg_aligner_pairs_on_device(aligner, pair, 1, NULL, &score, NULL, NULL,
                                            &strand),
                 RG_EINVAL, "strand both");
    assert_null(made);
    assert_int_equal(score, -1);
    rg_aligner_destroy(aligner);
    rg_set_destroy(set);
    rg_context_destroy(context);
}

static void bad_contexts_are_refused(void **state)
{
    rg_context_options_t options;
    rg_context_t *context = NULL;

    (void)state;
    rg_context_options_init(&options, sizeof(options));
    options.device = "gpu";
    assert_fails(NULL, rg_context_create(&options, &context), RG_EINVAL, "auto, cpu");
    options.device = "cuda:99";
    assert_true(rg_context_create(&options, &context) != RG_OK);
    options.device = "cpu";
    options.threads = -1;
    assert_fails(NULL, rg_context_create(&options, &context), RG_EINVAL, "threads");
    options.threads = 1;
    options.size += 8;
    assert_fails(NULL, rg_context_create(&options, &context), RG_EINVAL, "rg_..._init");
    options.size = 0;
    assert_fails(NULL, rg_context_create(&options, &context), RG_EINVAL, "rg_..._init");
    assert_int_equal(rg_context_create(NULL, NULL), RG_EINVAL);
    assert_null(context);
}

/* A program that was built with a header that had the first two members only. */
static void options_of_an_earlier_header_are_taken(void **state)
{
    rg_context_options_t options;
    rg_context_t *context = NULL;

    (void)state;
    memset(&options, 0x55, sizeof(options));
    rg_context_options_init(&options, offsetof(rg_context_options_t, threads));
    assert_int_equal(options.threads, 0x55555555);
    options.device = "cpu";
    assert_int_equal(rg_context_create(&options, &context), RG_OK);
    assert_true(rg_context_threads(context) >= 1);
    rg_context_destroy(context);
}

static void bad_sets_are_refused(void **state)
{
    static const int64_t descending[] = {0, 4, 3}, negative[] = {-1, 4}, good[] = {0, 4};
    rg_context_t *context = new_context(1);
    rg_set_t *set = NULL;

    (void)state;
    assert_int_equal(rg_set_create(NULL, NULL, 1, "ACGT", good, NULL, &set), RG_EINVAL);
    assert_non_null(strstr(rg_context_error(NULL), "no context"));
    assert_fails(context, rg_set_create(context, NULL, 2, "ACGT", descending, NULL, &set),
                 RG_EINVAL, "ascend");
    assert_fails(context, rg_set_create(context, NULL, 1, "ACGT", negative, NULL, &set),
                 RG_EINVAL, "begin");
    assert_fails(context, rg_set_create(context, NULL, -1, "ACGT", good, NULL, &set),
                 RG_EINVAL, "letters and offsets");
    assert_fails(context, rg_set_create(context, NULL, 1, NULL, good, NULL, &set),
                 RG_EINVAL, "letters and offsets");
    assert_fails(context, rg_set_create(context, NULL, 1, "ACGT", NULL, NULL, &set),
                 RG_EINVAL, "letters and offsets");
    assert_fails(context, rg_set_create(context, "rna", 1, "ACGT", good, NULL, &set),
                 RG_EINVAL, "dna or protein");
    assert_fails(context, rg_set_create(context, NULL, 1, "AC\nT", good, NULL, &set),
                 RG_EINPUT, "byte 10");
    assert_int_equal(rg_set_create(context, NULL, 1, "ACGT", good, NULL, NULL),
                     RG_EINVAL);
    assert_int_equal(rg_set_read(context, NULL, NULL, &set), RG_EINVAL);
    assert_null(set);
    rg_context_destroy(context);
}

/* One option each that is refused. */
static const struct {
    const char *word, *reason;
    size_t at;
} bad_words[] = {
    {"all", "give score, identity or cigar", offsetof(rg_align_options_t, emit)},
    {"vsearc", "did you mean vsearch", offsetof(rg_align_options_t, preset)},
    {"priced", "give free, count or query", offsetof(rg_align_options_t, ends)},
    {"query", "needs references", offsetof(rg_align_options_t, ends)},
    {"minus", "give plus or both", offsetof(rg_align_options_t, strand)},
    {"both", "need references", offsetof(rg_align_options_t, strand)},
    {"5", "iddef", offsetof(rg_align_options_t, iddef)},
    {"eqx", "needs emit cigar", offsetof(rg_align_options_t, cigar_style)},
    {"fast", "no such kernel", offsetof(rg_align_options_t, kernel)},
};

static const struct {
    double value;
    const char *reason;
    size_t at;
} bad_numbers[] = {
    {0.3, "multiple of 0.5", offsetof(rg_align_options_t, match)},
    {INFINITY, "multiple of 0.5", offsetof(rg_align_options_t, match)},
    {-6, "match must be more than mismatch", offsetof(rg_align_options_t, match)},
    {0, "gap of 0", offsetof(rg_align_options_t, gap)},
    {2, "go together", offsetof(rg_align_options_t, gap_open)},
    {1.5, "from 0 to 1", offsetof(rg_align_options_t, id)},
    {-0.5, "from 0 to 1", offsetof(rg_align_options_t, min_overlap)},
};

static void bad_options_are_refused(void **state)
{
    rg_context_t *context = new_context(1);
    rg_set_t *set = new_set(context, "ACGT ACGA");
    rg_align_options_t options;
    rg_aligner_t *a = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(bad_words) / sizeof(bad_words[0]); i++) {
        options = defaults();
        memcpy((char *)&options + bad_words[i].at, &bad_words[i].word,
               sizeof(bad_words[i].word));
        assert_fails(context, rg_aligner_create(context, set, NULL, &options, &a),
                     RG_EINVAL, bad_words[i].reason);
    }
    for (size_t i = 0; i < sizeof(bad_numbers) / sizeof(bad_numbers[0]); i++) {
        options = defaults();
        memcpy((char *)&options + bad_numbers[i].at, &bad_numbers[i].value,
               sizeof(double));
        assert_fails(context, rg_aligner_create(context, set, NULL, &options, &a),
                     RG_EINVAL, bad_numbers[i].reason);
    }
    options = defaults();
    options.top = 10001;
    assert_fails(context, rg_aligner_create(context, set, set, &options, &a), RG_EINVAL,
                 "0 to 10000");
    options = defaults();
    options.matrix = "/nonexistent/matrix";
    assert_fails(context, rg_aligner_create(context, set, NULL, &options, &a), RG_EIO,
                 "/nonexistent/matrix");
    assert_int_equal(rg_aligner_create(context, NULL, NULL, NULL, &a), RG_EINVAL);
    assert_int_equal(rg_aligner_create(context, set, NULL, NULL, NULL), RG_EINVAL);
    assert_null(a);
    rg_set_destroy(set);
    rg_context_destroy(context);
}

static void bad_pairs_are_refused(void **state)
{
    static const int32_t beyond[] = {0, 0, 0, 2}, negative[] = {-1, 0}, good[] = {0, 1};
    rg_context_t *context = new_context(1);
    rg_set_t *set = new_set(context, "ACGT ACGA");
    rg_aligner_t *aligner = new_aligner(context, set, NULL, NULL);
    rg_result_t *r = NULL;

    (void)state;
    assert_fails(context, rg_aligner_pairs(aligner, beyond, 2, &r), RG_EINVAL,
                 "pair 1 is (0, 2)");
    assert_fails(context, rg_aligner_pairs(aligner, negative, 1, &r), RG_EINVAL,
                 "(-1, 0)");
    assert_int_equal(rg_aligner_pairs(aligner, good, -1, &r), RG_EINVAL);
    assert_int_equal(rg_aligner_pairs(aligner, NULL, 1, &r), RG_EINVAL);
    assert_int_equal(rg_aligner_pairs(aligner, good, 1, NULL), RG_EINVAL);
    assert_int_equal(rg_aligner_pairs(NULL, good, 1, &r), RG_EINVAL);
    assert_int_equal(rg_aligner_all(NULL, &r), RG_EINVAL);
    assert_int_equal(rg_aligner_all(aligner, NULL), RG_EINVAL);
    assert_null(r);
    assert_int_equal(rg_aligner_pairs(aligner, good, 1, &r), RG_OK);
    rg_result_destroy(r);
    rg_aligner_destroy(aligner);
    rg_set_destroy(set);
    rg_context_destroy(context);
}

static void null_is_taken_where_nothing_can_fail(void **state)
{
    (void)state;
    rg_context_destroy(NULL);
    rg_set_destroy(NULL);
    rg_aligner_destroy(NULL);
    rg_result_destroy(NULL);
    rg_context_cancel(NULL);
    rg_context_options_init(NULL, 0);
    rg_cluster_options_init(NULL, 0);
    rg_graph_options_init(NULL, 0);
    rg_read_options_init(NULL, 0);
    rg_align_options_init(NULL, 0);
    assert_string_equal(rg_context_device(NULL), "");
    assert_string_equal(rg_context_warnings(NULL), "");
    assert_int_equal(rg_context_threads(NULL), 0);
    assert_int_equal(rg_set_count(NULL), 0);
    assert_int_equal(rg_set_length(NULL, 0), -1);
    assert_string_equal(rg_set_alphabet(NULL), "");
    assert_int_equal(rg_result_count(NULL), 0);
    assert_null(rg_result_scores(NULL));
    assert_string_equal(rg_status_text(RG_EBUSY), "another thread uses the context");
    assert_string_equal(rg_status_text((rg_status_t)-99), "no such status");
    assert_true(rg_version()[0] >= '0' && rg_version()[0] <= '9');
}

/* ---- threads ---- */

static int stop_at_half(void *arg, double done)
{
    double *last = arg;

    assert_true(done >= *last && done <= 1);
    *last = done;
    return done >= 0.5;
}

static void a_callback_cancels_a_call(void **state)
{
    rg_set_t *set;
    rg_context_options_t options;
    rg_context_t *context = NULL;
    rg_aligner_t *aligner;
    rg_result_t *r = NULL;
    double done = 0;

    (void)state;
    rg_context_options_init(&options, sizeof(options));
    options.device = "cpu";
    options.progress = stop_at_half;
    options.progress_arg = &done;
    assert_int_equal(rg_context_create(&options, &context), RG_OK);
    set = new_set(context, "ACGT ACGA ACGG ACGC");
    aligner = new_aligner(context, set, NULL, NULL);
    assert_fails(context, rg_aligner_all(aligner, &r), RG_ECANCELLED, "cancelled");
    assert_null(r);
    assert_true(done >= 0.5);
    rg_aligner_destroy(aligner);
    rg_set_destroy(set);
    rg_context_destroy(context);
}

static void a_call_is_cancelled_once(void **state)
{
    static const int32_t pair[] = {0, 1};
    rg_context_t *context = new_context(1);
    rg_set_t *set = new_set(context, "ACGT ACGA");
    rg_aligner_t *aligner = new_aligner(context, set, NULL, NULL);
    rg_result_t *r = NULL;

    (void)state;
    rg_context_cancel(context);
    assert_int_equal(rg_aligner_pairs(aligner, pair, 1, &r), RG_ECANCELLED);
    assert_int_equal(rg_aligner_pairs(aligner, pair, 1, &r), RG_OK);
    rg_result_destroy(r);
    rg_aligner_destroy(aligner);
    rg_set_destroy(set);
    rg_context_destroy(context);
}

/* All of a thread's work, with sequences that another one uses as well. */
static void *align_alone(void *arg)
{
    const rg_set_t *set = arg;
    rg_context_t *context = new_context(2);
    rg_align_options_t options = defaults();

    options.emit = "cigar";
    for (int i = 0; i < 20; i++) {
        rg_aligner_t *aligner = new_aligner(context, set, NULL, &options);
        rg_result_t *r = NULL;

        assert_int_equal(rg_aligner_all(aligner, &r), RG_OK);
        assert_int_equal(rg_result_count(r), 6);
        assert_int_equal(rg_result_scores(r)[0], 9 * 4 - 5);
        rg_result_destroy(r);
        rg_aligner_destroy(aligner);
        options.emit = "all";
        assert_fails(context, rg_aligner_create(context, set, NULL, &options, &aligner),
                     RG_EINVAL, "give score");
        options.emit = i % 2 == 0 ? "identity" : "cigar";
    }
    rg_context_destroy(context);
    return NULL;
}

static void contexts_of_two_threads_work_side_by_side(void **state)
{
    rg_context_t *context = new_context(1);
    rg_set_t *set = new_set(context, "ACGTACGTAC ACGTACGAAC ACGTCGTAC TTTTACGTAC");
    pthread_t threads[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, align_alone, set), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    rg_set_destroy(set);
    rg_context_destroy(context);
}

/* What a thread cancels until it is over. */
typedef struct {
    rg_context_t *context;
    atomic_bool is_over;
} victim_t;

static void *cancel_again_and_again(void *arg)
{
    victim_t *v = arg;

    while (!atomic_load(&v->is_over)) {
        rg_context_cancel(v->context);
        sched_yield();
    }
    return NULL;
}

static void another_thread_may_cancel(void **state)
{
    rg_context_t *context = new_context(2);
    rg_set_t *set = new_set(context, "ACGTACGTAC ACGTACGAAC ACGTCGTAC TTTTACGTAC");
    rg_aligner_t *aligner = new_aligner(context, set, NULL, NULL);
    victim_t victim = {.context = context};
    rg_status_t status;
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, cancel_again_and_again, &victim), 0);
    do {
        rg_result_t *r = NULL;

        status = rg_aligner_all(aligner, &r);
        assert_true(status == RG_OK || status == RG_ECANCELLED);
        rg_result_destroy(r);
    } while (status == RG_OK);
    atomic_store(&victim.is_over, true);
    pthread_join(thread, NULL);
    rg_aligner_destroy(aligner);
    rg_set_destroy(set);
    rg_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_have_scores_identities_and_alignments),
        cmocka_unit_test(listed_pairs_are_aligned_in_their_order),
        cmocka_unit_test(references_have_hits_of_the_better_strand),
        cmocka_unit_test(half_units_are_reported),
        cmocka_unit_test(sets_are_read_back),
        cmocka_unit_test(files_are_read_with_warnings),
        cmocka_unit_test(arrays_on_a_gpu_need_a_gpu),
        cmocka_unit_test(bad_contexts_are_refused),
        cmocka_unit_test(options_of_an_earlier_header_are_taken),
        cmocka_unit_test(bad_sets_are_refused),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(bad_pairs_are_refused),
        cmocka_unit_test(null_is_taken_where_nothing_can_fail),
        cmocka_unit_test(a_callback_cancels_a_call),
        cmocka_unit_test(a_call_is_cancelled_once),
        cmocka_unit_test(contexts_of_two_threads_work_side_by_side),
        cmocka_unit_test(another_thread_may_cancel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
