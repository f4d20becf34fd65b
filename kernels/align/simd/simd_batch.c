/*
 * simd_batch.c - reserves memory for a batch, divides its pairs, and runs the groups.
 */
#include "kernels/align/simd/simd_batch.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

enum { SEQUENCES_PER_PIECE = 64 };

simd_sweeps_t simd_batch_sweeps(simd_level_t level)
{
#if defined(__x86_64__)
    if (level == SIMD_AVX512)
        return (simd_sweeps_t){simd_sweeps_avx512, simd_local_sweeps_avx512};
    if (level == SIMD_AVX2)
        return (simd_sweeps_t){simd_sweeps_avx2, simd_local_sweeps_avx2};
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    if (level == SIMD_128)
        return (simd_sweeps_t){simd_sweeps_128, simd_local_sweeps_128};
#endif
    return (simd_sweeps_t){NULL, NULL};
}

status_t simd_batch_create(const align_context_t *context, const char *what,
                           simd_batch_t *out)
{
    *out = (simd_batch_t){.cpu = {.context = *context}, .what = what};
    out->scratch = calloc((size_t)pool_n_threads(context->pool), sizeof(*out->scratch));
    if (out->scratch == NULL)
        return log_nomem(what);
    return cpu_cigar_create(&out->cpu, context->device->simd, &out->cigar);
}

void simd_batch_free(simd_batch_t *b)
{
    for (int i = 0; b->scratch != NULL && i < pool_n_threads(b->cpu.context.pool); i++)
        free(b->scratch[i].memory);
    free(b->scratch);
    free(b->is_plain);
    free(b->sorted);
    free(b->group_start);
    free(b->again);
    cpu_cigar_destroy(b->cigar);
    cpu_batch_free(&b->cpu);
}

static void find_plain(void *ctx, int64_t piece, int thread)
{
    const simd_batch_t *b = ctx;
    const seqset_t *set = b->cpu.context.set;
    int64_t first = piece * SEQUENCES_PER_PIECE, end = first + SEQUENCES_PER_PIECE;

    (void)thread;
    for (int64_t i = first; i < end && i < set->n; i++) {
        const uint8_t *letters = seqset_letters(set, i);
        int64_t len = seqset_len(set, i);
        uint8_t more = 0; /* than one bit, or none */

        for (int64_t k = 0; k < len; k++)
            more |= (uint8_t)((letters[k] & (letters[k] - 1)) | (letters[k] == 0));
        b->is_plain[i] = more == 0;
    }
}

status_t simd_batch_find_plain(simd_batch_t *b)
{
    int64_t n = b->cpu.context.set->n;

    if ((b->is_plain = malloc((size_t)n * sizeof(*b->is_plain))) == NULL)
        return log_nomem(b->what);
    pool_run(b->cpu.context.pool, (n + SEQUENCES_PER_PIECE - 1) / SEQUENCES_PER_PIECE,
             find_plain, b);
    return ST_OK;
}

static status_t reserve(simd_batch_t *b, int64_t n)
{
    if (n <= b->capacity)
        return ST_OK;
    free(b->sorted);
    free(b->group_start);
    free(b->again);
    b->capacity = 0;
    b->sorted = malloc((size_t)n * sizeof(*b->sorted));
    b->group_start = malloc((size_t)(n + 1) * sizeof(*b->group_start));
    b->again = malloc((size_t)n);
    if (b->sorted == NULL || b->group_start == NULL || b->again == NULL)
        return log_nomem("a batch");
    b->capacity = n;
    return ST_OK;
}

status_t simd_batch_take(simd_batch_t *b, const pair_batch_t *batch)
{
    status_t st = cpu_batch_take(&b->cpu, batch);

    b->n_groups = 0;
    if (st != ST_OK || (st = cpu_cigar_begin(b->cigar, batch->n)) != ST_OK ||
        batch->n == 0 || (st = reserve(b, batch->n)) != ST_OK)
        return st;
    memset(b->again, 0, (size_t)batch->n);
    return ST_OK;
}

bool simd_batch_is_plain(const simd_batch_t *b, pair_t p)
{
    return b->is_plain != NULL && b->is_plain[p.query] && b->is_plain[p.target];
}

void simd_batch_divide(simd_batch_t *b, int64_t n, simd_batch_count_fn_t count,
                       const void *ctx)
{
    b->n_groups = 0;
    if (n == 0)
        return;
    for (int64_t i = 0; i < n;) {
        b->group_start[b->n_groups++] = i;
        i += count(ctx, b->sorted + i, n - i < SIMD_LANES_MAX ? n - i : SIMD_LANES_MAX);
    }
    b->group_start[b->n_groups] = n;
}

simd_pair_t *simd_batch_group(const simd_batch_t *b, int64_t group, int *n)
{
    *n = (int)(b->group_start[group + 1] - b->group_start[group]);
    return b->sorted + b->group_start[group];
}

status_t simd_batch_run(simd_batch_t *b, pool_fn_t align_group, void *ctx)
{
    pool_run(b->cpu.context.pool, b->n_groups, align_group, ctx);
    for (int i = 0; i < pool_n_threads(b->cpu.context.pool); i++)
        if (b->scratch[i].failed)
            return log_nomem(b->what);
    return ST_OK;
}

int64_t simd_batch_gather(simd_batch_t *b, int64_t n)
{
    int64_t n_again = 0;

    for (int64_t i = 0; i < n; i++) {
        simd_pair_t p = b->sorted[i];
        uint8_t again = b->again[p.index];

        if (again == 0)
            continue;
        if (again & SIMD_AGAIN_WHOLE)
            simd_pair_drop_band(&p);
        if (again & SIMD_AGAIN_WIDER) {
            p.band *= SIMD_WIDER;
            p.high = 0;
        }
        p.scored = p.scored && again == SIMD_AGAIN_EXACT;
        p.exact = p.exact || (again & SIMD_AGAIN_EXACT) != 0;
        b->sorted[n_again++] = p;
    }
    return n_again;
}

status_t simd_batch_finish(simd_batch_t *b, const nw_trace_ends_t *ends,
                           pair_results_t *out)
{
    status_t st = cpu_cigar_run(b->cigar, &b->cpu, ends);

    if (st == ST_OK)
        *out = b->cpu.results;
    return st;
}

uint8_t *simd_scratch_reserve(simd_scratch_t *scratch, size_t bytes)
{
    if (bytes > scratch->bytes) {
        bytes = simd_scratch_round_up(bytes);
        free(scratch->memory);
        scratch->memory = aligned_alloc(SIMD_ALIGN_BYTES, bytes);
        scratch->bytes = scratch->memory != NULL ? bytes : 0;
    }
    if (scratch->memory == NULL)
        scratch->failed = true;
    return scratch->memory;
}
