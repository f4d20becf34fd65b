/*
 * test_job_cnn.c - the job "cnn": its plan, its text, checkpoints that are restored or
 * refused, and the model that it writes.
 */
#include "tests/support/unit_test.h"

#include "io/modelfile/cnn_model.h"
#include "tests/worker/cnn/idx_images.h"
#include "worker/cnn/job_cnn_state.h"
#include "worker/exchange.h"

#include <math.h>

static const char net_text[] = "[net]\ninput = 1x4x4\nclasses = 3\n[layers]\n"
                               "a = convolution 2 kernel=3 batch-norm relu\n"
                               "out = linear classes\nloss = softmax\n"
                               "[solver]\nrate = 0.125\nmomentum = 0.9\nbatch = 4\n"
                               "epochs = 6\n";

/* 24 images in batches of 4: 36 iterations in 6 epochs, in steps of 8. */
enum { N_ITERATIONS = 36, N_STEPS = 5 };

typedef struct {
    char net[PATH_BYTES], output[PATH_BYTES];
    cnn_opts_t opts;
    job_cnn_t *job;
    gang_t *gang;
} made_t;

/* Write the network, and fill in the options of a job. */
static void fill(made_t *m)
{
    dir_file("net.ini", m->net);
    dir_file("out.h5", m->output);
    dir_put(m->net, net_text, sizeof(net_text) - 1);
    m->opts = cnn_opts_defaults();
    m->opts.net = m->net;
    m->opts.images.what.path = "synthetic:24";
    m->opts.test.what.path = "synthetic:10";
    m->opts.common.output = m->output;
    m->opts.common.version = "1";
    m->opts.common.command_line = "";
    m->opts.common.kernel = "serial";
    m->job = NULL;
    m->gang = NULL;
}

static status_t begin_with(made_t *m, exchange_t x)
{
    char why[JOB_OPTS_WHY_BYTES];
    job_t *job;

    assert_int_equal(cnn_opts_settle(&m->opts.common, why), ST_OK);
    assert_int_equal(job_create(&job_cnn_ops, &m->opts.common, &job), ST_OK);
    m->job = (job_cnn_t *)job;
    return job_begin(job, &x);
}

/* Begin a job that has its options, open its log, and prepare it. */
static void start(made_t *m)
{
    const device_t cpu = device_cpu();
    const char *kernel;
    double guess;

    assert_int_equal(begin_with(m, exchange_alone()), ST_OK);
    assert_int_equal(job_open(&m->job->base), ST_OK);
    assert_int_equal(job_prepare(&m->job->base, &cpu, NULL, &kernel, &guess), ST_OK);
    assert_string_equal(kernel, "serial");
    assert_int_equal(gang_one_create(&m->gang), ST_OK);
}

static void make(made_t *m)
{
    fill(m);
    start(m);
}

static void end(made_t *m)
{
    if (m->gang != NULL)
        m->gang->destroy(m->gang);
    job_destroy(&m->job->base);
}

static void end_and_remove(made_t *m)
{
    char part[PATH_BYTES];

    end(m);
    dir_file("out.h5.part", part);
    unlink(part);
    unlink(m->net);
}

static void train(made_t *m, int64_t from, int64_t to)
{
    for (int64_t k = from; k < to; k++) {
        assert_false(job_cnn_is_over(&m->job->base, k));
        assert_int_equal(job_cnn_step(&m->job->base, m->gang, k), ST_OK);
    }
}

static void save_all(made_t *m, int64_t version)
{
    job_t *job = &m->job->base;
    buf_t record = {0};

    for (int64_t task = 0; task < job->plan.n_tasks; task++) {
        record.len = 0;
        assert_true(job_cnn_holds(job, task));
        assert_int_equal(job_cnn_save(job, task, &record), ST_OK);
        assert_int_equal(job_store(job, task, version, record.data, record.len), ST_OK);
    }
    buf_free(&record);
}

/* ---- the beginning ---- */

/* Tensors: weights and biases of two layers, scale and shift and the averages of the
 * batch norm, and the solver's momentum of each but the averages. */
static void a_plan_follows_from_network_images_and_options(void **state)
{
    made_t m;

    (void)state;
    fill(&m);
    assert_int_equal(begin_with(&m, exchange_alone()), ST_OK);
    assert_int_equal(m.job->base.plan.kind, JOB_GANG);
    assert_int_equal(m.job->n_iterations, N_ITERATIONS);
    assert_int_equal(m.job->base.plan.n_steps, N_STEPS);
    assert_int_equal(m.job->base.plan.n_tasks, m.job->n_kept + 1);
    assert_int_equal(m.job->n_kept, 5 + 2 + 5);
    assert_int_equal(job_items(&m.job->base, 0), N_ITERATIONS * 4);
    assert_int_equal(job_items(&m.job->base, 1), 0);
    assert_true(job_cost(&m.job->base, 0) > 0);
    assert_int_equal(job_cost(&m.job->base, 1), 0);
    assert_false(job_cnn_is_over(&m.job->base, N_STEPS - 1));
    assert_true(job_cnn_is_over(&m.job->base, N_STEPS));
    end_and_remove(&m);
    fill(&m);
    m.opts.batch = 5;
    m.opts.epochs = 2;
    m.opts.rate_text = "0.5";
    assert_int_equal(begin_with(&m, exchange_alone()), ST_OK);
    assert_int_equal(m.job->n_iterations, 10); /* 2 x 24 / 5 = 9.6 */
    assert_int_equal(m.job->base.plan.n_steps, 2);
    assert_true(m.job->net->solver.rate == 0.5);
    end_and_remove(&m);
}

/* @return the text of a job, the caller's */
static char *text_of(made_t *m)
{
    char *text;

    assert_int_equal(begin_with(m, exchange_alone()), ST_OK);
    assert_int_equal(job_cnn_ops.describe(&m->job->base), ST_OK);
    assert_int_equal(buf_append(&m->job->base.text, "", 1), ST_OK);
    text = strdup((const char *)m->job->base.text.data);
    end_and_remove(m);
    return text;
}

static void assert_same_text(made_t *m, const char *text, bool same)
{
    char *other = text_of(m);

    if (same)
        assert_string_equal(other, text);
    else
        assert_string_not_equal(other, text);
    free(other);
    fill(m);
}

static void a_text_has_what_the_model_depends_on(void **state)
{
    char *text;
    made_t m;

    (void)state;
    fill(&m);
    text = text_of(&m);
    assert_non_null(strstr(text, "job=cnn\nnet_digest="));
    assert_non_null(strstr(text, "\nbatch=4\nepochs=6\nrate=0.125\nseed=1\ntype=fp32\n"
                                 "images=24\nimages_digest="));
    assert_non_null(strstr(text, "\ntest_images=10\ntest_images_digest="));
    fill(&m);
    m.opts.common.n_threads = 3;
    assert_same_text(&m, text, true);
    m.opts.batch = 8;
    assert_same_text(&m, text, false);
    m.opts.epochs = 7;
    assert_same_text(&m, text, false);
    m.opts.rate_text = "0.25";
    assert_same_text(&m, text, false);
    m.opts.seed = 2;
    assert_same_text(&m, text, false);
    m.opts.test.what.path = NULL;
    assert_same_text(&m, text, false);
    m.opts.images.what.path = "synthetic:25";
    assert_same_text(&m, text, false);
    dir_put(m.net, net_text, sizeof(net_text) - sizeof("epochs = 6\n"));
    assert_same_text(&m, text, false);
    free(text);
    unlink(m.net);
}

static void assert_refused(made_t *m, exchange_t x, const char *why)
{
    status_t st;

    capture_start();
    st = begin_with(m, x);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged(why);
    end(m);
}

/* Two images of 3 x 3 or of 4 x 4, with the labels 0 and `label`. */
static void put_images(int side, int label, char path[PATH_BYTES],
                       char labels[PATH_BYTES])
{
    const uint8_t sizes[] = {2, (uint8_t)side, (uint8_t)side}, bytes[32] = {1, 2, 3};

    dir_file("images.idx", path);
    dir_file("labels.idx", labels);
    idx_put(path, sizes, 3, bytes);
    idx_put(labels, sizes, 1, (uint8_t[]){0, (uint8_t)label});
}

static status_t allgather_twice(exchange_t *x, const void *in, size_t len, void *out)
{
    (void)x;
    memcpy(out, in, len);
    memcpy((char *)out + len, in, len);
    return ST_OK;
}

static void images_that_do_not_fit_are_refused(void **state)
{
    char path[PATH_BYTES], labels[PATH_BYTES];
    exchange_t two = exchange_alone();
    made_t m;

    (void)state;
    two.n_ranks = 2;
    two.allgather = allgather_twice;
    put_images(3, 1, path, labels);
    fill(&m);
    m.opts.images.what.path = path;
    assert_refused(&m, exchange_alone(), "has no labels; give images with labels");
    m.opts.images.what.labels = labels;
    assert_refused(&m, exchange_alone(),
                   "has images of 1 x 4 x 4, but those of training");
    m.opts.test.what.path = NULL;
    assert_refused(&m, exchange_alone(), "takes images of 1 x 4 x 4, but");
    put_images(4, 3, path, labels);
    fill(&m);
    m.opts.test.what = (image_read_t){.path = path, .labels = labels};
    assert_refused(&m, exchange_alone(),
                   "has labels up to 3, but those of training end at 2; give files with "
                   "the same classes");
    fill(&m);
    m.opts.batch = 5;
    assert_refused(&m, two, "batches of 5 images cannot be divided among 2 ranks");
    unlink(path);
    unlink(labels);
    unlink(m.net);
}

static void a_network_of_fewer_classes_is_refused(void **state)
{
    static const char two[] = "[net]\ninput = 1x4x4\n[layers]\nout = linear 2\n"
                              "loss = softmax\n";
    char path[PATH_BYTES], labels[PATH_BYTES];
    made_t m;

    (void)state;
    put_images(4, 2, path, labels);
    fill(&m);
    dir_put(m.net, two, sizeof(two) - 1);
    m.opts.images.what = (image_read_t){.path = path, .labels = labels};
    m.opts.test.what.path = NULL;
    assert_refused(&m, exchange_alone(),
                   "has 2 classes, but the images have 3; write `classes`");
    unlink(path);
    unlink(labels);
    unlink(m.net);
}

/* ---- steps ---- */

static void a_run_that_is_cancelled_stops_between_batches(void **state)
{
    made_t m;

    (void)state;
    make(&m);
    train(&m, 0, 1);
    assert_int_equal(m.job->iteration, JOB_CNN_ITERATIONS);
    job_cancel(&m.job->base);
    assert_int_equal(job_cnn_step(&m.job->base, m.gang, 1), ST_ESTOPPED);
    assert_int_equal(m.job->iteration, JOB_CNN_ITERATIONS);
    end_and_remove(&m);
}

static void training_that_diverges_ends(void **state)
{
    status_t st = ST_OK;
    made_t m;

    (void)state;
    fill(&m);
    m.opts.rate_text = "1000000";
    start(&m);
    capture_start();
    for (int64_t k = 0; st == ST_OK && k < N_STEPS; k++)
        st = job_cnn_step(&m.job->base, m.gang, k);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged("is no finite number: training diverges; give a smaller --rate");
    end_and_remove(&m);
}

/* It has the log: nothing travels. */
static void rank_0_saves_every_task(void **state)
{
    job_cnn_t j = {.n_ranks = 3};

    (void)state;
    for (int64_t task = 0; task < 7; task++)
        for (j.rank = 0; j.rank < 3; j.rank++)
            assert_int_equal(job_cnn_holds(&j.base, task), j.rank == 0);
}

/* ---- checkpoints ---- */

/* The records of a job; all of the first but its seconds is the same in two equal runs.
 */
typedef struct {
    int64_t n;
    buf_t *record;
} records_t;

static records_t take_records(const made_t *m)
{
    const int64_t n = m->job->base.plan.n_tasks;
    records_t r = {n, calloc((size_t)n, sizeof(buf_t))};

    assert_non_null(r.record);
    for (int64_t task = 0; task < n; task++)
        assert_int_equal(job_load(&m->job->base, task, &r.record[task]), ST_OK);
    memset(r.record[0].data + sizeof(int64_t), 0, sizeof(double));
    return r;
}

static void free_records(records_t *r)
{
    for (int64_t task = 0; task < r->n; task++)
        buf_free(&r->record[task]);
    free(r->record);
}

/* Restore the last checkpoint, which has a version. */
static void restore(made_t *m, int64_t want)
{
    job_t *job = &m->job->base;
    buf_t record = {0};
    int64_t version;

    assert_int_equal(job_checkpoint(job, &version), ST_OK);
    assert_int_equal(version, want);
    for (int64_t task = 0; task < job->plan.n_tasks; task++) {
        assert_int_equal(job_load(job, task, &record), ST_OK);
        assert_int_equal(job_cnn_restore(job, task, version, record.data, record.len),
                         ST_OK);
    }
    buf_free(&record);
}

static void a_run_that_is_resumed_ends_as_an_unbroken_one(void **state)
{
    records_t whole, parts;
    made_t m;

    (void)state;
    make(&m);
    train(&m, 0, N_STEPS);
    save_all(&m, N_STEPS);
    whole = take_records(&m);
    end_and_remove(&m);
    make(&m);
    train(&m, 0, 2);
    save_all(&m, 2);
    train(&m, 2, 3); /* is lost */
    end(&m);
    fill(&m);
    m.opts.common.resume = true;
    start(&m);
    restore(&m, 2);
    assert_int_equal(m.job->iteration, 2 * JOB_CNN_ITERATIONS);
    train(&m, 2, N_STEPS);
    save_all(&m, N_STEPS);
    parts = take_records(&m);
    assert_int_equal(parts.n, whole.n);
    for (int64_t task = 0; task < whole.n; task++) {
        assert_int_equal(parts.record[task].len, whole.record[task].len);
        assert_memory_equal(parts.record[task].data, whole.record[task].data,
                            whole.record[task].len);
    }
    free_records(&whole);
    free_records(&parts);
    end_and_remove(&m);
}

/* Records of two steps are stored as those of three. */
static void a_checkpoint_of_another_version_is_refused(void **state)
{
    int64_t version;
    made_t m;

    (void)state;
    make(&m);
    train(&m, 0, 2);
    save_all(&m, 3);
    capture_start();
    assert_int_equal(job_checkpoint(&m.job->base, &version), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("the record of task 0 is impossible: it has counts that no run makes; "
                  "give --force to start anew");
    end_and_remove(&m);
}

static const char bad_length[] = "has another length than that of its task";
static const char bad_counts[] = "has counts that no run makes";
static const char bad_curves[] = "has learning curves that no training makes";

/* The numbers of the head of task 0. */
enum { ITERATION, SECONDS, CHOICES, POINTS, TESTS, HEAD_NUMBERS };

/* Write a value into a record, check the record, and put the value back. */
static void assert_wrong(made_t *m, buf_t *record, size_t at, const void *value,
                         size_t len, const char *why)
{
    char kept[sizeof(double)];
    const char *got;

    assert_true(at + len <= record->len);
    memcpy(kept, record->data + at, len);
    memcpy(record->data + at, value, len);
    got = job_cnn_check_record(&m->job->base, 0, 2, record);
    assert_non_null(got);
    assert_string_equal(got, why);
    memcpy(record->data + at, kept, len);
}

static void assert_wrong_number(made_t *m, buf_t *record, int number, int64_t value)
{
    assert_wrong(m, record, (size_t)number * sizeof(value), &value, sizeof(value),
                 bad_counts);
}

static void assert_wrong_real(made_t *m, buf_t *record, size_t at, double value)
{
    assert_wrong(m, record, at, &value, sizeof(value), bad_curves);
}

/* After two steps: 16 points, and tests after 6 and 12 iterations. */
static void curves_that_no_training_makes_are_refused(void **state)
{
    const double nan_value = (double)NAN;
    buf_t record = {0};
    size_t points, tests;
    int64_t head[HEAD_NUMBERS];
    made_t m;

    (void)state;
    make(&m);
    train(&m, 0, 2);
    assert_int_equal(job_cnn_save(&m.job->base, 0, &record), ST_OK);
    memcpy(head, record.data, sizeof(head));
    assert_int_equal(head[ITERATION], 16);
    assert_int_equal(head[POINTS], 16);
    assert_int_equal(head[TESTS], 2);
    points = sizeof(head) + (size_t)head[CHOICES];
    tests = points + 16 * sizeof(job_cnn_point_t);
    assert_int_equal(record.len, tests + 2 * sizeof(job_cnn_test_t));
    assert_null(job_cnn_check_record(&m.job->base, 0, 2, &record));
    for (int64_t version = 0; version <= N_STEPS; version++)
        if (version != 2)
            assert_string_equal(job_cnn_check_record(&m.job->base, 0, version, &record),
                                bad_counts);
    assert_string_equal(job_cnn_check_record(&m.job->base, 0, N_STEPS + 1, &record),
                        "is of a step that training does not have");
    assert_wrong_number(&m, &record, ITERATION, 15);
    assert_wrong_number(&m, &record, CHOICES, head[CHOICES] + 1);
    assert_wrong_number(&m, &record, CHOICES, 0);
    assert_wrong_number(&m, &record, POINTS, 17);
    assert_wrong_number(&m, &record, POINTS, -1);
    assert_wrong_number(&m, &record, TESTS, 3);
    assert_wrong(&m, &record, SECONDS * sizeof(double), &nan_value, sizeof(double),
                 bad_counts);
    assert_wrong(&m, &record, points - 1, "x", 1,
                 "has choices of algorithms that are no text");
    assert_wrong_real(&m, &record, points + offsetof(job_cnn_point_t, loss), nan_value);
    assert_wrong_real(&m, &record, points + offsetof(job_cnn_point_t, accuracy), 1.25);
    assert_wrong_real(&m, &record, tests + offsetof(job_cnn_test_t, accuracy), -0.25);
    assert_wrong_real(&m, &record, points + offsetof(job_cnn_point_t, accuracy), 0.3);
    assert_wrong_real(&m, &record, points + offsetof(job_cnn_point_t, rate), 0.3);
    assert_wrong_real(&m, &record, tests + offsetof(job_cnn_test_t, accuracy), 0.35);
    assert_wrong(&m, &record, tests, (int64_t[]){12}, sizeof(int64_t), bad_curves);
    assert_wrong(&m, &record, tests, (int64_t[]){5}, sizeof(int64_t), bad_curves);
    assert_wrong(&m, &record, tests + sizeof(job_cnn_test_t), (int64_t[]){17},
                 sizeof(int64_t), bad_curves);
    for (size_t len = 0; len < record.len; len++)
        assert_non_null(job_cnn_check_record(&m.job->base, 0, 2,
                                             &(buf_t){.data = record.data, .len = len}));
    buf_free(&record);
    end_and_remove(&m);
}

static void tensors_that_do_not_fit_are_refused(void **state)
{
    const float nan_value = NAN;
    buf_t record = {0};
    made_t m;

    (void)state;
    make(&m);
    for (int64_t task = 1; task < m.job->base.plan.n_tasks; task++) {
        record.len = 0;
        assert_int_equal(job_cnn_save(&m.job->base, task, &record), ST_OK);
        assert_null(job_cnn_check_record(&m.job->base, task, 0, &record));
        record.len--;
        assert_string_equal(job_cnn_check_record(&m.job->base, task, 0, &record),
                            bad_length);
        record.len++;
        memcpy(record.data + record.len - sizeof(float), &nan_value, sizeof(float));
        assert_string_equal(job_cnn_check_record(&m.job->base, task, 0, &record),
                            "has a value that is no number");
    }
    capture_start();
    assert_int_equal(job_cnn_restore(&m.job->base, 1, 0, record.data, 1), ST_EINPUT);
    assert_int_equal(job_cnn_restore(&m.job->base, 0, 0, record.data, 1), ST_EINPUT);
    capture_stop();
    assert_logged("the record of task 1 is damaged; give --force to start over");
    assert_logged("the record of task 0 is damaged; give --force to start over");
    buf_free(&record);
    end_and_remove(&m);
}

/* ---- the result ---- */

static void assert_arrays(const made_t *m, const records_t *r)
{
    const cnn_program_t *p = m->job->training;
    cnn_model_t *model;

    assert_int_equal(cnn_model_open(m->output, &model), ST_OK);
    for (int64_t task = 1; task < r->n; task++) {
        const cnn_tensor_t *t = &p->tensors[m->job->kept[task - 1]];
        float *values = malloc(r->record[task].len);

        assert_non_null(values);
        assert_int_equal(
            cnn_model_read(model,
                           &(cnn_model_array_t){.name = t->name,
                                                .is_parameter = t->role == CNN_PARAMETER,
                                                .rows = t->size[0],
                                                .columns = cnn_tensor_n(t) / t->size[0]},
                           values),
            ST_OK);
        assert_memory_equal(values, r->record[task].data, r->record[task].len);
        free(values);
    }
    cnn_model_close(model);
}

static void a_model_has_the_last_checkpoint_and_its_curves(void **state)
{
    job_report_t report = {.seconds = 1};
    const cnn_model_info_t *info;
    cnn_model_t *model;
    buf_t finished = {0};
    records_t records;
    made_t m;

    (void)state;
    make(&m);
    train(&m, 0, N_STEPS);
    save_all(&m, N_STEPS);
    records = take_records(&m);
    assert_int_equal(job_finish(&m.job->base, &report), ST_OK);
    assert_int_equal(access(m.job->base.part_path, F_OK), -1);
    assert_arrays(&m, &records);
    assert_int_equal(cnn_model_open(m.output, &model), ST_OK);
    info = cnn_model_info(model);
    assert_string_equal(info->job, (const char *)m.job->base.text.data);
    assert_int_equal(info->n_classes, 3);
    assert_int_equal(info->curve.n, N_ITERATIONS);
    assert_int_equal(info->tests.n, 6);
    for (int e = 0; e < 6; e++)
        assert_int_equal(info->tests.iteration[e], 6 * (e + 1));
    assert_true(info->curve.rate[0] == 0.125);
    assert_true(info->curve.loss[N_ITERATIONS - 1] < info->curve.loss[0]);
    assert_int_equal(result_read_job(m.output, &cnn_model_kind, &finished), ST_OK);
    assert_int_equal(finished.len, strlen(info->job));
    assert_memory_equal(finished.data, info->job, finished.len);
    cnn_model_close(model);
    buf_free(&finished);
    free_records(&records);
    end_and_remove(&m);
    unlink(m.output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_follows_from_network_images_and_options),
        cmocka_unit_test(a_text_has_what_the_model_depends_on),
        cmocka_unit_test(images_that_do_not_fit_are_refused),
        cmocka_unit_test(a_network_of_fewer_classes_is_refused),
        cmocka_unit_test(a_run_that_is_cancelled_stops_between_batches),
        cmocka_unit_test(training_that_diverges_ends),
        cmocka_unit_test(rank_0_saves_every_task),
        cmocka_unit_test(a_run_that_is_resumed_ends_as_an_unbroken_one),
        cmocka_unit_test(a_checkpoint_of_another_version_is_refused),
        cmocka_unit_test(curves_that_no_training_makes_are_refused),
        cmocka_unit_test(tensors_that_do_not_fit_are_refused),
        cmocka_unit_test(a_model_has_the_last_checkpoint_and_its_curves),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
