/* streams.cu - launches in a stream of the thread's own, and with all four parameters. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void child(int *out, int v)
{
    atomicAdd(&out[v], (int)blockDim.x);
}

__global__ void parent(int *out, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
#pragma dp consldt(block) work(v)
    child<<<1, v % 60 + 1, 0, s>>>(out, v);
    cudaStreamDestroy(s);
}

int main()
{
    const int n = 256;
    int want[n], zero[n] = {0};
    for (int v = 0; v < n; v++)
        want[v] = (v % 60 + 1) * (v % 60 + 1);
    int *out = on_device(zero, n);
    parent<<<4, 64>>>(out, n);
    return check(out, want, n);
}
