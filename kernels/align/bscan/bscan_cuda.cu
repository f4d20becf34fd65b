/*
 * bscan_cuda.cu - the row bscan: scores of unit costs from edit distances
 * (bscan_batch.cuh).
 */
#include "kernels/align/bscan/bscan_batch.cuh"

extern "C" {
#include "kernels/align/bscan/bscan_cuda.h"
#include "kernels/align/common/cell_layout.h"
}

#include <cstdlib>

namespace
{

struct row_t {
    cuda_batch_t *batch;
    bscan_t *edits;
};

bool row_fits(const align_context_t *context, int64_t m, int64_t n)
{
    cell_layout_t form;

    return m <= BSCAN_MAX && n <= BSCAN_MAX &&
           cell_layout_choose_bits(context->spec, &form);
}

void row_destroy(void *state)
{
    row_t *r = static_cast<row_t *>(state);

    if (r == nullptr)
        return;
    cuda_batch_destroy(r->batch); /* waits */
    bscan_destroy(r->edits);
    free(r);
}

status_t row_create(const align_context_t *context, void **state)
{
    row_t *r = static_cast<row_t *>(calloc(1, sizeof(*r)));
    cell_layout_t form = {};
    status_t st;

    if (r == nullptr)
        return log_nomem("the bscan kernel");
    cell_layout_choose_bits(context->spec, &form);
    if ((st = cuda_batch_create(context, &r->batch)) == ST_OK)
        st = bscan_create(context->device, context->pool, context->set,
                          bscan_longest(context->set), context->run.band,
                          bscan_score_t{form.unit * form.mismatch, form.gap_cost},
                          r->batch, &r->edits);
    if (st != ST_OK) {
        row_destroy(r);
        return st;
    }
    *state = r;
    return ST_OK;
}

status_t launch_batch(void *row, const cuda_work_t *work)
{
    return bscan_run(static_cast<row_t *>(row)->edits, work, work->score);
}

status_t row_submit(void *state, const pair_batch_t *batch)
{
    return cuda_batch_submit(static_cast<row_t *>(state)->batch, batch, launch_batch,
                             state);
}

status_t row_wait(void *state, pair_results_t *out)
{
    return cuda_batch_wait(static_cast<row_t *>(state)->batch, out);
}

} // namespace

extern "C" const aligner_backend_t bscan_cuda_backend = {
    /* .name = */ "bscan",
    /* .kind = */ DEVICE_CUDA,
    /* .cells_per_s = */ 6e13,
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */
    {/* .gaps = */ ALIGN_BIT(GAPS_LINEAR),
     /* .ends = */ ALIGN_BIT(ENDS_COUNT),
     /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED),
     /* .emits = */ ALIGN_BIT(EMIT_SCORE)},
    /* .fits = */ row_fits,
    /* .create = */ row_create,
    /* .submit = */ row_submit,
    /* .wait = */ row_wait,
    /* .destroy = */ row_destroy,
};
