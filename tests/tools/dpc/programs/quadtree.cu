/* quadtree.cu - classes with methods; a template whose recursion passes a temporary
 * object, with constant members; dynamic shared memory, and returns before barriers. */
#include <cuda_runtime.h>
#include "check.h"

class node
{
    int begin_ = 0, end_ = 0, x_ = 0, y_ = 0, side_ = 0;

  public:
    __host__ __device__ void set(int begin, int end, int x, int y, int side)
    {
        begin_ = begin, end_ = end, x_ = x, y_ = y, side_ = side;
    }
    __device__ int begin() const { return begin_; }
    __device__ int end() const { return end_; }
    __device__ int half() const { return side_ / 2; }
    __device__ int x(int quarter) const { return x_ + quarter % 2 * half(); }
    __device__ int y(int quarter) const { return y_ + quarter / 2 * half(); }
    __device__ int quarter(int2 p) const
    {
        return (p.x >= x_ + half()) + 2 * (p.y >= y_ + half());
    }
};

struct options {
    int depth;
    const int max_depth, min_points;
    __host__ __device__ options(int max_depth, int min_points)
        : depth(0), max_depth(max_depth), min_points(min_points)
    {
    }
    __device__ options(const options &above, bool)
        : depth(above.depth + 1), max_depth(above.max_depth), min_points(above.min_points)
    {
    }
};

/* Points go from one array to the other; the count of a point's place gets the number of
 * points in its leaf. */
template <int THREADS>
__global__ void build(const node *all, int2 *from, int2 *to, int *count, options given)
{
    extern __shared__ int place[];
    const node &mine = all[blockIdx.x];
    const int t = threadIdx.x;
    if (given.depth == given.max_depth || mine.end() - mine.begin() <= given.min_points) {
        for (int i = mine.begin() + t; i < mine.end(); i += THREADS)
            atomicAdd(&count[from[i].x * 64 + from[i].y], mine.end() - mine.begin());
        return;
    }
    if (t < 8)
        place[t] = 0;
    __syncthreads();
    for (int i = mine.begin() + t; i < mine.end(); i += THREADS)
        atomicAdd(&place[mine.quarter(from[i])], 1);
    __syncthreads();
    if (t == 0)
        for (int q = 0, sum = mine.begin(); q < 4; q++) {
            const int n = place[q];
            place[q] = place[4 + q] = sum;
            sum += n;
        }
    __syncthreads();
    for (int i = mine.begin() + t; i < mine.end(); i += THREADS)
        to[atomicAdd(&place[mine.quarter(from[i])], 1)] = from[i];
    __syncthreads();
    if (t == THREADS - 1) {
        node *children = (node *)malloc(4 * sizeof(node));
        for (int q = 0; q < 4; q++)
            children[q].set(place[4 + q], place[q], mine.x(q), mine.y(q), mine.half());
#pragma dp consldt(block) work(children)
        build<THREADS><<<4, THREADS, 8 * sizeof(int)>>>(children, to, from, count,
                                                       options(given, true));
    }
}

int main()
{
    const int side = 64, n = side * side, max_depth = 4, min_points = 5;
    int want[n], zero[n] = {0}, n_points = 0;
    int2 points[n];
    node root;
    for (int x = 0; x < side; x++)
        for (int y = 0; y < side; y++)
            if (x * y % 7 < 3)
                points[n_points++] = make_int2(x, y);
    for (int i = 0; i < n; i++)
        want[i] = 0;
    for (int i = 0; i < n_points; i++) {
        int m = n_points, x = 0, y = 0, half = side;
        for (int depth = 0; depth < max_depth && m > min_points; depth++) {
            half /= 2;
            x += points[i].x >= x + half ? half : 0;
            y += points[i].y >= y + half ? half : 0;
            m = 0;
            for (int k = 0; k < n_points; k++)
                m += points[k].x >= x && points[k].x < x + half && points[k].y >= y &&
                     points[k].y < y + half;
        }
        want[points[i].x * side + points[i].y] = m;
    }
    root.set(0, n_points, 0, 0, side);
    int *count = on_device(zero, n);
    int2 *a = on_device(points, n_points), *b = on_device(points, n_points);
    build<64><<<1, 64, 8 * sizeof(int)>>>(on_device(&root, 1), a, b, count,
                                          options(max_depth, min_points));
    return check(count, want, n);
}
