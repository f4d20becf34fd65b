/* launch_in_loop.cu - a thread launches several times, more than a buffer holds. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void child(int *out, int v, int k)
{
    atomicAdd(&out[v], k * (int)(blockIdx.x * blockDim.x + threadIdx.x));
}

__global__ void parent(int *out, int n)
{
    int v = threadIdx.x + blockIdx.x * blockDim.x;
    for (int k = 0; v < n && k < v % 5; k++)
#pragma dp consldt(block) buffer(default, 4) work(v, k)
        child<<<2, k + 1>>>(out, v, k);
}

int main()
{
    const int n = 300;
    int want[n] = {0}, zero[n] = {0};
    for (int v = 0; v < n; v++)
        for (int k = 0; k < v % 5; k++)
            for (int t = 0; t < 2 * (k + 1); t++)
                want[v] += k * t;
    int *out = on_device(zero, n);
    parent<<<3, 128>>>(out, n);
    return check(out, want, n);
}
