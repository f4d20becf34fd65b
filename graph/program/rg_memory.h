/*
 * rg_memory.h - what a GPU has of a running program: arrays of the graph, attributes and
 * collections, of which host and GPU have the same values, or one of them newer ones.
 *
 * They are copied when the other side needs them, as a whole.
 */
#pragma once

#include "graph/program/rg_gpu_abi.h"
#include "graph/program/rg_state.h"
#include "kernels/device/cuda_module.h"

/* An array on the GPU. */
typedef struct {
    cuda_address_t at;
    size_t capacity;
    size_t valid; /* bytes from the first on that are up to date there */
} rg_mirror_t;

typedef struct {
    rg_mirror_t array[3]; /* bits, count, list: a collection; else the first */
    bool is_newer;        /* the GPU's values are */
} rg_mirrors_t;

enum {
    RG_FIRST,
    RG_TO,
    RG_IN_FIRST,
    RG_IN_TO,
    RG_ID,
    RG_WEIGHT,
    RG_VALUE,
    RG_N_GRAPH_ARRAYS
};

typedef struct {
    cuda_module_t *module;
    rg_mirror_t graph[RG_N_GRAPH_ARRAYS];
    rg_mirrors_t *attribute; /* [n_attributes] */
    rg_mirrors_t *set;       /* [n_sets] */
} rg_memory_t;

/* @return bytes that a program's arrays take at first */
double rg_memory_bytes(const rg_program_t *program, const csr_t *graph);

/* @return ST_OK or ST_ENOMEM (logged). @param m  freed by rg_memory_free, also then */
status_t rg_memory_create(const rg_program_t *program, cuda_module_t *module,
                          rg_memory_t *m) MUST_CHECK;
void rg_memory_free(const rg_program_t *program, rg_memory_t *m);

/* Forget what the GPU has. */
void rg_memory_forget(const rg_program_t *program, rg_memory_t *m);

/* Likewise, then allocate what the kernels of a program use, and bring the graph to the
 * GPU. @return ST_OK, or an error of the GPU */
status_t rg_memory_begin(rg_memory_t *m, rg_state_t *s) MUST_CHECK;

/* @return what the GPU has of a symbol */
rg_mirrors_t *rg_memory_of(rg_memory_t *m, const rg_symbol_t *symbol);

/* Bring the values of a symbol to the host if the GPU's are newer.
 * @return ST_OK, or an error of the GPU */
status_t rg_memory_fetch(rg_memory_t *m, rg_state_t *s,
                         const rg_symbol_t *symbol) MUST_CHECK;

/* Bring what a kernel uses to the GPU, and write where it is there.
 * @param out  head, attributes and sets; the rest of the head is the caller's
 * @return ST_OK, or an error of the GPU */
status_t rg_memory_put(rg_memory_t *m, rg_state_t *s, const rg_kernel_t *k,
                       rg_gpu_launch_t *head, void **attribute, rg_set_t *set) MUST_CHECK;
