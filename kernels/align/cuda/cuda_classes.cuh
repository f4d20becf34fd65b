/*
 * cuda_classes.cuh - runs a table of kernels over the pairs of a batch that
 * cuda_grouping.cuh has grouped: one kernel per class of pairs, several of them at a
 * time.
 *
 * A kernel of the table is
 *
 *     __global__ void kernel(const LAUNCH launch, int group_class)
 *
 * with blocks of one warp.  Its blocks take groups of their class from launch.queue until
 * there are none left.  The kernels run side by side in streams, so that the blocks of
 * one fill the multiprocessors that another no longer uses.
 *
 * For each batch the owner of a table calls cuda_classes_pieces.  For each piece of the
 * batch it writes keys into the slot's grouping, builds it, and calls cuda_classes_run.
 */
#pragma once

#include "kernels/align/cuda/cuda_batch.cuh"
#include "kernels/align/cuda/cuda_grouping.cuh"
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/cuda/cuda_side_streams.cuh"

/* Classes by how many words of 32 rows each thread of a warp holds, ascending. */
template <int... W> struct cuda_words_t {
    static constexpr int COUNT = sizeof...(W);
};

/* @return the class that holds m rows, or COUNT */
template <int... W> __host__ __device__ int cuda_words_class(cuda_words_t<W...>, int m)
{
    int k = 0;

    ((k += 32 * W < m ? 1 : 0), ...);
    return k;
}

/*
 * Find the classes of the queries that a set can have.
 *
 * @param max_len  bases of the longest query that has a class
 * @param used     [COUNT] elements of used classes are set to true
 */
template <typename WORDS>
void cuda_words_find(WORDS words, const seqset_t *set, int64_t max_len, bool *used)
{
    for (int64_t i = 0; i < set->n; i++)
        if (seqset_len(set, i) <= max_len)
            used[cuda_words_class(words, static_cast<int>(seqset_len(set, i)))] = true;
}

enum { CUDA_CLASSES_BLOCK = 32 }; /* threads per block of the table's kernels */

/* For the kernels that write the keys, with one thread per pair. */
enum { CUDA_KEYS_BLOCK = 256 };

/* @return blocks of CUDA_KEYS_BLOCK threads for n pairs */
inline unsigned cuda_keys_blocks(int64_t n)
{
    return static_cast<unsigned>((n + CUDA_KEYS_BLOCK - 1) / CUDA_KEYS_BLOCK);
}

/* A table of kernels, with what running them needs.  Zero-initialise it, and fill in the
 * first four members before cuda_classes_create. */
template <typename LAUNCH> struct cuda_classes_t {
    void (*const *kernels)(LAUNCH, int); /* [n] by class */
    int n;                               /* at most CUDA_GROUPING_CLASSES */
    int n_sequences;
    int64_t grouping_bytes; /* that the grouping of a slot may take */

    /* Blocks that the device holds at a time; 0: no pair has this class. */
    int n_blocks[CUDA_GROUPING_CLASSES];
    cuda_grouping_t groupings[CUDA_SLOTS];
    cuda_side_streams_t side_streams[CUDA_SLOTS];
};

/*
 * Prepare the classes that pairs of the set can have.
 *
 * @param used  [n]
 * @return ST_OK or ST_EDEVICE; cuda_classes_destroy frees what was made either way
 */
template <typename LAUNCH>
status_t cuda_classes_create(cuda_classes_t<LAUNCH> *c, const device_t *device,
                             const bool *used)
{
    status_t st = ST_OK;

    for (int k = 0; k < c->n && st == ST_OK; k++)
        if (used[k])
            st = cuda_occupancy_blocks(c->kernels[k], CUDA_CLASSES_BLOCK, device,
                                       &c->n_blocks[k]);
    for (int k = 0; k < CUDA_SLOTS && st == ST_OK; k++)
        st = cuda_side_streams_create(&c->side_streams[k]);
    return st;
}

/* Nothing may be in flight. */
template <typename LAUNCH> void cuda_classes_destroy(cuda_classes_t<LAUNCH> *c)
{
    for (int k = 0; k < CUDA_SLOTS; k++) {
        cuda_side_streams_destroy(&c->side_streams[k]);
        cuda_grouping_free(&c->groupings[k]);
    }
}

/*
 * Divide a batch into pieces that the memory for a grouping suffices for.
 *
 * @param run  run(first, n): enqueues pairs first .. first+n-1
 */
template <typename LAUNCH, typename RUN>
status_t cuda_classes_pieces(cuda_classes_t<LAUNCH> *c, const cuda_work_t *work, RUN run)
{
    const int64_t piece = cuda_grouping_piece(work->n, c->grouping_bytes);
    status_t st = cuda_grouping_reserve(&c->groupings[work->slot], piece, c->n_sequences);

    for (int64_t first = 0; first < work->n && st == ST_OK; first += piece)
        st = run(first, work->n - first < piece ? work->n - first : piece);
    return st;
}

/*
 * Enqueue: run every class's kernel on its groups, the costliest class first.
 *
 * @param launch  without the queue, which is filled in here
 * @param n       pairs that were grouped
 * @param after   after(launch, k): called behind the launch of class k, to give the next
 *                class scratch memory of its own
 */
template <typename LAUNCH, typename AFTER>
status_t cuda_classes_run(const cuda_classes_t<LAUNCH> *c, int slot, LAUNCH launch,
                          int64_t n, cudaStream_t stream, AFTER after)
{
    const cuda_side_streams_t *side_streams = &c->side_streams[slot];
    status_t st = cuda_side_streams_fork(side_streams, stream);
    int n_launched = 0;

    launch.queue = c->groupings[slot].queue;
    for (int k = c->n - 1; k >= 0 && st == ST_OK; k--) {
        const unsigned blocks =
            static_cast<unsigned>(c->n_blocks[k] < n ? c->n_blocks[k] : n);

        if (blocks == 0)
            continue;
        c->kernels[k]<<<blocks, CUDA_CLASSES_BLOCK, 0,
                        cuda_side_streams_at(side_streams, n_launched++, stream)>>>(
            launch, k);
        st = CUDA_TRY(cudaGetLastError());
        after(&launch, k);
    }
    return st == ST_OK ? cuda_side_streams_join(side_streams, stream) : st;
}

template <typename LAUNCH>
status_t cuda_classes_run(const cuda_classes_t<LAUNCH> *c, int slot, LAUNCH launch,
                          int64_t n, cudaStream_t stream)
{
    return cuda_classes_run(c, slot, launch, n, stream, [](LAUNCH *, int) {});
}
