/*
 * rg_gpu.h - graph programs on a GPU: the interpreter, in which a foreach or an aggregate
 * over many nodes is a kernel.  They compute the same bytes as rg_run.
 *
 * Kernels are emitted as CUDA C++, compiled by NVRTC for the GPU, and loaded.
 */
#pragma once

#include "graph/program/rg_run.h"
#include "io/base/buf.h"
#include "kernels/device/device.h"

typedef struct rg_gpu rg_gpu_t;

/*
 * Compile the kernels of a program, and load them.
 *
 * @param graph        which the GPU must have the memory for
 * @param is_optional  say why it failed under -v only
 * @return ST_OK, ST_ENOMEM, ST_ELOST, or ST_EDEVICE: there is no NVRTC, the program has
 *         no kernel, or the GPU cannot
 */
status_t rg_gpu_create(const rg_program_t *program, const csr_t *graph,
                       const device_t *device, bool is_optional,
                       rg_gpu_t **out) MUST_CHECK;

/* As rg_run. @return also ST_EDEVICE or ST_ELOST */
status_t rg_gpu_run(rg_gpu_t *gpu, const rg_input_t *input, rg_result_t *out) MUST_CHECK;

/* Write which loops and aggregates a GPU computes, and which loops the host does, by
 * their lines.
 * @param out  "the GPU computes line 3, 7; the host line 12", with a NUL; appended
 * @return ST_OK or ST_ENOMEM */
status_t rg_gpu_describe(const rg_program_t *program, buf_t *out) MUST_CHECK;

/* Takes NULL. */
void rg_gpu_destroy(rg_gpu_t *gpu);
