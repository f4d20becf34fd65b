/*
 * affine_state.cu - chooses the layouts and grids of batches with affine gaps, and which
 * bands are guarded.
 */
#include "kernels/align/rounds/affine_state.cuh"

#include "kernels/device/cuda_put.cuh"

#include <algorithm>
#include <cstdlib>

namespace
{

/* @return whether any round may have pairs of a kind */
bool is_needed(const affine_batch_t *b, int kind)
{
    const bool of_scores = kind == RSCAN_SCORE2 || kind == RSCAN_SETS;

    return align_has_identity(b->spec) ? b->bands || !of_scores : of_scores;
}

/* Choose the blocks of a kernel's grid, and reserve their lines. */
status_t create_grid(affine_batch_t *b, const device_t *device, int kernel, int *n_blocks)
{
    const size_t bytes =
        static_cast<size_t>(b->line_len) * RSCAN_BLOCK * affine_line_bytes(kernel);
    status_t st = affine_blocks(kernel, device, n_blocks);

    if (st != ST_OK)
        return st;
    *n_blocks =
        cuda_batch_limit_blocks(b->batch, *n_blocks, static_cast<int64_t>(bytes), 4);
    b->line_bytes = std::max(b->line_bytes, bytes * static_cast<size_t>(*n_blocks));
    return ST_OK;
}

/* Choose the layout of a kind, and the blocks of its grid.
 * @param max_len    bases of a sequence
 * @param usual_len  bases that few sequences exceed */
status_t create_kind(affine_batch_t *b, const device_t *device, int kind, int max_len,
                     int usual_len)
{
    const int kernel = affine_kernel_kind(kind, &b->spec->scoring);

    if (is_needed(b, kind))
        b->max_len[kind] =
            affine_limit(kernel, b->spec, kind == RSCAN_KEY ? usual_len : max_len);
    if (b->max_len[kind] == 0 ||
        !affine_layout(kernel, b->spec, b->max_len[kind], &b->layout[kind]))
        return ST_OK;
    return create_grid(b, device, kernel, &b->n_blocks[kind]);
}

/* Choose whether pairs whose sequences both have codes are tried in 32 bits. */
status_t create_key_table(affine_batch_t *b, const device_t *device, int max_len)
{
    const int kernel = AFFINE_TABLE_KEY32;

    if (b->max_len[RSCAN_KEY] == 0 || affine_limit(kernel, b->spec, max_len) < max_len ||
        !affine_layout(kernel, b->spec, max_len, &b->key_table))
        return ST_OK;
    return create_grid(b, device, kernel, &b->n_key_table_blocks);
}

/* Find out whether scores have lower bounds.  Where scores alone are computed, these take
 * longer than they save; where all ends are free, scores prove next to no bands. */
status_t create_bounds(affine_batch_t *b, const align_context_t *context, int max_len)
{
    return b->bands && align_has_identity(b->spec) && b->spec->ends != ENDS_FREE &&
                   sscan_bounds(b->spec, max_len)
               ? sscan_create(context, b->batch, max_len, 4, &b->bounds)
               : ST_OK;
}

/* Choose which kinds' first bands are guarded.  Their lines are the longest ones.  With
 * counted ends, identities take 5 % less time without guards, because there the score of
 * any band proves quite a narrow one. */
status_t create_guards(affine_batch_t *b, const align_context_t *context, int max_len)
{
    status_t st = ST_OK;

    if (!b->bands || (align_has_identity(b->spec) && b->spec->ends == ENDS_COUNT))
        return ST_OK;
    for (int kind = 0; st == ST_OK && kind < RSCAN_KINDS; kind++) {
        const int kernel = affine_guard_kind(kind, &b->spec->scoring);

        if (kernel == kind || !affine_layout(kernel, b->spec, max_len, &b->guard[kind]))
            continue;
        if (b->flank_words == 0) {
            b->flank_words = affine_flank_words(max_len);
            b->line_len += 2 * b->flank_words;
        }
        st = create_grid(b, context->device, kernel, &b->n_guard_blocks[kind]);
    }
    return st == ST_OK && b->flank_words > 0
               ? band_choice_create(context, b->batch, &b->choice)
               : st;
}

} // namespace

bool affine_batch_fits(const align_spec_t *spec, int64_t len)
{
    const int scores = affine_kernel_kind(RSCAN_SETS, &spec->scoring);
    const int keys = affine_kernel_kind(RSCAN_SETS64, &spec->scoring);
    affine_layout_t f;

    return affine_layout(scores, spec, len, &f) &&
           (!align_has_identity(spec) || affine_layout(keys, spec, len, &f));
}

status_t affine_batch_create(const align_context_t *context, cuda_batch_t *batch,
                             affine_batch_t **out)
{
    affine_batch_t *b = static_cast<affine_batch_t *>(calloc(1, sizeof(*b)));
    const int max_len =
        static_cast<int>(std::min(seqset_max_len(context->set), RSCAN_THREAD_MAX));
    const int usual_len = rscan_usual_len(context->set, max_len);
    status_t st;

    if (b == nullptr)
        return log_nomem("the ascan kernel");
    b->spec = context->spec;
    b->batch = batch;
    b->bands = context->run.band && score_band_applies(b->spec, &b->score_band);
    b->line_len = max_len + RSCAN_LINE_SLACK;
    if ((st = cuda_put_zeros(&b->stats, 1)) == ST_OK &&
        (st = create_bounds(b, context, max_len)) == ST_OK)
        st = create_guards(b, context, max_len);
    for (int kind = 0; st == ST_OK && kind < RSCAN_KINDS; kind++)
        st = create_kind(b, context->device, kind, max_len, usual_len);
    if (st == ST_OK)
        st = create_key_table(b, context->device, max_len);
    if (st == ST_OK && b->spec->emit == EMIT_CIGAR)
        st = rscan_trace_create(context, batch, max_len, &b->trace);
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        if ((st = CUDA_TRY(cudaMalloc(&b->scratch[k].counters,
                                      sizeof(affine_counters_t)))) == ST_OK)
            st = cuda_side_streams_create(&b->scratch[k].side);
    if (st != ST_OK) {
        affine_batch_destroy(b);
        return st;
    }
    *out = b;
    return ST_OK;
}

void affine_batch_destroy(affine_batch_t *b)
{
    if (b == nullptr)
        return;
    cuda_band_stats_report("ascan", b->stats);
    rscan_trace_destroy(b->trace);
    band_choice_destroy(b->choice);
    sscan_destroy(b->bounds);
    for (affine_scratch_t &s : b->scratch) {
        cuda_buffer_free(&s.arrays);
        cuda_buffer_free(&s.lines);
        cudaFree(s.counters);
        cuda_side_streams_destroy(&s.side);
    }
    cudaFree(b->stats);
    free(b);
}
