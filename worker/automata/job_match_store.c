/*
 * job_match_store.c - the job "automata match" on rank 0: the log of finished pieces, and
 * the matches that follow from it.
 *
 * Pieces are scanned as if nothing had begun before them.  Where something had, it goes
 * on here.  The file is written while the log is read, some pieces at a time, so that
 * memory does not grow with the number of matches.
 */
#include "worker/automata/job_match_state.h"

#include "io/automata/match_file.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/plural.h"
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

/* ---- the result ---- */

/* Pieces whose matches are in memory, and the bytes of these, beyond which no other piece
 * is loaded; matches that are written at a time. */
enum { MAX_PIECES = 256, MAX_PIECES_BYTES = SCAN_PIECES_BYTES, MAX_MATCHES = 1 << 14 };

/* The file in the making. */
typedef struct {
    const job_match_t *j;
    scan_join_t *join; /* NULL: pieces are lines */
    match_writer_t *to;
    uint8_t *is_found; /* [n_patterns] */
    int64_t n_found;   /* patterns */
    int64_t n_hits;

    /* lines: the one that the last match was in, its begin, and that of the next one */
    int64_t line, line_begin, line_end;

    scan_piece_t pieces[MAX_PIECES];
    scan_found_t found[MAX_PIECES];

    /* matches that are written next */
    int64_t n, record[MAX_MATCHES], end[MAX_MATCHES];
    int32_t hit[MAX_MATCHES];
} output_t;

/* Load pieces from a task on, at least one. @param n  out: how many */
static status_t load_pieces(output_t *o, int64_t task, int *n)
{
    const int64_t left = o->j->base.plan.n_tasks - task;
    size_t n_bytes = 0;
    status_t st = ST_OK;

    for (*n = 0;
         st == ST_OK && *n < MAX_PIECES && *n < left && n_bytes <= MAX_PIECES_BYTES;
         ++*n) {
        o->pieces[*n] = job_match_piece(o->j, task + *n);
        st = load(o->j, task + *n, &o->found[*n]);
        n_bytes += o->found[*n].hits.len;
    }
    return st;
}

static status_t write_block(output_t *o)
{
    const match_file_t block = {.n_hits = o->n,
                                .record = o->record,
                                .end = o->end,
                                .hit = o->hit};

    o->n_hits += o->n;
    o->n = 0;
    return match_writer_add(o->to, &block);
}

/* @return behind the line that begins there, and its line feed */
static int64_t end_of_line(const job_match_t *j, int64_t begin)
{
    const uint8_t *feed = memchr(j->bytes + begin, '\n', (size_t)(j->n_bytes - begin));

    return feed != NULL ? feed - j->bytes + 1 : j->n_bytes + 1;
}

/* Go on to the line in which a match ends. */
static void find_line(output_t *o, int64_t end)
{
    for (; o->line_end < end; o->line++) {
        o->line_begin = o->line_end;
        o->line_end = end_of_line(o->j, o->line_begin);
    }
}

/* Write the matches of a piece; ends count from the begin of their line, if there are
 * lines. */
static status_t write_piece(output_t *o, const buf_t *hits)
{
    const scan_hit_t *hit = (const void *)hits->data;
    status_t st = ST_OK;

    for (size_t k = 0; st == ST_OK && k < hits->len / sizeof(*hit); k++) {
        const int64_t pattern = hit[k].pattern;

        if (o->j->opts->lines)
            find_line(o, hit[k].end);
        o->record[o->n] = o->line;
        o->end[o->n] = hit[k].end - o->line_begin;
        o->hit[o->n++] = (int32_t)pattern;
        o->n_found += o->is_found[pattern] == 0;
        o->is_found[pattern] = 1;
        if (o->n == MAX_MATCHES)
            st = write_block(o);
    }
    return st;
}

/* Complete the matches that begin in one piece and end in another, and write all. */
static status_t write_hits(output_t *o)
{
    status_t st = ST_OK;
    int n;

    for (int64_t task = 0; st == ST_OK && task < o->j->base.plan.n_tasks; task += n) {
        st = load_pieces(o, task, &n);
        if (st == ST_OK && o->join != NULL)
            st = scan_join_pieces(o->join, o->pieces, n, o->found);
        for (int k = 0; k < n; k++) {
            if (st == ST_OK)
                st = write_piece(o, &o->found[k].hits);
            scan_found_free(&o->found[k]);
        }
    }
    return st == ST_OK && o->n > 0 ? write_block(o) : st;
}

static status_t write_file(const job_match_t *j, const match_file_t *head)
{
    const job_opts_t *opts = j->base.opts;
    output_t *o = calloc(1, sizeof(*o));
    status_t st = ST_OK;

    if (o == NULL || (o->is_found = calloc((size_t)head->n_patterns + 1, 1)) == NULL) {
        free(o);
        return log_nomem("matches");
    }
    o->j = j;
    o->line = j->opts->lines ? -1 : 0; /* none yet */
    if (!j->opts->lines)
        st = scan_join_create(&j->automata.nfa, j->base.pool, &o->join);
    if (st == ST_OK)
        st = match_writer_open(opts->output, opts->force || opts->resume, head,
                               j->opts->lines, j->base.pool, &o->to);
    if (st == ST_OK)
        st = write_hits(o);
    st = match_writer_close(o->to, st);
    if (st == ST_OK)
        log_info("%" PRId64 " match%s of %" PRId64 " pattern%s", o->n_hits,
                 o->n_hits == 1 ? "" : "es", o->n_found, plural(o->n_found));
    scan_join_destroy(o->join);
    free(o->is_found);
    free(o);
    return st;
}

status_t job_match_write_result(job_t *job, const job_report_t *report)
{
    const job_match_t *j = (const job_match_t *)job;
    match_file_t m = {.n_patterns = j->automata.nfa.n_patterns,
                      .pattern = j->automata.nfa.name,
                      .job = (char *)job->text.data};
    job_output_run_t run;
    status_t st = job_output_run(job, j->opts->input, report, &run);

    m.info = run.info;
    if (st == ST_OK)
        st = write_file(j, &m);
    job_output_run_free(&run);
    return st;
}
