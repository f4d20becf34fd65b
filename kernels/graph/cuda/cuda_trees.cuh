/*
 * cuda_trees.cuh - what kernels on trees have in common: which child is the last one to
 * be done.
 */
#pragma once

#include "kernels/graph/cuda/cuda_backend.cuh"

/* @param missing  the children of a node that are not done
 * @return whether n children were the last ones, so that the node's values are complete
 */
__device__ inline bool trees_are_last(int *missing, int n)
{
    __threadfence();
    if (atomicSub(missing, n) != n)
        return false;
    __threadfence();
    return true;
}
