/*
 * affine_kernel.cu - the kernels of ascan: one alignment, or two packed into words, per
 * thread.
 *
 * A thread sweeps ROWS rows of its padded matrix at a time (affine_sweep.cuh).  H and F
 * of the last of these rows go through memory, one line per thread, to the next ones.  A
 * warp sweeps one band: the union of those of its pairs.  Bands are narrowed by a kernel
 * of its own, because that takes a few percent of the time.
 *
 * The matrix of a pair takes a thread 50 ms and more, so few large ones are aligned by a
 * warp each, in whole matrices (affine_lane.cuh).
 */
#include "kernels/align/affine/affine_guard.cuh"
#include "kernels/align/affine/affine_lane.cuh"
#include "kernels/align/cuda/cuda_occupancy.cuh"

namespace
{

/* The pairs of a kernel in the order. */
struct list_t {
    int first, n;
};

/* @return those of the kind, and those of KEY_LONG in front of them if they belong to it
 */
__device__ inline list_t list_of(const rscan_launch_t &p)
{
    const int n_wide = p.n_of_kind[RSCAN_KEY_LONG];
    const int n = p.min_wide > 0 && n_wide >= p.min_wide ? n_wide : 0;

    return list_t{first_of(p) - n, p.n_of_kind[p.kind] + n};
}

/* @return whether the rows of all pairs of the warp are one sequence, and no sequence has
 *         codes */
__device__ bool has_common_rows(const rscan_launch_t &p, const packed_pairs_t &packed)
{
    const unsigned char *row_end = packed.pairs[0].row_end;
    bool suits = p.variant.by_rows && packed.pairs[1].row_end == row_end;

    for (const padded_pair_t &padded : packed.pairs) {
        const pair_t pair = p.pairs[padded.index];

        suits = suits && p.set.has_ambiguity[pair.query] == 0 &&
                p.set.has_ambiguity[pair.target] == 0;
    }
    return common_value(row_end, suits);
}

/* Sweep the pairs of a thread, and store the results of the first n_left. */
template <int KIND, int ROWS, bool NARROWS, bool FREE>
__device__ inline void sweep_packed(
    const affine_launch_t &p, const affine_entry_t<KIND> *table,
    const affine_pairs_t &pairs, int n_left,
    affine_line_t<typename affine_kind_t<KIND>::word> *line)
{
    affine_thread_t<KIND, ROWS> s;

    if constexpr (KIND == AFFINE_COMMON2) {
        __shared__ unsigned steps[RSCAN_BLOCK / WARP][COMMON_WORDS<ROWS>];

        s.rows.steps = steps[threadIdx.x / WARP];
    }
    affine_sweep<KIND, ROWS, NARROWS, FREE>(p, table, pairs, s, line, WARP);
    if (n_left > 0)
        affine_store<KIND, ROWS>(p, pairs.packed, s, n_left);
}

/* Align pair k of a list, and the next one if a word holds two. */
template <int KIND, bool NARROWS, bool FREE>
__device__ void align_packed(const affine_launch_t &p, const affine_entry_t<KIND> *table,
                             const list_t &list, int k,
                             affine_line_t<typename affine_kind_t<KIND>::word> *line)
{
    constexpr int ROWS = affine_tuning_t<KIND>::ROWS;
    affine_pairs_t pairs = {pack_pairs<KIND, false>(p.rounds, list.first, list.n, k, ROWS,
                                                    rows_choice(p.rounds)),
                            0};
    const int n_left = list.n - k;

    affine_pad<kind_t<KIND>::PAIRS>(&pairs, cuda_warp_max(pairs.packed.n_rows),
                                    cuda_warp_max(pairs.packed.n_columns));
    affine_set_band<kind_t<KIND>::PAIRS, ROWS>(p.rounds, &pairs.packed);
    pairs.packed.low = cuda_warp_max(pairs.packed.low);
    pairs.packed.high = cuda_warp_max(pairs.packed.high);
    pairs.packed.max_pads = cuda_warp_max(pairs.packed.max_pads);
    pairs.max_row_pads = cuda_warp_max(pairs.max_row_pads);
    if constexpr (KIND == RSCAN_SCORE2 && !NARROWS) { /* bands are not by_rows */
        if (has_common_rows(p.rounds, pairs.packed)) {
            sweep_packed<AFFINE_COMMON2, ROWS, NARROWS, FREE>(p, table, pairs, n_left,
                                                              line);
            return;
        }
    }
    sweep_packed<KIND, ROWS, NARROWS, FREE>(p, table, pairs, n_left, line);
}

template <int KIND, bool NARROWS, bool FREE = false>
__global__ void __launch_bounds__(RSCAN_BLOCK, affine_tuning_t<KIND>::BLOCKS)
    affine_kernel(const __grid_constant__ affine_launch_t p)
{
    constexpr int PAIRS = kind_t<KIND>::PAIRS;
    using line_t = affine_line_t<typename affine_kind_t<KIND>::word>;
    __shared__ affine_table_t<KIND> table;
    const int lane = threadIdx.x % WARP;
    const long long warp =
        (static_cast<long long>(blockIdx.x) * RSCAN_BLOCK + threadIdx.x) / WARP;
    line_t *line =
        static_cast<line_t *>(p.rounds.lines) + warp * p.rounds.line_len * WARP + lane;
    const list_t list = list_of(p.rounds);

    if (!suits(p.rounds))
        return;
    affine_fill_table<KIND>(p, table.at, threadIdx.x, blockDim.x);
    __syncthreads();
    for (;;) {
        const int k = take_pairs(p.rounds, WARP * PAIRS);

        if (k >= list.n)
            return;
        align_packed<KIND, NARROWS, FREE>(p, table.at, list, k + lane * PAIRS, line);
        __syncwarp();
    }
}

using key_line_t = affine_line_t<affine_key_t>;

/* Sweep a strip of a pair.
 * @param line  [n] in the last row of the strip above; out: of this one
 * @return the lane's best end */
__device__ affine_key_t sweep_strip(const affine_launch_t &p, const affine_key_t *table,
                                    const affine_pairs_t &pairs, int strip,
                                    key_line_t *line)
{
    constexpr int KIND = AFFINE_TABLE_KEY;
    const int lane = threadIdx.x % WARP, n = pairs.packed.n_columns;
    const unsigned char *columns = pairs.packed.pairs[0].column_end - n;
    key_line_t bottom = {0, 0}, ahead = {0, 0};
    unsigned letter = 0, letter_ahead = 0;
    affine_lane_t<KIND> s;
    affine_untraced_t<> trace;

    affine_lane_start<KIND>(p, pairs, table, strip, lane, &s);
    for (int t = 0; t < n + WARP - 1; t++) {
        const int j = t - lane, next = t + lane;

        if (t % WARP == 0 && next < n) { /* the next 32 columns, for lane 0 */
            letter_ahead = columns[next];
            ahead =
                strip > 0
                    ? line[next]
                    : key_line_t{affine_border<KIND, AFFINE_COLUMNS>(p, pairs, next + 1),
                                 0};
        }
        const unsigned passed = __shfl_up_sync(ALL, letter, 1);
        const unsigned fresh = __shfl_sync(ALL, letter_ahead, t % WARP);
        const key_line_t above = affine_line_above(bottom),
                         first = affine_line_of(ahead, t % WARP);

        letter = lane == 0 ? fresh : passed;
        if (j >= 0 && j < n) {
            bottom = lane == 0 ? first : above;
            affine_lane_column<KIND>(p, pairs, s, j, letter, bottom, trace);
            if (lane == WARP - 1)
                line[j] = bottom;
        }
    }
    affine_lane_finish<KIND>(p, pairs, s, trace);
    __syncwarp(); /* the line is complete */
    return s.best;
}

/* Align a pair of the batch. @param line  of the warp: scratch */
__device__ void align_by_warp(const affine_launch_t &p, const affine_key_t *table,
                              unsigned at, key_line_t *line)
{
    constexpr int KIND = AFFINE_TABLE_KEY;
    const affine_pairs_t pairs =
        affine_lane_pair(padded_pair_of(p.rounds, at, swaps(p.rounds, at)), false);
    const padded_pair_t &pair = pairs.packed.pairs[0];
    affine_key_t best = affine_two_gaps<KIND>(p, pair);

    for (int strip = 0; strip * AFFINE_STRIP < pairs.packed.n_rows; strip++)
        best = affine_max<KIND>(best, sweep_strip(p, table, pairs, strip, line));
    for (int d = WARP / 2; d > 0; d /= 2)
        best = affine_max<KIND>(best, __shfl_xor_sync(ALL, best, d));
    if (threadIdx.x % WARP == 0)
        affine_store_pair(p, pair, static_cast<long long>(best));
}

__global__ void __launch_bounds__(RSCAN_BLOCK, affine_tuning_t<AFFINE_TABLE_KEY>::BLOCKS)
    affine_warp_kernel(const __grid_constant__ affine_launch_t p)
{
    __shared__ affine_table_t<AFFINE_TABLE_KEY> table;
    const int lane = threadIdx.x % WARP;
    const long long warp =
        (static_cast<long long>(blockIdx.x) * RSCAN_BLOCK + threadIdx.x) / WARP;
    key_line_t *line =
        static_cast<key_line_t *>(p.rounds.lines) + warp * p.rounds.line_len;
    const int n = p.rounds.n_of_kind[p.rounds.kind];

    if (!suits(p.rounds))
        return;
    affine_fill_table<AFFINE_TABLE_KEY>(p, table.at, threadIdx.x, blockDim.x);
    __syncthreads();
    for (;;) {
        int k = lane == 0 ? atomicAdd(&p.rounds.next[p.rounds.kind], 1) : 0;

        k = __shfl_sync(ALL, k, 0);
        if (k >= n)
            return;
        align_by_warp(p, table.at, p.rounds.order[first_of(p.rounds) + k], line);
        __syncwarp();
    }
}

constexpr int GUARD_BLOCKS = 3, GUARD_WARPS = RSCAN_BLOCK / WARP;

/* What a thread needs between its rows.  The rows fill its registers, so that this is in
 * shared memory. */
struct slot_t {
    affine_pairs_t pairs;
    guard_t g;
};

/* Align pair k of the n pairs of the kind, and the next one if a word holds two. */
template <int KIND>
__device__ void align_guarded(const affine_launch_t &p, const unsigned *table, int n,
                              int k, slot_t &slot, guard_memory_t memory)
{
    packed_pairs_t *packed = &slot.pairs.packed;
    guard_thread_t<KIND> s;

    slot.pairs = {pack_pairs<KIND, false>(p.rounds, first_of(p.rounds), n, k, GUARD_ROWS,
                                          rows_choice(p.rounds)),
                  0, 0};
    affine_pad<kind_t<KIND>::PAIRS>(&slot.pairs, cuda_warp_max(packed->n_rows),
                                    cuda_warp_max(packed->n_columns));
    packed->max_pads = cuda_warp_max(packed->max_pads);
    slot.pairs.max_row_pads = cuda_warp_max(slot.pairs.max_row_pads);
    guard_choose_columns<KIND>(p, packed, &slot.g);
    guard_sweep<KIND>(p, table, slot.pairs, memory, &slot.g, s);
    if (n > k)
        guard_store<KIND>(p, *packed, slot.g, s.best, n - k);
}

template <int KIND>
__global__ void __launch_bounds__(RSCAN_BLOCK, GUARD_BLOCKS)
    guard_kernel(const __grid_constant__ affine_launch_t p)
{
    constexpr int PAIRS = kind_t<KIND>::PAIRS;
    __shared__ affine_table_t<KIND> table;
    __shared__ unsigned masks[GUARD_WARPS][FLANK_MASKS];
    __shared__ slot_t slots[RSCAN_BLOCK];
    const int lane = threadIdx.x % WARP;
    const long long warp =
        (static_cast<long long>(blockIdx.x) * RSCAN_BLOCK + threadIdx.x) / WARP;
    guard_line_t *line = static_cast<guard_line_t *>(p.rounds.lines) +
                         warp * p.rounds.line_len * WARP + lane;
    guard_line_t *flanks = line + (p.rounds.line_len - 2 * p.flank_words) * WARP;
    const guard_memory_t memory = {masks[threadIdx.x / WARP] + lane, line, flanks,
                                   flanks + static_cast<long long>(p.flank_words) * WARP,
                                   WARP};
    const int n = p.rounds.n_of_kind[p.rounds.kind];

    if (!suits(p.rounds))
        return;
    guard_fill_masks<KIND>(p, memory.masks);
    affine_fill_table<KIND>(p, table.at, threadIdx.x, blockDim.x);
    __syncthreads();
    for (;;) {
        const int k = take_pairs(p.rounds, WARP * PAIRS);

        if (k >= n)
            return;
        align_guarded<KIND>(p, table.at, n, k + lane * PAIRS, slots[threadIdx.x], memory);
        __syncwarp();
    }
}

using kernel_t = void (*)(const affine_launch_t);

/* @tparam FREE  affine_extends_free, of kinds that most pairs are of */
template <bool NARROWS, bool FREE> kernel_t kernel_of(int kind)
{
    switch (kind) {
    case RSCAN_SCORE2:
        return affine_kernel<RSCAN_SCORE2, NARROWS, FREE>;
    case RSCAN_KEY:
        return affine_kernel<RSCAN_KEY, NARROWS, FREE>;
    case RSCAN_KEY_TIES:
        return affine_kernel<RSCAN_KEY_TIES, NARROWS, FREE>;
    case RSCAN_SETS:
        return affine_kernel<RSCAN_SETS, NARROWS>;
    case AFFINE_TABLE32:
        return affine_kernel<AFFINE_TABLE32, NARROWS>;
    case AFFINE_TABLE_KEY:
        return affine_kernel<AFFINE_TABLE_KEY, NARROWS>;
    case AFFINE_TABLE_KEY32:
        return affine_kernel<AFFINE_TABLE_KEY32, NARROWS, FREE>;
    case AFFINE_GUARD2:
        return guard_kernel<RSCAN_SCORE2>;
    case AFFINE_GUARD_SETS:
        return guard_kernel<RSCAN_SETS>;
    case AFFINE_GUARD_CODES:
        return guard_kernel<AFFINE_GUARD_CODES>;
    default:
        return affine_kernel<RSCAN_SETS64, NARROWS>;
    }
}

} // namespace

status_t affine_blocks(int kind, const device_t *device, int *out)
{
    return cuda_occupancy_blocks(kernel_of<false, false>(kind), RSCAN_BLOCK, device, out);
}

status_t affine_run(int kind, const affine_launch_t &launch, int n_blocks,
                    cudaStream_t stream)
{
    const bool narrows = affine_narrows(launch),
               free = affine_extends_free(launch.layout);
    const kernel_t kernel =
        narrows ? (free ? kernel_of<true, true>(kind) : kernel_of<true, false>(kind))
                : (free ? kernel_of<false, true>(kind) : kernel_of<false, false>(kind));

    kernel<<<n_blocks, RSCAN_BLOCK, 0, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}

status_t affine_warp_run(const affine_launch_t &launch, int n_blocks, cudaStream_t stream)
{
    affine_warp_kernel<<<n_blocks, RSCAN_BLOCK, 0, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
