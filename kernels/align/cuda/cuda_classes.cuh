/*
 * cuda_classes.cuh - a group's classes (cuda_grouping.cuh) by the words of a query, and
 * their kernels side by side.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_CLASSES_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_CLASSES_CUH

#include "kernels/align/cuda/cuda_grouping.cuh"
#include "kernels/align/cuda/cuda_side_streams.cuh"

/* Classes by how many words of rows hold a query, ascending. */
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

/* Tell of which classes a set's sequences of at most `most` letters are as queries.
 * @param any  [COUNT] set to true */
template <typename WORDS>
void cuda_words_find(WORDS words, const seqset_t *set, int64_t most, bool *any)
{
    for (int64_t i = 0; i < set->n; i++)
        if (seqset_len(set, i) <= most)
            any[cuda_words_class(words, static_cast<int>(seqset_len(set, i)))] = true;
}

/* Blocks are warps. */
enum { CUDA_CLASSES_BLOCK = 32 };

/* @param out  blocks of a kernel that a device holds at once */
template <typename KERNEL>
status_t cuda_classes_blocks(KERNEL kernel, const device_t *device, int *out)
{
    int a_core = 0;
    status_t st = CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &a_core, reinterpret_cast<const void *>(kernel), CUDA_CLASSES_BLOCK, 0));

    *out = a_core * device->n_cores;
    return st;
}

/*
 * Enqueue every class's kernel for the units of n pairs, the costliest first.
 *
 * @param n_blocks  [n_classes] that the device holds at once; 0: a class of no pair
 * @param each      is called with a class, its blocks and its stream
 */
template <typename EACH>
status_t cuda_classes_run(const cuda_side_streams_t *sides, const int *n_blocks,
                          int n_classes, int64_t n, cudaStream_t stream, EACH each)
{
    status_t st = cuda_side_streams_fork(sides, stream);
    int turn = 0;

    for (int k = n_classes - 1; k >= 0 && st == ST_OK; k--) {
        const int64_t blocks = n_blocks[k] < n ? n_blocks[k] : n;

        if (blocks == 0)
            continue;
        each(k, static_cast<unsigned>(blocks),
             cuda_side_streams_at(sides, turn++, stream));
        st = CUDA_TRY(cudaGetLastError());
    }
    return st == ST_OK ? cuda_side_streams_join(sides, stream) : st;
}

#endif
