/*
 * rg_native.h - graph programs as machine code: emitted as C, compiled by the system's
 * compiler, and loaded.  They compute the same bytes as rg_run.
 */
#pragma once

#include "graph/program/rg_run.h"
#include "io/base/pool.h"

typedef struct rg_native rg_native_t;

/*
 * Compile and load a program.
 *
 * The compiler is $CC, or cc.  What it reads and makes is in memory.
 *
 * @param is_optional  say why it failed under -v only
 * @return ST_OK, ST_ENOMEM, or ST_EDEVICE: there is no compiler, or it failed
 */
status_t rg_native_create(const rg_program_t *program, bool is_optional,
                          rg_native_t **out) MUST_CHECK;

/* As rg_run, by the threads of a pool. @param pool  or NULL */
status_t rg_native_run(const rg_native_t *native, const rg_input_t *input, pool_t *pool,
                       rg_result_t *out) MUST_CHECK;

/* Takes NULL. */
void rg_native_destroy(rg_native_t *native);
