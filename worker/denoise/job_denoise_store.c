/*
 * job_denoise_store.c - the job "denoise" on rank 0: the log of finished tasks, and the
 * ASVs that follow from it.
 */
#include "worker/denoise/job_denoise_state.h"

#include "io/amplicon/asv_result.h"
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/otu/otu_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void job_denoise_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    out->kind = &asv_result_kind;
    out->extra[0] = ((const denoise_opts_t *)opts)->asvs;
}

status_t job_denoise_describe(job_t *job)
{
    const job_denoise_t *j = (const job_denoise_t *)job;

    return buf_printf(&job->text,
                      "job=denoise\nreads=%" PRId64 "\nreads_digest=%016" PRIx64
                      "\nsizes_digest=%016" PRIx64 "\nalpha=%.17g\nmin_size=%" PRId64
                      "\n",
                      j->in.input->n, seqset_digest(j->in.input),
                      prepare_digest(&j->in.prepared, j->in.input->n), j->opts->alpha,
                      j->opts->min_size);
}

/* ---- records ---- */

/* @return whether an edge is one of a tile's that the rule accepts */
static bool is_edge(const job_denoise_t *j, const tile_t *tile, const denoise_edge_t *e)
{
    return denoise_edge_is_in(e, tile) && e->centroid < e->read && e->matches >= 0 &&
           e->mismatches >= 0 && (int64_t)e->matches + e->mismatches <= e->columns &&
           fraction_reached(&DENOISE_MIN_IDENTITY, e->matches, e->columns) &&
           denoise_accepts(j->opts->alpha, j->in.size[e->read], j->in.size[e->centroid],
                           e->mismatches);
}

/* @return whether an edge is before another one of its record */
static bool is_before(const denoise_edge_t *a, const denoise_edge_t *b)
{
    return a->centroid != b->centroid ? a->centroid < b->centroid : a->read < b->read;
}

const char *job_denoise_check_record(job_t *job, int64_t task, int64_t version,
                                     const buf_t *record)
{
    const job_denoise_t *j = (const job_denoise_t *)job;
    const tile_t tile = tile_at(&j->grid, task);
    denoise_edge_t edge, before = {.centroid = -1};
    int64_t n;

    (void)version;
    if (record->len < sizeof(n))
        return "has another length than that of its pairs";
    memcpy(&n, record->data, sizeof(n));
    if ((record->len - sizeof(n)) % sizeof(edge) != 0 ||
        (int64_t)((record->len - sizeof(n)) / sizeof(edge)) != n)
        return "has another length than that of its pairs";
    for (size_t at = sizeof(n); at < record->len; at += sizeof(edge), before = edge) {
        memcpy(&edge, record->data + at, sizeof(edge));
        if (!is_edge(j, &tile, &edge) || !is_before(&before, &edge))
            return "has pairs that its reads cannot have";
    }
    return NULL;
}

static status_t read_edges(job_denoise_t *j, buf_t *out)
{
    buf_t record = {0};
    status_t st = ST_OK;

    for (int64_t task = 0; st == ST_OK && task < j->grid.n_tiles; task++) {
        if ((st = reslog_read(j->base.log, task, &record)) != ST_OK)
            break;
        st = job_denoise_check_record(&j->base, task, 0, &record) == NULL
                 ? buf_append(out, record.data + sizeof(int64_t),
                              record.len - sizeof(int64_t))
                 : job_refuse(&j->base, task);
    }
    buf_free(&record);
    return st;
}

/* ---- the result ---- */

/* Decide, and number reads as in the input.
 * @param label       [input] out: the centroid of each read, -1: left out
 * @param mismatches  [input] out: with that, -1: left out */
static status_t decide(job_denoise_t *j, int32_t *label, int32_t *mismatches)
{
    const int64_t n = j->in.reads->n;
    int32_t *centroid = malloc(((size_t)n + 1) * 2 * sizeof(*centroid));
    buf_t edges = {0};
    status_t st = centroid != NULL ? read_edges(j, &edges) : log_nomem("centroids");

    if (st == ST_OK)
        st = denoise_decide(n, (const void *)edges.data,
                            (int64_t)(edges.len / sizeof(denoise_edge_t)), centroid,
                            centroid + n);
    for (int64_t i = 0; st == ST_OK && i < j->in.input->n; i++)
        label[i] = mismatches[i] = -1;
    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        label[j->in.place[i]] = j->in.place[centroid[i]];
        mismatches[j->in.place[i]] = centroid[n + i];
    }
    free(centroid);
    buf_free(&edges);
    return st;
}

static status_t make_table(job_denoise_t *j, int32_t *mismatches, otu_table_t **out)
{
    const int64_t n = j->in.input->n;
    int32_t *label = malloc(((size_t)n + 1) * sizeof(*label));
    status_t st = label != NULL ? decide(j, label, mismatches) : log_nomem("ASVs");

    if (st == ST_OK)
        st = otu_table_create(n, label, j->in.prepared.size, &j->in.prepared.samples, 1,
                              out);
    free(label);
    if (st == ST_OK)
        (*out)->prefix = ASV_RESULT_PREFIX;
    return st;
}

static void log_counts(const otu_table_t *t, const int64_t *size)
{
    int64_t reads = 0, all = 0;

    for (int64_t i = 0; i < t->n; i++) {
        all += size[i];
        reads += t->otu[i] >= 0 ? size[i] : 0;
    }
    log_info("%" PRId64 " ASVs of %" PRId64 " reads with an abundance of %" PRId64
             "; left out %" PRId64 " reads with %" PRId64,
             t->n_otus, t->n - t->n_left_out, reads, t->n_left_out, all - reads);
}

static status_t write_asvs(const job_denoise_t *j, const otu_table_t *table)
{
    whole_file_t *to;
    status_t st = job_output_open(&j->base, j->opts->asvs, &to);

    if (st != ST_OK || to == NULL)
        return st;
    otu_write_fasta(whole_file_stream(to), table, j->in.input, true);
    return whole_file_close(to, ST_OK);
}

status_t job_denoise_write_result(job_t *job, const job_report_t *report)
{
    job_denoise_t *j = (job_denoise_t *)job;
    const job_opts_t *o = job->opts;
    int32_t *mismatches = malloc(((size_t)j->in.input->n + 1) * sizeof(*mismatches));
    asv_result_t r = {.mismatches = mismatches,
                      .size = j->in.prepared.size,
                      .job = (char *)job->text.data};
    job_output_run_t run;
    status_t st = job_output_run(job, j->in.files.label, report, &run);

    r.info = run.info;
    if (st == ST_OK && mismatches == NULL)
        st = log_nomem("ASVs");
    if (st == ST_OK && (st = make_table(j, mismatches, &r.table)) == ST_OK)
        st = write_asvs(j, r.table);
    /* the result itself comes last: it says that all is there */
    if (st == ST_OK)
        st = asv_result_write(o->output, job_opts_may_replace(o), &r, j->in.input,
                              job->pool);
    if (st == ST_OK)
        log_counts(r.table, r.size);
    otu_table_destroy(r.table);
    free(mismatches);
    job_output_run_free(&run);
    return st;
}
