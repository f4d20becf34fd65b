/*
 * cuda_spmv.cuh - sparse matrix times vector as an operation of the loops over rows.
 */
#pragma once

#include "kernels/graph/cuda/cuda_backend.cuh"

struct spmv_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = true;
    cuda_graph_t g;
    const double *x;
    double *y;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        row_begin(g, u, row);
        return true;
    }

    __device__ double term(uint32_t a) const
    {
        const double x_to = __ldg(&x[g.to[a]]);

        if (g.value != nullptr)
            return __dmul_rn(g.value[a], x_to);
        return g.weight != nullptr ? __dmul_rn(static_cast<double>(g.weight[a]), x_to)
                                   : x_to;
    }

    __device__ void finish(int u, double sum) const
    {
        y[u] = sum;
    }
};
