/*
 * job_align_extend.c - the job "align" --extend: the result of an earlier run, whose
 * sequences come first, whose options are taken, and whose tiles are in the log before
 * the first one is computed.
 *
 * Nothing else knows of it: the job is that of one run over all files, whose log has
 * tiles already.
 */
#include "worker/align/job_align_state.h"

#include "io/base/logmsg.h"
#include "io/file/memfd_stream.h"
#include "io/pairs/pairs_file.h"
#include "io/pairs/pairs_read.h"
#include "io/pairs/write/pairs_tiles.h"
#include "worker/job_output.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the earlier run ---- */

ARRAY_COUNT(n_job, align_old_t, o->job_len)
ARRAY_COUNT(n_preparation, align_old_t, o->preparation_len)
ARRAY_COUNT(n_sample, align_old_t, o->sample_len)
ARRAY_COUNT(n_sequences, align_old_t, o->n)
ARRAY_COUNT(n_members, align_old_t, o->before.members.n)
ARRAY_COUNT(n_samples, align_old_t, o->before.samples.n)
ARRAY_COUNT(n_starts, align_old_t, o->n + 1)
ARRAY_COUNT(n_counts, align_old_t, o->n_counts)

static bool is_valid(const void *object)
{
    const align_old_t *o = object;

    return o->job_len > 0 && o->preparation_len > 0 && o->sample_len >= 0 && o->n >= 0 &&
           o->n_counts >= 0 && o->before.members.n >= 0 && o->before.samples.n >= 0 &&
           o->alphabet < ALPHABET_AUTO &&
           (o->before.set == NULL || o->before.set->n == o->n);
}

/* What every rank needs. */
static const array_t head_rows[] = {ARRAY_VALUE(align_old_t, n, ARRAY_INT64),
                                    ARRAY_VALUE(align_old_t, alphabet, ARRAY_BYTES),
                                    ARRAY_VALUE(align_old_t, is_against, ARRAY_BYTES),
                                    ARRAY_VALUE(align_old_t, job_len, ARRAY_INT64),
                                    ARRAY_OF(align_old_t, job, ARRAY_BYTES, n_job),
                                    ARRAY_VALUE(align_old_t, preparation_len,
                                                ARRAY_INT64),
                                    ARRAY_OF(align_old_t, preparation, ARRAY_BYTES,
                                             n_preparation),
                                    ARRAYS_END};

static const arrays_t head_arrays = {"the options of an earlier result",
                                     sizeof(align_old_t), head_rows, is_valid};

#define OLD(member, type, n) \
    ARRAY_OF(align_old_t, before.member, type, n, .is_optional = true)

static const array_t old_rows[] = {
    ARRAY_MEMBER(align_old_t, n, &head_arrays), /* at 0: the structure itself */
    ARRAY_VALUE(align_old_t, sample_len, ARRAY_INT64),
    ARRAY_VALUE(align_old_t, n_counts, ARRAY_INT64),
    ARRAY_VALUE(align_old_t, before.members.n, ARRAY_INT64),
    ARRAY_VALUE(align_old_t, before.samples.n, ARRAY_INT64),
    ARRAY_POINTER(align_old_t, before.set, &seqset_arrays),
    OLD(sample, ARRAY_BYTES, n_sample),
    OLD(size, ARRAY_INT64, n_sequences),
    OLD(members.name, ARRAY_TEXTS, n_members),
    OLD(members.sequence, ARRAY_INT32, n_members),
    OLD(samples.name, ARRAY_TEXTS, n_samples),
    OLD(samples.row_start, ARRAY_INT64, n_starts),
    OLD(samples.sample, ARRAY_INT32, n_counts),
    OLD(samples.count, ARRAY_INT64, n_counts),
    ARRAYS_END};

static const arrays_t old_arrays = {"an earlier result", sizeof(align_old_t), old_rows,
                                    is_valid};

void job_align_old_free(align_old_t *old)
{
    free(old->options);
    old->options = NULL;
    buf_free(&old->lacking);
    arrays_free(&old_arrays, old);
}

/* ---- the child ---- */

/* Read the samples, or the name of the one that a single file is. */
static status_t read_samples(const pairs_file_t *f, align_old_t *old)
{
    char *input;
    status_t st = pairs_read_samples(f, &old->before.samples);

    if (st != ST_OK)
        return st;
    if (old->before.samples.n > 0) {
        old->n_counts = old->before.samples.row_start[old->n];
        return ST_OK;
    }
    if ((st = pairs_run_text(f, "input", &input)) != ST_OK || input == NULL)
        return st;
    old->before.sample = seq_files_sample(input);
    free(input);
    if (old->before.sample == NULL)
        return ST_ENOMEM;
    old->sample_len = (int64_t)strlen(old->before.sample) + 1;
    return ST_OK;
}

/* @param f  its sizes and its job are moved to `out` */
static status_t read_old(pairs_file_t *f, align_old_t *out)
{
    status_t st;

    *out = (align_old_t){.n = f->rows.n,
                         .alphabet = f->alphabet,
                         .is_against = f->is_against,
                         .job_len = (int64_t)strlen(f->job) + 1,
                         .job = f->job,
                         .before.size = f->sizes};
    f->job = NULL;
    f->sizes = NULL;
    if ((st = pairs_run_text(f, PAIRS_RUN_PREPARATION, &out->preparation)) != ST_OK)
        return st;
    if (out->preparation == NULL && (out->preparation = strdup("")) == NULL)
        return log_nomem("an earlier result");
    out->preparation_len = (int64_t)strlen(out->preparation) + 1;
    if ((st = pairs_read_sequences(f, &out->before.set)) != ST_OK ||
        (st = read_samples(f, out)) != ST_OK)
        return st;
    return pairs_has_members(f) ? pairs_read_members(f, &out->before.members) : ST_OK;
}

status_t job_align_send_old(const align_opts_t *o)
{
    pairs_file_t *f;
    align_old_t old = {.n = 0};
    status_t st = pairs_open(o->extend, &f);

    if (st != ST_OK)
        return st;
    if ((st = read_old(f, &old)) == ST_OK)
        st = memfd_stream_put_object(o->stream, &old_arrays, &old);
    job_align_old_free(&old);
    pairs_close(f);
    return st;
}

/* A question for tiles first .. end-1. */
typedef struct {
    tile_grid_t grid;
    int64_t first, end;
} tiles_t;

status_t job_align_send_tiles(const align_opts_t *o, buf_t *out)
{
    static pairs_file_t *file; /* open until the child ends */
    tiles_t q;
    status_t st = ST_OK;

    memcpy(&q, out->data, sizeof(q));
    out->len = 0;
    if (file == NULL)
        st = pairs_open(o->extend, &file);
    return st == ST_OK ? pairs_tiles_read(file, &q.grid, q.first, q.end, out) : st;
}

status_t job_align_old_stream(int *out)
{
    return memfd_stream_create(old_arrays.what, out);
}

/* ---- options ---- */

static status_t check_old(const job_align_t *j)
{
    const align_opts_t *o = j->opts;
    const alphabet_t alphabet = o->fasta.alphabet;

    if (alphabet != ALPHABET_AUTO && alphabet != j->old.alphabet) {
        log_error("%s holds %s sequences; leave out --alphabet %s", o->extend,
                  alphabet_sequences[j->old.alphabet], alphabet_name[alphabet]);
        return ST_EINPUT;
    }
    if (j->old.is_against == (o->against != NULL))
        return ST_OK;
    log_error("%s is of %s; %s", o->extend,
              j->old.is_against ? "queries against references" : "all pairs of one set",
              j->old.is_against ? "give --against the same references"
                                : "leave out --against");
    return ST_EINPUT;
}

static status_t take_options(job_align_t *j)
{
    align_opts_t *o = (align_opts_t *)j->base.opts;
    char why[JOB_OPTS_WHY_BYTES];
    status_t st = check_old(j);

    if (st != ST_OK)
        return st;
    if (asprintf(&j->old.options, "%s%s", j->old.job, j->old.preparation) < 0)
        return log_nomem("the options of an earlier result");
    o->fasta.alphabet = j->old.alphabet;
    if ((st = job_align_take_options(j, j->old.options)) != ST_OK)
        return st;
    if (o->centroids != CENTROIDS_ANY) {
        log_error("%s has only hits with centroids, which depend on all sequences; align "
                  "all files again",
                  o->extend);
        return ST_EINPUT;
    }
    if (align_opts_settle_job(o, why) == ST_OK)
        return ST_OK;
    log_error("the options of %s and those given: %s", o->extend, why);
    return ST_EINPUT;
}

status_t job_align_extend_begin(job_align_t *j, exchange_t *x)
{
    const align_opts_t *o = j->opts = (const align_opts_t *)j->base.opts;
    status_t st = ST_OK;

    if (o->extend == NULL)
        return ST_OK;
    if (x->rank == 0)
        st = memfd_stream_fetch(o->common.reader, ALIGN_CHILD_OLD, o->stream, &old_arrays,
                                &j->old);
    j->old.before.path = o->extend;
    j->old.before.continues_samples = o->inputs.manifest != NULL;
    if ((st = exchange_agree(x, st)) != ST_OK ||
        (st = exchange_object(x, &head_arrays, &j->old)) != ST_OK ||
        (st = exchange_agree(x, x->rank == 0 ? take_options(j) : ST_OK)) != ST_OK)
        return st; /* rank 0 has logged it */
    return exchange_agree(x, x->rank != 0 ? take_options(j) : ST_OK);
}

/* ---- tiles ---- */

bool job_align_is_old(const job_t *job, int64_t task)
{
    const job_align_t *j = (const job_align_t *)job;
    const tile_t tile = tile_at(&j->grid, task);

    return (j->grid.is_rectangle ? tile.row1 : tile.col1) <= j->old.n;
}

/* @return behind the tiles of a row that the earlier result has, which come first */
static int64_t end_of_old(const job_align_t *j, int64_t row)
{
    int64_t k = tile_row_start(&j->grid, row);

    while (k < tile_row_start(&j->grid, row + 1) && job_align_is_old(&j->base, k))
        k++;
    return k;
}

/* Append the tiles of a row that the log lacks. */
static status_t list_lacking(const job_align_t *j, int64_t row, buf_t *out)
{
    const int64_t begin = tile_row_start(&j->grid, row), end = end_of_old(j, row);
    tiles_t tiles = {.grid = j->grid, .first = begin, .end = begin};
    status_t st = ST_OK;

    for (int64_t k = begin; st == ST_OK && k <= end; k++)
        if (k == end || reslog_has(j->base.log, k)) {
            if (tiles.first < tiles.end)
                st = buf_append(out, &tiles, sizeof(tiles));
            tiles.first = tiles.end = k + 1;
        } else {
            tiles.end = k + 1;
        }
    return st;
}

status_t job_align_list_tiles(job_align_t *j)
{
    int64_t n = 0;
    status_t st = ST_OK;

    for (int64_t row = 0; st == ST_OK && row < j->grid.n_blocks; row++) {
        n += end_of_old(j, row) - tile_row_start(&j->grid, row);
        st = list_lacking(j, row, &j->old.lacking);
    }
    log_info("%s: %" PRId64 " sequences; %" PRId64 " of %" PRId64
             " tiles are taken from it",
             j->opts->extend, j->old.n, n, j->grid.n_tiles);
    return st;
}

/* Records of an answer. */
typedef struct {
    const job_align_t *job;
    int64_t first; /* tile */
    int64_t n;
    buf_t *parts;         /* [n] of the answer */
    buf_t *records;       /* [n] copies of these */
    atomic_bool is_wrong; /* one of them cannot be its tile's */
    atomic_bool is_out_of_memory;
} records_t;

/* @return whether the answer consists of records, at most `max` */
static bool find_records(const buf_t *answer, int64_t max, records_t *r)
{
    size_t at = 0;
    int64_t len;

    for (r->n = 0; at < answer->len && r->n < max; r->n++) {
        if (answer->len - at < sizeof(len))
            return false;
        memcpy(&len, answer->data + at, sizeof(len));
        at += sizeof(len);
        if (len < 0 || (size_t)len > answer->len - at)
            return false;
        r->parts[r->n] = (buf_t){.data = answer->data + at, .len = (size_t)len};
        at += (size_t)len;
    }
    return at == answer->len && r->n > 0;
}

static void check_one(void *ctx, int64_t k, int thread)
{
    records_t *r = ctx;

    (void)thread;
    if (buf_append(&r->records[k], r->parts[k].data, r->parts[k].len) != ST_OK)
        atomic_store(&r->is_out_of_memory, true);
    else if (pairs_record_count(&r->job->records, r->first + k, &r->records[k]) != NULL)
        atomic_store(&r->is_wrong, true);
}

/* Check the records, and pass them on. */
static status_t put_records(records_t *r, pool_t *pool, job_put_t *put, void *ctx)
{
    status_t st = ST_OK;

    pool_run(pool, r->n, check_one, r);
    if (atomic_load(&r->is_out_of_memory))
        st = ST_ENOMEM;
    else if (atomic_load(&r->is_wrong))
        st = log_refusal(r->job->opts->extend, "make it again",
                         "its pairs are not those of its sequences");
    for (int64_t k = 0; st == ST_OK && k < r->n; k++)
        st = put(ctx, r->first + k, &r->records[k]);
    for (int64_t k = 0; k < r->n; k++)
        buf_free(&r->records[k]);
    return st;
}

static status_t ask_for(const job_align_t *j, const tiles_t *tiles)
{
    const buf_t details = {.data = (unsigned char *)(uintptr_t)tiles,
                           .len = sizeof(*tiles)};

    return child_ask(j->opts->common.reader, ALIGN_CHILD_TILES, &details);
}

/* Take the tiles that the log lacks: the child reads the next ones while this process
 * checks some.
 * @param next, end  of the list, which is not empty */
static status_t take_tiles(job_align_t *j, records_t *r, pool_t *pool, job_put_t *put,
                           void *ctx)
{
    tiles_t *next = (tiles_t *)(void *)j->old.lacking.data;
    const tiles_t *end = next + j->old.lacking.len / sizeof(*next);
    buf_t answer = {0};
    status_t st = ask_for(j, next);

    while (st == ST_OK && next < end) {
        if ((st = child_answer(j->opts->common.reader, &answer)) != ST_OK)
            break;
        r->first = next->first;
        if (!find_records(&answer, next->end - next->first, r)) {
            st =
                log_refusal(j->opts->extend, "make it again", "its pairs cannot be read");
            break;
        }
        next->first += r->n;
        next += next->first == next->end;
        if (next < end)
            st = ask_for(j, next);
        if (st == ST_OK)
            st = put_records(r, pool, put, ctx);
    }
    buf_free(&answer);
    return st;
}

status_t job_align_bring(job_t *job, job_put_t *put, void *ctx)
{
    job_align_t *j = (job_align_t *)job;
    const int64_t max = j->grid.is_rectangle ? j->grid.n_col_blocks : j->grid.n_blocks;
    records_t r = {.job = j,
                   .parts = calloc((size_t)max, sizeof(*r.parts)),
                   .records = calloc((size_t)max, sizeof(*r.records))};
    pool_t *pool = NULL; /* the job's is the worker's */
    status_t st = r.parts != NULL && r.records != NULL
                      ? pool_create(pool_n_threads(job->pool), &pool)
                      : log_nomem("the tiles of an earlier result");

    if (st == ST_OK)
        st = take_tiles(j, &r, pool, put, ctx);
    child_reader_stop(j->opts->common.reader);
    pool_destroy(pool);
    free(r.parts);
    free(r.records);
    return st;
}
