/*
 * cuda_cigar.cu - memory for the runs of a batch, packing, and the copy to the host; and
 * which sequence of a pair is the rows.
 *
 * pack_runs: one block per pair copies its runs.  count_max_runs: one thread per pair.
 */
#include "kernels/align/cuda/cuda_cigar.cuh"

#include "kernels/device/cuda_put.cuh"

#include <cstdlib>
#include <cstring>
#include <cub/device/device_scan.cuh>

namespace
{

enum { PACK_BLOCK = 128 };

__global__ void pack_runs(const long long *trace_start, const uint32_t *traced,
                          const long long *n_runs, const long long *packed_start,
                          uint32_t *out)
{
    const long long n = n_runs[blockIdx.x];
    const uint32_t *from = traced + trace_start[blockIdx.x];
    uint32_t *to = out + packed_start[blockIdx.x];

    for (long long k = threadIdx.x; k < n; k += PACK_BLOCK)
        to[k] = from[n - 1 - k];
}

/* Runs that each pair may have at most, and a 0 behind the last. */
__global__ void __launch_bounds__(PACK_BLOCK)
    count_max_runs(cuda_set_t set, const pair_t *pairs, long long n, long long *max_runs)
{
    const long long k = static_cast<long long>(blockIdx.x) * PACK_BLOCK + threadIdx.x;

    if (k <= n)
        max_runs[k] = k < n ? set.len[pairs[k].query] + set.len[pairs[k].target] : 0;
}

/* A device may run out of work while pinned memory grows.  The batches of a run become
 * ten times as large in its first second, so there is room for twice as many runs as are
 * needed. */
status_t reserve_runs(cuda_pinned_t *host_runs, size_t bytes)
{
    return bytes <= host_runs->bytes ? ST_OK : cuda_pinned_reserve(host_runs, 2 * bytes);
}

/* Enqueue: prefix sums of n + 1 counts; with scratch NULL only find out its bytes. */
status_t scan(void *scratch, size_t *bytes, const cuda_cigar_t *c,
              const long long *counts, long long *sums)
{
    return CUDA_TRY(cub::DeviceScan::ExclusiveSum(scratch, *bytes, counts, sums,
                                                  static_cast<int>(c->n + 1), c->stream));
}

} // namespace

status_t cuda_cigar_reserve(cuda_cigar_t *c, const cuda_set_t *set, const pair_t *pairs,
                            int64_t n, int64_t n_bases, cudaStream_t stream)
{
    const size_t count = static_cast<size_t>(n) + 1;
    const size_t run_bytes = static_cast<size_t>(n_bases + 1) * sizeof(uint32_t);
    const unsigned n_blocks = static_cast<unsigned>(n / PACK_BLOCK + 1);
    size_t scan_bytes = 0;
    status_t st;

    c->n = n;
    c->stream = stream;
    if ((st = cuda_pinned_reserve(&c->host_start, count * sizeof(int64_t))) != ST_OK ||
        (st = cuda_buffer_reserve(&c->arrays, 3 * count * sizeof(long long))) != ST_OK ||
        (st = cuda_buffer_reserve(&c->traced, run_bytes)) != ST_OK ||
        (st = cuda_buffer_reserve(&c->packed, run_bytes)) != ST_OK)
        return st;
    c->trace_start = static_cast<long long *>(c->arrays.at);
    c->packed_start = c->trace_start + count;
    c->n_runs = c->packed_start + count;
    c->runs = static_cast<uint32_t *>(c->traced.at);
    if ((st = scan(nullptr, &scan_bytes, c, c->packed_start, c->trace_start)) != ST_OK ||
        (st = cuda_buffer_reserve(&c->scan, scan_bytes)) != ST_OK)
        return st;
    /* packed_start is not in use yet: it holds the counts */
    count_max_runs<<<n_blocks, PACK_BLOCK, 0, stream>>>(*set, pairs, n, c->packed_start);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = scan(c->scan.at, &scan_bytes, c, c->packed_start, c->trace_start)) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemsetAsync(c->n_runs, 0, count * sizeof(long long), stream));
}

status_t cuda_cigar_pack(cuda_cigar_t *c)
{
    size_t scan_bytes = c->scan.bytes;
    status_t st;

    if ((st = scan(c->scan.at, &scan_bytes, c, c->n_runs, c->packed_start)) != ST_OK)
        return st;
    if (c->n > 0)
        pack_runs<<<static_cast<unsigned>(c->n), PACK_BLOCK, 0, c->stream>>>(
            c->trace_start, c->runs, c->n_runs, c->packed_start,
            static_cast<uint32_t *>(c->packed.at));
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemcpyAsync(c->host_start.at, c->packed_start,
                                    (static_cast<size_t>(c->n) + 1) * sizeof(int64_t),
                                    cudaMemcpyDeviceToHost, c->stream));
}

status_t cuda_cigar_fetch(cuda_cigar_t *c, cuda_pinned_t *host_runs, pair_results_t *out)
{
    static const int64_t none[1] = {0};
    const int64_t *start = c->n > 0 ? static_cast<int64_t *>(c->host_start.at) : none;
    const size_t bytes = static_cast<size_t>(start[c->n]) * sizeof(uint32_t);
    status_t st;

    if ((st = reserve_runs(host_runs, bytes + sizeof(uint32_t))) != ST_OK)
        return st;
    if (bytes > 0 &&
        ((st = CUDA_TRY(cudaMemcpyAsync(host_runs->at, c->packed.at, bytes,
                                        cudaMemcpyDeviceToHost, c->stream))) != ST_OK ||
         (st = CUDA_TRY(cudaStreamSynchronize(c->stream))) != ST_OK))
        return st;
    out->cigar_start = start;
    out->cigar = static_cast<uint32_t *>(host_runs->at);
    c->n = 0; /* nothing is enqueued for an empty batch, which may come next */
    return ST_OK;
}

void cuda_cigar_free(cuda_cigar_t *c)
{
    cuda_buffer_free(&c->arrays);
    cuda_buffer_free(&c->traced);
    cuda_buffer_free(&c->packed);
    cuda_buffer_free(&c->scan);
    cuda_pinned_free(&c->host_start);
    *c = cuda_cigar_t{};
}

namespace
{

struct ranked_t {
    const uint8_t *letters;
    int64_t len, at;
};

/* The order of nw_reference_query_is_rows. */
int by_rank(const void *a, const void *b)
{
    const ranked_t *x = static_cast<const ranked_t *>(a);
    const ranked_t *y = static_cast<const ranked_t *>(b);

    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    return memcmp(x->letters, y->letters, static_cast<size_t>(x->len));
}

/* Rank the sequences of a set; equal ones have equal ranks. */
void rank_all(const seqset_t *set, ranked_t *sorted, int *rank)
{
    for (int64_t i = 0; i < set->n; i++)
        sorted[i] = ranked_t{seqset_letters(set, i), seqset_len(set, i), i};
    qsort(sorted, static_cast<size_t>(set->n), sizeof(*sorted), by_rank);
    for (int64_t k = 0, r = 0; k < set->n; k++) {
        if (k > 0 && by_rank(&sorted[k - 1], &sorted[k]) != 0)
            r = k;
        rank[sorted[k].at] = static_cast<int>(r);
    }
}

} // namespace

status_t cuda_rank_create(const seqset_t *set, int **out)
{
    const size_t n = static_cast<size_t>(set->n) + 1;
    ranked_t *sorted = static_cast<ranked_t *>(malloc(n * sizeof(*sorted)));
    int *rank = static_cast<int *>(malloc(n * sizeof(*rank)));
    status_t st;

    if (sorted == nullptr || rank == nullptr) {
        st = log_nomem("the order of the sequences");
    } else {
        rank_all(set, sorted, rank);
        rank[n - 1] = 0;
        st = cuda_put_new(out, rank, n);
    }
    free(sorted);
    free(rank);
    return st;
}
