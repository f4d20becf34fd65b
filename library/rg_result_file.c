/*
 * rg_result_file.c - alignments of pairs as files: those of the job "align".
 */
#include "io/base/logmsg.h"
#include "io/pairs/pairs_read.h"
#include "io/pairs/pairs_scan.h"
#include "kernels/align/common/align_run.h"
#include "library/rg_file.h"
#include "library/rg_result.h"
#include "worker/align/align_store.h"

#include <string.h>

/* ---- writing ---- */

static status_t write_result(rg_context_t *context, const void *what, const char *path)
{
    const rg_result_t *r = what;
    const rg_origin_t *o = r->origin;
    const align_pairs_t pairs = {.opts = &o->opts,
                                 .spec = &o->spec,
                                 .queries = o->queries->sequences,
                                 .references = o->references != NULL
                                                   ? o->references->sequences
                                                   : NULL,
                                 .n = r->n,
                                 .query = r->query,
                                 .target = r->target,
                                 .score = r->score,
                                 .matches = r->matches,
                                 .columns = r->columns,
                                 .strand = r->strand,
                                 .cigar_start = r->cigar_start,
                                 .runs = r->run};
    rg_file_run_t run;

    if (o->is_read)
        return rg_file_refuse_copy();
    if (!r->is_all) {
        log_error("files hold all pairs: those of rg_aligner_all");
        return ST_EUSAGE;
    }
    rg_file_run(context, &run);
    return align_store_write(&pairs,
                             &(align_store_run_t){.program = run.info.program,
                                                  .command = run.info.command,
                                                  .device = run.info.devices,
                                                  .pool = context->pool},
                             path);
}

rg_status_t rg_result_write(rg_context_t *context, const rg_result_t *result,
                            const char *path)
{
    return rg_file_write(context, result, write_result, path);
}

/* ---- reading ---- */

typedef struct {
    rg_context_t *context;
    pairs_file_t *file;
    rg_set_t *queries, *references;
    rg_origin_t *origin;
    rg_result_t *result;
} read_t;

/* Of references a file has names and lengths. */
static status_t make_references(read_t *r)
{
    const pairs_side_t *side = &r->file->cols;
    const alphabet_t alphabet = r->file->alphabet;
    int64_t n_letters = 0, n_bytes = 0;
    seqset_t *set;
    status_t st;

    for (int64_t i = 0; i < side->n; i++) {
        n_letters += side->lengths[i];
        n_bytes += (int64_t)strlen(side->names[i]) + 1;
    }
    if ((st = seqset_create(side->n, n_letters, n_bytes, &set)) != ST_OK)
        return st;
    set->alphabet = alphabet;
    memset(set->letters, alphabet_code(alphabet, alphabet == ALPHABET_DNA ? 'N' : 'X'),
           (size_t)n_letters);
    set->offset[0] = set->name_offset[0] = 0;
    for (int64_t i = 0; i < side->n; i++) {
        const size_t bytes = strlen(side->names[i]) + 1;

        set->offset[i + 1] = set->offset[i] + side->lengths[i];
        set->name_offset[i + 1] = set->name_offset[i] + (int64_t)bytes;
        memcpy(set->names + set->name_offset[i], side->names[i], bytes);
    }
    if ((st = rg_set_wrap(set, &r->references)) == ST_OK)
        r->references->lacks_letters = true;
    return st;
}

static status_t read_sets(read_t *r)
{
    seqset_t *set;
    status_t st = pairs_read_sequences(r->file, &set);

    if (st != ST_OK || (st = rg_set_wrap(set, &r->queries)) != ST_OK)
        return st;
    return r->file->is_against ? make_references(r) : ST_OK;
}

/* What files hold of options: what clusters and readers of the arrays need. */
static status_t make_origin(read_t *r)
{
    const pairs_file_t *f = r->file;
    rg_origin_t *o = rg_origin_create(r->queries, r->references);

    if (o == NULL)
        return ST_ENOMEM;
    o->is_read = true;
    o->is_partial = pairs_has_centroids(f, NULL);
    o->opts.emit = f->n_datasets == PAIRS_N_SCORE      ? EMIT_SCORE
                   : f->n_datasets == PAIRS_N_IDENTITY ? EMIT_IDENTITY
                                                       : EMIT_CIGAR;
    o->opts.strand = f->has_strand ? STRAND_BOTH : STRAND_PLUS;
    o->opts.score_unit = f->scores_in_halves ? SCORE_UNIT_HALF : SCORE_UNIT_ONE;
    o->opts.min_identity = f->min_identity;
    o->spec.identity = f->identity_def;
    o->spec.count_ends = f->ends_count;
    r->origin = o;
    return ST_OK;
}

static int64_t count_pairs(const pairs_file_t *f)
{
    return f->is_sparse ? f->n_hits : f->rows.n * (f->rows.n - 1) / 2;
}

static status_t take_pair(read_t *r, pairs_scan_t *scan, const pairs_hit_t *hit,
                          int64_t k, int64_t at)
{
    rg_result_t *out = r->result;
    const uint32_t *runs;
    int64_t n_runs;
    status_t st = ST_OK;

    out->query[at] = hit->row;
    out->target[at] = hit->col;
    out->score[at] = hit->score;
    if (out->matches != NULL) {
        out->matches[at] = hit->matches;
        out->columns[at] = hit->columns;
    }
    if (out->strand != NULL)
        out->strand[at] = (int8_t)hit->strand;
    if (out->cigar_start == NULL)
        return ST_OK;
    st = pairs_scan_runs(scan, k, &runs, &n_runs);
    out->cigar_start[at + 1] = out->cigar_start[at] + n_runs;
    return st == ST_OK && n_runs > 0
               ? buf_append(&out->runs, runs, (size_t)n_runs * sizeof(*runs))
               : st;
}

static status_t read_pairs(read_t *r)
{
    pairs_scan_t *scan = NULL;
    const pairs_hit_t *hits;
    int64_t at = 0, n = 1;
    status_t st = rg_result_create(&r->context->memory, count_pairs(r->file), r->origin,
                                   &r->result);

    if (st == ST_OK)
        st = pairs_scan_open_whole(r->file, &scan);
    while (st == ST_OK && n > 0 && (st = pairs_scan_next(scan, &hits, &n)) == ST_OK) {
        for (int64_t k = 0; st == ST_OK && k < n; k++)
            st = take_pair(r, scan, &hits[k], k, at++);
        /* no callback: it might use HDF5 itself */
        if (st == ST_OK && align_cancelled(&r->context->cancel))
            st = ST_ESTOPPED;
    }
    pairs_scan_close(scan);
    return st == ST_OK ? rg_result_complete(r->result) : st;
}

static status_t read_result(rg_context_t *context, const char *path, void *what)
{
    read_t *r = what;
    status_t st;

    r->context = context;
    if ((st = pairs_open(path, &r->file)) == ST_OK && (st = read_sets(r)) == ST_OK &&
        (st = make_origin(r)) == ST_OK && (st = read_pairs(r)) == ST_OK)
        r->result->is_all = true;
    pairs_close(r->file);
    return st;
}

/* Give a set away, if it is wanted. */
static void give(rg_set_t **set, rg_set_t **out)
{
    if (out == NULL)
        return;
    *out = *set;
    *set = NULL;
}

rg_status_t rg_result_read(rg_context_t *context, const char *path, rg_set_t **queries,
                           rg_set_t **references, rg_result_t **out)
{
    read_t r = {.file = NULL};
    const rg_status_t status =
        rg_file_read(context, path, read_result, out != NULL ? &r : NULL);

    if (status == RG_OK) {
        *out = r.result;
        r.result = NULL;
        give(&r.queries, queries);
        give(&r.references, references);
    }
    rg_result_destroy(r.result);
    rg_origin_destroy(r.origin);
    rg_set_destroy(r.queries);
    rg_set_destroy(r.references);
    return status;
}
