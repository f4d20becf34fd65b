/* subdivision.cu - squares of a picture: what is the same all over is filled, large ones
 * are divided, small ones are computed; three launches of which one is made. */
#include <cuda_runtime.h>
#include "check.h"

#define SIDE 8
enum { UNEQUAL = -1, MIN_SIDE = 8 };

struct square {
    int x, y, side;
};

__host__ __device__ inline int color_at(int x, int y)
{
    return (x - 100) * (x - 100) + (y - 90) * (y - 90) < 5000 ? 1 + (x > 140) : 7;
}

/* The color of the border, by the whole block. */
__device__ int border_color(const square &s)
{
    __shared__ int low, high;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    if (t == 0)
        low = high = color_at(s.x, s.y);
    __syncthreads();
    for (int i = t; i < 4 * s.side; i += blockDim.x * blockDim.y) {
        const int k = i / 4, end = s.side - 1;
        const int x = i % 4 == 0 ? 0 : i % 4 == 1 ? end : k;
        const int y = i % 4 == 2 ? 0 : i % 4 == 3 ? end : k;
        const int color = color_at(s.x + x, s.y + y);
        atomicMin(&low, color);
        atomicMax(&high, color);
    }
    __syncthreads();
    return low == high ? low : UNEQUAL;
}

__global__ void fill(int *picture, int width, square s, int color)
{
    const int x = threadIdx.x + blockIdx.x * blockDim.x;
    const int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x < s.side && y < s.side)
        picture[(s.y + y) * width + s.x + x] = color;
}

__global__ void compute(int *picture, int width, square s)
{
    const int x = s.x + threadIdx.x + blockIdx.x * blockDim.x;
    const int y = s.y + threadIdx.y + blockIdx.y * blockDim.y;
    if (x < s.x + s.side && y < s.y + s.side)
        picture[y * width + x] = color_at(x, y);
}

__global__ void divide(int *picture, int width, int left, int top, int side)
{
    const square s = {left + side * (int)blockIdx.x, top + side * (int)blockIdx.y, side};
    const int color = border_color(s);
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        const int n = (side + SIDE - 1) / SIDE;
        dim3 threads(SIDE, SIDE), blocks(n, n);
        if (color != UNEQUAL) {
#pragma dp consldt(block) work(s, color)
            fill<<<blocks, threads>>>(picture, width, s, color);
        } else if (side / 4 >= MIN_SIDE) {
#pragma dp consldt(block) work(s)
            divide<<<dim3(4, 4), threads>>>(picture, width, s.x, s.y, side / 4);
        } else {
#pragma dp consldt(block) work(s)
            compute<<<blocks, threads>>>(picture, width, s);
        }
    }
}

int main()
{
    const int width = 256, n = width * width;
    int *want = (int *)calloc(n, sizeof(int)), *picture = on_device(want, n);
    for (int i = 0; i < n; i++)
        want[i] = color_at(i % width, i / width);
    divide<<<dim3(2, 2), dim3(SIDE, SIDE)>>>(picture, width, 0, 0, width / 2);
    return check(picture, want, n);
}
