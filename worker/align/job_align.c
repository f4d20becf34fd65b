/*
 * job_align.c - the job "align": its beginning, its tasks, and its table of functions.
 */
#include "worker/align/align_opts.h"

#include "io/base/byte_size.h"
#include "io/base/logmsg.h"
#include "kernels/align/common/nw_reference.h"
#include "worker/align/job_align_state.h"
#include "worker/job_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A matrix has to score every letter that a built database lists. */
static status_t check_database_letters(const job_align_t *j)
{
    for (int code = 1; j->opts->matrix != NULL && code < PROTEIN_SIZE; code++)
        if ((j->database.letters >> code & 1) != 0 && !j->spec.is_scored[code]) {
            log_error(
                "%s: there is the letter %c, which %s does not score; add it to the "
                "matrix",
                j->opts->against, alphabet_letter(ALPHABET_PROTEIN, (uint8_t)code),
                j->opts->matrix);
            return ST_EINPUT;
        }
    return ST_OK;
}

/* Likewise every letter of other sequences. */
static status_t check_letters(const job_align_t *j)
{
    seqset_t set = *j->set;
    int64_t i, record;
    const char *path;
    uint8_t code;

    if (j->blocks != NULL)
        set.n = j->col_first;
    if (!job_align_spec_lacks(&j->spec, j->opts, &set, &i, &code))
        return j->blocks != NULL ? check_database_letters(j) : ST_OK;
    path = job_align_origin(j, i, &record);
    log_error("%s: record %" PRId64 " '%s' has the letter %c%s, which %s does not score; "
              "add it to the matrix",
              path, record + 1, seqset_name(j->set, i < j->col_first ? record : i),
              alphabet_letter(j->set->alphabet, code),
              i >= j->n_queries && i < j->col_first ? " as its reverse complement" : "",
              j->opts->matrix);
    return ST_EINPUT;
}

/* Bytes of a base in a CIGAR, which depend on how similar the sequences are: a limit, and
 * what genes of one family take once they are compressed. */
static const double cigar_byte_max = 1, cigar_byte_stored = 0.1;

/* The size of a dense result before compression; how far that goes is not known yet. */
static double dense_bytes(const job_align_t *j, double cigar_byte)
{
    double n = (double)j->set->n, pair = 4.0 * j->spec.n_datasets;

    if (j->opts->emit == EMIT_CIGAR && j->set->n > 0)
        pair += 8 + cigar_byte * (double)j->set->offset[j->set->n] / n;
    return 0.5 * n * n * pair;
}

/*
 * Memory of the CPU's kernels.  A thread that aligns a group of pairs keeps a vector per
 * column (affine gaps in 8 bits: seven), the group's bases, and borders, and for CIGARs
 * steps; what does not fit 64 bits the reference aligns, with a row.  CIGARs of longer
 * pairs take more where bands are wide, which is not known yet.
 */
static double kernel_bytes(const job_align_t *j)
{
    static const double vectors[] = {
        [SIMD_NONE] = 8, [SIMD_128] = 16, [SIMD_AVX2] = 32, [SIMD_AVX512] = 64};
    const binding_t *b = j->opts->common.binding;
    const bool is_score = j->opts->emit == EMIT_SCORE;
    const double n = (double)j->set->n, longest = (double)seqset_max_len(j->set);
    double vector, column, steps = 0;

    if (b == NULL || device_is_gpu(&b->device))
        return 0;
    vector = vectors[b->device.simd];
    column = vector * (is_score ? 3 : 1.25) + 2 * sizeof(int64_t);
    if (align_is_affine(&j->spec.align))
        column += vector * (is_score ? 6 : 1);
    if (!is_score)
        column = fmax(column, sizeof(nw_values_t));
    if (j->spec.align.emit == EMIT_CIGAR) /* half a byte per lane of 32 bits */
        steps = fmin(ALIGNER_STEPS_BYTES, longest * longest * vector / 8);
    return (longest * column + steps) * fmin(b->n_threads, n * (n - 1) / 2);
}

job_align_size_t job_align_size(const job_t *job)
{
    const job_align_t *j = (const job_align_t *)job;
    const seqset_t *set = j->set;
    const int64_t residues = set->n > 0 ? set->offset[set->n] : 0;
    const int64_t first = j->in_blocks ? set->offset[j->col_first] : residues;
    job_align_size_t size = {
        .sequences = (double)first +
                     fmin((double)(residues - first), (double)job_align_window(j)) +
                     (double)set->n * (double)sizeof(*set->offset),
        .batches = (double)job_align_batch_bytes(j),
        .kernels = kernel_bytes(j),
    };

    if (!j->is_sparse)
        size.output = dense_bytes(j, cigar_byte_max);
    return size;
}

static status_t check_disk(const job_align_t *j)
{
    static const char *const smaller[] = {"--id", "--emit score or --id",
                                          "--emit identity or --id"};
    char remedy[96];

    if (j->is_sparse || !j->opts->fits_disk)
        return ST_OK;
    snprintf(remedy, sizeof(remedy), "%s, -o on a larger disk, or --max-output to try it",
             smaller[j->opts->emit]);
    return job_output_check_disk(&j->base, dense_bytes(j, cigar_byte_stored), remedy);
}

static status_t check_memory(const job_align_t *j)
{
    const binding_t *b = j->opts->common.binding;
    const job_align_size_t size = job_align_size(&j->base);
    const double host = size.sequences + size.batches + size.kernels;
    const double device =
        (job_align_may_window(j) ? 0 : size.sequences) + (double)j->opts->device_bytes;
    char need[BYTE_SIZE_TEXT_BYTES], has[BYTE_SIZE_TEXT_BYTES];

    if (b == NULL)
        return ST_OK;
    byte_size_text((double)b->memory_bytes, has);
    if (host > (double)b->memory_bytes) {
        log_error("sequences, batches and kernels take %s of memory, and this rank on %s "
                  "has %s; give %s",
                  byte_size_text(host, need), b->host, has,
                  size.sequences > (double)b->memory_bytes
                      ? "fewer ranks per node, or a part of the sequences"
                  : size.kernels > size.batches
                      ? "shorter sequences, fewer --threads, or fewer ranks per node"
                      : "a smaller --memory, or fewer ranks per node");
        return ST_EINPUT;
    }
    if (device_is_gpu(&b->device) && device > (double)b->device.memory_bytes) {
        log_error("sequences and batches take %s of GPU memory, and %s has %s; give %s",
                  byte_size_text(device, need), b->device.name,
                  byte_size_text((double)b->device.memory_bytes, has),
                  j->opts->device_bytes > 0 ? "a smaller --device-memory"
                                            : "--device cpu");
        return ST_EINPUT;
    }
    return ST_OK;
}

static void warn_if_no_gpu(const job_align_t *j)
{
    const job_opts_t *o = &j->opts->common;

    if (IS_GIVEN(j->opts, device_bytes) && o->binding != NULL &&
        strcmp(o->device, "auto") == 0 && !device_is_gpu(&o->binding->device))
        log_warn(
            "--device-memory limits what a GPU takes, and %s has none: leave it out, "
            "or give --memory",
            o->binding->host);
}

status_t job_align_check_fit(const job_t *job, exchange_t *x)
{
    const job_align_t *j = (const job_align_t *)job;
    status_t st = exchange_agree(x, x->rank == 0 ? check_disk(j) : ST_OK);

    if (x->rank == 0)
        warn_if_no_gpu(j);
    return st == ST_OK ? exchange_agree(x, check_memory(j)) : st;
}

static status_t check_output_bytes(const job_align_t *j)
{
    static const char *const remedy[] = {"", ", or give --emit score, a third of that",
                                         ", or give --emit identity"};
    int64_t n = j->set->n;
    double bytes = dense_bytes(j, cigar_byte_max);
    char size[BYTE_SIZE_TEXT_BYTES], limit[BYTE_SIZE_TEXT_BYTES];

    if (j->is_sparse || bytes <= (double)j->opts->max_output_bytes)
        return ST_OK;
    log_error("%s: %" PRId64
              " sequences make %s of results before compression, more than "
              "--max-output, %s; raise it%s, or give --id to keep only similar pairs",
              j->files.label, n, byte_size_text(bytes, size),
              byte_size_text((double)j->opts->max_output_bytes, limit),
              remedy[j->opts->emit]);
    return ST_EINPUT;
}

/* Settle the options that the alphabet of the sequences decides. */
static status_t settle_alphabet(job_align_t *j)
{
    char why[JOB_OPTS_WHY_BYTES];

    if (j->set->alphabet == ALPHABET_DNA)
        return ST_OK;
    j->for_proteins = *j->opts;
    j->opts = &j->for_proteins;
    if (align_opts_set_alphabet(&j->for_proteins, j->set->alphabet, why) != ST_OK) {
        log_error("%s holds protein sequences: %s", j->files.label, why);
        return ST_EINPUT;
    }
    return ST_OK;
}

/* Find the law of E-values, which every rank needs. */
static status_t settle_law(job_align_t *j)
{
    const align_opts_t *o = j->opts;
    const int64_t letters = j->set->offset[j->set->n] - j->set->offset[j->col_first];

    if (o->max_evalue == 0)
        return ST_OK;
    if (o->score_unit == SCORE_UNIT_ONE &&
        evalue_find(j->spec.matrix_digest, o->gap_open, o->gap_extend,
                    (double)(o->db_size > 0 ? o->db_size : letters), &j->law))
        return ST_OK;
    log_error("no E-values are known for these scores; give %s", evalue_known);
    return ST_EINPUT;
}

/* @param matrix  that the options name, if they do */
static status_t settle_scores(job_align_t *j, const score_matrix_t *matrix)
{
    status_t st = job_align_spec_settle(j->opts, j->set->alphabet, matrix, &j->spec);

    return st == ST_OK ? settle_law(j) : st;
}

/* Read the matrix on rank 0, so that one rank logs what is wrong, and one needs the file.
 */
static status_t share_matrix(job_align_t *j, exchange_t *x, score_matrix_t *matrix)
{
    const char *path = j->opts->matrix;
    status_t st = x->rank == 0 && path != NULL
                      ? matrix_file_read(path, j->set->alphabet, matrix)
                      : ST_OK;

    if ((st = exchange_agree(x, st)) != ST_OK || path == NULL ||
        (st = x->broadcast(x, matrix, sizeof(*matrix))) != ST_OK)
        return st;
    if (!score_matrix_is_valid(matrix, j->set->alphabet)) {
        log_error("%s: rank 0 sent what is no matrix", path);
        st = ST_EINPUT;
    }
    return exchange_agree(x, st);
}

/* On rank 0 first, so that one rank logs what is wrong. */
static status_t settle_spec(job_align_t *j, exchange_t *x)
{
    score_matrix_t matrix = {.alphabet = ALPHABET_DNA};
    status_t st = exchange_agree(x, x->rank == 0 ? settle_alphabet(j) : ST_OK);

    if (st == ST_OK && x->rank != 0)
        st = settle_alphabet(j);
    if ((st = exchange_agree(x, st)) != ST_OK ||
        (st = share_matrix(j, x, &matrix)) != ST_OK ||
        (st = exchange_agree(x, x->rank == 0 ? settle_scores(j, &matrix) : ST_OK)) !=
            ST_OK)
        return st;
    return exchange_agree(x, x->rank != 0 ? settle_scores(j, &matrix) : ST_OK);
}

static status_t check_input(const job_align_t *j)
{
    status_t st = check_letters(j);

    if (st == ST_OK && j->opts->extend != NULL)
        st = job_align_compare_options(j, j->old.job);
    if (st == ST_OK)
        st = job_align_spec_check(&j->spec, j->opts, j->set, j->files.label);
    return st == ST_OK ? check_output_bytes(j) : st;
}

/* Batches get 1 / MEMORY_DIVISOR of a rank's memory if --memory is not given. */
enum { MEMORY_DIVISOR = 16 };

void job_align_take(job_align_t *j)
{
    align_opts_t *o = (align_opts_t *)j->base.opts;

    if (o->batch_bytes == 0 && o->common.binding != NULL)
        o->batch_bytes = o->common.binding->memory_bytes / MEMORY_DIVISOR;
    j->opts = o;
    j->run = (align_run_t){.band = o->band == BAND_AUTO,
                           .cancel = &j->base.cancel,
                           /* an eighth is left for pairs and results on their way */
                           .device_bytes = o->device_bytes - o->device_bytes / 8};
    j->is_sparse = job_align_is_sparse(o);
    j->n_strands = o->strand == STRAND_BOTH ? 2 : 1;
    j->base.log_becomes_output = !j->is_sparse;
}

void job_align_plan(job_align_t *j)
{
    j->grid = job_align_grid(j);
    j->base.plan = (job_plan_t){
        .kind = JOB_FREE,
        .n_tasks = j->grid.n_tiles,
        .task_word = "tiles",
        .item_word = "pairs",
        /* most cells of pairs that are ruled out are never computed */
        .cost_word =
            job_align_may_filter(j) && !job_align_scores_first(j) ? NULL : "cells",
        .rate_word = "CUPS",
        .is_watched = j->is_sparse, /* --max-output */
    };
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_align_t *j = (job_align_t *)job;
    status_t st;

    if ((st = job_align_extend_begin(j, x)) != ST_OK)
        return st;
    job_align_take(j);
    if ((st = job_align_read(j, x)) != ST_OK || (st = settle_spec(j, x)) != ST_OK ||
        (st = exchange_agree(x, x->rank == 0 ? check_input(j) : ST_OK)) != ST_OK ||
        (!j->opts->common.is_plan && (st = job_align_check_fit(job, x)) != ST_OK))
        return st;
    job_align_plan(j);
    return ST_OK;
}

static int64_t cost(const job_t *job, int64_t task)
{
    const job_align_t *j = (const job_align_t *)job;
    tile_t tile = tile_at(&j->grid, task);

    return tile_cells(&tile, j->set) * j->n_strands;
}

static int64_t items(const job_t *job, int64_t task)
{
    const job_align_t *j = (const job_align_t *)job;
    tile_t tile = tile_at(&j->grid, task);

    return tile_pairs(&tile);
}

static void free_job(job_t *job)
{
    job_align_t *j = (job_align_t *)job;

    if (j->blocks != NULL)
        protein_blocks_close(j->blocks);
    else
        seqset_destroy(j->set);
    protein_db_free(&j->database);
    free(j->order);
    prepare_free(&j->prepared);
    job_align_old_free(&j->old);
    seq_files_free(&j->files);
}

const job_ops_t job_align_ops = {
    .name = "align",
    .has_short_tasks = true,
    .size = sizeof(job_align_t),
    .settle = align_opts_settle,
    .reader = job_align_reader,
    .begin = begin,
    .cost = cost,
    .items = items,
    .is_known = job_align_is_old,
    .bring = job_align_bring,
    .describe = job_align_describe,
    .check_record = job_align_check_record,
    .opened = job_align_opened,
    .prepare = job_align_prepare,
    .release = job_align_release,
    .submit = job_align_submit,
    .collect = job_align_collect,
    .pack = job_align_pack,
    .check = job_align_check,
    .equal = job_align_equal,
    .note_result = job_align_note_result,
    .write_result = job_align_write_result,
    .free = free_job,
};
