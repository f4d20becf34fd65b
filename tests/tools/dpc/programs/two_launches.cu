/* two_launches.cu - the second child of a thread reads what the first one wrote. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void fill(int a[], int begin, int len)
{
    for (int i = threadIdx.x; i < len; i += blockDim.x)
        a[begin + i] = begin;
}

__global__ void sum(const int *a, int *out, int v, int begin, int len)
{
    for (int i = threadIdx.x; i < len; i += blockDim.x)
        atomicAdd(&out[v], a[begin + i]);
}

__global__ void parent(const int *row, int *a, int *out, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || row[v + 1] == row[v])
        return;
#pragma dp consldt(block) buffer(custom) work(v)
    fill<<<1, 64>>>(a, row[v], row[v + 1] - row[v]);
#pragma dp consldt(block) buffer(custom) work(v)
    sum<<<1, 32>>>(a, out, v, row[v], row[v + 1] - row[v]);
}

int main()
{
    const int n = 500;
    int *row = make_rows(n), *want = (int *)calloc(n, sizeof(int));
    for (int v = 0; v < n; v++)
        want[v] = (row[v + 1] - row[v]) * row[v];
    int *a = (int *)calloc(row[n], sizeof(int)), *zero = (int *)calloc(n, sizeof(int));
    int *out = on_device(zero, n);
    parent<<<(n + 63) / 64, 64>>>(on_device(row, n + 1), on_device(a, row[n]), out, n);
    return check(out, want, n);
}
