/*
 * cuda_batch.cu - the sequence set on a device, and the slots of batches.
 */
#include "kernels/align/cuda/cuda_batch.cuh"

#include <cstdlib>

namespace
{

/* The scratch of all slots may take this fraction of the device memory that is free once
 * the set is there. */
constexpr double FREE_FRACTION = 0.75;

/* How long the device has none of our kernels to run while batches follow each other
 * (-v): two events per batch, around its kernels.  Batches are numbered from 0 and may
 * overlap. */
enum { IDLE_RING = 4 /* batches whose events are kept: those in flight, one more */ };
constexpr double REPORT_MIN_MS = 100; /* a shorter span is no steady state */

struct idle_t {
    cudaEvent_t begun[IDLE_RING], ended[IDLE_RING];
    double span_ms, idle_ms; /* from the first kernel to the last; of that without any */
};

struct slot_t {
    cudaStream_t stream;
    cudaEvent_t done;
    int64_t n;
    cuda_buffer_t pairs, results; /* [n], and [n_results][n] int */
    cuda_pinned_t host_pairs, host_results;
    cuda_cigar_t cigar;
};

} // namespace

struct cuda_batch_t {
    int device, n_results;
    bool has_cigars;
    pool_t *pool;
    const seqset_t *host_set;
    cuda_set_t set;
    cuda_letters_t letters; /* align_run_t.in_windows */
    slot_t slots[CUDA_SLOTS];
    cuda_pinned_t host_runs; /* of the batch that was waited for last */
    int n_begun, n_waited;   /* batches so far */
    int64_t scratch_bytes;   /* of one slot */
    idle_t idle;
};

namespace
{

status_t idle_create(idle_t *t)
{
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < IDLE_RING; k++)
        if ((st = CUDA_TRY(cudaEventCreate(&t->begun[k]))) == ST_OK)
            st = CUDA_TRY(cudaEventCreate(&t->ended[k]));
    return st;
}

status_t idle_begin(idle_t *t, int batch, cudaStream_t stream)
{
    return CUDA_TRY(cudaEventRecord(t->begun[batch % IDLE_RING], stream));
}

status_t idle_end(idle_t *t, int batch, cudaStream_t stream)
{
    return CUDA_TRY(cudaEventRecord(t->ended[batch % IDLE_RING], stream));
}

/* Add the time of a batch.  It and the batch before it must have run. */
status_t idle_add(idle_t *t, int batch)
{
    const int k = batch % IDLE_RING;
    const int before = (batch + IDLE_RING - 1) % IDLE_RING;
    float idle = 0, span = 0;
    status_t st;

    if (batch == 0) {
        st = CUDA_TRY(cudaEventElapsedTime(&span, t->begun[k], t->ended[k]));
    } else if ((st = CUDA_TRY(cudaEventElapsedTime(&idle, t->ended[before],
                                                   t->begun[k]))) == ST_OK) {
        st = CUDA_TRY(cudaEventElapsedTime(&span, t->ended[before], t->ended[k]));
    }
    if (st != ST_OK)
        return st;
    t->idle_ms += idle > 0 ? static_cast<double>(idle) : 0;
    t->span_ms += static_cast<double>(span);
    return ST_OK;
}

void idle_report(const idle_t *t)
{
    if (t->span_ms >= REPORT_MIN_MS)
        log_verbose("GPU: %.1f %% of %.2f s without a kernel",
                    100 * t->idle_ms / t->span_ms, t->span_ms / 1000);
}

void idle_free(idle_t *t)
{
    for (int k = 0; k < IDLE_RING; k++) {
        if (t->begun[k] != nullptr)
            cudaEventDestroy(t->begun[k]);
        if (t->ended[k] != nullptr)
            cudaEventDestroy(t->ended[k]);
    }
    *t = idle_t{};
}

status_t create_slot(const align_context_t *context, slot_t *s)
{
    const status_t st =
        CUDA_TRY(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));

    s->host_pairs.pool = s->host_results.pool = context->pool;
    s->host_pairs.is_pageable = s->host_results.is_pageable = context->run.pageable;
    return st == ST_OK
               ? CUDA_TRY(cudaEventCreateWithFlags(&s->done, cudaEventDisableTiming))
               : st;
}

void free_slot(slot_t *s)
{
    cuda_buffer_free(&s->pairs);
    cuda_buffer_free(&s->results);
    cuda_pinned_free(&s->host_pairs);
    cuda_pinned_free(&s->host_results);
}

/* Copy the pairs to the device, and make room for their results.  Growing on the device
 * waits for the batch before, and comes last. */
status_t put_pairs(const cuda_batch_t *b, slot_t *s, const pair_batch_t *batch,
                   size_t result_bytes)
{
    const size_t bytes = static_cast<size_t>(batch->n) * sizeof(pair_t);
    status_t st;

    if ((st = cuda_pinned_reserve(&s->host_pairs, bytes)) != ST_OK ||
        (st = cuda_pinned_reserve(&s->host_results, result_bytes)) != ST_OK)
        return st;
    pool_copy(b->pool, s->host_pairs.at, batch->pairs, bytes);
    if ((st = cuda_buffer_reserve(&s->pairs, bytes)) != ST_OK ||
        (st = cuda_buffer_reserve(&s->results, result_bytes)) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemcpyAsync(s->pairs.at, s->host_pairs.at, bytes,
                                    cudaMemcpyHostToDevice, s->stream));
}

status_t size_scratch(cuda_batch_t *b, const align_run_t *run)
{
    size_t n_free, n_all;
    status_t st = CUDA_TRY(cudaMemGetInfo(&n_free, &n_all));
    int64_t bytes = static_cast<int64_t>(FREE_FRACTION * static_cast<double>(n_free));

    if (run->device_bytes > 0 && run->device_bytes < bytes)
        bytes = run->device_bytes;
    b->scratch_bytes = bytes / CUDA_SLOTS;
    return st;
}

int64_t count_bases(const seqset_t *set, const pair_batch_t *batch)
{
    int64_t n = 0;

    for (int64_t k = 0; k < batch->n; k++)
        n += seqset_len(set, batch->pairs[k].query) +
             seqset_len(set, batch->pairs[k].target);
    return n;
}

/* Enqueue the backend's kernels, and around them what CIGARs need. */
status_t run_kernels(cuda_batch_t *b, slot_t *s, const pair_batch_t *batch,
                     cuda_launch_t launch, void *state)
{
    const int64_t n = batch->n;
    const bool three = b->n_results == 3;
    cuda_work_t work = {};
    status_t st;

    work.pairs = static_cast<const pair_t *>(s->pairs.at);
    work.n = n;
    work.score = static_cast<int *>(s->results.at);
    work.matches = three ? work.score + n : nullptr;
    work.columns = three ? work.score + 2 * n : nullptr;
    work.cigar = b->has_cigars ? &s->cigar : nullptr;
    work.stream = s->stream;
    work.slot = static_cast<int>(s - b->slots);
    work.batch = batch;
    if (b->has_cigars &&
        (st = cuda_cigar_reserve(&s->cigar, &b->set, work.pairs, n,
                                 count_bases(b->host_set, batch), s->stream)) != ST_OK)
        return st;
    st = launch(state, &work);
    return st == ST_OK && b->has_cigars ? cuda_cigar_pack(&s->cigar) : st;
}

} // namespace

status_t cuda_batch_create(const align_context_t *context, cuda_batch_t **out)
{
    cuda_batch_t *b = static_cast<cuda_batch_t *>(calloc(1, sizeof(*b)));
    status_t st;

    if (b == nullptr)
        return log_nomem("batches");
    b->device = context->device->index;
    b->n_results = context->spec->emit == EMIT_SCORE ? 1 : 3;
    b->has_cigars = context->spec->emit == EMIT_CIGAR;
    b->pool = b->host_runs.pool = context->pool;
    b->host_set = context->set;
    if ((st = CUDA_TRY(cudaSetDevice(b->device))) == ST_OK)
        st = context->run.in_windows
                 ? cuda_letters_create(context->pool, context->set,
                                       &context->spec->scoring, &b->set, &b->letters)
                 : cuda_set_create(context->pool, context->set, &context->spec->scoring,
                                   &b->set);
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        st = create_slot(context, &b->slots[k]);
    if (st == ST_OK)
        st = idle_create(&b->idle);
    if (st == ST_OK)
        st = size_scratch(b, &context->run);
    if (st != ST_OK) {
        cuda_batch_destroy(b);
        return st;
    }
    *out = b;
    return ST_OK;
}

const cuda_set_t *cuda_batch_set(const cuda_batch_t *b)
{
    return &b->set;
}

cuda_letters_t *cuda_batch_letters(cuda_batch_t *b)
{
    return b->letters.set != nullptr ? &b->letters : nullptr;
}

int64_t cuda_batch_scratch_bytes(const cuda_batch_t *b)
{
    return b->scratch_bytes;
}

int cuda_batch_limit_blocks(const cuda_batch_t *b, int n_blocks, int64_t block_bytes,
                            int divisor)
{
    const int64_t n = b->scratch_bytes / divisor / block_bytes;

    return static_cast<int>(n < 1 ? 1 : n < n_blocks ? n : n_blocks);
}

status_t cuda_batch_submit(cuda_batch_t *b, const pair_batch_t *batch,
                           cuda_launch_t launch, void *state)
{
    const int number = b->n_begun;
    slot_t *s = &b->slots[number % CUDA_SLOTS];
    const size_t n = static_cast<size_t>(batch->n);
    const size_t result_bytes = n * sizeof(int) * static_cast<size_t>(b->n_results);
    status_t st;

    if ((st = CUDA_TRY(cudaSetDevice(b->device))) != ST_OK ||
        (st = put_pairs(b, s, batch, result_bytes)) != ST_OK)
        return st;
    s->n = batch->n;
    b->n_begun++;
    if (n == 0) {
        if ((st = idle_begin(&b->idle, number, s->stream)) != ST_OK ||
            (st = idle_end(&b->idle, number, s->stream)) != ST_OK)
            return st;
        return CUDA_TRY(cudaEventRecord(s->done, s->stream));
    }
    if ((st = idle_begin(&b->idle, number, s->stream)) != ST_OK ||
        (st = run_kernels(b, s, batch, launch, state)) != ST_OK ||
        (st = idle_end(&b->idle, number, s->stream)) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpyAsync(s->host_results.at, s->results.at, result_bytes,
                                       cudaMemcpyDeviceToHost, s->stream))) != ST_OK)
        return st;
    return CUDA_TRY(cudaEventRecord(s->done, s->stream));
}

status_t cuda_batch_wait(cuda_batch_t *b, pair_results_t *out)
{
    const int number = b->n_waited++;
    slot_t *s = &b->slots[number % CUDA_SLOTS];
    pair_results_t results = {};
    status_t st;

    results.score = static_cast<int32_t *>(s->host_results.at);
    results.matches = b->n_results == 3 ? results.score + s->n : nullptr;
    results.columns = b->n_results == 3 ? results.score + 2 * s->n : nullptr;
    if ((st = CUDA_TRY(cudaEventSynchronize(s->done))) != ST_OK ||
        (st = idle_add(&b->idle, number)) != ST_OK ||
        (b->has_cigars &&
         (st = cuda_cigar_fetch(&s->cigar, &b->host_runs, &results)) != ST_OK))
        return st;
    *out = results;
    return ST_OK;
}

void cuda_batch_destroy(cuda_batch_t *b)
{
    if (b == nullptr)
        return;
    cudaSetDevice(b->device);
    for (int k = 0; k < CUDA_SLOTS; k++) {
        slot_t *s = &b->slots[k];

        if (s->stream != nullptr) {
            cudaStreamSynchronize(s->stream);
            cudaStreamDestroy(s->stream);
        }
        if (s->done != nullptr)
            cudaEventDestroy(s->done);
        free_slot(s);
        cuda_cigar_free(&s->cigar);
    }
    cuda_pinned_free(&b->host_runs);
    idle_report(&b->idle);
    idle_free(&b->idle);
    cuda_letters_free(&b->letters);
    cuda_set_free(&b->set);
    free(b);
}

void cuda_band_stats_report(const char *backend, const cuda_band_stats_t *stats)
{
    cuda_band_stats_t s = {0, 0};

    if (stats == nullptr ||
        cudaMemcpy(&s, stats, sizeof(s), cudaMemcpyDeviceToHost) != cudaSuccess ||
        s.n_banded == 0)
        return;
    log_verbose("%s: %llu pairs in a band, %.2f %% certified at the first try", backend,
                s.n_banded,
                100.0 * static_cast<double>(s.n_banded - s.n_retried) /
                    static_cast<double>(s.n_banded));
}
