/*
 * cuda_order.cuh - nodes in the order of graph_priority.h, arcs along it, and decisions
 * about nodes that wait for those about earlier ones: in rounds of the loop templates, or
 * by polling without any barrier.
 */
#pragma once

#include "kernels/graph/cuda/cuda_backend.cuh"

/* In device memory; passed to kernels by value. */
struct cuda_order_t {
    const int *node;  /* [n_nodes] by place */
    const int *place; /* [n_nodes] by node */
};

/* Sort the nodes of a state's graph for its algorithm: mis, or else by descending degree.
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST */
status_t cuda_order_create(cuda_state_t *s, cuda_order_t *out) MUST_CHECK;

/* Make rows by place: the places of a node's neighbors that come before it, ascending.
 * The graph is symmetric. @return as above */
status_t cuda_order_rows(cuda_state_t *s, const cuda_order_t &order,
                         cuda_graph_t *out) MUST_CHECK;

/* @return the number of nodes, the first by descending degree, of a larger degree */
int cuda_order_above(const csr_t *g, int64_t degree);

/*
 * In each round the operation looks at the arcs of all nodes that wait; then each of them
 * is settled or goes on waiting.
 *
 * @param settle  bool(int u): whether it still waits; one thread calls
 * @return the number of rounds
 */
template <class OP, class SETTLE>
__device__ inline int rounds_run(OP &op, const cuda_loop_t &loop, const frontier_t &f,
                                 SETTLE settle, loop_shared_t *shared)
{
    cuda_set_t set = {nullptr, nullptr, op.g.n_nodes};
    int turn = 0;

    for (; set.n > 0; turn++) {
        unsigned *n = &f.n[(turn + 1) % 3];
        int *queue = f.queue[turn % 2];

        loop_run(op, set, loop, nullptr, turn, shared);
        grid_sync();
        if (grid_is_first())
            f.n[(turn + 2) % 3] = 0;
        for (int64_t i = grid_thread(); i < set.n; i += grid_n_threads()) {
            const int u =
                set.queue != nullptr ? grid_read(&set.queue[i]) : static_cast<int>(i);

            if (settle(u))
                queue[grid_append(n)] = u;
        }
        grid_sync();
        set = {queue, nullptr, static_cast<int>(grid_read(n))};
    }
    return turn;
}

/* @return where a warp keeps element k: in its 32 elements of every 32 * grid_n_warps()
 */
__device__ inline int64_t poll_at(int k)
{
    return (grid_warp() + static_cast<int64_t>(k / 32) * grid_n_warps()) * 32 + k % 32;
}

/* Append the elements of lanes that wait. @return the number of elements then */
template <typename T>
__device__ inline int poll_keep(T *list, int n, const T &x, bool waits)
{
    const unsigned kept = __ballot_sync(ALL_LANES, waits);

    if (waits)
        list[poll_at(n + __popc(kept & ((1u << grid_lane()) - 1)))] = x;
    __syncwarp();
    return n + __popc(kept);
}

/*
 * Ask each of n elements again and again until none waits.  Each warp has elements of its
 * own, and asks all that wait before it asks one again, so that an element that needs
 * others to be decided first cannot keep them from it.
 *
 * @param make  T(int64_t i): element i, or what lanes without an element get for -1
 * @param poll  bool(T *x): whether it still waits; all lanes of a warp call
 * @param list  [n rounded up to 32]
 * @return how often this warp asked
 */
template <typename T, class MAKE, class POLL>
__device__ inline int poll_all(int64_t n, T *list, MAKE make, POLL poll)
{
    int n_waiting = 0, turn = 1;

    for (int64_t i = grid_warp() * 32; i < n; i += grid_n_threads()) {
        T x = make(i + grid_lane() < n ? i + grid_lane() : -1);
        const bool waits = poll(&x);

        n_waiting = poll_keep(list, n_waiting, x, waits);
    }
    for (; n_waiting > 0; turn++) {
        const int n_asked = n_waiting;

        n_waiting = 0;
        for (int k = 0; k < n_asked; k += 32) {
            T x = make(-1);
            bool waits;

            if (k + grid_lane() < n_asked)
                x = list[poll_at(k + grid_lane())];
            waits = poll(&x);
            n_waiting = poll_keep(list, n_waiting, x, waits);
        }
    }
    return turn;
}
