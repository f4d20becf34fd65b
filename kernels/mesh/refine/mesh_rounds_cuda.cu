/*
 * mesh_rounds_cuda.cu - rounds of refinement on a GPU: the mesh stays there until the
 * end.
 *
 * The host keeps the queues.  It waits once in a round: for what became of its
 * candidates, and what they leave to be refined.  If the lists of cavities were too
 * short, all get twice as much, and the round runs again.
 */
#include "kernels/device/cuda_host.cuh"
#include "kernels/device/cuda_put.cuh"
#include "kernels/mesh/refine/mesh_round.cuh"

#include <cstdlib>

namespace
{

constexpr int FIRST_ROOM = 32;   /* triangles of a cavity */
constexpr int RESULT_WORDS = 24; /* that the host gets per candidate, at first */

} // namespace

struct refine_gpu {
    int device, n_cores, n_blocks;
    mesh_round_t round;      /* as kernels are given it */
    uint32_t *fetched;       /* pinned */
    refine_entry_t *request; /* [MESH_ROUND] pinned */
    refine_entry_t *put;     /* [MESH_ROUND] the same on the device */
    cudaEvent_t begin, end;  /* of the kernels of a round */
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
    tri_mesh_t *m = &g->round.mesh;
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
            st = grow(&g->round.mark, m->triangles_capacity, n);
        if (st == ST_OK)
            st = mesh_round_unmark(g->round.mark, m->triangles_capacity, n);
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
    const mesh_round_t &r = g->round;

    for (void *memory :
         {static_cast<void *>(r.mesh.p), static_cast<void *>(r.mesh.on),
          static_cast<void *>(r.mesh.parent), static_cast<void *>(r.mesh.t),
          static_cast<void *>(r.mesh.s), static_cast<void *>(r.mesh.part),
          static_cast<void *>(r.mesh.region), static_cast<void *>(r.mark),
          static_cast<void *>(r.candidate), static_cast<void *>(r.lists),
          static_cast<void *>(r.n_bad), static_cast<void *>(r.n_cut),
          static_cast<void *>(r.place), static_cast<void *>(r.counts),
          static_cast<void *>(r.result), static_cast<void *>(g->put)})
        cudaFree(memory);
    cuda_host_free(g->fetched);
    cuda_host_free(g->request);
    for (cudaEvent_t event : {g->begin, g->end})
        if (event != nullptr)
            cudaEventDestroy(event);
    free(g);
}

/* Give each candidate longer lists. @param room  triangles of a cavity */
status_t make_room(refine_gpu *g, int room)
{
    const size_t n =
        static_cast<size_t>(MESH_ROUND) * static_cast<size_t>(mesh_round_list_ints(room));
    mesh_round_t *r = &g->round;

    r->room = room;
    cudaFree(r->lists);
    r->lists = nullptr;
    return CUDA_TRY(cudaMalloc(&r->lists, n * sizeof(*r->lists)));
}

/* Have place for what the host gets. @param n  words */
status_t reserve_result(refine_gpu *g, int64_t n)
{
    const size_t bytes = static_cast<size_t>(n) * sizeof(*g->fetched);
    mesh_round_t *r = &g->round;
    status_t st;

    cudaFree(r->result);
    r->result = nullptr;
    cuda_host_free(g->fetched);
    st = cuda_host_alloc(nullptr, &g->fetched, bytes);
    if (st == ST_OK)
        st = CUDA_TRY(cudaHostGetDevicePointer(reinterpret_cast<void **>(&r->fetched),
                                               g->fetched, 0));
    if (st == ST_OK)
        st = CUDA_TRY(cudaMalloc(&r->result, bytes));
    r->capacity = n;
    return st;
}

status_t open_arrays(refine_gpu *g)
{
    mesh_round_t *r = &g->round;
    const size_t n = MESH_ROUND;
    status_t st;

    if ((st = CUDA_TRY(cudaEventCreate(&g->begin))) != ST_OK ||
        (st = CUDA_TRY(cudaEventCreate(&g->end))) != ST_OK ||
        (st = cuda_host_alloc(nullptr, &g->request, n * sizeof(*g->request))) != ST_OK ||
        (st = cuda_put_zeros(&g->put, n)) != ST_OK ||
        (st = cuda_put_zeros(&r->candidate, n)) != ST_OK ||
        (st = cuda_put_zeros(&r->n_bad, n)) != ST_OK ||
        (st = cuda_put_zeros(&r->n_cut, n)) != ST_OK ||
        (st = cuda_put_zeros(&r->place, 3 * n)) != ST_OK ||
        (st = cuda_put_zeros(&r->counts, 1)) != ST_OK)
        return st;
    r->request = g->put;
    return reserve_result(g, RESULT_WORDS * MESH_ROUND);
}

status_t create(const refine_t *from, const device_t *device, refine_gpu_t **out)
{
    refine_gpu *g = static_cast<refine_gpu *>(calloc(1, sizeof(*g)));
    status_t st;

    if (g == nullptr)
        return log_nomem("a mesh");
    g->device = device->index;
    g->n_cores = device->n_cores;
    g->round.rule = from->view.rule;
    g->round.max_points = from->spec->max_points;
    g->round.variant = from->spec->variant;
    if ((st = CUDA_TRY(cudaSetDevice(device->index))) == ST_OK &&
        (st = put_mesh(from->view.m, &g->round.mesh)) == ST_OK &&
        (st = open_arrays(g)) == ST_OK && (st = make_room(g, FIRST_ROOM)) == ST_OK)
        st = mesh_round_resident(device->n_cores, &g->n_blocks);
    if (st == ST_OK)
        *out = g;
    else
        destroy(g);
    return st;
}

/* Run a round once. @param lack  out: what it lacks */
status_t run_once(refine_gpu *g, uint32_t *lack, double *kernel_s)
{
    mesh_round_t *r = &g->round;
    float ms = 0;
    status_t st;

    if ((st = CUDA_TRY(cudaEventRecord(g->begin, cudaStreamLegacy))) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(r->counts, 0, sizeof(*r->counts),
                                       cudaStreamLegacy))) != ST_OK ||
        (st = mesh_round_run(r, g->n_cores, g->n_blocks)) != ST_OK ||
        (st = CUDA_TRY(cudaEventRecord(g->end, cudaStreamLegacy))) != ST_OK ||
        (st = CUDA_TRY(cudaEventSynchronize(g->end))) != ST_OK ||
        (st = CUDA_TRY(cudaEventElapsedTime(&ms, g->begin, g->end))) != ST_OK)
        return st;
    *lack = g->fetched[MESH_LACK];
    *kernel_s += ms * 1e-3;
    return ST_OK;
}

/* Run a round, again with more room if it lacks it. */
status_t run_round(refine_gpu *g, double *kernel_s)
{
    mesh_round_t *r = &g->round;
    uint32_t lack;
    status_t st;

    while ((st = run_once(g, &lack, kernel_s)) == ST_OK && lack == MESH_LACKS_ROOM)
        if ((st = make_room(g, 2 * r->room)) != ST_OK)
            return st;
    if (st != ST_OK || lack == MESH_LACKS_NOTHING)
        return st;
    if ((st = reserve_result(g, enough(MESH_HEAD + r->n + g->fetched[MESH_N_HITS] +
                                       g->fetched[MESH_N_CUT] +
                                       MESH_BAD_WORDS *
                                           int64_t{g->fetched[MESH_N_BAD]}))) != ST_OK ||
        (st = mesh_round_send(r)) != ST_OK)
        return st;
    return CUDA_TRY(cudaStreamSynchronize(cudaStreamLegacy));
}

/* Append what is left to be refined to the lists of the first chunk. */
status_t take_lists(const refine_gpu *g, refine_t *r)
{
    const uint32_t *hits = g->fetched + MESH_HEAD + r->n;
    const uint32_t *cut = hits + g->fetched[MESH_N_HITS];
    const uint32_t *bad = cut + g->fetched[MESH_N_CUT];
    refine_chunk_t *chunk = &r->chunk[0];
    status_t st;

    r->hits = reinterpret_cast<const int32_t *>(hits);
    chunk->bad.len = chunk->cut.len = 0;
    if ((st = buf_append(&chunk->cut, cut, g->fetched[MESH_N_CUT] * sizeof(int32_t))) !=
        ST_OK)
        return st;
    return buf_append(&chunk->bad, bad, g->fetched[MESH_N_BAD] * sizeof(refine_bad_t));
}

/* What became of the candidates. */
void take_outcomes(const refine_gpu *g, refine_t *r)
{
    int32_t at = 0;

    for (int64_t k = 0; k < r->n; k++) {
        const uint32_t word = g->fetched[MESH_HEAD + k];
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
    tri_mesh_t *m = &g->round.mesh;
    status_t st = CUDA_TRY(cudaSetDevice(g->device));

    m->n_points = r->view.m->n_points;
    m->n_triangles = r->view.m->n_triangles;
    m->n_subs = r->view.m->n_subs;
    g->round.n = r->n;
    g->round.n_sub = r->n_sub;
    g->round.round = r->report->n_rounds;
    for (int64_t k = 0; k < r->n; k++)
        g->request[k] = {r->candidate[k].what, r->candidate[k].version};
    if (st == ST_OK && g->round.round % REFINE_ROUNDS == 0)
        st = mesh_round_unmark(g->round.mark, 0, m->triangles_capacity);
    if (st != ST_OK || (st = reserve(g)) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpyAsync(g->put, g->request,
                                       static_cast<size_t>(r->n) * sizeof(*g->put),
                                       cudaMemcpyHostToDevice, cudaStreamLegacy))) !=
            ST_OK ||
        (st = run_round(g, &r->report->kernel_s)) != ST_OK ||
        (st = take_lists(g, r)) != ST_OK)
        return st;
    take_outcomes(g, r);
    return ST_OK;
}

/* Copy an array back; its pages are new, and the threads share the work for them. */
template <typename T> status_t get_array(T *to, const T *from, int64_t n, pool_t *pool)
{
    const size_t bytes = static_cast<size_t>(n) * sizeof(T);

    if (to == nullptr || n == 0)
        return ST_OK;
    pool_run(pool, static_cast<int64_t>(bytes / CUDA_HOST_LARGE_PAGE), cuda_host_touch,
             to);
    return CUDA_TRY(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

status_t finish(refine_gpu_t *g, tri_mesh_t *m, pool_t *pool)
{
    const tri_mesh_t *from = &g->round.mesh;
    status_t st = CUDA_TRY(cudaSetDevice(g->device));

    if (st != ST_OK || (st = get_array(m->p, from->p, m->n_points, pool)) != ST_OK ||
        (st = get_array(m->on, from->on, m->n_points, pool)) != ST_OK ||
        (st = get_array(m->parent, from->parent, m->n_points, pool)) != ST_OK ||
        (st = get_array(m->t, from->t, m->n_triangles, pool)) != ST_OK)
        return st;
    return get_array(m->s, from->s, m->n_subs, pool);
}

} // namespace

extern "C" const mesh_backend_t mesh_rounds_cuda_backend = {
    /* .base = */ {"rounds", DEVICE_CUDA, 1e7},
    /* .create = */ create,
    /* .round = */ compute_round,
    /* .finish = */ finish,
    /* .destroy = */ destroy,
};
