/*
 * job_align_store.c - the job "align" at the log's owner: what is there already, the log,
 * and the file at the end.
 */
#include "io/digest.h"
#include "io/logmsg.h"
#include "worker/job_align_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
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

/* Everything that the result depends on, a line each; no more and no less. */
static status_t write_text(job_align_t *j)
{
    static const char *const ends[] = {"free", "count"};
    static const char *const ambiguities[] = {"n-mismatch", "match", "mismatch"};
    const align_opts_t *o = j->opts;
    const align_scoring_t *s = &j->spec.scoring;
    status_t st;

    st = buf_printf(&j->text,
                    "job=align\nsequences=%" PRId64 "\ninput_digest=%016" PRIx64
                    "\nemit=%s\nends=%s\n",
                    j->set->n, seqset_digest(j->set), align_emit_name[o->emit],
                    ends[o->ends]);
    if (st == ST_OK && o->ends == ENDS_FREE && o->emit != EMIT_SCORE)
        st = buf_printf(&j->text, "min_overlap=%" PRId64 "/%" PRId64 "\n",
                        o->min_overlap.numerator, o->min_overlap.denominator);
    if (st == ST_OK && o->emit == EMIT_CIGAR)
        st = buf_printf(&j->text, "cigar_style=%s\n", cigar_style_name[o->cigar_style]);
    if (st == ST_OK && o->matrix != NULL)
        st = buf_printf(&j->text, "matrix_digest=%016" PRIx64 "\ngap=%" PRId32 "\n",
                        digest_add(DIGEST_START, s->score, sizeof(s->score)), o->gap);
    else if (st == ST_OK)
        st = buf_printf(&j->text,
                        "match=%" PRId32 "\nmismatch=%" PRId32 "\ngap=%" PRId32
                        "\nambiguity=%s\n",
                        o->match, o->mismatch, o->gap, ambiguities[o->ambiguity]);
    return st == ST_OK ? buf_append(&j->text, "", 1) : st;
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

status_t job_align_open(void *job)
{
    static const char *const yields[] = {"score", "score and identity",
                                         "score, identity and CIGAR"};
    job_align_t *j = job;
    status_t st = write_text(j);

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
        log_info("%s: %s, %s ends%s", j->opts->input, yields[j->opts->emit],
                 j->opts->ends == ENDS_FREE ? "free" : "counted",
                 j->opts->matrix != NULL ? ", scores of a matrix" : "");
    return st;
}

bool job_align_is_done(const void *job, int64_t task)
{
    const job_align_t *j = job;

    return reslog_has(j->log, task);
}

status_t job_align_store(void *job, int64_t task, const void *data, size_t len)
{
    job_align_t *j = job;

    return reslog_append(j->log, task, data, len);
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

status_t job_align_finish(void *job, const job_report_t *report)
{
    job_align_t *j = job;
    char started[32], finished[32];
    const pairs_run_item_t run[] = {
        {"version", j->opts->version, 0},
        {"command", j->opts->command_line, 0},
        {"input", j->opts->input, 0},
        {"started", time_text(j->started, started, sizeof(started)), 0},
        {"finished", time_text(time(NULL), finished, sizeof(finished)), 0},
        {"compute_seconds", NULL, report->seconds},
        {"ranks", NULL, report->n_ranks},
        {"pairs_computed", NULL, (double)report->items},
        {"cells_computed", NULL, report->cost},
    };
    pairs_head_t head = {.ends = j->opts->ends == ENDS_FREE ? "free" : "count",
                         .job = (const char *)j->text.data,
                         .n_datasets = j->n_datasets,
                         .cigar_style = j->spec.emit == EMIT_CIGAR
                                            ? cigar_style_name[j->opts->cigar_style]
                                            : NULL,
                         .run = run,
                         .n_run = (int)(sizeof(run) / sizeof(run[0])),
                         .devices = report->ranks,
                         .n_devices = report->n_ranks};
    status_t st = reslog_sync(j->log);

    if (st == ST_OK)
        st = pairs_write(j->tmp_path, &head, j->set, &j->grid, j->log);
    if (st != ST_OK) {
        unlink(j->tmp_path);
        return st;
    }
    return publish(j);
}
