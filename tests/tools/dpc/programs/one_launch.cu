/* one_launch.cu - long rows go to a child. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void add_row(int *out, int begin, int len, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < len)
        atomicAdd(&out[(begin + i) % 64], factor);
}

__global__ void add_all(const int *row, int *out, int n, int factor)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        int begin = row[v], len = row[v + 1] - begin;
        if (len > 32) {
#pragma dp consldt(block) buffer(default, 64) work(begin, len)
            add_row<<<(len + 31) / 32, 32>>>(out, begin, len, factor);
        } else {
            for (int i = 0; i < len; i++)
                atomicAdd(&out[(begin + i) % 64], factor);
        }
    }
}

int main()
{
    const int n = 10000;
    int *row = make_rows(n), want[64] = {0}, zero[64] = {0};
    for (int i = 0; i < row[n]; i++)
        want[i % 64] += 3;
    int *out = on_device(zero, 64);
    add_all<<<(n + 127) / 128, 128>>>(on_device(row, n + 1), out, n, 3);
    return check(out, want, 64);
}
