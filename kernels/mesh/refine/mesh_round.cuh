/*
 * mesh_round.cuh - a round of refinement as a GPU has it, and its kernels.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"
#include "kernels/sync/sync_grid.cuh"

extern "C" {
#include "kernels/mesh/refine/mesh_backend.h"
}

constexpr int MESH_ROUND_THREADS = 128;

/* A candidate in a word, for the host: fate, triangles that it adds, subsegments hit. */
constexpr int MESH_FATE_BITS = 3, MESH_MORE_BITS = 2;

/* A round on the device. */
struct mesh_round_t {
    refine_view_t view; /* its mesh is `mesh`, on the device */
    int64_t n;

    tri_mesh_t mesh;
    unsigned long long *mark; /* [triangles_capacity] */
    refine_candidate_t *candidate;
    int32_t *lists; /* [MESH_ROUND][list_ints] */
    int room;       /* triangles of a cavity */
    int64_t max_points;

    uint32_t *outcome;    /* [MESH_ROUND] outcome_of */
    uint32_t *n_bad;      /* [MESH_ROUND] entries of the lists of a candidate */
    uint32_t *n_cut;      /* [MESH_ROUND] */
    unsigned *n_left;     /* [3] undecided candidates, of passes in turn */
    uint32_t *has_failed; /* a list was too small */
    uint32_t *total;      /* [3] hits, bad triangles, subsegments to be cut */
    uint32_t *place;      /* [3][MESH_ROUND] where those of a candidate begin */
    int32_t *hits, *cut;
    refine_bad_t *bad;
    int64_t lists_capacity; /* of each of these three */
    sync_grid_t grid;
};

/* The lists of a candidate in its part of `lists`: triangles, borders and hits; edges to
 * cross, later subsegments to be cut; the outline, later bad triangles. */
__host__ __device__ inline int mesh_round_cavity_ints(int room)
{
    return 6 * (room + 4);
}

__host__ __device__ inline int mesh_round_stack_ints(int room)
{
    return 2 * (room + 4);
}

__host__ __device__ inline int mesh_round_outline_ints(int room)
{
    return 4 * (room + 4);
}

__host__ __device__ inline int mesh_round_list_ints(int room)
{
    return mesh_round_cavity_ints(room) + mesh_round_stack_ints(room) +
           mesh_round_outline_ints(room);
}

/* Find all cavities; has_failed tells whether a list was too small.
 * @param round  on the device, as of all @param n  candidates */
status_t mesh_round_find(const mesh_round_t *round, int64_t n);

/* Choose winners, give them numbers, fill their cavities and count what they leave.
 * @param max_blocks  of mesh_round_resident */
status_t mesh_round_fill(const mesh_round_t *round, int64_t n, int n_cores,
                         int max_blocks);

/* Put the lists together. */
status_t mesh_round_gather(const mesh_round_t *round, int64_t n);

/* Have marks begin .. end - 1 be nobody's. */
status_t mesh_round_unmark(unsigned long long *mark, int64_t begin, int64_t end);

/* Count the blocks that may wait for each other. */
status_t mesh_round_resident(int n_cores, int *out);
