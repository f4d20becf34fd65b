/*
 * job_predict.c - the job "cnn predict": images into their most probable classes.
 *
 * A task is a batch of the network's program: images task * batch and following ones.
 */
#include "worker/cnn/predict/predict_opts.h"

#include "cnn/solve/cnn_runner.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/file/whole_file.h"
#include "kernels/registry/backends.h"
#include "worker/cnn/predict/predict_model.h"
#include "worker/job_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 4 }; /* collected at once */

/* A class of an image.  Records are [images of the task][top] of these. */
typedef struct {
    int32_t class_number;
    float probability;
} answer_t;

typedef struct {
    job_t base;
    const predict_opts_t *opts;

    /* on every rank */
    predict_model_t model;
    image_set_t images; /* names on rank 0 only; labels number the model's classes, -1: a
                         * class that it lacks */
    int top;            /* classes per image */

    /* every rank, as a worker */
    cnn_runner_t runner;
} job_predict_t;

static int64_t batch_of(const job_predict_t *j)
{
    return j->model.program->tensors[0].size[0];
}

static int64_t n_tasks_of(const job_predict_t *j)
{
    return (j->images.n + batch_of(j) - 1) / batch_of(j);
}

/* @return the number of images of a task */
static int64_t n_images_of(const job_predict_t *j, int64_t task)
{
    const int64_t batch = batch_of(j), left = j->images.n - task * batch;

    return left < batch ? left : batch;
}

/* ---- options ---- */

predict_opts_t predict_opts_defaults(void)
{
    return (predict_opts_t){.images = {.what.keeps_missing = true, .stream = -1},
                            .top = 1,
                            .seed = 1,
                            .stream = -1,
                            .common = job_opts_defaults()};
}

static status_t settle(job_opts_t *o, char why[JOB_OPTS_WHY_BYTES])
{
    const predict_opts_t *p = (const predict_opts_t *)o;
    status_t st = job_opts_check_output(o, "FILE", false, why);

    if (st == ST_OK && (st = cnn_images_check(&p->images.what, why)) == ST_OK)
        st = cnn_limit_check(&p->limit, &CNN_LIMIT_GIVEN(p), why);
    return st == ST_OK ? job_opts_settle_device(&o->device, o->kernel, &cnn_table, why)
                       : st;
}

static status_t reader(job_opts_t *opts, job_reader_t *out)
{
    predict_opts_t *o = (predict_opts_t *)opts;
    status_t st = predict_child_prepare(o);

    *out = (job_reader_t){.is_needed = true,
                          .answer = predict_child_answer,
                          .files = {o->model, o->images.what.path}};
    return st;
}

/* ---- the input: rank 0 reads it and gives labels the numbers of the model ---- */

typedef struct {
    const char *name;
    int32_t number;
} class_t;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const class_t *)a)->name, ((const class_t *)b)->name);
}

/* List the model's classes in the order of their names. */
static class_t *sort_classes(const predict_stored_t *m)
{
    class_t *classes = malloc((size_t)m->n_named * sizeof(*classes));

    for (int c = 0; classes != NULL && c < m->n_named; c++)
        classes[c] = (class_t){m->names[c], c};
    if (classes != NULL)
        qsort(classes, (size_t)m->n_named, sizeof(*classes), by_name);
    return classes;
}

static void warn_missing(const job_predict_t *j, int64_t n, int32_t first)
{
    if (n > 0)
        log_warn("%" PRId64 " of %" PRId64 " images have a class that %s was not trained "
                 "on, the first is '%s'; no answer is right for them",
                 n, j->images.n, j->opts->model, j->images.classes[first]);
}

/* Both name their classes: equal names are the same class. */
static status_t match_names(job_predict_t *j)
{
    image_set_t *set = &j->images;
    class_t *classes = sort_classes(&j->model.stored);
    int32_t *number = malloc((size_t)set->n_classes * sizeof(*number) + 1);
    int32_t first = 0;
    int64_t n_missing = 0;
    status_t st = classes != NULL && number != NULL ? ST_OK : log_nomem("classes");

    for (int c = 0; st == ST_OK && c < set->n_classes; c++) {
        const class_t key = {set->classes[c], 0};
        const class_t *found = bsearch(&key, classes, (size_t)j->model.stored.n_named,
                                       sizeof(*classes), by_name);

        number[c] = found != NULL ? found->number : -1;
    }
    for (int64_t i = 0; st == ST_OK && i < set->n; i++) {
        const int32_t label = set->labels[i];

        if (label < 0) /* it has no lineage */
            continue;
        set->labels[i] = number[label];
        if (number[label] < 0 && n_missing++ == 0)
            first = label;
    }
    if (st == ST_OK)
        warn_missing(j, n_missing, first);
    free(classes);
    free(number);
    return st;
}

static status_t number_labels(job_predict_t *j)
{
    const int n_classes = j->model.net->n_classes;

    if (j->images.labels == NULL)
        return ST_OK;
    if (j->images.classes != NULL && j->model.stored.n_named > 0)
        return match_names(j);
    if (j->images.n_classes <= n_classes)
        return ST_OK;
    log_error("%s has labels up to %d, but those of %s end at %d; give images of its "
              "classes, or leave out their labels",
              j->opts->images.what.path, j->images.n_classes - 1, j->opts->model,
              n_classes - 1);
    return ST_EINPUT;
}

/* ---- rank 0 ---- */

static status_t check_images(const job_predict_t *j)
{
    const int64_t *size = j->model.net->layers[0].size;
    const image_set_t *images = &j->images;
    const char *path = j->opts->images.what.path;

    if (images->n == 0) {
        log_error("%s has no images; give images to classify", path);
        return ST_EINPUT;
    }
    if (size[0] == images->size[0] && size[1] == images->size[1] &&
        size[2] == images->size[2])
        return ST_OK;
    log_error("%s takes images of %" PRId64 " x %" PRId64 " x %" PRId64
              ", but %s has images of %d x %d x %d; give images as in training",
              j->opts->model, size[0], size[1], size[2], path, images->size[0],
              images->size[1], images->size[2]);
    return ST_EINPUT;
}

static status_t read_all(job_predict_t *j)
{
    const predict_opts_t *o = j->opts;
    image_source_t source = o->images;
    status_t st = predict_model_read(o, &j->model);

    if (st != ST_OK)
        return st;
    for (int d = 0; d < 3; d++) /* of synthetic images */
        source.what.size[d] = (int)j->model.net->layers[0].size[d];
    source.what.n_classes = j->model.net->n_classes;
    source.what.seed = (uint64_t)o->seed;
    st = image_exchange_read(&source, o->common.reader, PREDICT_CHILD_IMAGES, &j->images);
    child_reader_stop(o->common.reader);
    if (st != ST_OK || (st = check_images(j)) != ST_OK)
        return st;
    return number_labels(j);
}

/* ---- all ranks ---- */

static const array_t shared_rows[] = {
    ARRAY_MEMBER(job_predict_t, model.stored, &predict_stored_arrays),
    ARRAY_MEMBER(job_predict_t, images, &image_set_arrays), ARRAYS_END};

static const arrays_t shared = {"images and their network", sizeof(job_predict_t),
                                shared_rows, NULL};

/* What reading makes sure of, of what a client has sent. */
static status_t check_sent(const job_predict_t *j)
{
    const predict_stored_t *m = &j->model.stored;
    const image_set_t *images = &j->images;

    if (m->text != NULL && m->values != NULL && m->n_classes >= 0 &&
        m->n_classes <= CNN_NET_MAX_CLASSES &&
        (images->bytes != NULL) != (images->values != NULL))
        return ST_OK;
    log_error("the client sent a network or images that nothing can be done with");
    return ST_EINPUT;
}

static status_t read_input(job_predict_t *j, exchange_t *x)
{
    status_t st = exchange_agree(x, x->rank == 0 ? read_all(j) : ST_OK);

    if (st != ST_OK || (st = exchange_object(x, &shared, j)) != ST_OK)
        return st;
    if (x->has_no_gangs && /* who does not trust rank 0 looks, too */
        (st = exchange_agree(x, x->rank > 0 ? check_sent(j) : ST_OK)) != ST_OK)
        return st;
    if ((st = exchange_agree(x, predict_model_compile(j->opts, &j->model))) != ST_OK)
        return st;
    if (x->has_no_gangs &&
        (st = exchange_agree(x, x->rank > 0 ? check_images(j) : ST_OK)) != ST_OK)
        return st;
    j->top = j->opts->top < j->model.net->n_classes ? (int)j->opts->top
                                                    : j->model.net->n_classes;
    return ST_OK;
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_predict_t *j = (job_predict_t *)job;
    status_t st;

    j->opts = (const predict_opts_t *)job->opts;
    st = cnn_number_check_job(j->opts->number, job->opts);
    if ((st = exchange_agree(x, st)) != ST_OK || (st = read_input(j, x)) != ST_OK)
        return st;
    job->plan = (job_plan_t){.kind = JOB_FREE,
                             .n_tasks = n_tasks_of(j),
                             .task_word = "batches",
                             .item_word = "images",
                             .cost_word = "operations",
                             .rate_word = "FLOPS"};
    return ST_OK;
}

/* The last batch is as large as the others, though not all of it are images. */
static int64_t cost(const job_t *job, int64_t task)
{
    const job_predict_t *j = (const job_predict_t *)job;
    double flops = 0;

    (void)task;
    for (int s = 0; s < j->model.program->n_forward; s++)
        flops += j->model.program->steps[s].flops;
    return (int64_t)flops;
}

static int64_t items(const job_t *job, int64_t task)
{
    return n_images_of((const job_predict_t *)job, task);
}

static void free_job(job_t *job)
{
    job_predict_t *j = (job_predict_t *)job;

    predict_model_free(&j->model);
    image_set_free(&j->images);
}

/* ---- on a worker ---- */

static status_t prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_predict_t *j = (job_predict_t *)job;
    status_t st = predict_model_runner(&j->model, &j->opts->common, &job->device,
                                       job->pool, &j->runner);

    job->depth = 1;
    job->max_batch = TASKS;
    job->result_bytes = (size_t)(batch_of(j) * j->top) * sizeof(answer_t);
    if (st != ST_OK)
        return st;
    *kernel_name = j->runner.backend->base.name;
    *guess = backend_rate(&j->runner.backend->base, job->pool);
    return ST_OK;
}

static void release(job_t *job)
{
    job_predict_t *j = (job_predict_t *)job;

    cnn_runner_destroy(&j->runner);
}

/* ---- batches ---- */

/* Pick the most probable classes; equal ones in the order of their numbers. */
static void pick(const float *probabilities, int64_t n_classes, int top, answer_t *out)
{
    int n = 0;

    for (int64_t c = 0; c < n_classes; c++) {
        const float p = probabilities[c];
        int at = n;

        if (n == top && !(p > out[top - 1].probability))
            continue;
        if (n < top)
            n++;
        else
            at--;
        for (; at > 0 && p > out[at - 1].probability; at--)
            out[at] = out[at - 1];
        out[at] = (answer_t){(int32_t)c, p};
    }
}

static status_t collect(job_t *job, int place)
{
    job_predict_t *j = (job_predict_t *)job;
    const job_batch_t *b = &job->collected[place];
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < b->n && !job_is_cancelled(job); k++) {
        const int64_t n = n_images_of(j, b->tasks[k]);
        answer_t *answers = job_result(job, place, k);

        st = cnn_runner_classify(&j->runner, &j->images, b->tasks[k] * batch_of(j), n);
        for (int64_t i = 0; st == ST_OK && i < n; i++)
            pick(j->runner.probabilities + i * j->runner.n_classes, j->runner.n_classes,
                 j->top, answers + i * j->top);
    }
    return st;
}

static status_t pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    const job_predict_t *j = (const job_predict_t *)job;
    const int64_t n = n_images_of(j, job->collected[place].tasks[k]) * j->top;

    (void)thread;
    return buf_append(out, job_result(job, place, k), (size_t)n * sizeof(answer_t));
}

/* ---- the log of finished batches ---- */

static void outputs(const job_opts_t *opts, job_outputs_t *out)
{
    (void)opts;
    out->is_text = true;
}

static status_t describe(job_t *job)
{
    const job_predict_t *j = (const job_predict_t *)job;
    status_t st =
        buf_printf(&job->text,
                   "job=cnn-predict\nmodel_digest=%016" PRIx64 "\nimages=%" PRId64
                   "\nimages_digest=%016" PRIx64 "\nbatch=%" PRId64 "\ntop=%d\ntype=%s\n",
                   predict_model_digest(&j->model), j->images.n,
                   image_set_digest(&j->images), batch_of(j), j->top,
                   cnn_number_name[j->opts->number]);

    return st == ST_OK && j->images.names != NULL
               ? buf_printf(&job->text, "names_digest=%016" PRIx64 "\n",
                            texts_digest(j->images.names, j->images.n, DIGEST_START))
               : st;
}

/* Of probabilities that were rounded to 8 bits. */
#define MAX_SUM 1.01F

/* Different classes of an image, the most probable first.
 * @param seen  [n_classes] the last image with each class, from 1 */
static bool answers_fit(const job_predict_t *j, const char *at, int64_t image,
                        int64_t *seen)
{
    float before = 1, sum = 0;

    for (int k = 0; k < j->top; k++) {
        answer_t a;

        memcpy(&a, at + k * (int)sizeof(a), sizeof(a));
        if (a.class_number < 0 || a.class_number >= j->model.net->n_classes ||
            !(a.probability >= 0 && a.probability <= before) ||
            seen[a.class_number] == image)
            return false;
        seen[a.class_number] = image;
        before = a.probability;
        sum += a.probability;
    }
    return sum <= MAX_SUM && (j->top < j->model.net->n_classes || sum >= 2 - MAX_SUM);
}

static const char *check_record(job_t *job, int64_t task, int64_t version,
                                const buf_t *record)
{
    const job_predict_t *j = (const job_predict_t *)job;
    const int64_t n = n_images_of(j, task);
    const size_t row = (size_t)j->top * sizeof(answer_t);

    int64_t *seen, i = 0;

    (void)version;
    if (record->len != (size_t)n * row)
        return "has another length than that of its images";
    if ((seen = calloc((size_t)j->model.net->n_classes + 1, sizeof(*seen))) == NULL)
        return "cannot be checked: there is not enough memory";
    while (i < n &&
           answers_fit(j, (const char *)record->data + (size_t)i * row, i + 1, seen))
        i++;
    free(seen);
    return i == n ? NULL : "has classes or probabilities that the network does not have";
}

static status_t opened(job_t *job)
{
    const job_predict_t *j = (const job_predict_t *)job;

    log_info("%s: %" PRId64 " images of %d x %d x %d in batches of %" PRId64
             ", %d classes",
             j->opts->images.what.path, j->images.n, j->images.size[0], j->images.size[1],
             j->images.size[2], batch_of(j), j->model.net->n_classes);
    return ST_OK;
}

/* ---- the output ---- */

typedef struct {
    const job_predict_t *j;
    FILE *to;
    int64_t n_right, n_near; /* images whose first class, or one of all, is right */
} table_t;

static void write_image(table_t *t, int64_t i, const answer_t *answers)
{
    const image_set_t *set = &t->j->images;

    for (int k = 0; k < t->j->top; k++) {
        const int32_t c = answers[k].class_number;

        if (set->names != NULL)
            fputs(set->names[i], t->to);
        else
            fprintf(t->to, "%" PRId64, i + 1);
        if (c < t->j->model.stored.n_named)
            fprintf(t->to, "\t%s", t->j->model.stored.names[c]);
        else
            fprintf(t->to, "\t%" PRId32, c);
        fprintf(t->to, "\t%.6f\n", (double)answers[k].probability);
        if (set->labels != NULL && set->labels[i] == c) {
            t->n_right += k == 0;
            t->n_near++;
        }
    }
}

/* Write the images of a record. */
static status_t write_record(table_t *t, int64_t task, const answer_t *at)
{
    const job_predict_t *j = t->j;
    const int64_t n = n_images_of(j, task), first = task * batch_of(j);

    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(at[i * j->top].probability)) {
            log_error("image %" PRId64 ": its probabilities are no numbers; %s has "
                      "parameters that are too large, train it again with a smaller "
                      "--rate",
                      first + i + 1, j->opts->model);
            return ST_EINPUT;
        }
        write_image(t, first + i, at + i * j->top);
    }
    return ST_OK;
}

static status_t write_tasks(table_t *t)
{
    const job_predict_t *j = t->j;
    buf_t record = {0};
    status_t st = ST_OK;

    fprintf(t->to, "image\tclass\tprobability\n");
    for (int64_t task = 0; st == ST_OK && task < n_tasks_of(j); task++) {
        const size_t n = (size_t)(n_images_of(j, task) * j->top);

        if ((st = reslog_read(j->base.log, task, &record)) != ST_OK)
            break;
        if (record.len != n * sizeof(answer_t)) {
            st = job_refuse(&j->base, task);
            break;
        }
        st = write_record(t, task, (const answer_t *)(const void *)record.data);
    }
    buf_free(&record);
    return st;
}

static void log_accuracy(const table_t *t)
{
    const job_predict_t *j = t->j;
    const double n = (double)j->images.n;

    if (j->images.labels == NULL)
        return;
    log_info("%" PRId64 " of %" PRId64 " images are right: %.2f %%", t->n_right,
             j->images.n, 100 * (double)t->n_right / n);
    if (j->top > 1)
        log_info("%" PRId64 " are right within the first %d classes: %.2f %%", t->n_near,
                 j->top, 100 * (double)t->n_near / n);
}

static status_t write_result(job_t *job, const job_report_t *report)
{
    const job_predict_t *j = (const job_predict_t *)job;
    table_t t = {.j = j};
    whole_file_t *to;
    status_t st = job_output_open(job, job->opts->output, &to);

    (void)report;
    if (st == ST_OK) {
        t.to = whole_file_stream(to);
        if ((st = write_tasks(&t)) == ST_OK)
            st = job_output_label(job, t.to);
        st = whole_file_close(to, st);
    }
    if (st == ST_OK)
        log_accuracy(&t);
    return st;
}

const job_ops_t job_predict_ops = {
    .name = "cnn predict",
    .size = sizeof(job_predict_t),
    .settle = settle,
    .reader = reader,
    .outputs = outputs,
    .begin = begin,
    .cost = cost,
    .items = items,
    .describe = describe,
    .check_record = check_record,
    .opened = opened,
    .prepare = prepare,
    .release = release,
    .collect = collect,
    .pack = pack,
    .write_result = write_result,
    .free = free_job,
};
