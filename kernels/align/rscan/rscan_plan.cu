/*
 * rscan_plan.cu - orders the pairs of a round by sorting one key per pair.
 *
 * key_kernel: one thread per pair.  From its highest bits a key holds the kind (3 bits),
 * whether the whole matrix or a wide band is swept, which takes longest, the rows and the
 * difference of both lengths, in steps of 16 bases, and the width of the band, in steps
 * of 4; so the pairs of a warp differ little in any of these.  Bands of windows lie
 * anywhere: of these the middle diagonal takes the place of the difference. With by_rows
 * the sequence of the rows follows their number, then whether there are codes, and the
 * columns take the place of the difference.  Values that a field cannot hold are clamped,
 * which costs only speed.
 */
#include "kernels/align/rscan/rscan_plan.cuh"

#include <climits>

namespace
{

constexpr int BLOCK = 256, STEP = 16, BAND_STEP = 4;
constexpr int KIND_BITS = 3, WIDE_BITS = 1, WIDE_DIVISOR = 4, ROW_BITS = 9,
              SEQUENCE_BITS = 25, SKEW_BITS = 9, BAND_BITS = 11;
static_assert(KIND_BITS + WIDE_BITS + ROW_BITS + SEQUENCE_BITS + SKEW_BITS + BAND_BITS <=
                  PAIR_ORDER_BITS,
              "keys are sorted by all of their bits");

__device__ inline unsigned field(int value, int step, int bits)
{
    return static_cast<unsigned>(min(value / step, (1 << bits) - 1));
}

/* @return whether a kind's layout holds a pair.  Cells of a pair need no more bits than
 *         those of two sequences of (m + n) / 2 bases (rscan_layout.cu). */
__device__ inline bool holds(const rscan_plan_args_t &s, int kind, int m, int n)
{
    return m + n <= 2 * s.max_len[kind] || min(m, n) <= s.long_len[kind];
}

/* @return the kind of a pair of m and n bases */
__device__ inline int kind_of(const rscan_plan_args_t &s, const pair_t &pair, int m,
                              int n)
{
    const int longer = max(m, n);
    const bool q_codes = s.has_ambiguity[pair.query] != 0;
    const bool t_codes = s.has_ambiguity[pair.target] != 0;
    const bool ambiguous_rows = q_codes && (s.query_rows || t_codes);

    if (s.exact)
        return RSCAN_SETS64;
    if (s.score_only)
        return !ambiguous_rows && longer <= s.max_len[RSCAN_SCORE2] ? RSCAN_SCORE2
                                                                    : RSCAN_SETS;
    for (int kind = RSCAN_KEY; kind <= RSCAN_KEY_LONG; kind++) {
        const bool is_long =
            m + n > 2 * s.max_len[kind]; /* the rows are the longer one */

        if (holds(s, kind, m, n) &&
            !(is_long ? (m > n ? q_codes : t_codes) : ambiguous_rows))
            return kind;
    }
    return RSCAN_SETS;
}

/* @return whether a pair's band is to find a score */
__device__ inline bool has_first_band(const rscan_plan_args_t &s, unsigned at)
{
    return s.first_bands && (s.banded == nullptr || s.banded[at] != 0);
}

/* @return w of a pair's band, or a negative number for the whole matrix */
__device__ inline int width_of(const rscan_plan_args_t &s, unsigned at, int m, int n)
{
    if (has_first_band(s, at))
        return score_band_first(&s.score_band, m, n);
    if (s.score_bands)
        return score_band_proved(&s.score_band, m, n, s.score[at]);
    if (s.first_bands)
        return BAND_WIDTH_NONE;
    const int64_t cost = s.prove_bands ? static_cast<int64_t>(s.match_score) * (m + n) -
                                             INT64_C(2) * s.score[at]
                                       : 0;
    const int64_t w = s.guess_bands
                          ? edit_band_guess(s.costs, s.edits[at], m, n)
                          : edit_band_proved(s.costs, s.edits[at], abs(m - n), cost);

    return static_cast<int>(min(w, static_cast<int64_t>(SHRT_MAX)));
}

/* @return the difference of both lengths, or of a window the middle of its band, from the
 *         least one on */
__device__ inline int skew_of(const rscan_plan_args_t &s, unsigned at, int m, int n)
{
    if (s.windows == nullptr)
        return max(m, n) - min(m, n);
    const rscan_band_t band = s.windows[at];
    const int middle = (band.high - band.low) / 2;

    return max((m > n ? -middle : middle) + (STEP << (SKEW_BITS - 1)), 0);
}

/* @return the columns of a row that are swept: of the band of a pair, or of its matrix */
__device__ inline int columns_of(const rscan_plan_args_t &s, int m, int n, int w)
{
    const int skew = s.windows == nullptr ? abs(m - n) : 0;

    return w < 0 ? max(m, n) : min(2 * w + skew, max(m, n));
}

/* @return about the cells that are swept */
__device__ inline long long cells_of(const rscan_plan_args_t &s, int m, int n, int w)
{
    return static_cast<long long>(min(m, n)) * columns_of(s, m, n, w);
}

/* @return whether the whole matrix of a pair is swept, or a large part */
__device__ inline bool is_wide(const rscan_plan_args_t &s, int m, int n, int w)
{
    return columns_of(s, m, n, w) > min(m, n) / WIDE_DIVISOR;
}

/* @return the key of a pair of m and n bases. @param w  of its band; < 0: none */
__device__ inline pair_order_key_t key_of(const rscan_plan_args_t &s, unsigned at,
                                          int kind, int m, int n, int w)
{
    const pair_t pair = s.pairs[at];
    const bool q_codes = s.has_ambiguity[pair.query] != 0,
               t_codes = s.has_ambiguity[pair.target] != 0;
    const bool swapped = s.by_rows && !s.query_rows && q_codes && !t_codes;
    const unsigned band = w < 0 ? (1u << BAND_BITS) - 1 : field(w, BAND_STEP, BAND_BITS);
    const unsigned columns =
        field(s.by_rows ? (swapped ? m : n) : skew_of(s, at, m, n), STEP, SKEW_BITS);
    unsigned sequence = 0;
    int rows = s.query_rows ? m : min(m, n);

    if (s.by_rows) {
        rows = swapped ? n : m;
        sequence = field(swapped ? pair.target : pair.query, 1, SEQUENCE_BITS - 1) << 1 |
                   static_cast<unsigned>(!q_codes && !t_codes);
    }
    pair_order_key_t key = static_cast<pair_order_key_t>(RSCAN_KINDS - kind);

    key = key << WIDE_BITS | static_cast<unsigned>(is_wide(s, m, n, w));
    key = key << ROW_BITS | field(rows, STEP, ROW_BITS);
    key = key << SEQUENCE_BITS | sequence;
    key = key << SKEW_BITS | columns;
    return key << BAND_BITS | band;
}

__global__ void __launch_bounds__(BLOCK)
    key_kernel(rscan_plan_args_t s, long long n, const unsigned *list,
               const int *n_listed, short *band_w, unsigned long long *n_banded,
               int *n_of_kind, pair_order_key_t *keys, unsigned *values)
{
    const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
    const bool used = i < n && (list == nullptr || i < *n_listed);
    bool is_banded = false;
    int kind = RSCAN_KINDS, w = -1;

    if (used) {
        const unsigned at = list == nullptr ? static_cast<unsigned>(i) : list[i];
        const pair_t pair = s.pairs[at];
        const int a = s.set.len[pair.query], b = s.set.len[pair.target];

        if (s.known_bands)
            w = band_w[at];
        if (s.guess_bands || s.prove_bands || s.first_bands || s.score_bands) {
            w = width_of(s, at, a, b);
            band_w[at] = static_cast<short>(w);
            is_banded = w >= 0 && (s.guess_bands || has_first_band(s, at));
        }
        const bool guarded = s.banded != nullptr && s.banded[at] != 0 && !s.first_bands;

        if (guarded)
            w = 0; /* bands of one width */
        if (s.windows != nullptr)
            w = s.windows[at].low + s.windows[at].high;
        if (is_banded || guarded || !s.only_banded)
            kind = kind_of(s, pair, a, b);
        if (s.max_cells > 0 && kind >= RSCAN_SETS && kind < RSCAN_KINDS &&
            cells_of(s, a, b, w) > s.max_cells)
            kind = RSCAN_KEY_LONG;
        keys[i] = key_of(s, at, kind, a, b, w);
        values[i] = at;
    } else if (i < n) {
        keys[i] = 0; /* sorts behind all others */
        values[i] = 0;
    }
    pair_order_count<RSCAN_KINDS>(n_of_kind, kind);
    if (s.guess_bands || s.first_bands) {
        const unsigned banded = __ballot_sync(0xffffffffu, is_banded);

        if (threadIdx.x % 32 == 0 && banded != 0)
            atomicAdd(n_banded, static_cast<unsigned long long>(__popc(banded)));
    }
}

} // namespace

status_t rscan_plan(const pair_order_t &plan, const rscan_plan_args_t &args, int64_t n,
                    rscan_list_t list, short *band_w, unsigned long long *n_banded,
                    int *n_of_kind, cudaStream_t stream, const unsigned **order)
{
    const unsigned n_blocks = static_cast<unsigned>((n + BLOCK - 1) / BLOCK);
    status_t st;

    key_kernel<<<n_blocks, BLOCK, 0, stream>>>(args, n, list.pairs, list.n, band_w,
                                               n_banded, n_of_kind, plan.keys[0],
                                               plan.values[0]);
    st = CUDA_TRY(cudaGetLastError());
    return st == ST_OK ? pair_order_sort(plan, n, stream, order) : st;
}
