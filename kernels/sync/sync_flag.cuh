/*
 * sync_flag.cuh - a number in global memory by which one block tells others how far it
 * is.
 *
 * Who raises it has written something before, and who has seen it may read that: release
 * and acquire, at the scope of the device.  What is read behind a flag must not come from
 * the first-level cache, which may hold older lines: read it with __ldcg.
 */
#pragma once

/* Raise a flag.  If other threads have written, they and the caller have passed a barrier
 * (__syncwarp, __syncthreads) since. */
__device__ inline void sync_flag_raise(int *flag, int to)
{
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(to) : "memory");
}

__device__ inline int sync_flag_read(const int *flag)
{
    int value;

    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                 : "=r"(value)
                 : "l"(flag)
                 : "memory");
    return value;
}

/* Wait until a flag is at least `to`.  Whoever raises it must be running: its block must
 * have begun before the caller's wait. */
__device__ inline void sync_flag_wait(const int *flag, int to)
{
    while (sync_flag_read(flag) < to)
        __nanosleep(20);
}
