/*
 * cuda_module.h - machine code that was compiled while the program runs (nvrtc.h), on a
 * GPU: its functions, memory and copies.
 *
 * The driver's library is opened when it is first needed.  All calls are of one thread;
 * what they start runs in the order of the calls.  Errors are logged: ST_ELOST after one
 * that costs the GPU, ST_ENOMEM without memory there, else ST_EDEVICE.
 */
#pragma once

#include "io/base/buf.h"
#include "kernels/device/device.h"

typedef struct cuda_module cuda_module_t;

/* An address on the GPU; 0: none. */
typedef uint64_t cuda_address_t;

typedef struct cuda_function cuda_function_t; /* the driver's */

/* Load machine code. @param device  a GPU of device_list_cuda */
status_t cuda_module_open(const device_t *device, const buf_t *cubin,
                          cuda_module_t **out) MUST_CHECK;

/* Unload it, with all of its memory freed before.  Takes NULL. */
void cuda_module_close(cuda_module_t *m);

/* Have the calling thread use the GPU from now on. */
status_t cuda_module_use(cuda_module_t *m) MUST_CHECK;

status_t cuda_module_function(cuda_module_t *m, const char *name,
                              cuda_function_t **out) MUST_CHECK;

/* @param bytes  that the variable must have */
status_t cuda_module_variable(cuda_module_t *m, const char *name, size_t bytes,
                              cuda_address_t *out) MUST_CHECK;

/* @return bytes of the GPU's memory that are free, or 0 */
size_t cuda_module_free_bytes(cuda_module_t *m);

status_t cuda_module_alloc(cuda_module_t *m, size_t bytes,
                           cuda_address_t *out) MUST_CHECK;
void cuda_module_free(cuda_module_t *m, cuda_address_t at);

/* Allocate memory of the host that is copied without staging. */
status_t cuda_module_alloc_host(cuda_module_t *m, size_t bytes, void **out) MUST_CHECK;
void cuda_module_free_host(cuda_module_t *m, void *memory);

/* Copy from the host, or to it; the memory may be used as soon as the call returns. */
status_t cuda_module_put(cuda_module_t *m, cuda_address_t to, const void *from,
                         size_t bytes) MUST_CHECK;
status_t cuda_module_get(cuda_module_t *m, void *to, cuda_address_t from,
                         size_t bytes) MUST_CHECK;

/* Start to copy from memory of cuda_module_alloc_host, which is read until the GPU has
 * come to it. */
status_t cuda_module_put_later(cuda_module_t *m, cuda_address_t to, const void *from,
                               size_t bytes) MUST_CHECK;

/* Start to fill with zeros. */
status_t cuda_module_zero(cuda_module_t *m, cuda_address_t at, size_t bytes) MUST_CHECK;

/* Start a function. @param params  pointers to its arguments, or NULL: it has none */
status_t cuda_module_launch(cuda_module_t *m, cuda_function_t *f, int64_t n_blocks,
                            int n_threads, void **params) MUST_CHECK;

/* Wait for all that was started. */
status_t cuda_module_wait(cuda_module_t *m) MUST_CHECK;
