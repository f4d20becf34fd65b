/*
 * mesh_fn.h - functions that processors and GPUs compile from the same source, so that
 * their numbers are the same.
 *
 * Their definitions are in files NAME_body.h, which NAME.c includes, and CUDA code does.
 */
#pragma once

#ifdef __CUDACC__
#define MESH_STATIC __attribute__((unused)) __host__ __device__ static
#define MESH_RARE   MESH_STATIC __noinline__ /* needs much local memory */
#define MESH_FN     MESH_STATIC
#else
#define MESH_FN     /* declared in NAME.h */
#define MESH_STATIC static
#define MESH_RARE   static
#endif
