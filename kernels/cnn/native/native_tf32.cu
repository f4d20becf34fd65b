/*
 * native_tf32.cu - products of matrices on tensor cores, of factors with 10 bits of
 * mantissa.
 */
#include "kernels/cnn/native/native_multiply.cuh"

status_t native_multiply_tf32(native_op_t op, int columns, bool aligned,
                              const native_problem_t *p, cudaStream_t stream)
{
    return native_multiply<float, NATIVE_TF32>(op, columns, aligned, p, stream);
}
