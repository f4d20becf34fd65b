/*
 * sync_cluster.cuh - barriers of a cluster of blocks, and the shared memory of its other
 * blocks.  Before compute capability 9.0 every block is a cluster of its own.
 *
 * An address of shared memory stands for the same variable in any block of the cluster.
 */
#pragma once

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define SYNC_HAS_CLUSTERS 1
#else
#define SYNC_HAS_CLUSTERS 0
#endif

/* Wait until all threads of the cluster have come.  What they have written before, to
 * shared or to global memory, all of them may read behind it. */
__device__ inline void sync_cluster()
{
#if SYNC_HAS_CLUSTERS
    __syncwarp(); /* lanes come together */
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#else
    __syncthreads();
#endif
}

/* @return the number of this block in its cluster */
__device__ inline unsigned sync_cluster_rank()
{
    unsigned rank = 0;

#if SYNC_HAS_CLUSTERS
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
}

/* @return blocks of a cluster */
__device__ inline unsigned sync_cluster_size()
{
    unsigned size = 1;

#if SYNC_HAS_CLUSTERS
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
#endif
    return size;
}

#if SYNC_HAS_CLUSTERS
/* @return where a variable is in another block */
__device__ inline unsigned sync_cluster_address(const void *shared, unsigned rank)
{
    unsigned at;

    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(at)
        : "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), "r"(rank));
    return at;
}
#endif

/* Add to a word of another block. @return what it was */
__device__ inline unsigned sync_cluster_add(unsigned *shared, unsigned rank, unsigned x)
{
#if SYNC_HAS_CLUSTERS
    unsigned old;

    asm volatile("atom.relaxed.cluster.shared::cluster.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "r"(sync_cluster_address(shared, rank)), "r"(x)
                 : "memory");
    return old;
#else
    (void)rank;
    return atomicAdd(shared, x);
#endif
}

__device__ inline void sync_cluster_put(int4 *shared, unsigned rank, int4 x)
{
#if SYNC_HAS_CLUSTERS
    asm volatile("st.shared::cluster.v4.s32 [%0], {%1, %2, %3, %4};" ::"r"(
                     sync_cluster_address(shared, rank)),
                 "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w)
                 : "memory");
#else
    (void)rank;
    *shared = x;
#endif
}

__device__ inline unsigned sync_cluster_get(const unsigned *shared, unsigned rank)
{
#if SYNC_HAS_CLUSTERS
    unsigned x;

    asm volatile("ld.shared::cluster.u32 %0, [%1];"
                 : "=r"(x)
                 : "r"(sync_cluster_address(shared, rank))
                 : "memory");
    return x;
#else
    (void)rank;
    return *shared;
#endif
}
