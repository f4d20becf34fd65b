/* scan_blocks.cu - for --port: a scan of extern "C" kernels by one thread, which waits
 * four times, calls itself for the sums of blocks, and keeps memory of malloc. */
#include <cuda_runtime.h>
#include "check.h"

typedef unsigned int word;
static const int WIDTH = 64;

extern "C" __global__ void sum_blocks(const word *__restrict__ in,
                                      word *__restrict__ sums, int n)
{
    __shared__ word sum;
    const int i = blockIdx.x * WIDTH + threadIdx.x;
    if (!threadIdx.x)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, i < n ? in[i] : 0u);
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

extern "C" __global__ void scan_block(const word *in, const word *base, word *out, int n)
{
    word sum = base ? base[blockIdx.x] : 0;
    for (int i = blockIdx.x * WIDTH; i < n && i < int(blockIdx.x + 1) * WIDTH; i++) {
        const word x = in[i];
        out[i] = sum;
        sum += x;
    }
}

extern "C" __global__ void scan(const word *in, word *out, int n)
{
    if (threadIdx.x + blockIdx.x != 0)
        return;
    const int n_blocks = (n + WIDTH - 1) / WIDTH;
    if (n_blocks == 1) {
        scan_block<<<1, 1>>>(in, nullptr, out, n);
        cudaDeviceSynchronize();
        return;
    }
    word *sums = (word *)malloc(2 * n_blocks * sizeof(word)), *base = sums + n_blocks;
    sum_blocks<<<n_blocks, WIDTH>>>(in, sums, n);
    cudaDeviceSynchronize();
    scan<<<1, 1>>>(sums, base, n_blocks);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("no sums\n");
        return;
    }
    scan_block<<<n_blocks, 1>>>(in, base, out, n);
    cudaDeviceSynchronize();
    free(sums);
}

int main()
{
    const int n = 10000;
    word in[n], want[n];
    for (int i = 0; i < n; i++) {
        in[i] = i % 7;
        want[i] = i > 0 ? want[i - 1] + in[i - 1] : 0;
    }
    word *out = on_device(in, n);
    scan<<<1, 32>>>(on_device(in, n), out, n);
    return check((int *)out, (int *)want, n);
}
