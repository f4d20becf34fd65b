/*
 * rscan_plan.cu - orders the pairs of a round by sorting one key per pair.
 *
 * key_kernel: one thread per pair.  From its highest bits a key holds the kind (3 bits),
 * whether the whole matrix or a wide band is swept, which takes longest, the rows and the
 * difference of both lengths, in steps, and the width of the band, in steps of 4; so the
 * pairs of a warp differ little in any of these.  Rows are rounded up to steps that a
 * thread holds, so that those of a warp have pads in their first strip alone.  The rest
 * of the difference follows: a warp sweeps the union of its bands.  Bands of windows lie
 * anywhere: of these the middle diagonal takes the place of the difference. With by_rows
 * the sequence of the rows follows their number, then whether there are codes, and the
 * columns take the place of the difference.  Values that a field cannot hold are clamped,
 * which costs only speed.
 */
#include "kernels/align/rscan/rscan_plan.cuh"

#include <cassert>

namespace
{

constexpr int BLOCK = 256, STEP = 16, BAND_STEP = 4;
constexpr int KIND_BITS = 3, WIDE_BITS = 1, WIDE_DIVISOR = 4, ROW_BITS = 9,
              SEQUENCE_BITS = 25, SKEW_BITS = 9, BAND_BITS = 11, REST_BITS = 4;
static_assert(STEP == 1 << REST_BITS, "the rest of a difference has a field");
static_assert(KIND_BITS + WIDE_BITS + ROW_BITS + SEQUENCE_BITS + SKEW_BITS + BAND_BITS +
                      REST_BITS <=
                  PAIR_ORDER_BITS,
              "keys are sorted by all of their bits");

__device__ inline unsigned field(int value, int step, int bits)
{
    return static_cast<unsigned>(min(value / step, (1 << bits) - 1));
}

/* @return the difference of both lengths, or of a window the middle of its band, from the
 *         least one on */
__device__ inline int skew_of(const rscan_launch_t &l, unsigned at, int m, int n)
{
    if (l.variant.bands != RSCAN_BANDS_WINDOWS)
        return max(m, n) - min(m, n);
    const rscan_band_t band = l.bound_band[at];
    const int middle = (band.high - band.low) / 2;

    return max((m > n ? -middle : middle) + (STEP << (SKEW_BITS - 1)), 0);
}

/* @return whether the whole matrix of a pair is swept, or a large part */
__device__ inline bool is_wide(const rscan_variant_t &v, int m, int n, int w)
{
    return rscan_plan_columns(v, m, n, w) > min(m, n) / WIDE_DIVISOR;
}

/* @return the key of a pair of m and n bases @param row_step  as rscan_plan_args_t */
__device__ inline pair_order_key_t key_of(const rscan_launch_t &l, int row_step,
                                          unsigned at, const rscan_planned_t &planned,
                                          int m, int n)
{
    const rscan_variant_t &v = l.variant;
    const pair_t pair = l.pairs[at];
    const bool q_codes = l.set.has_ambiguity[pair.query] != 0,
               t_codes = l.set.has_ambiguity[pair.target] != 0;
    const bool swapped = v.by_rows && !v.query_rows && q_codes && !t_codes;
    const int w = planned.w;
    const unsigned band = w < 0 ? (1u << BAND_BITS) - 1 : field(w, BAND_STEP, BAND_BITS);
    const int columns = v.by_rows ? (swapped ? m : n) : skew_of(l, at, m, n);
    unsigned sequence = 0;
    int rows = v.query_rows ? m : min(m, n);

    if (v.by_rows) {
        rows = swapped ? n : m;
        sequence = field(swapped ? pair.target : pair.query, 1, SEQUENCE_BITS - 1) << 1 |
                   static_cast<unsigned>(!q_codes && !t_codes);
    }
    pair_order_key_t key = static_cast<pair_order_key_t>(RSCAN_KINDS - planned.kind);

    key = key << WIDE_BITS | static_cast<unsigned>(is_wide(v, m, n, w));
    key = key << ROW_BITS | field(rows + row_step - 1, row_step, ROW_BITS);
    key = key << SEQUENCE_BITS | sequence;
    key = key << SKEW_BITS | field(columns, STEP, SKEW_BITS);
    key = key << BAND_BITS | band;
    return key << REST_BITS | static_cast<unsigned>(columns % STEP);
}

__global__ void __launch_bounds__(BLOCK)
    key_kernel(const __grid_constant__ rscan_launch_t l, rscan_plan_args_t s, long long n,
               rscan_list_t list, unsigned long long *n_banded, pair_order_key_t *keys,
               unsigned *values)
{
    const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
    const bool used = i < n && (list.pairs == nullptr || i < *list.n);
    rscan_planned_t planned = {RSCAN_KINDS, -1, false};

    if (used) {
        const unsigned at =
            list.pairs == nullptr ? static_cast<unsigned>(i) : list.pairs[i];
        const pair_t pair = l.pairs[at];
        const int a = l.set.len[pair.query], b = l.set.len[pair.target];

        planned = rscan_plan_pair(l, s, at, a, b);
        if (rscan_plan_writes(l.variant.bands))
            l.band_w[at] = static_cast<short>(planned.w);
        keys[i] = key_of(l, s.row_step, at, planned, a, b);
        values[i] = at;
    } else if (i < n) {
        keys[i] = 0; /* sorts behind all others */
        values[i] = 0;
    }
    pair_order_count<RSCAN_KINDS>(l.n_of_kind, planned.kind);
    const unsigned banded = __ballot_sync(0xffffffffu, planned.counts);

    if (threadIdx.x % 32 == 0 && banded != 0)
        atomicAdd(n_banded, static_cast<unsigned long long>(__popc(banded)));
}

} // namespace

status_t rscan_plan(const pair_order_t &plan, const rscan_launch_t &launch,
                    const rscan_plan_args_t &args, int64_t n, rscan_list_t list,
                    unsigned long long *n_banded, cudaStream_t stream,
                    const unsigned **order)
{
    const unsigned n_blocks = static_cast<unsigned>((n + BLOCK - 1) / BLOCK);
    status_t st;

    assert(rscan_variant_is_valid(launch));
    key_kernel<<<n_blocks, BLOCK, 0, stream>>>(launch, args, n, list, n_banded,
                                               plan.keys[0], plan.values[0]);
    st = CUDA_TRY(cudaGetLastError());
    return st == ST_OK ? pair_order_sort(plan, n, stream, order) : st;
}
