/*
 * job_output.c - checks the outputs of a job, and recognises finished ones.
 */
#include "worker/job_output.h"

#include "io/base/byte_size.h"
#include "io/base/logmsg.h"
#include "io/file/file_label.h"
#include "io/file/whole_file.h"
#include "io/pairs/pairs_file.h"
#include "io/store/reslog_file.h"
#include "io/store/reslog_head.h"
#include "io/store/reslog_shards.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { STAT_BLOCK_BYTES = 512 };

/* What the child is asked for here: the text of the job that made the output. */
enum { FINISHED = JOB_CHILD_FIRST - 1 };

static job_outputs_t outputs_of(const job_ops_t *ops, const job_opts_t *opts)
{
    job_outputs_t outputs = {.is_text = false};

    if (ops->outputs != NULL)
        ops->outputs(opts, &outputs);
    return outputs;
}

status_t job_child_answer(const void *child, int question, buf_t *out)
{
    const job_child_t *c = child;
    const result_kind_t *kind;

    if (question != FINISHED)
        return c->more(c->opts, question, out);
    kind = outputs_of(c->ops, c->opts).kind;
    return kind != NULL ? result_read_job(c->opts->output, kind, out)
                        : pairs_read_job(c->opts->output, out);
}

status_t job_output_open(const job_t *job, const char *path, whole_file_t **out)
{
    *out = NULL;
    return path != NULL ? whole_file_open(path, WHOLE_FILE_TEXT,
                                          job_opts_may_replace(job->opts), out)
                        : ST_OK;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* A finished result is not computed again for a file that is made with it. */
static status_t check_extra(const job_t *job, const char *path)
{
    const job_opts_t *o = job->opts;

    if (o->resume && exists(o->output) && !exists(job->part_path) && !exists(path)) {
        log_error("%s exists, but %s does not; give --force to compute both", o->output,
                  path);
        return ST_EINPUT;
    }
    return whole_file_check(path, WHOLE_FILE_TEXT, job_opts_may_replace(o));
}

status_t job_output_check(const job_t *job)
{
    const job_opts_t *o = job->opts;
    const job_outputs_t outputs = outputs_of(job->ops, job->opts);
    const bool may_exist = job_opts_may_replace(o);
    status_t st =
        whole_file_check(o->output, outputs.is_text ? WHOLE_FILE_TEXT : WHOLE_FILE_HDF5,
                         may_exist);

    /* the log is beside the output's name, which may be a link to elsewhere */
    if (st == ST_OK)
        st = whole_file_check_folder(job->part_path);
    if (st == ST_OK)
        st = reslog_file_check(job->part_path);
    if (st == ST_OK && !may_exist &&
        (exists(job->part_path) || reslog_shards_exist(job->part_path))) {
        log_error("%s holds an unfinished run; give --resume to continue it, or --force "
                  "to start over",
                  job->part_path);
        return ST_EINPUT;
    }
    for (int i = 0; st == ST_OK && i < JOB_EXTRA_OUTPUTS; i++)
        if (outputs.extra[i] != NULL)
            st = check_extra(job, outputs.extra[i]);
    return st;
}

/* @return bytes that the output's disk has for it; -1: unknown */
static double disk_bytes(const job_t *job)
{
    char *folder = strdup(job->part_path), *slash;
    struct statvfs disk;
    struct stat part;
    double bytes = -1;

    if (folder == NULL)
        return bytes;
    if ((slash = strrchr(folder, '/')) != NULL)
        slash[slash == folder] = '\0';
    if (statvfs(slash != NULL ? folder : ".", &disk) == 0)
        bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    if (bytes >= 0 && stat(job->part_path, &part) == 0)
        bytes += (double)part.st_blocks * STAT_BLOCK_BYTES;
    free(folder);
    return bytes;
}

status_t job_output_check_disk(const job_t *job, double need, const char *remedy)
{
    const double has = disk_bytes(job);
    char need_text[BYTE_SIZE_TEXT_BYTES], has_text[BYTE_SIZE_TEXT_BYTES];

    if (has < 0 || need <= has)
        return ST_OK;
    log_error("%s: results take about %s before compression, and the disk has %s; give "
              "%s",
              job->opts->output != NULL ? job->opts->output : "the current folder",
              byte_size_text(need, need_text), byte_size_text(has, has_text), remedy);
    return ST_EINPUT;
}

/* @param out  empty; the text of the job and what else the output depends on */
static status_t write_label(const job_t *job, buf_t *out)
{
    const job_outputs_t outputs = outputs_of(job->ops, job->opts);
    status_t st = buf_printf(out, "%s", (const char *)job->text.data);

    if (st == ST_OK && outputs.format != NULL)
        st = buf_printf(out, "format=%s\n", outputs.format);
    return st == ST_OK ? buf_append(out, "", 1) : st;
}

status_t job_output_label(const job_t *job, FILE *to)
{
    buf_t label = {0};
    status_t st;

    if (job_opts_is_stdout(job->opts))
        return ST_OK;
    st = write_label(job, &label);
    if (st == ST_OK && !file_label_write(fileno(to), (const char *)label.data))
        log_verbose("%s: the file system keeps no labels; --resume will not recognise "
                    "the finished file",
                    job->opts->output);
    buf_free(&label);
    return st;
}

/* Read what made the output. @param out  empty */
static status_t read_finished(const job_t *job, buf_t *out)
{
    const char *path = job->opts->output;
    status_t st;

    if (!outputs_of(job->ops, job->opts).is_text) {
        st = child_fetch(job->opts->reader, FINISHED, out);
        return st == ST_OK ? buf_append(out, "", 1) : st;
    }
    if ((st = file_label_read(path, out)) != ST_OK || out->len > 0)
        return st;
    log_error("%s exists, and does not say which job made it; give --force to replace it",
              path);
    return ST_EINPUT;
}

status_t job_output_compare(const job_t *job)
{
    const char *path = job->opts->output;
    buf_t there = {0}, ours = {0};
    status_t st = read_finished(job, &there);

    if (st == ST_OK && (st = write_label(job, &ours)) == ST_OK)
        st = reslog_head_compare(path, (const char *)there.data, (const char *)ours.data);
    buf_free(&there);
    buf_free(&ours);
    if (st != ST_OK)
        return st;
    log_info("%s is already finished: nothing to do", path);
    return ST_EDONE;
}

/* ---- how a job was run ---- */

status_t job_output_run(const job_t *job, const char *input, const job_report_t *report,
                        job_output_run_t *out)
{
    status_t st = ST_OK;

    *out = (job_output_run_t){.info = {.ranks = report->n_ranks}};
    for (int i = 0; st == ST_OK && i < report->n_ranks; i++)
        st = buf_printf(&out->devices, "%s\n", report->ranks[i]);
    if (st == ST_OK)
        st = buf_append(&out->devices, "", 1);
    out->info.program = job->opts->version;
    out->info.command = job->opts->command_line;
    out->info.input = input;
    out->info.started = run_info_time(job->started, out->started);
    out->info.finished = run_info_time(time(NULL), out->finished);
    out->info.seconds = report->seconds;
    out->info.devices = (const char *)out->devices.data;
    return st;
}

void job_output_run_free(job_output_run_t *run)
{
    buf_free(&run->devices);
}
