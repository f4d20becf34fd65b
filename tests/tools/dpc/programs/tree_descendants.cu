/* tree_descendants.cu - recursion with work after the children: a node counts itself. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void count(const int *first, const int *n_children, int *size, int node)
{
    int child = first[node] + threadIdx.x;
    bool has_child = threadIdx.x < n_children[node];
    if (has_child && n_children[child] > 0) {
#pragma dp consldt(block) buffer(custom, 64) work(child)
        count<<<1, n_children[child]>>>(first, n_children, size, child);
    }
    cudaDeviceSynchronize();
    if (has_child)
        atomicAdd(&size[node], size[child]);
}

int main()
{
    const int depth = 5, degree = 5;
    int n = 0, power = 1;
    for (int d = 0; d < depth; d++, power *= degree)
        n += power;
    int *first = (int *)calloc(n, sizeof(int)), *children = (int *)calloc(n, sizeof(int));
    int *one = (int *)malloc(n * sizeof(int)), *want = (int *)malloc(n * sizeof(int));
    for (int v = 0, next = 1; v < n; v++) {
        children[v] = next < n && v % 7 != 3 ? degree : 0;
        if (next + children[v] > n)
            children[v] = 0;
        first[v] = next;
        next += children[v];
        one[v] = want[v] = 1;
    }
    for (int v = n; v-- > 0;)
        for (int k = 0; k < children[v]; k++)
            want[v] += want[first[v] + k];
    int *size = on_device(one, n);
    count<<<1, degree>>>(on_device(first, n), on_device(children, n), size, 0);
    return check(size, want, n);
}
