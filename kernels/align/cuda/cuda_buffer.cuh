/*
 * cuda_buffer.cuh - memory that grows on demand, on the device and pinned on the host.
 *
 * Scratch memory is reserved anew for every batch and kept between batches, so that only
 * a batch larger than all before it allocates.  A buffer that grows gets a quarter more
 * than it needs: batches vary a little, and freeing memory waits for all that is in
 * flight.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_BUFFER_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_BUFFER_CUH

#include "kernels/device/cuda_try.cuh"

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
};

status_t cuda_pinned_reserve(cuda_pinned_t *buffer, size_t bytes);
void cuda_pinned_free(cuda_pinned_t *buffer);

/* Divides a block of memory into arrays.  With base NULL it only measures: every array is
 * NULL, and `bytes` at the end is the size of the block that the same calls need. */
struct cuda_carver_t {
    void *base;
    size_t bytes; /* taken so far */
};

enum { CUDA_CARVE_ALIGN = 256 };

/* @return the next array, of n elements */
template <typename T> T *cuda_carve(cuda_carver_t *c, int64_t n)
{
    char *at = static_cast<char *>(c->base);
    const size_t bytes = static_cast<size_t>(n) * sizeof(T);

    if (at != nullptr)
        at += c->bytes;
    c->bytes += (bytes / CUDA_CARVE_ALIGN + 1) * CUDA_CARVE_ALIGN;
    return reinterpret_cast<T *>(at);
}

#endif
