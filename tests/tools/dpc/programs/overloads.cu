/* overloads.cu - two kernels of one name. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void child(int *out, int v)
{
    atomicAdd(&out[v], (int)threadIdx.x);
}

__global__ void child(int *out, int v, int more)
{
    atomicAdd(&out[v], more);
}

__global__ void parent(int *out, int n)
{
    const int v = threadIdx.x;
    if (v >= n)
        return;
    if (v % 2)
#pragma dp consldt(block) work(v)
        child<<<1, 10>>>(out, v);
    else
#pragma dp consldt(block) work(v)
        child<<<2, 5>>>(out, v, v * 3);
}

int main()
{
    const int n = 200;
    int want[n], zero[n] = {0};
    for (int v = 0; v < n; v++)
        want[v] = v % 2 ? 45 : 30 * v;
    int *out = on_device(zero, n);
    parent<<<1, 256>>>(out, n);
    return check(out, want, n);
}
