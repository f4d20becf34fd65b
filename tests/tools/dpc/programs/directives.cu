/* directives.cu - code that the preprocessor chooses, macros, and a child that comes
 * later in the file. */
#include <cuda_runtime.h>
#include "check.h"

#define SIZE (n_threads)

struct job {
    int *out;
    int v;
};

__global__ void child(job j, const int n_threads);

__global__ void parent(int *out, int n)
{
#ifdef __CUDA_ARCH__
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    const int n_threads = v % 30 + 1;
    job j = {out, v};
#if __CUDA_ARCH__ >= 350
    if (v < n)
#pragma dp consldt(block) work(j)
        child<<<1, SIZE>>>(j, SIZE);
#else
    printf("no nested parallelism\n");
#endif
    cudaDeviceSynchronize();
    if (v < n)
        out[v] *= SIZE;
#endif
}

__global__ void child(job j, const int n_threads)
{
    atomicAdd(&j.out[j.v], n_threads);
}

int main()
{
    const int n = 500;
    int want[n], zero[n] = {0};
    for (int v = 0; v < n; v++)
        want[v] = (v % 30 + 1) * (v % 30 + 1) * (v % 30 + 1);
    int *out = on_device(zero, n);
    parent<<<(n + 63) / 64, 64>>>(out, n);
    return check(out, want, n);
}
