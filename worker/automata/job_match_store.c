/*
 * job_match_store.c - the job "automata match" on rank 0: the log of finished pieces, and
 * the matches that follow from it.
 *
 * Pieces are scanned as if nothing had begun before them.  Where something had, it goes
 * on here, in the order of the pieces.
 */
#include "worker/automata/job_match_state.h"

#include "io/automata/match_file.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "kernels/automata/scan_nfa.h"

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
    const int64_t end = j->opts->lines ? j->n_bytes : piece.end;
    scan_hit_t before = {piece.begin, INT64_MAX};
    record_t r;

    (void)version;
    if (!open_record(record, &r))
        return "has another length than that of its matches";
    for (int64_t k = 0; k < r.n_hits; before = r.hits[k++])
        if (r.hits[k].end < before.end || r.hits[k].end > end || r.hits[k].pattern < 0 ||
            r.hits[k].pattern >= j->automata.nfa.n_patterns ||
            (r.hits[k].end == before.end && r.hits[k].pattern <= before.pattern))
            return "has matches that its piece cannot have";
    for (int64_t k = 0; k < r.n_live; k++)
        if (r.live[k] < (k == 0 ? 0 : r.live[k - 1] + 1) ||
            r.live[k] >= j->automata.nfa.n_positions || j->opts->lines ||
            piece.end == piece.record_end)
            return "has positions that its piece cannot have";
    return NULL;
}

static status_t load(const job_match_t *j, int64_t task, buf_t *record, record_t *out)
{
    status_t st = reslog_read(j->base.log, task, record);

    if (st != ST_OK)
        return st;
    return open_record(record, out) ? ST_OK : job_refuse(&j->base, task);
}

/* ---- what began in earlier pieces ---- */

typedef struct {
    void *scan;   /* of scan_nfa_backend */
    buf_t before; /* int32_t: positions that are live where the piece begins */
    buf_t behind; /* likewise behind it */
} carry_t;

/* Append the hits of a piece of the stream, and carry what is live to the next one. */
static status_t append_piece(carry_t *c, const scan_piece_t *piece, const record_t *r,
                             buf_t *hits)
{
    const size_t begin = hits->len;
    const buf_t before = c->before;
    status_t st;

    c->behind.len = 0;
    if ((st = buf_append(hits, r->hits, (size_t)r->n_hits * sizeof(*r->hits))) != ST_OK ||
        (st = scan_carry(c->scan, piece, 0, (const void *)before.data,
                         (int64_t)(before.len / sizeof(int32_t)), hits, &c->behind)) !=
            ST_OK ||
        (st = buf_append(&c->behind, r->live, (size_t)r->n_live * sizeof(*r->live))) !=
            ST_OK)
        return st;
    scan_sort_hits(hits, begin);
    scan_sort_live(&c->behind, 0);
    c->before = c->behind;
    c->behind = before;
    return ST_OK;
}

static status_t join_pieces(const job_match_t *j, buf_t *hits)
{
    const scan_context_t context = {.nfa = &j->automata.nfa, .n_threads = 1};
    carry_t c = {.scan = NULL};
    buf_t record = {0};
    record_t r = {.n_hits = 0};
    status_t st = scan_nfa_backend.create(&context, &c.scan);

    for (int64_t task = 0; st == ST_OK && task < j->base.plan.n_tasks; task++) {
        const scan_piece_t piece = job_match_piece(j, task);

        if ((st = load(j, task, &record, &r)) == ST_OK)
            st = append_piece(&c, &piece, &r, hits);
    }
    scan_nfa_backend.destroy(c.scan);
    buf_free(&c.before);
    buf_free(&c.behind);
    buf_free(&record);
    return st;
}

static status_t join_lines(const job_match_t *j, buf_t *hits)
{
    buf_t record = {0};
    record_t r = {.n_hits = 0};
    status_t st = ST_OK;

    for (int64_t task = 0; st == ST_OK && task < j->base.plan.n_tasks; task++)
        if ((st = load(j, task, &record, &r)) == ST_OK)
            st = buf_append(hits, r.hits, (size_t)r.n_hits * sizeof(*r.hits));
    buf_free(&record);
    return st;
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

static status_t make_columns(const job_match_t *j, const buf_t *found, match_file_t *m)
{
    const scan_hit_t *hits = (const void *)found->data;
    const size_t n = found->len / sizeof(*hits) + 1;

    m->n_hits = (int64_t)(found->len / sizeof(*hits));
    m->end = malloc(n * sizeof(*m->end));
    m->hit = malloc(n * sizeof(*m->hit));
    m->record = j->opts->lines ? malloc(n * sizeof(*m->record)) : NULL;
    if (m->end == NULL || m->hit == NULL || (j->opts->lines && m->record == NULL))
        return log_nomem("matches");
    for (int64_t k = 0; k < m->n_hits; k++) {
        m->end[k] = hits[k].end;
        m->hit[k] = (int32_t)hits[k].pattern;
    }
    if (j->opts->lines)
        number_lines(j, m);
    return ST_OK;
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
    buf_t hits = {0};
    status_t st = job_output_run(job, j->opts->input, report, &run);

    m.info = run.info;
    if (st == ST_OK)
        st = j->opts->lines ? join_lines(j, &hits) : join_pieces(j, &hits);
    if (st == ST_OK && (st = make_columns(j, &hits, &m)) == ST_OK)
        st = write_file(j, &m);
    free(m.end);
    free(m.hit);
    free(m.record);
    buf_free(&hits);
    job_output_run_free(&run);
    return st;
}
