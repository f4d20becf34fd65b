/*
 * mesh_loop_cuda.cu - rounds of refinement in one kernel, without the host: all its
 * blocks wait for each other between the steps of a round.
 */
#include "kernels/mesh/refine/mesh_append.cuh"
#include "kernels/sync/sync_launch.cuh"

namespace
{

/* Tries to lock the triangles of a cavity that is still whole. */
constexpr int TRIES = 16;

/* Barriers of a kernel. */
struct waiter_t {
    sync_grid_t grid;
    sync_round_t round;

    __device__ void wait()
    {
        sync_grid<SYNC_ACQUIRE>(grid, &round);
    }
};

/* ---- which cavities are filled ---- */

/* The passes of refine_choose.c: a maximal set wins. */
__device__ void choose_maximal(const mesh_round_t &r, int64_t round, waiter_t *all)
{
    for (int pass = 0;; pass++) {
        uint32_t *n_left = &r.control->n_left[(pass + 1) & 1];

        if (blockIdx.x == 0 && threadIdx.x == 0)
            __stcg(n_left, 0u);
        each_candidate(r, [&](int, int, int64_t k) {
            if (waits(r, k) && owns_marks(r, round, pass, k)) {
                r.candidate[k].fate = REFINE_WINS;
                take_marks(r, round, k);
            }
        });
        all->wait();
        each_candidate(r, [&](int block, int, int64_t k) {
            if (waits(r, k) &&
                (pass + 1 == REFINE_PASSES || !lower_marks(r, round, pass + 1, k)))
                r.candidate[k].fate = REFINE_LOSES;
            if (waits(r, k))
                atomicAdd(n_left, 1u);
            plan(r, block, k);
        });
        all->wait();
        if (__ldcg(n_left) == 0)
            break;
    }
}

/* Marks have been written; then lower ones replace higher ones. */
__device__ void mark_again(const mesh_round_t &r, int64_t round, waiter_t *all)
{
    each_candidate(r, [&](int, int, int64_t k) {
        if (waits(r, k))
            lower_marks(r, round, 0, k);
    });
    all->wait();
}

/* Those win that own their marks. */
__device__ void choose_owners(const mesh_round_t &r, int64_t round, waiter_t *all)
{
    mark_again(r, round, all);
    each_candidate(r, [&](int block, int, int64_t k) {
        if (waits(r, k))
            r.candidate[k].fate = owns_marks(r, round, 0, k) ? REFINE_WINS : REFINE_LOSES;
        plan(r, block, k);
    });
    all->wait();
}

/* Fill the cavities of those that were chosen. */
__device__ void fill_chosen(const mesh_round_t &r, int64_t round)
{
    each_candidate(r, [&](int block, int n_blocks, int64_t k) {
        number(r, round, block, n_blocks, k);
        if (k >= 0 && has_point(r.candidate[k])) {
            fill_one(r, k);
            check_one(r, k);
        }
        sum_up(r, block, k);
    });
}

/* ---- without barriers between those who want the same triangles ---- */

/* List what the new triangles leave to be refined, or have all threads share them. */
__device__ void check_or_list(const mesh_round_t &r, int64_t k)
{
    if (r.variant == MESH_STEALING)
        list_new(r, k);
    else
        check_one(r, k);
}

/* Try once to lock a cavity that no other has damaged. @return whether it is whole */
__device__ bool try_whole(const mesh_round_t &r, int64_t round, int64_t k)
{
    bool is_whole = versions_of(r, k) == r.versions[k];

    if (is_whole && lock(r, round, k)) {
        __threadfence();
        is_whole = versions_of(r, k) == r.versions[k];
        if (is_whole && win_locked(r, round, k))
            check_or_list(r, k);
        __threadfence();
    }
    unlock(r, round, k);
    return is_whole;
}

/* Those that own their marks go first; others follow while their cavities are whole.
 * Those that are not are found again in the next round. */
__device__ void fill_whole(const mesh_round_t &r, int64_t round, int64_t k)
{
    bool is_whole = true;

    if (owns_marks(r, round, 0, k))
        try_whole(r, round, k);
    for (int i = 0; i < TRIES && is_whole && waits(r, k); i++)
        is_whole = try_whole(r, round, k);
    if (waits(r, k))
        r.candidate[k].fate = REFINE_LOSES;
}

__device__ void fill_any(const mesh_round_t &r, int64_t round)
{
    each_candidate(r, [&](int block, int, int64_t k) {
        if (waits(r, k) && r.variant == MESH_ATOMIC)
            fill_locked(r, round, k, [&] { check_or_list(r, k); });
        else if (waits(r, k))
            fill_whole(r, round, k);
        sum_up(r, block, k);
    });
}

/* ---- rounds ---- */

/* Take candidates and find their cavities. @return why the round ends there */
__device__ mesh_end_t begin_round(const mesh_round_t &r, int64_t round, waiter_t *all)
{
    const mesh_end_t end = state_end(r, round);

    if (end != MESH_GOES_ON)
        return end;
    count_log(r, round);
    all->wait();
    take_candidates(r, round);
    all->wait();
    if (__ldcg(&r.control->n) == 0)
        return MESH_IS_DONE;
    find_all(r, round);
    all->wait();
    return found_end(r);
}

__device__ void end_round(const mesh_round_t &r, int64_t round, waiter_t *all)
{
    if (r.variant == MESH_ROUNDS)
        choose_maximal(r, round, all);
    else if (r.variant == MESH_BASE)
        choose_owners(r, round, all);
    else if (r.variant != MESH_ATOMIC)
        mark_again(r, round, all);
    if (r.variant == MESH_ROUNDS || r.variant == MESH_BASE)
        fill_chosen(r, round);
    else
        fill_any(r, round);
    all->wait();
    if (r.variant == MESH_STEALING) {
        check_listed(r);
        all->wait();
    }
    append(r, round);
    all->wait();
}

__global__ void __launch_bounds__(MESH_THREADS, 1)
    loop_kernel(const __grid_constant__ mesh_round_t r, int64_t first, int64_t end)
{
    waiter_t all = {{&r.control->barrier, nullptr, nullptr}, {}};
    mesh_end_t why = MESH_GOES_ON;
    int64_t round = first;

    for (; round < end && (why = begin_round(r, round, &all)) == MESH_GOES_ON; round++)
        end_round(r, round, &all);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        r.control->end = why;
        r.control->round = round;
    }
}

} // namespace

status_t mesh_loop_run(const mesh_round_t *round, int64_t first, int64_t end, int n_cores,
                       int n_blocks)
{
    return sync_launch(loop_kernel, {n_blocks, MESH_THREADS, 1}, n_cores,
                       cudaStreamLegacy, *round, first, end);
}

status_t mesh_loop_resident(int n_cores, int *out)
{
    return sync_resident(loop_kernel, {1, MESH_THREADS, 1}, n_cores, out);
}
