/*
 * refine_cuda.cuh - which states of an automaton are equivalent, on a GPU.
 */
#pragma once

#include "kernels/automata/cuda/cuda_area.cuh"

#include <cstdint>

/* Memory that is used again for the next automaton; zero-initialise it. */
struct refine_memory_t {
    area_t next, block[2], slots, slot_of, is_first, rank, sum;
};

/* As `refine` of a subset_backend_t. */
status_t refine_cuda(refine_memory_t *m, const int32_t *next, int32_t n_states,
                     int32_t n_classes, const int *cancel, int32_t *block,
                     int32_t *n_blocks);

void refine_memory_free(refine_memory_t *m);
