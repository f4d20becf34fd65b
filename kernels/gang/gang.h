/*
 * gang.h - how the ranks of a gang job talk to each other: collective operations.
 *
 * Every rank's device thread calls the same operations in the same order, with arguments
 * that agree, and each call returns when this rank's part of it is complete.  Lengths and
 * offsets have 64 bits.
 *
 * All data that is passed in and out lies in the gang's own kind of memory
 * (gang->memory): the host's, or the device's of this rank.  alloc, free, put and get are
 * for memory of that kind, so that one text of a job serves every backend.  Before a
 * call, the caller waits for its own streams to have written the input; after it, any
 * stream may read the output.
 *
 * Backends:
 *   one    one rank: copies in host memory (gang_one.c)
 *   mpi    host memory; the rank's main thread does the communication
 *          (worker/gang_port.c)
 *   nccl   device memory; every rank has a GPU of its own (gang_nccl.cu)
 *
 * No allreduce of floating-point numbers may decide a stored result: its order of
 * additions depends on the number of ranks.  Sum fixed blocks, gather the sums, and add
 * them in the order of the blocks; or use integers.
 *
 * Errors: ST_OK; ST_EPEER (another rank or the network failed), ST_ELOST (this device
 * failed), ST_ENOMEM; ST_ESTOPPED once gang->cancel was called.  After an error no
 * further operation succeeds.
 */
#pragma once

#include "io/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef enum { GANG_INT64, GANG_UINT64, GANG_FLOAT, GANG_DOUBLE } gang_type_t;
typedef enum { GANG_SUM, GANG_MIN, GANG_MAX } gang_op_t;
typedef enum { GANG_HOST, GANG_DEVICE } gang_memory_t;

struct collective;

typedef struct gang {
    int rank, n_ranks;
    const char *name;     /* the backend's */
    gang_memory_t memory; /* where all data of the calls below lies */

    /* Combine n values of every rank, value by value. @param in, out  [n], may be equal
     */
    status_t (*allreduce)(struct gang *g, const void *in, void *out, int64_t n,
                          gang_type_t type, gang_op_t op);

    /*
     * Gather a block of bytes of every rank on every rank.
     *
     * @param in   [len[rank]]; may be out + at[rank]
     * @param len  [n_ranks] bytes of each rank's block, the same on all ranks
     * @param out  rank r's block is at out + at[r]; blocks must not overlap
     */
    status_t (*allgatherv)(struct gang *g, const void *in, const int64_t *len, void *out,
                           const int64_t *at);

    /*
     * Send each rank a block of bytes of its own; itself too.
     *
     * @param send_len, send_at  [n_ranks] bytes for each rank, and where they are in `in`
     * @param recv_len, recv_at  [n_ranks] bytes from each rank, and where they go in
     * `out`; recv_len[r] here is send_len[this rank] on rank r
     */
    status_t (*alltoallv)(struct gang *g, const void *in, const int64_t *send_len,
                          const int64_t *send_at, void *out, const int64_t *recv_len,
                          const int64_t *recv_at);

    /* Copy len bytes of the rank `root` to every rank. */
    status_t (*broadcast)(struct gang *g, void *data, int64_t len, int root);

    /* Wait until every rank has called it. */
    status_t (*barrier)(struct gang *g);

    /*
     * Begin operations (collective_t) without waiting for them; they are complete when
     * `wait` returns ST_OK.  They and all other operations have one order, the same on
     * every rank.
     *
     * @param list    [n] copied; the memory that it names is in use until `wait` returns
     * @param stream  of device memory: the cudaStream_t whose work so far writes the
     *                input, and whose later work may read the output without `wait`;
     *                NULL for host memory
     */
    status_t (*begin)(struct gang *g, const struct collective *list, int n, void *stream);
    status_t (*wait)(struct gang *g);

    /* Memory of this kind. @param out  the caller's, to be freed with free */
    status_t (*alloc)(struct gang *g, size_t len, void **out);
    void (*free)(struct gang *g, void *data); /* takes NULL */

    /* Copy from the host's memory into this kind, and back; `from` and `to` of the host.
     */
    status_t (*put)(struct gang *g, void *to, const void *from, size_t len);
    status_t (*get)(struct gang *g, void *to, const void *from, size_t len);

    /* [any thread] Make the call in progress and all later ones return ST_ESTOPPED. */
    void (*cancel)(struct gang *g);

    void (*destroy)(struct gang *g);
} gang_t;

/* The gang of one rank. @return ST_OK or ST_ENOMEM */
status_t gang_one_create(gang_t **out) MUST_CHECK;

/* Host memory for backends that work on it: their alloc, free, put and get. */
status_t gang_host_alloc(gang_t *g, size_t len, void **out);
void gang_host_free(gang_t *g, void *data);
status_t gang_host_copy(gang_t *g, void *to, const void *from, size_t len);

/* @return bytes of a value */
size_t gang_type_bytes(gang_type_t type);

/* One operation of a gang, as data: what gang->begin takes, and what a
 * backend passes to another thread. */

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
