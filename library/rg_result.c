/*
 * rg_result.c - alignments of pairs, as callers read them.
 */
#include "library/rg_result.h"

#include "io/base/logmsg.h"
#include "io/base/memory_limit.h"
#include "io/seq/cigar.h"

#include <inttypes.h>
#include <stdio.h>

enum { SMALL_BYTES = 1 << 26 }; /* results that need no check of memory */

/* Which of its arrays a result has. */
typedef struct {
    bool has_identity, has_strand, has_cigar;
} shape_t;

/* @return bytes per pair */
static size_t pair_bytes(shape_t shape)
{
    return (shape.has_identity ? 5 : 3) * sizeof(int32_t) +
           (shape.has_cigar ? sizeof(int64_t) : 0) +
           (shape.has_strand ? sizeof(int8_t) : 0);
}

static void *part_of(char **at, bool is_there, size_t bytes)
{
    char *part = *at;

    *at += is_there ? bytes : 0;
    return is_there ? part : NULL;
}

/* The widest type first, so that all are aligned. */
status_t rg_result_create(const rg_allocator_t *memory, int64_t n, rg_origin_t *origin,
                          rg_result_t **out)
{
    const shape_t shape = {.has_identity = origin->opts.emit != EMIT_SCORE,
                           .has_strand = origin->opts.strand == STRAND_BOTH,
                           .has_cigar = origin->opts.emit == EMIT_CIGAR};
    const size_t count = (size_t)n, four = count * sizeof(int32_t);
    const size_t head = (sizeof(rg_result_t) + 15) / 16 * 16;
    const size_t bytes = head + sizeof(int64_t) + count * pair_bytes(shape);
    void *block;
    rg_result_t *r;
    status_t st;
    char *at;

    if (bytes > SMALL_BYTES &&
        memory_limit_check((double)bytes, "give --id, or fewer sequences",
                           "the results of %" PRId64 " pairs", n) != ST_OK)
        return ST_ENOMEM;
    if ((st = rg_allocator_take(memory, bytes, "results", &block)) != ST_OK)
        return st;
    r = block;
    at = (char *)block + head;
    *r = (rg_result_t){.memory = *memory, .n = n, .origin = rg_origin_share(origin)};
    r->cigar_start = part_of(&at, shape.has_cigar, (count + 1) * sizeof(int64_t));
    r->query = part_of(&at, true, four);
    r->target = part_of(&at, true, four);
    r->score = part_of(&at, true, four);
    r->matches = part_of(&at, shape.has_identity, four);
    r->columns = part_of(&at, shape.has_identity, four);
    r->strand = part_of(&at, shape.has_strand, count);
    if (r->cigar_start != NULL)
        r->cigar_start[0] = 0;
    *out = r;
    return ST_OK;
}

status_t rg_result_complete(rg_result_t *r)
{
    void *runs = r->runs.data;
    const status_t st = rg_allocator_move(&r->memory, r->runs.len, "CIGARs", &runs);

    if (st != ST_OK)
        return st;
    r->run = runs;
    r->runs = (buf_t){.len = 0};
    return ST_OK;
}

void rg_result_destroy(rg_result_t *r)
{
    rg_allocator_t memory;

    if (r == NULL)
        return;
    memory = r->memory;
    buf_free(&r->runs);
    rg_allocator_free(&memory, r->run);
    rg_origin_destroy(r->origin);
    rg_allocator_free(&memory, r);
}

double rg_result_score_unit(const rg_result_t *r)
{
    return r != NULL && r->origin->opts.score_unit == SCORE_UNIT_HALF ? 0.5 : 1;
}

int64_t rg_result_count(const rg_result_t *r)
{
    return r != NULL ? r->n : 0;
}

const int32_t *rg_result_queries(const rg_result_t *r)
{
    return r != NULL ? r->query : NULL;
}

const int32_t *rg_result_targets(const rg_result_t *r)
{
    return r != NULL ? r->target : NULL;
}

const int32_t *rg_result_scores(const rg_result_t *r)
{
    return r != NULL ? r->score : NULL;
}

const int32_t *rg_result_matches(const rg_result_t *r)
{
    return r != NULL ? r->matches : NULL;
}

const int32_t *rg_result_columns(const rg_result_t *r)
{
    return r != NULL ? r->columns : NULL;
}

const int8_t *rg_result_strands(const rg_result_t *r)
{
    return r != NULL ? r->strand : NULL;
}

const int64_t *rg_result_cigar_starts(const rg_result_t *r)
{
    return r != NULL ? r->cigar_start : NULL;
}

const uint32_t *rg_result_cigar_runs(const rg_result_t *r)
{
    return r != NULL ? r->run : NULL;
}

int64_t rg_result_cigar_text(const rg_result_t *r, int64_t index, char *out, size_t size)
{
    static const char letters[] = "MID....=X";
    char number[16];
    size_t len = 0;

    if (r == NULL || r->cigar_start == NULL || index < 0 || index >= r->n ||
        (out == NULL && size > 0))
        return -1;
    for (int64_t k = r->cigar_start[index]; k < r->cigar_start[index + 1]; k++) {
        const uint32_t run = r->run[k];
        const size_t digits =
            (size_t)snprintf(number, sizeof(number), "%" PRId64 "%c", cigar_run_len(run),
                             letters[cigar_run_op(run)]);

        for (size_t i = 0; i < digits; i++, len++)
            if (len + 1 < size)
                out[len] = number[i];
    }
    if (size > 0)
        out[len < size ? len : size - 1] = '\0';
    return (int64_t)len;
}
