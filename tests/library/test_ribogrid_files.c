/*
 * test_ribogrid_files.c - result files and models: what is written is read, and bad
 * arguments and files are refused.
 */
#include "tests/library/library_files.h"

#include "io/base/child.h"
#include "library/rg_file.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void results_are_read_back(void **state)
{
    rg_context_t *context = new_context(1);
    rg_set_t *set = new_set(context, six), *queries = NULL, *references = set;
    rg_result_t *made = align_all(context, set), *read = NULL;
    char path[TEMP_PATH_BYTES], text[64];

    (void)state;
    new_path(path);
    assert_int_equal(rg_result_write(context, made, path), RG_OK);
    assert_int_equal(rg_result_read(context, path, &queries, &references, &read), RG_OK);
    assert_null(references);
    assert_int_equal(rg_set_count(queries), 6);
    assert_int_equal(rg_result_count(read), 15);
    assert_memory_equal(rg_result_scores(read), rg_result_scores(made),
                        15 * sizeof(int32_t));
    assert_int_equal(rg_result_cigar_text(read, 0, text, sizeof(text)), 3);
    assert_string_equal(text, "14M");
    assert_true(rg_result_score_unit(read) == 1);
    assert_fails(context, rg_result_write(context, read, path), RG_EINVAL, "copy");
    rg_result_destroy(read);
    rg_set_destroy(queries);
    assert_int_equal(rg_result_read(context, path, NULL, NULL, &read), RG_OK);
    rg_result_destroy(read);
    rg_result_destroy(made);
    rg_set_destroy(set);
    rg_context_destroy(context);
    unlink(path);
}

static void groups_are_read_back(void **state)
{
    rg_context_t *context = new_context(2);
    rg_set_t *set = new_set(context, six);
    rg_result_t *pairs = align_all(context, set);
    rg_groups_t *made = NULL, *read = NULL;
    rg_cluster_options_t options;
    char path[TEMP_PATH_BYTES];

    (void)state;
    rg_cluster_options_init(&options, sizeof(options));
    options.id = 0.9;
    assert_int_equal(rg_groups_create(context, pairs, &options, &made), RG_OK);
    new_path(path);
    assert_int_equal(rg_groups_write(context, made, path), RG_OK);
    assert_int_equal(rg_groups_read(context, path, &read), RG_OK);
    assert_int_equal(rg_groups_count(read), 2);
    assert_int_equal(rg_groups_sequences(read), 6);
    assert_int_equal(rg_groups_of(read)[2], rg_groups_of(read)[0]);
    assert_int_equal(rg_groups_of(read)[5], rg_groups_of(read)[3]);
    assert_int_equal(rg_groups_sizes(read)[1], 3);
    assert_int_equal(rg_groups_representatives(read)[0], 0);
    assert_string_equal(rg_groups_name(read, 1), rg_groups_name(made, 1));
    assert_string_equal(rg_groups_sequence(read, 4), "4");
    assert_true(rg_groups_mcc(read) == rg_groups_mcc(made));
    assert_null(rg_groups_name(read, 2));
    assert_null(rg_groups_sequence(read, -1));
    rg_groups_destroy(read);
    rg_groups_destroy(made);
    rg_result_destroy(pairs);
    rg_set_destroy(set);
    rg_context_destroy(context);
    unlink(path);
}

/* ---- models ---- */

static void sequences_are_named_and_names_are_read_back(void **state)
{
    rg_context_t *context = new_context(1);
    rg_set_t *set = new_set(context, two);
    rg_model_t *model = NULL;
    rg_names_t *made = NULL, *read = NULL;
    char path[TEMP_PATH_BYTES], names[TEMP_PATH_BYTES];

    (void)state;
    new_path(path);
    new_path(names);
    write_model(path);
    assert_int_equal(rg_model_read(context, path, &model), RG_OK);
    assert_int_equal(rg_classify(context, model, set, NULL, &made), RG_OK);
    rg_model_destroy(model); /* names keep it */
    rg_set_destroy(set);
    assert_int_equal(rg_names_write(context, made, names), RG_OK);
    assert_int_equal(rg_names_read(context, names, &read), RG_OK);
    assert_int_equal(rg_names_count(read), 2);
    assert_int_equal(rg_names_ranks(read), 2);
    assert_int_equal(rg_names_taxon_count(read), 4);
    assert_memory_equal(rg_names_taxa(read), rg_names_taxa(made), 4 * sizeof(int32_t));
    assert_memory_equal(rg_names_supports(read), rg_names_supports(made),
                        4 * sizeof(uint16_t));
    assert_string_equal(rg_names_taxon(made, rg_names_taxa(made)[1]), "One");
    assert_string_equal(rg_names_taxon(read, rg_names_taxa(read)[3]), "Two");
    assert_int_equal(rg_names_supports(read)[3], 10000);
    assert_int_equal(rg_names_named(read)[0], 2);
    assert_int_equal(rg_names_strands(read)[0], 1);
    assert_string_equal(rg_names_sequence(read, 1), "1");
    assert_null(rg_names_sequence(read, 2));
    assert_null(rg_names_taxon(read, 4));
    assert_fails(context, rg_names_write(context, read, names), RG_EINVAL, "copy");
    rg_names_destroy(read);
    rg_names_destroy(made);
    rg_context_destroy(context);
    unlink(path);
    unlink(names);
}

/* Another thread's context. */
static void *classify_alone(void *model)
{
    rg_context_t *context = new_context(2);
    rg_set_t *set = new_set(context, two);
    rg_names_t *names = NULL;
    char path[TEMP_PATH_BYTES];

    new_path(path);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rg_classify(context, model, set, NULL, &names), RG_OK);
        assert_int_equal(rg_names_named(names)[1], 2);
        assert_int_equal(rg_names_write(context, names, path), RG_OK);
        rg_names_destroy(names);
        assert_int_equal(rg_names_read(context, path, &names), RG_OK);
        rg_names_destroy(names);
    }
    rg_set_destroy(set);
    rg_context_destroy(context);
    unlink(path);
    return NULL;
}

static void threads_share_a_model_and_hdf5(void **state)
{
    rg_context_t *context = new_context(1);
    char path[TEMP_PATH_BYTES];
    rg_model_t *model = NULL;
    pthread_t threads[2];

    (void)state;
    new_path(path);
    write_model(path);
    assert_int_equal(rg_model_read(context, path, &model), RG_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, classify_alone, model), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    rg_model_destroy(model);
    rg_context_destroy(context);
    unlink(path);
}

/* ---- guarded contexts ---- */

static rg_context_t *guarded_context(void)
{
    rg_context_options_t options;
    rg_context_t *context = NULL;

    rg_context_options_init(&options, sizeof(options));
    options.device = "cpu";
    options.threads = 2;
    options.guarded = 1;
    assert_int_equal(rg_context_create(&options, &context), RG_OK);
    return context;
}

static void files_are_read_behind_a_guard(void **state)
{
    rg_context_t *context = guarded_context();
    rg_set_t *set = new_set(context, six);
    rg_result_t *made = align_all(context, set), *read = NULL;
    rg_groups_t *groups = NULL;
    rg_model_t *model = NULL;
    char path[TEMP_PATH_BYTES], model_path[TEMP_PATH_BYTES];

    (void)state;
    new_path(path);
    new_path(model_path);
    write_model(model_path);
    assert_int_equal(rg_result_write(context, made, path), RG_OK);
    assert_int_equal(rg_result_read(context, path, NULL, NULL, &read), RG_OK);
    assert_memory_equal(rg_result_scores(read), rg_result_scores(made),
                        15 * sizeof(int32_t));
    assert_int_equal(rg_model_read(context, model_path, &model), RG_OK);
    assert_fails(context, rg_groups_read(context, model_path, &groups), RG_EINPUT,
                 model_path);
    assert_null(groups);
    unlink(path);
    assert_fails(context, rg_groups_read(context, path, &groups), RG_EINPUT, path);
    rg_model_destroy(model);
    rg_result_destroy(read);
    rg_result_destroy(made);
    rg_set_destroy(set);
    rg_context_destroy(context);
    unlink(model_path);
}

/* A file that crashes HDF5. */
static status_t crash(rg_context_t *context, const char *path, void *what)
{
    (void)context;
    (void)what;
    child_reads(path);
    raise(SIGABRT);
    return ST_OK;
}

static void a_crash_behind_a_guard_is_an_error(void **state)
{
    rg_context_t *context = guarded_context();
    struct sigaction before, after;
    int nothing;

    (void)state;
    assert_fails(context, rg_file_read(context, "bad.h5", crash, &nothing), RG_EINPUT,
                 "bad.h5: reading it ended in a crash");
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_IGN}, &before);
    assert_fails(context, rg_file_read(context, "bad.h5", crash, &nothing), RG_EINPUT,
                 "bad.h5: ");
    sigaction(SIGCHLD, &before, &after);
    assert_true(after.sa_handler == SIG_IGN); /* it is left alone */
    rg_context_destroy(context);
}

static void bad_arguments_are_refused(void **state)
{
    rg_context_t *context = new_context(1);
    rg_set_t *set = new_set(context, six);
    rg_result_t *pairs = align_all(context, set), *result = NULL;
    rg_classify_options_t options;
    rg_model_t *model = NULL;
    rg_names_t *names = NULL;
    rg_groups_t *groups = NULL;
    char path[TEMP_PATH_BYTES];

    (void)state;
    new_path(path);
    write_model(path);
    assert_int_equal(rg_model_read(context, NULL, &model), RG_EINVAL);
    assert_int_equal(rg_model_read(context, path, NULL), RG_EINVAL);
    assert_int_equal(rg_model_read(NULL, path, &model), RG_EINVAL);
    assert_fails(context, rg_names_read(context, path, &names), RG_EINPUT, "result");
    assert_fails(context, rg_groups_read(context, path, &groups), RG_EINPUT, path);
    assert_fails(context, rg_result_read(context, path, NULL, NULL, &result), RG_EINPUT,
                 path);
    assert_int_equal(rg_result_read(context, path, NULL, NULL, NULL), RG_EINVAL);
    assert_int_equal(rg_result_write(context, pairs, NULL), RG_EINVAL);
    assert_int_equal(rg_result_write(context, NULL, path), RG_EINVAL);
    assert_int_equal(rg_groups_create(context, NULL, NULL, &groups), RG_EINVAL);
    assert_int_equal(rg_groups_write(context, NULL, path), RG_EINVAL);
    assert_int_equal(rg_model_read(context, path, &model), RG_OK);
    assert_int_equal(rg_classify(context, NULL, set, NULL, &names), RG_EINVAL);
    assert_int_equal(rg_classify(context, model, NULL, NULL, &names), RG_EINVAL);
    assert_int_equal(rg_classify(context, model, set, NULL, NULL), RG_EINVAL);
    rg_classify_options_init(&options, sizeof(options));
    assert_true(isnan(options.min_support));
    options.size++;
    assert_fails(context, rg_classify(context, model, set, &options, &names), RG_EINVAL,
                 "initialise");
    options.size--;
    options.seed = UINT64_MAX;
    assert_fails(context, rg_classify(context, model, set, &options, &names), RG_EINVAL,
                 "2^63");
    options.seed = 1;
    options.novelty_rate = 0.5;
    assert_fails(context, rg_classify(context, model, set, &options, &names), RG_EINPUT,
                 "learned");
    rg_context_cancel(context);
    assert_int_equal(rg_classify(context, model, set, NULL, &names), RG_ECANCELLED);
    assert_null(names);
    rg_model_destroy(NULL);
    rg_names_destroy(NULL);
    rg_groups_destroy(NULL);
    assert_null(rg_names_taxa(NULL));
    assert_int_equal(rg_groups_count(NULL) + rg_names_count(NULL), 0);
    rg_model_destroy(model);
    rg_result_destroy(pairs);
    rg_set_destroy(set);
    rg_context_destroy(context);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_read_back),
        cmocka_unit_test(groups_are_read_back),
        cmocka_unit_test(sequences_are_named_and_names_are_read_back),
        cmocka_unit_test(threads_share_a_model_and_hdf5),
        cmocka_unit_test(files_are_read_behind_a_guard),
        cmocka_unit_test(a_crash_behind_a_guard_is_an_error),
        cmocka_unit_test(bad_arguments_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
