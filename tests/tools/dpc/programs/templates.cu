/* templates.cu - template kernels with a value parameter. */
#include <cuda_runtime.h>
#include "check.h"

template <class T, int N> __global__ void child(T *out, T value, int v)
{
    const int i = blockIdx.x * N + threadIdx.x;
    out[v * 64 + i] = value + (T)i;
}

template <class T> __global__ void parent(T *out, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
#pragma dp consldt(block) work(v)
    child<T, 16><<<4, 16>>>(out, (T)v / 2, v);
}

template <class T> static int run(int n)
{
    T *want = (T *)malloc(n * 64 * sizeof(T)), *zero = (T *)calloc(n * 64, sizeof(T));
    for (int i = 0; i < n * 64; i++)
        want[i] = (T)(i / 64) / 2 + (T)(i % 64);
    T *out = on_device(zero, n * 64);
    parent<T><<<(n + 31) / 32, 32>>>(out, n);
    return check(out, want, n * 64);
}

int main()
{
    return run<float>(200) + run<long long>(90);
}
