/*
 * part_comm.h - collective operations on a rank's host memory, whatever kind of memory
 * its gang works on, and what they take.
 */
#pragma once

#include "kernels/gang/gang.h"

/* Zeroed, with the gang: nothing exchanged yet. */
typedef struct {
    gang_t *gang;
    void *in, *out; /* copies in the gang's memory, if that is a device's */
    size_t in_bytes, out_bytes;
    int64_t *len;    /* [2][n_ranks] of part_comm_lengths */
    int64_t n_bytes; /* sent to other ranks */
    double seconds;
} part_comm_t;

/* As gang_t has them, with data in host memory. @return also ST_ENOMEM */
status_t part_comm_gather(part_comm_t *c, const void *in, const int64_t *len, void *out,
                          const int64_t *at) MUST_CHECK;
status_t part_comm_exchange(part_comm_t *c, const void *in, const int64_t *send_len,
                            const int64_t *send_at, void *out, const int64_t *recv_len,
                            const int64_t *recv_at) MUST_CHECK;

/* Add up n numbers of every rank. */
status_t part_comm_add(part_comm_t *c, int64_t *values, int64_t n) MUST_CHECK;

/*
 * Find out what the others send.
 *
 * @param send_len  [n_ranks] bytes for each rank
 * @param recv_len  [n_ranks] out: bytes from each rank
 * @param recv_at   [n_ranks] out: their sums before each rank
 * @param total     out: the sum of all
 */
status_t part_comm_lengths(part_comm_t *c, const int64_t *send_len, int64_t *recv_len,
                           int64_t *recv_at, int64_t *total) MUST_CHECK;

/* Free its memory; takes a zeroed one, too. */
void part_comm_free(part_comm_t *c);
