/*
 * rscan_state.cu - creates and destroys the state of rscan and dscan: layouts of cells,
 * sizes of grids, and what bands need.
 */
#include "kernels/align/rounds/rscan_state.cuh"

#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/align/common/band_width.h"
}

#include <cstdlib>

namespace
{

/* @return the maximum bases of a sequence that may come */
int max_bases(const rscan_t *r, const seqset_t *set)
{
    const int64_t longest = seqset_max_len(set);
    const bool any = r->warp_per_pair && r->spec->emit != EMIT_CIGAR;

    return static_cast<int>(any || longest < RSCAN_THREAD_MAX ? longest
                                                              : RSCAN_THREAD_MAX);
}

/* @return whether pairs may be long */
bool has_long_pairs(const rscan_t *r)
{
    return r->warp_per_pair && r->spec->ends == ENDS_FREE &&
           r->spec->emit == EMIT_IDENTITY;
}

void choose_layouts(rscan_t *r, const seqset_t *set)
{
    const int max_len = max_bases(r, set), usual = rscan_usual_len(set, max_len);
    align_spec_t score = *r->spec;

    score.emit = EMIT_SCORE;
    for (int kind = 0; kind < RSCAN_KINDS; kind++) {
        const bool is_key = kind == RSCAN_KEY || kind == RSCAN_KEY_LONG;

        r->max_len[kind] =
            rscan_layout(kind, r->spec, is_key ? usual : max_len, &r->layout[kind]);
        r->score_max_len[kind] =
            rscan_layout(kind, &score, max_len, &r->score_layout[kind]);
    }
    if (r->max_len[RSCAN_KEY_LONG] <= r->max_len[RSCAN_KEY])
        r->max_len[RSCAN_KEY_LONG] = 0; /* no pair needs it */
    if (!has_long_pairs(r))
        return;
    for (int kind = RSCAN_KEY; kind <= RSCAN_SETS; kind++)
        if (r->max_len[kind] > 0)
            r->long_len[kind] = rscan_long_limit(&r->layout[kind], r->max_len[kind]);
}

/* Lower the blocks of a grid where their lines would take too much memory.
 * @param block_bytes  of the lines of a block */
void limit_grid(rscan_t *r, size_t block_bytes, int *n_blocks)
{
    *n_blocks = cuda_batch_limit_blocks(r->batch, *n_blocks,
                                        static_cast<int64_t>(block_bytes), 4);
    if (block_bytes * static_cast<size_t>(*n_blocks) > r->line_bytes)
        r->line_bytes = block_bytes * static_cast<size_t>(*n_blocks);
}

/* @param max_len  bases of a sequence */
status_t size_grids(rscan_t *r, const device_t *device, int max_len)
{
    status_t st;

    r->line_len =
        (has_long_pairs(r) ? max_len : r->max_len[RSCAN_SETS]) + RSCAN_LINE_SLACK;
    for (int kind = 0; kind < RSCAN_KINDS; kind++) {
        const size_t cell_bytes = static_cast<size_t>(rscan_cell_bytes(kind));
        const size_t bytes = static_cast<size_t>(r->line_len) * RSCAN_BLOCK * cell_bytes;

        if ((st = dscan_blocks(kind, device, &r->n_warp_blocks[kind])) != ST_OK)
            return st;
        limit_grid(r, bytes / 32, &r->n_warp_blocks[kind]);
        if (r->warp_per_pair || kind == RSCAN_SETS64)
            continue;
        if ((st = rscan_blocks(kind, RSCAN_ROUND_FIRST, device, &r->n_blocks[kind])) !=
                ST_OK ||
            (st = rscan_blocks(kind, RSCAN_ROUND_BOUND, device,
                               &r->n_bound_blocks[kind])) != ST_OK)
            return st;
        limit_grid(r, bytes, &r->n_blocks[kind]);
        limit_grid(r, bytes, &r->n_bound_blocks[kind]);
    }
    return ST_OK;
}

/* Create what bands need. */
status_t create_bands(rscan_t *r, const align_context_t *context)
{
    const align_spec_t *spec = context->spec;
    status_t st;

    if (!context->run.band || r->warp_per_pair)
        return ST_OK;
    if (spec->ends == ENDS_COUNT && band_width_applies(spec))
        return bscan_create(context->device, context->pool, context->set,
                            max_bases(r, context->set), true, BSCAN_EDITS, r->batch,
                            &r->edits);
    if (spec->ends != ENDS_FREE || !align_has_identity(spec))
        return ST_OK;
    r->bound_w = band_width_guarded(INT32_MAX);
    if ((st = band_choice_create(context, r->batch, &r->choice)) != ST_OK)
        return st;
    return band_bound_applies(spec) ? band_bound_create(context->device, context->set,
                                                        spec, r->batch, &r->bounds)
                                    : ST_OK;
}

} // namespace

status_t rscan_state_create(const align_context_t *context, cuda_batch_t *batch,
                            bool warp_per_pair, rscan_t **out)
{
    rscan_t *r = static_cast<rscan_t *>(calloc(1, sizeof(*r)));
    status_t st;

    if (r == nullptr)
        return log_nomem("the rscan kernel");
    r->spec = context->spec;
    r->batch = batch;
    r->warp_per_pair = warp_per_pair;
    const int max_len = max_bases(r, context->set);

    choose_layouts(r, context->set);
    if ((st = cuda_put_zeros(&r->stats, 1)) == ST_OK &&
        (st = create_bands(r, context)) == ST_OK && context->spec->emit == EMIT_CIGAR)
        st = rscan_trace_create(context, batch, max_len, &r->trace);
    if (st == ST_OK)
        st = size_grids(r, context->device, max_len);
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        st = CUDA_TRY(cudaMalloc(&r->scratch[k].counters, sizeof(rscan_counters_t)));
    if (st != ST_OK) {
        rscan_state_destroy(r);
        return st;
    }
    *out = r;
    return ST_OK;
}

void rscan_state_destroy(rscan_t *r)
{
    if (r == nullptr)
        return;
    cuda_band_stats_report("rscan", r->stats);
    for (rscan_scratch_t &s : r->scratch) {
        cuda_buffer_free(&s.arrays);
        cuda_buffer_free(&s.lines);
        cudaFree(s.counters);
    }
    rscan_trace_destroy(r->trace);
    band_choice_destroy(r->choice);
    band_bound_destroy(r->bounds);
    bscan_destroy(r->edits);
    cudaFree(r->stats);
    free(r);
}
