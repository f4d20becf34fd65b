/* cells.cu - a cell of a plane is divided where it has many points: four launches in
 * streams of an array, a wait in a branch, and then the sum of the children. */
#include <cuda_runtime.h>
#include "check.h"

struct point {
    float x, y;
    int value;
};
struct cell {
    float x0, x1, y0, y1;
    int sum, n, child[4];
};
__device__ int n_cells = 1;

__global__ void divide(const point *points, int n_points, cell *cells, int at, float x0,
                       float x1, float y0, float y1, int max_depth, int depth = 0)
{
    if (depth > max_depth)
        return;
    int n = 0, sum = 0;
    for (int i = 0; i < n_points; i++)
        if (points[i].x >= x0 && points[i].x < x1 && points[i].y >= y0 &&
            points[i].y < y1) {
            n++;
            sum += points[i].value;
        }
    cell &c = cells[at];
    c.x0 = x0, c.x1 = x1, c.y0 = y0, c.y1 = y1;
    c.n = n;
    if (n > 10 && depth < max_depth) {
        const float xm = (x0 + x1) / 2, ym = (y0 + y1) / 2;
        const int base = atomicAdd(&n_cells, 4);
        cudaStream_t stream[4];
        for (int i = 0; i < 4; i++) {
            cells[at].child[i] = base + i;
            cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
        }
        divide<<<1, 1, 0, stream[0]>>>(points, n_points, cells, base, x0, xm, y0, ym,
                                       max_depth, depth + 1);
        divide<<<1, 1, 0, stream[1]>>>(points, n_points, cells, base + 1, xm, x1, y0, ym,
                                       max_depth, depth + 1);
        divide<<<1, 1, 0, stream[2]>>>(points, n_points, cells, base + 2, x0, xm, ym, y1,
                                       max_depth, depth + 1);
        divide<<<1, 1, 0, stream[3]>>>(points, n_points, cells, base + 3, xm, x1, ym, y1,
                                       max_depth, depth + 1);
        for (auto &s : stream)
            cudaStreamDestroy(s);
        cudaDeviceSynchronize();
        int below = 0;
        for (int i = 0; i < 4; i++)
            below += cells[base + i].sum;
        cells[at].sum = below;
    } else {
        for (int i = 0; i < 4; i++)
            cells[at].child[i] = -1;
        cells[at].sum = sum;
    }
}

__global__ void get(const cell *cells, int *out)
{
    out[0] = cells[0].sum;
    out[1] = cells[0].n;
    out[2] = n_cells > 4 && n_cells % 4 == 1;
}

int main()
{
    const int n = 500;
    point points[n];
    int want[3] = {0, n, 1}, zero[3] = {0};
    unsigned seed = 5;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        points[i] = {(float)(seed >> 8 & 255) / 256, (float)(seed >> 16 & 255) / 256,
                     i % 9};
        want[0] += i % 9;
    }
    cell *cells;
    TRY(cudaMalloc(&cells, 4096 * sizeof(cell)));
    int *out = on_device(zero, 3);
    divide<<<1, 1>>>(on_device(points, n), n, cells, 0, 0, 1, 0, 1, 4);
    get<<<1, 1>>>(cells, out);
    return check(out, want, 3);
}
