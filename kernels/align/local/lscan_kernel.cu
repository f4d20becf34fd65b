/*
 * lscan_kernel.cu - the kernels of local alignments: one pair, or two packed into words,
 * per thread.
 *
 * A thread sweeps ROWS rows of its padded matrix at a time (lscan_sweep.cuh).  H and F of
 * the last of these rows go through memory, one line per thread, to the next ones.
 */
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/local/lscan_sweep.cuh"

namespace
{

constexpr int WARP = 32;
constexpr unsigned ALL = 0xffffffffu;

/* Set where a thread's scores are.  Profiles of a block are interleaved word by word, so
 * that its threads read different banks. */
template <int KIND, int ROWS>
__device__ inline void place_scores(lscan_rows_t<KIND, ROWS> *rows)
{
    extern __shared__ unsigned profiles[];

    if constexpr (lscan_is_common(KIND)) {
        __shared__ unsigned steps[LSCAN_BLOCK / WARP][COMMON_WORDS<ROWS>];

        rows->steps = steps[threadIdx.x / WARP];
    } else if constexpr (KIND == LSCAN_PROFILE) {
        rows->profile = profiles + threadIdx.x;
        rows->stride = LSCAN_BLOCK;
    }
}

/* @return whether a pair of the kind BASES has codes */
__device__ inline bool has_codes(const lscan_launch_t &p, const lscan_pair_t &pair)
{
    return p.set.has_ambiguity[p.pairs[pair.index].query] != 0 ||
           p.set.has_ambiguity[p.pairs[pair.index].target] != 0;
}

/* @return the kernel that takes the pairs of the warp, among those of KIND's plan kind */
template <int KIND>
__device__ inline int kernel_for(const lscan_launch_t &p, const lscan_pairs_t &pairs)
{
    constexpr int PLAN = lscan_plan_kind(KIND);
    const lscan_pair_t &a = pairs.pairs[0], &b = pairs.pairs[1];

    if (PLAN == LSCAN_BASES) {
        const bool suits = a.row_end == b.row_end && !has_codes(p, a) && !has_codes(p, b);

        return common_value(a.row_end, suits) ? LSCAN_COMMON_BASES : LSCAN_BASES;
    }
    if (PLAN == LSCAN_PROFILE) {
        if (common_value(a.row_end, a.row_end == b.row_end))
            return LSCAN_COMMON_PROFILE;
        return common_value(a.row_end, a.column_end == b.column_end) &&
                       common_value(b.row_end, true)
                   ? LSCAN_TWIN_PROFILE
                   : LSCAN_PROFILE;
    }
    if (PLAN == LSCAN_KEYS32)
        return common_value(a.row_end, true) ? LSCAN_COMMON_KEYS32 : LSCAN_KEYS32;
    return PLAN;
}

/* Align pair k of the n pairs of the kind, and the next one if a word holds two. */
template <int KIND>
__device__ void align_packed(const lscan_launch_t &p, const lscan_table_t<KIND> &table,
                             int first, int n, int k,
                             lscan_line_t<lscan_word<KIND>> *line)
{
    constexpr int ROWS = lscan_tuning_t<KIND>::ROWS;
    lscan_pairs_t pairs = lscan_take<KIND, ROWS>(p, first, n, k);
    lscan_thread_t<KIND, ROWS> s;

    if (kernel_for<KIND>(p, pairs) != KIND)
        return;
    pairs.n_rows = cuda_warp_max(pairs.n_rows);
    pairs.n_columns = cuda_warp_max(pairs.n_columns);
    place_scores<KIND, ROWS>(&s.rows);
    lscan_sweep<KIND, ROWS>(p, table, pairs, s, line, WARP);
    if (k < n)
        lscan_store<KIND, ROWS>(p, pairs, s, n - k);
}

template <int KIND>
__global__ void __launch_bounds__(LSCAN_BLOCK, lscan_tuning_t<KIND>::BLOCKS)
    lscan_kernel(const __grid_constant__ lscan_launch_t p)
{
    constexpr int PAIRS = LSCAN_PAIRS<KIND>;
    using line_t = lscan_line_t<lscan_word<KIND>>;
    __shared__ lscan_table_t<KIND> table;
    const int lane = threadIdx.x % WARP;
    const long long warp =
        (static_cast<long long>(blockIdx.x) * LSCAN_BLOCK + threadIdx.x) / WARP;
    line_t *line = static_cast<line_t *>(p.lines) + warp * p.line_len * WARP + lane;
    const int n = p.n_of_kind[lscan_plan_kind(KIND)];
    int first = 0;

    for (int k = 0; k < lscan_plan_kind(KIND); k++)
        first += p.n_of_kind[k];
    lscan_fill_table<KIND>(p, &table, threadIdx.x, LSCAN_BLOCK);
    __syncthreads();
    for (;;) {
        int k = lane == 0 ? atomicAdd(&p.next[KIND], WARP * PAIRS) : 0;

        k = __shfl_sync(ALL, k, 0);
        if (k >= n)
            return;
        align_packed<KIND>(p, table, first, n, k + lane * PAIRS, line);
        __syncwarp();
    }
}

using kernel_t = void (*)(const lscan_launch_t);

kernel_t kernel_of(int kind)
{
    switch (kind) {
    case LSCAN_BASES:
        return lscan_kernel<LSCAN_BASES>;
    case LSCAN_PROFILE:
        return lscan_kernel<LSCAN_PROFILE>;
    case LSCAN_COMMON_BASES:
        return lscan_kernel<LSCAN_COMMON_BASES>;
    case LSCAN_COMMON_PROFILE:
        return lscan_kernel<LSCAN_COMMON_PROFILE>;
    case LSCAN_TWIN_PROFILE:
        return lscan_kernel<LSCAN_TWIN_PROFILE>;
    case LSCAN_KEYS32:
        return lscan_kernel<LSCAN_KEYS32>;
    case LSCAN_COMMON_KEYS32:
        return lscan_kernel<LSCAN_COMMON_KEYS32>;
    default:
        return lscan_kernel<LSCAN_KEYS>;
    }
}

} // namespace

size_t lscan_shared_bytes(int kind, int n_letters)
{
    return kind == LSCAN_PROFILE
               ? static_cast<size_t>(n_letters) *
                     (lscan_tuning_t<LSCAN_PROFILE>::ROWS / LSCAN_QUAD) * 2 *
                     LSCAN_BLOCK * sizeof(unsigned)
               : 0;
}

status_t lscan_blocks(int kind, int n_letters, const device_t *device, int *out)
{
    return cuda_occupancy_shared_blocks(kernel_of(kind), LSCAN_BLOCK,
                                        lscan_shared_bytes(kind, n_letters), device, out);
}

status_t lscan_run(int kind, const lscan_launch_t &launch, int n_blocks,
                   cudaStream_t stream)
{
    kernel_of(kind)<<<n_blocks, LSCAN_BLOCK, lscan_shared_bytes(kind, launch.n_letters),
                      stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
