/*
 * job_output.c - checks the output of a job, and opens its log.
 */
#include "worker/job_output.h"

#include "io/base/logmsg.h"
#include "io/file/file_label.h"
#include "io/file/whole_file.h"
#include "io/store/reslog_file.h"
#include "io/store/reslog_head.h"
#include "kernels/device/device.h"

#include <unistd.h>

status_t job_output_check(const job_output_t *o)
{
    bool may_exist = o->force || o->resume;
    status_t st =
        whole_file_check(o->path, o->is_text ? WHOLE_FILE_TEXT : WHOLE_FILE_HDF5,
                         may_exist);

    /* the log is beside the output's name, which may be a link to elsewhere */
    if (st == ST_OK)
        st = whole_file_check_folder(o->log_path);
    if (st == ST_OK)
        st = reslog_file_check(o->log_path);
    if (st == ST_OK && !may_exist && access(o->log_path, F_OK) == 0) {
        log_error("%s holds an unfinished run; give --resume to continue it, or --force "
                  "to start over",
                  o->log_path);
        return ST_EINPUT;
    }
    return st;
}

/* @param out  empty; the text of the job and what else the output depends on */
static status_t write_label(const job_output_t *o, const char *text, buf_t *out)
{
    return o->format != NULL ? buf_printf(out, "%sformat=%s\n", text, o->format)
                             : buf_printf(out, "%s", text);
}

status_t job_output_label(const job_output_t *o, const char *text, FILE *to)
{
    buf_t label = {0};
    status_t st = write_label(o, text, &label);

    if (st == ST_OK && (st = buf_append(&label, "", 1)) == ST_OK &&
        !file_label_write(fileno(to), (const char *)label.data))
        log_verbose("%s: the file system keeps no labels; --resume will not recognise "
                    "the finished file",
                    o->path);
    buf_free(&label);
    return st;
}

/* Read what made the output. @param out  empty */
static status_t read_finished(const job_output_t *o, buf_t *out)
{
    status_t st;

    if (!o->is_text) {
        st = child_fetch(o->reader, JOB_OUTPUT_FINISHED, out);
        return st == ST_OK ? buf_append(out, "", 1) : st;
    }
    if ((st = file_label_read(o->path, out)) != ST_OK || out->len > 0)
        return st;
    log_error("%s exists, and does not say which job made it; give --force to replace it",
              o->path);
    return ST_EINPUT;
}

/* A finished file of the same job needs no run; that of another job is not overwritten.
 * @return ST_EDONE, ST_EINPUT or an error */
static status_t compare_finished(const job_output_t *o, const char *text)
{
    buf_t there = {0}, ours = {0};
    status_t st = read_finished(o, &there);

    if (st == ST_OK)
        st = write_label(o, text, &ours);
    if (st == ST_OK && (st = buf_append(&ours, "", 1)) == ST_OK)
        st = reslog_head_compare(o->path, (const char *)there.data,
                                 (const char *)ours.data);
    buf_free(&there);
    buf_free(&ours);
    if (st != ST_OK)
        return st;
    log_info("%s is already finished: nothing to do", o->path);
    return ST_EDONE;
}

static status_t open_log(const job_output_t *o, const char *text, const char *log_text,
                         int64_t n_tasks, reslog_t **log)
{
    status_t st;

    do { /* once more if the run that held the log has finished meanwhile */
        /* A log beside a finished file is that of a run with --force, and is the one to
         * resume.  It is checked first, because it is removed once the file is there. */
        if (o->resume && access(o->log_path, F_OK) != 0 && access(o->path, F_OK) == 0 &&
            (st = compare_finished(o, text)) != ST_OK)
            return st;
        st = reslog_open(o->log_path, log_text, n_tasks, o->force && !o->resume, log);
    } while (st == ST_EDONE);
    /* That run may also have finished between the two checks. */
    if (st == ST_OK && o->resume && reslog_n_done(*log) == 0 &&
        access(o->path, F_OK) == 0) {
        st = compare_finished(o, text);
        reslog_remove(*log);
    }
    child_reader_stop(o->reader);
    return st;
}

status_t job_output_open(const job_output_t *o, const char *text, int64_t n_tasks,
                         reslog_t **log)
{
    buf_t log_text = {0};
    status_t st;

    *log = NULL;
    st = buf_printf(&log_text, "%s%s", text, o->log_lines != NULL ? o->log_lines : "");
    if (st == ST_OK && (st = buf_append(&log_text, "", 1)) == ST_OK)
        st = open_log(o, text, (const char *)log_text.data, n_tasks, log);
    buf_free(&log_text);
    return st;
}

status_t job_output_check_log(const reslog_t *log, int64_t n_tasks, log_check_fn fn,
                              const void *ctx)
{
    pool_t *pool = NULL;
    status_t st;

    if (reslog_n_done(log) == 0)
        return ST_OK;
    if ((st = pool_create(device_cpu().n_cores, &pool)) == ST_OK)
        st = log_check(log, n_tasks, pool, fn, ctx);
    pool_destroy(pool);
    return st;
}
