/* warp_child.cu - a child of one warp with shuffles, called through a device function. */
#include <cuda_runtime.h>
#include "check.h"

__device__ int warp_sum(int x)
{
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_down_sync(0xffffffff, x, step);
    return x;
}

__global__ void child(const int *a, int *out, int begin, int end, int v)
{
    int sum = 0;
    for (int i = begin + threadIdx.x; i < end; i += 32)
        sum += a[i];
    sum = warp_sum(sum);
    if (threadIdx.x == 0)
        out[v] = sum;
}

__global__ void parent(const int *row, const int *a, int *out, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
#pragma dp consldt(block) buffer(custom, n, 16000000) work(v)
    child<<<1, 32>>>(a, out, row[v], row[v + 1], v);
}

int main()
{
    const int n = 1500;
    int *row = make_rows(n), *a = (int *)malloc(row[n] * sizeof(int));
    int want[n] = {0}, zero[n] = {0};
    for (int v = 0; v < n; v++)
        for (int i = row[v]; i < row[v + 1]; i++)
            want[v] += a[i] = i * 13 % 101;
    int *out = on_device(zero, n);
    parent<<<(n + 127) / 128, 128>>>(on_device(row, n + 1), on_device(a, row[n]), out, n);
    return check(out, want, n);
}
