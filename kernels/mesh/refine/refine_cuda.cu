/*
 * refine_cuda.cu - rounds of refinement on a GPU, by the functions that processors run.
 *
 * A thread owns a candidate.  It finds the cavity in lists of its own, of a fixed size:
 * if one is too small, all get twice as much and the kernel runs again, as it changes
 * nothing else.  One cooperative kernel then decides who wins, in passes with barriers of
 * the grid; one block gives winners their numbers; winners fill their cavities; and what
 * they leave to be refined is put together in the order of the round.
 *
 * The host keeps the queues, and waits twice in a round: for the lengths of the lists and
 * for these.  Compiled without fused products (-fmad=false).
 */
#include "kernels/align/cuda/cuda_buffer.cuh"
#include "kernels/device/cuda_put.cuh"
#include "kernels/sync/sync_grid.cuh"
#include "kernels/sync/sync_launch.cuh"

extern "C" {
#include "io/base/logmsg.h"
#include "kernels/mesh/exact/predicates.h"
#include "kernels/mesh/refine/refine_gpu.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "kernels/mesh/exact/predicates_body.h"
#include "kernels/mesh/refine/refine_cavity_body.h"
#include "kernels/mesh/refine/refine_fill_body.h"
#include "kernels/mesh/refine/refine_rule_body.h"

namespace
{

constexpr int THREADS = 128, SCAN_THREADS = 1024;
constexpr int FIRST_ROOM = 32; /* triangles of a cavity */

/* ---- a round on the device; a candidate is a chunk of its own ---- */

struct round_t {
    refine_view_t view; /* its mesh is `mesh`, on the device */
    int64_t n;

    tri_mesh_t mesh;
    unsigned long long *mark; /* [triangles_capacity] */
    refine_candidate_t *candidate;
    int32_t *lists; /* [MESH_ROUND][list_ints] */
    int room;       /* triangles of a cavity */
    int64_t max_points;

    uint32_t *outcome;    /* [MESH_ROUND] outcome_of */
    uint32_t *n_bad;      /* [MESH_ROUND] entries of the lists of a candidate */
    uint32_t *n_cut;      /* [MESH_ROUND] */
    unsigned *n_left;     /* [3] undecided candidates, of passes in turn */
    uint32_t *has_failed; /* a list was too small */
    uint32_t *total;      /* [3] hits, bad triangles, subsegments to be cut */
    uint32_t *place;      /* [3][MESH_ROUND] where those of a candidate begin */
    int32_t *hits, *cut;
    refine_bad_t *bad;
    int64_t lists_capacity; /* of each of these three */
    sync_grid_t grid;
};

/* The lists of a candidate in its part of `lists`: triangles, borders and hits; edges to
 * cross, later subsegments to be cut; the outline, later bad triangles. */
__host__ __device__ int cavity_ints(int room)
{
    return 6 * (room + 4);
}

__host__ __device__ int stack_ints(int room)
{
    return 2 * (room + 4);
}

__host__ __device__ int outline_ints(int room)
{
    return 4 * (room + 4);
}

__host__ __device__ int list_ints(int room)
{
    return cavity_ints(room) + stack_ints(room) + outline_ints(room);
}

__device__ buf_t list_at(int32_t *data, int n)
{
    buf_t b = {};

    b.data = reinterpret_cast<unsigned char *>(data);
    b.capacity = static_cast<size_t>(n) * sizeof(*data);
    return b;
}

__device__ int32_t *lists_of(const round_t &r, int64_t k)
{
    return r.lists + k * list_ints(r.room);
}

__device__ const refine_border_t *borders_of(const round_t &r, int64_t k)
{
    return reinterpret_cast<const refine_border_t *>(lists_of(r, k) +
                                                     r.candidate[k].n_inside);
}

__device__ int64_t thread_number()
{
    return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ bool has_point(const refine_candidate_t &c)
{
    return c.fate == REFINE_WINS && c.n_hit == 0 && c.new_point != MESH_NONE;
}

/* ---- kernels ---- */

/* Find vertices and cavities. */
__global__ void __launch_bounds__(THREADS) find_kernel(const round_t *all)
{
    const round_t &r = *all;
    const int64_t k = thread_number();
    refine_chunk_t chunk = {};
    refine_candidate_t c;
    buf_t outline;
    int32_t *lists;

    if (k >= r.n)
        return;
    lists = lists_of(r, k);
    chunk.cavities = list_at(lists, cavity_ints(r.room));
    chunk.stack = list_at(lists + cavity_ints(r.room), stack_ints(r.room));
    outline =
        list_at(lists + cavity_ints(r.room) + stack_ints(r.room), outline_ints(r.room));
    c = r.candidate[k];
    c.turn = 0;
    if (find(&r.view, &chunk, &c, &outline) != ST_OK)
        *r.has_failed = 1;
    r.candidate[k] = c;
}

/* @return the triangle of a mark: of the cavity, or beside it; or MESH_NONE */
__device__ int32_t marked(const refine_candidate_t &c, const int32_t *inside,
                          const refine_border_t *border, int32_t i)
{
    if (i < c.n_inside)
        return inside[i];
    return border[i - c.n_inside].outside == MESH_NONE
               ? MESH_NONE
               : mesh_tri_of(border[i - c.n_inside].outside);
}

/* Call a function for the marks of a candidate, until it returns false. */
template <typename EACH> __device__ bool each_mark(const round_t &r, int64_t k, EACH each)
{
    const refine_candidate_t &c = r.candidate[k];
    const int32_t *inside = lists_of(r, k);
    const refine_border_t *border = borders_of(r, k);

    for (int32_t i = 0; i < c.n_inside + c.n_borders; i++) {
        const int32_t t = marked(c, inside, border, i);

        if (t != MESH_NONE && !each(&r.mark[t]))
            return false;
    }
    return true;
}

__device__ void set_marks(const round_t &r, int64_t k, unsigned long long value)
{
    each_mark(r, k, [&](unsigned long long *mark) {
        __stcg(mark, value);
        return true;
    });
}

__device__ void claim(const round_t &r, int64_t k)
{
    const unsigned long long rank = r.candidate[k].rank;

    if (!each_mark(r, k, [&](unsigned long long *mark) { return __ldcg(mark) == rank; }))
        return;
    r.candidate[k].fate = REFINE_WINS;
    set_marks(r, k, 0);
}

__device__ void clear(const round_t &r, int64_t k)
{
    bool loses = false;

    each_mark(r, k, [&](unsigned long long *mark) {
        if (__ldcg(mark) == 0)
            loses = true;
        else
            __stcg(mark, static_cast<unsigned long long>(REFINE_NOBODY));
        return true;
    });
    if (loses)
        r.candidate[k].fate = REFINE_LOSES;
}

/* Choose those that win: the passes of refine_choose.c. */
__global__ void __launch_bounds__(THREADS) choose_kernel(const round_t *all)
{
    const round_t &r = *all;
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    sync_round_t round = {};

    for (int pass = 0;; pass++) {
        unsigned *n_left = &r.n_left[pass % 3];

        if (thread_number() == 0)
            __stcg(&r.n_left[(pass + 1) % 3], 0u);
        for (int64_t k = thread_number(); k < r.n; k += step)
            if (r.candidate[k].fate == REFINE_WAITS)
                each_mark(r, k, [&](unsigned long long *mark) {
                    atomicMin(mark, static_cast<unsigned long long>(r.candidate[k].rank));
                    return true;
                });
        sync_grid<SYNC_ACQUIRE>(r.grid, &round);
        for (int64_t k = thread_number(); k < r.n; k += step)
            if (r.candidate[k].fate == REFINE_WAITS)
                claim(r, k);
        sync_grid<SYNC_ACQUIRE>(r.grid, &round);
        for (int64_t k = thread_number(); k < r.n; k += step)
            if (r.candidate[k].fate == REFINE_WAITS) {
                clear(r, k);
                if (r.candidate[k].fate == REFINE_WAITS)
                    atomicAdd(n_left, 1u);
            }
        sync_grid<SYNC_ACQUIRE>(r.grid, &round);
        if (__ldcg(n_left) == 0)
            break;
    }
}

/* Sum up three numbers per candidate of the candidates before it, in one block.
 * @param of   (k, number[3]) @param use  (k, sums before it[3]) */
template <typename OF, typename USE>
__device__ void scan(int64_t n, uint32_t *total, OF of, USE use)
{
    __shared__ uint32_t sums[3][SCAN_THREADS];
    const int64_t each = (n + SCAN_THREADS - 1) / SCAN_THREADS;
    const int64_t first = threadIdx.x * each, end = min(first + each, n);
    uint32_t own[3] = {}, number[3];

    for (int64_t k = first; k < end; k++) {
        of(k, number);
        for (int i = 0; i < 3; i++)
            own[i] += number[i];
    }
    for (int i = 0; i < 3; i++)
        sums[i][threadIdx.x] = own[i];
    __syncthreads();
    for (int back = 1; back < SCAN_THREADS; back *= 2) {
        uint32_t more[3] = {};

        for (int i = 0; i < 3 && static_cast<int>(threadIdx.x) >= back; i++)
            more[i] = sums[i][threadIdx.x - back];
        __syncthreads();
        for (int i = 0; i < 3; i++)
            sums[i][threadIdx.x] += more[i];
        __syncthreads();
    }
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == SCAN_THREADS - 1)
            total[i] = sums[i][threadIdx.x];
        own[i] = sums[i][threadIdx.x] - own[i];
    }
    for (int64_t k = first; k < end; k++) {
        of(k, number);
        use(k, own);
        for (int i = 0; i < 3; i++)
            own[i] += number[i];
    }
}

/* Give winners the numbers of what they add.  Triangles of those that max_points stops
 * follow all others, so that they do not matter. */
__global__ void __launch_bounds__(SCAN_THREADS) number_kernel(const round_t *all)
{
    const round_t &r = *all;
    __shared__ uint32_t total[3];

    scan(
        r.n, total,
        [&](int64_t k, uint32_t *number) {
            const refine_candidate_t &c = r.candidate[k];
            const bool fills = c.fate == REFINE_WINS && c.n_hit == 0;

            number[0] = fills;
            number[1] = fills ? c.n_borders - c.n_inside : 0;
            number[2] = 0;
        },
        [&](int64_t k, const uint32_t *before) {
            refine_candidate_t *c = &r.candidate[k];
            const int64_t point = r.mesh.n_points + before[0];
            const bool fits = r.max_points == 0 || point < r.max_points;

            c->new_point = fits ? static_cast<int32_t>(point) : MESH_NONE;
            c->new_tri = static_cast<int32_t>(r.mesh.n_triangles + before[1]);
            c->new_sub = static_cast<int32_t>(r.mesh.n_subs + before[0]);
        });
}

/* Fill the cavities of winners. */
__global__ void __launch_bounds__(THREADS) fill_kernel(const round_t *all)
{
    const round_t &r = *all;
    const int64_t k = thread_number();
    refine_chunk_t chunk = {};
    fill_t f = {};
    int32_t *lists;

    if (k >= r.n)
        return;
    if (r.candidate[k].fate == REFINE_WINS)
        set_marks(r, k, REFINE_NOBODY);
    lists = lists_of(r, k);
    chunk.cut = list_at(lists + cavity_ints(r.room), stack_ints(r.room));
    chunk.bad =
        list_at(lists + cavity_ints(r.room) + stack_ints(r.room), outline_ints(r.room));
    if (has_point(r.candidate[k])) {
        f.r = &r.view;
        f.chunk = &chunk;
        f.c = &r.candidate[k];
        f.inside = lists;
        f.border = borders_of(r, k);
        f.is_closed = !r.view.is_cutting || f.c->turn < f.c->n_borders;
        fill(&f);
        if (chunk.has_failed)
            *r.has_failed = 2; /* cannot happen: the lists suffice for the outline */
    }
    r.n_cut[k] = static_cast<uint32_t>(chunk.cut.len / sizeof(int32_t));
    r.n_bad[k] = static_cast<uint32_t>(chunk.bad.len / sizeof(refine_bad_t));
}

/* Count what the host gets. */
__global__ void __launch_bounds__(SCAN_THREADS) count_kernel(const round_t *all)
{
    const round_t &r = *all;

    scan(
        r.n, r.total,
        [&](int64_t k, uint32_t *number) {
            number[0] = r.candidate[k].fate == REFINE_WINS ? r.candidate[k].n_hit : 0;
            number[1] = r.n_bad[k];
            number[2] = r.n_cut[k];
        },
        [&](int64_t k, const uint32_t *before) {
            for (int i = 0; i < 3; i++)
                r.place[i * MESH_ROUND + k] = before[i];
        });
}

/* A candidate in a word: fate, triangles that it adds, subsegments hit. */
constexpr int FATE_BITS = 3, MORE_BITS = 2;

/* Put the lists together; what is stuck stays as it is. */
__global__ void __launch_bounds__(THREADS) gather_kernel(const round_t *all)
{
    const round_t &r = *all;
    const int64_t k = thread_number();
    const int32_t *lists;

    if (k >= r.n)
        return;
    lists = lists_of(r, k);
    const refine_candidate_t &c = r.candidate[k];
    const uint32_t n_hit = c.fate == REFINE_WINS ? c.n_hit : 0;
    const uint32_t more = has_point(c) ? c.n_borders - c.n_inside : 0;
    const int32_t *cut = lists + cavity_ints(r.room);
    const refine_bad_t *bad =
        reinterpret_cast<const refine_bad_t *>(cut + stack_ints(r.room));

    r.outcome[k] = static_cast<uint32_t>(c.fate) | more << FATE_BITS |
                   n_hit << (FATE_BITS + MORE_BITS);
    for (uint32_t i = 0; i < n_hit; i++)
        r.hits[r.place[k] + i] = lists[c.n_inside + 4 * c.n_borders + i];
    for (uint32_t i = 0; i < r.n_bad[k]; i++)
        r.bad[r.place[MESH_ROUND + k] + i] = bad[i];
    for (uint32_t i = 0; i < r.n_cut[k]; i++)
        r.cut[r.place[2 * MESH_ROUND + k] + i] = cut[i];
    if (c.fate == REFINE_IS_STUCK && r.view.is_cutting)
        r.mesh.s[c.what].is_final = true;
    else if (c.fate == REFINE_IS_STUCK)
        r.mesh.t[c.what].key = 0;
}

__global__ void fill_marks_kernel(unsigned long long *mark, int64_t begin, int64_t end)
{
    for (int64_t k = begin + thread_number(); k < end;
         k += static_cast<int64_t>(gridDim.x) * blockDim.x)
        mark[k] = REFINE_NOBODY;
}

} // namespace

/* ---- the host ---- */

/* What a round copies to the host, behind each other: has_failed, total, outcome. */
enum { HEAD = 4 };

struct refine_gpu {
    int device, n_cores, n_blocks;
    round_t on_host, *on_device;
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
        if (st == ST_OK) {
            fill_marks_kernel<<<256, THREADS>>>(g->on_host.mark, m->triangles_capacity,
                                                n);
            st = CUDA_TRY(cudaGetLastError());
        }
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
    const round_t &r = g->on_host;

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

/* Give each candidate lists for so many triangles. */
status_t make_room(refine_gpu *g, int room)
{
    round_t *r = &g->on_host;
    const int64_t n = static_cast<int64_t>(MESH_ROUND) * outline_ints(room);

    r->room = room;
    if (static_cast<int64_t>(MESH_ROUND) * stack_ints(room) > UINT32_MAX / 2)
        return log_nomem("a cavity");
    cudaFree(r->lists);
    r->lists = nullptr;
    return CUDA_TRY(cudaMalloc(&r->lists, static_cast<size_t>(MESH_ROUND) *
                                              static_cast<size_t>(list_ints(room)) *
                                              sizeof(int32_t))) == ST_OK &&
                   n > 0
               ? ST_OK
               : ST_ENOMEM;
}

/* Make the three lists of the device as long as they may get. */
status_t reserve_lists(refine_gpu *g)
{
    round_t *r = &g->on_host;
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
    round_t *r = &g->on_host;
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
        st = sync_resident(choose_kernel, {1, THREADS, 1}, device->n_cores, &g->n_blocks);
    if (st == ST_OK)
        *out = g;
    else
        destroy(g);
    return st;
}

status_t put_state(refine_gpu *g)
{
    return CUDA_TRY(cudaMemcpyAsync(g->on_device, &g->on_host, sizeof(round_t),
                                    cudaMemcpyHostToDevice, cudaStreamLegacy));
}

/* Find all cavities, if need be with more room. */
status_t find_all(refine_gpu *g, int n_blocks)
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
        find_kernel<<<n_blocks, THREADS>>>(g->on_device);
        if ((st = CUDA_TRY(cudaGetLastError())) == ST_OK)
            st = CUDA_TRY(cudaMemcpy(g->fetched, g->head, sizeof(*g->fetched),
                                     cudaMemcpyDeviceToHost));
    } while (st == ST_OK && g->fetched[0] != 0);
    return st;
}

status_t choose_and_fill(refine_gpu *g, int n_blocks)
{
    const sync_shape_t shape = {std::min(n_blocks, g->n_blocks), THREADS, 1};
    const size_t n = static_cast<size_t>(g->on_host.n);
    status_t st =
        CUDA_TRY(cudaMemsetAsync(g->on_host.n_left, 0, 4 * sizeof(*g->on_host.n_left)));

    if (st == ST_OK)
        st = sync_launch(choose_kernel, shape, g->n_cores, cudaStreamLegacy,
                         static_cast<const round_t *>(g->on_device));
    if (st != ST_OK)
        return st;
    number_kernel<<<1, SCAN_THREADS>>>(g->on_device);
    fill_kernel<<<n_blocks, THREADS>>>(g->on_device);
    count_kernel<<<1, SCAN_THREADS>>>(g->on_device);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpy(g->fetched, g->head, HEAD * sizeof(*g->fetched),
                                  cudaMemcpyDeviceToHost))) != ST_OK ||
        (st = reserve_lists(g)) != ST_OK || (st = put_state(g)) != ST_OK)
        return st;
    gather_kernel<<<n_blocks, THREADS>>>(g->on_device);
    if ((st = CUDA_TRY(cudaGetLastError())) == ST_OK)
        st = CUDA_TRY(cudaMemcpyAsync(g->fetched + HEAD, g->head + HEAD,
                                      n * sizeof(*g->fetched), cudaMemcpyDeviceToHost,
                                      cudaStreamLegacy));
    return st;
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

        c->fate = static_cast<refine_fate_t>(word & ((1u << FATE_BITS) - 1));
        c->n_inside = 0;
        c->n_borders = static_cast<int32_t>(word >> FATE_BITS & ((1u << MORE_BITS) - 1));
        c->n_hit = static_cast<int32_t>(word >> (FATE_BITS + MORE_BITS));
        c->at = at;
        at += c->n_hit;
    }
}

status_t compute_round(refine_gpu_t *g, refine_t *r)
{
    const int n_blocks = static_cast<int>((r->n + THREADS - 1) / THREADS);
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
        (st = find_all(g, n_blocks)) != ST_OK ||
        (st = choose_and_fill(g, n_blocks)) != ST_OK || (st = fetch_lists(g, r)) != ST_OK)
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
