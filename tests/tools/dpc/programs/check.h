/*
 * check.h - the end of each program: compares what the GPU computed with the host's
 * values.
 */
#pragma once

#include <cstdio>
#include <cstdlib>

#define TRY(call)                                                                 \
    do {                                                                          \
        const cudaError_t e = (call);                                             \
        if (e != cudaSuccess) {                                                   \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));     \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

/* DP_PENDING limits the launches that may be pending, DP_HEAP the GPU's malloc. */
static cudaError_t set_limit(const char *name, cudaLimit limit)
{
    const char *value = getenv(name);

    return value == NULL ? cudaSuccess : cudaDeviceSetLimit(limit, atol(value));
}
static const cudaError_t limits[] = {
    set_limit("DP_PENDING", cudaLimitDevRuntimePendingLaunchCount),
    set_limit("DP_HEAP", cudaLimitMallocHeapSize)};

template <class T> static T *on_device(const T *from, size_t n)
{
    T *to;

    TRY(cudaMalloc(&to, n * sizeof(T)));
    TRY(cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyHostToDevice));
    return to;
}

/* @return the exit code: 0 if all n values are the expected ones */
template <class T> static int check(const T *device, const T *expected, size_t n)
{
    T *got = (T *)malloc(n * sizeof(T));

    TRY(limits[0]);
    TRY(limits[1]);
    TRY(cudaDeviceSynchronize());
    TRY(cudaMemcpy(got, device, n * sizeof(T), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        if (got[i] != expected[i]) {
            printf("value %zu is %g, not %g\n", i, (double)got[i], (double)expected[i]);
            return 1;
        }
    printf("%zu values are right\n", n);
    return 0;
}

/* A graph: node v has v % 37 arcs, or 200 if v % 100 is 7. */
static int *make_rows(int n)
{
    int *row = (int *)malloc((n + 1) * sizeof(int));

    row[0] = 0;
    for (int v = 0; v < n; v++)
        row[v + 1] = row[v] + (v % 100 == 7 ? 200 : v % 37);
    return row;
}
