/* templates.cu - template kernels: arguments that are written, deduced and default. */
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

template <class T, int N = 16> __global__ void halve(T *to, const T *from)
{
    const int i = blockIdx.x * N + threadIdx.x;
    to[i] = from[i] / 2;
}

template <class T> __global__ void halve_all(T *to, const T *from, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
#pragma dp consldt(block) work(v)
    halve<<<4, 16>>>(to + v * 64, &from[v * 64]);
}

template <class T> static int run(int n)
{
    T *want = (T *)malloc(n * 64 * sizeof(T)), *zero = (T *)calloc(n * 64, sizeof(T));
    for (int i = 0; i < n * 64; i++)
        want[i] = (T)(i / 64) / 2 + (T)(i % 64);
    T *out = on_device(zero, n * 64);
    parent<T><<<(n + 31) / 32, 32>>>(out, n);
    if (check(out, want, n * 64) != 0)
        return 1;
    for (int i = 0; i < n * 64; i++)
        want[i] /= 2;
    T *half = on_device(zero, n * 64);
    halve_all<<<(n + 31) / 32, 32>>>(half, out, n);
    return check(half, want, n * 64);
}

int main()
{
    return run<float>(200) + run<long long>(90);
}
