/*
 * sync_kind.h - the barriers of all blocks of a kernel (sync_grid.cuh), and what stands
 * in their place between kernels.
 */
#pragma once

typedef enum {
    SYNC_LOCK,
    SYNC_ACQUIRE,
    SYNC_LOCK_FREE,
    SYNC_CLUSTER_FIRST,
    SYNC_CLUSTER,
    SYNC_COOPERATIVE,
    SYNC_BARRIERS,               /* those above */
    SYNC_LAUNCH = SYNC_BARRIERS, /* a kernel per round, in one stream */
    SYNC_DEPENDENT,              /* the same, each begun before the one in front ends */
    SYNC_GRAPH,                  /* the same as nodes of a CUDA graph */
    SYNC_WHILE,                  /* the body of a while-node of a CUDA graph */
    SYNC_TAIL,                   /* launched by the one in front: a tail launch */
    SYNC_KINDS
} sync_kind_t;

/* "lock", ... as on the command line */
extern const char *const sync_kind_name[SYNC_KINDS];

enum { SYNC_CLUSTER_MAX = 16 /* blocks */ };
