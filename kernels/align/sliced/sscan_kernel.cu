/*
 * sscan_kernel.cu - the kernels of sscan: a warp aligns 32 pairs per thread.
 */
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/sliced/sscan_sweep.cuh"

namespace
{

/* Take pairs first .. of the order, those past the end being copies of the last.
 * @param size  out: that of the warp's matrix, but for pads and band */
__device__ inline void take_seats(const sscan_launch_t &p, const unsigned *order, int n,
                                  sscan_seat_t *seats, sscan_size_t *size)
{
    CUDA_NO_UNROLL
    for (int k = 0; k < SSCAN_PAIRS; k++) {
        const pair_t pair = p.pairs[order[min(k * SSCAN_WARP, n)]];
        const bool swapped = p.set.len[pair.query] > p.set.len[pair.target];
        const int of[2] = {swapped ? pair.target : pair.query,
                           swapped ? pair.query : pair.target};
        sscan_seat_t seat;

        for (int i = 0; i < 2; i++) {
            seat.len[i] = p.set.len[of[i]];
            seat.end[i] = p.set.letters + p.set.start[of[i]] + seat.len[i];
        }
        seats[k * SSCAN_WARP] = seat;
        sscan_include_size(size, seat);
    }
    for (int &size_of : size->n)
        size_of = cuda_warp_max(size_of);
}

__device__ inline void take_bands(const sscan_launch_t &p, const unsigned *order, int n,
                                  const sscan_seat_t *seats, sscan_size_t *size)
{
    size->low = size->high = -SSCAN_LEN_MAX;
    for (int k = 0; k < SSCAN_PAIRS; k++)
        sscan_include_band(size, seats[k * SSCAN_WARP],
                           p.band_w != nullptr ? p.band_w[order[min(k * SSCAN_WARP, n)]]
                                               : -1);
    for (int &pads : size->pads)
        pads = cuda_warp_max(pads);
    size->low = cuda_warp_max(size->low);
    size->high = cuda_warp_max(size->high);
}

template <int KIND>
__global__ void __launch_bounds__(SSCAN_BLOCK, SSCAN_BLOCKS)
    sscan_kernel(const __grid_constant__ sscan_launch_t p)
{
    constexpr int PLANES = SSCAN_PLANES<KIND>, WARPS = SSCAN_BLOCK / SSCAN_WARP;
    __shared__ sscan_letters_t<PLANES> letters[WARPS][SSCAN_ROWS][SSCAN_WARP];
    __shared__ unsigned pads[WARPS][SSCAN_ROWS + 1][SSCAN_WARP];
    const int lane = threadIdx.x % SSCAN_WARP, warp = threadIdx.x / SSCAN_WARP;
    const int n = p.n_of_kind[KIND];
    char *memory =
        static_cast<char *>(p.lines) +
        (static_cast<long long>(blockIdx.x) * WARPS + warp) *
            static_cast<long long>(sscan_warp_bytes(p.line_len));
    sscan_seat_t *seats = reinterpret_cast<sscan_seat_t *>(memory) + lane;
    const sscan_memory_t<PLANES> m = {
        seats,
        reinterpret_cast<unsigned *>(reinterpret_cast<sscan_seat_t *>(memory) +
                                     SSCAN_WARP_PAIRS) +
            lane,
        &letters[warp][0][lane], &pads[warp][0][lane], SSCAN_WARP};
    int first = 0;

    for (int k = 0; k < KIND; k++)
        first += p.n_of_kind[k];
    for (;;) {
        int k = lane == 0 ? atomicAdd(&p.next[KIND], SSCAN_WARP_PAIRS) : 0;

        k = __shfl_sync(0xffffffffu, k, 0);
        if (k >= n)
            return;
        const unsigned *order = p.order + first + min(k + lane, n - 1);
        const int last = n - 1 - min(k + lane, n - 1);
        sscan_size_t size = {};
        int units[SSCAN_PAIRS];

        take_seats(p, order, last, seats, &size);
        take_bands(p, order, last, seats, &size);
        sscan_sweep<PLANES>(m, size, units);
        for (int i = 0; i < SSCAN_PAIRS; i++) {
            const sscan_seat_t &seat = seats[i * SSCAN_WARP];

            p.score[order[min(i * SSCAN_WARP, last)]] =
                sscan_score_of(p.score_of, units[i], seat.len[0], seat.len[1]);
        }
        __syncwarp();
    }
}

using kernel_t = void (*)(const sscan_launch_t);

kernel_t kernel_of(int kind)
{
    return kind == SSCAN_KIND_PLAIN ? sscan_kernel<SSCAN_KIND_PLAIN>
                                    : sscan_kernel<SSCAN_KIND_CODES>;
}

} // namespace

status_t sscan_blocks(int kind, const device_t *device, int *out)
{
    return cuda_occupancy_blocks(kernel_of(kind), SSCAN_BLOCK, device, out);
}

status_t sscan_run(int kind, const sscan_launch_t &launch, int n_blocks,
                   cudaStream_t stream)
{
    kernel_of(kind)<<<n_blocks, SSCAN_BLOCK, 0, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
