/* wait_all.cu - all threads wait, and use what their children wrote. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void child(int *a, int begin, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[begin + i] = begin + i;
}

__global__ void parent(int *a, long long *out, int n, int len)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int begin = v * len;
    float weight = 0.5f * v;
    len = len - v % 2;
    child<<<(len + 31) / 32, 32>>>(a, begin, len);
    cudaDeviceSynchronize();
    long long sum = 0;
    for (int i = 0; i < len; i++)
        sum += a[begin + i];
    out[v] = sum + (long long)weight;
}

int main()
{
    const int n = 150, len = 70;
    long long want[n], zero[n] = {0};
    int *a = (int *)calloc(n * len, sizeof(int));
    for (int v = 0; v < n; v++) {
        want[v] = (long long)(0.5f * v);
        for (int i = 0; i < len - v % 2; i++)
            want[v] += v * len + i;
    }
    long long *out = on_device(zero, n);
    parent<<<3, 64>>>(on_device(a, n * len), out, n, len);
    return check(out, want, n);
}
