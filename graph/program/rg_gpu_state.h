/*
 * rg_gpu_state.h - the kernels of a program that are loaded on a GPU, and what their
 * launches need.
 */
#pragma once

#include "graph/program/rg_gpu.h"
#include "graph/program/rg_memory.h"

/* Launches whose arguments may be on their way. */
enum { RG_GPU_SLOTS = 64 };

typedef struct {
    const rg_kernel_t *what;
    cuda_function_t *function;
} rg_loaded_t;

struct rg_gpu {
    const rg_program_t *program;
    cuda_module_t *module;
    rg_loaded_t *kernel; /* [n_kernels] */
    cuda_function_t *count_members;
    int n_cores;
    rg_memory_t memory;

    /* the arguments of launches: a variable of the kernels, and what becomes its value */
    cuda_address_t launch;
    size_t launch_bytes;
    char *slots; /* [RG_GPU_SLOTS * launch_bytes] */
    int n_slots; /* in use */
    int64_t n_launches;

    /* [found_bytes] rg_gpu_found_t, then results of blocks, there and here */
    cuda_address_t found;
    char *found_here;
    size_t found_bytes;
    cuda_address_t merged; /* [n_values] */
    bool is_pending;       /* kernels were launched since an error was looked for */
};

/* Make room for the results of blocks. @param bytes  of them
 * @return ST_OK, or an error of the GPU */
status_t rg_gpu_reserve(rg_gpu_t *gpu, size_t bytes) MUST_CHECK;
