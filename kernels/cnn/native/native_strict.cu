/*
 * native_strict.cu - products of matrices by single multiplications of 32-bit floats.
 */
#include "kernels/cnn/native/native_multiply.cuh"

status_t native_multiply_strict(native_op_t op, int columns, bool aligned,
                                const native_problem_t *p, cudaStream_t stream)
{
    return native_multiply<float, NATIVE_STRICT>(op, columns, aligned, p, stream);
}
