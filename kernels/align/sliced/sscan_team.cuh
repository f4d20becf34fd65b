/*
 * sscan_team.cuh - how the warps of a block align the same pairs.
 *
 * They take turns at the strips of rows: each follows the one before at some distance,
 * reads the line that it wrote and writes it anew.  So a block ends in a fourth of the
 * time that a warp would take for as many pairs.
 */
#pragma once

#include "kernels/align/sliced/sscan_layout.cuh"

namespace
{

/* The warps that align the same pairs; one alone on the CPU. */
struct sscan_team_t {
    int member, n;
    volatile int *progress; /* [n] of each member: sscan_progress */
};

/* @return what a member that has swept columns up to to - 1 of a strip of rows has done;
 *         it grows */
CUDA_BOTH inline int sscan_progress(int strip, int to)
{
    static_assert(SSCAN_LEN_MAX / SSCAN_ROWS < 1 << 14 && SSCAN_LEN_MAX + 2 < 1 << 16,
                  "an int has both");
    return strip << 16 | to;
}

/* Let the next member read the line. */
CUDA_BOTH inline void sscan_publish(const sscan_team_t &team, int strip, int to)
{
#ifdef __CUDA_ARCH__
    __threadfence_block();
    __syncwarp();
    if (threadIdx.x % SSCAN_WARP == 0)
        team.progress[team.member] = sscan_progress(strip, to);
#else
    (void)team, (void)strip, (void)to;
#endif
}

/* Wait until the member in front has swept columns up to to - 1 of its strip. */
CUDA_BOTH inline void sscan_await(const sscan_team_t &team, int strip, int to)
{
#ifdef __CUDA_ARCH__
    if (strip < 0)
        return;
    while (team.progress[strip % team.n] < sscan_progress(strip, to))
        __nanosleep(100);
    __threadfence_block();
    __syncwarp();
#else
    (void)team, (void)strip, (void)to;
#endif
}

} // namespace
