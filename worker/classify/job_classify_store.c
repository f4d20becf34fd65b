/*
 * job_classify_store.c - the job "classify" on rank 0: the log of finished tasks, and the
 * result or the model that is made of it.
 */
#include "worker/classify/job_classify_state.h"

#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "worker/job_output.h"
#include "worker/job_run_info.h"

#include <inttypes.h>

void job_classify_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    const class_opts_t *o = (const class_opts_t *)opts;

    out->is_text = o->format != CLASS_FORMAT_HDF5;
    out->format = out->is_text ? class_format_name[o->format] : NULL;
}

status_t job_classify_opened(job_t *job)
{
    const job_classify_t *j = (const job_classify_t *)job;
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
    return ST_OK;
}

/* ---- the output ---- */

static status_t read_calls(const job_classify_t *j, class_calls_t *out)
{
    buf_t record = {0};
    status_t st = class_calls_create(j->reads->n, j->classes.n_ranks, out);

    for (int64_t task = 0; st == ST_OK && task < job_classify_n_tasks(j); task++) {
        if ((st = reslog_read(j->base.log, task, &record)) == ST_OK &&
            (st = job_classify_unpack(j, task, record.data, record.len,
                                      task * JOB_CLASSIFY_BLOCK, out)) == ST_EINPUT)
            log_error("%s: the record of task %" PRId64
                      " is damaged; give --force to start over",
                      j->base.part_path, task);
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
    whole_file_t *to;
    status_t st = whole_file_open(o->common.output, WHOLE_FILE_TEXT,
                                  o->common.force || o->common.resume, &to);

    if (st != ST_OK)
        return st;
    st = class_lines_print(r, o->format, true, whole_file_stream(to));
    if (st == ST_OK)
        st = job_output_label(&j->base, whole_file_stream(to));
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
                                      o->common.force || o->common.resume, &r,
                                      j->base.pool)
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
                                   &j->model, run, j->base.pool)
               : st;
}

status_t job_classify_write_result(job_t *job, const job_report_t *report)
{
    job_classify_t *j = (job_classify_t *)job;
    const class_opts_t *o = j->opts;
    job_run_info_t run;
    status_t st = job_run_info(job, o->input, report, &run);

    if (st == ST_OK) {
        const class_run_t whole = {run.info, (const char *)j->base.text.data};

        st = o->is_training ? write_model(j, &whole) : write_result(j, &whole);
    }
    job_run_info_free(&run);
    return st;
}
