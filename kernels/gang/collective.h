/*
 * collective.h - one operation of a gang, as data: what gang->begin takes, and what a
 * backend passes to another thread.
 */
#ifndef RIBOGRID_KERNELS_GANG_COLLECTIVE_H
#define RIBOGRID_KERNELS_GANG_COLLECTIVE_H

#include "kernels/gang/gang.h"

typedef enum {
    COLLECTIVE_ALLREDUCE, /* in, out, n, type, op */
    COLLECTIVE_ALLTOALLV, /* in, out, send_*, recv_* */
    COLLECTIVE_BROADCAST, /* out, n bytes, root */
    COLLECTIVE_BARRIER
} collective_kind_t;

/* Fields as the functions of gang_t have them. */
typedef struct collective {
    collective_kind_t kind;
    const void *in;
    void *out;
    int64_t n;
    gang_type_t type;
    gang_op_t op;
    int root;
    const int64_t *send_len, *send_at, *recv_len, *recv_at; /* [n_ranks] */
} collective_t;

#endif
