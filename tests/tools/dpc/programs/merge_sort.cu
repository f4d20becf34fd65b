/* merge_sort.cu - a thread sorts both halves by children, waits, and merges. */
#include <cuda_runtime.h>
#include <algorithm>
#include "check.h"

__device__ void insertion_sort(int *a, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && a[k] < a[k - 1]; k--) {
            const int x = a[k];
            a[k] = a[k - 1];
            a[k - 1] = x;
        }
}

__global__ void sort(int *a, int *tmp, int n)
{
    if (n <= 16) {
        insertion_sort(a, n);
        return;
    }
    int half = n / 2;
    cudaStream_t left, right;
    cudaStreamCreateWithFlags(&left, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking);
    sort<<<1, 1, 0, left>>>(a, tmp, half);
    sort<<<1, 1, 0, right>>>(a + half, tmp + half, n - half);
    cudaStreamDestroy(left);
    cudaStreamDestroy(right);
    cudaDeviceSynchronize();
    for (int i = 0, l = 0, r = half; i < n; i++)
        tmp[i] = r == n || (l < half && a[l] <= a[r]) ? a[l++] : a[r++];
    for (int i = 0; i < n; i++)
        a[i] = tmp[i];
}

int main()
{
    const int n = 3000;
    int want[n];
    unsigned x = 1;
    for (int i = 0; i < n; i++)
        want[i] = (int)((x = x * 1664525 + 1013904223) >> 8);
    int *a = on_device(want, n);
    std::sort(want, want + n);
    sort<<<1, 1>>>(a, on_device(want, n), n);
    return check(a, want, n);
}
