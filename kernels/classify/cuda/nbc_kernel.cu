/*
 * nbc_kernel.cu - sums of rows of gains on a GPU.
 *
 * A warp adds up rows of one block of classes; lane l has classes 2 l and 2 l + 1, packed
 * in one word of two 16-bit halves, which do not overflow for n_safe rows.
 */
#include "kernels/classify/cuda/nbc_kernel.cuh"

namespace
{

enum {
    LANES = 32,
    SUM_THREADS = 256,
    SUM_WARPS = SUM_THREADS / LANES,
    DRAW_THREADS = 128,
    FINISH_THREADS = 128,
    FINISH_WARPS = FINISH_THREADS / LANES,
    MANY_THREADS = 1024, /* of a thread block that has a multiprocessor to itself */
    FEW_THREADS = 512,   /* maximum of others */
    ROW_PIECES = NBC_ROW_BYTES / 16
};
/* Blocks of FEW_THREADS whose registers fit a multiprocessor. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int FEW_BLOCKS = 2;
#else
constexpr int FEW_BLOCKS = 3;
#endif
constexpr unsigned ALL_LANES = 0xffffffffu;

static_assert(NBC_BLOCK == 2 * LANES, "a lane has two classes");

__device__ nbc_key_t key_of(int cost, int class_number)
{
    return static_cast<nbc_key_t>(static_cast<unsigned>(cost) ^ 0x80000000u) << 32 |
           static_cast<unsigned>(class_number);
}

__device__ int cost_of(nbc_key_t key)
{
    return static_cast<int>(static_cast<unsigned>(key >> 32) ^ 0x80000000u);
}

__device__ int class_of(nbc_key_t key)
{
    return static_cast<int>(static_cast<unsigned>(key));
}

/* @return whether the reverse complement of a read is the better orientation */
__device__ bool is_reversed(const nbc_piece_t &p, int i)
{
    const nbc_key_t *best = p.best + static_cast<int64_t>(i) * NBC_STRANDS;

    return p.n_strands > 1 && best[0] != NBC_KEY_NONE &&
           cost_of(best[1]) < cost_of(best[0]);
}

__device__ int min_of_warp(int x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(ALL_LANES, x);
#else
    for (int k = LANES / 2; k > 0; k /= 2)
        x = min(x, __shfl_xor_sync(ALL_LANES, x, k));
    return x;
#endif
}

__device__ int sum_of_warp(int x)
{
    for (int k = LANES / 2; k > 0; k /= 2)
        x += __shfl_xor_sync(ALL_LANES, x, k);
    return x;
}

/* Rows of a block by number: of a read's words in shared memory, of all words in the
 * matrix, and of a read's words in the matrix. */
struct near_rows_t {
    const unsigned *lane; /* this lane's classes in row 0 */

    __device__ unsigned at(unsigned row) const
    {
        return lane[row * LANES];
    }
};

struct matrix_rows_t {
    const unsigned *lane;

    __device__ unsigned at(unsigned word) const
    {
        return __ldg(lane + static_cast<size_t>(word) * LANES);
    }
};

struct far_rows_t {
    matrix_rows_t matrix;
    const uint16_t *words;

    __device__ unsigned at(unsigned row) const
    {
        return matrix.at(__ldg(words + row));
    }
};

__device__ matrix_rows_t rows_of_block(const nbc_device_model_t &m, int block)
{
    return matrix_rows_t{
        reinterpret_cast<const unsigned *>(m.gains + static_cast<int64_t>(block) *
                                                         NBC_N_WORDS * NBC_BLOCK) +
        threadIdx.x % LANES};
}

/* Add up rows. @param picks  [n] aligned to 16 bytes; out: of this lane's two classes */
template <typename ROWS>
__device__ int2 add_rows(const ROWS &rows, const uint16_t *picks, int n, int n_safe)
{
    const uint4 *groups = reinterpret_cast<const uint4 *>(picks);
    const int n_groups = n / NBC_PICKS, safe_groups = n_safe / NBC_PICKS;
    int2 sums = make_int2(0, 0);
    unsigned sum = 0;

    for (int g = 0; g < n_groups;) {
        const int end = min(g + safe_groups, n_groups);

        for (sum = 0; g < end; g++) {
            const uint4 k = __ldg(groups + g);

            sum += rows.at(k.x & 0xffff) + rows.at(k.x >> 16) + rows.at(k.y & 0xffff) +
                   rows.at(k.y >> 16) + rows.at(k.z & 0xffff) + rows.at(k.z >> 16) +
                   rows.at(k.w & 0xffff) + rows.at(k.w >> 16);
        }
        sums.x += static_cast<int>(sum & 0xffff);
        sums.y += static_cast<int>(sum >> 16);
    }
    sum = 0;
    for (int k = n_groups * NBC_PICKS; k < n; k++)
        sum += rows.at(__ldg(picks + k));
    sums.x += static_cast<int>(sum & 0xffff);
    sums.y += static_cast<int>(sum >> 16);
    return sums;
}

/* @return the sum of the costs of words, in all threads of a block of SUM_THREADS */
__device__ int add_word_costs(const nbc_device_model_t &m, const uint16_t *words, int n)
{
    __shared__ int sums[SUM_WARPS];
    int sum = 0;

    for (int k = static_cast<int>(threadIdx.x); k < n; k += SUM_THREADS)
        sum += __ldg(m.word_cost + words[k]);
    sum = sum_of_warp(sum);
    if (threadIdx.x % LANES == 0)
        sums[threadIdx.x / LANES] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < SUM_WARPS; k++)
        sum += sums[k];
    return sum;
}

/* Costs of all words: a thread block per read and orientation, a warp per block of
 * classes in turn. */
__global__ void __launch_bounds__(SUM_THREADS) words_kernel(const nbc_piece_t p)
{
    __shared__ nbc_key_t of_warp[SUM_WARPS];
    const int i = static_cast<int>(blockIdx.x) / p.n_strands,
              strand = static_cast<int>(blockIdx.x) % p.n_strands,
              warp = static_cast<int>(threadIdx.x) / LANES,
              lane = static_cast<int>(threadIdx.x) % LANES;
    const nbc_device_read_t &read = p.reads[p.order[i]];
    const uint16_t *words = p.words + read.words[strand];
    const int word_cost = add_word_costs(p.model, words, read.n_words);
    const int64_t row = static_cast<int64_t>(i) * NBC_STRANDS + strand;
    int *cost = p.cost + row * p.model.n_blocks * NBC_BLOCK;
    nbc_key_t best = NBC_KEY_NONE;

    for (int b = warp; b < p.model.n_blocks && read.n_words > 0; b += SUM_WARPS) {
        const int first = b * NBC_BLOCK + 2 * lane;
        const int2 sums =
            add_rows(rows_of_block(p.model, b), words, read.n_words, p.model.n_safe);

        for (int k = 0; k < 2; k++) {
            const int of_class =
                nbc_class_cost(p.model.class_rate[first + k], read.n_words);
            const int c = of_class == NBC_COST_NONE
                              ? NBC_COST_NONE
                              : word_cost + of_class - (k == 0 ? sums.x : sums.y);

            cost[first + k] = c;
            if (c < NBC_COST_NONE)
                best = min(best, key_of(c, first + k));
        }
    }
    for (int k = LANES / 2; k > 0; k /= 2)
        best = min(best, __shfl_xor_sync(ALL_LANES, best, k));
    if (lane == 0)
        of_warp[warp] = best;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (int k = 0; k < SUM_WARPS; k++)
        best = min(best, of_warp[k]);
    p.best[row] = best;
}

/* Draws: a thread block per read, a thread per pair of draws in turn. */
__global__ void __launch_bounds__(DRAW_THREADS) draw_kernel(const nbc_piece_t p)
{
    const int i = static_cast<int>(blockIdx.x);
    const nbc_device_read_t &read = p.reads[p.order[i]];
    const uint64_t key = read.key[is_reversed(p, i) ? 1 : 0];
    const int n_pairs = (read.n_draws + 1) / 2;
    const int64_t stride = (read.n_draws + NBC_PICKS - 1) / NBC_PICKS * NBC_PICKS;

    if (read.n_words == 0)
        return;
    for (int64_t k = threadIdx.x; k < static_cast<int64_t>(p.n_resamples) * n_pairs;
         k += DRAW_THREADS) {
        const int r = static_cast<int>(k / n_pairs), pair = static_cast<int>(k % n_pairs);
        const uint64_t bits = nbc_draw_bits(key, r, pair);
        uint16_t *out = p.draws + read.draws + r * stride + 2 * pair;

        out[0] = static_cast<uint16_t>(
            nbc_draw_position(static_cast<uint32_t>(bits), read.n_words));
        if (2 * pair + 1 < read.n_draws)
            out[1] = static_cast<uint16_t>(
                nbc_draw_position(static_cast<uint32_t>(bits >> 32), read.n_words));
    }
}

/* Offer this warp's costs of a block to a resample, whose winner so far is `old`. */
__device__ void offer(int2 cost, int block, nbc_key_t old, nbc_key_t *winner)
{
    const int best = min_of_warp(min(cost.x, cost.y));
    const unsigned first = __ballot_sync(ALL_LANES, cost.x == best),
                   second = __ballot_sync(ALL_LANES, cost.y == best);

    if (threadIdx.x % LANES == 0) {
        const int lane = __ffs(static_cast<int>(first | second)) - 1;
        const nbc_key_t key = key_of(best, block * NBC_BLOCK + 2 * lane +
                                               ((first >> lane & 1) != 0 ? 0 : 1));

        if (best < NBC_COST_NONE && key < old)
            *winner = key;
    }
}

extern __shared__ uint4 near_rows[]; /* [n_words][ROW_PIECES] */

/* Copy the rows of a read's words in a block to shared memory. */
__device__ void fetch_rows(const nbc_piece_t &p, const uint16_t *words, int n_words,
                           int block)
{
    const uint4 *rows = reinterpret_cast<const uint4 *>(p.model.gains) +
                        static_cast<int64_t>(block) * NBC_N_WORDS * ROW_PIECES;

    __syncthreads(); /* the rows of the block before are no longer read */
#pragma unroll 4
    for (int k = static_cast<int>(threadIdx.x); k < n_words * ROW_PIECES;
         k += static_cast<int>(blockDim.x))
        near_rows[k] =
            __ldg(rows + static_cast<int64_t>(words[k / ROW_PIECES]) * ROW_PIECES +
                  k % ROW_PIECES);
    __syncthreads();
}

/* Resamples: a thread block per read, which fetches the rows of one block of classes
 * after the other; a warp per resample in turn, always the same one. */
template <bool NEAR, int THREADS>
__global__ void __launch_bounds__(THREADS, THREADS == FEW_THREADS ? FEW_BLOCKS : 1)
    resample_kernel(const nbc_piece_t p, int first)
{
    const int i = first + static_cast<int>(blockIdx.x),
              n_warps = static_cast<int>(blockDim.x) / LANES,
              warp = static_cast<int>(threadIdx.x) / LANES,
              lane = static_cast<int>(threadIdx.x) % LANES;
    const nbc_device_read_t &read = p.reads[p.order[i]];
    const uint16_t *words = p.words + read.words[is_reversed(p, i) ? 1 : 0];
    const int n_words = read.n_words, n_draws = read.n_draws;
    const int64_t stride = (n_draws + NBC_PICKS - 1) / NBC_PICKS * NBC_PICKS;
    const uint16_t *draws = p.draws + read.draws;
    nbc_key_t *winner = p.winner + static_cast<int64_t>(i) * p.n_resamples;

    if (n_words == 0)
        return;
    for (int b = 0; b < p.model.n_blocks; b++) {
        const int64_t *rate = p.model.class_rate + b * NBC_BLOCK + 2 * lane;
        const int2 of_class =
            make_int2(nbc_class_cost(rate[0], n_draws), nbc_class_cost(rate[1], n_draws));

        if (NEAR)
            fetch_rows(p, words, n_words, b);
        for (int r = warp; r < p.n_resamples; r += n_warps) {
            const nbc_key_t old = b == 0 ? NBC_KEY_NONE : winner[r];
            int2 sums;

            if (NEAR)
                sums =
                    add_rows(near_rows_t{reinterpret_cast<const unsigned *>(near_rows) +
                                         lane},
                             draws + r * stride, n_draws, p.model.n_safe);
            else
                sums = add_rows(far_rows_t{rows_of_block(p.model, b), words},
                                draws + r * stride, n_draws, p.model.n_safe);
            if (b == 0 && lane == 0)
                winner[r] = NBC_KEY_NONE;
            offer(make_int2(of_class.x - sums.x, of_class.y - sums.y), b, old,
                  &winner[r]);
        }
    }
}

constexpr auto few_kernel = resample_kernel<true, FEW_THREADS>;
constexpr auto many_kernel = resample_kernel<true, MANY_THREADS>;
constexpr auto far_kernel = resample_kernel<false, MANY_THREADS>;

/* Let a kernel use `bytes` of shared memory, and as much of it as possible per
 * multiprocessor. */
template <typename KERNEL> status_t give_memory(KERNEL kernel, int bytes)
{
    const void *function = reinterpret_cast<const void *>(kernel);
    const status_t st = CUDA_TRY(
        cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             bytes));

    return st != ST_OK
               ? st
               : CUDA_TRY(
                     cudaFuncSetAttribute(function,
                                          cudaFuncAttributePreferredSharedMemoryCarveout,
                                          cudaSharedmemCarveoutMaxShared));
}

/* Add up counts and find the minimum of costs of a block of FINISH_THREADS; the results
 * are those of thread 0. */
__device__ void reduce_block(int *n, int *least)
{
    __shared__ int counts[FINISH_WARPS], costs[FINISH_WARPS];
    const int warp = static_cast<int>(threadIdx.x) / LANES;

    *n = sum_of_warp(*n);
    *least = min_of_warp(*least);
    if (threadIdx.x % LANES == 0) {
        counts[warp] = *n;
        costs[warp] = *least;
    }
    __syncthreads();
    for (int k = 1; k < FINISH_WARPS && threadIdx.x == 0; k++) {
        *n += counts[k];
        *least = min(*least, costs[k]);
    }
    __syncthreads(); /* before the next call writes */
}

/* Results: a thread block per read. */
__global__ void __launch_bounds__(FINISH_THREADS) finish_kernel(const nbc_piece_t p)
{
    const int i = static_cast<int>(blockIdx.x), read = p.order[i],
              strand = is_reversed(p, i) ? 1 : 0;
    const int64_t row = static_cast<int64_t>(i) * NBC_STRANDS + strand;
    const nbc_key_t best = p.best[row];
    const int *cost = p.cost + row * p.model.n_blocks * NBC_BLOCK;
    const nbc_key_t *winner = p.winner + static_cast<int64_t>(i) * p.n_resamples;

    if (threadIdx.x == 0) {
        nbc_best_t *out = &p.out_best[read];

        out->class_number = best == NBC_KEY_NONE ? -1 : class_of(best);
        out->n_words = p.reads[read].n_words;
        out->cost = best == NBC_KEY_NONE ? NBC_COST_NONE : cost_of(best);
        out->reversed = strand == 1;
    }
    for (int r = 0; r < p.model.n_ranks; r++) {
        const int *taxon_of =
            p.model.lineage + static_cast<int64_t>(r) * p.model.n_classes;
        const int taxon = best == NBC_KEY_NONE ? -1 : taxon_of[class_of(best)];
        int n = 0, least = NBC_COST_NONE;

        for (int k = static_cast<int>(threadIdx.x); taxon >= 0 && k < p.n_resamples;
             k += FINISH_THREADS)
            n += taxon_of[class_of(winner[k])] == taxon ? 1 : 0;
        for (int c = static_cast<int>(threadIdx.x); taxon >= 0 && c < p.model.n_classes;
             c += FINISH_THREADS)
            if (taxon_of[c] != taxon)
                least = min(least, cost[c]);
        reduce_block(&n, &least);
        if (threadIdx.x == 0) {
            p.support[static_cast<int64_t>(read) * p.model.n_ranks + r] =
                static_cast<uint16_t>(n);
            p.rival[static_cast<int64_t>(read) * p.model.n_ranks + r] = least;
        }
    }
}

} // namespace

status_t nbc_kernel_shapes(int device, nbc_shape_t *out)
{
    /* Thread blocks per multiprocessor, and threads of each. */
    static const int blocks[NBC_SHAPES - 1] = {6, 3, 2, 1},
                                         threads[NBC_SHAPES - 1] = {FEW_THREADS / 2,
                                                                    FEW_THREADS,
                                                                    FEW_THREADS,
                                                                    MANY_THREADS};
    int of_core, reserved, of_block;
    status_t st = CUDA_TRY(
        cudaDeviceGetAttribute(&of_core, cudaDevAttrMaxSharedMemoryPerMultiprocessor,
                               device));

    if (st == ST_OK)
        st = CUDA_TRY(cudaDeviceGetAttribute(&reserved,
                                             cudaDevAttrReservedSharedMemoryPerBlock,
                                             device));
    if (st == ST_OK)
        st = CUDA_TRY(cudaDeviceGetAttribute(&of_block,
                                             cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                             device));
    if (st != ST_OK)
        return st;
    for (int k = 0; k < NBC_SHAPES - 1; k++) {
        const int bytes = of_core / blocks[k] - reserved;

        out[k].max_words = (bytes < of_block ? bytes : of_block) / NBC_ROW_BYTES;
        out[k].threads = threads[k];
    }
    out[NBC_SHAPES - 1].max_words = NBC_N_WORDS;
    out[NBC_SHAPES - 1].threads = MANY_THREADS;
    st = give_memory(few_kernel, out[NBC_SHAPES - 3].max_words * NBC_ROW_BYTES);
    return st != ST_OK
               ? st
               : give_memory(many_kernel, out[NBC_SHAPES - 2].max_words * NBC_ROW_BYTES);
}

status_t nbc_kernel_words(const nbc_piece_t *piece, cudaStream_t stream)
{
    const unsigned n = static_cast<unsigned>(piece->n);
    status_t st;

    words_kernel<<<n *static_cast<unsigned>(piece->n_strands), SUM_THREADS, 0, stream>>>(
        *piece);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
        return st;
    draw_kernel<<<n, DRAW_THREADS, 0, stream>>>(*piece);
    return CUDA_TRY(cudaGetLastError());
}

status_t nbc_kernel_resample(const nbc_piece_t *piece, const nbc_shape_t *shape,
                             int first, int n, cudaStream_t stream)
{
    const unsigned n_blocks = static_cast<unsigned>(n),
                   threads = static_cast<unsigned>(shape->threads);
    const size_t bytes = static_cast<size_t>(shape->max_words) * NBC_ROW_BYTES;

    if (shape->max_words == NBC_N_WORDS)
        far_kernel<<<n_blocks, threads, 0, stream>>>(*piece, first);
    else if (shape->threads == MANY_THREADS)
        many_kernel<<<n_blocks, threads, bytes, stream>>>(*piece, first);
    else
        few_kernel<<<n_blocks, threads, bytes, stream>>>(*piece, first);
    return CUDA_TRY(cudaGetLastError());
}

status_t nbc_kernel_finish(const nbc_piece_t *piece, cudaStream_t stream)
{
    finish_kernel<<<static_cast<unsigned>(piece->n), FINISH_THREADS, 0, stream>>>(*piece);
    return CUDA_TRY(cudaGetLastError());
}
