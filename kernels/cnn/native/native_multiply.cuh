/*
 * native_multiply.cuh - the kernel: tiles flow through shared memory in STAGES stages.
 */
#pragma once

#include "kernels/cnn/native/native_fragments.cuh"
#include "kernels/cnn/native/native_load.cuh"

constexpr int NATIVE_STAGES = 3;

template <typename T, native_math_t MATH, int COLUMNS, bool A_DEEP, bool B_DEEP>
struct native_sums_t {
    typedef native_tensor_t<T, COLUMNS, A_DEEP, B_DEEP> type;
};

template <int COLUMNS, bool A_DEEP, bool B_DEEP>
struct native_sums_t<float, NATIVE_STRICT, COLUMNS, A_DEEP, B_DEEP> {
    typedef native_single_t<COLUMNS, A_DEEP, B_DEEP> type;
};

template <typename T>
__device__ inline void native_store(const native_problem_t &p, int group, int part,
                                    int row, int column, float sum)
{
    if (row >= p.rows || column >= p.columns)
        return;
    if (p.n_parts > 1) {
        p.sums[((int64_t(part) * p.n_groups + group) * p.rows + row) * p.columns +
               column] = sum;
        return;
    }
    if (p.bias != nullptr)
        sum += p.bias[group * p.columns + column];
    if (p.relu && !(sum > 0))
        sum = 0;
    const int64_t at = int64_t(row) * p.d_row + int64_t(group) * p.d_group + column;

    if (p.d_is_float)
        static_cast<float *>(p.d)[at] = sum;
    else
        cnn_store(&static_cast<T *>(p.d)[at], sum);
}

/* Block (rows, columns, group and part of the depth) */
template <typename T, native_math_t MATH, native_op_t OP, int COLUMNS, int WIDTH>
__global__ void __launch_bounds__(NATIVE_THREADS, MATH == NATIVE_STRICT ? 1 : 2)
    native_multiply_kernel(const __grid_constant__ native_problem_t p)
{
    typedef native_loaders_t<T, OP, COLUMNS, WIDTH> loaders_t;
    typedef typename loaders_t::a_t a_t;
    typedef typename loaders_t::b_t b_t;
    constexpr int A = NATIVE_TILE<T, NATIVE_ROWS, a_t::DEEP>;
    constexpr int B = NATIVE_TILE<T, COLUMNS, b_t::DEEP>;
    extern __shared__ __align__(16) char shared[];
    T *tiles = reinterpret_cast<T *>(shared);
    const int group = int(blockIdx.z) % p.n_groups, part = int(blockIdx.z) / p.n_groups;
    const int row0 = int(blockIdx.x) * NATIVE_ROWS, column0 = int(blockIdx.y) * COLUMNS;
    const int depth0 = part * p.part_depth;
    const int end = min(p.depth, depth0 + p.part_depth);
    const int n_tiles = (end - depth0 + NATIVE_DEPTH<T> - 1) / NATIVE_DEPTH<T>;
    typename native_sums_t<T, MATH, COLUMNS, a_t::DEEP, b_t::DEEP>::type sums;
    a_t a;
    b_t b;

    a.begin(p, row0, group);
    b.begin(p, column0, group);
    sums.clear();
    for (int k = 0; k < n_tiles + NATIVE_STAGES - 1; k++) {
        const int now = k - (NATIVE_STAGES - 1);

        if (now >= 0) {
            native_copies_wait<NATIVE_STAGES - 2>();
            __syncthreads(); /* tile `now` is there, and nobody reads the one before */
        }
        if (k < n_tiles) {
            T *tile = tiles + k % NATIVE_STAGES * (A + B);

            a.load(p, tile, depth0 + k * NATIVE_DEPTH<T>, end);
            b.load(p, tile + A, depth0 + k * NATIVE_DEPTH<T>, end);
        }
        native_copies_begun();
        if (now >= 0) {
            const T *tile = tiles + now % NATIVE_STAGES * (A + B);

            sums.multiply(tile, tile + A);
        }
    }
    sums.each([&](int row, int column, float sum) {
        native_store<T>(p, group, part, row0 + row, column0 + column, sum);
    });
}

template <typename T, native_math_t MATH, native_op_t OP, int COLUMNS, int WIDTH>
status_t native_launch(const native_problem_t *p, cudaStream_t stream)
{
    typedef native_loaders_t<T, OP, COLUMNS, WIDTH> loaders_t;
    constexpr int BYTES = int(sizeof(T)) * NATIVE_STAGES *
                          (NATIVE_TILE<T, NATIVE_ROWS, loaders_t::a_t::DEEP> +
                           NATIVE_TILE<T, COLUMNS, loaders_t::b_t::DEEP>);
    const auto kernel = native_multiply_kernel<T, MATH, OP, COLUMNS, WIDTH>;
    const dim3 grid(unsigned((p->rows + NATIVE_ROWS - 1) / NATIVE_ROWS),
                    unsigned((p->columns + COLUMNS - 1) / COLUMNS),
                    unsigned(p->n_groups * p->n_parts));
    const status_t st = CUDA_TRY(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));

    if (st != ST_OK)
        return st;
    kernel<<<grid, NATIVE_THREADS, BYTES, stream>>>(*p);
    return CUDA_TRY(cudaGetLastError());
}

template <typename T, native_math_t MATH, native_op_t OP>
status_t native_choose(int columns, bool aligned, const native_problem_t *p,
                       cudaStream_t stream)
{
    constexpr int W = CNN_WIDTH<T>;

    if (!aligned)
        return native_launch<T, MATH, OP, 64, 1>(p, stream);
    return columns == 64 ? native_launch<T, MATH, OP, 64, W>(p, stream)
                         : native_launch<T, MATH, OP, 128, W>(p, stream);
}

template <typename T, native_math_t MATH>
status_t native_multiply(native_op_t op, int columns, bool aligned,
                         const native_problem_t *p, cudaStream_t stream)
{
    switch (op) {
    case NATIVE_DATA:
        return native_choose<T, MATH, NATIVE_DATA>(columns, aligned, p, stream);
    case NATIVE_FILTER:
        return native_choose<T, MATH, NATIVE_FILTER>(columns, aligned, p, stream);
    default:
        return native_choose<T, MATH, NATIVE_FORWARD>(columns, aligned, p, stream);
    }
}
