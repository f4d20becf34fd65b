/*
 * job_align_cigar.c - the job "align" turns the CIGARs of a batch into text, and the text
 * into chunks.
 */
#include "worker/align/job_align_results.h"

#include "io/base/logmsg.h"
#include "io/pairs/write/pairs_cigar_pack.h"
#include "io/store/tile_pack.h"

#include <stdlib.h>
#include <string.h>

/* CIGARs may also be computed only because identities need them. */
static bool is_stored(const job_align_t *j)
{
    return j->opts->emit == EMIT_CIGAR;
}

status_t job_align_cigar_prepare(job_align_t *j)
{
    job_align_cigar_t *c = &j->cigar;
    int64_t side = j->grid.side;

    if (!is_stored(j))
        return ST_OK;
    c->n_threads = pool_n_threads(j->pool);
    c->texts = calloc((size_t)c->n_threads, sizeof(*c->texts));
    c->lengths =
        malloc((size_t)c->n_threads * (size_t)(side * side) * sizeof(*c->lengths) + 1);
    if (c->texts == NULL || c->lengths == NULL)
        return log_nomem("packing CIGARs");
    return ST_OK;
}

int64_t job_align_cigar_bytes(const job_align_t *j)
{
    int64_t n = j->set->n;

    /* a run of 4 bytes every other base, held by the kernel, on its way, and here */
    return j->spec.align.emit == EMIT_CIGAR && n > 0 ? 6 * (j->set->offset[n] / n) : 0;
}

static status_t reserve(job_align_t *j, const job_align_slot_t *slot)
{
    job_align_cigar_t *c = &j->cigar;

    if (slot->n_tiles > c->tiles_capacity) {
        free(c->tiles);
        free(c->first_pair);
        c->tiles_capacity = 0;
        c->tiles = malloc((size_t)slot->n_tiles * sizeof(*c->tiles));
        c->first_pair = malloc((size_t)slot->n_tiles * sizeof(*c->first_pair));
        if (c->tiles == NULL || c->first_pair == NULL)
            return log_nomem("a batch's CIGARs");
        c->tiles_capacity = slot->n_tiles;
    }
    if (c->start == NULL || slot->batch.n > c->pairs_capacity) {
        free(c->start);
        c->pairs_capacity = 0;
        c->start = malloc((size_t)(slot->batch.n + 1) * sizeof(*c->start));
        if (c->start == NULL)
            return log_nomem("a batch's CIGARs");
        c->pairs_capacity = slot->batch.n;
    }
    return ST_OK;
}

status_t job_align_cigar_collect(job_align_t *j, const job_align_slot_t *slot,
                                 const pair_results_t *results)
{
    job_align_cigar_t *c = &j->cigar;
    size_t n_tiles = (size_t)slot->n_tiles;
    int64_t n = slot->batch.n;
    status_t st;

    if (!is_stored(j))
        return ST_OK;
    if ((st = reserve(j, slot)) != ST_OK)
        return st;
    c->runs.len = 0;
    if (n == 0 && j->is_sparse) /* the filters have passed no pair */
        return ST_OK;
    memcpy(c->tiles, slot->tiles, n_tiles * sizeof(*c->tiles));
    memcpy(c->first_pair, slot->first_pair, n_tiles * sizeof(*c->first_pair));
    memcpy(c->start, results->cigar_start, (size_t)(n + 1) * sizeof(*c->start));
    return buf_append(&c->runs, results->cigar,
                      (size_t)results->cigar_start[n] * sizeof(*results->cigar));
}

/* Concatenate the texts of a tile's pairs, and list their lengths. */
static status_t write_text(const job_align_t *j, int k, int32_t *lengths, buf_t *text)
{
    const job_align_cigar_t *c = &j->cigar;
    const uint32_t *runs = (const uint32_t *)(const void *)c->runs.data;
    const int64_t *start = c->start + c->first_pair[k], side = j->grid.side;
    tile_t t = tile_at(&j->grid, c->tiles[k]);
    status_t st = ST_OK;

    text->len = 0;
    memset(lengths, 0, (size_t)(side * side) * sizeof(*lengths));
    for (int64_t i = t.row0; i < t.row1; i++)
        for (int64_t l = t.col0 > i ? t.col0 : i + 1; l < t.col1; l++, start++) {
            size_t before = text->len;

            if (start[1] > start[0])
                st = cigar_append_text(runs + start[0], start[1] - start[0],
                                       j->opts->cigar_style, text);
            if (st != ST_OK)
                return st;
            lengths[(i - t.row0) * side + l - t.col0] = (int32_t)(text->len - before);
        }
    return ST_OK;
}

status_t job_align_cigar_append(const job_align_t *j, int64_t pair, buf_t *text)
{
    const job_align_cigar_t *c = &j->cigar;
    const uint32_t *runs = (const uint32_t *)(const void *)c->runs.data;
    int64_t begin = c->start[pair], end = c->start[pair + 1];

    return end > begin
               ? cigar_append_text(runs + begin, end - begin, j->opts->cigar_style, text)
               : ST_OK;
}

status_t job_align_cigar_pack(job_align_t *j, int k, int thread, buf_t *out)
{
    int64_t n = j->grid.side * j->grid.side;
    buf_t *text;
    int32_t *lengths;
    status_t st;

    if (!is_stored(j))
        return ST_OK;
    text = &j->cigar.texts[thread];
    lengths = j->cigar.lengths + thread * n;
    st = write_text(j, k, lengths, text);
    if (st == ST_OK)
        st = tile_pack_append(lengths, n, j->scratch + thread * n, out);
    if (st == ST_OK)
        st = pairs_cigar_pack(&j->grid, text, out);
    return st;
}

void job_align_cigar_free(job_align_t *j)
{
    job_align_cigar_t *c = &j->cigar;

    for (int i = 0; c->texts != NULL && i < c->n_threads; i++)
        buf_free(&c->texts[i]);
    free(c->texts);
    free(c->lengths);
    free(c->tiles);
    free(c->first_pair);
    free(c->start);
    buf_free(&c->runs);
    *c = (job_align_cigar_t){0};
}
