/*
 * mesh_rounds_cuda.cu - rounds of refinement on a GPU: the mesh and what waits stay there
 * until the end.
 *
 * A launch does many rounds.  It ends early where memory may not suffice for the next
 * one: the host gives it more, in large blocks, and launches again.
 */
#include "kernels/device/cuda_host.cuh"
#include "kernels/device/cuda_put.cuh"
#include "kernels/mesh/refine/mesh_round.cuh"

#include <algorithm>
#include <cstdlib>

namespace
{

constexpr int FIRST_ROOM = 32;      /* triangles of a cavity */
constexpr int64_t LAUNCH = 1 << 10; /* rounds, after which a run can be stopped */
constexpr int FIRST_GROWTH = 3;     /* times what a mesh has, at first */

struct gpu_t {
    int device, n_cores, n_blocks;
    mesh_round_t round;      /* as kernels are given it */
    mesh_control_t *control; /* a copy, pinned */
    cudaEvent_t begin, end;  /* of the kernels of a launch */
};

/* ---- memory ---- */

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

/* Likewise of marks: new ones are nobody's. */
status_t grow_marks(unsigned long long **marks, int64_t n, int64_t capacity)
{
    const status_t st = grow(marks, n, capacity);

    return st != ST_OK ? st
                       : CUDA_TRY(cudaMemset(*marks + n, 0xff,
                                             static_cast<size_t>(capacity - n) *
                                                 sizeof(**marks)));
}

/* @return a capacity for n that is not reached soon */
int64_t enough(int64_t n)
{
    return FIRST_GROWTH * n + 4 * MESH_ROUND;
}

/* Have place for what rounds may add. */
status_t reserve_mesh(gpu_t *g)
{
    const mesh_state_t &s = g->control->state[g->control->round & 1];
    tri_mesh_t *m = &g->round.mesh;
    status_t st = ST_OK;

    if (m->points_capacity < s.n_points + MESH_ROUND) {
        m->points_capacity = enough(s.n_points);
        if ((st = grow(&m->p, s.n_points, m->points_capacity)) == ST_OK &&
            (st = grow(&m->on, s.n_points, m->points_capacity)) == ST_OK &&
            m->parent != nullptr)
            st = grow(&m->parent, s.n_points, m->points_capacity);
    }
    if (st == ST_OK && m->subs_capacity < s.n_subs + MESH_ROUND) {
        const int64_t n = enough(s.n_subs);

        if ((st = grow(&m->s, s.n_subs, n)) == ST_OK)
            st = grow_marks(&g->round.asked, m->subs_capacity, n);
        m->subs_capacity = n;
    }
    if (st == ST_OK && m->triangles_capacity < s.n_triangles + 2 * MESH_ROUND) {
        const int64_t n =
            std::min(enough(s.n_triangles), static_cast<int64_t>(MESH_MAX_TRIANGLES));

        if ((st = tri_mesh_check_triangles(s.n_triangles + 2 * MESH_ROUND)) == ST_OK &&
            (st = grow(&m->t, s.n_triangles, n)) == ST_OK)
            st = grow_marks(&g->round.mark, m->triangles_capacity, n);
        m->triangles_capacity = n;
    }
    return st;
}

/* Have place for n entries in the log. @param n_kept  that it has */
status_t reserve_log(gpu_t *g, int64_t n_kept, int64_t n)
{
    mesh_round_t *r = &g->round;
    const int side = g->control->state[g->control->round & 1].side;
    status_t st = ST_OK;

    n = (n / MESH_LOG_STEP + 1) * MESH_LOG_STEP;
    for (int k = 0; st == ST_OK && k < 2; k++)
        if ((st = grow(&r->entry[k], k == side ? n_kept : 0, n)) == ST_OK)
            st = grow(&r->class_of[k], k == side ? n_kept : 0, n);
    r->log_capacity = n;
    return st;
}

/* Give each candidate longer lists. @param room  triangles of a cavity */
status_t reserve_lists(gpu_t *g, int room)
{
    const size_t n =
        static_cast<size_t>(MESH_ROUND) * static_cast<size_t>(mesh_round_list_ints(room));
    mesh_round_t *r = &g->round;

    r->room = room;
    cudaFree(r->lists);
    r->lists = nullptr;
    return CUDA_TRY(cudaMalloc(&r->lists, n * sizeof(*r->lists)));
}

/* ---- the mesh, and what waits ---- */

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
    out->points_capacity = out->triangles_capacity = out->subs_capacity = 0;
    out->n_triangles = MESH_MAX_TRIANGLES; /* of walk(), as the mesh grows */
    if ((st = put_array(&out->p, m->p, m->n_points)) != ST_OK ||
        (st = put_array(&out->on, m->on, m->n_points)) != ST_OK ||
        (st = put_array(&out->parent, m->parent, m->n_points)) != ST_OK ||
        (st = put_array(&out->t, m->t, m->n_triangles)) != ST_OK ||
        (st = put_array(&out->s, m->s, m->n_subs)) != ST_OK ||
        (st = put_array(&out->part, m->part, m->n_parts)) != ST_OK)
        return st;
    return put_array(&out->region, m->region, m->n_regions);
}

/* What waits, as entries of the log. */
struct waiting_t {
    refine_entry_t *entry;
    uint16_t *class_of;
    uint32_t *live;            /* [MESH_CLASSES] */
    unsigned long long *asked; /* [n_subs] */
    int64_t n;
};

void free_waiting(waiting_t *w)
{
    free(w->entry);
    free(w->class_of);
    free(w->live);
    free(w->asked);
}

/* List what waits, from the queues of the host. */
status_t list_waiting(const refine_t *r, waiting_t *w)
{
    const int32_t *cut = reinterpret_cast<const int32_t *>(r->cut.data);
    const int64_t n_cut = static_cast<int64_t>(r->cut.len / sizeof(*cut));
    const size_t n_subs = static_cast<size_t>(r->view.m->n_subs);
    int64_t n = n_cut;

    for (int k = 0; k < MESH_CLASSES; k++)
        n += r->queue.classes[k].end - r->queue.classes[k].begin;
    w->entry = static_cast<refine_entry_t *>(
        malloc(static_cast<size_t>(n + 1) * sizeof(*w->entry)));
    w->class_of =
        static_cast<uint16_t *>(calloc(static_cast<size_t>(n + 1), sizeof(*w->class_of)));
    w->live = static_cast<uint32_t *>(calloc(MESH_CLASSES, sizeof(*w->live)));
    w->asked =
        static_cast<unsigned long long *>(malloc((n_subs + 1) * sizeof(*w->asked)));
    if (w->entry == nullptr || w->class_of == nullptr || w->live == nullptr ||
        w->asked == nullptr)
        return log_nomem("a mesh");
    std::fill(w->asked, w->asked + n_subs, REFINE_NOBODY);
    for (w->n = 0; w->n < n_cut; w->n++) {
        w->entry[w->n] = {cut[w->n], 0};
        w->asked[cut[w->n]] = 0;
    }
    w->live[0] = static_cast<uint32_t>(n_cut);
    for (int k = 1; k < MESH_CLASSES; k++) {
        const refine_class_t &c = r->queue.classes[k];

        std::copy(c.entry + c.begin, c.entry + c.end, w->entry + w->n);
        std::fill_n(w->class_of + w->n, c.end - c.begin, static_cast<uint16_t>(k));
        w->live[k] = static_cast<uint32_t>(c.end - c.begin);
        w->n += c.end - c.begin;
    }
    return ST_OK;
}

template <typename T> status_t put_into(T *to, const T *from, int64_t n)
{
    return CUDA_TRY(
        cudaMemcpy(to, from, static_cast<size_t>(n) * sizeof(T), cudaMemcpyHostToDevice));
}

/* Copy the mesh and what waits to the device. */
status_t put_all(gpu_t *g, const refine_t *from)
{
    const tri_mesh_t *m = from->view.m;
    mesh_round_t *r = &g->round;
    waiting_t w = {};
    status_t st = list_waiting(from, &w);

    g->control->state[0] = {
        m->n_points, m->n_triangles, m->n_subs, w.n, 0, MESH_ROUND, 0, 0, 0, 0};
    if (st == ST_OK && (st = put_mesh(m, &r->mesh)) == ST_OK &&
        (st = reserve_mesh(g)) == ST_OK &&
        (st = reserve_log(g, 0, 2 * w.n + 16 * MESH_ROUND)) == ST_OK &&
        (st = put_into(r->entry[0], w.entry, w.n)) == ST_OK &&
        (st = put_into(r->class_of[0], w.class_of, w.n)) == ST_OK &&
        (st = cuda_put_new(&r->live, w.live, MESH_CLASSES)) == ST_OK)
        st = put_into(r->asked, w.asked, m->n_subs);
    free_waiting(&w);
    return st;
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

status_t get_mesh(const gpu_t *g, tri_mesh_t *m, pool_t *pool)
{
    const mesh_state_t &s = g->control->state[g->control->round & 1];
    const tri_mesh_t *from = &g->round.mesh;
    status_t st;

    if ((st = tri_mesh_reserve_points(m, s.n_points - m->n_points)) != ST_OK ||
        (st = tri_mesh_reserve_triangles(m, s.n_triangles - m->n_triangles)) != ST_OK ||
        (st = tri_mesh_reserve_subs(m, s.n_subs - m->n_subs)) != ST_OK)
        return st;
    m->n_points = s.n_points;
    m->n_triangles = s.n_triangles;
    m->n_subs = s.n_subs;
    if ((st = get_array(m->p, from->p, m->n_points, pool)) != ST_OK ||
        (st = get_array(m->on, from->on, m->n_points, pool)) != ST_OK ||
        (st = get_array(m->parent, from->parent, m->n_points, pool)) != ST_OK ||
        (st = get_array(m->t, from->t, m->n_triangles, pool)) != ST_OK)
        return st;
    return get_array(m->s, from->s, m->n_subs, pool);
}

void close_gpu(gpu_t *g)
{
    const mesh_round_t &r = g->round;

    cudaDeviceSynchronize();
    for (void *memory :
         {static_cast<void *>(r.mesh.p),      static_cast<void *>(r.mesh.on),
          static_cast<void *>(r.mesh.parent), static_cast<void *>(r.mesh.t),
          static_cast<void *>(r.mesh.s),      static_cast<void *>(r.mesh.part),
          static_cast<void *>(r.mesh.region), static_cast<void *>(r.entry[0]),
          static_cast<void *>(r.entry[1]),    static_cast<void *>(r.class_of[0]),
          static_cast<void *>(r.class_of[1]), static_cast<void *>(r.live),
          static_cast<void *>(r.request),     static_cast<void *>(r.where),
          static_cast<void *>(r.candidate),   static_cast<void *>(r.versions),
          static_cast<void *>(r.lists),       static_cast<void *>(r.n_cuts),
          static_cast<void *>(r.n_bad),       static_cast<void *>(r.mark),
          static_cast<void *>(r.asked),       static_cast<void *>(r.partial),
          static_cast<void *>(r.control)})
        cudaFree(memory);
    cuda_host_free(g->control);
    for (cudaEvent_t event : {g->begin, g->end})
        if (event != nullptr)
            cudaEventDestroy(event);
}

status_t open_arrays(gpu_t *g)
{
    mesh_round_t *r = &g->round;
    const size_t n = MESH_ROUND;
    status_t st;

    if ((st = CUDA_TRY(cudaEventCreate(&g->begin))) != ST_OK ||
        (st = CUDA_TRY(cudaEventCreate(&g->end))) != ST_OK ||
        (st = cuda_host_alloc(nullptr, &g->control, sizeof(*g->control))) != ST_OK ||
        (st = cuda_put_zeros(&r->control, 1)) != ST_OK ||
        (st = cuda_put_zeros(&r->request, n)) != ST_OK ||
        (st = cuda_put_zeros(&r->where, n)) != ST_OK ||
        (st = cuda_put_zeros(&r->candidate, n)) != ST_OK ||
        (st = cuda_put_zeros(&r->versions, n)) != ST_OK ||
        (st = cuda_put_zeros(&r->n_bad, n)) != ST_OK ||
        (st = cuda_put_zeros(&r->n_cuts, n)) != ST_OK ||
        (st = mesh_loop_resident(g->n_cores, &g->n_blocks)) != ST_OK ||
        (st = cuda_put_zeros(&r->partial, static_cast<size_t>(mesh_round_partials(
                                              g->n_blocks)))) != ST_OK)
        return st;
    *g->control = {};
    return reserve_lists(g, FIRST_ROOM);
}

status_t open_gpu(gpu_t *g, const refine_t *from)
{
    const device_t *device = from->spec->device;
    status_t st = CUDA_TRY(cudaSetDevice(device->index));

    g->device = device->index;
    g->n_cores = device->n_cores;
    g->round.rule = from->view.rule;
    g->round.max_points = from->spec->max_points;
    g->round.variant = from->spec->variant;
    if (st == ST_OK && (st = open_arrays(g)) == ST_OK)
        st = put_all(g, from);
    return st;
}

/* ---- launches ---- */

status_t launch_rounds(const gpu_t *g, int64_t first, int64_t end)
{
    return g->round.variant == MESH_DPAR
               ? mesh_dpar_run(&g->round, first, end, g->n_blocks)
               : mesh_loop_run(&g->round, first, end, g->n_cores, g->n_blocks);
}

/* Launch rounds and wait for them. */
status_t launch(gpu_t *g, double *kernel_s)
{
    mesh_control_t *c = g->control;
    const int64_t first = c->round, wrap = REFINE_ROUNDS - first % REFINE_ROUNDS;
    float ms = 0;
    status_t st = ST_OK;

    c->barrier = 0;
    c->lacks_room = 0;
    c->end = MESH_NO_END;
    if (first > 0 && wrap == REFINE_ROUNDS)
        st = CUDA_TRY(
            cudaMemsetAsync(g->round.mark, 0xff,
                            static_cast<size_t>(g->round.mesh.triangles_capacity) *
                                sizeof(*g->round.mark),
                            cudaStreamLegacy));
    if (st != ST_OK ||
        (st = CUDA_TRY(cudaMemcpyAsync(g->round.control, c, sizeof(*c),
                                       cudaMemcpyHostToDevice, cudaStreamLegacy))) !=
            ST_OK ||
        (st = CUDA_TRY(cudaEventRecord(g->begin, cudaStreamLegacy))) != ST_OK ||
        (st = launch_rounds(g, first, first + std::min(LAUNCH, wrap))) != ST_OK ||
        (st = CUDA_TRY(cudaEventRecord(g->end, cudaStreamLegacy))) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpyAsync(c, g->round.control, sizeof(*c),
                                       cudaMemcpyDeviceToHost, cudaStreamLegacy))) !=
            ST_OK ||
        (st = CUDA_TRY(cudaStreamSynchronize(cudaStreamLegacy))) != ST_OK ||
        (st = CUDA_TRY(cudaEventElapsedTime(&ms, g->begin, g->end))) != ST_OK)
        return st;
    *kernel_s += ms * 1e-3;
    return ST_OK;
}

/* Give what a launch lacked. */
status_t give(gpu_t *g)
{
    const mesh_control_t *c = g->control;
    const int64_t n_log = c->state[c->round & 1].n_log;

    switch (c->end) {
    case MESH_LACKS_ROOM:
        return reserve_lists(g, 2 * g->round.room);
    case MESH_LACKS_MESH:
        return reserve_mesh(g);
    case MESH_NO_END:
        log_error("the GPU did not launch the next kernels of --variant dpar; give "
                  "--variant atomic");
        return ST_EDEVICE;
    case MESH_LACKS_LOG:
        return reserve_log(g, n_log, 2 * (n_log + static_cast<int64_t>(c->n_bound)));
    default:
        return ST_OK;
    }
}

void report(const gpu_t *g, mesh_refine_report_t *to)
{
    const mesh_control_t *c = g->control;
    const mesh_state_t &s = c->state[c->round & 1];

    to->n_rounds = c->round;
    to->n_cavities = s.n_cavities;
    to->n_conflicts = s.n_conflicts;
    to->n_cut = s.n_cut;
    to->n_stuck = s.n_stuck;
    to->is_partial = c->end == MESH_IS_PARTIAL;
}

status_t refine_all(gpu_t *g, refine_t *r, mesh_refine_progress_t *progress, void *ctx)
{
    status_t st;

    do {
        if ((st = launch(g, &r->report->kernel_s)) != ST_OK)
            return st;
        report(g, r->report);
        if (progress != nullptr && !progress(ctx, r->view.m, r->report))
            return ST_ESTOPPED;
        if ((st = give(g)) != ST_OK)
            return st;
    } while (g->control->end != MESH_IS_DONE && g->control->end != MESH_IS_PARTIAL);
    return get_mesh(g, r->view.m, r->pool);
}

status_t run(refine_t *r, mesh_refine_progress_t *progress, void *ctx)
{
    gpu_t g = {};
    status_t st = open_gpu(&g, r);

    if (st == ST_OK)
        st = refine_all(&g, r, progress, ctx);
    close_gpu(&g);
    return st;
}

} // namespace

extern "C" const mesh_backend_t mesh_rounds_cuda_backend = {
    /* .base = */ {"rounds", DEVICE_CUDA, 1e7},
    /* .run = */ run,
};
