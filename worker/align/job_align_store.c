/*
 * job_align_store.c - the job "align" at the log's owner: what is there already, the log,
 * and the file at the end.
 */
#include "io/base/logmsg.h"
#include "io/pairs/pairs_open.h"
#include "io/pairs/write/pairs_write.h"
#include "io/pairs/write/pairs_write_hits.h"
#include "worker/align/job_align_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Before a large input is read: may the output be made at all? */
status_t job_align_check_output(job_align_t *j)
{
    const align_opts_t *o = j->opts;

    if (o->force || o->resume)
        return ST_OK;
    if (access(o->output, F_OK) == 0) {
        log_error("%s exists; give --force to replace it, or another -o", o->output);
        return ST_EINPUT;
    }
    if (access(j->part_path, F_OK) == 0) {
        log_error(
            "%s holds an unfinished run; give --resume to go on with it, or --force "
            "to start anew",
            j->part_path);
        return ST_EINPUT;
    }
    return ST_OK;
}

/* A finished file of this very job needs no run; another job's is not to be lost. */
static status_t compare_finished(job_align_t *j)
{
    pairs_file_t *file;
    status_t st = pairs_open(j->opts->output, &file);

    if (st != ST_OK)
        return st;
    st = reslog_compare(j->opts->output, pairs_job(file), (const char *)j->text.data);
    pairs_close(file);
    if (st != ST_OK)
        return st;
    log_info("%s is finished already: nothing to do", j->opts->output);
    return ST_EDONE;
}

/* The hits that the log holds already count, too. */
static status_t count_hits(job_align_t *j)
{
    buf_t record = {0};
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && j->is_sparse && k < j->grid.n_tiles; k++) {
        if (!reslog_has(j->log, k))
            continue;
        st = reslog_read(j->log, k, &record);
        if (st == ST_OK)
            j->hits_bytes += pairs_hits_bytes(record.data, record.len);
    }
    buf_free(&record);
    return st;
}

static void say_job(const job_align_t *j)
{
    static const char *const yields[] = {"score", "score and identity",
                                         "score, identity and CIGAR"};
    static const char *const ends[] = {"free ends", "counted ends",
                                       "the query's ends counted"};
    const align_opts_t *o = j->opts;

    log_info("%s%s%s: %s, %s%s%s%s", o->input, o->against != NULL ? " against " : "",
             o->against != NULL ? o->against : "", yields[o->emit], ends[o->ends],
             o->matrix != NULL ? ", scores of a matrix" : "",
             o->has_iddef ? ", identity by definition " : "",
             o->has_iddef ? identity_def_name[o->iddef] : "");
}

status_t job_align_open(void *job)
{
    job_align_t *j = job;
    status_t st = job_align_write_text(j);

    if (st != ST_OK)
        return st;
    do { /* again, where the run that was waited for has finished */
        /* A log beside a finished file is of a run that --force began: the log decides.
         * The log is looked for first, as it goes when the file is there. */
        if (j->opts->resume && access(j->part_path, F_OK) != 0 &&
            access(j->opts->output, F_OK) == 0 && (st = compare_finished(j)) != ST_OK)
            return st;
        st = reslog_open(j->part_path, (const char *)j->text.data, j->grid.n_tiles,
                         j->opts->force && !j->opts->resume, &j->log);
    } while (st == ST_EDONE);
    /* It may have finished between the two looks, too. */
    if (st == ST_OK && j->opts->resume && reslog_n_done(j->log) == 0 &&
        access(j->opts->output, F_OK) == 0) {
        st = compare_finished(j);
        reslog_remove(j->log);
    }
    if (st == ST_OK)
        say_job(j);
    return st == ST_OK ? count_hits(j) : st;
}

bool job_align_is_done(const void *job, int64_t task)
{
    const job_align_t *j = job;

    return reslog_has(j->log, task);
}

status_t job_align_store(void *job, int64_t task, int64_t version, const void *data,
                         size_t len)
{
    job_align_t *j = job;

    if (!j->is_sparse || reslog_has(j->log, task))
        return reslog_append(j->log, task, version, data, len);
    j->hits_bytes += pairs_hits_bytes(data, len);
    if (j->hits_bytes > j->opts->max_output_bytes) {
        log_error("%s: hits take more than --max-output; what is finished stays in %s: "
                  "give --resume with a larger one, or a larger --id or smaller --top "
                  "with --force",
                  j->opts->output, j->part_path);
        return ST_EINPUT;
    }
    return reslog_append(j->log, task, version, data, len);
}

status_t job_align_sync(void *job)
{
    job_align_t *j = job;

    return reslog_sync(j->log);
}

/* Rename, and have the disk keep the new name before the log goes. */
static status_t publish(const job_align_t *j)
{
    char *copy = strdup(j->opts->output);
    int folder =
        copy != NULL ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    status_t st = ST_OK;

    if (rename(j->tmp_path, j->opts->output) != 0) {
        log_error("%s: cannot rename to %s: %s; the log %s is whole: give --resume",
                  j->tmp_path, j->opts->output, strerror(errno), j->part_path);
        st = ST_EIO;
    }
    if (folder >= 0) {
        fsync(folder); /* some file systems have no such thing: not an error */
        close(folder);
    }
    free(copy);
    if (st == ST_OK)
        reslog_remove(j->log);
    return st;
}

static const char *time_text(time_t at, char *out, size_t size)
{
    struct tm utc;

    strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &utc));
    return out;
}

/* What became of the pairs, in one line. */
static void say_counts(const pairs_head_t *head, const pairs_counts_t *c)
{
    char filtered[256] = "";
    size_t len = 0;

    for (int k = 0; k < head->n_stages && len < sizeof(filtered); k++)
        len += (size_t)snprintf(filtered + len, sizeof(filtered) - len,
                                "%" PRId64 " filtered by %s, ", c->n_dropped[k],
                                head->stages[k]);
    log_info("%" PRId64 " pairs: %s%" PRId64 " aligned, %" PRId64 " kept", c->n_pairs,
             filtered, c->n_aligned, c->n_kept);
}

status_t job_align_finish(void *job, const job_report_t *report)
{
    job_align_t *j = job;
    const prepared_t *p = &j->prepared;
    char started[32], finished[32];
    const pairs_run_attribute_t run[] = {
        {"version", j->opts->version, 0},
        {"command", j->opts->command_line, 0},
        {"input", j->opts->input, 0},
        {"started", time_text(j->started, started, sizeof(started)), 0},
        {"finished", time_text(time(NULL), finished, sizeof(finished)), 0},
        {"compute_seconds", NULL, report->seconds},
        {"ranks", NULL, report->n_ranks},
        {"pairs_computed", NULL, (double)report->items},
        /* of all pairs, be they computed or ruled out */
        {job_align_may_filter(j) ? "cells_covered" : "cells_computed", NULL,
         report->cost},
        {"records", NULL, (double)j->prepared.n_records},
        {"records_reversed", NULL, (double)j->prepared.n_reverse},
    };
    pairs_head_t head = {.ends = align_ends_name[j->opts->ends],
                         .identity = job_align_identity_words(j),
                         .identity_definition = job_align_identity_name(j),
                         .job = (const char *)j->text.data,
                         .n_datasets = j->n_datasets,
                         .cigar_style = j->opts->emit == EMIT_CIGAR
                                            ? cigar_style_name[j->opts->cigar_style]
                                            : NULL,
                         .run = run,
                         .n_run = (int)(sizeof(run) / sizeof(run[0])),
                         .devices = report->ranks,
                         .n_devices = report->n_ranks,
                         .sizes = p->size,
                         .members = p->members.n > 0 ? &p->members : NULL,
                         .samples = p->samples.n > 0 ? &p->samples : NULL,
                         .pool = j->pool,
                         .has_strand = j->n_strands > 1,
                         .min_identity = j->opts->min_identity,
                         .top = j->opts->top,
                         .stages = job_align_stages,
                         .n_stages = job_align_may_filter(j) ? JOB_ALIGN_STAGES : 0};
    pairs_counts_t counts;
    status_t st = reslog_sync(j->log);

    if (st == ST_OK && j->is_sparse)
        st = pairs_write_hits(j->tmp_path, &head, j->set, &j->grid, j->log, &counts);
    else if (st == ST_OK)
        st = pairs_write(j->tmp_path, &head, j->set, &j->grid, j->log);
    if (st != ST_OK) {
        unlink(j->tmp_path);
        return st;
    }
    if (j->is_sparse)
        say_counts(&head, &counts);
    return publish(j);
}
