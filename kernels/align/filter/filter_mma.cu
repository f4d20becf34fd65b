/*
 * filter_mma.cu - a thread block decides a tile of ROWS x COLS pairs by products of
 * matrices of bits (filter_products.cuh).
 *
 * With free ends, the starts and ends of all sequences are multiplied like whole
 * sequences, one bin at a time and in both orders, if many pairs of the tile depend on
 * the bin: products for forty pairs cost as much as the ends of one pair alone. Pairs
 * that depend on other bins are listed, and a few lanes test the ends of one pair.
 *
 * Bins are taken from the longest to the shortest. Few pairs depend on a long bin, since
 * it requires many good windows; and one product settles most pairs that depend on
 * shorter bins (docs/filters.md, "Stage 3").
 */
#include "kernels/align/filter/filter_ends.cuh"
#include "kernels/align/filter/filter_products.cuh"

namespace
{

/* What a thread knows of a pair, in one byte: a bit for each bin of ends that could let
 * it pass; PASSED, also used for alignments in no bin; OPEN, whether lengths and whole
 * sequences leave it open, and later NEAR, whether the current bin's ends leave shorter
 * bins open. Four pairs fill a word. */
enum { PASSED = FILTER_BINS, OPEN, NEAR = OPEN, BYTES = 4 };
constexpr unsigned STATES = 0x01010101, BINS = (1u << FILTER_BINS) - 1;
static_assert(OPEN < 8, "a state is a byte");

/* If at most LISTED pairs of a tile depend on a bin, they are listed. LANES lanes test
 * one of them, so that a warp waits for the vectors of several pairs at once. */
enum { LISTED = 128, LANES = 8 };

/* What is known of the sequences on one side of the tile. */
template <int N> struct side_t {
    int len[N], min_good[N], partner_min[N], partner_max[N];
    int dropped[N], excess[N];
    int start_excess[N], end_excess[N]; /* of the current bin */
    /* for each bin, and for alignments in no bin */
    int min_good_of_bin[FILTER_BINS + 1][N];
};

/* Maxima over the tile; a minimum is the maximum of the negative values. */
enum {
    COL_LEN,
    MINUS_COL_LEN,
    ROW_LEN,
    MINUS_ROW_LEN,
    ROW_MIN,
    MINUS_ROW_MIN,
    ROW_MAX,
    MINUS_ROW_MAX,
    COL_MIN,
    MINUS_COL_MIN,
    EXTREMES
};

/* A pair on the list, which takes the place of the stages. */
struct listed_t {
    unsigned char row, col, bins, passes;
};
static_assert(ROWS <= 256 && COLS <= 256, "places are bytes");
static_assert(FILTER_BINS * LISTED * sizeof(listed_t) <= STAGES * sizeof(stage_t),
              "the list fits");

struct shared_t {
    stage_t stages[STAGES];
    side_t<ROWS> rows;
    side_t<COLS> cols;
    int n_by_verdict[FILTER_PASSED + 1];
    int max_of_tile[EXTREMES];
    int n_depending[FILTER_BINS]; /* pairs of the tile that depend on a bin */
    int n_listed;
};

/* The states of a thread's pairs, four per word. */
typedef unsigned states_t[LANE_ROWS][LANE_COLS / BYTES];

/* @return 1 in each byte of the w-th word of row i whose pair fulfils a test */
template <typename TEST> __device__ unsigned tested(int i, int w, const TEST &test)
{
    unsigned out = 0;

#pragma unroll
    for (int b = 0; b < BYTES; b++)
        out |= test(i, w * BYTES + b) ? 1u << b * 8 : 0;
    return out;
}

/* Call act(word, row, number in the row) for all words of states. */
template <typename DO> __device__ void for_words(states_t &states, const DO &act)
{
#pragma unroll
    for (int i = 0; i < LANE_ROWS; i++)
#pragma unroll
        for (int w = 0; w < LANE_COLS / BYTES; w++)
            act(states[i][w], i, w);
}

/* @return how many of the thread's pairs have a bit set */
__device__ int n_marked(states_t &states, int bit)
{
    int n = 0;

    for_words(states,
              [&](unsigned &state, int, int) { n += __popc(state >> bit & STATES); });
    return n;
}

/* Load what is known of n sequences. Places beyond n get lengths that fit no other. */
template <int N>
__device__ void load_side(const filter_seq_t *seqs, int n, bool are_rows, side_t<N> &out)
{
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        const filter_seq_t &seq = seqs[i < n ? i : 0];
        const filter_demand_t &demand = are_rows ? seq.row : seq.col;

        out.len[i] = i < n ? seq.len : INT32_MIN;
        out.min_good[i] = demand.min_good;
        out.partner_min[i] = i < n ? demand.partner_min : INT32_MAX;
        out.partner_max[i] = demand.partner_max;
        out.dropped[i] = seq.dropped;
        out.excess[i] = seq.excess;
        for (int k = 0; k < FILTER_BINS; k++)
            out.min_good_of_bin[k][i] = seq.min_good.bin[k];
        out.min_good_of_bin[FILTER_BINS][i] = seq.min_good.whole;
    }
}

/* Load the excess windows of the starts and ends of bin k. */
template <int N>
__device__ void load_excess(const filter_seq_t *seqs, int n, int k, side_t<N> &out)
{
    for (int i = threadIdx.x; i < n; i += BLOCK) {
        out.start_excess[i] = seqs[i].end_excess[0][k];
        out.end_excess[i] = seqs[i].end_excess[1][k];
    }
}

/* @return the maximum of a warp's values */
__device__ int warp_max(int value)
{
#ifdef FILTER_HAS_MMA
    return __reduce_max_sync(0xffffffffu, value);
#else
    return cuda_warp_max(value);
#endif
}

/* Find the maxima and minima of the tile's lengths and of the lengths it demands. */
__device__ void find_extremes(const filter_tile_place_t &t, shared_t &s)
{
    const int i = threadIdx.x, row = i < t.n_rows ? i : 0, col = i < t.n_cols ? i : 0;
    const int values[EXTREMES] = {
        s.cols.len[col],          -s.cols.len[col],         s.rows.len[row],
        -s.rows.len[row],         s.rows.partner_min[row],  -s.rows.partner_min[row],
        s.rows.partner_max[row],  -s.rows.partner_max[row], s.cols.partner_min[col],
        -s.cols.partner_min[col],
    };

    static_assert(BLOCK >= COLS && BLOCK >= ROWS, "a thread takes at most one of each");
    if (i < EXTREMES)
        s.max_of_tile[i] = INT32_MIN;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EXTREMES; k++) {
        const int value = warp_max(values[k]);

        if (i % WARP == 0)
            atomicMax(&s.max_of_tile[k], value);
    }
    __syncthreads();
}

/* @return whether the lengths of any pair may fit */
__device__ bool some_fit(const shared_t &s)
{
    return s.max_of_tile[COL_LEN] >= -s.max_of_tile[MINUS_ROW_MIN] &&
           -s.max_of_tile[MINUS_COL_LEN] <= s.max_of_tile[ROW_MAX] &&
           s.max_of_tile[ROW_LEN] >= -s.max_of_tile[MINUS_COL_MIN];
}

/* @return whether every place of the tile holds a pair of the batch whose lengths fit */
__device__ bool all_fit(const filter_tile_launch_t &p, const filter_tile_place_t &t,
                        const shared_t &s)
{
    return t.n_rows == ROWS && t.n_cols == COLS &&
           (!p.triangle || t.row0 + ROWS <= t.col0) &&
           -s.max_of_tile[MINUS_COL_LEN] >= s.max_of_tile[ROW_MIN] &&
           s.max_of_tile[COL_LEN] <= -s.max_of_tile[MINUS_ROW_MAX] &&
           -s.max_of_tile[MINUS_ROW_LEN] >= s.max_of_tile[COL_MIN];
}

/* Set PASSED, for now, for the pairs whose lengths fit. */
__device__ void mark_fits(const filter_tile_launch_t &p, const filter_tile_place_t &t,
                          const shared_t &s, states_t &states)
{
    const lane_rows_t len = rows_of(s.rows.len), min_len = rows_of(s.rows.partner_min);
    const lane_rows_t max_len = rows_of(s.rows.partner_max);
    const lane_cols_t col_len = cols_of(s.cols.len);
    const lane_cols_t col_min = cols_of(s.cols.partner_min);
    const long long before = p.triangle ? t.row0 - t.col0 : -ROWS;

    for_words(states, [&](unsigned &state, int i, int w) {
        state |= tested(i, w,
                        [&](int row, int col) {
                            return (col_len.at[col] >= min_len.at[row]) &
                                   (col_len.at[col] <= max_len.at[row]) &
                                   (len.at[row] >= col_min.at[col]) &
                                   (col_of(col) > before + row_of(row));
                        })
                 << PASSED;
    });
}

/* Set a bit for the pairs that have enough good windows for the row and the column, or
 * for one of them if one_will_do. */
__device__ void mark_good(states_t &states, int bit, sums_t &good, const int *row_needs,
                          const int *col_needs, bool one_will_do)
{
    const lane_rows_t row_need = rows_of(row_needs);
    const lane_cols_t col_need = cols_of(col_needs);

    for_words(states, [&](unsigned &state, int i, int w) {
        state |=
            tested(i, w,
                   [&](int row, int col) {
                       const bool by_row = sum_of(good, row, col) >= row_need.at[row];
                       const bool by_col = sum_of(good, row, col) >= col_need.at[col];

                       return (by_row & by_col) | (one_will_do & (by_row | by_col));
                   })
            << bit;
    });
}

/* Add the smaller number of excess windows to the sums of the pairs. */
__device__ void add_excess(sums_t &sums, const int *row_excess, const int *col_excess)
{
    const lane_rows_t row = rows_of(row_excess);
    const lane_cols_t col = cols_of(col_excess);

#pragma unroll
    for (int i = 0; i < LANE_ROWS; i++)
#pragma unroll
        for (int j = 0; j < LANE_COLS; j++)
            sum_of(sums, i, j) += min(row.at[i], col.at[j]);
}

/* Decide by lengths and whole sequences. @return how many of the thread's pairs have
 * lengths that fit */
__device__ int decide_whole(const filter_tile_launch_t &p, const filter_tile_place_t &t,
                            shared_t &s, sums_t &sums, states_t &states)
{
    int n_fit = LANE_ROWS * LANE_COLS;

    add_excess(sums, s.rows.excess, s.cols.excess);
    mark_good(states, OPEN, sums, s.rows.min_good, s.cols.min_good, p.free_ends);
    if (!all_fit(p, t, s)) {
        mark_fits(p, t, s, states);
        n_fit = n_marked(states, PASSED);
        for_words(states, [&](unsigned &state, int, int) {
            state = (state >> OPEN & state >> PASSED & STATES) << OPEN;
        });
    }
    if (p.end_words == 0) {
        for_words(states, [&](unsigned &state, int, int) {
            state |= (state >> OPEN & STATES) << PASSED;
        });
        return n_fit;
    }
#pragma unroll 1
    for (int k = 0; k <= FILTER_BINS; k++)
        mark_good(states, k, sums, s.rows.min_good_of_bin[k], s.cols.min_good_of_bin[k],
                  true);
    for_words(states, [&](unsigned &state, int, int) {
        state &= (state >> OPEN & STATES) * 0xff;
    });
    return n_fit;
}

/* @return 1 in each byte whose pair has not passed and depends on bin k */
__device__ unsigned depending(unsigned state, int k)
{
    return state >> k & ~(state >> PASSED) & STATES;
}

/* @return how many pairs of the tile depend on bin k */
__device__ int n_depending(shared_t &s, states_t &states, int k)
{
    int n = 0;

    for_words(states,
              [&](unsigned &state, int, int) { n += __popc(depending(state, k)); });
    n = cuda_warp_sum(n);
    if (threadIdx.x % WARP == 0)
        atomicAdd(&s.n_depending[k], n);
    __syncthreads();
    return s.n_depending[k];
}

/* Set PASSED for the pairs that depend on bin k and share enough k-mers at these ends,
 * and NEAR for those that share enough for any bin. */
__device__ void decide_ends(shared_t &s, const int *row_excess, const int *col_excess,
                            int k, sums_t &sums, states_t &states)
{
    const lane_rows_t row_need = rows_of(s.rows.min_good_of_bin[k]);
    const lane_cols_t col_need = cols_of(s.cols.min_good_of_bin[k]);

    add_excess(sums, row_excess, col_excess);
    for_words(states, [&](unsigned &state, int i, int w) {
        const unsigned reach = tested(i, w, [&](int row, int col) {
            return (sum_of(sums, row, col) >= row_need.at[row]) |
                   (sum_of(sums, row, col) >= col_need.at[col]);
        });

        state |= (reach & state >> k) << PASSED;
    });
    mark_good(states, NEAR, sums, s.rows.min_good_of_bin[0], s.cols.min_good_of_bin[0],
              true);
}

/* Clear the bit of bin k, which is decided, and if a pair is not NEAR those of shorter
 * bins. */
__device__ void settle_bin(states_t &states, int k)
{
    for_words(states, [&](unsigned &state, int, int) {
        const unsigned far = ~(state >> NEAR) & STATES;

        state &= ~(far * ((1u << k) - 1) | STATES << k | STATES << NEAR);
    });
}

/* @return the starts (end = 0) or ends (1) of the sequences from `first` on, for bin k */
__device__ vectors_t ends_of(const filter_tile_launch_t &p, long long first, int end,
                             int k)
{
    return {p.ends + ((first * 2 + end) * FILTER_BINS + k) * p.end_words,
            2LL * FILTER_BINS * p.end_words};
}

/* Decide bin k by products of starts and ends. */
__device__ void decide_bin(const filter_tile_launch_t &p, const filter_tile_place_t &t,
                           int k, shared_t &s, sums_t &sums, states_t &states)
{
    load_excess(p.seqs + t.row0, t.n_rows, k, s.rows);
    load_excess(p.seqs + t.col0, t.n_cols, k, s.cols);
#pragma unroll 1
    for (int end = 0; end < 2; end++) {
        count_shared(s.stages, ends_of(p, t.row0, end, k), ends_of(p, t.col0, 1 - end, k),
                     p.end_words, s.rows.dropped, s.cols.dropped, sums);
        decide_ends(s, end == 0 ? s.rows.start_excess : s.rows.end_excess,
                    end == 0 ? s.cols.end_excess : s.cols.start_excess, k, sums, states);
    }
    settle_bin(states, k);
}

/* @return 1 in each byte whose pair has not passed and depends on any bin */
__device__ unsigned depending(unsigned state)
{
    const unsigned bins = state & STATES * BINS;

    return (bins + STATES * BINS) >> PASSED & ~(state >> PASSED) & STATES;
}

/* Call act(word, first bit of the pair's byte, row, column) for all these pairs. */
template <typename DO> __device__ void for_depending(states_t &states, const DO &act)
{
    for_words(states, [&](unsigned &state, int i, int w) {
        for (unsigned left = depending(state); left != 0; left &= left - 1) {
            const int bit = __ffs(static_cast<int>(left)) - 1;

            act(state, bit, row_of(i), col_of(w * BYTES + bit / 8));
        }
    });
}

/* Test the ends of the pairs that still depend on a bin, one pair per LANES lanes. */
__device__ void decide_listed(const filter_tile_launch_t &p, const filter_tile_place_t &t,
                              shared_t &s, states_t &states)
{
    listed_t *const list = reinterpret_cast<listed_t *>(s.stages);
    int n = 0, at;

    for_depending(states, [&](unsigned &, int, int, int) { n++; });
    at = atomicAdd(&s.n_listed, n);
    __syncthreads(); /* the stages are no longer read */
    for_depending(states, [&](unsigned &state, int bit, int row, int col) {
        list[at++] = {static_cast<unsigned char>(row), static_cast<unsigned char>(col),
                      static_cast<unsigned char>(state >> bit & BINS), 0};
    });
    __syncthreads();
    for (int first = threadIdx.x / WARP * (WARP / LANES); first < s.n_listed;
         first += BLOCK / LANES) {
        const int k = first + threadIdx.x % WARP / LANES;
        const listed_t none = {0, 0, 0, 0}, pair = k < s.n_listed ? list[k] : none;
        const bool passes =
            ends_pass<LANES>(p, t.row0 + pair.row, t.col0 + pair.col, pair.bins);

        if (threadIdx.x % LANES == 0 && k < s.n_listed)
            list[k].passes = passes;
    }
    __syncthreads();
    at -= n;
    for_depending(states, [&](unsigned &state, int bit, int, int) {
        state |= static_cast<unsigned>(list[at++].passes) << (bit + PASSED);
    });
}

/* Decide by starts and ends. */
__device__ void decide_bins(const filter_tile_launch_t &p, const filter_tile_place_t &t,
                            shared_t &s, sums_t &sums, states_t &states)
{
    for_words(states, [&](unsigned &state, int, int) { state &= ~(STATES << NEAR); });
#pragma unroll 1
    for (int k = FILTER_BINS - 1; k >= 0; k--)
        if (n_depending(s, states, k) > LISTED)
            decide_bin(p, t, k, s, sums, states);
    decide_listed(p, t, s, states);
}

/* @return pairs of the batch in the tile's row number threadIdx.x */
__device__ int n_pairs_of_row(const filter_tile_launch_t &p, const filter_tile_place_t &t)
{
    const long long before = p.triangle ? t.row0 + threadIdx.x + 1 - t.col0 : 0;

    return threadIdx.x >= t.n_rows || before >= t.n_cols
               ? 0
               : t.n_cols - static_cast<int>(max(before, 0LL));
}

/* Count a warp's pairs with a verdict. */
__device__ void count_verdict(shared_t &s, filter_verdict_t verdict, int n)
{
    n = cuda_warp_sum(n);
    if (threadIdx.x % WARP == 0)
        atomicAdd(&s.n_by_verdict[verdict], n);
}

__device__ void decide_tile(const filter_tile_launch_t &p, const filter_tile_place_t &t,
                            shared_t &s, states_t &states)
{
    sums_t sums;

    load_side(p.seqs + t.row0, t.n_rows, true, s.rows);
    load_side(p.seqs + t.col0, t.n_cols, false, s.cols);
    __syncthreads();
    find_extremes(t, s);
    count_shared(s.stages, {p.whole + t.row0 * p.words, p.words},
                 {p.whole + t.col0 * p.words, p.words}, some_fit(s) ? p.words : 0,
                 s.rows.dropped, s.cols.dropped, sums);
    const int n_fit = decide_whole(p, t, s, sums, states);
    const int n_left = n_marked(states, OPEN);

    if (p.end_words > 0)
        decide_bins(p, t, s, sums, states);
    const int n_passed = n_marked(states, PASSED);

    count_verdict(s, FILTER_BY_LENGTH, n_pairs_of_row(p, t) - n_fit);
    count_verdict(s, FILTER_BY_KMERS, n_fit - n_left);
    count_verdict(s, FILTER_BY_OVERLAP, n_left - n_passed);
    count_verdict(s, FILTER_PASSED, n_passed);
}

/* Write the bits of the pairs that passed. Four lanes share a row of SIDE columns. */
__device__ void write_bits(const filter_tile_launch_t &p, const filter_tile_rect_t &r,
                           const filter_tile_place_t &t, const states_t &states)
{
    const int quarter = threadIdx.x % 4;

#pragma unroll
    for (int i = 0; i < LANE_ROWS; i++) {
        unsigned words[SIDE / 32] = {};

#pragma unroll
        for (int j = 0; j < LANE_COLS; j++)
            if (states[i][j / BYTES] >> (j % BYTES * 8 + PASSED) & 1)
                words[j / LANE_WORD] |= 1u << col_of(j) % 32;
#pragma unroll
        for (int w = 0; w < SIDE / 32; w++) {
            const long long at = (t.col0 - r.at.col0 + col_of(0) / SIDE * SIDE) / 32 + w;

            words[w] |= __shfl_xor_sync(0xffffffffu, words[w], 1);
            words[w] |= __shfl_xor_sync(0xffffffffu, words[w], 2);
            if (quarter == w && row_of(i) < t.n_rows && at < r.words)
                p.bits[r.word_start + (t.row0 - r.at.row0 + row_of(i)) * r.words + at] =
                    words[w];
        }
    }
}

__global__ void __launch_bounds__(BLOCK, BLOCKS)
    decide_by_products(const filter_tile_launch_t p)
{
    extern __shared__ uint4 memory[];
    shared_t &s = *reinterpret_cast<shared_t *>(memory);
    const long long tile = blockIdx.x;
    const filter_tile_rect_t &r =
        p.rects[filter_tile_rect_of<&filter_tile_rect_t::tile_start>(p.rects, p.n_rects,
                                                                     tile)];
    const filter_tile_place_t t = filter_tile_place<ROWS, COLS>(r, tile - r.tile_start);
    states_t states = {};

    if (threadIdx.x <= FILTER_PASSED)
        s.n_by_verdict[threadIdx.x] = 0;
    if (threadIdx.x < FILTER_BINS)
        s.n_depending[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        s.n_listed = 0;
    __syncthreads();
    if (filter_tile_some(p, t)) {
        decide_tile(p, t, s, states);
        __syncthreads();
        filter_tile_count(p, s.n_by_verdict);
    }
    write_bits(p, r, t, states);
}

status_t launch_products(const filter_tile_launch_t &launch, unsigned n_tiles,
                         cudaStream_t stream)
{
    decide_by_products<<<n_tiles, BLOCK, sizeof(shared_t), stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}

} // namespace

status_t filter_mma_prepare(bool *runs)
{
    cudaFuncAttributes attributes;
    status_t st = CUDA_TRY(cudaFuncGetAttributes(&attributes, decide_by_products));

    if (st != ST_OK)
        return st;
    *runs = attributes.ptxVersion >= FILTER_MMA_CAPABILITY;
    if (!*runs)
        return ST_OK;
    return CUDA_TRY(cudaFuncSetAttribute(decide_by_products,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         sizeof(shared_t)));
}

const filter_kernel_t filter_mma_kernel = {ROWS, COLS, STEP, launch_products};
