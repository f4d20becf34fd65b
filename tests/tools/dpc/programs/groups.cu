/* groups.cu - a child of cooperative groups without returns; a parameter of constants */
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include "check.h"

namespace cg = cooperative_groups;
enum { THREADS = 64 };
#define BLOCK (2 * 32)

struct rows_t {
    const int *const row, *const a;
};

template <int N> __global__ void reduce(rows_t rows, int *out, int v)
{
    __shared__ int part[N / 32];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int sum = 0;
    for (int i = rows.row[v] + block.thread_rank(); i < rows.row[v + 1];
         i += block.size())
        sum += rows.a[i];
    for (int step = 16; step > 0; step /= 2)
        sum += warp.shfl_down(sum, step);
    if (warp.thread_rank() == 0)
        part[threadIdx.x / 32] = sum;
    cg::sync(block);
    if (block.thread_rank() == 0) {
        sum = 0;
        for (int i = 0; i < N / 32; i++)
            sum += part[i];
        out[v] = sum;
    }
}

__global__ void parent(rows_t rows, int *out, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && rows.row[v + 1] > rows.row[v]) {
#pragma dp consldt(block) work(v)
        reduce<THREADS><<<1, BLOCK>>>(rows, out, v);
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
    const rows_t rows = {on_device(row, n + 1), on_device(a, row[n])};
    parent<<<(n + 255) / 256, 256>>>(rows, out, n);
    return check(out, want, n);
}
