/*
 * mesh_append.cuh - what a round leaves to be refined goes to the log: in the order of
 * the round, or as threads come that share the checks of new triangles.
 */
#pragma once

#include "kernels/mesh/refine/mesh_steps.cuh"

namespace
{

/* Entries of a block per class, which it adds to `live`. */
struct mesh_classes_t {
    uint32_t n[MESH_CLASSES];
};

__device__ void put_entry(const mesh_round_t &r, int side, int64_t at, int32_t what,
                          uint32_t version, int class_of, mesh_classes_t *classes)
{
    r.entry[side][at] = {what, version};
    r.class_of[side][at] = static_cast<uint16_t>(class_of);
    if (class_of != MESH_HOLE)
        atomicAdd(classes != nullptr ? &classes->n[class_of] : &r.live[class_of], 1u);
}

/* Append subsegments; those that others ask for first are holes. */
__device__ void append_subs(const mesh_round_t &r, int side, int64_t at, int64_t k,
                            bool is_hit, const int32_t *subs, uint32_t n,
                            mesh_classes_t *classes)
{
    for (uint32_t i = 0; i < n; i++) {
        const bool is_first = __ldcg(&r.asked[subs[i]]) == ask_key(k, is_hit, i);

        if (is_first)
            __stcg(&r.asked[subs[i]], 0ull);
        put_entry(r, side, at + i, subs[i], 0, is_first ? 0 : MESH_HOLE, classes);
    }
}

/* The counts behind a round. */
__device__ void next_state(const mesh_round_t &r, int64_t round,
                           const uint32_t (&total)[MESH_PLANNED])
{
    mesh_control_t *c = r.control;
    const mesh_state_t *s = &c->state[round & 1];
    mesh_state_t *to = &c->state[(round + 1) & 1];

    to->n_points = s->n_points + total[MESH_N_POINTS];
    to->n_triangles = s->n_triangles + total[MESH_N_TRIANGLES];
    to->n_subs = s->n_subs + total[MESH_N_SUBS];
    to->n_log = c->n_log + c->n_direct + total[MESH_N_HITS] + total[MESH_N_CUTS] +
                total[MESH_N_BAD];
    to->side = c->side;
    to->limit =
        total[MESH_N_CONFLICTS] == static_cast<uint32_t>(c->n) ? 1 : int{MESH_ROUND};
    to->n_cavities = s->n_cavities + total[MESH_N_POINTS];
    to->n_conflicts = s->n_conflicts + total[MESH_N_CONFLICTS];
    to->n_cut = s->n_cut + total[MESH_N_SUBS];
    to->n_stuck = s->n_stuck + total[MESH_N_STUCK];
    atomicSub(&r.live[0], total[MESH_N_GONE_SUBS]);
    if (total[MESH_N_GONE] > 0)
        atomicSub(&r.live[c->lowest], total[MESH_N_GONE]);
}

/* Append the lists of a candidate to the log, and take its own entry off it. */
__device__ void append_one(const mesh_round_t &r, int side, const int64_t (&at)[3],
                           int64_t k, mesh_classes_t *classes)
{
    const refine_candidate_t &c = r.candidate[k];
    const refine_bad_t *bad =
        reinterpret_cast<const refine_bad_t *>(outline_of(r, k).data);

    append_subs(r, side, at[0], k, true, hits_of(r, k), n_hits(c), classes);
    if (has_point(c)) {
        append_subs(r, side, at[1], k, false,
                    reinterpret_cast<const int32_t *>(stack_of(r, k).data), r.n_cuts[k],
                    classes);
        for (uint32_t i = 0; i < r.n_bad[k]; i++)
            put_entry(r, side, at[2] + i, bad[i].entry.tri, bad[i].entry.version,
                      static_cast<int>(bad[i].key >> REFINE_KEY_SHIFT), classes);
    }
    if (is_done(c))
        r.class_of[side][__ldcg(&r.where[k])] = MESH_HOLE;
    if (c.fate == REFINE_IS_STUCK && c.is_sub)
        r.mesh.s[c.what].is_final = true;
}

__device__ mesh_classes_t *clear_classes()
{
    __shared__ mesh_classes_t classes;

    for (int k = static_cast<int>(threadIdx.x); k < MESH_CLASSES; k += MESH_THREADS)
        classes.n[k] = 0;
    __syncthreads();
    return &classes;
}

__device__ void add_classes(const mesh_round_t &r, const mesh_classes_t *classes)
{
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < MESH_CLASSES; k += MESH_THREADS)
        if (classes->n[k] > 0)
            atomicAdd(&r.live[k], classes->n[k]);
    __syncthreads();
}

/* Append all lists, in the order of the round, behind entries of no order. */
__device__ void append(const mesh_round_t &r, int64_t round)
{
    const int side = __ldcg(&r.control->side);
    const int64_t base = __ldcg(&r.control->n_log) + __ldcg(&r.control->n_direct);
    mesh_classes_t *classes = clear_classes();

    each_candidate(r, [&](int block, int n_blocks, int64_t k) {
        uint32_t before[MESH_PLANNED], total[MESH_PLANNED], n[3] = {}, of_block[3];
        int64_t at[3] = {base, base, base};

        mesh_sum_partials(r, block, n_blocks, 0, before, total);
        if (k >= 0) {
            const bool fills = has_point(r.candidate[k]);

            n[0] = n_hits(r.candidate[k]);
            n[1] = fills ? r.n_cuts[k] : 0;
            n[2] = fills ? r.n_bad[k] : 0;
        }
        mesh_block_scan(n, of_block);
        at[0] += before[0] + n[0];
        at[1] += total[0] + before[1] + n[1];
        at[2] += total[0] + total[1] + before[2] + n[2];
        if (k >= 0)
            append_one(r, side, at, k, classes);
        if (block == 0 && threadIdx.x == 0)
            next_state(r, round, total);
    });
    add_classes(r, classes);
}

/* ---- quality checks that are shared ---- */

/* List the new triangles of a winner for all threads. */
__device__ void list_new(const mesh_round_t &r, int64_t k)
{
    const refine_view_t view = view_of(r);
    const fill_t f = fill_of(r, k, &view, nullptr);
    int32_t *list = reinterpret_cast<int32_t *>(r.entry[!__ldcg(&r.control->side)]);
    const uint32_t at =
        atomicAdd(&r.control->n_new, static_cast<uint32_t>(f.c->n_borders));

    r.n_cuts[k] = r.n_bad[k] = 0;
    for (int32_t i = 0; i < f.c->n_borders; i++)
        __stcg(&list[at + i], slot(&f, i));
}

/* Check a new triangle, and append what it leaves to be refined in any order. */
__device__ void check_triangle_alone(const mesh_round_t &r, int32_t t,
                                     mesh_classes_t *classes)
{
    const refine_view_t view = view_of(r);
    int32_t cut[3], bad[3];
    refine_chunk_t chunk = {};
    fill_t f = {};
    const int side = __ldcg(&r.control->side);
    const int64_t base = __ldcg(&r.control->n_log);

    f.r = &view;
    f.chunk = &chunk;
    chunk.cut = list_at(cut, 3);
    chunk.bad = list_at(bad, 3);
    check_triangle(&f, t);
    for (size_t i = 0; i < chunk.cut.len / sizeof(int32_t); i++)
        if (!r.mesh.s[cut[i]].is_final && atomicMin(&r.asked[cut[i]], 0ull) != 0)
            put_entry(r, side, base + atomicAdd(&r.control->n_direct, 1u), cut[i], 0, 0,
                      classes);
    if (chunk.bad.len > 0)
        put_entry(r, side, base + atomicAdd(&r.control->n_direct, 1u), bad[0],
                  static_cast<uint32_t>(bad[1]),
                  static_cast<int>(static_cast<uint32_t>(bad[2]) >> REFINE_KEY_SHIFT),
                  classes);
}

/* Check the new triangles of the round, each thread as many. */
__device__ void check_listed(const mesh_round_t &r)
{
    const int32_t *list =
        reinterpret_cast<const int32_t *>(r.entry[!__ldcg(&r.control->side)]);
    const int64_t n = __ldcg(&r.control->n_new);
    mesh_classes_t *classes = clear_classes();

    for (int64_t i = static_cast<int64_t>(blockIdx.x) * MESH_THREADS + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * MESH_THREADS)
        check_triangle_alone(r, __ldcg(&list[i]), classes);
    add_classes(r, classes);
}

} // namespace
