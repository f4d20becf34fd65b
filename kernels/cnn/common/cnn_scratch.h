/*
 * cnn_scratch.h - what the kernels of a GPU take beside a network's arena, by its sizes.
 *
 * Here, and not in CUDA, so that `ribogrid cnn plan` plans for a GPU that the machine
 * lacks.
 */
#pragma once

#include "kernels/cnn/common/cnn_program.h"

enum { CNN_SCRATCH_MAX_LANES = 4, CNN_SCRATCH_PIECE = 1 << 24 };

/* @return how many steps may run side by side */
int cnn_scratch_lanes(const cnn_program_t *program);

/* @return the limit of a lane's workspace: a part of the memory that there is.  Where
 * factors are rounded, few algorithms need much; a step of these may have more in the
 * arena, where it is idle. */
size_t cnn_scratch_workspace(cnn_math_t math, size_t memory_bytes);

/* Find the largest part of the arena that no tensor has at a step.
 * @param offset  out: where it begins, 256-byte aligned
 * @return its bytes */
size_t cnn_scratch_idle(const cnn_program_t *program, int step, size_t *offset);

/* @return bytes of a tensor on their way between host and device at once: of images a
 * quarter, which is all where they are bytes, of others a piece */
size_t cnn_scratch_staging(const cnn_tensor_t *tensor);

/* @return all of that, and tables */
size_t cnn_scratch_bytes(const cnn_program_t *program, size_t memory_bytes);
