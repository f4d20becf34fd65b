/*
 * pscan_kernel.cu - the kernel of local scores of proteins (pscan_layout.cuh).
 *
 * A block takes a chunk of the ordered pairs.  Those with the same rows, a run, share its
 * table; its warps take their words in turns.  Where rows need several passes, warps go
 * through them together.
 */
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/local/pscan_cell.cuh"

namespace
{

constexpr unsigned ALL = 0xffffffffu;

/* Pairs of a block that have the same rows. */
struct run_t {
    int first, n; /* in the order */
    bool is_twin;
    pscan_rows_t rows;
    pscan_shape_t shape;
};

__device__ inline pair_t pair_at(const pscan_launch_t &p, int k)
{
    return p.pairs[p.order[k]];
}

/* @return whether pair k is one of twins: there are none behind the first one that is
 *         none, so twins begin at even places */
__device__ inline bool is_twin(const pscan_launch_t &p, int n, int k)
{
    if ((k | 1) >= n)
        return false;
    const pair_t a = pair_at(p, k & ~1), b = pair_at(p, k | 1);

    return a.target == b.target && a.query != b.query &&
           p.place[a.query] / 2 == p.place[b.query] / 2;
}

__device__ inline void set_query(const pscan_launch_t &p, int query, int which,
                                 pscan_rows_t *rows)
{
    rows->letters[which] = p.query_letters + p.set.start[query];
    rows->len[which] = p.set.len[query];
}

/* Set the rows of a run that begins with pair k. */
template <bool WIDE>
__device__ inline void start_run(const pscan_launch_t &p, int n, int k, run_t *run)
{
    const int query = pair_at(p, k).query;

    run->first = k;
    run->is_twin = !WIDE && is_twin(p, n, k);
    set_query(p, query, 0, &run->rows);
    set_query(p, run->is_twin ? pair_at(p, k + 1).query : query, 1, &run->rows);
    run->shape = pscan_shape(max(run->rows.len[0], run->rows.len[1]), p.max_rows);
    run->rows.n = run->shape.lanes * run->shape.rows * run->shape.passes;
}

/* @return whether pair k has the rows of the run */
template <bool WIDE>
__device__ inline bool is_of_run(const pscan_launch_t &p, int n, const run_t &run, int k)
{
    const int first = pair_at(p, run.first).query, query = pair_at(p, k).query;

    if (WIDE || !run.is_twin)
        return query == first && (WIDE || !is_twin(p, n, k));
    return p.place[query] / 2 == p.place[first] / 2 && is_twin(p, n, k);
}

/* @return how many pairs from the run's first one on have its rows, before `end` */
template <bool WIDE>
__device__ int count_run(const pscan_launch_t &p, int n, const run_t &run, int end,
                         int *shared)
{
    const int mine = run.first + static_cast<int>(threadIdx.x);

    __syncthreads();
    if (threadIdx.x == 0)
        *shared = end;
    __syncthreads();
    if (mine < end && !is_of_run<WIDE>(p, n, run, mine))
        atomicMin(shared, mine);
    __syncthreads();
    return *shared - run.first;
}

/* Take the next chunk of pairs. @return its size; 0: there is none */
template <bool WIDE> __device__ int take_chunk(const pscan_launch_t &p, int n, int *first)
{
    int k = *static_cast<volatile int *>(p.next);

    while (k < n) {
        run_t run;

        start_run<WIDE>(p, n, k, &run);
        const int round = PSCAN_WARPS * (PSCAN_WARP / run.shape.lanes);
        const long long cells =
            static_cast<long long>(run.rows.n) * max(p.set.len[pair_at(p, k).target], 32);
        int words = static_cast<int>(
            min(PSCAN_CHUNK_CELLS / cells, static_cast<long long>(PSCAN_BLOCK)));

        words = min(max((words + round / 2) / round, 1) * round, PSCAN_BLOCK / 2);
        const int size = WIDE ? words : 2 * words;
        const int found = atomicCAS(p.next, k, k + size);

        if (found == k) {
            *first = k;
            return min(size, n - k);
        }
        k = found;
    }
    return 0;
}

/* The two targets of a word, or one. */
struct word_t {
    int first; /* in the order; < 0: the group has none */
    int n_pairs;
    const unsigned char *letters[2];
    int len[2];
};

/* @param k  the word's number in its run */
template <int KIND>
__device__ inline word_t take_word(const pscan_launch_t &p, const run_t &run, int k)
{
    constexpr int PAIRS = KIND == PSCAN_WIDE ? 1 : 2;
    const int at = k * PAIRS;
    word_t out = {-1, 0, {p.set.letters, p.set.letters}, {0, 0}};

    if (at >= run.n)
        return out;
    out.first = run.first + at;
    out.n_pairs = min(PAIRS, run.n - at);
    CUDA_UNROLL
    for (int i = 0; i < (KIND == PSCAN_PAIR ? 2 : 1); i++) {
        if (i >= out.n_pairs)
            break;
        const int target = pair_at(p, out.first + i).target;

        out.letters[i] = p.set.letters + p.set.start[target];
        out.len[i] = p.set.len[target];
    }
    return out;
}

/* @return the letter of column j, or a pad */
__device__ inline unsigned letter_at(const word_t &word, int i, int j)
{
    return static_cast<unsigned>(j) < static_cast<unsigned>(word.len[i])
               ? word.letters[i][j]
               : 0u;
}

/* Sweep a word's columns, for one pass of rows.
 * @param offsets  [letters] bytes from the table to that of a class
 * @param line     of the warp */
template <int KIND, int ROWS>
__device__ unsigned sweep(const pscan_launch_t &p, const pscan_shape_t &shape, int pass,
                          const unsigned *table, const unsigned *offsets,
                          const word_t &word, unsigned best, pscan_line_t *line)
{
    const int lane = threadIdx.x % PSCAN_WARP, g = lane & (shape.lanes - 1);
    const bool reads = pass > 0, writes = pass + 1 < shape.passes;
    const int n = max(word.len[0], word.len[1]);
    const int n_steps = cuda_warp_max(n) + shape.lanes - 1;
    const char *const mine = reinterpret_cast<const char *>(
        table + lane * (PSCAN_QUAD_WORDS<KIND> / PSCAN_WARP));
    const pscan_line_t border = {0, p.open};
    unsigned a = offsets[letter_at(word, 0, -g)],
             b = KIND == PSCAN_PAIR ? offsets[letter_at(word, 1, -g)] : 0;
    /* letters are read a column before their offsets */
    unsigned ahead_a = letter_at(word, 0, 1 - g),
             ahead_b = KIND == PSCAN_PAIR ? letter_at(word, 1, 1 - g) : 0;
    pscan_line_t next = reads && n > 0 ? line[0] : border;
    pscan_lane_t<ROWS> s;

    pscan_start<ROWS>(p, s);
    s.best = best;
    CUDA_NO_UNROLL
    for (int t = 0; t < n_steps; t++) {
        const unsigned *x = reinterpret_cast<const unsigned *>(mine + a),
                       *y = reinterpret_cast<const unsigned *>(mine + b);
        const int j = t - g;
        pscan_line_t up;

        a = offsets[ahead_a];
        ahead_a = letter_at(word, 0, j + 2);
        if constexpr (KIND == PSCAN_PAIR) {
            b = offsets[ahead_b];
            ahead_b = letter_at(word, 1, j + 2);
        }
        up.h = __shfl_up_sync(ALL, s.out.h, 1);
        up.f = __shfl_up_sync(ALL, s.out.f, 1);
        if (g == 0) {
            up = next;
            if (reads && j + 1 < n)
                next = line[j + 1];
        }
        pscan_step<KIND, ROWS>(p, s, up, x, y);
        if (writes && g == shape.lanes - 1 &&
            static_cast<unsigned>(j) < static_cast<unsigned>(n))
            line[j] = s.out;
    }
    __syncwarp();
    return s.best;
}

/* Store the score of a pair, or list it as doubtful. */
__device__ inline void store_half(const pscan_launch_t &p, unsigned index, int score)
{
    if (score >= p.limit)
        p.doubtful[atomicAdd(p.n_doubtful, 1)] = index;
    else
        p.score[index] = score;
}

template <int KIND>
__device__ void store(const pscan_launch_t &p, const pscan_shape_t &shape,
                      const word_t &word, unsigned best)
{
    constexpr int PAIRS = KIND == PSCAN_WIDE ? 1 : 2;
    const int lane = threadIdx.x % PSCAN_WARP;

    for (int distance = shape.lanes / 2; distance > 0; distance /= 2) {
        const unsigned other = __shfl_xor_sync(ALL, best, distance);

        best = pscan_max3<KIND>(best, other, other);
    }
    if (lane % shape.lanes != 0)
        return;
    CUDA_UNROLL
    for (int i = 0; i < PAIRS; i++) {
        if (i >= word.n_pairs)
            break;
        const unsigned index = p.order[word.first + i];

        if constexpr (KIND == PSCAN_WIDE)
            p.score[index] = static_cast<int>(best);
        else
            store_half(p, index, static_cast<int>(best >> (16 * i) & 0xffff));
    }
}

/* Compute the pairs of a run. */
template <int KIND, int ROWS>
__device__ void compute_run(const pscan_launch_t &p, const run_t &run,
                            const signed char *scores, unsigned *table, unsigned *offsets)
{
    constexpr int PAIRS = KIND == PSCAN_WIDE ? 1 : 2;
    const int warp = threadIdx.x / PSCAN_WARP, lane = threadIdx.x % PSCAN_WARP;
    const int groups = PSCAN_WARP / run.shape.lanes;
    const int n_words = (run.n + PAIRS - 1) / PAIRS, round = PSCAN_WARPS * groups;
    pscan_line_t *line =
        p.lines + (static_cast<long long>(blockIdx.x) * PSCAN_WARPS + warp) * p.line_len;

    for (int first = 0; first < n_words; first += round) {
        const word_t word =
            take_word<KIND>(p, run, first + warp * groups + lane / run.shape.lanes);
        unsigned best = 0;

        for (int pass = 0; pass < run.shape.passes; pass++) {
            if (first == 0 || run.shape.passes > 1) {
                __syncthreads();
                if (threadIdx.x < ALPHABET_SIZE)
                    offsets[threadIdx.x] = static_cast<unsigned>(
                        p.classes.of[threadIdx.x] * pscan_class_words<KIND>(ROWS) *
                        static_cast<int>(sizeof(unsigned)));
                pscan_fill_table<KIND>(scores, p.classes, run.rows, run.shape, pass,
                                       table, threadIdx.x, PSCAN_BLOCK);
                __syncthreads();
            }
            best =
                sweep<KIND, ROWS>(p, run.shape, pass, table, offsets, word, best, line);
        }
        store<KIND>(p, run.shape, word, best);
    }
}

template <int KIND>
__device__ void compute_rows(const pscan_launch_t &p, const run_t &run,
                             const signed char *scores, unsigned *table,
                             unsigned *offsets)
{
    switch (run.shape.rows) {
    case 16:
        return compute_run<KIND, 16>(p, run, scores, table, offsets);
    case 20:
        return compute_run<KIND, 20>(p, run, scores, table, offsets);
    case 24:
        return compute_run<KIND, 24>(p, run, scores, table, offsets);
    case 28:
        return compute_run<KIND, 28>(p, run, scores, table, offsets);
    default:
        return compute_run<KIND, 32>(p, run, scores, table, offsets);
    }
}

template <bool WIDE>
__global__ void __launch_bounds__(PSCAN_BLOCK, PSCAN_BLOCKS)
    pscan_kernel(const __grid_constant__ pscan_launch_t p)
{
    extern __shared__ __align__(16) unsigned table[];
    __shared__ signed char scores[LSCAN_TABLE];
    __shared__ unsigned offsets[ALPHABET_SIZE];
    __shared__ int first, size, run_end;
    const int n = p.n != nullptr ? *p.n : p.max_n;

    for (int k = threadIdx.x; k < LSCAN_TABLE; k += PSCAN_BLOCK)
        scores[k] = p.scores[k];
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            size = take_chunk<WIDE>(p, n, &first);
        __syncthreads();
        const int end = first + size;

        if (size == 0)
            return;
        for (int k = first; k < end;) {
            run_t run;

            start_run<WIDE>(p, n, k, &run);
            run.n = count_run<WIDE>(p, n, run, end, &run_end);
            if constexpr (WIDE)
                compute_rows<PSCAN_WIDE>(p, run, scores, table, offsets);
            else if (run.is_twin)
                compute_rows<PSCAN_TWIN>(p, run, scores, table, offsets);
            else
                compute_rows<PSCAN_PAIR>(p, run, scores, table, offsets);
            k += run.n;
        }
    }
}

} // namespace

status_t pscan_blocks(int n_classes, int max_rows, const device_t *device, int *out)
{
    const size_t bytes = pscan_table_bytes(n_classes, max_rows);
    int wide = 0;
    status_t st = cuda_occupancy_shared_blocks(pscan_kernel<true>, PSCAN_BLOCK, bytes,
                                               device, &wide);

    if (st == ST_OK)
        st = cuda_occupancy_shared_blocks(pscan_kernel<false>, PSCAN_BLOCK, bytes, device,
                                          out);
    *out = wide < *out ? wide : *out;
    return st;
}

status_t pscan_run(bool wide, const pscan_launch_t &launch, int n_blocks,
                   cudaStream_t stream)
{
    const size_t bytes = pscan_table_bytes(launch.classes.n, launch.max_rows);

    if (wide)
        pscan_kernel<true><<<n_blocks, PSCAN_BLOCK, bytes, stream>>>(launch);
    else
        pscan_kernel<false><<<n_blocks, PSCAN_BLOCK, bytes, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
