/* nested_reduce.cu - a block halves its numbers, and its leader waits for the block that
 * it launches for the rest: recursion of whole blocks that return at the end of it. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void reduce(int *in, int *out, unsigned n)
{
    const unsigned t = threadIdx.x;
    int *const mine = in + blockIdx.x * blockDim.x * 2;
    int *const to = &out[blockIdx.x];
    if (n == 2) {
        if (t == 0)
            *to = mine[0] + mine[1];
        return;
    }
    const unsigned half = n / 2;
    if (t < half)
        mine[t] += mine[t + half];
    __syncthreads();
    if (t == 0) {
#pragma dp consldt(block) work(mine)
        reduce<<<1, (half + 1) / 2>>>(mine, to, half);
        cudaDeviceSynchronize();
        *to += 1; /* as often as levels wait */
    }
    __syncthreads();
    if (t == 1)
        mine[1] = *to;
}

int main()
{
    const int blocks = 40, n = 128;
    int numbers[blocks * n], want[blocks], zero[blocks] = {0};
    for (int i = 0; i < blocks * n; i++)
        numbers[i] = i % 23 - 7;
    for (int b = 0; b < blocks; b++) {
        want[b] = 6;
        for (int i = 0; i < n; i++)
            want[b] += numbers[b * n + i];
    }
    int *out = on_device(zero, blocks);
    reduce<<<blocks, n / 2>>>(on_device(numbers, blocks * n), out, n);
    return check(out, want, blocks);
}
