/*
 * csr_merge_cuda.cu - a thread for each element of merge_element.h.
 */
extern "C" {
#include "io/base/clock.h"
#include "kernels/graph/update/csr_merge_gpu.h"
#include "kernels/graph/update/merge_element.h"
}

#include "kernels/device/cuda_put.cuh"

#include <cub/device/device_scan.cuh>
#include <vector>

namespace
{

enum { THREADS = 256 };

#define MERGE_KERNEL(name)                                                          \
    __global__ void name##_kernel(const merge_t m, int64_t n)                       \
    {                                                                               \
        const int64_t k = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; \
                                                                                    \
        if (k < n)                                                                  \
            merge_##name(&m, k);                                                    \
    }

MERGE_KERNEL(place_added)
MERGE_KERNEL(find_gone)
MERGE_KERNEL(list_gone)
MERGE_KERNEL(begin_tile)
MERGE_KERNEL(new_first)
MERGE_KERNEL(move_arc)
MERGE_KERNEL(put_added)

status_t launch(void (*kernel)(merge_t, int64_t), const merge_t &m, int64_t n)
{
    if (n == 0)
        return ST_OK;
    kernel<<<static_cast<unsigned>((n + THREADS - 1) / THREADS), THREADS>>>(m, n);
    return CUDA_TRY(cudaGetLastError());
}

/* Memory of the GPU, which is freed together. */
struct arrays_there_t {
    std::vector<void *> all;

    ~arrays_there_t()
    {
        for (void *at : all)
            cudaFree(at);
    }

    template <typename T> status_t reserve(int64_t n, T **out)
    {
        void *at = nullptr;
        const status_t st =
            CUDA_TRY(cudaMalloc(&at, static_cast<size_t>(n) * sizeof(T) + 1));

        if (st == ST_OK)
            all.push_back(at);
        *out = static_cast<T *>(at);
        return st;
    }

    /* @param from  NULL: nothing is copied */
    template <typename T> status_t copy(const T *from, int64_t n, const T **out)
    {
        T *at = nullptr;
        status_t st = from != nullptr ? reserve(n, &at) : ST_OK;

        if (st == ST_OK && from != nullptr)
            st = cuda_put(at, from, static_cast<size_t>(n) * sizeof(T));
        *out = at;
        return st;
    }

    status_t copy_rows(const csr_t *g, merge_rows_t *out)
    {
        status_t st = copy(g->first, g->n_nodes + 1, &out->first);

        out->n = g->first != nullptr ? g->n_arcs : 0;
        if (st == ST_OK)
            st = copy(g->to, out->n, &out->to);
        if (st == ST_OK)
            st = copy(g->weight, out->n, &out->weight);
        return st == ST_OK ? copy(g->value, out->n, &out->value) : st;
    }
};

int64_t n_tiles(const merge_t &m)
{
    return (m.old.n + MERGE_TILE - 1) / MERGE_TILE;
}

/* Copy what is merged, and reserve what does not depend on what is removed. */
status_t begin(const csr_merge_t *from, arrays_there_t *there, merge_t *m)
{
    const bool is_same = from->n_nodes == from->old->n_nodes;
    status_t st = there->copy_rows(from->old, &m->old);

    m->n_old = from->old->n_nodes;
    m->n_nodes = from->n_nodes;
    if (st == ST_OK)
        st = there->copy_rows(&from->add, &m->add);
    if (st == ST_OK)
        st = there->copy_rows(&from->remove, &m->remove);
    if (st == ST_OK)
        st = there->copy(is_same ? nullptr : from->moved, m->n_old, &m->moved);
    if (st == ST_OK)
        st = there->copy(is_same ? nullptr : from->below, m->n_nodes + 1, &m->below);
    if (st == ST_OK)
        st = there->reserve(m->add.n, &m->place);
    if (st == ST_OK)
        st = there->reserve(m->remove.n, &m->gone_at);
    if (st == ST_OK)
        st = there->reserve(m->remove.n + 1, &m->n_gone);
    if (st == ST_OK)
        st = there->reserve(m->remove.n + 1, &m->first_gone);
    if (st == ST_OK)
        st = there->reserve(m->old.n, &m->gone);
    if (st == ST_OK)
        st = there->reserve(n_tiles(*m) + 1, &m->tile_place);
    return st == ST_OK ? there->reserve(n_tiles(*m) + 1, &m->tile_gone) : st;
}

/* Find the old arcs that are removed. @param space  of the sum */
status_t find_gone(merge_t *m, void *space, size_t bytes)
{
    status_t st;

    if (m->remove.n == 0)
        return ST_OK;
    if ((st = CUDA_TRY(cudaMemset(m->n_gone + m->remove.n, 0, sizeof(*m->n_gone)))) !=
            ST_OK ||
        (st = launch(find_gone_kernel, *m, m->remove.n)) != ST_OK ||
        (st = CUDA_TRY(cub::DeviceScan::ExclusiveSum(space, bytes, m->n_gone,
                                                     m->first_gone, m->remove.n + 1))) !=
            ST_OK ||
        (st = launch(list_gone_kernel, *m, m->remove.n)) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemcpy(&m->n_gone_all, m->first_gone + m->remove.n,
                               sizeof(m->n_gone_all), cudaMemcpyDeviceToHost));
}

status_t write_rows(const merge_t &m)
{
    status_t st = launch(begin_tile_kernel, m, n_tiles(m) + 1);

    if (st == ST_OK)
        st = launch(new_first_kernel, m, m.n_nodes + 1);
    if (st == ST_OK)
        st = launch(move_arc_kernel, m, m.old.n);
    if (st == ST_OK)
        st = launch(put_added_kernel, m, m.add.n);
    return st == ST_OK ? CUDA_TRY(cudaDeviceSynchronize()) : st;
}

/* Reserve the new rows: at most all arcs stay. */
status_t reserve_rows(arrays_there_t *there, merge_t *m)
{
    const bool has_value = m->old.value != nullptr || m->add.value != nullptr;
    const bool has_weight = m->old.weight != nullptr || m->add.weight != nullptr;
    const int64_t n = m->old.n + m->add.n;
    status_t st = there->reserve(m->n_nodes + 1, &m->first);

    if (st == ST_OK)
        st = there->reserve(n, &m->to);
    if (st == ST_OK && has_weight && !has_value)
        st = there->reserve(n, &m->weight);
    return st == ST_OK && has_value ? there->reserve(n, &m->value) : st;
}

template <typename T> status_t fetch(T *to, const T *from, int64_t n)
{
    return from != nullptr
               ? CUDA_TRY(cudaMemcpy(to, from, static_cast<size_t>(n) * sizeof(T),
                                     cudaMemcpyDeviceToHost))
               : ST_OK;
}

status_t fetch_rows(const merge_t &m, csr_t *out)
{
    const int64_t n = m.old.n - m.n_gone_all + m.add.n;
    csr_t g = {};
    status_t st = csr_create(m.n_nodes, n, m.weight != nullptr, m.value != nullptr, &g);

    if (st == ST_OK)
        st = fetch(g.first, m.first, m.n_nodes + 1);
    if (st == ST_OK)
        st = fetch(g.to, m.to, n);
    if (st == ST_OK)
        st = fetch(g.weight, m.weight, n);
    if (st == ST_OK)
        st = fetch(g.value, m.value, n);
    if (st == ST_OK)
        *out = g;
    else
        csr_free(&g);
    return st;
}

} // namespace

extern "C" status_t csr_merge_on_gpu(void *ctx, const csr_merge_t *from, csr_t *out)
{
    csr_merge_gpu_t *gpu = static_cast<csr_merge_gpu_t *>(ctx);
    const double begin_s = clock_now_s();
    arrays_there_t there;
    merge_t m = {};
    char *space = nullptr;
    size_t bytes = 0;
    double kernels_s = 0;
    status_t st = CUDA_TRY(cudaSetDevice(gpu->index));

    if (st == ST_OK)
        st = begin(from, &there, &m);
    if (st == ST_OK)
        st = reserve_rows(&there, &m);
    if (st == ST_OK)
        st = CUDA_TRY(cub::DeviceScan::ExclusiveSum(nullptr, bytes, m.n_gone,
                                                    m.first_gone, m.remove.n + 1));
    if (st == ST_OK)
        st = there.reserve(static_cast<int64_t>(bytes), &space);
    kernels_s = clock_now_s();
    if (st == ST_OK)
        st = launch(place_added_kernel, m, m.add.n);
    if (st == ST_OK)
        st = find_gone(&m, space, bytes);
    if (st == ST_OK)
        st = write_rows(m);
    gpu->seconds = clock_now_s() - kernels_s;
    if (st == ST_OK)
        st = fetch_rows(m, out);
    gpu->copying_s = clock_now_s() - begin_s - gpu->seconds;
    return st;
}
