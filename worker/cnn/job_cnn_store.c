/*
 * job_cnn_store.c - the log of checkpoints.
 */
#include "worker/cnn/job_cnn_store.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "worker/cnn/job_cnn_model.h"
#include "worker/cnn/job_cnn_train.h"
#include "worker/job_output.h"

#include <inttypes.h>
#include <string.h>

static job_output_t output_of(const job_cnn_t *j)
{
    const cnn_opts_t *o = j->opts;

    return (job_output_t){.path = o->common.output,
                          .log_path = j->part_path,
                          .force = o->common.force,
                          .resume = o->common.resume,
                          .reader = o->common.reader};
}

static status_t check_text(const char *path, bool may_exist)
{
    return path != NULL ? whole_file_check(path, WHOLE_FILE_TEXT, may_exist) : ST_OK;
}

status_t job_cnn_check_output(const job_cnn_t *j)
{
    const cnn_opts_t *o = j->opts;
    const bool may_exist = o->common.force || o->common.resume;
    job_output_t output = output_of(j);
    status_t st = job_output_check(&output);

    if (st == ST_OK)
        st = check_text(o->csv, may_exist);
    return st == ST_OK ? check_text(o->svg, may_exist) : st;
}

/* ---- the text ---- */

static status_t add_images(buf_t *text, const char *name, const image_set_t *set)
{
    return buf_printf(text, "%s=%" PRId64 "\n%s_digest=%016" PRIx64 "\n", name, set->n,
                      name, image_set_digest(set));
}

static status_t write_text(job_cnn_t *j)
{
    const cnn_opts_t *o = j->opts;
    const cnn_solver_t *solver = &j->net->solver;
    status_t st = buf_printf(&j->text,
                             "job=cnn\nnet_digest=%016" PRIx64 "\nbatch=%d"
                             "\nepochs=%.17g\nrate=%.17g\nseed=%" PRId64 "\ntype=%s\n",
                             digest_add(DIGEST_START, j->net->text, strlen(j->net->text)),
                             solver->batch, solver->epochs, solver->rate, o->seed,
                             cnn_number_name[o->number]);

    if (st == ST_OK)
        st = add_images(&j->text, "images", &j->images);
    if (st == ST_OK && j->test.n > 0)
        st = add_images(&j->text, "test_images", &j->test);
    return st == ST_OK ? buf_append(&j->text, "", 1) : st;
}

static void log_job(const job_cnn_t *j)
{
    const image_set_t *images = &j->images;

    log_info("%s: %" PRId64 " images of %d x %d x %d, %d classes; %" PRId64
             " batches of %d",
             j->net->name, images->n, images->size[0], images->size[1], images->size[2],
             images->n_classes, j->n_iterations, j->net->solver.batch);
}

/* ---- the log ---- */

status_t job_cnn_open(void *job)
{
    job_cnn_t *j = job;
    job_output_t output = output_of(j);
    status_t st = write_text(j);

    if (st == ST_OK)
        st = job_output_open(&output, (const char *)j->text.data, job_cnn_n_tasks(j),
                             &j->log);
    if (st == ST_OK)
        log_job(j);
    return st;
}

status_t job_cnn_checkpoint(void *job, int64_t *version)
{
    job_cnn_t *j = job;
    status_t st = reslog_rewind(j->log);

    *version = reslog_complete(j->log);
    return st == ST_OK
               ? job_output_check_log(j->log, job_cnn_n_tasks(j), job_cnn_check, j)
               : st;
}

status_t job_cnn_load(void *job, int64_t task, buf_t *out)
{
    const job_cnn_t *j = job;

    return reslog_read(j->log, task, out);
}

status_t job_cnn_store(void *job, int64_t task, int64_t version, const void *data,
                       size_t len)
{
    job_cnn_t *j = job;

    return reslog_append(j->log, task, version, data, len);
}

status_t job_cnn_sync(void *job)
{
    job_cnn_t *j = job;

    return reslog_sync(j->log);
}

status_t job_cnn_finish(void *job, const job_report_t *report)
{
    job_cnn_t *j = job;
    status_t st = reslog_sync(j->log);

    if (st == ST_OK)
        st = job_cnn_write_model(j, report);
    log_phase("result");
    if (st == ST_OK)
        reslog_remove(j->log);
    return st;
}
