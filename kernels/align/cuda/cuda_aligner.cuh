/*
 * cuda_aligner.cuh - what the rows of all CUDA backends in the table of aligners share: a
 * batch on the device (cuda_batch.cuh), and kernels that are run on it.
 */
#pragma once

#include "kernels/align/cuda/cuda_batch.cuh"

#include <cstdlib>

/*
 * The functions of a row.
 *
 * @tparam T        what the kernels keep between batches
 * @tparam CREATE   prepares it; the context and the batch are borrowed until DESTROY
 * @tparam RUN      enqueues the kernels of a batch of at least one pair
 * @tparam DESTROY  takes NULL; nothing is in flight
 */
template <typename T, status_t (*CREATE)(const align_context_t *, cuda_batch_t *, T **),
          status_t (*RUN)(T *, const cuda_work_t *), void (*DESTROY)(T *)>
struct cuda_aligner_t {
    cuda_batch_t *batch;
    T *kernels;

    static status_t run(void *kernels, const cuda_work_t *work)
    {
        return RUN(static_cast<T *>(kernels), work);
    }

    static void destroy(void *state)
    {
        cuda_aligner_t *b = static_cast<cuda_aligner_t *>(state);

        if (b == nullptr)
            return;
        cuda_batch_destroy(b->batch); /* waits for batches in flight */
        DESTROY(b->kernels);
        free(b);
    }

    static status_t create(const align_context_t *context, void **state)
    {
        cuda_aligner_t *b = static_cast<cuda_aligner_t *>(calloc(1, sizeof(*b)));
        status_t st;

        if (b == nullptr)
            return log_nomem("a kernel");
        if ((st = cuda_batch_create(context, &b->batch)) != ST_OK ||
            (st = CREATE(context, b->batch, &b->kernels)) != ST_OK) {
            destroy(b);
            return st;
        }
        *state = b;
        return ST_OK;
    }

    static status_t submit(void *state, const pair_batch_t *batch)
    {
        cuda_aligner_t *b = static_cast<cuda_aligner_t *>(state);

        return cuda_batch_submit(b->batch, batch, run, b->kernels);
    }

    static status_t wait(void *state, pair_results_t *out)
    {
        return cuda_batch_wait(static_cast<cuda_aligner_t *>(state)->batch, out);
    }
};
