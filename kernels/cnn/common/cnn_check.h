/*
 * cnn_check.h - whether a program keeps the rules of cnn_op.h and cnn_program.h.
 */
#ifndef RIBOGRID_KERNELS_CNN_COMMON_CNN_CHECK_H
#define RIBOGRID_KERNELS_CNN_COMMON_CNN_CHECK_H

#include "io/base/buf.h"
#include "kernels/cnn/common/cnn_program.h"

/*
 * Check that every step has the tensors that its operation takes, with sizes that follow
 * from each other and from its parameters, and that no two tensors of the arena which are
 * alive at the same step overlap.  For tests and for backends in debug builds.
 *
 * @param why  NULL, or gets the first violation as text, without a NUL
 * @return whether there is none
 */
bool cnn_program_check(const cnn_program_t *program, buf_t *why);

#endif
