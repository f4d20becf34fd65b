/* clauses.cu - threshold, coarsen, threads and blocks. */
#include <cuda_runtime.h>
#include "check.h"

namespace rows {

__global__ void child(unsigned *out, int begin, int len)
{
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < len; i += step)
        out[begin + i] += (unsigned)(begin ^ i);
}

__global__ void parent(const int *row, unsigned *out, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    const int len = row[v + 1] - row[v];
#pragma dp consldt(block) work(v, len) threshold(20) coarsen(3) threads(128) /* sizes */ \
    blocks(16)
    child<<<2, len / 2 + 1>>>(out, row[v], len);
}

} // namespace rows

int main()
{
    const int n = 900;
    int *row = make_rows(n);
    unsigned *want = (unsigned *)calloc(row[n], sizeof(unsigned));
    unsigned *out = on_device(want, row[n]);
    for (int v = 0; v < n; v++)
        for (int i = row[v]; i < row[v + 1]; i++)
            want[i] = (unsigned)(row[v] ^ (i - row[v]));
    rows::parent<<<(n + 127) / 128, 128>>>(on_device(row, n + 1), out, n);
    return check(out, want, row[n]);
}
