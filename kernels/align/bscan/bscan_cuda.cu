/*
 * bscan_cuda.cu - the backend bscan: scores of unit-cost scoring, from the edit distances
 * of bscan_batch.cuh.
 */
#include "kernels/align/bscan/bscan_batch.cuh"

extern "C" {
#include "kernels/align/common/aligner_backend.h"
#include "kernels/align/common/cell_layout.h"
}

#include <cstdlib>

namespace
{

struct backend_t {
    cuda_batch_t *batch;
    bscan_t *edits;
};

bool backend_fits(const align_context_t *context, int64_t m, int64_t n)
{
    cell_layout_t layout;

    return m <= BSCAN_MAX && n <= BSCAN_MAX &&
           cell_layout_choose_bits(context->spec, &layout);
}

void backend_destroy(void *state)
{
    backend_t *b = static_cast<backend_t *>(state);

    if (b == nullptr)
        return;
    cuda_batch_destroy(b->batch); /* waits for batches in flight */
    bscan_destroy(b->edits);
    free(b);
}

status_t backend_create(const align_context_t *context, void **state)
{
    backend_t *b = static_cast<backend_t *>(calloc(1, sizeof(*b)));
    cell_layout_t layout = {};
    status_t st;

    if (b == nullptr)
        return log_nomem("the bscan kernel");
    cell_layout_choose_bits(context->spec, &layout);
    if ((st = cuda_batch_create(context, &b->batch)) == ST_OK)
        st = bscan_create(context->device, context->pool, context->set,
                          bscan_longest(context->set), context->run.band,
                          bscan_score_t{layout.unit * layout.mismatch, layout.gap_cost},
                          b->batch, &b->edits);
    if (st != ST_OK) {
        backend_destroy(b);
        return st;
    }
    *state = b;
    return ST_OK;
}

status_t launch_batch(void *state, const cuda_work_t *work)
{
    return bscan_run(static_cast<backend_t *>(state)->edits, work, work->score);
}

status_t backend_submit(void *state, const pair_batch_t *batch)
{
    return cuda_batch_submit(static_cast<backend_t *>(state)->batch, batch, launch_batch,
                             state);
}

status_t backend_wait(void *state, pair_results_t *out)
{
    return cuda_batch_wait(static_cast<backend_t *>(state)->batch, out);
}

} // namespace

extern "C" const aligner_backend_t bscan_cuda_backend = {
    /* .base = */ {/* .name = */ "bscan", /* .kind = */ DEVICE_CUDA, /* .rate = */ 6e13},
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */
    {/* .alphabets = */ ALIGN_BIT(ALPHABET_DNA),
     /* .gaps = */ ALIGN_BIT(GAPS_LINEAR),
     /* .ends = */ ALIGN_BIT(ENDS_COUNT),
     /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED),
     /* .emits = */ ALIGN_BIT(EMIT_SCORE)},
    /* .fits = */ backend_fits,
    /* .create = */ backend_create,
    /* .submit = */ backend_submit,
    /* .wait = */ backend_wait,
    /* .destroy = */ backend_destroy,
};
