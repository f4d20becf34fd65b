/*
 * mesh_round.cuh - rounds of refinement as a GPU has them.
 *
 * What waits for refinement is a log: new entries come to its end, and those that are
 * done with stay there as holes until holes are the larger part.  The class of an entry
 * is that of its shortest edge, or 0 for a subsegment that is to be cut.  So entries of a
 * class are in the same order as in the queues of processors.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"
#include "kernels/sync/sync_grid.cuh"

extern "C" {
#include "kernels/mesh/refine/mesh_backend.h"
}

constexpr int MESH_THREADS = 512;
constexpr int MESH_CLASSES = 1 << 11; /* keys of lengths have no sign */
constexpr uint16_t MESH_HOLE = UINT16_MAX;
constexpr int MESH_LOG_STEP = 8 * MESH_THREADS; /* entries that a block reads at once */

/* Why a launch ended. */
enum mesh_end_t : uint32_t {
    MESH_GOES_ON,    /* all its rounds are done */
    MESH_IS_DONE,    /* nothing waits */
    MESH_IS_PARTIAL, /* max_points was reached */
    MESH_LACKS_ROOM, /* for a cavity; of the following the host gives more */
    MESH_LACKS_MESH, /* place for points, triangles and subsegments */
    MESH_LACKS_LOG,
    MESH_NO_END /* a kernel that was to be launched was not */
};

/* Numbers of a round. */
struct mesh_state_t {
    int64_t n_points, n_triangles, n_subs;
    int64_t n_log; /* entries, and holes */
    int32_t side;  /* of the log's two memories */
    int32_t limit; /* of candidates: 1 after a round in which all lost */
    int64_t n_cavities, n_conflicts, n_cut, n_stuck; /* as of mesh_refine_report_t */
};

/* What blocks know of each other. */
struct mesh_control_t {
    unsigned barrier; /* 0 before a launch */
    uint32_t end;     /* mesh_end_t */
    int64_t round;    /* the first that is not done */
    int32_t lowest;   /* class */
    int32_t compacts; /* whether the log moves to its other memory, without holes */
    int32_t n, n_sub; /* candidates, as of refine_t */
    int32_t side;     /* of the log, and entries, once candidates are taken */
    int64_t n_log;
    uint32_t lacks_room, is_partial;
    unsigned long long n_bound; /* entries that the log may get in this round */
    uint32_t n_left[2];         /* undecided candidates, of passes in turn */
    uint32_t fresh[3];          /* points, triangles and subsegments of no order */
    uint32_t n_new, n_direct;   /* new triangles in a list; entries of no order */
    mesh_state_t state[2];      /* of even and odd rounds */
};

/* Numbers of a block, of which those of the blocks before it are summed up. */
enum {
    MESH_N_HITS,
    MESH_N_CUTS,
    MESH_N_BAD,
    MESH_N_POINTS,
    MESH_N_TRIANGLES,
    MESH_N_SUBS,
    MESH_N_CONFLICTS,
    MESH_N_STUCK,
    MESH_N_GONE_SUBS,
    MESH_N_GONE,
    MESH_PLANNED, /* points, triangles and subsegments, before any cavity is filled */
    MESH_NUMBERS = MESH_PLANNED + 3
};

/* What kernels are given. */
struct mesh_round_t {
    tri_mesh_t mesh; /* on the device; mesh_state_t has its counts */
    refine_rule_t rule;
    mesh_variant_t variant;
    int64_t max_points;
    int room; /* triangles of a cavity */

    refine_entry_t *entry[2]; /* [log_capacity] of the log, and its other memory */
    uint16_t *class_of[2];    /* [log_capacity] a class, or MESH_HOLE */
    int64_t log_capacity;     /* a multiple of MESH_LOG_STEP */
    uint32_t *live;           /* [MESH_CLASSES] entries */

    refine_entry_t *request;       /* [MESH_ROUND] the candidates */
    int32_t *where;                /* [MESH_ROUND] in the log */
    refine_candidate_t *candidate; /* [MESH_ROUND] */
    uint32_t *versions;            /* [MESH_ROUND] sums of those of their triangles */
    int32_t *lists;                /* [MESH_ROUND][list_ints] */
    uint32_t *n_cuts, *n_bad;      /* [MESH_ROUND] entries of the lists of a candidate */

    unsigned long long *mark;  /* [triangles_capacity] */
    unsigned long long *asked; /* [subs_capacity] which list asks first for a subsegment
                                * to be cut; 0: it is in the log; REFINE_NOBODY */
    uint32_t *partial;         /* [blocks][MESH_NUMBERS] */
    mesh_control_t *control;
};

/* Blocks of candidates, if a launch has n_blocks. */
inline int64_t mesh_round_partials(int n_blocks)
{
    const int more = MESH_ROUND / MESH_THREADS;

    return static_cast<int64_t>(n_blocks > more ? n_blocks : more) * MESH_NUMBERS;
}

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

/* Launch rounds first .. end - 1, until something ends them.  @param n_blocks  of
 * mesh_loop_resident */
status_t mesh_loop_run(const mesh_round_t *round, int64_t first, int64_t end, int n_cores,
                       int n_blocks);

/* Rounds of a launch of mesh_dpar_run, at most: kernels hold their places among those
 * that are pending until all of their successors have ended. */
constexpr int64_t MESH_DPAR_ROUNDS = 100;

/* As mesh_loop_run, by kernels that launch the next ones (mesh_dpar_cuda.cu). */
status_t mesh_dpar_run(const mesh_round_t *round, int64_t first, int64_t end,
                       int n_blocks);

/* Count the blocks that may wait for each other. */
status_t mesh_loop_resident(int n_cores, int *out);
