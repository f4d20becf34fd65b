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
constexpr int MESH_BAD_WORDS = sizeof(refine_bad_t) / sizeof(uint32_t);

/* A candidate in a word, for the host: fate, triangles that it adds, subsegments hit. */
constexpr int MESH_FATE_BITS = 3, MESH_MORE_BITS = 2;

/* What a round lacks; kernels behind the one that finds out do nothing. */
enum mesh_lack_t : uint32_t {
    MESH_LACKS_NOTHING,
    MESH_LACKS_ROOM,  /* for a cavity */
    MESH_LACKS_RESULT /* room for all that the host gets */
};

/* Counts of a round, on the device.  All but the totals are 0 at first. */
struct mesh_counts_t {
    uint32_t lack;      /* mesh_lack_t */
    unsigned barrier;   /* of the grid */
    unsigned n_left[2]; /* undecided candidates, of passes in turn */
    uint32_t total[3];  /* subsegments hit, subsegments to be cut, bad triangles */
};

/* What the host gets, words behind each other: these, an outcome per candidate, the
 * subsegments hit, those to be cut, and the bad triangles. */
enum { MESH_LACK, MESH_N_HITS, MESH_N_CUT, MESH_N_BAD, MESH_HEAD };

/* A round: what its kernels are given. */
struct mesh_round_t {
    tri_mesh_t mesh; /* on the device */
    refine_rule_t rule;
    mesh_variant_t variant;
    int64_t n, n_sub; /* as of refine_t */
    int64_t round;    /* its number */
    int64_t max_points;
    int lanes; /* candidates of a warp, whose threads wait for each other */
    int room;  /* triangles of a cavity */

    const refine_entry_t *request; /* [MESH_ROUND] the candidates */
    refine_candidate_t *candidate; /* [MESH_ROUND] */
    unsigned long long *mark;      /* [triangles_capacity] */
    int32_t *lists;                /* [MESH_ROUND][list_ints] */
    uint32_t *n_cut, *n_bad;       /* [MESH_ROUND] entries of the lists of a candidate */
    uint32_t *place;               /* [3][MESH_ROUND] where those of a candidate begin */
    mesh_counts_t *counts;
    uint32_t *result;  /* [capacity] */
    uint32_t *fetched; /* [capacity] the same, pinned */
    int64_t capacity;
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

/* Compute a round, and send what the host gets.
 * @param n_cores  of the device @param max_blocks  of mesh_round_resident */
status_t mesh_round_run(const mesh_round_t *round, int n_cores, int max_blocks);

/* Send it again, after the round lacked room for that only. */
status_t mesh_round_send(const mesh_round_t *round);

/* Have marks begin .. end - 1 be nobody's. */
status_t mesh_round_unmark(unsigned long long *mark, int64_t begin, int64_t end);

/* Count the blocks that may wait for each other. */
status_t mesh_round_resident(int n_cores, int *out);
