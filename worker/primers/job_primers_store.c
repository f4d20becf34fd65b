/*
 * job_primers_store.c - the job "primers" on rank 0: the log of finished blocks, and the
 * outputs that are made of it.
 */
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/file/whole_file.h"
#include "io/reads/reads_write.h"
#include "worker/primers/job_primers_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void job_primers_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    const primers_opts_t *o = (const primers_opts_t *)opts;
    const char *const extra[] = {o->output2, o->untrimmed, o->untrimmed2, o->hits,
                                 o->counts,  o->table,     o->svg};

    out->is_text = true;
    out->format = o->format;
    memcpy(out->extra, extra, sizeof(extra));
}

status_t job_primers_describe(job_t *job)
{
    const job_primers_t *j = (const job_primers_t *)job;
    status_t st = buf_printf(&job->text, "job=primers\nreads=%" PRId64 "\n",
                             job_primers_n_reads(j));

    for (int f = 0; st == ST_OK && f < job_primers_n_files(j); f++)
        st = buf_printf(&job->text, "%s_digest=%016" PRIx64 "\n",
                        f == 0 ? "reads" : "mates",
                        digest_add(DIGEST_START, j->reads[f].text.data,
                                   j->reads[f].text.len));
    if (st != ST_OK)
        return st;
    return buf_printf(&job->text,
                      "primers=%d\nprimers_digest=%016" PRIx64 "\nmismatches=%d\n"
                      "gaps=%" PRId64 "\nthree_prime=%" PRId64 "\n",
                      j->n_pairs,
                      digest_add(texts_digest(j->panel.names, j->panel.n, DIGEST_START),
                                 j->pairs, (size_t)j->pairs_bytes),
                      primer_trim_mismatches(&j->opts->primers), j->opts->gaps,
                      j->opts->three_prime);
}

/* ---- records ---- */

/* @return whether a region is before another one of its record */
static bool is_before(const primer_region_t *a, const primer_region_t *b)
{
    return a->read != b->read ? a->read < b->read : a->pair < b->pair;
}

const char *job_primers_check_record(job_t *job, int64_t task, int64_t version,
                                     const buf_t *record)
{
    const job_primers_t *j = (const job_primers_t *)job;
    primer_region_t region, before = {.read = -1};
    int64_t n;

    (void)version;
    if (record->len < sizeof(n))
        return "has another length than that of its regions";
    memcpy(&n, record->data, sizeof(n));
    if ((record->len - sizeof(n)) % sizeof(region) != 0 ||
        (int64_t)((record->len - sizeof(n)) / sizeof(region)) != n)
        return "has another length than that of its regions";
    for (size_t at = sizeof(n); at < record->len; at += sizeof(region), before = region) {
        memcpy(&region, record->data + at, sizeof(region));
        if (!is_before(&before, &region) || region.read >= job_primers_len(j, task) ||
            !primer_search_may_be(j->checker, task * JOB_PRIMERS_BLOCK, &region))
            return "has regions that its reads cannot have";
    }
    return NULL;
}

status_t job_primers_load(const job_primers_t *j, int64_t task, buf_t *record,
                          const primer_region_t **out, int64_t *n)
{
    status_t st = reslog_read(j->base.log, task, record);

    if (st != ST_OK)
        return st;
    if (record->len < sizeof(*n) || (record->len - sizeof(*n)) % sizeof(**out) != 0)
        return job_refuse(&j->base, task);
    *n = (int64_t)((record->len - sizeof(*n)) / sizeof(**out));
    *out = (const primer_region_t *)(const void *)(record->data + sizeof(*n));
    return ST_OK;
}

/* ---- the outputs ---- */

/* Of reads, or pairs of them. */
typedef struct {
    int64_t n_found;                     /* have a pair of primers */
    int64_t n_cut;                       /* are cut by it; of these: */
    int64_t n_reversed, n_short, n_long; /* the two last are not written */
} counts_t;

typedef struct {
    const job_primers_t *j;
    reads_writer_t *trimmed[2], *untrimmed[2];
    whole_file_t *hits, *counts;
    primer_coverage_t coverage;
    counts_t *of_pair;     /* [n_pairs] of primers */
    int64_t first_missing; /* -1: none */
} outputs_t;

static status_t open_outputs(outputs_t *w)
{
    const primers_opts_t *o = w->j->opts;
    const bool force = job_opts_may_replace(&o->common),
               are_fastq = w->j->reads[0].are_fastq;
    const struct {
        const char *path;
        reads_writer_t **to;
    } files[] = {{o->common.output, &w->trimmed[0]},
                 {o->output2, &w->trimmed[1]},
                 {o->untrimmed, &w->untrimmed[0]},
                 {o->untrimmed2, &w->untrimmed[1]}};
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < 4; k++)
        st = reads_writer_open(files[k].path, force, are_fastq, w->j->base.pool,
                               files[k].to);
    if ((w->of_pair = calloc((size_t)w->j->n_pairs, sizeof(*w->of_pair))) == NULL)
        return log_nomem("counts of reads");
    if (st == ST_OK)
        st = job_output_open(&w->j->base, o->counts, &w->counts);
    if (st == ST_OK)
        st = job_output_open(&w->j->base, o->hits, &w->hits);
    if (st == ST_OK && w->hits != NULL)
        primer_hits_head(whole_file_stream(w->hits));
    if (st == ST_OK && o->taxonomy != NULL)
        st = primer_coverage_begin(w->j, &w->coverage);
    return st;
}

static status_t label(const void *job, FILE *to)
{
    return job_output_label(job, to);
}

static void write_row(const outputs_t *w, const char *name, const counts_t *c)
{
    fprintf(whole_file_stream(w->counts),
            "%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64
            "\t%" PRId64 "\n",
            name, job_primers_n_reads(w->j), c->n_found, c->n_cut, c->n_reversed,
            c->n_short, c->n_long);
}

/* @return the counts of reads that have any pair */
static counts_t count_all(const outputs_t *w)
{
    counts_t all = {0};

    for (const counts_t *c = w->of_pair; c < w->of_pair + w->j->n_pairs; c++) {
        all.n_cut += c->n_cut;
        all.n_reversed += c->n_reversed;
        all.n_short += c->n_short;
        all.n_long += c->n_long;
    }
    all.n_found = all.n_cut;
    return all;
}

static void write_counts(const outputs_t *w)
{
    const counts_t all = count_all(w);

    fputs("pair\treads\tfound\tcut\treversed\ttoo_short\ttoo_long\n",
          whole_file_stream(w->counts));
    for (int q = 0; q < w->j->n_pairs; q++)
        write_row(w, w->j->panel.names[q], &w->of_pair[q]);
    write_row(w, "all", &all);
}

/* The main one comes last: it says that all is there. */
static status_t close_outputs(outputs_t *w, status_t st)
{
    if (w->counts != NULL) {
        write_counts(w);
        st = whole_file_close(w->counts, st);
    }
    if (w->hits != NULL)
        st = whole_file_close(w->hits, st);
    if (st == ST_OK && w->j->taxonomy != NULL)
        st = primer_coverage_write(w->j, &w->coverage);
    primer_coverage_free(&w->coverage);
    for (int f = 0; f < 2; f++)
        st = reads_writer_close(w->untrimmed[f], st, NULL, NULL);
    st = reads_writer_close(w->trimmed[1], st, NULL, NULL);
    return reads_writer_close(w->trimmed[0], st, label, &w->j->base);
}

/* @return what is kept of a read */
static read_part_t part_of_read(const job_primers_t *j, const primer_region_t *r)
{
    const int first = r->is_reversed ? PRIMER_REVERSE : PRIMER_FORWARD, last = !first;

    return j->opts->keep_primers
               ? (read_part_t){r->at[first], r->at[last] + r->len[last], r->is_reversed}
               : (read_part_t){r->at[first] + r->len[first], r->at[last], r->is_reversed};
}

/* @return what is kept of the read of a pair that has a primer */
static read_part_t part_of_mate(const job_primers_t *j, const primer_region_t *r,
                                primer_role_t role)
{
    return j->opts->keep_primers
               ? (read_part_t){r->at[role], r->end[role] + r->end_len[role], false}
               : (read_part_t){r->at[role] + r->len[role], r->end[role], false};
}

/* @return whether parts have the lengths that are wanted. @param c  counts others */
static bool passes(const seq_filter_t *f, const read_part_t *parts, int n, counts_t *c)
{
    bool is_short = false, is_long = false;

    for (int k = 0; k < n; k++) {
        const int64_t len = parts[k].end - parts[k].begin;

        is_short = is_short || len < f->min_length;
        is_long = is_long || (f->max_length > 0 && len > f->max_length);
    }
    c->n_short += is_short;
    c->n_long += is_long && !is_short;
    return !is_short && !is_long;
}

/* The first output has the read with the forward primer, the second one its mate. */
static status_t write_trimmed(outputs_t *w, int64_t i, const primer_region_t *r)
{
    const job_primers_t *j = w->j;
    const int n = job_primers_n_files(j);
    counts_t *c = &w->of_pair[r->pair];
    int file[2] = {0, 1};
    read_part_t parts[2];
    status_t st = ST_OK;

    c->n_cut++;
    c->n_reversed += r->is_reversed;
    if (n == 1)
        parts[0] = part_of_read(j, r);
    for (int role = 0; n == 2 && role < 2; role++) {
        file[role] = role != r->is_reversed;
        parts[role] = part_of_mate(j, r, role);
    }
    if (!passes(&j->opts->filter, parts, n, c))
        return ST_OK;
    for (int k = 0; st == ST_OK && k < n; k++)
        st = reads_writer_add(w->trimmed[k], &j->reads[file[k]], i, parts[k]);
    return st;
}

static status_t write_untrimmed(outputs_t *w, int64_t i)
{
    status_t st = ST_OK;

    if (w->first_missing < 0)
        w->first_missing = i;
    for (int f = 0; st == ST_OK && f < job_primers_n_files(w->j); f++)
        st = reads_writer_add(w->untrimmed[f], &w->j->reads[f], i,
                              (read_part_t){0, w->j->reads[f].at[i].len, false});
    return st;
}

/* Write the reads of a task. @param r  [n] its regions */
static status_t write_task(outputs_t *w, int64_t task, const primer_region_t *r,
                           int64_t n)
{
    const int64_t first = task * JOB_PRIMERS_BLOCK;
    const primer_region_t *end = r + n;
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < job_primers_len(w->j, task); i++) {
        const primer_region_t *best = NULL;

        for (; r < end && r->read == i; r++) {
            w->of_pair[r->pair].n_found++;
            if (best == NULL || primer_region_edits(r) < primer_region_edits(best))
                best = r;
            if (w->hits != NULL)
                primer_hits_write(w->j, first, r, whole_file_stream(w->hits));
            if (w->j->taxonomy != NULL)
                primer_coverage_add(w->j, &w->coverage, first + i, r);
        }
        st = best != NULL ? write_trimmed(w, first + i, best)
                          : write_untrimmed(w, first + i);
    }
    return st;
}

static status_t write_all(outputs_t *w)
{
    buf_t record = {0};
    status_t st = ST_OK;

    for (int64_t task = 0; st == ST_OK && task < w->j->base.plan.n_tasks; task++) {
        const primer_region_t *regions = NULL;
        int64_t n = 0;

        if ((st = job_primers_load(w->j, task, &record, &regions, &n)) == ST_OK)
            st = write_task(w, task, regions, n);
    }
    buf_free(&record);
    return st;
}

/* With --missing-primers stop, the first read without primers is an error. */
static status_t check_missing(const outputs_t *w)
{
    const reads_t *reads = &w->j->reads[0];
    const int64_t i = w->first_missing;

    if (i < 0 || w->j->opts->primers.missing != PRIMER_MISSING_STOP)
        return ST_OK;
    log_error("%s: %" PRId64 " of %" PRId64
              " %s lack a primer, the first is '%.*s'; drop "
              "them with --missing-primers drop",
              reads->name, job_primers_n_reads(w->j) - count_all(w).n_found,
              job_primers_n_reads(w->j), w->j->base.plan.item_word,
              (int)reads_name_len(reads, i), reads_text(reads, reads->at[i].header));
    return ST_EINPUT;
}

static void log_counts(const outputs_t *w)
{
    const char *what = w->j->base.plan.item_word;
    const int64_t n = job_primers_n_reads(w->j);
    const counts_t all = count_all(w);

    log_info("%" PRId64 " of %" PRId64 " %s have both primers, %" PRId64
             " of them reversed; %" PRId64 " were too short, %" PRId64 " too long",
             all.n_found, n, what, all.n_reversed, all.n_short, all.n_long);
    if (all.n_found == 0 && n > 0)
        log_warn("no read has both primers; give primers 5' to 3', and reads that "
                 "include them");
}

status_t job_primers_write_result(job_t *job, const job_report_t *report)
{
    outputs_t w = {.j = (const job_primers_t *)job, .first_missing = -1};
    status_t st = open_outputs(&w);

    (void)report;
    if (st == ST_OK && (st = write_all(&w)) == ST_OK)
        st = check_missing(&w);
    st = close_outputs(&w, st);
    if (st == ST_OK)
        log_counts(&w);
    free(w.of_pair);
    return st;
}
