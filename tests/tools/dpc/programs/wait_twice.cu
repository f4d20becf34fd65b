/* wait_twice.cu - two waits of all threads, then two in a branch; arrays are saved; a
 * parameter has no name. */
#include <cuda_runtime.h>
#include "check.h"

struct pair_t {
    int a;
    double b;
};

__global__ void twice(int *a, int i)
{
    a[i] *= 2;
}

__global__ void parent(int *a, int[], int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    int seen[3] = {v, v + 1, 0};
    pair_t p = {v, 0.25};
    if (v >= n)
        return;
    twice<<<1, 1>>>(a, v);
    cudaDeviceSynchronize();
    seen[2] = a[v];
    twice<<<1, 1>>>(a, v);
    cudaDeviceSynchronize();
    p.b += a[v];
    if (v % 3 == 0) {
        int more = seen[1];
        twice<<<1, 1>>>(a, v);
        cudaDeviceSynchronize();
        more += a[v];
        if (more % 2) {
            twice<<<1, 1>>>(a, v);
            cudaDeviceSynchronize();
        }
        a[v] += more;
    } else {
        a[v] += 5;
    }
    a[v] += seen[0] + seen[2] + p.a + (int)(4 * p.b);
}

int main()
{
    const int n = 60;
    int want[n], start[n];
    for (int v = 0; v < n; v++) {
        int x = start[v] = v * 3 + 1, more;
        const int second = 2 * x, third = 4 * x;
        x = third;
        if (v % 3 == 0) {
            more = v + 1 + 2 * x;
            x = 2 * x * (more % 2 ? 2 : 1) + more;
        } else {
            x += 5;
        }
        want[v] = x + v + second + v + 1 + 4 * third;
    }
    int *a = on_device(start, n);
    parent<<<2, 32>>>(a, nullptr, n);
    return check(a, want, n);
}
