/*
 * kmer_band_cuda.cu - chooses the bands of pairs: a block takes a group of pairs with the
 * same query, whose k-mers it puts into a table; each of its warps takes one pair at a
 * time.
 */
#include "kernels/align/edits/kmer_band_cuda.cuh"

#include "kernels/device/cuda_put.cuh"

#include <cstdlib>

namespace
{

/* Blocks per multiprocessor that choose_bands is compiled for: as many as have threads
 * there, or the few that every multiprocessor holds. */
#if defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
enum { CHOOSE_BLOCKS = 8 };
#else
enum { CHOOSE_BLOCKS = 4 };
#endif

/* One warp per sequence: list its k-mers, and NO_KMER behind it. */
__global__ void __launch_bounds__(CHOOSE_THREADS)
    list_kmers(const cuda_set_t set, int n, unsigned short *kmers, int *n_codes)
{
    const int at = blockIdx.x * CHOOSE_WARPS + threadIdx.x / WARP;
    const int lane = threadIdx.x % WARP;
    int codes = 0;

    if (at >= n)
        return;
    const unsigned char *letters = set.letters + set.start[at];

    for (int k = lane; k < set.len[at] + CUDA_SET_ALIGN; k += WARP) {
        kmers[set.start[at] + k] =
            static_cast<unsigned short>(kmer_of(letters, set.len[at], k));
        codes += k < set.len[at] && __popc(letters[k]) > 1;
    }
    codes = cuda_warp_sum(codes);
    if (lane == 0)
        n_codes[at] = codes;
}

__global__ void __launch_bounds__(CHOOSE_THREADS, CHOOSE_BLOCKS)
    choose_bands(const kmer_band_launch_t p)
{
    __shared__ unsigned short table[TABLE_SIZE];
    __shared__ int bins[CHOOSE_WARPS][BINS_MAX + 1];
    __shared__ int taken;

    for (;;) {
        if (threadIdx.x == 0)
            taken = p.queue.class_start[0] + atomicAdd(&p.queue.next[0], 1);
        __syncthreads();
        const int k = taken;

        if (k >= p.queue.class_start[1])
            return;
        choose_bands_of_group(p, p.queue.groups[k], table, bins[threadIdx.x / WARP]);
        __syncthreads();
    }
}

status_t upload_needed(const edit_filter_bound_t *bound, kmer_band_cuda_t *b, bool *any)
{
    const size_t n = static_cast<size_t>(bound->n);
    int32_t *needed = static_cast<int32_t *>(calloc(n, sizeof(*needed)));
    int *on_device = nullptr;
    status_t st = ST_OK;

    if (needed == nullptr)
        return log_nomem("the bounds of the edit filter");
    *any = kmer_band_needed(bound, needed);
    if (*any)
        st = cuda_put_new(&on_device, needed, n);
    b->needed = on_device;
    free(needed);
    return st;
}

/* @param bases  bytes of set.letters up to the end of the last sequence */
status_t upload_kmers(const edit_filter_plan_t *plan, long long bases,
                      kmer_band_cuda_t *b)
{
    const int n = static_cast<int>(plan->context.set->n);
    const unsigned blocks = static_cast<unsigned>((n + CHOOSE_WARPS - 1) / CHOOSE_WARPS);
    status_t st;

    if ((st = CUDA_TRY(cudaMalloc(&b->kmers, static_cast<size_t>(bases + CUDA_SET_ALIGN) *
                                                 sizeof(unsigned short)))) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&b->n_codes, static_cast<size_t>(n) * sizeof(int)))) !=
            ST_OK)
        return st;
    list_kmers<<<blocks, CHOOSE_THREADS>>>(b->launch.set, n,
                                           static_cast<unsigned short *>(b->kmers),
                                           static_cast<int *>(b->n_codes));
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
        return st;
    return CUDA_TRY(cudaDeviceSynchronize());
}

} // namespace

status_t kmer_band_cuda_create(const edit_filter_plan_t *plan,
                               const kmer_band_launch_t *launch, int64_t bytes,
                               kmer_band_cuda_t *out)
{
    const int64_t n = plan->context.set->n;
    long long bases = 0;
    bool any = false;
    status_t st;

    out->launch = *launch;
    if (plan->bound.goal.ends != ENDS_FREE || n == 0)
        return ST_OK;
    if ((st = upload_needed(&plan->bound, out, &any)) != ST_OK || !any)
        return st;
    if ((st = CUDA_TRY(cudaMemcpy(&bases, launch->set.start + n - 1, sizeof(bases),
                                  cudaMemcpyDeviceToHost))) != ST_OK)
        return st;
    bases += seqset_len(plan->context.set, n - 1);
    if (bases * static_cast<int64_t>(sizeof(unsigned short)) > bytes)
        return ST_OK; /* no bands */
    if ((st = upload_kmers(plan, bases, out)) != ST_OK)
        return st;
    out->launch.kmers = static_cast<unsigned short *>(out->kmers);
    out->launch.n_codes = static_cast<int *>(out->n_codes);
    out->launch.needed = static_cast<int *>(out->needed);
    return cuda_occupancy_blocks(choose_bands, CHOOSE_THREADS, plan->context.device,
                                 &out->n_blocks);
}

void kmer_band_cuda_destroy(kmer_band_cuda_t *b)
{
    cudaFree(b->kmers);
    cudaFree(b->n_codes);
    cudaFree(b->needed);
    for (int k = 0; k < CUDA_SLOTS; k++)
        cuda_buffer_free(&b->edits_left[k]);
    *b = kmer_band_cuda_t{};
}

status_t kmer_band_cuda_run(kmer_band_cuda_t *b, const cuda_work_t *work,
                            const pair_t *pairs, int64_t n, int *bands,
                            cuda_grouping_t *g, const unsigned char **edits_left)
{
    const unsigned blocks = static_cast<unsigned>(b->n_blocks < n ? b->n_blocks : n);
    const size_t key_bytes = static_cast<size_t>(n) * sizeof(*g->keys);
    cuda_buffer_t *buffer = &b->edits_left[work->slot];
    kmer_band_launch_t launch = b->launch;
    status_t st;

    static_assert(CUDA_GROUPING_NO_KEY == ~0ull, "its bytes are all 0xff");
    if ((st = cuda_buffer_reserve(buffer, static_cast<size_t>(n) * SEGMENTS)) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(g->keys, 0xff, key_bytes, work->stream))) != ST_OK)
        return st;
    launch.pairs = pairs;
    launch.queue = g->queue;
    launch.bands = bands;
    launch.edits_left = static_cast<unsigned char *>(buffer->at);
    launch.keys = g->keys;
    launch.indices = g->indices;
    choose_bands<<<blocks, CHOOSE_THREADS, 0, work->stream>>>(launch);
    *edits_left = launch.edits_left;
    return CUDA_TRY(cudaGetLastError());
}
