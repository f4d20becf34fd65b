/*
 * sscan_kernel.cu - the kernels of sscan: a block aligns 1,024 pairs, 32 per lane.
 */
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/sliced/sscan_sweep.cuh"

namespace
{

/* What a block has in shared memory, and how far its warps are. */
template <int PLANES> struct shared_t {
    sscan_letters_t<PLANES> letters[SSCAN_TEAM][SSCAN_ROWS][SSCAN_WARP];
    unsigned pads[SSCAN_TEAM][SSCAN_ROWS + 1][SSCAN_WARP];
    int first; /* pair that the block has taken */
    volatile int progress[SSCAN_TEAM];
};

/* The pairs of a lane. */
struct list_t {
    const unsigned *order;
    int last; /* those behind it are copies of it */
};

__device__ inline unsigned pair_at(const list_t &list, int k)
{
    return list.order[min(k * SSCAN_WARP, list.last)];
}

/* Look up the pairs, the shorter sequences being the rows; the warps share them. */
__device__ inline void load_lane_pairs(const sscan_launch_t &p, const list_t &list,
                                       int member, sscan_lane_pair_t *lane_pairs)
{
    for (int k = member; k < SSCAN_PAIRS; k += SSCAN_TEAM) {
        const pair_t pair = p.pairs[pair_at(list, k)];
        const bool swapped = p.set.len[pair.query] > p.set.len[pair.target];
        const int of[2] = {swapped ? pair.target : pair.query,
                           swapped ? pair.query : pair.target};
        sscan_lane_pair_t lane_pair;

        for (int i = 0; i < 2; i++) {
            lane_pair.len[i] = p.set.len[of[i]];
            lane_pair.end[i] = p.set.letters + p.set.start[of[i]] + lane_pair.len[i];
        }
        lane_pair.units = 0;
        lane_pairs[k * SSCAN_WARP] = lane_pair;
    }
}

/* @return the size of the pairs' matrix */
__device__ inline sscan_size_t size_of(const sscan_launch_t &p, const list_t &list,
                                       const sscan_lane_pair_t *lane_pairs)
{
    sscan_size_t size = {{0, 0}, {0, 0}, -SSCAN_LEN_MAX, -SSCAN_LEN_MAX};

    for (int k = 0; k < SSCAN_PAIRS; k++)
        sscan_include_size(&size, lane_pairs[k * SSCAN_WARP]);
    for (int &n : size.n)
        n = cuda_warp_max(n);
    for (int k = 0; k < SSCAN_PAIRS; k++)
        sscan_include_band(&size, lane_pairs[k * SSCAN_WARP], p.band_w[pair_at(list, k)]);
    for (int &pads : size.pads)
        pads = cuda_warp_max(pads);
    size.low = cuda_warp_max(size.low);
    size.high = cuda_warp_max(size.high);
    return size;
}

/* Align the pairs of a block. */
template <int PLANES>
__device__ inline void align(const sscan_launch_t &p, const list_t &list,
                             const sscan_memory_t<PLANES> &m, const sscan_team_t &team)
{
    const int lane = threadIdx.x % SSCAN_WARP;
    sscan_height_t height = {};
    int units[SSCAN_PAIRS];

    load_lane_pairs(p, list, team.member, m.lane_pairs);
    if (lane == 0)
        team.progress[team.member] = -1;
    __syncthreads();
    const sscan_size_t size = size_of(p, list, m.lane_pairs);

    sscan_fill_columns<PLANES>(m, team, size);
    __syncthreads();
    sscan_sweep<PLANES>(m, team, size, &height);
    sscan_units(height, units);
    CUDA_UNROLL
    for (int k = 0; k < SSCAN_PAIRS; k++)
        atomicAdd(&m.lane_pairs[k * SSCAN_WARP].units, units[k]);
    __syncthreads();
    for (int k = team.member; k < SSCAN_PAIRS; k += SSCAN_TEAM) {
        const sscan_lane_pair_t &lane_pair = m.lane_pairs[k * SSCAN_WARP];

        p.score[pair_at(list, k)] = sscan_score_of(p.score_of, lane_pair.units,
                                                   lane_pair.len[0], lane_pair.len[1]);
    }
}

template <int KIND>
__global__ void __launch_bounds__(SSCAN_BLOCK, SSCAN_BLOCKS)
    sscan_kernel(const __grid_constant__ sscan_launch_t p)
{
    constexpr int PLANES = SSCAN_PLANES<KIND>;
    extern __shared__ char bytes[];
    shared_t<PLANES> *shared = reinterpret_cast<shared_t<PLANES> *>(bytes);
    const int lane = threadIdx.x % SSCAN_WARP, member = threadIdx.x / SSCAN_WARP;
    const int n = p.n_of_kind[KIND];
    char *memory = static_cast<char *>(p.lines) +
                   blockIdx.x * static_cast<long long>(sscan_block_bytes(p.line_len));
    sscan_lane_pair_t *lane_pairs = reinterpret_cast<sscan_lane_pair_t *>(memory);
    const sscan_memory_t<PLANES> m = {
        lane_pairs + lane,
        reinterpret_cast<unsigned *>(lane_pairs + SSCAN_TEAM_PAIRS) + lane,
        &shared->letters[member][0][lane],
        &shared->pads[member][0][lane],
        SSCAN_WARP,
        p.codes_match};
    const sscan_team_t team = {member, SSCAN_TEAM, shared->progress};
    int before = 0;

    for (int k = 0; k < KIND; k++)
        before += p.n_of_kind[k];
    for (;;) {
        if (threadIdx.x == 0)
            shared->first = atomicAdd(&p.next[KIND], SSCAN_TEAM_PAIRS);
        __syncthreads();
        if (shared->first >= n)
            return;
        const int first = min(shared->first + lane, n - 1);

        align<PLANES>(p, list_t{p.order + before + first, n - 1 - first}, m, team);
        __syncthreads();
    }
}

using kernel_t = void (*)(const sscan_launch_t);

kernel_t kernel_of(int kind)
{
    return kind == SSCAN_KIND_PLAIN ? sscan_kernel<SSCAN_KIND_PLAIN>
                                    : sscan_kernel<SSCAN_KIND_CODES>;
}

size_t shared_bytes(int kind)
{
    return kind == SSCAN_KIND_PLAIN ? sizeof(shared_t<SSCAN_PLAIN>)
                                    : sizeof(shared_t<SSCAN_CODES>);
}

} // namespace

status_t sscan_blocks(int kind, const device_t *device, int *out)
{
    return cuda_occupancy_shared_blocks(kernel_of(kind), SSCAN_BLOCK, shared_bytes(kind),
                                        device, out);
}

status_t sscan_launch(int kind, const sscan_launch_t &launch, int n_blocks,
                      cudaStream_t stream)
{
    kernel_of(kind)<<<n_blocks, SSCAN_BLOCK, shared_bytes(kind), stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
