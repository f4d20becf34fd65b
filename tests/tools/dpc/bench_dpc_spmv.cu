/*
 * bench_dpc_spmv.cu - the product of a sparse matrix and a vector with a launch per row:
 * by launches as they are written here, or as `ribogrid dpc` translates them
 * (bench/dpc.sh); by launches consolidated by hand, and without any.
 *
 * With BARRIER the 64 threads of a row add up their products together, and wait for each
 * other; else each entry has a thread, which adds its product to the row's sum.
 *
 * usage: bench_dpc_spmv NAME ROWS [RUNS]     (10 runs)
 *   NAME  given: parent as it is compiled here, under this name; hand: all others, too
 *
 * Prints NAME, rows, the median of the milliseconds, and how many rows are wrong.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

struct matrix {
    const int *first, *to;
    const float *value, *x;
    float *y;
    int n;
};

#ifdef BARRIER
enum { THREADS = 64 };

__device__ __forceinline__ void add_row(const matrix &m, int v)
{
    __shared__ float part[THREADS];
    const int t = threadIdx.x;
    float sum = 0;

    for (int a = m.first[v] + t; a < m.first[v + 1]; a += blockDim.x)
        sum += m.value[a] * m.x[m.to[a]];
    part[t] = sum;
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0)
        m.y[v] = part[0];
}

__global__ void row_kernel(matrix m, int v)
{
    __shared__ float part[THREADS];
    const int t = threadIdx.x;
    float sum = 0;

    for (int a = m.first[v] + t; a < m.first[v + 1]; a += blockDim.x)
        sum += m.value[a] * m.x[m.to[a]];
    part[t] = sum;
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0)
        m.y[v] = part[0];
}
#else
enum { THREADS = 64 };

__device__ __forceinline__ void add_row(const matrix &m, int v)
{
    for (int a = m.first[v] + threadIdx.x; a < m.first[v + 1]; a += blockDim.x)
        atomicAdd(&m.y[v], m.value[a] * m.x[m.to[a]]);
}

__global__ void row_kernel(matrix m, int v)
{
    const int a = m.first[v] + threadIdx.x;

    if (a < m.first[v + 1])
        atomicAdd(&m.y[v], m.value[a] * m.x[m.to[a]]);
}
#endif

__global__ void parent(matrix m)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v < m.n) {
#ifdef BARRIER
#pragma dp consldt(LEVEL) buffer(custom) work(v)
        row_kernel<<<1, THREADS>>>(m, v);
#else
#pragma dp consldt(LEVEL) buffer(custom) work(v)
        row_kernel<<<1, m.first[v + 1] - m.first[v]>>>(m, v);
#endif
    }
}

/* ---- by hand ---- */

/* Blocks take the rows of a list in turn. */
__global__ void __launch_bounds__(THREADS) list_kernel(matrix m, const int *list, int n)
{
    for (int k = blockIdx.x; k < n; k += gridDim.x) {
        add_row(m, list[k]);
        __syncthreads();
    }
}

/* A kernel per block, with a part of the blocks that the GPU holds (KC_16). */
__global__ void hand_block(matrix m, int *list, unsigned *, int n_blocks)
{
    __shared__ int n;
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    int *mine = list + blockIdx.x * blockDim.x;

    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    if (v < m.n)
        mine[atomicAdd(&n, 1)] = v;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && n > 0)
        list_kernel<<<min(n, n_blocks / 16), THREADS, 0, cudaStreamFireAndForget>>>(m,
                                                                                    mine,
                                                                                    n);
}

/* One kernel for the grid, by its last block (KC_1). */
__global__ void hand_grid(matrix m, int *list, unsigned *count, int n_blocks)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lanes = __ballot_sync(~0u, v < m.n);
    const int lane = threadIdx.x % 32;
    unsigned base = 0;

    if (lane == 0)
        base = atomicAdd(&count[0], __popc(lanes));
    base = __shfl_sync(~0u, base, 0);
    if (v < m.n)
        list[base + __popc(lanes & ((1u << lane) - 1))] = v;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&count[1], 1) == gridDim.x - 1) {
        __threadfence();
        list_kernel<<<min((int)count[0], n_blocks), THREADS, 0,
                      cudaStreamFireAndForget>>>(m, list, count[0]);
    }
}

/* A warp per row, no launches. */
__global__ void flat(matrix m)
{
    const int lane = threadIdx.x % 32;

    for (int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32; v < m.n;
         v += gridDim.x * blockDim.x / 32) {
        float sum = 0;

        for (int a = m.first[v] + lane; a < m.first[v + 1]; a += 32)
            sum += m.value[a] * m.x[m.to[a]];
        for (int k = 16; k > 0; k /= 2)
            sum += __shfl_xor_sync(~0u, sum, k);
        if (lane == 0)
            m.y[v] = sum;
    }
}

/* ---- measuring ---- */

template <class T> static T *on_device(const std::vector<T> &x)
{
    T *out = nullptr;

    if (cudaMalloc(&out, x.size() * sizeof(T)) != cudaSuccess)
        exit(1);
    cudaMemcpy(out, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
    return out;
}

/* Whole numbers, whose sums are exact in any order. */
struct problem {
    std::vector<int> first, to;
    std::vector<float> value, x, want;
    matrix m;
    int *list;
    unsigned *count;
};

static void make(int n, problem *p)
{
    unsigned seed = 1;
    auto random = [&seed](unsigned below) {
        seed = seed * 1664525 + 1013904223;
        return (seed >> 8) % below;
    };

    p->first.push_back(0);
    for (int v = 0; v < n; v++) {
        float sum = 0;

        p->x.push_back((float)(v % 5));
        for (unsigned k = 37 + random(75); k > 0; k--) {
            p->to.push_back((int)random((unsigned)n));
            p->value.push_back((float)(1 + random(3)));
            sum += p->value.back() * (float)(p->to.back() % 5);
        }
        p->first.push_back((int)p->to.size());
        p->want.push_back(sum);
    }
    p->m = {on_device(p->first), on_device(p->to),   on_device(p->value),
            on_device(p->x),     on_device(p->want), n};
    p->list = on_device(std::vector<int>((size_t)(n + 1023)));
    p->count = on_device(std::vector<unsigned>(2));
}

template <class LAUNCH>
static void measure(const char *name, const problem &p, int n_runs, LAUNCH launch)
{
    const int n = p.m.n;
    std::vector<float> times, y((size_t)n);
    cudaEvent_t begin, end;
    int n_wrong = 0;

    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int run = 0; run <= n_runs; run++) {
        float ms = 0;

        cudaMemset(p.m.y, 0, (size_t)n * sizeof(float));
        cudaMemset(p.count, 0, 2 * sizeof(unsigned));
        cudaEventRecord(begin);
        launch((n + 255) / 256);
        cudaEventRecord(end);
        if (cudaEventSynchronize(end) != cudaSuccess) {
            printf("%s\t%d\t%s\n", name, n, cudaGetErrorString(cudaGetLastError()));
            exit(1);
        }
        cudaEventElapsedTime(&ms, begin, end);
        if (run > 0)
            times.push_back(ms);
    }
    cudaMemcpy(y.data(), p.m.y, (size_t)n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int v = 0; v < n; v++)
        n_wrong += y[(size_t)v] != p.want[(size_t)v];
    std::sort(times.begin(), times.end());
    printf("%s\t%d\t%.4f\t%d\n", name, n, times[times.size() / 2], n_wrong);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const int n_runs = argc > 3 ? atoi(argv[3]) : 10;
    int n_sm = 0, per_sm = 0;
    problem p;

    if (argc < 3)
        return 2;
    make(atoi(argv[2]), &p);
    cudaDeviceGetAttribute(&n_sm, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, list_kernel, THREADS, 0);
    if (strcmp(argv[1], "hand") != 0) {
        measure(argv[1], p, n_runs, [&](int blocks) { parent<<<blocks, 256>>>(p.m); });
        return 0;
    }
    measure("hand (block)", p, n_runs, [&](int blocks) {
        hand_block<<<blocks, 256>>>(p.m, p.list, p.count, n_sm * per_sm);
    });
    measure("hand (grid)", p, n_runs, [&](int blocks) {
        hand_grid<<<blocks, 256>>>(p.m, p.list, p.count, n_sm * per_sm);
    });
    measure("flat", p, n_runs, [&](int) { flat<<<n_sm * 8, 256>>>(p.m); });
    return 0;
}
