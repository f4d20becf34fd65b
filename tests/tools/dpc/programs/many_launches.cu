/* many_launches.cu - more launches than may be pending: 20,000 in 2,500 warps. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void child(int *out, int v, int x)
{
    atomicAdd(&out[v], x + (int)threadIdx.x);
}

__global__ void parent(int *out, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && v % 4 == 0) {
#pragma dp consldt(warp) work(v)
        child<<<1, 20>>>(out, v, v % 10);
    }
}

int main()
{
    const int n = 80000;
    int *want = (int *)calloc(n, sizeof(int)), *out = on_device(want, n);
    for (int v = 0; v < n; v += 4)
        want[v] = 190 + 20 * (v % 10);
    parent<<<(n + 31) / 32, 32>>>(out, n);
    return check(out, want, n);
}
