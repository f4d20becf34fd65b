/*
 * mesh_round_kernels.cu - a round of refinement by the functions that processors run.
 *
 * A thread owns a candidate, which is a chunk of its own.  It finds the cavity in lists
 * of a fixed size, and changes nothing else.  One cooperative kernel then decides who
 * wins, in passes with barriers of the grid; one block gives winners their numbers;
 * winners fill their cavities; and what they leave to be refined is put together in the
 * order of the round, and then copied to the host.  Compiled without fused products
 * (-fmad=false).
 */
#include "kernels/mesh/refine/mesh_round.cuh"
#include "kernels/sync/sync_launch.cuh"

extern "C" {
#include "kernels/mesh/exact/predicates.h"
}

#include <cmath>
#include <cstring>

#include "kernels/mesh/exact/predicates_body.h"
#include "kernels/mesh/refine/refine_rule_body.h"

#include "kernels/mesh/refine/refine_cavity_body.h"
#include "kernels/mesh/refine/refine_fill_body.h"

namespace
{

constexpr int THREADS = MESH_ROUND_THREADS, SCAN_THREADS = 1024, WARP = 32;
constexpr int WARPS = 16; /* of a multiprocessor, before they get more candidates */

__device__ buf_t list_at(int32_t *data, int n)
{
    buf_t b = {};

    b.data = reinterpret_cast<unsigned char *>(data);
    b.capacity = static_cast<size_t>(n) * sizeof(*data);
    return b;
}

__device__ int32_t *lists_of(const mesh_round_t &r, int64_t k)
{
    return r.lists + k * mesh_round_list_ints(r.room);
}

/* The parts of a candidate's lists behind the cavity. */
__device__ buf_t stack_of(const mesh_round_t &r, int64_t k)
{
    return list_at(lists_of(r, k) + mesh_round_cavity_ints(r.room),
                   mesh_round_stack_ints(r.room));
}

__device__ buf_t outline_of(const mesh_round_t &r, int64_t k)
{
    return list_at(lists_of(r, k) + mesh_round_cavity_ints(r.room) +
                       mesh_round_stack_ints(r.room),
                   mesh_round_outline_ints(r.room));
}

__device__ const refine_border_t *borders_of(const mesh_round_t &r, int64_t k)
{
    return reinterpret_cast<const refine_border_t *>(lists_of(r, k) +
                                                     r.candidate[k].n_inside);
}

__device__ int64_t thread_number()
{
    return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/* @return the number of a thread's candidate, or n: it has none */
__device__ int64_t candidate_number(const mesh_round_t &r)
{
    const int lane = static_cast<int>(threadIdx.x % WARP);
    const int64_t k = thread_number() / WARP * r.lanes + lane;

    return lane < r.lanes && k < r.n ? k : r.n;
}

__device__ refine_view_t view_of(const mesh_round_t &r)
{
    return {const_cast<tri_mesh_t *>(&r.mesh), r.rule};
}

__device__ bool lacks_room(const mesh_round_t &r)
{
    return __ldcg(&r.counts->lack) == MESH_LACKS_ROOM;
}

__device__ bool has_point(const refine_candidate_t &c)
{
    return c.fate == REFINE_WINS && c.n_hit == 0 && c.new_point != MESH_NONE;
}

/* ---- kernels ---- */

/* Find vertices and cavities. */
__global__ void __launch_bounds__(THREADS)
    find_kernel(const __grid_constant__ mesh_round_t r)
{
    const int64_t k = candidate_number(r);
    const refine_view_t view = view_of(r);
    refine_chunk_t chunk = {};
    refine_candidate_t c = {};
    buf_t outline;

    if (k >= r.n)
        return;
    chunk.cavities = list_at(lists_of(r, k), mesh_round_cavity_ints(r.room));
    chunk.stack = stack_of(r, k);
    outline = outline_of(r, k);
    c.is_sub = k < r.n_sub;
    c.what = r.request[k].tri;
    c.version = r.request[k].version;
    if (find(&view, &chunk, k, &c, &outline) != ST_OK)
        __stcg(&r.counts->lack, static_cast<uint32_t>(MESH_LACKS_ROOM));
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
template <typename EACH>
__device__ bool each_mark(const mesh_round_t &r, int64_t k, EACH each)
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

/* Lose, or leave marks. */
__device__ void ask(const mesh_round_t &r, int64_t k, int pass, int n_passes)
{
    refine_candidate_t *c = &r.candidate[k];
    const unsigned long long own = refine_mark(r.round, pass, c->rank);
    const unsigned long long taken = refine_taken(r.round);

    if (pass == n_passes || !each_mark(r, k, [&](unsigned long long *mark) {
            const unsigned long long old = __ldcg(mark);

            if (old > own)
                atomicMin(mark, own);
            return old != taken;
        }))
        c->fate = REFINE_LOSES;
}

/* Win, if all marks are its own, and take them. */
__device__ void claim(const mesh_round_t &r, int64_t k, int pass)
{
    const unsigned long long own = refine_mark(r.round, pass, r.candidate[k].rank);
    const unsigned long long taken = refine_taken(r.round);

    if (!each_mark(r, k, [&](unsigned long long *mark) { return __ldcg(mark) == own; }))
        return;
    r.candidate[k].fate = REFINE_WINS;
    each_mark(r, k, [&](unsigned long long *mark) {
        __stcg(mark, taken);
        return true;
    });
}

/* Choose those that win: the passes of refine_choose.c. */
__global__ void __launch_bounds__(THREADS)
    choose_kernel(const __grid_constant__ mesh_round_t r)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const sync_grid_t grid = {&r.counts->barrier, nullptr, nullptr};
    const int n_passes = r.variant == MESH_BASE ? 1 : REFINE_PASSES;
    sync_round_t round = {};

    if (lacks_room(r))
        return;
    for (int pass = 0;; pass++) {
        unsigned *n_left = &r.counts->n_left[pass % 2];

        for (int64_t k = thread_number(); k < r.n; k += step)
            if (r.candidate[k].fate == REFINE_WAITS) {
                ask(r, k, pass, n_passes);
                if (r.candidate[k].fate == REFINE_WAITS)
                    atomicAdd(n_left, 1u);
            }
        sync_grid<SYNC_ACQUIRE>(grid, &round);
        if (__ldcg(n_left) == 0)
            break;
        if (thread_number() == 0)
            __stcg(&r.counts->n_left[(pass + 1) % 2], 0u);
        for (int64_t k = thread_number(); k < r.n; k += step)
            if (r.candidate[k].fate == REFINE_WAITS)
                claim(r, k, pass);
        sync_grid<SYNC_ACQUIRE>(grid, &round);
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
#pragma unroll
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
__global__ void __launch_bounds__(SCAN_THREADS)
    number_kernel(const __grid_constant__ mesh_round_t r)
{
    __shared__ uint32_t total[3];

    if (lacks_room(r))
        return;
    scan(
        r.n, total,
        [&](int64_t k, uint32_t *number) {
            const refine_candidate_t &c = r.candidate[k];
            const bool fills = c.fate == REFINE_WINS && c.n_hit == 0;

            number[0] = fills;
            number[1] = fills ? c.n_borders - c.n_inside : 0;
            number[2] = fills && c.is_sub;
        },
        [&](int64_t k, const uint32_t *before) {
            refine_candidate_t *c = &r.candidate[k];
            const int64_t point = r.mesh.n_points + before[0];
            const bool fits = r.max_points == 0 || point < r.max_points;

            c->new_point = fits ? static_cast<int32_t>(point) : MESH_NONE;
            c->new_tri = static_cast<int32_t>(r.mesh.n_triangles + before[1]);
            c->new_sub = static_cast<int32_t>(r.mesh.n_subs + before[2]);
        });
}

/* Fill the cavity of a winner. @param chunk  its lists: 4 numbers per border suffice for
 * what new triangles leave to be refined */
__device__ void fill_one(const mesh_round_t &r, int64_t k, refine_chunk_t *chunk)
{
    const refine_view_t view = view_of(r);
    fill_t f = {};

    f.r = &view;
    f.chunk = chunk;
    f.c = &r.candidate[k];
    f.inside = lists_of(r, k);
    f.border = borders_of(r, k);
    f.is_closed = !f.c->is_sub || f.c->turn < f.c->n_borders;
    fill(&f);
    if (chunk->has_failed)
        __trap();
}

__global__ void __launch_bounds__(THREADS)
    fill_kernel(const __grid_constant__ mesh_round_t r)
{
    const int64_t k = candidate_number(r);
    refine_chunk_t chunk = {};

    if (k >= r.n || lacks_room(r))
        return;
    chunk.cut = stack_of(r, k);
    chunk.bad = outline_of(r, k);
    if (has_point(r.candidate[k]))
        fill_one(r, k, &chunk);
    r.n_cut[k] = static_cast<uint32_t>(chunk.cut.len / sizeof(int32_t));
    r.n_bad[k] = static_cast<uint32_t>(chunk.bad.len / sizeof(refine_bad_t));
}

__device__ uint32_t n_hits(const refine_candidate_t &c)
{
    return c.fate == REFINE_WINS ? static_cast<uint32_t>(c.n_hit) : 0;
}

/* Count what the host gets. */
__global__ void __launch_bounds__(SCAN_THREADS)
    count_kernel(const __grid_constant__ mesh_round_t r)
{
    if (lacks_room(r))
        return;
    scan(
        r.n, r.counts->total,
        [&](int64_t k, uint32_t *number) {
            number[0] = n_hits(r.candidate[k]);
            number[1] = r.n_cut[k];
            number[2] = r.n_bad[k];
        },
        [&](int64_t k, const uint32_t *before) {
            for (int i = 0; i < 3; i++)
                r.place[i * MESH_ROUND + k] = before[i];
        });
}

/* @return the words that the host gets; only the first ones if it lacks something */
__device__ int64_t result_words(const mesh_round_t &r)
{
    const uint32_t *total = r.counts->total;
    const int64_t n =
        MESH_HEAD + r.n + total[0] + total[1] + MESH_BAD_WORDS * int64_t{total[2]};

    return lacks_room(r) || n > r.capacity ? MESH_HEAD : n;
}

/* Append a list of a candidate to those before it. */
__device__ void put_list(uint32_t *to, const int32_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = static_cast<uint32_t>(from[i]);
}

/* Put the lists together; subsegments that are stuck stay as they are. */
__global__ void __launch_bounds__(THREADS)
    gather_kernel(const __grid_constant__ mesh_round_t r)
{
    const uint32_t *total = r.counts->total;
    const int64_t k = thread_number();
    uint32_t *hits = r.result + MESH_HEAD + r.n, *cut = hits + total[0];
    uint32_t *bad = cut + total[1];

    if (k >= r.n || result_words(r) == MESH_HEAD)
        return;
    const refine_candidate_t &c = r.candidate[k];
    const uint32_t more = has_point(c) ? c.n_borders - c.n_inside : 0;
    const uint32_t *place = r.place + k;

    r.result[MESH_HEAD + k] = static_cast<uint32_t>(c.fate) | more << MESH_FATE_BITS |
                              n_hits(c) << (MESH_FATE_BITS + MESH_MORE_BITS);
    put_list(hits + place[0], lists_of(r, k) + c.n_inside + 4 * c.n_borders, n_hits(c));
    put_list(cut + place[MESH_ROUND], reinterpret_cast<int32_t *>(stack_of(r, k).data),
             r.n_cut[k]);
    put_list(bad + MESH_BAD_WORDS * place[2 * MESH_ROUND],
             reinterpret_cast<int32_t *>(outline_of(r, k).data),
             MESH_BAD_WORDS * r.n_bad[k]);
    if (c.fate == REFINE_IS_STUCK && c.is_sub)
        r.mesh.s[c.what].is_final = true;
}

/* Copy the result to the host's memory, in the order of its addresses. */
__global__ void __launch_bounds__(THREADS)
    send_kernel(const __grid_constant__ mesh_round_t r)
{
    const int64_t n = result_words(r), k = thread_number();

    if (k == 0) {
        r.fetched[MESH_LACK] = lacks_room(r)    ? MESH_LACKS_ROOM
                               : n == MESH_HEAD ? MESH_LACKS_RESULT
                                                : MESH_LACKS_NOTHING;
        for (int i = 0; i < 3; i++)
            r.fetched[MESH_N_HITS + i] = r.counts->total[i];
    }
    for (int64_t i = MESH_HEAD + k; i < n;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x)
        r.fetched[i] = r.result[i];
}

__global__ void fill_marks_kernel(unsigned long long *mark, int64_t begin, int64_t end)
{
    for (int64_t k = begin + thread_number(); k < end;
         k += static_cast<int64_t>(gridDim.x) * blockDim.x)
        mark[k] = REFINE_NOBODY;
}

/* ---- the host ---- */

unsigned blocks_of(int64_t n)
{
    return static_cast<unsigned>((n + THREADS - 1) / THREADS);
}

/* Few candidates are spread over all processors. */
int lanes_of(int64_t n, int n_cores)
{
    int lanes = 1;

    while (lanes < WARP && n > static_cast<int64_t>(lanes) * WARPS * n_cores)
        lanes *= 2;
    return lanes;
}

} // namespace

status_t mesh_round_run(const mesh_round_t *round, int n_cores, int max_blocks)
{
    mesh_round_t r = *round;
    const int n_blocks = static_cast<int>(blocks_of(r.n));
    const sync_shape_t shape = {n_blocks < max_blocks ? n_blocks : max_blocks, THREADS,
                                1};
    unsigned spread;
    status_t st;

    r.lanes = lanes_of(r.n, n_cores);
    spread = blocks_of((r.n + r.lanes - 1) / r.lanes * WARP);
    find_kernel<<<spread, THREADS>>>(r);
    if ((st = sync_launch(choose_kernel, shape, n_cores, cudaStreamLegacy, r)) != ST_OK)
        return st;
    number_kernel<<<1, SCAN_THREADS>>>(r);
    fill_kernel<<<spread, THREADS>>>(r);
    count_kernel<<<1, SCAN_THREADS>>>(r);
    return mesh_round_send(&r);
}

status_t mesh_round_send(const mesh_round_t *round)
{
    gather_kernel<<<blocks_of(round->n), THREADS>>>(*round);
    send_kernel<<<blocks_of(MESH_HEAD + round->n), THREADS>>>(*round);
    return CUDA_TRY(cudaGetLastError());
}

status_t mesh_round_unmark(unsigned long long *mark, int64_t begin, int64_t end)
{
    fill_marks_kernel<<<256, THREADS>>>(mark, begin, end);
    return CUDA_TRY(cudaGetLastError());
}

status_t mesh_round_resident(int n_cores, int *out)
{
    return sync_resident(choose_kernel, {1, THREADS, 1}, n_cores, out);
}
