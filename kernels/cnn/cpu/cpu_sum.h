/*
 * cpu_sum.h - sums of floats in 64 bits, in an order that vectors can keep.
 */
#ifndef RIBOGRID_KERNELS_CNN_CPU_CPU_SUM_H
#define RIBOGRID_KERNELS_CNN_CPU_CPU_SUM_H

#include <stdint.h>

enum { CPU_SUM_LANES = 8 };

static inline double cpu_sum_lanes(const double *lane)
{
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/* @return the sum of x[0 .. n-1] */
static inline double cpu_sum(const float *x, int64_t n)
{
    double lane[CPU_SUM_LANES] = {0};
    int64_t i = 0;

    for (; i + CPU_SUM_LANES <= n; i += CPU_SUM_LANES)
        for (int k = 0; k < CPU_SUM_LANES; k++)
            lane[k] += (double)x[i + k];
    for (; i < n; i++)
        lane[i % CPU_SUM_LANES] += (double)x[i];
    return cpu_sum_lanes(lane);
}

/* @return the sum of (x - shift) (y - shift_y) */
static inline double cpu_sum_products(const float *x, float shift, const float *y,
                                      float shift_y, int64_t n)
{
    double lane[CPU_SUM_LANES] = {0};
    int64_t i = 0;

    for (; i + CPU_SUM_LANES <= n; i += CPU_SUM_LANES)
        for (int k = 0; k < CPU_SUM_LANES; k++)
            lane[k] += (double)((x[i + k] - shift) * (y[i + k] - shift_y));
    for (; i < n; i++)
        lane[i % CPU_SUM_LANES] += (double)((x[i] - shift) * (y[i] - shift_y));
    return cpu_sum_lanes(lane);
}

#endif
