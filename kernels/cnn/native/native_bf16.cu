/*
 * native_bf16.cu - products of matrices on tensor cores, of bf16.
 */
#include "kernels/cnn/native/native_multiply.cuh"

status_t native_multiply_bf16(native_op_t op, int columns, bool aligned,
                              const native_problem_t *p, cudaStream_t stream)
{
    return native_multiply<bf16_t, NATIVE_BF16>(op, columns, aligned, p, stream);
}
