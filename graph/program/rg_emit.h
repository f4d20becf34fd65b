/*
 * rg_emit.h - writes a graph program as one file of C, or its kernels as one of CUDA C++.
 *
 * A file of C is rg_abi.h, tree_sum.h and the runtime, then a function for each foreach
 * that is not in another one and goes through nodes, whose pieces run in parallel, then
 * rg_main.  What is declared outside of them is a static variable.
 */
#pragma once

#include "graph/program/rg_program.h"
#include "io/base/buf.h"

/* @param out  the text, appended, without a NUL. @return ST_OK or ST_ENOMEM */
status_t rg_emit_c(const rg_program_t *program, buf_t *out) MUST_CHECK;

/* The kernels of rg_choose_kernels, with rg_gpu_abi.h. */
status_t rg_emit_cuda(const rg_program_t *program, buf_t *out) MUST_CHECK;
