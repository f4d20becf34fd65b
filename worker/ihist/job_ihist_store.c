/*
 * job_ihist_store.c - the job "ihist" on rank 0: the log of packed tiles, and the file
 * that they are the chunks of.
 */
#include "worker/ihist/job_ihist_state.h"

#include "io/ihist/ihist_file.h"
#include "io/store/tile_pack.h"

#include <inttypes.h>
#include <string.h>

void job_ihist_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    (void)opts;
    out->kind = &ihist_file_kind;
}

status_t job_ihist_describe(job_t *job)
{
    const job_ihist_t *j = (const job_ihist_t *)job;
    const ihist_shape_t *s = &j->shape;

    return buf_printf(&job->text,
                      "job=ihist\nframes=%" PRId64 "\nheight=%" PRId64 "\nwidth=%" PRId64
                      "\nimages_digest=%016" PRIx64 "\nbins=%" PRId64
                      "\ntile_side=%" PRId64 "\n",
                      j->set.n, s->height, s->width, image_set_digest(&j->set), s->n_bins,
                      s->side);
}

/* ---- records ---- */

/* @return whether a chunk has the values of a tile */
static bool is_packed(const job_ihist_t *j, const unsigned char *chunk, uint32_t len,
                      const char *values, char *scratch, char *spare)
{
    const size_t bytes = job_ihist_tile_bytes(j);
    const size_t value_bytes = bytes / (size_t)ihist_tile_values(&j->shape);

    if (chunk == NULL || !deflate_undo(chunk, len, scratch, bytes))
        return false;
    tile_pack_unshuffle(scratch, ihist_tile_values(&j->shape), value_bytes, spare);
    return memcmp(spare, values, bytes) == 0;
}

/* @return the kernel of processors that computes a record again */
static const ihist_backend_t *checker_of(const job_ihist_t *j)
{
    return j->shape.is_wide ? &ihist_serial_backend : &ihist_tiled_backend;
}

/* The values are computed again, which takes a fraction of what it took to compress them.
 */
static const char *compare(const job_ihist_t *j, int64_t task, const buf_t *record,
                           ihist_thread_t *t, char *scratch)
{
    const ihist_backend_t *b = checker_of(j);
    const int64_t n = job_ihist_run_of(j, task).n;
    size_t at = 0;

    if (job_ihist_compute(j, b, task, t) != ST_OK)
        return "cannot be checked without more memory";
    for (int64_t k = 0; k < n; k++) {
        uint32_t len;
        const unsigned char *chunk = tile_pack_next(record, &at, &len);

        if (!is_packed(j, chunk, len, t->values + (size_t)k * job_ihist_tile_bytes(j),
                       scratch, t->spare))
            return "has other values than its tiles";
    }
    return at == record->len ? NULL : "has another length than its tiles";
}

const char *job_ihist_check_record(job_t *job, int64_t task, int64_t version,
                                   const buf_t *record)
{
    const job_ihist_t *j = (const job_ihist_t *)job;
    const ihist_backend_t *b = checker_of(j);
    const char *wrong = "cannot be checked without more memory";
    ihist_thread_t t = {.state = NULL};
    buf_t scratch = {0};

    (void)version;
    if (buf_reserve(&scratch, job_ihist_tile_bytes(j)) == ST_OK &&
        job_ihist_thread_begin(j, b, &t) == ST_OK) {
        wrong = compare(j, task, record, &t, (char *)scratch.data);
        job_ihist_thread_end(b, &t);
    }
    buf_free(&scratch);
    return wrong;
}

/* ---- the result ---- */

static status_t write_tiles(const job_ihist_t *j, ihist_writer_t *to)
{
    buf_t record = {0};
    status_t st = ST_OK;

    for (int64_t task = 0; st == ST_OK && task < j->base.plan.n_tasks; task++) {
        const int64_t n = job_ihist_run_of(j, task).n;
        size_t at = 0;

        record.len = 0;
        st = reslog_read(j->base.log, task, &record);
        for (int64_t k = 0; st == ST_OK && k < n; k++) {
            uint32_t len;
            const unsigned char *chunk = tile_pack_next(&record, &at, &len);

            st = chunk != NULL ? ihist_writer_add(to, chunk, len)
                               : job_refuse(&j->base, task);
        }
    }
    buf_free(&record);
    return st;
}

status_t job_ihist_write_result(job_t *job, const job_report_t *report)
{
    const job_ihist_t *j = (const job_ihist_t *)job;
    ihist_head_t head = {.n_frames = j->set.n,
                         .height = j->shape.height,
                         .width = j->shape.width,
                         .n_bins = j->shape.n_bins,
                         .side = j->shape.side,
                         .job = (char *)job->text.data};
    ihist_writer_t *to = NULL;
    job_output_run_t run;
    status_t st = job_output_run(job, j->opts->files[0], report, &run);

    head.info = run.info;
    if (st == ST_OK)
        st = ihist_writer_open(job->opts->output, job_opts_may_replace(job->opts), &head,
                               j->shape.is_wide, &to);
    if (st == ST_OK)
        st = ihist_writer_close(to, write_tiles(j, to));
    job_output_run_free(&run);
    return st;
}
