/*
 * mesh_dpar_cuda.cu - the variant dpar: a child kernel, with a thread per new triangle,
 * checks what fills a cavity.
 *
 * A kernel cannot wait for its children, and one whose blocks wait for each other cannot
 * be launched by a kernel.  So each step of a round is a kernel, which begins when all
 * before it, and their children, have ended (tail launches).
 */
#include "kernels/mesh/refine/mesh_append.cuh"

#include <algorithm>

namespace
{

constexpr int CHILD_THREADS = 32;

__global__ void __launch_bounds__(MESH_THREADS)
    count_kernel(const __grid_constant__ mesh_round_t r, int64_t round)
{
    count_log(r, round);
}

__global__ void __launch_bounds__(MESH_THREADS)
    take_kernel(const __grid_constant__ mesh_round_t r, int64_t round)
{
    take_candidates(r, round);
}

__global__ void __launch_bounds__(MESH_THREADS, 1)
    find_kernel(const __grid_constant__ mesh_round_t r, int64_t round)
{
    find_all(r, round);
}

/* Check a new triangle. */
__global__ void __launch_bounds__(CHILD_THREADS)
    child_kernel(const __grid_constant__ mesh_round_t r, int64_t k)
{
    const fill_t f = fill_of(r, k, nullptr, nullptr);

    for (int32_t i = static_cast<int32_t>(threadIdx.x); i < f.c->n_borders;
         i += CHILD_THREADS)
        check_triangle_alone(r, slot(&f, i), nullptr);
}

/* Have a child check the triangles of a cavity; if there are too many children already,
 * they are checked here. */
__device__ void check_by_child(const mesh_round_t &r, int64_t k)
{
    const fill_t f = fill_of(r, k, nullptr, nullptr);

    r.n_cuts[k] = r.n_bad[k] = 0;
    child_kernel<<<1, CHILD_THREADS, 0, cudaStreamFireAndForget>>>(r, k);
    if (cudaGetLastError() != cudaSuccess)
        for (int32_t i = 0; i < f.c->n_borders; i++)
            check_triangle_alone(r, slot(&f, i), nullptr);
}

__global__ void __launch_bounds__(MESH_THREADS, 1)
    fill_kernel(const __grid_constant__ mesh_round_t r, int64_t round)
{
    each_candidate(r, [&](int block, int, int64_t k) {
        if (waits(r, k))
            fill_locked(r, round, k, [&] { check_by_child(r, k); });
        sum_up(r, block, k);
    });
}

__global__ void __launch_bounds__(MESH_THREADS)
    append_kernel(const __grid_constant__ mesh_round_t r, int64_t round)
{
    append(r, round);
}

__device__ void stop(const mesh_round_t &r, mesh_end_t why, int64_t round)
{
    r.control->end = why;
    r.control->round = round;
}

__global__ void begin_kernel(const __grid_constant__ mesh_round_t r, int64_t round,
                             int64_t end, int n_blocks);

/* Go on once cavities are found. */
__global__ void go_on_kernel(const __grid_constant__ mesh_round_t r, int64_t round,
                             int64_t end, int n_blocks)
{
    const mesh_end_t why = __ldcg(&r.control->n) == 0 ? MESH_IS_DONE : found_end(r);

    if (why != MESH_GOES_ON) {
        stop(r, why, round);
        return;
    }
    fill_kernel<<<n_blocks, MESH_THREADS, 0, cudaStreamTailLaunch>>>(r, round);
    append_kernel<<<n_blocks, MESH_THREADS, 0, cudaStreamTailLaunch>>>(r, round);
    if (cudaGetLastError() == cudaSuccess) /* else control->end stays MESH_NO_END */
        begin_kernel<<<1, 1, 0, cudaStreamTailLaunch>>>(r, round + 1, end, n_blocks);
}

__global__ void begin_kernel(const __grid_constant__ mesh_round_t r, int64_t round,
                             int64_t end, int n_blocks)
{
    const mesh_end_t why = state_end(r, round);

    if (why != MESH_GOES_ON || round == end) {
        stop(r, why, round);
        return;
    }
    count_kernel<<<n_blocks, MESH_THREADS, 0, cudaStreamTailLaunch>>>(r, round);
    take_kernel<<<n_blocks, MESH_THREADS, 0, cudaStreamTailLaunch>>>(r, round);
    find_kernel<<<n_blocks, MESH_THREADS, 0, cudaStreamTailLaunch>>>(r, round);
    if (cudaGetLastError() == cudaSuccess)
        go_on_kernel<<<1, 1, 0, cudaStreamTailLaunch>>>(r, round, end, n_blocks);
}

} // namespace

status_t mesh_dpar_run(const mesh_round_t *round, int64_t first, int64_t end,
                       int n_blocks)
{
    begin_kernel<<<1, 1>>>(*round, first, std::min(end, first + MESH_DPAR_ROUNDS),
                           n_blocks);
    return CUDA_TRY(cudaGetLastError());
}
