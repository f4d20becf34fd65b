/*
 * mesh_rounds_cuda.cu - rounds of refinement on a GPU: the mesh stays there until the
 * end.
 *
 * The host keeps the queues.  It waits three times in a round: for whether the lists of
 * cavities were long enough (if not, all get twice as much, and the kernel runs again),
 * for the lengths of what is left to be refined, and for that.
 */
#include "kernels/align/cuda/cuda_buffer.cuh"
#include "kernels/device/cuda_put.cuh"
#include "kernels/mesh/refine/mesh_round.cuh"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace
{

constexpr int FIRST_ROOM = 32; /* triangles of a cavity */

} // namespace

/* What a round copies to the host, behind each other: has_failed, total, outcome. */
enum { HEAD = 4 };

struct refine_gpu {
    int device, n_cores, n_blocks;
    mesh_round_t on_host, *on_device;
    int64_t n_marks;                /* that are set */
    uint32_t *head;                 /* on the device: HEAD numbers, then outcomes */
    uint32_t *fetched;              /* [HEAD + MESH_ROUND] pinned */
    refine_candidate_t *candidates; /* [MESH_ROUND] pinned */
    cuda_pinned_t lists;            /* hits, cut, bad */
};

namespace
{

/* Make an array of the device larger, and keep what it has. */
template <typename T> status_t grow(T **array, int64_t n, int64_t capacity)
{
    T *larger = nullptr;
    status_t st =
        CUDA_TRY(cudaMalloc(&larger, static_cast<size_t>(capacity) * sizeof(T)));

    if (st == ST_OK && n > 0)
        st = CUDA_TRY(cudaMemcpy(larger, *array, static_cast<size_t>(n) * sizeof(T),
                                 cudaMemcpyDeviceToDevice));
    if (st != ST_OK) {
        cudaFree(larger);
        return st;
    }
    cudaFree(*array);
    *array = larger;
    return ST_OK;
}

/* @return a capacity for n that is not reached soon */
int64_t enough(int64_t n)
{
    return n + n / 2 + 4 * MESH_ROUND;
}

/* Have place for what a round may add. */
status_t reserve(refine_gpu *g)
{
    tri_mesh_t *m = &g->on_host.mesh;
    status_t st = ST_OK;

    if (m->points_capacity < m->n_points + MESH_ROUND) {
        const int64_t n = enough(m->n_points);

        if ((st = grow(&m->p, m->n_points, n)) == ST_OK &&
            (st = grow(&m->on, m->n_points, n)) == ST_OK && m->parent != nullptr)
            st = grow(&m->parent, m->n_points, n);
        m->points_capacity = n;
    }
    if (st == ST_OK && m->subs_capacity < m->n_subs + MESH_ROUND) {
        m->subs_capacity = enough(m->n_subs);
        st = grow(&m->s, m->n_subs, m->subs_capacity);
    }
    if (st == ST_OK && m->triangles_capacity < m->n_triangles + 2 * MESH_ROUND) {
        const int64_t n = enough(m->n_triangles);

        if ((st = grow(&m->t, m->n_triangles, n)) == ST_OK)
            st = grow(&g->on_host.mark, m->triangles_capacity, n);
        if (st == ST_OK)
            st = mesh_round_unmark(g->on_host.mark, m->triangles_capacity, n);
        m->triangles_capacity = n;
    }
    return st;
}

template <typename T> status_t put_array(T **to, const T *from, int64_t n)
{
    *to = nullptr;
    return from == nullptr ? ST_OK : cuda_put_new(to, from, static_cast<size_t>(n));
}

status_t put_mesh(const tri_mesh_t *m, tri_mesh_t *out)
{
    status_t st;

    *out = *m;
    out->p = nullptr;
    out->on = nullptr;
    out->parent = nullptr;
    out->t = nullptr;
    out->s = nullptr;
    out->part = nullptr;
    out->region = nullptr;
    out->points_capacity = m->n_points;
    out->subs_capacity = m->n_subs;
    out->triangles_capacity = 0; /* of marks */
    if ((st = put_array(&out->p, m->p, m->n_points)) != ST_OK ||
        (st = put_array(&out->on, m->on, m->n_points)) != ST_OK ||
        (st = put_array(&out->parent, m->parent, m->n_points)) != ST_OK ||
        (st = put_array(&out->t, m->t, m->n_triangles)) != ST_OK ||
        (st = put_array(&out->s, m->s, m->n_subs)) != ST_OK ||
        (st = put_array(&out->part, m->part, m->n_parts)) != ST_OK)
        return st;
    return put_array(&out->region, m->region, m->n_regions);
}

void destroy(refine_gpu_t *g)
{
    if (g == nullptr)
        return;
    cudaSetDevice(g->device);
    cudaDeviceSynchronize();
    const mesh_round_t &r = g->on_host;

    for (void *memory :
         {static_cast<void *>(r.mesh.p), static_cast<void *>(r.mesh.on),
          static_cast<void *>(r.mesh.parent), static_cast<void *>(r.mesh.t),
          static_cast<void *>(r.mesh.s), static_cast<void *>(r.mesh.part),
          static_cast<void *>(r.mesh.region), static_cast<void *>(r.mark),
          static_cast<void *>(r.candidate), static_cast<void *>(r.lists),
          static_cast<void *>(r.n_bad), static_cast<void *>(r.n_cut),
          static_cast<void *>(r.n_left), static_cast<void *>(r.place),
          static_cast<void *>(r.hits), static_cast<void *>(r.cut),
          static_cast<void *>(r.bad), static_cast<void *>(g->head),
          static_cast<void *>(g->on_device)})
        cudaFree(memory);
    cuda_host_free(g->fetched);
    cuda_host_free(g->candidates);
    cuda_pinned_free(&g->lists);
    free(g);
}

/* Give each candidate longer lists. @param room  triangles of a cavity */
status_t make_room(refine_gpu *g, int room)
{
    const size_t n =
        static_cast<size_t>(MESH_ROUND) * static_cast<size_t>(mesh_round_list_ints(room));
    mesh_round_t *r = &g->on_host;

    r->room = room;
    cudaFree(r->lists);
    r->lists = nullptr;
    return CUDA_TRY(cudaMalloc(&r->lists, n * sizeof(*r->lists)));
}

/* Make the three lists of the device as long as they may get. */
status_t reserve_lists(refine_gpu *g)
{
    mesh_round_t *r = &g->on_host;
    const int64_t n =
        std::max<int64_t>(std::max(g->fetched[1], g->fetched[2]), g->fetched[3]);

    if (n <= r->lists_capacity)
        return ST_OK;
    r->lists_capacity = enough(n);
    for (void **list :
         {reinterpret_cast<void **>(&r->hits), reinterpret_cast<void **>(&r->cut)}) {
        cudaFree(*list);
        *list = nullptr;
        if (CUDA_TRY(cudaMalloc(list, static_cast<size_t>(r->lists_capacity) *
                                          sizeof(int32_t))) != ST_OK)
            return ST_ENOMEM;
    }
    cudaFree(r->bad);
    r->bad = nullptr;
    return CUDA_TRY(
        cudaMalloc(&r->bad, static_cast<size_t>(r->lists_capacity) * sizeof(*r->bad)));
}

status_t open_arrays(refine_gpu *g)
{
    mesh_round_t *r = &g->on_host;
    const size_t n = MESH_ROUND;
    status_t st;

    if ((st = cuda_host_alloc(nullptr, &g->fetched, (HEAD + n) * sizeof(uint32_t))) !=
            ST_OK ||
        (st = cuda_host_alloc(nullptr, &g->candidates, n * sizeof(refine_candidate_t))) !=
            ST_OK ||
        (st = cuda_put_zeros(&g->head, HEAD + n)) != ST_OK ||
        (st = cuda_put_zeros(&g->on_device, 1)) != ST_OK ||
        (st = cuda_put_zeros(&r->candidate, n)) != ST_OK ||
        (st = cuda_put_zeros(&r->n_bad, n)) != ST_OK ||
        (st = cuda_put_zeros(&r->n_cut, n)) != ST_OK ||
        (st = cuda_put_zeros(&r->place, 3 * n)) != ST_OK ||
        (st = cuda_put_zeros(&r->n_left, 4)) != ST_OK)
        return st;
    r->has_failed = g->head;
    r->total = g->head + 1;
    r->outcome = g->head + HEAD;
    r->grid.count = r->n_left + 3;
    r->view.m = &g->on_device->mesh;
    memset(g->fetched, 0, HEAD * sizeof(*g->fetched));
    g->fetched[1] = MESH_ROUND;
    return reserve_lists(g);
}

status_t create(const refine_t *from, const device_t *device, refine_gpu_t **out)
{
    refine_gpu *g = static_cast<refine_gpu *>(calloc(1, sizeof(*g)));
    status_t st;

    if (g == nullptr)
        return log_nomem("a mesh");
    g->device = device->index;
    g->n_cores = device->n_cores;
    g->on_host.view.rule = from->view.rule;
    g->on_host.max_points = from->spec->max_points;
    if ((st = CUDA_TRY(cudaSetDevice(device->index))) == ST_OK &&
        (st = put_mesh(from->view.m, &g->on_host.mesh)) == ST_OK &&
        (st = open_arrays(g)) == ST_OK && (st = make_room(g, FIRST_ROOM)) == ST_OK)
        st = mesh_round_resident(device->n_cores, &g->n_blocks);
    if (st == ST_OK)
        *out = g;
    else
        destroy(g);
    return st;
}

status_t put_state(refine_gpu *g)
{
    return CUDA_TRY(cudaMemcpyAsync(g->on_device, &g->on_host, sizeof(mesh_round_t),
                                    cudaMemcpyHostToDevice, cudaStreamLegacy));
}

/* Find all cavities, if need be with more room. */
status_t find_all(refine_gpu *g)
{
    status_t st = ST_OK;

    do {
        if (g->fetched[0] != 0)
            st = make_room(g, 2 * g->on_host.room);
        if (st == ST_OK)
            st = put_state(g);
        if (st == ST_OK)
            st = CUDA_TRY(cudaMemsetAsync(g->head, 0, sizeof(*g->head)));
        if (st != ST_OK)
            return st;
        if ((st = mesh_round_find(g->on_device, g->on_host.n)) == ST_OK)
            st = CUDA_TRY(cudaMemcpy(g->fetched, g->head, sizeof(*g->fetched),
                                     cudaMemcpyDeviceToHost));
    } while (st == ST_OK && g->fetched[0] != 0);
    return st;
}

status_t choose_and_fill(refine_gpu *g)
{
    const int64_t n = g->on_host.n;
    status_t st =
        CUDA_TRY(cudaMemsetAsync(g->on_host.n_left, 0, 4 * sizeof(*g->on_host.n_left)));

    if (st != ST_OK ||
        (st = mesh_round_fill(g->on_device, n, g->n_cores, g->n_blocks)) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpy(g->fetched, g->head, HEAD * sizeof(*g->fetched),
                                  cudaMemcpyDeviceToHost))) != ST_OK ||
        (st = reserve_lists(g)) != ST_OK || (st = put_state(g)) != ST_OK ||
        (st = mesh_round_gather(g->on_device, n)) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemcpyAsync(g->fetched + HEAD, g->head + HEAD,
                                    static_cast<size_t>(n) * sizeof(*g->fetched),
                                    cudaMemcpyDeviceToHost, cudaStreamLegacy));
}

/* Copy a list. @return what is behind it */
status_t fetch_list(char **to, const void *from, size_t bytes)
{
    const status_t st =
        bytes == 0 ? ST_OK
                   : CUDA_TRY(cudaMemcpyAsync(*to, from, bytes, cudaMemcpyDeviceToHost,
                                              cudaStreamLegacy));

    *to += bytes;
    return st;
}

/* Copy the lists, and append them to those of the first chunk. */
status_t fetch_lists(refine_gpu *g, refine_t *r)
{
    const size_t hits = g->fetched[1] * sizeof(int32_t);
    const size_t bad = g->fetched[2] * sizeof(refine_bad_t);
    const size_t cut = g->fetched[3] * sizeof(int32_t);
    refine_chunk_t *chunk = &r->chunk[0];
    char *to, *begin;
    status_t st = cuda_pinned_reserve(&g->lists, hits + bad + cut + 1);

    if (st != ST_OK)
        return st;
    begin = to = static_cast<char *>(g->lists.at);
    if ((st = fetch_list(&to, g->on_host.hits, hits)) != ST_OK ||
        (st = fetch_list(&to, g->on_host.bad, bad)) != ST_OK ||
        (st = fetch_list(&to, g->on_host.cut, cut)) != ST_OK ||
        (st = CUDA_TRY(cudaStreamSynchronize(cudaStreamLegacy))) != ST_OK)
        return st;
    r->hits = reinterpret_cast<const int32_t *>(begin);
    chunk->bad.len = chunk->cut.len = 0;
    if ((st = buf_append(&chunk->bad, begin + hits, bad)) != ST_OK)
        return st;
    return buf_append(&chunk->cut, begin + hits + bad, cut);
}

/* What became of the candidates. */
void take_outcomes(const refine_gpu *g, refine_t *r)
{
    int32_t at = 0;

    for (int64_t k = 0; k < r->n; k++) {
        const uint32_t word = g->fetched[HEAD + k];
        refine_candidate_t *c = &r->candidate[k];

        c->fate = static_cast<refine_fate_t>(word & ((1u << MESH_FATE_BITS) - 1));
        c->n_inside = 0;
        c->n_borders =
            static_cast<int32_t>(word >> MESH_FATE_BITS & ((1u << MESH_MORE_BITS) - 1));
        c->n_hit = static_cast<int32_t>(word >> (MESH_FATE_BITS + MESH_MORE_BITS));
        c->at = at;
        at += c->n_hit;
    }
}

status_t compute_round(refine_gpu_t *g, refine_t *r)
{
    tri_mesh_t *m = &g->on_host.mesh;
    status_t st = CUDA_TRY(cudaSetDevice(g->device));

    m->n_points = r->view.m->n_points;
    m->n_triangles = r->view.m->n_triangles;
    m->n_subs = r->view.m->n_subs;
    g->on_host.n = r->n;
    g->on_host.view.is_cutting = r->view.is_cutting;
    g->fetched[0] = 0;
    memcpy(g->candidates, r->candidate,
           static_cast<size_t>(r->n) * sizeof(*r->candidate));
    if (st != ST_OK || (st = reserve(g)) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpyAsync(g->on_host.candidate, g->candidates,
                                       static_cast<size_t>(r->n) * sizeof(*r->candidate),
                                       cudaMemcpyHostToDevice, cudaStreamLegacy))) !=
            ST_OK ||
        (st = find_all(g)) != ST_OK || (st = choose_and_fill(g)) != ST_OK ||
        (st = fetch_lists(g, r)) != ST_OK)
        return st;
    take_outcomes(g, r);
    return ST_OK;
}

template <typename T> status_t get_array(T *to, const T *from, int64_t n)
{
    return to == nullptr || n == 0
               ? ST_OK
               : CUDA_TRY(cudaMemcpy(to, from, static_cast<size_t>(n) * sizeof(T),
                                     cudaMemcpyDeviceToHost));
}

status_t finish(refine_gpu_t *g, tri_mesh_t *m)
{
    const tri_mesh_t *from = &g->on_host.mesh;
    status_t st = CUDA_TRY(cudaSetDevice(g->device));

    if (st != ST_OK || (st = get_array(m->p, from->p, m->n_points)) != ST_OK ||
        (st = get_array(m->on, from->on, m->n_points)) != ST_OK ||
        (st = get_array(m->parent, from->parent, m->n_points)) != ST_OK ||
        (st = get_array(m->t, from->t, m->n_triangles)) != ST_OK)
        return st;
    return get_array(m->s, from->s, m->n_subs);
}

} // namespace

extern "C" const mesh_backend_t mesh_rounds_cuda_backend = {
    /* .base = */ {"rounds", DEVICE_CUDA, 1e7},
    /* .create = */ create,
    /* .round = */ compute_round,
    /* .finish = */ finish,
    /* .destroy = */ destroy,
};
