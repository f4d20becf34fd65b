/*
 * test_job_predict.c - the job "cnn predict": its tasks, their records, and its table,
 * for a network whose probabilities are worked out by hand.
 */
#include "tests/support/unit_test.h"

#include "io/modelfile/cnn_model.h"
#include "tests/worker/cnn/idx_images.h"
#include "worker/cnn/predict/predict_model.h"
#include "worker/cnn/predict/predict_opts.h"
#include "worker/exchange.h"

#include <math.h>

static const char net_text[] = "[net]\ninput = 1x1x2\n[layers]\nout = linear classes\n"
                               "loss = softmax\n[solver]\nbatch = 2\n";

/* Values of images are their bytes divided by 256: bytes a, b give the three classes
 * 2^a : 2^b : 1. */
#define UNIT ((float)(256 * M_LN2))
static const float weights[] = {UNIT, 0, 0, UNIT, 0, 0}, biases[] = {0, 0, 0};

/* Seven images, so that the last of four batches has one. */
enum { N_IMAGES = 7, N_TASKS = 4 };
static const uint8_t bytes[] = {1, 0, 0, 2, 0, 0, 1, 1, 3, 2, 0, 1, 2, 3};
static const uint8_t labels[] = {0, 1, 2, 1, 0, 1, 2};

/* The two most probable classes; equal ones in the order of their numbers. */
static const char table[] = "image\tclass\tprobability\n"
                            "1\t0\t0.500000\n1\t1\t0.250000\n"
                            "2\t1\t0.666667\n2\t0\t0.166667\n"
                            "3\t0\t0.333333\n3\t1\t0.333333\n"
                            "4\t0\t0.400000\n4\t1\t0.400000\n"
                            "5\t0\t0.615385\n5\t1\t0.307692\n"
                            "6\t1\t0.500000\n6\t0\t0.250000\n"
                            "7\t1\t0.615385\n7\t0\t0.307692\n";

/* A record of the job has these, [images of the task][top]. */
typedef struct {
    int32_t class_number;
    float probability;
} answer_t;

typedef struct {
    char model[PATH_BYTES], images[PATH_BYTES], labels[PATH_BYTES], output[PATH_BYTES];
    predict_opts_t opts;
    job_t *job;
} made_t;

/* Write a model of the network. @param n_arrays  of weights and biases */
static void put_model(const char *path, const char *text, const float *of_classes,
                      int n_arrays)
{
    const cnn_model_array_t arrays[] = {{"out.weight", true, 3, 2, weights},
                                        {"out.bias", true, 1, 3, of_classes}};
    const cnn_model_info_t info = {.net = text,
                                   .job = "job=cnn\n",
                                   .choices = "",
                                   .n_classes = 3,
                                   .run = {.program = "p", .command = "c", .ranks = -1}};

    assert_int_equal(cnn_model_write(path, true, &info, arrays, n_arrays, NULL, NULL),
                     ST_OK);
}

/* Write a model and images, and fill in the options of a job on them. */
static void fill(made_t *m)
{
    dir_file("m.h5", m->model);
    dir_file("images.idx", m->images);
    dir_file("labels.idx", m->labels);
    dir_file("out.tsv", m->output);
    put_model(m->model, net_text, biases, 2);
    idx_put(m->images, (uint8_t[]){N_IMAGES, 1, 2}, 3, bytes);
    idx_put(m->labels, (uint8_t[]){N_IMAGES}, 1, labels);
    m->opts = predict_opts_defaults();
    m->opts.model = m->model;
    m->opts.images.what.path = m->images;
    m->opts.images.what.labels = m->labels;
    m->opts.top = 2;
    m->opts.common.output = m->output;
    m->opts.common.version = "1";
    m->opts.common.command_line = "";
    m->opts.common.kernel = "serial";
}

/* Begin, with a child that reads the model. */
static status_t begin(made_t *m)
{
    char why[JOB_OPTS_WHY_BYTES];
    const child_limits_t limits = {.memory_bytes = INT64_C(1) << 40, .seconds = 60};
    exchange_t x = exchange_alone();
    job_t *job;
    status_t st;

    assert_int_equal(job_predict_ops.settle(&m->opts.common, why), ST_OK);
    assert_int_equal(predict_child_prepare(&m->opts), ST_OK);
    assert_int_equal(child_reader_start(&limits, predict_child_answer, &m->opts,
                                        &m->opts.common.reader),
                     ST_OK);
    assert_int_equal(job_create(&job_predict_ops, &m->opts.common, &job), ST_OK);
    m->job = job;
    st = job_begin(job, &x);
    child_reader_destroy(m->opts.common.reader);
    m->opts.common.reader = NULL;
    return st;
}

static void start(made_t *m)
{
    const device_t cpu = device_cpu();
    const char *kernel;
    double guess;

    assert_int_equal(begin(m), ST_OK);
    assert_int_equal(job_open(m->job), ST_OK);
    assert_int_equal(job_prepare(m->job, &cpu, NULL, &kernel, &guess), ST_OK);
    assert_string_equal(kernel, "serial");
}

static void make(made_t *m)
{
    fill(m);
    start(m);
}

static void end(made_t *m)
{
    job_destroy(m->job);
    unlink(m->model);
    unlink(m->images);
    unlink(m->labels);
}

/* Compute tasks at one time, in a place, and store their results from the last one on. */
static void compute(made_t *m, int place, const int64_t *tasks, int n)
{
    job_t *job = m->job;
    buf_t record = {0};
    int n_begun;

    assert_int_equal(job_submit(job, tasks, n, &n_begun), ST_OK);
    assert_int_equal(n_begun, n);
    assert_int_equal(job_collect(job, place), ST_OK);
    for (int k = n - 1; k >= 0; k--) {
        record.len = 0;
        assert_int_equal(job_predict_ops.pack(job, place, k, 0, &record), ST_OK);
        assert_int_equal(job_store(job, tasks[k], 0, record.data, record.len), ST_OK);
    }
    buf_free(&record);
}

/* The records of all tasks are accepted, and make the table. */
static void assert_table(made_t *m)
{
    job_report_t report = {.seconds = 1};
    buf_t record = {0};
    size_t len;
    char *text;

    for (int64_t task = 0; task < N_TASKS; task++) {
        assert_int_equal(job_load(m->job, task, &record), ST_OK);
        assert_null(job_predict_ops.check_record(m->job, task, 0, &record));
    }
    buf_free(&record);
    assert_int_equal(job_finish(m->job, &report), ST_OK);
    text = (char *)dir_get(m->output, &len);
    text[len] = '\0';
    assert_string_equal(text, table);
    free(text);
    unlink(m->output);
}

static void a_task_is_a_batch_and_the_last_one_the_rest(void **state)
{
    made_t m;

    (void)state;
    make(&m);
    assert_int_equal(m.job->plan.kind, JOB_FREE);
    assert_int_equal(m.job->plan.n_tasks, N_TASKS);
    for (int64_t task = 0; task < N_TASKS; task++) {
        assert_int_equal(job_items(m.job, task), task < 3 ? 2 : 1);
        assert_int_equal(job_cost(m.job, task), job_cost(m.job, 0));
    }
    end(&m);
    fill(&m);
    m.opts.batch = 7;
    m.opts.top = 9; /* of three classes */
    assert_int_equal(begin(&m), ST_OK);
    assert_int_equal(m.job->plan.n_tasks, 1);
    assert_int_equal(job_items(m.job, 0), 7);
    assert_int_equal(job_predict_ops.describe(m.job), ST_OK);
    assert_int_equal(buf_append(&m.job->text, "", 1), ST_OK);
    assert_non_null(strstr((const char *)m.job->text.data, "\ntop=3\n"));
    end(&m);
}

static void a_table_does_not_depend_on_the_order_of_tasks(void **state)
{
    static const int64_t orders[][N_TASKS] = {{0, 1, 2, 3},
                                              {3, 2, 1, 0},
                                              {2, 0, 3, 1},
                                              {1, 3, 0, 2}};
    made_t m;

    (void)state;
    for (int o = 0; o < 4; o++) {
        make(&m);
        compute(&m, 0, orders[o], o + 1);
        if (o + 1 < N_TASKS)
            compute(&m, 1, orders[o] + o + 1, N_TASKS - o - 1);
        assert_table(&m);
        end(&m);
    }
}

/* The results of a place are packed while those of the other one are collected. */
static void the_tasks_of_a_place_are_kept_until_they_are_packed(void **state)
{
    static const int64_t first[] = {3, 0}, second[] = {1, 2};
    job_t *job;
    buf_t record = {0};
    int n_begun;
    made_t m;

    (void)state;
    make(&m);
    job = m.job;
    assert_int_equal(job_submit(job, first, 2, &n_begun), ST_OK);
    assert_int_equal(job_collect(job, 0), ST_OK);
    compute(&m, 1, second, 2);
    for (int k = 0; k < 2; k++) {
        record.len = 0;
        assert_int_equal(job_predict_ops.pack(job, 0, k, 0, &record), ST_OK);
        assert_int_equal(job_store(job, first[k], 0, record.data, record.len), ST_OK);
    }
    assert_table(&m);
    buf_free(&record);
    end(&m);
}

static void at_most_four_tasks_are_begun_at_once(void **state)
{
    static const int64_t tasks[] = {0, 1, 2, 3, 4, 5};
    int n_begun;
    made_t m;

    (void)state;
    fill(&m);
    m.opts.batch = 1;
    start(&m);
    assert_int_equal(job_submit(m.job, tasks, 6, &n_begun), ST_OK);
    assert_int_equal(n_begun, 4);
    end(&m);
}

static void accuracy_is_that_of_the_labels(void **state)
{
    job_report_t report = {.seconds = 1};
    made_t m;

    (void)state;
    make(&m);
    compute(&m, 0, (int64_t[]){0, 1, 2, 3}, N_TASKS);
    capture_start();
    assert_int_equal(job_finish(m.job, &report), ST_OK);
    capture_stop();
    assert_logged("4 of 7 images are right: 57.14 %");
    assert_logged("5 are right within the first 2 classes: 71.43 %");
    unlink(m.output);
    end(&m);
}

/* Class or probability of an answer is replaced. */
static void assert_wrong(made_t *m, const buf_t *record, int at, answer_t answer)
{
    buf_t changed = {0};

    assert_int_equal(buf_append(&changed, record->data, record->len), ST_OK);
    memcpy(changed.data + (size_t)at * sizeof(answer), &answer, sizeof(answer));
    assert_string_equal(job_predict_ops.check_record(m->job, 0, 0, &changed),
                        "has classes or probabilities that the network does not have");
    buf_free(&changed);
}

static void records_that_do_not_fit_are_refused(void **state)
{
    const answer_t good[] = {{2, 0.5F}, {0, 0.5F}, {1, 1}, {2, 0}};
    buf_t record = {0};
    made_t m;

    (void)state;
    make(&m);
    assert_int_equal(buf_append(&record, good, sizeof(good)), ST_OK);
    assert_null(job_predict_ops.check_record(m.job, 0, 0, &record));
    assert_string_equal(job_predict_ops.check_record(m.job, 3, 0, &record),
                        "has another length than that of its images");
    for (record.len = 0; record.len < sizeof(good); record.len++)
        assert_string_equal(job_predict_ops.check_record(m.job, 0, 0, &record),
                            "has another length than that of its images");
    assert_wrong(&m, &record, 0, (answer_t){3, 0.5F});
    assert_wrong(&m, &record, 3, (answer_t){-1, 0});
    assert_wrong(&m, &record, 1, (answer_t){0, 0.625F}); /* ascends */
    assert_wrong(&m, &record, 1, (answer_t){2, 0.5F});   /* twice */
    assert_wrong(&m, &record, 3, (answer_t){2, 0.5F});   /* more than 1 in all */
    assert_wrong(&m, &record, 2, (answer_t){0, 1.125F});
    assert_wrong(&m, &record, 3, (answer_t){0, -0.125F});
    assert_wrong(&m, &record, 3, (answer_t){0, NAN});
    buf_free(&record);
    end(&m);
}

/* A log in which a task has the record of another one is not continued. */
static void a_log_with_a_wrong_record_is_refused(void **state)
{
    buf_t record = {0};
    job_t *job;
    made_t m;

    (void)state;
    make(&m);
    compute(&m, 0, (int64_t[]){0}, 1);
    assert_int_equal(job_predict_ops.pack(m.job, 0, 0, 0, &record), ST_OK);
    assert_int_equal(job_store(m.job, 3, 0, record.data, record.len), ST_OK);
    job_destroy(m.job);
    m.opts.common.resume = true;
    assert_int_equal(begin(&m), ST_OK);
    job = m.job;
    capture_start();
    assert_int_equal(job_open(job), ST_EINPUT);
    capture_stop();
    assert_logged(
        "the record of task 3 is impossible: it has another length than that of "
        "its images; give --force to start anew");
    unlink(job->part_path);
    buf_free(&record);
    end(&m);
}

static void assert_refused(made_t *m, const char *why)
{
    status_t st;

    capture_start();
    st = begin(m);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged(why);
    end(m);
}

static void odd_models_are_refused(void **state)
{
    const struct {
        const char *net;
        int n_arrays;
        const char *why;
    } rows[] = {
        {net_text, 1, "/parameters/out.bias is missing"},
        {"[net]\ninput = 1x1x2\n[layers]\nout = linear 4\nloss = softmax\n", 2,
         "/parameters/out.weight is 3 x 2, but the network has 4 x 2"},
        {"[net]\ninput = 1x1x2\n[layers]\nin = linear 2\nout = linear classes\n"
         "loss = softmax\n",
         2, "/parameters/in.weight is missing"},
        {"[net]\ninput = 1x1x2\n[layers]\nout = oracle 3\n", 2, "oracle"},
    };
    made_t m;

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        fill(&m);
        put_model(m.model, rows[k].net, biases, rows[k].n_arrays);
        assert_refused(&m, rows[k].why);
    }
    fill(&m);
    dir_put(m.model, "no HDF5", 7);
    assert_refused(&m, "not an HDF5 file");
}

static void images_that_do_not_fit_are_refused(void **state)
{
    const uint8_t high[N_IMAGES] = {0, 1, 2, 3};
    made_t m;

    (void)state;
    fill(&m);
    idx_put(m.images, (uint8_t[]){N_IMAGES, 2, 1}, 3, bytes);
    assert_refused(&m, "takes images of 1 x 1 x 2, but");
    fill(&m);
    idx_put(m.labels, (uint8_t[]){N_IMAGES}, 1, high);
    assert_refused(&m, "has labels up to 3, but those of");
}

static void parameters_that_are_no_numbers_are_refused(void **state)
{
    const float odd[] = {NAN, 0, 0};
    made_t m;

    (void)state;
    fill(&m);
    put_model(m.model, net_text, odd, 2);
    capture_start();
    assert_int_equal(begin(&m), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("/parameters/out.bias is not finite at row 1, column 1");
    assert_int_equal(access(m.output, F_OK), -1);
    end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_is_a_batch_and_the_last_one_the_rest),
        cmocka_unit_test(a_table_does_not_depend_on_the_order_of_tasks),
        cmocka_unit_test(the_tasks_of_a_place_are_kept_until_they_are_packed),
        cmocka_unit_test(at_most_four_tasks_are_begun_at_once),
        cmocka_unit_test(accuracy_is_that_of_the_labels),
        cmocka_unit_test(records_that_do_not_fit_are_refused),
        cmocka_unit_test(a_log_with_a_wrong_record_is_refused),
        cmocka_unit_test(odd_models_are_refused),
        cmocka_unit_test(images_that_do_not_fit_are_refused),
        cmocka_unit_test(parameters_that_are_no_numbers_are_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
