/* helpers.cu - a child calls functions that read threadIdx, one of them a template. */
#include <cuda_runtime.h>
#include "check.h"

__device__ __forceinline__ int my_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

template <class T> __device__ T scaled(T factor, int add)
{
    return factor * (T)my_index() + (T)(add + gridDim.x);
}

__global__ void child(int *out, int v)
{
    atomicAdd(&out[v], scaled<int>(v, my_index()));
}

__global__ void parent(int *out, int n)
{
    const int v = my_index();
    if (v < n) {
#pragma dp consldt(block) work(v)
        child<<<v % 4 + 1, 3>>>(out, v);
    }
}

int main()
{
    const int n = 500;
    int want[n] = {0}, zero[n] = {0};
    for (int v = 0; v < n; v++)
        for (int i = 0; i < 3 * (v % 4 + 1); i++)
            want[v] += v * i + i + v % 4 + 1;
    int *out = on_device(zero, n);
    parent<<<5, 100>>>(out, n);
    return check(out, want, n);
}
