/*
 * job_predict_store.c - the log of finished batches, and the table that is made of it.
 */
#include "worker/cnn/predict/job_predict_state.h"

#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "worker/job_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void job_predict_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    (void)opts;
    out->is_text = true;
}

status_t job_predict_describe(job_t *job)
{
    const job_predict_t *j = (const job_predict_t *)job;

    return buf_printf(&job->text,
                      "job=cnn-predict\nmodel_digest=%016" PRIx64 "\nimages=%" PRId64
                      "\nimages_digest=%016" PRIx64 "\nbatch=%" PRId64
                      "\ntop=%d\ntype=%s\n",
                      predict_model_digest(&j->model), j->images.n,
                      image_set_digest(&j->images), job_predict_batch(j), j->top,
                      cnn_number_name[j->opts->number]);
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

const char *job_predict_check_record(job_t *job, int64_t task, int64_t version,
                                     const buf_t *record)
{
    const job_predict_t *j = (const job_predict_t *)job;
    const int64_t n = job_predict_n_images(j, task);
    const size_t row = (size_t)j->top * sizeof(job_predict_answer_t);

    (void)version;
    if (record->len != (size_t)n * row)
        return "has another length than that of its images";
    for (int64_t i = 0; i < n; i++)
        if (!answers_fit(j, (const char *)record->data + (size_t)i * row))
            return "has classes or probabilities that the network does not have";
    return NULL;
}

status_t job_predict_opened(job_t *job)
{
    const job_predict_t *j = (const job_predict_t *)job;

    log_info("%s: %" PRId64 " images of %d x %d x %d in batches of %" PRId64
             ", %d classes",
             j->opts->images.what.path, j->images.n, j->images.size[0], j->images.size[1],
             j->images.size[2], job_predict_batch(j), j->model.net->n_classes);
    return ST_OK;
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

        if ((st = reslog_read(j->base.log, task, &record)) != ST_OK)
            break;
        if (record.len != n * sizeof(job_predict_answer_t)) {
            log_error("%s: the record of batch %" PRId64
                      " is damaged; give --force to start over",
                      j->base.part_path, task);
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

status_t job_predict_write_result(job_t *job, const job_report_t *report)
{
    const job_predict_t *j = (const job_predict_t *)job;
    const predict_opts_t *o = j->opts;
    table_t t = {.j = j};
    whole_file_t *to;
    status_t st = whole_file_open(o->common.output, WHOLE_FILE_TEXT,
                                  o->common.force || o->common.resume, &to);

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
