/*
 * cuda_cigar.cu - packs the runs of a batch and takes them to the host.
 *
 * A block of threads copies a pair's runs; a thread knows how large a pair's room is.
 */
#include "kernels/align/cuda/cuda_cigar.cuh"

#include <cub/device/device_scan.cuh>

namespace
{

enum { PACK_BLOCK = 128 };

__global__ void pack_runs(const long long *trace_start, const uint32_t *traced,
                          const long long *n_runs, const long long *start, uint32_t *out)
{
    const long long n = n_runs[blockIdx.x];
    const uint32_t *from = traced + trace_start[blockIdx.x];
    uint32_t *to = out + start[blockIdx.x];

    for (long long k = threadIdx.x; k < n; k += PACK_BLOCK)
        to[k] = from[n - 1 - k];
}

__global__ void __launch_bounds__(PACK_BLOCK)
    room_kernel(cuda_set_t set, const pair_t *pairs, long long n, long long *size)
{
    const long long k = static_cast<long long>(blockIdx.x) * PACK_BLOCK + threadIdx.x;

    if (k <= n)
        size[k] = k < n ? set.len[pairs[k].query] + set.len[pairs[k].target] : 0;
}

/* @param bytes  of the scratch; found out if it is NULL */
status_t scan(void *scratch, size_t *bytes, const cuda_cigar_t *c, const long long *sizes,
              long long *start)
{
    return CUDA_TRY(cub::DeviceScan::ExclusiveSum(scratch, *bytes, sizes, start,
                                                  static_cast<int>(c->n + 1), c->stream));
}

} // namespace

status_t cuda_cigar_reserve(cuda_cigar_t *c, const cuda_set_t *set, const pair_t *pairs,
                            int64_t n, int64_t n_letters, cudaStream_t stream)
{
    const size_t count = static_cast<size_t>(n) + 1;
    const size_t run_bytes = static_cast<size_t>(n_letters + 1) * sizeof(uint32_t);
    size_t scan_bytes = 0;
    status_t st;

    c->n = n;
    c->stream = stream;
    if (n > c->capacity) {
        c->capacity = 0;
        cudaFreeHost(c->host_start);
        c->host_start = nullptr;
        if ((st = CUDA_TRY(cudaMallocHost(&c->host_start, count * sizeof(int64_t)))) !=
            ST_OK)
            return st;
        c->capacity = n;
    }
    if ((st = cuda_buffer_reserve(&c->pairs, 3 * count * sizeof(long long))) != ST_OK ||
        (st = cuda_buffer_reserve(&c->traced, run_bytes)) != ST_OK ||
        (st = cuda_buffer_reserve(&c->packed, run_bytes)) != ST_OK)
        return st;
    c->trace_start = static_cast<long long *>(c->pairs.at);
    c->start = c->trace_start + count;
    c->n_runs = c->start + count;
    c->runs = static_cast<uint32_t *>(c->traced.at);
    if ((st = scan(nullptr, &scan_bytes, c, c->start, c->trace_start)) != ST_OK ||
        (st = cuda_buffer_reserve(&c->scan, scan_bytes)) != ST_OK)
        return st;
    room_kernel<<<static_cast<unsigned>(n / PACK_BLOCK + 1), PACK_BLOCK, 0, stream>>>(
        *set, pairs, n, c->start);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = scan(c->scan.at, &scan_bytes, c, c->start, c->trace_start)) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemsetAsync(c->n_runs, 0, count * sizeof(long long), stream));
}

status_t cuda_cigar_pack(cuda_cigar_t *c)
{
    size_t scan_bytes = c->scan.bytes;
    status_t st;

    if ((st = scan(c->scan.at, &scan_bytes, c, c->n_runs, c->start)) != ST_OK)
        return st;
    if (c->n > 0)
        pack_runs<<<static_cast<unsigned>(c->n), PACK_BLOCK, 0, c->stream>>>(
            c->trace_start, c->runs, c->n_runs, c->start,
            static_cast<uint32_t *>(c->packed.at));
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemcpyAsync(c->host_start, c->start,
                                    (static_cast<size_t>(c->n) + 1) * sizeof(int64_t),
                                    cudaMemcpyDeviceToHost, c->stream));
}

status_t cuda_cigar_fetch(cuda_cigar_t *c, pair_results_t *out)
{
    static const int64_t none[1] = {0};
    const int64_t n_runs = c->n > 0 ? c->host_start[c->n] : 0;
    const size_t bytes = static_cast<size_t>(n_runs) * sizeof(uint32_t);
    status_t st;

    if (n_runs > c->host_capacity || c->host_runs == nullptr) {
        c->host_capacity = 0;
        cudaFreeHost(c->host_runs);
        c->host_runs = nullptr;
        if ((st = CUDA_TRY(cudaMallocHost(&c->host_runs, bytes + sizeof(uint32_t)))) !=
            ST_OK)
            return st;
        c->host_capacity = n_runs;
    }
    if (n_runs > 0 &&
        ((st = CUDA_TRY(cudaMemcpyAsync(c->host_runs, c->packed.at, bytes,
                                        cudaMemcpyDeviceToHost, c->stream))) != ST_OK ||
         (st = CUDA_TRY(cudaStreamSynchronize(c->stream))) != ST_OK))
        return st;
    out->cigar_start = c->n > 0 ? c->host_start : none;
    out->cigar = c->host_runs;
    c->n = 0; /* the slot's next batch may be empty, and enqueue nothing */
    return ST_OK;
}

void cuda_cigar_free(cuda_cigar_t *c)
{
    cuda_buffer_free(&c->pairs);
    cuda_buffer_free(&c->traced);
    cuda_buffer_free(&c->packed);
    cuda_buffer_free(&c->scan);
    cudaFreeHost(c->host_start);
    cudaFreeHost(c->host_runs);
    *c = cuda_cigar_t{};
}
