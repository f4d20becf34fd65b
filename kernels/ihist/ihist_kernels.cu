/*
 * ihist_kernels.cu - integral histograms of whole frames on a GPU, by three methods.
 *
 *  - look-back: one launch.  Blocks take tiles in turn, along anti-diagonals, and find
 *    what is left of a tile and above it by looking back: at the counts of the tiles
 *    before it, 32 at a time, until one has published its sum with all before it.
 *  - wf-tiled: a launch per anti-diagonal, a block per tile.  Each row's counts left of
 *    the tiles to come are kept aside; what is above is the last row of the tile there.
 *  - cw-tiledhv: a launch per column of tiles, which sums up rows, and then one per row
 *    of tiles, which sums up columns, from what the first have stored.
 *
 * The last two are those of Poostchi et al. (arXiv:1711.01919), which store a plane per
 * bin; here bins of a pixel follow each other, so that threads of neighbouring bins store
 * one after the other.
 */
#include "kernels/ihist/ihist_tile.cuh"
#include "kernels/sync/sync_flag.cuh"

#include <algorithm>

namespace
{

constexpr int LARGE = 64, SMALL = 32, WARP = 32;

/* Blocks of look-back that a multiprocessor holds. */
constexpr int RESIDENT = 4;

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <int SIDE> __device__ ihist_shared_t<SIDE> *shared_memory()
{
    return reinterpret_cast<ihist_shared_t<SIDE> *>(shared_bytes);
}

/* ---- look-back ---- */

/* Four bins of a row or column: threads own QUADS of them. */
template <int SIDE> constexpr int QUADS = SIDE *IHIST_GROUP_WORDS / IHIST_THREADS;

__device__ void add(int4 *sum, const int4 &v)
{
    sum->x += v.x;
    sum->y += v.y;
    sum->z += v.z;
    sum->w += v.w;
}

__device__ int4 unpacked(uint32_t w)
{
    return make_int4(w & 0xff, w >> 8 & 0xff, w >> 16 & 0xff, w >> 24);
}

/* Wait for the tiles before one, of which there are n_before, until all before some tile
 * are known: a warp looks at a tile per lane.
 * @param flag  of the tile, `step` flags behind that of the tile before */
template <int SIDE>
__device__ ihist_back_t look_back_from(const int *flag, int64_t step, int n_before,
                                       ihist_shared_t<SIDE> *s)
{
    const int lane = static_cast<int>(threadIdx.x);

    __syncthreads();
    if (lane < WARP) {
        unsigned ends = 0;
        int first = 1;

        for (; ends == 0 && first <= n_before; first += WARP) {
            const int back = first + lane;
            int state = 2;

            if (back <= n_before) {
                sync_flag_wait(flag - back * step, 1);
                state = sync_flag_read(flag - back * step);
            }
            ends = __ballot_sync(0xffffffffu, state == 2);
        }
        if (lane == 0) {
            const int end = ends == 0 ? n_before + 1 : first - WARP + __ffs(ends) - 1;

            s->back = {min(end, n_before), end <= n_before ? end : 0};
        }
    }
    __syncthreads();
    return s->back;
}

/* Publish what all threads have written. */
__device__ void publish(int *flag, int state)
{
    __syncthreads();
    if (threadIdx.x == 0)
        sync_flag_raise(flag, state);
}

/* Find the counts of each row left of a tile, and publish them with its own. */
template <int SIDE>
__device__ void look_left(const ihist_messages_t &m, const ihist_place_t &p, int64_t item,
                          ihist_shared_t<SIDE> *s)
{
    int4 sum[QUADS<SIDE>] = {};
    const ihist_back_t to = look_back_from<SIDE>(&m.row_flag[item], 1, p.x, s);

#pragma unroll 4
    for (int back = 1; back <= to.n; back++)
#pragma unroll
        for (int k = 0; k < QUADS<SIDE>; k++) {
            const int64_t at = (item - back) * SIDE * IHIST_GROUP_WORDS + threadIdx.x +
                               k * IHIST_THREADS;

            add(&sum[k], back != to.whole
                             ? unpacked(__ldcg(&m.row_counts[at]))
                             : __ldcg(reinterpret_cast<const int4 *>(m.row_sums) + at));
        }
#pragma unroll
    for (int k = 0; k < QUADS<SIDE>; k++) {
        const int at = static_cast<int>(threadIdx.x) + k * IHIST_THREADS;

        reinterpret_cast<int4 *>(s->left)[at] = sum[k];
        add(&sum[k], unpacked((&s->row[0][0])[at]));
        __stcg(reinterpret_cast<int4 *>(m.row_sums) + item * SIDE * IHIST_GROUP_WORDS +
                   at,
               sum[k]);
    }
    publish(&m.row_flag[item], 2);
}

/* The last row of a tile in the result, four bins at a time; those of no bin are 0. */
template <int SIDE, int VEC>
__device__ int4 read_last(const ihist_launch_t &a, const ihist_place_t &p, int y, int x,
                          int bin)
{
    const int32_t *from = ihist_at(a, p, y * SIDE + SIDE - 1, p.x * SIDE + x, bin);
    const int n = p.n_bins - bin;

    if (n <= 0)
        return make_int4(0, 0, 0, 0);
    if constexpr (VEC == 4)
        return __ldcg(reinterpret_cast<const int4 *>(from));
    else
        return make_int4(__ldcg(from), n > 1 ? __ldcg(from + 1) : 0,
                         n > 2 ? __ldcg(from + 2) : 0, n > 3 ? __ldcg(from + 3) : 0);
}

template <int SIDE, int VEC>
__device__ void write_last(const ihist_launch_t &a, const ihist_place_t &p, int x,
                           int bin, const int4 &v)
{
    int32_t *to = ihist_at(a, p, p.y * SIDE + SIDE - 1, p.x * SIDE + x, bin);
    const int n = p.n_bins - bin;
    const int32_t all[] = {v.x, v.y, v.z, v.w};

    if constexpr (VEC == 4) {
        if (n > 0)
            __stcg(reinterpret_cast<int4 *>(to), v);
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (i < n)
                __stcg(to + i, all[i]);
    }
}

/* Find P above a tile, and publish that of its last row, which is a part of the result.
 */
template <int SIDE, int VEC>
__device__ void look_up(const ihist_launch_t &a, const ihist_place_t &p, int64_t item,
                        int across, ihist_shared_t<SIDE> *s)
{
    const ihist_messages_t &m = a.messages;
    constexpr int BANDS = ihist_shared_t<SIDE>::BANDS;
    int4 *counts = reinterpret_cast<int4 *>(m.column_counts);
    int4 own[QUADS<SIDE>], sum[QUADS<SIDE>] = {};

#pragma unroll
    for (int k = 0; k < QUADS<SIDE>; k++) {
        const int at = static_cast<int>(threadIdx.x) + k * IHIST_THREADS;
        const int x = at / IHIST_GROUP_WORDS, b = at % IHIST_GROUP_WORDS * 4;
        const uint16_t *alone = &s->band[BANDS - 1][x][b];
        const int32_t *left = &s->band_left[BANDS][b];

        own[k] = make_int4(alone[0] + left[0], alone[1] + left[1], alone[2] + left[2],
                           alone[3] + left[3]);
        __stcg(counts + item * SIDE * IHIST_GROUP_WORDS + at, own[k]);
    }
    publish(&m.column_flag[item], 1);
    const ihist_back_t to = look_back_from<SIDE>(&m.column_flag[item], across, p.y, s);
#pragma unroll 4
    for (int back = 1; back <= to.n; back++)
#pragma unroll
        for (int k = 0; k < QUADS<SIDE>; k++) {
            const int64_t other = item - static_cast<int64_t>(back) * across;
            const int at = static_cast<int>(threadIdx.x) + k * IHIST_THREADS;

            add(&sum[k],
                back != to.whole
                    ? __ldcg(counts + other * SIDE * IHIST_GROUP_WORDS + at)
                    : read_last<SIDE, VEC>(a, p, p.y - back, at / IHIST_GROUP_WORDS,
                                           at % IHIST_GROUP_WORDS * 4));
        }
#pragma unroll
    for (int k = 0; k < QUADS<SIDE>; k++) {
        const int at = static_cast<int>(threadIdx.x) + k * IHIST_THREADS;

        reinterpret_cast<int4 *>(s->above)[at] = sum[k];
        add(&own[k], sum[k]);
        write_last<SIDE, VEC>(a, p, at / IHIST_GROUP_WORDS, at % IHIST_GROUP_WORDS * 4,
                              own[k]);
    }
    publish(&m.column_flag[item], 2);
}

/* Tickets go through all frames and groups before the next tile: what a tile waits for
 * was begun long before. */
template <int SIDE, int VEC>
__global__ void __launch_bounds__(IHIST_THREADS, RESIDENT)
    look_back_kernel(const ihist_launch_t a)
{
    ihist_shared_t<SIDE> *s = shared_memory<SIDE>();
    const ihist_grid_t &g = a.grid;
    const ihist_messages_t &m = a.messages;
    const int64_t n_alike = static_cast<int64_t>(a.n_frames) * g.n_groups;
    const int64_t n = n_alike * g.across * g.down;

    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            s->ticket = static_cast<int>(atomicAdd(m.next, 1u));
        __syncthreads();
        if (s->ticket >= n)
            break;
        const uint32_t tile = m.in_turn[s->ticket / n_alike];
        const int alike = static_cast<int>(s->ticket % n_alike);
        const ihist_place_t p = ihist_place(a, alike / g.n_groups, alike % g.n_groups,
                                            tile >> 16, tile & 0xffff);
        const int64_t item =
            (alike * static_cast<int64_t>(g.down) + p.y) * g.across + p.x;

        ihist_read<SIDE>(a, p, s);
        ihist_count_rows<SIDE>(s);
        for (int k = threadIdx.x; k < SIDE * IHIST_GROUP_WORDS; k += IHIST_THREADS)
            __stcg(&m.row_counts[item * SIDE * IHIST_GROUP_WORDS + k],
                   (&s->row[0][0])[k]);
        publish(&m.row_flag[item], 1);
        ihist_sum_bands<SIDE>(s);
        look_left<SIDE>(m, p, item, s);
        ihist_sum_left<SIDE>(s);
        look_up<SIDE, VEC>(a, p, item, g.across, s);
        ihist_fill<SIDE, VEC>(a, p, *s);
    }
}

/* ---- wf-tiled ---- */

template <int SIDE>
__device__ int32_t *left_of(const ihist_launch_t &a, const ihist_place_t &p, int y, int b)
{
    const int64_t rows =
        (a.shape.height + a.shape.side - 1) / a.shape.side * a.shape.side;

    return a.left +
           ((p.frame * rows + p.y * SIDE + y) * a.shape.n_bins + p.first_bin + b);
}

/* Take what is left of a tile, and keep that of the next one. */
template <int SIDE>
__device__ void take_left(const ihist_launch_t &a, const ihist_place_t &p,
                          ihist_shared_t<SIDE> *s)
{
    for (int k = threadIdx.x; k < SIDE * IHIST_GROUP_BINS; k += IHIST_THREADS) {
        const int y = k / IHIST_GROUP_BINS, b = k % IHIST_GROUP_BINS;
        int32_t *aside = left_of<SIDE>(a, p, y, b);
        const bool is_bin = b < p.n_bins;
        const int32_t n = is_bin && p.x > 0 ? *aside : 0;

        s->left[y][b] = n;
        if (is_bin)
            *aside = n + (s->row[y][b / 4] >> 8 * (b % 4) & 0xff);
    }
    __syncthreads();
}

template <int SIDE>
__device__ void take_above(const ihist_launch_t &a, const ihist_place_t &p,
                           ihist_shared_t<SIDE> *s)
{
    for (int k = threadIdx.x; k < SIDE * IHIST_GROUP_BINS; k += IHIST_THREADS) {
        const int x = k / IHIST_GROUP_BINS, b = k % IHIST_GROUP_BINS;

        s->above[x][b] = p.y > 0 && b < p.n_bins
                             ? *ihist_at(a, p, p.y * SIDE - 1, p.x * SIDE + x, b)
                             : 0;
    }
    __syncthreads();
}

/* blocks: tiles of an anti-diagonal, from `first_y` down; groups; frames */
template <int SIDE, int VEC>
__global__ void __launch_bounds__(IHIST_THREADS, RESIDENT)
    wf_tiled_kernel(const ihist_launch_t a, int diagonal, int first_y)
{
    ihist_shared_t<SIDE> *s = shared_memory<SIDE>();
    const int y = first_y + static_cast<int>(blockIdx.x);
    const ihist_place_t p = ihist_place(a, static_cast<int>(blockIdx.z),
                                        static_cast<int>(blockIdx.y), y, diagonal - y);

    ihist_read<SIDE>(a, p, s);
    ihist_count_rows<SIDE>(s);
    ihist_sum_bands<SIDE>(s);
    take_left<SIDE>(a, p, s);
    ihist_sum_left<SIDE>(s);
    take_above<SIDE>(a, p, s);
    ihist_fill<SIDE, VEC>(a, p, *s);
}

/* ---- cw-tiledhv ---- */

/* blocks: tiles of column x; groups; frames */
template <int SIDE, int VEC>
__global__ void __launch_bounds__(IHIST_THREADS, RESIDENT)
    cw_rows_kernel(const ihist_launch_t a, int x)
{
    ihist_shared_t<SIDE> *s = shared_memory<SIDE>();
    const int64_t row_values = a.shape.side * a.shape.n_bins;
    const ihist_place_t p =
        ihist_place(a, static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y),
                    static_cast<int>(blockIdx.x), x);

    ihist_read<SIDE>(a, p, s);
    ihist_count_rows<SIDE>(s);
    for (int k = threadIdx.x; k < SIDE * IHIST_GROUP_BINS; k += IHIST_THREADS) {
        const int y = k / IHIST_GROUP_BINS, b = k % IHIST_GROUP_BINS;

        s->left[y][b] =
            x > 0 && b < p.n_bins ? *ihist_at(a, p, p.y * SIDE + y, x * SIDE - 1, b) : 0;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < ihist_unit_t<SIDE, VEC>::count(p.n_bins);
         k += IHIST_THREADS) {
        const ihist_unit_t<SIDE, VEC> u(k, p.n_bins);
        int32_t *to =
            ihist_at(a, p, p.y * SIDE, x * SIDE + u.block * BLOCK_COLUMNS, u.bin);
        int32_t sum[BLOCK_COLUMNS][VEC] = {};

        ihist_go_down<SIDE, VEC>(
            *s, u, sum,
            [&](int y, int j, const int32_t(&)[VEC], const int32_t(&row)[VEC]) {
                ihist_store<VEC>(to + y * row_values + j * a.shape.n_bins, row);
            });
    }
}

/* blocks: tiles of row y; groups; frames.  A thread sums up a column of a bin. */
template <int SIDE>
__global__ void __launch_bounds__(IHIST_THREADS)
    cw_columns_kernel(const ihist_launch_t a, int y)
{
    const int64_t row_values = a.shape.side * a.shape.n_bins;
    const ihist_place_t p =
        ihist_place(a, static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y), y,
                    static_cast<int>(blockIdx.x));

    for (int k = threadIdx.x; k < SIDE * p.n_bins; k += IHIST_THREADS) {
        const int x = p.x * SIDE + k / p.n_bins;
        const int b = k % p.n_bins;
        int32_t *at = ihist_at(a, p, y * SIDE, x, b);
        int32_t sum = y > 0 ? *ihist_at(a, p, y * SIDE - 1, x, b) : 0;

#pragma unroll 8
        for (int row = 0; row < SIDE; row++, at += row_values)
            *at = sum += *at;
    }
}

/* ---- the host ---- */

unsigned blocks_of(int64_t n)
{
    return static_cast<unsigned>(n);
}

template <int SIDE, int VEC>
status_t look_back(const ihist_launch_t &a, cudaStream_t stream)
{
    const int64_t n =
        static_cast<int64_t>(a.grid.across) * a.grid.down * a.grid.n_groups * a.n_frames;
    const unsigned blocks = blocks_of(std::min<int64_t>(n, a.n_cores * RESIDENT));

    look_back_kernel<SIDE, VEC>
        <<<blocks, IHIST_THREADS, sizeof(ihist_shared_t<SIDE>), stream>>>(a);
    return CUDA_TRY(cudaGetLastError());
}

template <int SIDE, int VEC>
status_t wf_tiled(const ihist_launch_t &a, cudaStream_t stream)
{
    const ihist_grid_t &g = a.grid;

    for (int d = 0; d < g.across + g.down - 1; d++) {
        const int first = std::max(0, d - g.across + 1), end = std::min(d + 1, g.down);
        const dim3 blocks(blocks_of(end - first), blocks_of(g.n_groups),
                          blocks_of(a.n_frames));

        wf_tiled_kernel<SIDE, VEC>
            <<<blocks, IHIST_THREADS, sizeof(ihist_shared_t<SIDE>), stream>>>(a, d,
                                                                              first);
    }
    return CUDA_TRY(cudaGetLastError());
}

template <int SIDE, int VEC>
status_t cw_tiledhv(const ihist_launch_t &a, cudaStream_t stream)
{
    const ihist_grid_t &g = a.grid;
    const unsigned groups = blocks_of(g.n_groups), frames = blocks_of(a.n_frames);

    for (int x = 0; x < g.across; x++)
        cw_rows_kernel<SIDE, VEC>
            <<<dim3(blocks_of(g.down), groups, frames), IHIST_THREADS,
               sizeof(ihist_shared_t<SIDE>), stream>>>(a, x);
    for (int y = 0; y < g.down; y++)
        cw_columns_kernel<SIDE>
            <<<dim3(blocks_of(g.across), groups, frames), IHIST_THREADS, 0, stream>>>(a,
                                                                                      y);
    return CUDA_TRY(cudaGetLastError());
}

/* The functions of a side and a width of accesses. */
struct methods_t {
    ihist_method_t *look_back, *wf_tiled, *cw_tiledhv;
    const void *kernels[3];
    size_t shared_bytes;
};

template <int SIDE, int VEC> methods_t methods_of()
{
    return {look_back<SIDE, VEC>,
            wf_tiled<SIDE, VEC>,
            cw_tiledhv<SIDE, VEC>,
            {reinterpret_cast<const void *>(look_back_kernel<SIDE, VEC>),
             reinterpret_cast<const void *>(wf_tiled_kernel<SIDE, VEC>),
             reinterpret_cast<const void *>(cw_rows_kernel<SIDE, VEC>)},
            sizeof(ihist_shared_t<SIDE>)};
}

enum { N_METHODS = 4 };

/* @return those of all sides and accesses */
const methods_t *all_methods()
{
    static const methods_t all[N_METHODS] = {methods_of<SMALL, 1>(),
                                             methods_of<SMALL, 4>(),
                                             methods_of<LARGE, 1>(),
                                             methods_of<LARGE, 4>()};

    return all;
}

const methods_t &methods_for(const ihist_shape_t &shape)
{
    return all_methods()[(ihist_grid(shape).side == LARGE ? 2 : 0) +
                         (shape.n_bins % 4 == 0 ? 1 : 0)];
}

} // namespace

ihist_grid_t ihist_grid(const ihist_shape_t &shape)
{
    const int side = shape.side % LARGE == 0 ? LARGE : SMALL;
    const int in_tile = static_cast<int>(shape.side) / side;
    const int across = static_cast<int>(ihist_tiles_across(&shape));
    const int tiles = static_cast<int>(ihist_n_tiles(&shape));

    return {side,
            across * in_tile,
            tiles / across * in_tile,
            static_cast<int>((shape.n_bins + IHIST_GROUP_BINS - 1) / IHIST_GROUP_BINS),
            tiles,
            across};
}

status_t ihist_kernels_prepare()
{
    status_t st = ST_OK;

    for (int k = 0; k < N_METHODS; k++)
        for (const void *kernel : all_methods()[k].kernels)
            if (st == ST_OK)
                st = CUDA_TRY(cudaFuncSetAttribute(
                    kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                    static_cast<int>(all_methods()[k].shared_bytes)));
    return st;
}

status_t ihist_look_back(const ihist_launch_t &launch, cudaStream_t stream)
{
    return methods_for(launch.shape).look_back(launch, stream);
}

status_t ihist_wf_tiled(const ihist_launch_t &launch, cudaStream_t stream)
{
    return methods_for(launch.shape).wf_tiled(launch, stream);
}

status_t ihist_cw_tiledhv(const ihist_launch_t &launch, cudaStream_t stream)
{
    return methods_for(launch.shape).cw_tiledhv(launch, stream);
}
