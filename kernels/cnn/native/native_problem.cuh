/*
 * native_problem.cuh - convolutions and fully connected layers as products of matrices.
 *
 * With channels last, per group, rows times columns over a depth:
 *   forward  y[pixel][out]     = sum of x[pixel + tap][in] w[out][tap][in]
 *   data     dx[pixel][in]     = sum of dy[pixel - tap][out] w[out][tap][in]
 *   filter   dw[out][tap][in]  = sum of dy[pixel][out] x[pixel + tap][in]
 * A fully connected layer is a convolution of images of one pixel.  The depth may be
 * split between blocks, whose sums are added in a fixed order afterwards.
 */
#pragma once

#include "kernels/cnn/cuda/cnn_divide.cuh"
#include "kernels/device/cuda_try.cuh"

typedef enum { NATIVE_FORWARD, NATIVE_DATA, NATIVE_FILTER } native_op_t;
typedef enum { NATIVE_STRICT, NATIVE_TF32, NATIVE_BF16 } native_math_t;

typedef struct {
    int h, w, c;         /* of x; channels of a group */
    int out_h, out_w, k; /* of y */
    int tap_h, tap_w;
    int stride_h, stride_w, pad_h, pad_w;
    int c_all, k_all; /* channels of all groups: distance of pixels */
    int rows, columns, depth;
    int n_parts, part_depth; /* the depth of one block: a multiple of a tile's */
    int n_groups;
    cnn_divisor_t by_c, by_k, by_tap_w, by_w, by_hw, by_out_w, by_out_hw;
    const void *a, *b;
    void *d; /* rows x columns, of the operands' type or of 32-bit floats */
    bool d_is_float;
    int d_row;         /* elements from a row of d to the next */
    int d_group;       /* and from a group to the next */
    float *sums;       /* [n_parts][n_groups][rows][columns], where n_parts > 1 */
    const float *bias; /* [n_groups * columns] or NULL */
    bool relu;
} native_problem_t;

constexpr int NATIVE_ROWS = 128; /* of a tile */

/*
 * Multiply.
 *
 * @param columns  64 or 128: of a tile
 * @param aligned  operands allow copies of 16 bytes
 */
status_t native_multiply_strict(native_op_t op, int columns, bool aligned,
                                const native_problem_t *p, cudaStream_t stream);
status_t native_multiply_tf32(native_op_t op, int columns, bool aligned,
                              const native_problem_t *p, cudaStream_t stream);
status_t native_multiply_bf16(native_op_t op, int columns, bool aligned,
                              const native_problem_t *p, cudaStream_t stream);
