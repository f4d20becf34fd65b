/*
 * nvrtc.h - CUDA C++ to machine code by NVRTC, NVIDIA's compiler library, which is opened
 * when it is first needed.  It needs neither a GPU nor another compiler.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>

enum { NVRTC_WHY_BYTES = 512 };

/*
 * Compile a text.
 *
 * Numbers are those of IEEE 754: a * b + c is rounded twice.  <stdint.h>, <stdbool.h>,
 * <stddef.h> and <math.h> have the types and constants that device code can use.
 *
 * @param source      with a NUL
 * @param capability  of the GPU: 90 for 9.0
 * @param cubin       out, the caller's
 * @param why         out, on ST_EDEVICE
 * @return ST_OK, ST_ENOMEM (logged), or ST_EDEVICE: there is no NVRTC, or it refuses the
 *         text or the GPU
 */
status_t nvrtc_compile(const char *source, int capability, buf_t *cubin,
                       char why[NVRTC_WHY_BYTES]) MUST_CHECK;

/* @return whether the library is there; why: out, if not */
bool nvrtc_is_there(char why[NVRTC_WHY_BYTES]);
