/* block_child.cu - a child with shared memory and barriers, of different block sizes. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void reduce(const int *a, int *out, int begin, int len, int v)
{
    __shared__ int part[256];
    const int t = threadIdx.x;
    part[t] = 0;
    for (int i = t; i < len; i += blockDim.x)
        part[t] += a[begin + i];
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    if (t > 0)
        return;
    out[v] = part[0];
}

__global__ void parent(const int *row, const int *a, int *out, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && row[v + 1] > row[v]) {
#pragma dp consldt(block) work(v)
        reduce<<<1, 32 << v % 4>>>(a, out, row[v], row[v + 1] - row[v], v);
    }
}

int main()
{
    const int n = 1000;
    int *row = make_rows(n), *a = (int *)malloc(row[n] * sizeof(int));
    int want[n] = {0}, zero[n] = {0};
    for (int v = 0; v < n; v++)
        for (int i = row[v]; i < row[v + 1]; i++)
            want[v] += a[i] = i * 13 % 101;
    int *out = on_device(zero, n);
    parent<<<(n + 255) / 256, 256>>>(on_device(row, n + 1), on_device(a, row[n]), out, n);
    return check(out, want, n);
}
