/*
 * device.h - the devices that a worker can compute on: this machine's GPUs and its CPU.
 */
#pragma once

#include "io/base/pool.h"
#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { DEVICE_CPU, DEVICE_CUDA, DEVICE_N_KINDS } device_kind_t;

#define DEVICE_BIT(kind) (1u << (kind))

/* SIMD_128: 16-byte vectors, SSE4.1 or NEON */
typedef enum { SIMD_NONE, SIMD_128, SIMD_AVX2, SIMD_AVX512 } simd_level_t;

enum { DEVICE_NAME_BYTES = 96, DEVICE_UUID_BYTES = 44, DEVICES_MAX = 64 };

typedef struct {
    device_kind_t kind;
    int index;                    /* a GPU: among those that this process sees */
    char name[DEVICE_NAME_BYTES]; /* as given by the vendor */
    char uuid[DEVICE_UUID_BYTES]; /* "GPU-..."; empty for a CPU */
    int64_t memory_bytes;         /* a GPU: its own; a CPU: what the process may use */
    int n_cores;                  /* a GPU: multiprocessors; a CPU: usable processors */
    simd_level_t simd;            /* a CPU: the widest usable level */
    int capability;               /* a GPU: its compute capability, 90 for 9.0 */
} device_t;

/* @return whether it has memory of its own, and threads of the host wait for it.  What
 * else differs by kind is in the rows of backends, and in tables by kind. */
static inline bool device_kind_is_gpu(device_kind_t kind)
{
    return kind != DEVICE_CPU;
}

static inline bool device_is_gpu(const device_t *device)
{
    return device_kind_is_gpu(device->kind);
}

/* "cpu" and "cuda", as on the command line */
extern const char *const device_kind_name[DEVICE_N_KINDS];

/* @param option  of --device: "auto", "cpu", "cuda" or "cuda:I"
 * @return the kinds that it allows, bits of DEVICE_BIT; 0: it is none of these */
unsigned device_option_kinds(const char *option);

/* @return how many parts of a device a rate per unit counts for: the threads of a pool,
 * or one GPU */
int device_n_units(device_kind_t kind, const pool_t *pool);

/* @return the CPU, with the processors of this process's affinity mask and its limit of
 * memory (io/base/memory_limit.h) */
device_t device_cpu(void);

/* @return "none", "sse4.1" or "neon", "avx2", "avx512" */
const char *device_simd_name(simd_level_t level);

/* @return the levels that this build has code for, or "none" */
const char *device_simd_built(void);

/*
 * List the GPUs that this process may use and that this build has code for.
 *
 * @param out  [DEVICES_MAX] the GPUs found
 * @return their number; 0 without a GPU, a driver, or CUDA in this build
 */
int device_list_cuda(device_t *out);

/*
 * Create a GPU's context ahead of its first use, which takes some tenths of a second.
 *
 * Any thread may call it.  It does nothing for a CPU; errors are left to the first use.
 */
void device_open(const device_t *device);

/* @return bytes of a GPU's memory that nothing takes now; 0: unknown.  It begins CUDA. */
int64_t device_free_bytes(const device_t *device);

/* Limit what this process allocates on GPUs, all together, before it allocates any: they
 * seem to have no more. */
void device_set_quota(int64_t bytes);

/* @return a GPU's memory, or the limit, whichever is less */
int64_t device_within_quota(int64_t bytes);

/* Memory of a GPU that somebody else has allocated, in this process. */

/* An array there. */
typedef struct {
    const char *name; /* for messages: "pairs" */
    const void *at;
    size_t bytes;
} device_array_t;

/*
 * Copy an array from a GPU, or to it.
 *
 * @param stream  a cudaStream_t, whose work on the array the copy waits for; NULL: the
 *                default one
 * @return ST_OK, ST_EUSAGE (logged: it is in no memory of this GPU), ST_EDEVICE or
 *         ST_ELOST
 */
status_t device_get(const device_t *gpu, const device_array_t *from, void *stream,
                    void *to) MUST_CHECK;
status_t device_put(const device_t *gpu, const void *from, void *stream,
                    const device_array_t *to) MUST_CHECK;

/* @return the GPU that the calling thread uses, by its index; -1: none */
int device_in_use(void);

/* Have the calling thread use it again. */
void device_use_again(int index);

/* @return why device_list_cuda found none, never NULL */
const char *device_cuda_absence(void);
