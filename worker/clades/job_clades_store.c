/*
 * job_clades_store.c - the job "clades" on rank 0: the log of counted rectangles, and the
 * integral histogram that is the sum of them.
 *
 * Rows of blocks are summed up some at a time, so that memory does not grow with the
 * square of their number: the log is read once for each such strip.
 */
#include "worker/clades/job_clades_state.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Values of a strip: 256 MB. */
enum { STRIP_VALUES = 1 << 25 };

void job_clades_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    (void)opts;
    out->kind = &clades_file_kind;
}

status_t job_clades_describe(job_t *job)
{
    const job_clades_t *j = (const job_clades_t *)job;
    const clades_t *c = &j->in.plan;
    uint64_t digest = arrays_digest(&clades_arrays, DIGEST_START, c);

    return buf_printf(&job->text,
                      "job=clades\nsequences=%" PRId64 "\npairs_digest=%016" PRIx64
                      "\ntaxa=%" PRId64 "\ntaxa_digest=%016" PRIx64
                      "\ncuts=%s\nblocks=%" PRId64 "\nbins=%" PRId64 "\n",
                      c->n, c->digest, c->n_taxa - 1, digest, j->opts->cuts_text,
                      c->n_cuts, j->opts->n_bins);
}

const char *job_clades_check_record(job_t *job, int64_t task, int64_t version,
                                    const buf_t *record)
{
    const job_clades_t *j = (const job_clades_t *)job;

    (void)version;
    return clades_count_check(&j->map, &j->tasks[task], record);
}

/* ---- the result ---- */

/* Sum up rows of blocks, with the first ones the pairs by level; records are checked with
 * these.
 * @param places  [n_tasks] of the records @param count  [last - first][n_cuts][n_bins] */
static status_t sum_rows(job_clades_t *j, int64_t first, int64_t last,
                         clades_place_t *places, int64_t *count)
{
    clades_t *c = &j->in.plan;
    buf_t record = {0};
    status_t st = ST_OK;

    memset(count, 0, (size_t)((last - first) * c->n_cuts * c->n_bins) * sizeof(*count));
    for (int64_t task = 0; st == ST_OK && task < j->base.plan.n_tasks; task++) {
        const pairs_region_t *r = &j->tasks[task];

        record.len = 0;
        if ((st = reslog_read(j->base.log, task, &record)) != ST_OK)
            break;
        if (first == 0 && clades_count_check(&j->map, r, &record) != NULL) {
            st = job_refuse(&j->base, task);
            break;
        }
        if (first == 0)
            clades_count_add_levels(&j->map, r, &record, c);
        clades_count_add_blocks(&j->map, r, &record, first, last, &places[task], count);
    }
    buf_free(&record);
    return st;
}

/* Write the integral of a strip. */
static status_t write_rows(const clades_t *c, clades_writer_t *to, int64_t first,
                           int64_t last, int64_t *before, int64_t *count)
{
    status_t st = ST_OK;

    for (int64_t row = first; st == ST_OK && row < last; row++) {
        int64_t *of_row = count + (row - first) * c->n_cuts * c->n_bins;

        clades_count_integrate(c, row, before, of_row);
        st = clades_writer_add(to, of_row + row * c->n_bins,
                               (c->n_cuts - row) * c->n_bins);
    }
    return st;
}

/* The first strip has the pairs by level, which the file begins with. */
static status_t write_file(job_clades_t *j, clades_place_t *places, int64_t *before,
                           int64_t *count, int64_t n_rows, const run_info_t *info)
{
    const job_opts_t *o = j->base.opts;
    clades_t c = j->in.plan;
    clades_writer_t *to = NULL;
    status_t st = sum_rows(j, 0, n_rows < c.n_cuts ? n_rows : c.n_cuts, places, count);

    c.job = (char *)j->base.text.data;
    c.info = *info;
    if (st != ST_OK || (st = clades_writer_open(o->output, job_opts_may_replace(o), &c,
                                                j->base.pool, &to)) != ST_OK)
        return st;
    for (int64_t first = 0; st == ST_OK && first < c.n_cuts; first += n_rows) {
        const int64_t last = first + n_rows < c.n_cuts ? first + n_rows : c.n_cuts;

        if (first > 0)
            st = sum_rows(j, first, last, places, count);
        if (st == ST_OK)
            st = write_rows(&c, to, first, last, before, count);
    }
    return clades_writer_close(to, st);
}

status_t job_clades_write_result(job_t *job, const job_report_t *report)
{
    job_clades_t *j = (job_clades_t *)job;
    clades_t *c = &j->in.plan;
    const int64_t row = c->n_cuts * c->n_bins;
    const int64_t n_rows = row < STRIP_VALUES ? STRIP_VALUES / row : 1;
    const int64_t n_held = n_rows < c->n_cuts ? n_rows : c->n_cuts;
    const size_t n_best = (size_t)(c->n * c->n_levels);
    clades_place_t *places = calloc((size_t)job->plan.n_tasks + 1, sizeof(*places));
    int64_t *before = calloc((size_t)row, sizeof(*before));
    int64_t *count = malloc((size_t)(n_held * row) * sizeof(*count));
    job_output_run_t run;
    status_t st = job_output_run(job, j->opts->input, report, &run);

    free(c->level_count);
    free(c->best_matches);
    free(c->best_columns);
    c->level_count = calloc((size_t)(c->n_levels * c->n_bins), sizeof(*c->level_count));
    c->best_matches = calloc(n_best, sizeof(*c->best_matches));
    c->best_columns = calloc(n_best, sizeof(*c->best_columns));
    if (st == ST_OK &&
        (places == NULL || before == NULL || count == NULL || c->level_count == NULL ||
         c->best_matches == NULL || c->best_columns == NULL))
        st = log_nomem("an integral histogram");
    if (st == ST_OK)
        st = write_file(j, places, before, count, n_rows, &run.info);
    job_output_run_free(&run);
    free(places);
    free(before);
    free(count);
    return st;
}
