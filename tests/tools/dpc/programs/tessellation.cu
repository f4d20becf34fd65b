/* tessellation.cu - memory of the device's malloc, and a wait in a macro that checks
 * errors; the macro has a variable of its own. */
#include <cuda_runtime.h>
#include "check.h"

#define CALL(call) \
    do { \
        const cudaError_t error_ = (call); \
        if (error_ != cudaSuccess) \
            printf("error %d\n", (int)error_); \
    } while (0)

struct curve {
    int from, to, n_points;
    int *points;
};

/* Of the curve that the thread has. */
__device__ int points_of(const curve *all)
{
    return 4 + all[blockIdx.x * blockDim.x + threadIdx.x].to % 60;
}

__global__ void fill(curve *all, int c, int n_points)
{
    const int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n_points)
        all[c].points[i] = all[c].from + (all[c].to - all[c].from) * i / (n_points - 1);
}

__global__ void tessellate(curve *all, int *out, int n)
{
    const int c = threadIdx.x + blockDim.x * blockIdx.x;
    if (c < n) {
        all[c].n_points = points_of(all);
        CALL(cudaMalloc((void **)&all[c].points, all[c].n_points * sizeof(int)));
#pragma dp consldt(block) work(c)
        fill<<<ceilf(all[c].n_points / 32.0f), 32>>>(all, c, all[c].n_points);
        CALL(cudaDeviceSynchronize());
        out[c] = all[c].points[0] + all[c].points[all[c].n_points - 1];
        CALL(cudaFree(all[c].points));
    }
}

int main()
{
    const int n = 300;
    int want[n], zero[n] = {0};
    curve all[n];
    for (int c = 0; c < n; c++) {
        all[c] = {3 * c, 7 * c, 0, nullptr};
        want[c] = 10 * c;
    }
    int *out = on_device(zero, n);
    tessellate<<<(n + 63) / 64, 64>>>(on_device(all, n), out, n);
    return check(out, want, n);
}
