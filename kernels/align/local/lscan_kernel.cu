/*
 * lscan_kernel.cu - the kernels of local alignments: one pair, or two packed into words,
 * per thread.
 *
 * A thread sweeps ROWS rows of its padded matrix at a time (lscan_sweep.cuh).  H and F of
 * the last of these rows go through memory, one line per thread, to the next ones.
 * To trace its pair, which it does before it takes the next one, a thread keeps lines:
 * all of them or those of squares (lscan_trace.cuh).
 */
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/local/lscan_trace.cuh"

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
    if (PLAN == LSCAN_TRACED32)
        return common_value(a.row_end, true) ? LSCAN_COMMON_TRACED32 : LSCAN_TRACED32;
    return PLAN;
}

/* Trace a pair that has been swept and stored, if it has a CIGAR.
 * @param steps     [LSCAN_TABLE] of keys
 * @param is_taken  whether this lane has a pair */
template <int KIND, int ROWS>
__device__ void trace_pair(const lscan_launch_t &p, const lscan_word<KIND> *steps,
                           const lscan_pairs_t &pairs, bool is_taken,
                           const lscan_end_t &end,
                           const lscan_kept_t<lscan_word<KIND>, ROWS> &kept)
{
    const lscan_cigars_t &c = p.cigars;
    const lscan_pair_t &pair = pairs.pairs[0];
    const int columns = is_taken ? p.columns[pair.index] : 0;
    const bool exists = cuda_cigar_exists(true, c.min_overlap, columns, pair.m, pair.n);
    const lscan_path_t path =
        lscan_trace<KIND, ROWS>(p, steps, pairs, end, exists ? columns : 0, 0, kept,
                                cuda_path_ops(c.column_ops, false),
                                c.runs + c.trace_start[pair.index]);

    if (exists)
        c.n_runs[pair.index] = path.out.n_runs;
}

/* Trace a pair of TRACED32 that has been swept, and store it, or list it as doubtful.
 * @param key  its best one */
template <int ROWS>
__device__ void trace_and_store(const lscan_launch_t &p, const int *steps,
                                const lscan_pairs_t &pairs, bool is_taken,
                                const lscan_end_t &end, long long key,
                                const lscan_kept_t<int, ROWS> &kept)
{
    const lscan_cigars_t &c = p.cigars;
    const lscan_pair_t &pair = pairs.pairs[0];
    uint32_t *runs = c.runs != nullptr ? c.runs + c.trace_start[pair.index] : nullptr;
    const lscan_path_t path =
        lscan_trace<LSCAN_TRACED32, ROWS>(p, steps, pairs, end, is_taken && end.i >= 0,
                                          key, kept, cuda_path_ops(c.column_ops, false),
                                          runs);

    if (!is_taken)
        return;
    if (!lscan_store_traced(p, pair, path, key))
        c.doubtful[atomicAdd(c.n_doubtful, 1)] = pair.index;
    else if (runs != nullptr && cuda_cigar_exists(true, c.min_overlap,
                                                  p.columns[pair.index], pair.m, pair.n))
        c.n_runs[pair.index] = path.out.n_runs;
}

/*
 * Align pair k of the n pairs of the kind, and the next one if a word holds two.
 *
 * @param entries  of the warp
 * @return false if it has too few of them for all of its pairs at once
 */
template <int KIND, bool TRACES>
__device__ bool align_packed(const lscan_launch_t &p, const lscan_table_t<KIND> &table,
                             int first, int n, int k,
                             lscan_line_t<lscan_word<KIND>> *entries)
{
    constexpr int ROWS = lscan_tuning_t<KIND>::ROWS;
    constexpr int TRACE_KIND = LSCAN_IS_RELATIVE<KIND> ? lscan_plan_kind(KIND) : KIND;
    constexpr int BACK = TRACES ? LSCAN_BACK_ENTRIES<KIND> : 0;
    constexpr bool SQUARES = TRACES && LSCAN_HAS_SQUARES<KIND>;
    const int lane = threadIdx.x % WARP;
    lscan_line_t<lscan_word<KIND>> *const kept = entries + BACK * WARP + lane;
    lscan_line_t<lscan_word<KIND>> *const line =
        kept + (SQUARES ? lscan_square_entries<ROWS>(p.square) * WARP : 0);
    lscan_pairs_t pairs = lscan_take<KIND, ROWS>(p, first, n, k);
    lscan_thread_t<KIND, ROWS> s;

    pairs.n_rows = cuda_warp_max(pairs.n_rows);
    pairs.n_columns = cuda_warp_max(pairs.n_columns);
    if (TRACES &&
        lscan_kept_entries<KIND>(pairs.n_rows, pairs.n_columns, p.square) > p.line_len)
        return false;
    place_scores<KIND, ROWS>(&s.rows);
    lscan_sweep<KIND, ROWS,
                !TRACES   ? LSCAN_ONE
                : SQUARES ? LSCAN_SQUARES
                          : LSCAN_STRIPS>(p, table, pairs, s, line, WARP);
    if (k < n && !LSCAN_IS_TRACED<KIND>)
        lscan_store<KIND, ROWS>(p, pairs, s, n - k);
    if constexpr (TRACES) {
        const lscan_kept_t<lscan_word<KIND>, ROWS> all = {
            reinterpret_cast<unsigned *>(entries) + lane,
            kept,
            WARP,
            0,
            0,
            pairs.n_columns,
            line};
        const lscan_word<KIND> *steps = lscan_trace_steps<KIND>(p, table);

        if constexpr (LSCAN_IS_TRACED<KIND>)
            trace_and_store<ROWS>(p, steps, pairs, k < n, s.end, s.key, all);
        else
            trace_pair<TRACE_KIND, ROWS>(p, steps, pairs, k < n, s.end, all);
    }
    return true;
}

/* Align the pairs of a warp, from pair k of the n pairs of the kind on, unless another
 * kernel takes them: all at once, or where they do not fit when they are padded to the
 * same size, some at a time.  Those that KEYS32 takes always fit. */
template <int KIND, bool TRACES>
__device__ void align_warp(const lscan_launch_t &p, const lscan_table_t<KIND> &table,
                           int first, int n, int k,
                           lscan_line_t<lscan_word<KIND>> *entries)
{
    constexpr int PAIRS = LSCAN_PAIRS<KIND>;
    constexpr int ROWS = lscan_tuning_t<KIND>::ROWS;
    const int lane = threadIdx.x % WARP, end = min(n, k + WARP * PAIRS);

    /* some of the pairs may have common rows, all not: so this is decided once */
    if (kernel_for<KIND>(p, lscan_take<KIND, ROWS>(p, first, end, k + lane * PAIRS)) !=
        KIND)
        return;
    for (int size = WARP * PAIRS; k < end;) {
        if (align_packed<KIND, TRACES>(p, table, first, min(k + size, end),
                                       k + lane * PAIRS, entries))
            k += size;
        else
            size /= 2;
        __syncwarp();
    }
}

template <int KIND, bool TRACES>
__global__ void __launch_bounds__(LSCAN_BLOCK, lscan_tuning_t<KIND>::BLOCKS)
    lscan_kernel(const __grid_constant__ lscan_launch_t p)
{
    constexpr int PAIRS = LSCAN_PAIRS<KIND>;
    using line_t = lscan_line_t<lscan_word<KIND>>;
    __shared__ lscan_table_t<KIND> table;
    const long long warp =
        (static_cast<long long>(blockIdx.x) * LSCAN_BLOCK + threadIdx.x) / WARP;
    line_t *entries = static_cast<line_t *>(p.lines) + warp * p.line_len * WARP;
    const int n = p.n_of_kind[lscan_plan_kind(KIND)];
    int first = 0;

    for (int k = 0; k < lscan_plan_kind(KIND); k++)
        first += p.n_of_kind[k];
    lscan_fill_table<KIND>(p, &table, threadIdx.x, LSCAN_BLOCK);
    __syncthreads();
    for (;;) {
        int k = threadIdx.x % WARP == 0 ? atomicAdd(&p.next[KIND], WARP * PAIRS) : 0;

        k = __shfl_sync(ALL, k, 0);
        if (k >= n)
            return;
        align_warp<KIND, TRACES>(p, table, first, n, k, entries);
    }
}

using kernel_t = void (*)(const lscan_launch_t);

/* @return the kernel of a kind. @param traces  only with keys */
kernel_t kernel_of(int kind, bool traces)
{
    switch (kind) {
    case LSCAN_BASES:
        return lscan_kernel<LSCAN_BASES, false>;
    case LSCAN_PROFILE:
        return lscan_kernel<LSCAN_PROFILE, false>;
    case LSCAN_COMMON_BASES:
        return lscan_kernel<LSCAN_COMMON_BASES, false>;
    case LSCAN_COMMON_PROFILE:
        return lscan_kernel<LSCAN_COMMON_PROFILE, false>;
    case LSCAN_TWIN_PROFILE:
        return lscan_kernel<LSCAN_TWIN_PROFILE, false>;
    case LSCAN_KEYS32:
        return traces ? lscan_kernel<LSCAN_KEYS32, true>
                      : lscan_kernel<LSCAN_KEYS32, false>;
    case LSCAN_COMMON_KEYS32:
        return traces ? lscan_kernel<LSCAN_COMMON_KEYS32, true>
                      : lscan_kernel<LSCAN_COMMON_KEYS32, false>;
    case LSCAN_TRACED32:
        return lscan_kernel<LSCAN_TRACED32, true>;
    case LSCAN_COMMON_TRACED32:
        return lscan_kernel<LSCAN_COMMON_TRACED32, true>;
    default:
        return traces ? lscan_kernel<LSCAN_KEYS, true> : lscan_kernel<LSCAN_KEYS, false>;
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

status_t lscan_blocks(int kind, bool traces, int n_letters, const device_t *device,
                      int *out)
{
    return cuda_occupancy_shared_blocks(kernel_of(kind, traces), LSCAN_BLOCK,
                                        lscan_shared_bytes(kind, n_letters), device, out);
}

status_t lscan_run(int kind, const lscan_launch_t &launch, int n_blocks,
                   cudaStream_t stream)
{
    const bool traces = launch.cigars.rank != nullptr;

    kernel_of(kind,
              traces)<<<n_blocks, LSCAN_BLOCK, lscan_shared_bytes(kind, launch.n_letters),
                        stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
