/*
 * test_prepare_previous.c - records after those of an earlier run become what all of them
 * become at once; what would not is refused.
 */
#include "tests/support/unit_test.h"

#include "io/prepare/prepare.h"

#include "tests/support/captured_log.h"
#include "tests/support/spelled_set.h"

/* Records of one or two files. */
typedef struct {
    int64_t first[3];
    char *paths[2], *samples[2];
    seq_files_t files;
    seqset_t *set;
    prepared_t got;
} run_t;

static void run_begin(run_t *run, const char *text)
{
    *run = (run_t){.paths = {"a.fa", "b.fa"}, .samples = {"a", "b"}};
    run->set = spelled_set(text);
    run->files = seq_files_named("a.fa");
}

/* Its files are samples: a of n sequences, then b. */
static void run_has_files(run_t *run, int64_t n)
{
    run->first[1] = n;
    run->first[2] = run->set->n;
    run->files = (seq_files_t){.n = n < run->set->n ? 2 : 1,
                               .paths = run->paths,
                               .samples = run->samples,
                               .label = "a.fa and 1 other file",
                               .first = run->first};
}

static status_t run_prepare(run_t *run, const prepare_opts_t *opts,
                            const prepare_previous_t *before)
{
    status_t st;

    capture_start();
    st = prepare_set(&run->files, opts, NULL, before, NULL, run->set, &run->got);
    capture_stop();
    return st;
}

static void run_end(run_t *run)
{
    prepare_free(&run->got);
    seqset_destroy(run->set);
}

/* What an earlier run has made; it stays the run's. */
static prepare_previous_t previous_of(const run_t *run)
{
    return (prepare_previous_t){.path = "old.h5",
                                .set = run->set,
                                .size = run->got.size,
                                .members = run->got.members,
                                .samples = run->got.samples,
                                .sample = "a"};
}

static void assert_same(const run_t *got, const run_t *want)
{
    assert_int_equal(seqset_digest(got->set), seqset_digest(want->set));
    assert_int_equal(prepare_digest(&got->got, got->set->n),
                     prepare_digest(&want->got, want->set->n));
    assert_int_equal(got->got.samples.n, want->got.samples.n);
}

/* As one run over the old and the new records, which are of two files. */
static void assert_extended(const char *old_text, const char *new_text,
                            const prepare_opts_t *opts)
{
    char text[512];
    run_t old, added, all;
    prepare_previous_t before;

    snprintf(text, sizeof(text), "%s %s", old_text, new_text);
    run_begin(&old, old_text);
    run_begin(&added, new_text);
    run_begin(&all, text);
    run_has_files(&all, old.set->n);
    added.paths[0] = added.paths[1];
    added.samples[0] = added.samples[1];
    run_has_files(&added, added.set->n);
    assert_int_equal(run_prepare(&old, opts, NULL), ST_OK);
    before = previous_of(&old);
    assert_int_equal(run_prepare(&added, opts, &before), ST_OK);
    assert_int_equal(run_prepare(&all, opts, NULL), ST_OK);
    assert_same(&added, &all);
    run_end(&old);
    run_end(&added);
    run_end(&all);
}

static void new_records_come_after_those_of_the_earlier_run(void **state)
{
    prepare_opts_t opts = prepare_defaults();

    (void)state;
    assert_extended("x ACGT y GGG", "z TTT w ACGT", &opts);
    opts.labels.sizes = true;
    assert_extended("x;size=3 ACGT y GGG", "z;size=2 TTT w ACGT", &opts);
    opts.filter.min_length = 4;
    assert_extended("x;size=3 ACGT y GGG", "z;size=2 TTT w CCCCC", &opts);
}

static void equal_sequences_add_to_the_earlier_ones(void **state)
{
    prepare_opts_t opts = prepare_defaults();

    (void)state;
    opts.derep = true;
    assert_extended("x ACGT y GGG z ACGT", "z TTT w ACGT v TTT u GGG", &opts);
    assert_extended("x ACGT y GGG", "z GGG w ACGT", &opts);
    opts.labels.sizes = opts.labels.samples = true;
    assert_extended("x;size=3;sample=s ACGT y;sample=t GGG",
                    "z;size=2;sample=u TTT w;sample=s ACGT", &opts);
}

static void records_are_counted_behind_the_earlier_sequences(void **state)
{
    prepare_opts_t opts = prepare_defaults();
    run_t old, added;
    prepare_previous_t before;

    (void)state;
    opts.derep = true;
    run_begin(&old, "x ACGT y GGG");
    run_begin(&added, "z ACGT w CCC");
    added.paths[0] = added.samples[0] = "b";
    run_has_files(&added, 2);
    assert_int_equal(run_prepare(&old, &opts, NULL), ST_OK);
    before = previous_of(&old);
    assert_int_equal(run_prepare(&added, &opts, &before), ST_OK);
    assert_spells(added.set, "x ACGT y GGG w CCC");
    assert_int_equal(added.got.record[0], 0);
    assert_int_equal(added.got.record[2], 3);
    assert_int_equal(added.got.n_records, 2);
    assert_int_equal(added.got.size[0], 2);
    assert_spells(old.set, "x ACGT y GGG");
    run_end(&old);
    run_end(&added);
}

/* @param name  of the new file's sample; NULL: it is none */
static void assert_refused(const prepare_previous_t *before, const char *text,
                           char *sample, bool derep, const char *want)
{
    prepare_opts_t opts = prepare_defaults();
    run_t added;

    opts.derep = derep;
    run_begin(&added, text);
    added.samples[0] = sample;
    if (sample != NULL)
        run_has_files(&added, added.set->n);
    assert_int_equal(run_prepare(&added, &opts, before), ST_EINPUT);
    assert_logged(want);
    run_end(&added);
}

static void what_cannot_be_one_run_is_refused(void **state)
{
    run_t old;
    prepare_previous_t before;

    (void)state;
    run_begin(&old, "x ACGT y ACGT");
    before = previous_of(&old);
    assert_refused(&before, "z TT", "a", false,
                   "old.h5 and a.fa and 1 other file would both have the sample 'a'");
    assert_refused(&before, "z TT", "b", true, "the sequences 1 and 2 are equal");
    before.sample = NULL;
    assert_refused(&before, "z TT", "b", false, "old.h5 has no samples, and a.fa and");
    before.samples.n = 1;
    assert_refused(&before, "z TT", NULL, false, "old.h5 has samples, and a.fa has none");
    run_end(&old);
}

static void names_of_both_runs_are_warned_of(void **state)
{
    const prepare_opts_t opts = prepare_defaults();
    run_t old, added;
    prepare_previous_t before;

    (void)state;
    run_begin(&old, "x ACGT y GGG");
    run_begin(&added, "z TT y CC x GG");
    run_has_files(&added, 3);
    before = previous_of(&old);
    before.continues_samples = true;
    assert_int_equal(run_prepare(&added, &opts, &before), ST_OK);
    assert_logged("2 records have a name that old.h5 has, too, the first is 'y'");
    assert_int_equal(added.got.samples.n, 1); /* the file goes on with sample a */
    run_end(&old);
    run_end(&added);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_records_come_after_those_of_the_earlier_run),
        cmocka_unit_test(equal_sequences_add_to_the_earlier_ones),
        cmocka_unit_test(records_are_counted_behind_the_earlier_sequences),
        cmocka_unit_test(what_cannot_be_one_run_is_refused),
        cmocka_unit_test(names_of_both_runs_are_warned_of),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
