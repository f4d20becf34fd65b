/*
 * rscan_corridor_kernel.cu - the kernel of rscan for pairs with a corridor
 * (corridor.cuh): one alignment per thread.
 *
 * As in rscan_kernel.cu a thread holds ROWS rows at a time.  It sweeps them over the
 * columns of its own pair's corridor, which need not be those of the other lanes: as many
 * as the lane with the most columns has.  The last of these rows goes through shared
 * memory to the next ROWS rows.  A thread has room there for CORRIDOR_WIDTH columns, in
 * which column j is at j modulo CORRIDOR_WIDTH.
 *
 * Cells beside the corridor are taken to be 0 or the value of the border, which gaps
 * attain.  Cells that are computed beside it have at most their values.
 */
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/rscan/rscan_thread.cuh"

namespace
{

constexpr int RING_BYTES =
    CORRIDOR_WIDTH * RSCAN_BLOCK * static_cast<int>(sizeof(unsigned));

static_assert(CORRIDOR_WIDTH % QUAD == 0, "a quad of columns is in one piece");

/* The columns of a strip of rows, including pads: multiples of QUAD. */
struct strip_t {
    int from, width;
};

/* The rows of the thread that were swept before these, and the corridor of its pair. */
struct corridor_state_t {
    const corridor_block_t *blocks;
    bool swapped; /* the rows are the target's bases */
    int at;       /* of corridor_strip */
    strip_t above;
};

/* @return the columns of the corridor in the rows from row0 on */
template <int ROWS>
__device__ inline strip_t strip_of(const packed_pairs_t &packed, int row0,
                                   corridor_state_t &c)
{
    const padded_pair_t &pair = packed.pairs[0];
    const int first = row0 - pair.row_pads;
    const corridor_strip_t strip =
        corridor_strip(c.blocks, c.swapped ? pair.n : pair.m, c.swapped ? pair.m : pair.n,
                       c.swapped, max(first, 0), first + ROWS, &c.at);

    if (strip.from > strip.to)
        return strip_t{0, 0};
    /* column j of the pair is behind its base j - 1 */
    const int from = max(strip.from - 1 + pair.column_pads, 0) / QUAD * QUAD;
    const int to = (strip.to + pair.column_pads + QUAD - 1) / QUAD * QUAD;

    return strip_t{from, to - from};
}

/* @return the thread's cells of a column */
__device__ inline unsigned *ring_at(unsigned *ring, int column)
{
    return ring + column % CORRIDOR_WIDTH * RSCAN_BLOCK;
}

template <int KIND, bool PADS, bool LAST>
__device__ void sweep_strip(const rscan_launch_t &p, const unsigned *table,
                            const packed_pairs_t &packed, thread_t<KIND> &s, strip_t here,
                            strip_t above, unsigned *ring)
{
    const columns_t columns = columns_of(packed);
    const int n_pads = packed.pairs[0].row_pads - s.row0;
    unsigned *at = ring_at(ring, here.from);
    uint2 next = offsets_at<KIND, true>(columns, here.from);

    for (int j = here.from; j < here.from + here.width; j += QUAD) {
        const bool known =
            static_cast<unsigned>(j - above.from) < static_cast<unsigned>(above.width);
        const uint2 letters = next;
        unsigned up[QUAD];

        if (j + QUAD < packed.n_columns)
            next = offsets_at<KIND, true>(columns, j + QUAD);
#pragma unroll
        for (int i = 0; i < QUAD; i++)
            up[i] = known ? at[i * RSCAN_BLOCK] : 0;
#pragma unroll
        for (int i = 0; i < QUAD; i++) {
            if (kind_t<KIND>::SETS && j + i < columns.pads[0]) {
                s.diagonal = up[i]; /* a pad: cells pass unchanged */
                at[i * RSCAN_BLOCK] = s.left[tuning_t<KIND>::ROWS - 1];
                continue;
            }
            step_column<KIND, tuning_t<KIND>::ROWS, PADS>(
                p, s.rows, s.left, s.diagonal, up[i],
                column_of<KIND>(table, letters.x, letters.y, i), n_pads);
            at[i * RSCAN_BLOCK] = up[i];
            if (LAST)
                end_in_row<KIND, tuning_t<KIND>::ROWS>(p, packed, s, up[i], j + i, 0);
        }
        at += QUAD * RSCAN_BLOCK;
        if (at == ring + CORRIDOR_WIDTH * RSCAN_BLOCK)
            at = ring;
    }
}

/* Sweep the rows from s.row0 on. */
template <int KIND>
__device__ void sweep_rows(const rscan_launch_t &p, const unsigned *table,
                           const packed_pairs_t &packed, thread_t<KIND> &s, strip_t here,
                           corridor_state_t &c, unsigned *ring)
{
    constexpr int ROWS = tuning_t<KIND>::ROWS;
    constexpr bool SETS = kind_t<KIND>::SETS;

    if (s.row0 == 0) {
        for (int j = here.from; j < here.from + here.width; j++)
            *ring_at(ring, j) =
                borders<KIND, &padded_pair_t::column_pads>(p, packed, j + 1, false);
        c.above = here;
    }
    const int before = here.from - 1;

    s.rows = rows_of<KIND, ROWS>(packed, s.row0);
    if (here.from > 0) {
        s.diagonal = static_cast<unsigned>(before - c.above.from) <
                             static_cast<unsigned>(c.above.width)
                         ? *ring_at(ring, before)
                         : 0;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            s.left[r] = 0;
    } else {
        s.diagonal = borders<KIND, &padded_pair_t::row_pads>(p, packed, s.row0, false);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            s.left[r] =
                borders<KIND, &padded_pair_t::row_pads>(p, packed, s.row0 + r + 1, false);
    }
    if (s.row0 + ROWS >= packed.n_rows)
        sweep_strip<KIND, SETS, true>(p, table, packed, s, here, c.above, ring);
    else if (SETS && s.row0 < packed.pairs[0].row_pads)
        sweep_strip<KIND, SETS, false>(p, table, packed, s, here, c.above, ring);
    else
        sweep_strip<KIND, false, false>(p, table, packed, s, here, c.above, ring);
    if (here.from + here.width == packed.n_columns)
        end_in_column<KIND, ROWS>(p, packed, s, 0);
    c.above = here;
}

/* Align pair k of the n pairs of the kind. */
template <int KIND>
__device__ void align_pair(const rscan_launch_t &p, const unsigned *table, int n, int k,
                           unsigned *ring)
{
    constexpr int ROWS = tuning_t<KIND>::ROWS;
    packed_pairs_t packed = pack_pairs<KIND, false>(p, first_of(p), n, k, ROWS);
    const int n_left = n - k;
    const padded_pair_t &pair = packed.pairs[0];
    corridor_state_t c = {p.corridors +
                              static_cast<long long>(pair.index) * p.n_corridor_blocks,
                          !rows_are_query(p, pair),
                          0,
                          {0, 0}};
    thread_t<KIND> s;

    packed.max_pads = cuda_warp_max(packed.max_pads);
    start_ends(p, packed, s);
    /* all lanes end at the same time */
    for (s.row0 = packed.n_rows - cuda_warp_max(packed.n_rows);
         __any_sync(ALL, s.row0 < packed.n_rows); s.row0 += ROWS) {
        strip_t here = s.row0 < 0 ? strip_t{0, 0} : strip_of<ROWS>(packed, s.row0, c);

        here.width = cuda_warp_max(here.width);
        here.from = max(min(here.from, packed.n_columns - here.width), 0);
        if (s.row0 >= 0)
            sweep_rows<KIND>(p, table, packed, s, here, c, ring);
        __syncwarp();
    }
    if (n_left > 0)
        store_results(p, packed, s, n_left);
}

template <int KIND>
__global__ void __launch_bounds__(RSCAN_BLOCK, tuning_t<KIND>::BLOCKS)
    corridor_kernel(const rscan_launch_t p)
{
    extern __shared__ unsigned rings[];
    __shared__ table_t<KIND> table;

    if (!kind_t<KIND>::SETS)
        fill_table<KIND>(p, table.at, threadIdx.x, blockDim.x);
    __syncthreads();
    for (;;) {
        const int k = take_pairs(p, WARP);

        if (k >= p.n_of_kind[p.kind])
            return;
        align_pair<KIND>(p, table.at, p.n_of_kind[p.kind],
                         k + static_cast<int>(threadIdx.x) % WARP, rings + threadIdx.x);
        __syncwarp();
    }
}

using kernel_t = void (*)(const rscan_launch_t);

kernel_t kernel_of(int kind)
{
    return kind == RSCAN_SETS ? corridor_kernel<RSCAN_SETS> : corridor_kernel<RSCAN_KEY>;
}

} // namespace

status_t rscan_corridor_blocks(int kind, const device_t *device, int *out)
{
    return cuda_occupancy_shared_blocks(kernel_of(kind), RSCAN_BLOCK, RING_BYTES, device,
                                        out);
}

status_t rscan_corridor_run(int kind, const rscan_launch_t &launch, int n_blocks,
                            cudaStream_t stream)
{
    kernel_of(kind)<<<n_blocks, RSCAN_BLOCK, RING_BYTES, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
