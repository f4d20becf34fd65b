/*
 * job_match_store.c - the job "automata match" on rank 0: the log of finished pieces, and
 * the matches that follow from it.
 *
 * Pieces are scanned as if nothing had begun before them.  Where something had, it goes
 * on here.
 */
#include "worker/automata/job_match_state.h"

#include "io/automata/match_file.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "kernels/automata/scan_join.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void job_match_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    (void)opts;
    out->kind = &match_file_kind;
}

status_t job_match_describe(job_t *job)
{
    const job_match_t *j = (const job_match_t *)job;

    return buf_printf(&job->text,
                      "job=automata match\npatterns=%" PRId64
                      "\npatterns_digest=%016" PRIx64 "\nbytes=%" PRId64
                      "\nbytes_digest=%016" PRIx64 "\nlines=%d\n",
                      j->automata.nfa.n_patterns,
                      arrays_digest(&nfa_arrays, DIGEST_START, &j->automata.nfa),
                      j->n_bytes, digest_add(DIGEST_START, j->bytes, (size_t)j->n_bytes),
                      j->opts->lines);
}

/* ---- records ---- */

/* A record, in its buffer. */
typedef struct {
    const scan_hit_t *hits;
    const int32_t *live;
    int64_t n_hits, n_live;
} record_t;

/* @return whether a record has the length of what it says */
static bool open_record(const buf_t *record, record_t *out)
{
    job_match_head_t head;
    const size_t rest = record->len - sizeof(head);

    if (record->len < sizeof(head))
        return false;
    memcpy(&head, record->data, sizeof(head));
    if (head.n_hits < 0 || (size_t)head.n_hits > rest / sizeof(scan_hit_t) ||
        head.n_live < 0 || (size_t)head.n_live > rest / sizeof(int32_t))
        return false;
    *out = (record_t){(const void *)(record->data + sizeof(head)), NULL, head.n_hits,
                      head.n_live};
    out->live = (const void *)(out->hits + head.n_hits);
    return (size_t)head.n_hits * sizeof(scan_hit_t) +
               (size_t)head.n_live * sizeof(int32_t) ==
           rest;
}

const char *job_match_check_record(job_t *job, int64_t task, int64_t version,
                                   const buf_t *record)
{
    const job_match_t *j = (const job_match_t *)job;
    const scan_piece_t piece = job_match_piece(j, task);
    scan_hit_t before = {piece.begin, INT64_MAX};
    record_t r;

    (void)version;
    if (!open_record(record, &r))
        return "has another length than that of its matches";
    for (int64_t k = 0; k < r.n_hits; before = r.hits[k++])
        if (r.hits[k].end < before.end || r.hits[k].end > piece.end ||
            r.hits[k].pattern < 0 || r.hits[k].pattern >= j->automata.nfa.n_patterns ||
            (r.hits[k].end == before.end && r.hits[k].pattern <= before.pattern))
            return "has matches that its piece cannot have";
    for (int64_t k = 0; k < r.n_live; k++)
        if (r.live[k] < (k == 0 ? 0 : r.live[k - 1] + 1) ||
            r.live[k] >= j->automata.nfa.n_positions || j->opts->lines ||
            piece.end == piece.record_end)
            return "has positions that its piece cannot have";
    return NULL;
}

static status_t load(const job_match_t *j, int64_t task, scan_found_t *out)
{
    buf_t record = {0};
    record_t r = {.n_hits = 0};
    status_t st = reslog_read(j->base.log, task, &record);

    if (st == ST_OK && !open_record(&record, &r))
        st = job_refuse(&j->base, task);
    if (st == ST_OK)
        st = buf_append(&out->hits, r.hits, (size_t)r.n_hits * sizeof(*r.hits));
    if (st == ST_OK)
        st = buf_append(&out->live, r.live, (size_t)r.n_live * sizeof(*r.live));
    buf_free(&record);
    return st;
}

/* Load all pieces, and complete the matches that begin in one and end in another.
 * @param found  [n_tasks + 1] zeroed at first */
static status_t join_pieces(const job_match_t *j, scan_piece_t *pieces,
                            scan_found_t *found)
{
    const int64_t n = j->base.plan.n_tasks;
    status_t st = ST_OK;

    for (int64_t task = 0; st == ST_OK && task < n; task++) {
        pieces[task] = job_match_piece(j, task);
        st = load(j, task, &found[task]);
    }
    return st == ST_OK && !j->opts->lines
               ? scan_join(&j->automata.nfa, pieces, n, j->base.pool, found)
               : st;
}

/* ---- the result ---- */

/* @return behind the line that begins there, and its line feed */
static int64_t line_end(const job_match_t *j, int64_t begin)
{
    const uint8_t *feed = memchr(j->bytes + begin, '\n', (size_t)(j->n_bytes - begin));

    return feed != NULL ? feed - j->bytes + 1 : j->n_bytes + 1;
}

/* Number the lines of hits, and count their ends from the begins of these. */
static void number_lines(const job_match_t *j, match_file_t *m)
{
    int64_t line = 0, begin = 0, next = m->n_hits > 0 ? line_end(j, 0) : 0;

    for (int64_t k = 0; k < m->n_hits; k++) {
        for (; next < m->end[k]; line++) {
            begin = next;
            next = line_end(j, begin);
        }
        m->record[k] = line;
        m->end[k] -= begin;
    }
}

static status_t make_columns(const job_match_t *j, const scan_found_t *found,
                             match_file_t *m)
{
    size_t n = 0;

    for (int64_t task = 0; task < j->base.plan.n_tasks; task++)
        n += found[task].hits.len / sizeof(scan_hit_t);
    m->end = malloc((n + 1) * sizeof(*m->end));
    m->hit = malloc((n + 1) * sizeof(*m->hit));
    m->record = j->opts->lines ? malloc((n + 1) * sizeof(*m->record)) : NULL;
    if (m->end == NULL || m->hit == NULL || (j->opts->lines && m->record == NULL))
        return log_nomem("matches");
    for (int64_t task = 0; task < j->base.plan.n_tasks; task++) {
        const scan_hit_t *hits = (const void *)found[task].hits.data;

        for (size_t k = 0; k < found[task].hits.len / sizeof(*hits); k++) {
            m->end[m->n_hits] = hits[k].end;
            m->hit[m->n_hits++] = (int32_t)hits[k].pattern;
        }
    }
    if (j->opts->lines)
        number_lines(j, m);
    return ST_OK;
}

static status_t collect_hits(const job_match_t *j, match_file_t *m)
{
    const size_t n = (size_t)j->base.plan.n_tasks + 1;
    scan_piece_t *pieces = malloc(n * sizeof(*pieces));
    scan_found_t *found = calloc(n, sizeof(*found));
    status_t st = pieces != NULL && found != NULL ? join_pieces(j, pieces, found)
                                                  : log_nomem("matches");

    if (st == ST_OK)
        st = make_columns(j, found, m);
    for (size_t k = 0; found != NULL && k < n; k++)
        scan_found_free(&found[k]);
    free(found);
    free(pieces);
    return st;
}

/* Count the patterns that have matches. @param out  is added to */
static status_t count_found(const match_file_t *m, int64_t *out)
{
    uint8_t *is_found = calloc((size_t)m->n_patterns + 1, 1);

    if (is_found == NULL)
        return log_nomem("patterns");
    for (int64_t k = 0; k < m->n_hits; k++) {
        *out += is_found[m->hit[k]] == 0;
        is_found[m->hit[k]] = 1;
    }
    free(is_found);
    return ST_OK;
}

static status_t write_file(const job_match_t *j, match_file_t *m)
{
    const job_opts_t *o = j->base.opts;
    int64_t n_found = 0;
    status_t st = count_found(m, &n_found);

    if (st == ST_OK)
        st = match_file_write(o->output, o->force || o->resume, m, j->base.pool);
    if (st == ST_OK)
        log_info("%" PRId64 " matches of %" PRId64 " patterns", m->n_hits, n_found);
    return st;
}

status_t job_match_write_result(job_t *job, const job_report_t *report)
{
    job_match_t *j = (job_match_t *)job;
    match_file_t m = {.n_patterns = j->automata.nfa.n_patterns,
                      .pattern = j->automata.nfa.name,
                      .job = (char *)job->text.data};
    job_output_run_t run;
    status_t st = job_output_run(job, j->opts->input, report, &run);

    m.info = run.info;
    if (st == ST_OK)
        st = collect_hits(j, &m);
    if (st == ST_OK)
        st = write_file(j, &m);
    free(m.end);
    free(m.hit);
    free(m.record);
    job_output_run_free(&run);
    return st;
}
