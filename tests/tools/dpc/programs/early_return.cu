/* early_return.cu - threads leave before a barrier, before a launch and in a child. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void child(int *out, const int *x, int v, int len)
{
    int i = threadIdx.x;
    if (i >= len)
        return;
    if (x[v] % 2) {
        atomicAdd(&out[v], 1);
        return;
    }
    atomicAdd(&out[v], i);
}

__global__ void parent(const int *x, int *out, int n)
{
    __shared__ int top;
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        top = x[blockIdx.x * blockDim.x];
    if (v >= n)
        return;
    __syncthreads();
    if (x[v] == 0)
        return;
#pragma dp consldt(block) work(v)
    child<<<1, 48>>>(out, x, v, (x[v] + top) % 40);
    if (x[v] == 1)
        return;
    atomicAdd(&out[v], 1000);
}

int main()
{
    const int n = 1000;
    int x[n], want[n], zero[n] = {0};
    for (int v = 0; v < n; v++)
        x[v] = v * 7 % 11;
    for (int v = 0; v < n; v++) {
        const int len = (x[v] + x[v / 96 * 96]) % 40;
        want[v] = x[v] == 0 ? 0 : (x[v] > 1 ? 1000 : 0) +
                                      (x[v] % 2 ? len : len * (len - 1) / 2);
    }
    int *out = on_device(zero, n);
    parent<<<(n + 95) / 96, 96>>>(on_device(x, n), out, n);
    return check(out, want, n);
}
