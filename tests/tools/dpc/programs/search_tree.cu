/* search_tree.cu - optimal binary search trees: a thread has memory of malloc for what
 * its child computes, waits, and takes the smallest. */
#include <climits>
#include <cuda_runtime.h>
#include "check.h"

enum { N = 20, SIDE = N + 2 };

__global__ void candidates(int i, int k, const int *cost, const int *weight, int *out)
{
    const int r = i + threadIdx.x;
    out[threadIdx.x] = cost[i * SIDE + r - 1] + cost[(r + 1) * SIDE + i + k] +
                       weight[i * SIDE + i + k];
}

__global__ void diagonal(const int *weight, int *cost, int k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (k == -1) {
        cost[i * SIDE + i + k] = 0;
    } else {
        int *list = (int *)malloc((k + 1) * sizeof(int));
#pragma dp consldt(block) work(i)
        candidates<<<1, k + 1>>>(i, k, cost, weight, list);

        cudaDeviceSynchronize();

        int least = INT_MAX;
        for (int at = 0; at < k + 1; at++)
            if (list[at] < least)
                least = list[at];
        cost[i * SIDE + i + k] = least;
        free(list);
    }
    return;
}

int main()
{
    static int weight[SIDE * SIDE], want[SIDE * SIDE], zero[SIDE * SIDE];
    for (int i = 1; i <= N; i++)
        for (int j = i, sum = 0; j <= N; j++)
            weight[i * SIDE + j] = sum += j * 7 % 11 + 1;
    for (int k = 0; k < N; k++)
        for (int i = 1; i + k <= N; i++) {
            int least = INT_MAX;
            for (int r = i; r <= i + k; r++) {
                const int x = want[i * SIDE + r - 1] + want[(r + 1) * SIDE + i + k];
                least = x < least ? x : least;
            }
            want[i * SIDE + i + k] = least + weight[i * SIDE + i + k];
        }
    int *cost = on_device(zero, SIDE * SIDE), *w = on_device(weight, SIDE * SIDE);
    for (int k = -1; k < N; k++)
        diagonal<<<N - k, 1>>>(w, cost, k);
    return check(cost, want, SIDE * SIDE);
}
