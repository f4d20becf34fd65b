/* recursive_bfs.cu - a kernel launches itself for neighbours whose level falls. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void visit(const int *row, const int *to, int *level, int v, int depth)
{
    int i = row[v] + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= row[v + 1])
        return;
    int u = to[i];
    if (atomicMin(&level[u], depth) > depth && row[u + 1] > row[u]) {
#pragma dp consldt(block) buffer(custom) work(u)
        visit<<<(row[u + 1] - row[u] + 31) / 32, 32>>>(row, to, level, u, depth + 1);
    }
}

int main()
{
    const int n = 700, degree = 3;
    int row[n + 1], to[n * degree], want[n], start[n], queue[n], head = 0, tail = 0;
    for (int v = 0; v <= n; v++)
        row[v] = v * degree;
    for (int v = 0; v < n; v++)
        for (int k = 0; k < degree; k++)
            to[v * degree + k] = (int)((v * 1103515245ll + k * 12345 + 7) % n + n) % n;
    for (int v = 0; v < n; v++)
        want[v] = start[v] = 1 << 20;
    want[0] = start[0] = 0;
    for (queue[tail++] = 0; head < tail; head++)
        for (int i = row[queue[head]]; i < row[queue[head] + 1]; i++)
            if (want[to[i]] == 1 << 20) {
                want[to[i]] = want[queue[head]] + 1;
                queue[tail++] = to[i];
            }
    int *level = on_device(start, n);
    visit<<<1, 32>>>(on_device(row, n + 1), on_device(to, n * degree), level, 0, 1);
    return check(level, want, n);
}
