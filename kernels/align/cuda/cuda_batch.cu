/*
 * cuda_batch.cu - sequences on the device, and the ring of batches.
 */
#include "kernels/align/cuda/cuda_batch.cuh"

#include "kernels/align/cuda/cuda_idle.cuh"
#include "kernels/device/cuda_put.cuh"

#include <cstdlib>
#include <cstring>

namespace
{

/* A slot's scratch may take this part of the memory that is free at the start. */
constexpr double FREE_PART = 0.75;

struct slot_t {
    cudaStream_t stream;
    cudaEvent_t done;
    int64_t n, capacity;
    pair_t *pairs, *host_pairs;
    int *results, *host_results; /* [n_results][capacity] */
};

} // namespace

struct cuda_batch_t {
    int device, n_results;
    bool pageable;
    cuda_set_t set;
    slot_t slots[CUDA_SLOTS];
    int newest, oldest; /* batches begun and waited for, counted from 0 */
    int64_t scratch_bytes;
    cuda_idle_t gaps;
};

namespace
{

void host_free(const cuda_batch_t *b, void *memory)
{
    if (b->pageable)
        free(memory);
    else
        cudaFreeHost(memory);
}

status_t host_alloc(const cuda_batch_t *b, void **out, size_t bytes)
{
    if (!b->pageable)
        return CUDA_TRY(cudaMallocHost(out, bytes));
    return (*out = malloc(bytes)) != nullptr ? ST_OK : log_nomem("a batch");
}

void free_room(const cuda_batch_t *b, slot_t *s)
{
    cudaFree(s->pairs);
    cudaFree(s->results);
    host_free(b, s->host_pairs);
    host_free(b, s->host_results);
    s->pairs = s->host_pairs = nullptr;
    s->results = s->host_results = nullptr;
    s->capacity = 0;
}

status_t make_room(const cuda_batch_t *b, slot_t *s, int64_t n)
{
    const size_t pair_bytes = static_cast<size_t>(n) * sizeof(pair_t);
    const size_t result_bytes =
        static_cast<size_t>(n) * sizeof(int) * static_cast<size_t>(b->n_results);
    status_t st;

    if (n <= s->capacity)
        return ST_OK;
    free_room(b, s);
    if ((st = CUDA_TRY(cudaMalloc(&s->pairs, pair_bytes))) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&s->results, result_bytes))) != ST_OK ||
        (st = host_alloc(b, reinterpret_cast<void **>(&s->host_pairs), pair_bytes)) !=
            ST_OK ||
        (st = host_alloc(b, reinterpret_cast<void **>(&s->host_results), result_bytes)) !=
            ST_OK)
        return st;
    s->capacity = n;
    return ST_OK;
}

status_t size_scratch(cuda_batch_t *b, const align_run_t *run)
{
    size_t n_free, n_all;
    status_t st = CUDA_TRY(cudaMemGetInfo(&n_free, &n_all));
    int64_t most = static_cast<int64_t>(FREE_PART * static_cast<double>(n_free));

    if (run->device_bytes > 0 && run->device_bytes < most)
        most = run->device_bytes;
    b->scratch_bytes = most / CUDA_SLOTS;
    return st;
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
    b->pageable = context->run.pageable;
    if ((st = CUDA_TRY(cudaSetDevice(b->device))) == ST_OK)
        st = cuda_set_create(context->pool, context->set, &context->spec->scoring,
                             &b->set);
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        if ((st = CUDA_TRY(cudaStreamCreateWithFlags(&b->slots[k].stream,
                                                     cudaStreamNonBlocking))) == ST_OK)
            st = CUDA_TRY(
                cudaEventCreateWithFlags(&b->slots[k].done, cudaEventDisableTiming));
    if (st == ST_OK)
        st = cuda_idle_create(&b->gaps);
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

int64_t cuda_batch_scratch_bytes(const cuda_batch_t *b)
{
    return b->scratch_bytes;
}

int cuda_batch_slot(const cuda_batch_t *b)
{
    return (b->oldest == b->newest ? b->oldest + CUDA_SLOTS - 1 : b->oldest) % CUDA_SLOTS;
}

status_t cuda_batch_submit(cuda_batch_t *b, const pair_batch_t *batch,
                           cuda_launch_t launch, void *row)
{
    const int number = b->newest, slot = number % CUDA_SLOTS;
    slot_t *s = &b->slots[slot];
    const size_t n = static_cast<size_t>(batch->n);
    status_t st;

    if ((st = CUDA_TRY(cudaSetDevice(b->device))) != ST_OK ||
        (st = make_room(b, s, batch->n)) != ST_OK)
        return st;
    s->n = batch->n;
    b->newest++;
    if (n == 0) {
        if ((st = cuda_idle_begin(&b->gaps, number, s->stream)) != ST_OK ||
            (st = cuda_idle_end(&b->gaps, number, s->stream)) != ST_OK)
            return st;
        return CUDA_TRY(cudaEventRecord(s->done, s->stream));
    }
    const bool three = b->n_results == 3;
    const cuda_work_t work = {s->pairs,
                              batch->n,
                              s->results,
                              three ? s->results + n : nullptr,
                              three ? s->results + 2 * n : nullptr,
                              s->stream,
                              slot};

    memcpy(s->host_pairs, batch->pairs, n * sizeof(pair_t));
    if ((st = CUDA_TRY(cudaMemcpyAsync(s->pairs, s->host_pairs, n * sizeof(pair_t),
                                       cudaMemcpyHostToDevice, s->stream))) != ST_OK ||
        (st = cuda_idle_begin(&b->gaps, number, s->stream)) != ST_OK ||
        (st = launch(row, &work)) != ST_OK ||
        (st = cuda_idle_end(&b->gaps, number, s->stream)) != ST_OK ||
        (st =
             CUDA_TRY(cudaMemcpyAsync(s->host_results, s->results,
                                      n * sizeof(int) * static_cast<size_t>(b->n_results),
                                      cudaMemcpyDeviceToHost, s->stream))) != ST_OK)
        return st;
    return CUDA_TRY(cudaEventRecord(s->done, s->stream));
}

status_t cuda_batch_wait(cuda_batch_t *b, pair_results_t *out)
{
    const slot_t *s = &b->slots[b->oldest % CUDA_SLOTS];
    status_t st = CUDA_TRY(cudaEventSynchronize(s->done));

    if (st == ST_OK)
        st = cuda_idle_add(&b->gaps, b->oldest);
    b->oldest++;
    if (st != ST_OK)
        return st;
    *out = pair_results_t{};
    out->score = s->host_results;
    out->matches = b->n_results == 3 ? s->host_results + s->n : nullptr;
    out->columns = b->n_results == 3 ? s->host_results + 2 * s->n : nullptr;
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
        free_room(b, s);
    }
    cuda_idle_report(&b->gaps);
    cuda_idle_free(&b->gaps);
    cuda_set_free(&b->set);
    free(b);
}
