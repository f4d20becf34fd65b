/*
 * sscan_cuda.cu - the backend sscan, from the scores of sscan_batch.cuh.
 */
#include "kernels/align/sliced/sscan_batch.cuh"
#include "kernels/align/sliced/sscan_layout.cuh"

extern "C" {
#include "kernels/align/common/aligner_backend.h"
}

#include <algorithm>
#include <cstdlib>

namespace
{

struct backend_t {
    cuda_batch_t *batch;
    sscan_t *scores;
};

bool backend_fits(const align_context_t *context, int64_t m, int64_t n)
{
    return sscan_holds(context->spec, std::max(m, n));
}

void backend_destroy(void *state)
{
    backend_t *b = static_cast<backend_t *>(state);

    if (b == nullptr)
        return;
    cuda_batch_destroy(b->batch); /* waits for batches in flight */
    sscan_destroy(b->scores);
    free(b);
}

status_t backend_create(const align_context_t *context, void **state)
{
    backend_t *b = static_cast<backend_t *>(calloc(1, sizeof(*b)));
    const int64_t longest =
        std::min(seqset_max_len(context->set), static_cast<int64_t>(SSCAN_LEN_MAX));
    status_t st;

    if (b == nullptr)
        return log_nomem("the sscan kernel");
    if ((st = cuda_batch_create(context, &b->batch)) == ST_OK)
        st = sscan_create(context, b->batch, static_cast<int>(longest), 2, &b->scores);
    if (st != ST_OK) {
        backend_destroy(b);
        return st;
    }
    *state = b;
    return ST_OK;
}

status_t launch_batch(void *state, const cuda_work_t *work)
{
    return sscan_run(static_cast<backend_t *>(state)->scores, work);
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

extern "C" const aligner_backend_t sscan_backend = {
    /* .base = */ {/* .name = */ "sscan", /* .kind = */ DEVICE_CUDA,
                   /* .rate = */ 1.5e13},
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */
    {/* .alphabets = */ ALIGN_BIT(ALPHABET_DNA),
     /* .gaps = */ ALIGN_BIT(GAPS_AFFINE),
     /* .ends = */ ALIGN_BIT(ENDS_COUNT),
     /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED),
     /* .emits = */ ALIGN_BIT(EMIT_SCORE)},
    /* .fits = */ backend_fits,
    /* .create = */ backend_create,
    /* .submit = */ backend_submit,
    /* .wait = */ backend_wait,
    /* .destroy = */ backend_destroy,
};
