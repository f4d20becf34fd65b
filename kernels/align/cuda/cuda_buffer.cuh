/*
 * cuda_buffer.cuh - memory that grows on demand, on the device and pinned on the host,
 * and the arrays that share a block of it.
 *
 * Scratch memory is reserved anew for every batch and kept between batches, so that only
 * a batch larger than all before it allocates.  A buffer that grows gets a quarter more
 * than it needs: batches vary a little, and freeing memory waits for all that is in
 * flight.
 */
#pragma once

#include "kernels/device/cuda_host.cuh"

#include <cassert>
#include <cstdint>

/* @return how much to allocate for `needed` bytes or elements, when there is room for
 *         `held`, which is less */
inline size_t cuda_buffer_grown(size_t held, size_t needed)
{
    return held == 0 ? needed : needed + needed / 4;
}

/* Device memory.  Zero-initialise it before the first use. */
struct cuda_buffer_t {
    void *at;
    size_t bytes;
};

/* Make a buffer hold at least `bytes`.  Its contents are lost if it has to grow. */
status_t cuda_buffer_reserve(cuda_buffer_t *buffer, size_t bytes);

/* Free the memory; the buffer can be reserved again. */
void cuda_buffer_free(cuda_buffer_t *buffer);

/* The same of pinned host memory. */
struct cuda_pinned_t {
    void *at;
    size_t bytes;
    pool_t *pool;     /* threads that share the work of growing; NULL: the caller alone */
    bool is_pageable; /* not pinned, for comparison */
};

status_t cuda_pinned_reserve(cuda_pinned_t *buffer, size_t bytes);
void cuda_pinned_free(cuda_pinned_t *buffer);

enum { CUDA_SCRATCH_ARRAYS = 20, CUDA_SCRATCH_ALIGN = 256 };

/* Arrays that share a block of memory: where the address of each goes, and its place in
 * the block.  Zero-initialise it, add the arrays, and then place them. */
struct cuda_scratch_t {
    struct {
        void *address;
        size_t at;
    } arrays[CUDA_SCRATCH_ARRAYS];
    int n;
    size_t bytes; /* of the block */
};

/* Add an array of n elements. @param address  written when the arrays are placed */
template <typename T> void cuda_scratch_add(cuda_scratch_t *s, T **address, int64_t n)
{
    const size_t bytes = static_cast<size_t>(n) * sizeof(T);

    assert(s->n < CUDA_SCRATCH_ARRAYS);
    s->arrays[s->n].address = address;
    s->arrays[s->n++].at = s->bytes;
    s->bytes += (bytes / CUDA_SCRATCH_ALIGN + 1) * CUDA_SCRATCH_ALIGN;
}

/* Place the arrays in a block of the host or the device; NULL: there is none yet. */
void cuda_scratch_place(const cuda_scratch_t *s, void *block);

/* Reserve a buffer for the arrays, and place them there. */
status_t cuda_scratch_reserve(const cuda_scratch_t *s, cuda_buffer_t *buffer);
