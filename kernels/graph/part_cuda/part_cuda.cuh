/*
 * part_cuda.cuh - the frame of the algorithms of a gang on GPUs.
 *
 * Each algorithm is one part_cuda_algorithm_t, in a file of its own; its state is a
 * struct of its own that begins with a part_cuda_t.
 */
#pragma once

#include "kernels/graph/cuda/cuda_adapt.cuh"
#include "kernels/graph/cuda/cuda_loop.cuh"

extern "C" {
#include "kernels/graph/part/part_backend.h"
#include "kernels/graph/part/part_comm.h"
}

/* What all algorithms keep. */
struct part_cuda_t {
    part_context_t context;
    cuda_memory_t memory; /* freed with the state */
    part_comm_t comm;     /* of host data; what the others take counts here, too */
    void *staged;         /* host memory, where the gang works on that */
    size_t staged_bytes;
};

/* With functions as those of part_backend_t; the device is set. */
struct part_cuda_algorithm_t {
    size_t state_bytes; /* of a struct that begins with a part_cuda_t; set to 0 */
    status_t (*begin)(part_cuda_t *state, int64_t k); /* also allocates */
    status_t (*step)(part_cuda_t *state, int64_t k, part_step_report_t *out);
    status_t (*fetch)(part_cuda_t *state);
    void (*destroy)(part_cuda_t *state); /* frees host memory; or nullptr */
};

extern const part_cuda_algorithm_t part_cuda_pagerank, part_cuda_components,
    part_cuda_bfs;

/* Collective operations on device memory, as gang_t has them, whatever memory the gang
 * works on.  They wait for the device. */
status_t part_cuda_exchange(part_cuda_t *c, const void *in, const int64_t *send_len,
                            const int64_t *send_at, void *out, const int64_t *recv_len,
                            const int64_t *recv_at) MUST_CHECK;
status_t part_cuda_gather(part_cuda_t *c, const void *in, const int64_t *len, void *out,
                          const int64_t *at) MUST_CHECK;

/* Copy rows to the device; first comes with them from 0. */
status_t part_cuda_put_rows(part_cuda_t *c, const csr_rows_t *rows,
                            cuda_graph_t *out) MUST_CHECK;

/* Choose the template of loops over rows, and allocate what they write. */
status_t part_cuda_create_loop(part_cuda_t *c, const cuda_graph_t &rows,
                               cuda_loop_t *out) MUST_CHECK;

/* Set the lengths of the loop's queues to 0, before a kernel. */
status_t part_cuda_reset_loop(const cuda_loop_t &loop) MUST_CHECK;

inline int part_cuda_cores(const part_cuda_t *c)
{
    return c->context.device->n_cores;
}

/* Copy n elements to the host, or from it. */
template <typename T> status_t part_cuda_get(T *to, const void *from, int64_t n)
{
    return CUDA_TRY(
        cudaMemcpy(to, from, static_cast<size_t>(n) * sizeof(T), cudaMemcpyDeviceToHost));
}

template <typename T> status_t part_cuda_put(void *to, const T *from, int64_t n)
{
    return CUDA_TRY(
        cudaMemcpy(to, from, static_cast<size_t>(n) * sizeof(T), cudaMemcpyHostToDevice));
}
