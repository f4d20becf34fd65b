/* float_sizes.cu - a grid's size is computed with floating point. */
#include <cuda_runtime.h>
#include <math.h>
#include "check.h"

__global__ void child(double *out, int begin, int len, double x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < len)
        out[begin + i] = x * i;
}

__global__ void parent(const int *row, double *out, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    const int len = row[v + 1] - row[v];
    const double x = sqrt((double)v);
    if (len)
#pragma dp consldt(block) work(v, len)
        child<<<ceil(len / 16.0), 16>>>(out, row[v], len, x);
}

int main()
{
    const int n = 400;
    int *row = make_rows(n);
    double *want = (double *)calloc(row[n], sizeof(double));
    double *out = on_device(want, row[n]);
    for (int v = 0; v < n; v++)
        for (int i = row[v]; i < row[v + 1]; i++)
            want[i] = sqrt((double)v) * (i - row[v]);
    parent<<<7, 64>>>(on_device(row, n + 1), out, n);
    return check(out, want, row[n]);
}
