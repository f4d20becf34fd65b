/*
 * mesh_log.cuh - the candidates of a round, from the log of what waits.
 */
#pragma once

#include "kernels/mesh/refine/mesh_block.cuh"

namespace
{

/* Eight entries of the log, which a thread reads. */
struct mesh_eight_t {
    uint32_t pair[4];

    __device__ int of(int i) const
    {
        return static_cast<int>(pair[i / 2] >> 16 * (i % 2) & 0xffff);
    }
};

__device__ mesh_eight_t read_eight(const uint16_t *class_of, int64_t at, int64_t n)
{
    mesh_eight_t e = {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}};

    if (at < n) {
        const uint4 v = __ldcg(reinterpret_cast<const uint4 *>(class_of + at));

        e = {{v.x, v.y, v.z, v.w}};
    }
    for (int i = 0; i < 8; i++) /* behind the end */
        if (at + i >= n)
            e.pair[i / 2] |= 0xffffu << 16 * (i % 2);
    return e;
}

/* Count subsegments, entries of the lowest class, and all. */
__device__ void count_eight(const mesh_eight_t &e, int lowest, uint32_t (&n)[3])
{
    for (int i = 0; i < 8; i++) {
        n[0] += e.of(i) == 0;
        n[1] += e.of(i) == lowest;
        n[2] += e.of(i) != MESH_HOLE;
    }
}

/* Call a function for each step of a block's part of the log. */
template <typename EACH> __device__ void each_step(int64_t n, EACH each)
{
    const int64_t n_steps = (n + MESH_LOG_STEP - 1) / MESH_LOG_STEP;
    const int64_t of_block = (n_steps + gridDim.x - 1) / gridDim.x;
    const int64_t first = of_block * blockIdx.x, end = min(first + of_block, n_steps);

    for (int64_t k = first; k < end; k++)
        each(k * MESH_LOG_STEP + threadIdx.x * 8);
}

/* Find the lowest class of triangles that wait. @param n_live  out: all that wait */
__device__ int lowest_class(const mesh_round_t &r, uint32_t *n_live)
{
    __shared__ int lowest;
    uint32_t sum[1] = {};

    if (threadIdx.x == 0)
        lowest = MESH_CLASSES;
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < MESH_CLASSES; k += MESH_THREADS) {
        const uint32_t n = __ldcg(&r.live[k]);

        sum[0] += n;
        if (n > 0 && k > 0)
            atomicMin(&lowest, k);
    }
    mesh_block_sum(sum); /* with barriers */
    *n_live = sum[0];
    return lowest;
}

/* Count what each block has to take. */
__device__ void count_log(const mesh_round_t &r, int64_t round)
{
    const mesh_state_t *s = &r.control->state[round & 1];
    const int64_t n_log = __ldcg(&s->n_log);
    const uint16_t *class_of = r.class_of[__ldcg(&s->side)];
    uint32_t n_live, n[3] = {};
    const int lowest = lowest_class(r, &n_live);

    each_step(n_log, [&](int64_t at) {
        count_eight(read_eight(class_of, at, n_log), lowest, n);
    });
    mesh_block_sum(n);
    mesh_put_partial(r, static_cast<int>(blockIdx.x), 0, n);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        mesh_control_t *c = r.control;

        c->lowest = lowest;
        c->compacts = n_log > 2 * static_cast<int64_t>(n_live) + 4 * MESH_ROUND;
        c->n_bound = 0;
        c->n_new = c->n_direct = 0;
        for (uint32_t &fresh : c->fresh)
            fresh = 0;
    }
}

/* Take the candidates, in the order of the log. */
__device__ void take_candidates(const mesh_round_t &r, int64_t round)
{
    mesh_control_t *c = r.control;
    const mesh_state_t *s = &c->state[round & 1];
    const int64_t n_log = __ldcg(&s->n_log);
    const int from = __ldcg(&s->side), lowest = __ldcg(&c->lowest);
    const bool compacts = __ldcg(&c->compacts) != 0;
    const uint32_t limit = static_cast<uint32_t>(__ldcg(&s->limit));
    uint32_t at_of[3], total[3];

    mesh_sum_partials(r, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), 0,
                      at_of, total);
    const uint32_t n_sub = min(total[0], limit), n_tris = min(total[1], limit - n_sub);

    if (blockIdx.x == 0 && threadIdx.x == 0) {
        c->n = static_cast<int32_t>(n_sub + n_tris);
        c->n_sub = static_cast<int32_t>(n_sub);
        c->side = compacts ? !from : from;
        c->n_log = compacts ? total[2] : n_log;
    }
    if (!compacts && at_of[0] >= n_sub && at_of[1] >= n_tris)
        return;
    each_step(n_log, [&](int64_t at) {
        const mesh_eight_t e = read_eight(r.class_of[from], at, n_log);
        uint32_t n[3] = {}, in_step[3];

        count_eight(e, lowest, n);
        mesh_block_scan(n, in_step);
        for (int i = 0; i < 8; i++) {
            const bool is_sub = e.of(i) == 0, is_low = e.of(i) == lowest;
            const uint32_t k = at_of[!is_sub] + n[!is_sub], to = at_of[2] + n[2];
            const bool is_taken = (is_sub && k < n_sub) || (is_low && k < n_tris);

            if (e.of(i) == MESH_HOLE)
                continue;
            if (is_taken || compacts) {
                const refine_entry_t entry = r.entry[from][at + i];
                const uint32_t place = is_sub ? k : n_sub + k;

                if (is_taken) {
                    r.request[place] = entry;
                    r.where[place] = static_cast<int32_t>(compacts ? to : at + i);
                }
                if (compacts) {
                    r.entry[!from][to] = entry;
                    r.class_of[!from][to] = static_cast<uint16_t>(e.of(i));
                }
            }
            n[0] += is_sub;
            n[1] += is_low;
            n[2]++;
        }
        for (int i = 0; i < 3; i++)
            at_of[i] += in_step[i];
    });
}

} // namespace
