/*
 * job_predict_store.c - the log of finished batches, and the table that is made of it.
 */
#include "worker/cnn/predict/job_predict_store.h"

#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "worker/job_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static job_output_t output_of(const job_predict_t *j)
{
    const predict_opts_t *o = j->opts;

    return (job_output_t){.path = o->common.output,
                          .log_path = j->part_path,
                          .force = o->common.force,
                          .resume = o->common.resume,
                          .is_text = true};
}

status_t job_predict_check_output(const job_predict_t *j)
{
    job_output_t output = output_of(j);

    return job_output_check(&output);
}

/* ---- the log ---- */

static status_t write_text(job_predict_t *j)
{
    status_t st =
        buf_printf(&j->text,
                   "job=cnn-predict\nmodel_digest=%016" PRIx64 "\nimages=%" PRId64
                   "\nimages_digest=%016" PRIx64 "\nbatch=%" PRId64 "\ntop=%d\ntype=%s\n",
                   predict_model_digest(&j->model), j->images.n,
                   image_set_digest(&j->images), job_predict_batch(j), j->top,
                   cnn_number_name[j->opts->number]);

    return st == ST_OK ? buf_append(&j->text, "", 1) : st;
}

/* Classes of an image, the most probable first. */
static bool answers_fit(const job_predict_t *j, const char *at)
{
    float before = 1;

    for (int k = 0; k < j->top; k++) {
        job_predict_answer_t a;

        memcpy(&a, at + k * (int)sizeof(a), sizeof(a));
        if (a.class_number < 0 || a.class_number >= j->model.net->n_classes ||
            !(a.probability >= 0 && a.probability <= before))
            return false;
        before = a.probability;
    }
    return true;
}

static const char *check_record(const void *job, int64_t task, int64_t version,
                                const buf_t *record)
{
    const job_predict_t *j = job;
    const int64_t n = job_predict_n_images(j, task);
    const size_t row = (size_t)j->top * sizeof(job_predict_answer_t);

    if (version != 0)
        return "has a version";
    if (record->len != (size_t)n * row)
        return "has another length than that of its images";
    for (int64_t i = 0; i < n; i++)
        if (!answers_fit(j, (const char *)record->data + (size_t)i * row))
            return "has classes or probabilities that the network does not have";
    return NULL;
}

status_t job_predict_open(void *job)
{
    job_predict_t *j = job;
    job_output_t output = output_of(j);
    status_t st = write_text(j);

    if (st == ST_OK)
        st = job_output_open(&output, (const char *)j->text.data, job_predict_n_tasks(j),
                             &j->log);
    if (st == ST_OK)
        st = job_output_check_log(j->log, job_predict_n_tasks(j), check_record, j);
    if (st == ST_OK)
        log_info("%s: %" PRId64 " images of %d x %d x %d in batches of %" PRId64
                 ", %d classes",
                 j->opts->images.what.path, j->images.n, j->images.size[0],
                 j->images.size[1], j->images.size[2], job_predict_batch(j),
                 j->model.net->n_classes);
    return st;
}

bool job_predict_is_done(const void *job, int64_t task)
{
    const job_predict_t *j = job;

    return reslog_has(j->log, task);
}

status_t job_predict_store(void *job, int64_t task, int64_t version, const void *data,
                           size_t len)
{
    job_predict_t *j = job;

    return reslog_append(j->log, task, version, data, len);
}

status_t job_predict_sync(void *job)
{
    job_predict_t *j = job;

    return reslog_sync(j->log);
}

/* ---- the output ---- */

typedef struct {
    const job_predict_t *j;
    FILE *to;
    int64_t n_right, n_near; /* images whose first class, or one of all, is right */
} table_t;

static void write_image(table_t *t, int64_t i, const job_predict_answer_t *answers)
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
static status_t write_record(table_t *t, int64_t task, const job_predict_answer_t *at)
{
    const job_predict_t *j = t->j;
    const int64_t n = job_predict_n_images(j, task), first = task * job_predict_batch(j);

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
    for (int64_t task = 0; st == ST_OK && task < job_predict_n_tasks(j); task++) {
        const size_t n = (size_t)(job_predict_n_images(j, task) * j->top);

        if ((st = reslog_read(j->log, task, &record)) != ST_OK)
            break;
        if (record.len != n * sizeof(job_predict_answer_t)) {
            log_error("%s: the record of batch %" PRId64
                      " is damaged; give --force to start over",
                      j->part_path, task);
            st = ST_EINPUT;
            break;
        }
        st = write_record(t, task,
                          (const job_predict_answer_t *)(const void *)record.data);
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

static status_t write_table(const job_predict_t *j)
{
    const predict_opts_t *o = j->opts;
    table_t t = {.j = j};
    whole_file_t *to;
    status_t st = whole_file_open(o->common.output, WHOLE_FILE_TEXT,
                                  o->common.force || o->common.resume, &to);

    if (st == ST_OK) {
        t.to = whole_file_stream(to);
        st = write_tasks(&t);
        st = whole_file_close(to, st);
    }
    if (st == ST_OK)
        log_accuracy(&t);
    return st;
}

status_t job_predict_finish(void *job, const job_report_t *report)
{
    job_predict_t *j = job;
    status_t st = reslog_sync(j->log);

    (void)report;
    if (st == ST_OK && (st = write_table(j)) != ST_OK)
        log_info("%s is complete: give --resume to write the table again", j->part_path);
    log_phase("result");
    if (st == ST_OK)
        reslog_remove(j->log);
    return st;
}
