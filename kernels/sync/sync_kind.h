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
    SYNC_GRAPH,                  /* the same as nodes of a CUDA graph */
    SYNC_KINDS
} sync_kind_t;

/* "lock", ... as on the command line */
extern const char *const sync_kind_name[SYNC_KINDS];

enum { SYNC_CLUSTER_MAX = 16 /* blocks */ };
