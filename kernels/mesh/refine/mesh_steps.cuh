/*
 * mesh_steps.cuh - the steps of a round on a GPU, between which all blocks wait for each
 * other.
 *
 * A thread owns a candidate, and finds and fills its cavity by the functions that
 * processors run; where candidates are few, they are spread over all warps.  Compiled
 * without fused products (-fmad=false).
 */
#pragma once

#include "kernels/mesh/refine/mesh_log.cuh"

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

constexpr unsigned long long NOBODY = REFINE_NOBODY;

/* ---- candidates ---- */

/* Call a function with the number of a block of candidates, of how many, and that of the
 * thread's candidate, or -1: it has none. */
template <typename EACH> __device__ void each_candidate(const mesh_round_t &r, EACH each)
{
    const int n = __ldcg(&r.control->n), n_blocks = static_cast<int>(gridDim.x);
    const int of_block = min(max((n + n_blocks - 1) / n_blocks, 1), MESH_THREADS);
    const int spread = MESH_THREADS / of_block;
    const int own = static_cast<int>(threadIdx.x) / spread;
    const bool has_one = static_cast<int>(threadIdx.x) % spread == 0 && own < of_block;
    const int n_used = (n + of_block - 1) / of_block;

    for (int b = static_cast<int>(blockIdx.x); b < n_used; b += n_blocks) {
        const int64_t k = b * of_block + own;

        each(b, n_used, has_one && k < n ? k : -1);
    }
}

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

__device__ const int32_t *hits_of(const mesh_round_t &r, int64_t k)
{
    return lists_of(r, k) + r.candidate[k].n_inside + 4 * r.candidate[k].n_borders;
}

__device__ refine_view_t view_of(const mesh_round_t &r)
{
    return {const_cast<tri_mesh_t *>(&r.mesh), r.rule};
}

__device__ bool waits(const mesh_round_t &r, int64_t k)
{
    return k >= 0 && r.candidate[k].fate == REFINE_WAITS;
}

/* Call a function for the triangles of a candidate and those beside them, until it
 * returns false. */
template <typename EACH>
__device__ bool each_triangle(const mesh_round_t &r, int64_t k, EACH each)
{
    const int32_t n_inside = r.candidate[k].n_inside;
    const int32_t n = n_inside + r.candidate[k].n_borders;
    const int32_t *inside = lists_of(r, k);
    const refine_border_t *border = borders_of(r, k);

    for (int32_t i = 0; i < n; i++) {
        const int32_t outside = i < n_inside ? 0 : border[i - n_inside].outside;

        if (outside != MESH_NONE &&
            !each(i < n_inside ? inside[i] : mesh_tri_of(outside)))
            return false;
    }
    return true;
}

/* Call a function for their marks. */
template <typename EACH>
__device__ bool each_mark(const mesh_round_t &r, int64_t k, EACH each)
{
    return each_triangle(r, k, [&](int32_t t) { return each(&r.mark[t]); });
}

/* Sum up the versions of the triangles of a candidate and beside them: they only grow. */
__device__ uint32_t versions_of(const mesh_round_t &r, int64_t k)
{
    uint32_t sum = 0;

    each_triangle(r, k, [&](int32_t t) {
        sum += __ldcg(&r.mesh.t[t].version);
        return true;
    });
    return sum;
}

/* Find the vertex of a candidate and its cavity. */
__device__ void find_one(const mesh_round_t &r, int64_t k, bool is_sub)
{
    const refine_view_t view = view_of(r);
    refine_chunk_t chunk = {};
    refine_candidate_t c = {};
    buf_t outline = outline_of(r, k);

    chunk.cavities = list_at(lists_of(r, k), mesh_round_cavity_ints(r.room));
    chunk.stack = stack_of(r, k);
    c.is_sub = is_sub;
    c.what = __ldcg(&r.request[k].tri);
    c.version = __ldcg(&r.request[k].version);
    if (find(&view, &chunk, k, &c, &outline) != ST_OK)
        __stcg(&r.control->lacks_room, 1u);
    r.candidate[k] = c;
}

/* ---- marks ---- */

/* Leave marks, of which the lowest stay. @return false: some triangle is taken */
__device__ bool lower_marks(const mesh_round_t &r, int64_t round, int pass, int64_t k)
{
    const unsigned long long own = refine_mark(round, pass, r.candidate[k].rank);
    const unsigned long long taken = refine_taken(round);

    return each_mark(r, k, [&](unsigned long long *mark) {
        const unsigned long long old = __ldcg(mark);

        if (old > own)
            atomicMin(mark, own);
        return old != taken;
    });
}

/* Leave marks, of which any stay. */
__device__ void write_marks(const mesh_round_t &r, int64_t round, int64_t k)
{
    const unsigned long long own = refine_mark(round, 0, r.candidate[k].rank);

    each_mark(r, k, [&](unsigned long long *mark) {
        __stcg(mark, own);
        return true;
    });
}

__device__ bool owns_marks(const mesh_round_t &r, int64_t round, int pass, int64_t k)
{
    const unsigned long long own = refine_mark(round, pass, r.candidate[k].rank);

    return each_mark(r, k, [&](unsigned long long *mark) { return __ldcg(mark) == own; });
}

__device__ void take_marks(const mesh_round_t &r, int64_t round, int64_t k)
{
    const unsigned long long taken = refine_taken(round);

    each_mark(r, k, [&](unsigned long long *mark) {
        __stcg(mark, taken);
        return true;
    });
}

/* Lock a candidate's triangles, for the rest of the round or until they are unlocked.
 * @return false: others have one of them */
__device__ bool lock(const mesh_round_t &r, int64_t round, int64_t k)
{
    const unsigned long long own = refine_taken(round) | static_cast<unsigned>(k);

    return each_mark(r, k, [&](unsigned long long *mark) {
        unsigned long long old = __ldcg(mark), seen;

        do {
            if (old == own)
                return true; /* it is beside two of them */
            if (old >> (REFINE_PASS_BITS + 32) == own >> (REFINE_PASS_BITS + 32))
                return false;
            seen = old;
            old = atomicCAS(mark, seen, own);
        } while (old != seen);
        return true;
    });
}

__device__ void unlock(const mesh_round_t &r, int64_t round, int64_t k)
{
    const unsigned long long own = refine_taken(round) | static_cast<unsigned>(k);

    each_mark(r, k, [&](unsigned long long *mark) {
        if (__ldcg(mark) == own)
            __stcg(mark, NOBODY);
        return true;
    });
}

/* ---- begin and end of a round ---- */

/* @return why a round cannot begin, or MESH_GOES_ON */
__device__ mesh_end_t state_end(const mesh_round_t &r, int64_t round)
{
    const mesh_state_t *s = &r.control->state[round & 1];

    if (__ldcg(&r.control->is_partial) != 0)
        return MESH_IS_PARTIAL;
    if (__ldcg(&s->n_points) + MESH_ROUND > r.mesh.points_capacity ||
        __ldcg(&s->n_triangles) + 2 * MESH_ROUND > r.mesh.triangles_capacity ||
        __ldcg(&s->n_subs) + MESH_ROUND > r.mesh.subs_capacity)
        return MESH_LACKS_MESH;
    return MESH_GOES_ON;
}

/* Find cavities, and leave the first marks. */
__device__ void find_all(const mesh_round_t &r, int64_t round)
{
    const int n_sub = __ldcg(&r.control->n_sub);

    each_candidate(r, [&](int, int, int64_t k) {
        uint32_t bound[1] = {};

        if (k >= 0)
            find_one(r, k, k < n_sub);
        if (waits(r, k)) {
            const refine_candidate_t &c = r.candidate[k];

            bound[0] = static_cast<uint32_t>(c.n_hit + 2 * c.n_borders + 4);
            if (r.variant == MESH_ROUNDS)
                lower_marks(r, round, 0, k);
            else if (r.variant != MESH_ATOMIC && r.variant != MESH_DPAR)
                write_marks(r, round, k);
            if (r.variant == MESH_3_PHASE || r.variant == MESH_STEALING)
                r.versions[k] = versions_of(r, k);
        }
        mesh_block_sum(bound);
        if (threadIdx.x == 0)
            atomicAdd(&r.control->n_bound, static_cast<unsigned long long>(bound[0]));
    });
}

/* @return why a round ends once cavities are found, or MESH_GOES_ON */
__device__ mesh_end_t found_end(const mesh_round_t &r)
{
    const mesh_control_t *c = r.control;

    if (__ldcg(&c->lacks_room) != 0)
        return MESH_LACKS_ROOM;
    return __ldcg(&c->n_log) + static_cast<int64_t>(__ldcg(&c->n_bound)) > r.log_capacity
               ? MESH_LACKS_LOG
               : MESH_GOES_ON;
}

/* ---- subsegments that are to be cut ---- */

/* The key of an entry of a list: of all that ask for a subsegment, the lowest puts it in
 * the log.  The lists of cavities with subsegments in their way come first. */
__device__ unsigned long long ask_key(int64_t k, bool is_hit, uint32_t i)
{
    return static_cast<unsigned long long>((is_hit ? 1 : 1 + MESH_ROUND) + k) << 32 | i;
}

__device__ void ask_for(const mesh_round_t &r, int64_t k, bool is_hit,
                        const int32_t *subs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!r.mesh.s[subs[i]].is_final)
            atomicMin(&r.asked[subs[i]], ask_key(k, is_hit, i));
}

__device__ uint32_t n_hits(const refine_candidate_t &c)
{
    return c.fate == REFINE_WINS ? static_cast<uint32_t>(c.n_hit) : 0;
}

__device__ bool has_point(const refine_candidate_t &c)
{
    return c.fate == REFINE_WINS && c.n_hit == 0 && c.new_point != MESH_NONE;
}

/* ---- filling ---- */

/* Add up what winners will add, and ask for what is in their way. */
__device__ void plan(const mesh_round_t &r, int block, int64_t k)
{
    uint32_t n[3] = {};

    if (k >= 0 && r.candidate[k].fate == REFINE_WINS) {
        const refine_candidate_t &c = r.candidate[k];

        ask_for(r, k, true, hits_of(r, k), n_hits(c));
        n[0] = c.n_hit == 0;
        n[1] = c.n_hit == 0 ? c.n_borders - c.n_inside : 0;
        n[2] = c.n_hit == 0 && c.is_sub;
    }
    mesh_block_sum(n);
    mesh_put_partial(r, block, MESH_PLANNED, n);
}

/* Give a winner the numbers of what it adds, which follow each other in the order of the
 * round.  Triangles of those that max_points stops follow all others, so that they do not
 * matter. */
__device__ void number(const mesh_round_t &r, int64_t round, int block, int n_blocks,
                       int64_t k)
{
    const mesh_state_t *s = &r.control->state[round & 1];
    refine_candidate_t *c = &r.candidate[max(k, int64_t{0})];
    const bool fills = k >= 0 && c->fate == REFINE_WINS && c->n_hit == 0;
    uint32_t before[3], total[3], n[3] = {fills, 0, fills && c->is_sub}, of_block[3];

    if (fills)
        n[1] = static_cast<uint32_t>(c->n_borders - c->n_inside);
    mesh_sum_partials(r, block, n_blocks, MESH_PLANNED, before, total);
    mesh_block_scan(n, of_block);
    if (k < 0)
        return;
    const int64_t point = __ldcg(&s->n_points) + before[0] + n[0];
    const bool fits = r.max_points == 0 || point < r.max_points;

    c->new_point = fills && fits ? static_cast<int32_t>(point) : MESH_NONE;
    c->new_tri = static_cast<int32_t>(__ldcg(&s->n_triangles) + before[1] + n[1]);
    c->new_sub = static_cast<int32_t>(__ldcg(&s->n_subs) + before[2] + n[2]);
    if (fills && !fits)
        __stcg(&r.control->is_partial, 1u);
}

/* Give a winner the next numbers. */
__device__ void number_any(const mesh_round_t &r, int64_t round, int64_t k)
{
    const mesh_state_t *s = &r.control->state[round & 1];
    refine_candidate_t *c = &r.candidate[k];
    uint32_t *fresh = r.control->fresh;
    const int64_t point = __ldcg(&s->n_points) + atomicAdd(&fresh[0], 1u);
    const uint32_t more = static_cast<uint32_t>(c->n_borders - c->n_inside);

    c->new_point = MESH_NONE;
    if (r.max_points > 0 && point >= r.max_points) {
        __stcg(&r.control->is_partial, 1u);
        return;
    }
    c->new_point = static_cast<int32_t>(point);
    c->new_tri =
        static_cast<int32_t>(__ldcg(&s->n_triangles) + atomicAdd(&fresh[1], more));
    if (c->is_sub)
        c->new_sub = static_cast<int32_t>(__ldcg(&s->n_subs) + atomicAdd(&fresh[2], 1u));
}

__device__ fill_t fill_of(const mesh_round_t &r, int64_t k, const refine_view_t *view,
                          refine_chunk_t *chunk)
{
    fill_t f = {};

    f.r = view;
    f.chunk = chunk;
    f.c = &r.candidate[k];
    f.inside = lists_of(r, k);
    f.border = borders_of(r, k);
    f.is_closed = !f.c->is_sub || f.c->turn < f.c->n_borders;
    return f;
}

/* Fill the cavity of a winner. */
__device__ void fill_one(const mesh_round_t &r, int64_t k)
{
    const refine_view_t view = view_of(r);
    fill_t f = fill_of(r, k, &view, nullptr);

    fill(&f);
    if (f.c->is_sub)
        __stcg(&r.asked[f.c->what], NOBODY);
}

/* List what its new triangles leave to be refined: 4 numbers per border suffice. */
__device__ void check_one(const mesh_round_t &r, int64_t k)
{
    const refine_view_t view = view_of(r);
    refine_chunk_t chunk = {};
    fill_t f = fill_of(r, k, &view, &chunk);

    chunk.cut = stack_of(r, k);
    chunk.bad = outline_of(r, k);
    check_new(&f);
    if (chunk.has_failed)
        __trap();
    r.n_cuts[k] = static_cast<uint32_t>(chunk.cut.len / sizeof(int32_t));
    r.n_bad[k] = static_cast<uint32_t>(chunk.bad.len / sizeof(refine_bad_t));
    ask_for(r, k, false, reinterpret_cast<int32_t *>(chunk.cut.data), r.n_cuts[k]);
}

/* Win with all triangles locked. @return whether there are new triangles */
__device__ bool win_locked(const mesh_round_t &r, int64_t round, int64_t k)
{
    refine_candidate_t *c = &r.candidate[k];

    c->fate = REFINE_WINS;
    if (c->n_hit > 0) {
        ask_for(r, k, true, hits_of(r, k), n_hits(*c));
        return false;
    }
    number_any(r, round, k);
    if (!has_point(*c))
        return false;
    fill_one(r, k);
    return true;
}

/* Win if all triangles can be locked, which stay so for the rest of the round, or lose.
 * @param check  called if there are new triangles */
template <typename CHECK>
__device__ void fill_locked(const mesh_round_t &r, int64_t round, int64_t k, CHECK check)
{
    if (!lock(r, round, k)) {
        unlock(r, round, k);
        r.candidate[k].fate = REFINE_LOSES;
        return;
    }
    __threadfence();
    if (win_locked(r, round, k))
        check();
}

/* @return whether a candidate's entry of the log is done with */
__device__ bool is_done(const refine_candidate_t &c)
{
    return c.fate != REFINE_LOSES && (c.fate != REFINE_WINS || has_point(c));
}

/* Add up what became of candidates. */
__device__ void sum_up(const mesh_round_t &r, int block, int64_t k)
{
    uint32_t n[MESH_PLANNED] = {};

    if (k >= 0) {
        const refine_candidate_t &c = r.candidate[k];
        const bool fills = has_point(c);

        n[MESH_N_HITS] = n_hits(c);
        n[MESH_N_CUTS] = fills ? r.n_cuts[k] : 0;
        n[MESH_N_BAD] = fills ? r.n_bad[k] : 0;
        n[MESH_N_POINTS] = fills;
        n[MESH_N_TRIANGLES] = fills ? c.n_borders - c.n_inside : 0;
        n[MESH_N_SUBS] = fills && c.is_sub;
        n[MESH_N_CONFLICTS] = c.fate == REFINE_LOSES;
        n[MESH_N_STUCK] = c.fate == REFINE_IS_STUCK && !c.is_sub;
        n[MESH_N_GONE_SUBS] = c.is_sub && is_done(c);
        n[MESH_N_GONE] = !c.is_sub && is_done(c);
    }
    mesh_block_sum(n);
    mesh_put_partial(r, block, 0, n);
}

} // namespace
