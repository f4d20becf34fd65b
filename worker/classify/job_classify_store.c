/*
 * job_classify_store.c - the job "classify" on rank 0: the log of finished tasks, and the
 * result or the model that is made of it.
 */
#include "worker/classify/job_classify_store.h"

#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "worker/classify/job_classify_check.h"
#include "worker/classify/job_classify_compute.h"
#include "worker/classify/job_classify_train.h"
#include "worker/job_output.h"
#include "worker/job_run_info.h"

#include <inttypes.h>

static job_output_t output_of(const job_classify_t *j)
{
    const class_opts_t *o = j->opts;

    return (job_output_t){.path = o->common.output,
                          .log_path = j->part_path,
                          .force = o->common.force,
                          .resume = o->common.resume,
                          .reader = o->common.reader,
                          .is_text = o->format != CLASS_FORMAT_HDF5,
                          .format = o->format != CLASS_FORMAT_HDF5
                                        ? class_format_name[o->format]
                                        : NULL};
}

status_t job_classify_check_output(const job_classify_t *j)
{
    job_output_t output = output_of(j);

    return job_output_check(&output);
}

static void log_job(const job_classify_t *j)
{
    const class_model_t *m = &j->model;

    if (j->opts->is_training)
        log_info("%s: %" PRId64 " references of %" PRId32 " taxa without subdivision",
                 j->opts->input, m->refs->n, j->classes.n);
    else if (class_net_exists(&j->net))
        log_info("%s: %" PRId64 " reads by the network %s of %" PRId32 " taxa",
                 j->opts->input, j->reads->n, j->opts->model, j->classes.n);
    else
        log_info("%s: %" PRId64 " reads by %s, %" PRId64 " references of %" PRId32
                 " taxa without subdivision",
                 j->opts->input, j->reads->n, j->opts->model, m->refs->n, j->classes.n);
}

status_t job_classify_open(void *job)
{
    job_classify_t *j = job;
    job_output_t output = output_of(j);
    status_t st = job_classify_write_text(j);

    if (st == ST_OK)
        st = job_output_open(&output, (const char *)j->text.data, job_classify_n_tasks(j),
                             &j->log);
    if (st == ST_OK)
        st = job_output_check_log(j->log, job_classify_n_tasks(j), job_classify_check, j);
    if (st == ST_OK)
        log_job(j);
    return st;
}

bool job_classify_is_done(const void *job, int64_t task)
{
    const job_classify_t *j = job;

    return reslog_has(j->log, task);
}

status_t job_classify_store(void *job, int64_t task, int64_t version, const void *data,
                            size_t len)
{
    job_classify_t *j = job;

    return reslog_append(j->log, task, version, data, len);
}

status_t job_classify_sync(void *job)
{
    job_classify_t *j = job;

    return reslog_sync(j->log);
}

/* ---- the output ---- */

static status_t read_calls(const job_classify_t *j, class_calls_t *out)
{
    buf_t record = {0};
    status_t st = class_calls_create(j->reads->n, j->classes.n_ranks, out);

    for (int64_t task = 0; st == ST_OK && task < job_classify_n_tasks(j); task++) {
        if ((st = reslog_read(j->log, task, &record)) == ST_OK &&
            (st = job_classify_unpack(j, task, record.data, record.len,
                                      task * JOB_CLASSIFY_BLOCK, out)) == ST_EINPUT)
            log_error("%s: the record of task %" PRId64
                      " is damaged; give --force to start over",
                      j->part_path, task);
    }
    buf_free(&record);
    return st;
}

static void log_counts(const job_classify_t *j, const class_calls_t *c)
{
    int64_t n_named = 0, n_whole = 0;

    for (int64_t i = 0; i < c->n; i++) {
        n_named += c->named[i] > 0;
        n_whole += c->named[i] > 0 &&
                   c->named[i] == class_taxa_rank(&j->model.taxa, c->taxon[i]);
    }
    log_info("%" PRId64 " of %" PRId64 " reads are classified, %" PRId64
             " of them to the lowest rank",
             n_named, c->n, n_whole);
}

static status_t write_lines(const job_classify_t *j, const class_result_t *r)
{
    const class_opts_t *o = j->opts;
    const job_output_t output = output_of(j);
    whole_file_t *to;
    status_t st = whole_file_open(o->common.output, WHOLE_FILE_TEXT,
                                  o->common.force || o->common.resume, &to);

    if (st != ST_OK)
        return st;
    st = class_lines_print(r, o->format, true, whole_file_stream(to));
    if (st == ST_OK)
        st = job_output_label(&output, (const char *)j->text.data, whole_file_stream(to));
    return whole_file_close(to, st);
}

/* Borrows all but the calls. */
static status_t write_result(const job_classify_t *j, const class_run_t *run)
{
    const class_opts_t *o = j->opts;
    class_result_t r = {.taxa = j->model.taxa,
                        .names = j->reads->names,
                        .name_offset = j->reads->name_offset,
                        .run = *run};
    status_t st = read_calls(j, &r.calls);

    if (st == ST_OK)
        st = o->format == CLASS_FORMAT_HDF5
                 ? class_result_write(o->common.output,
                                      o->common.force || o->common.resume, &r, j->pool)
                 : write_lines(j, &r);
    if (st == ST_OK)
        log_counts(j, &r.calls);
    class_calls_free(&r.calls);
    return st;
}

static status_t write_model(job_classify_t *j, const class_run_t *run)
{
    const class_opts_t *o = j->opts;
    status_t st = job_classify_train_learn(j);

    return st == ST_OK
               ? class_model_write(o->common.output, o->common.force || o->common.resume,
                                   &j->model, run, j->pool)
               : st;
}

static status_t write_output(job_classify_t *j, const job_report_t *report)
{
    const class_opts_t *o = j->opts;
    job_run_info_t run;
    status_t st = job_run_info(&o->common, o->input, j->started, report, &run);

    if (st == ST_OK) {
        const class_run_t whole = {run.info, (const char *)j->text.data};

        st = o->is_training ? write_model(j, &whole) : write_result(j, &whole);
    }
    job_run_info_free(&run);
    return st;
}

status_t job_classify_finish(void *job, const job_report_t *report)
{
    job_classify_t *j = job;
    status_t st = reslog_sync(j->log);

    if (st == ST_OK && (st = write_output(j, report)) != ST_OK &&
        st != ST_EINPUT) /* references that teach nothing stay the same */
        log_info("%s is complete: give --resume to write the result again", j->part_path);
    log_phase("result");
    if (st == ST_OK)
        reslog_remove(j->log);
    return st;
}
