/*
 * bind.h - which device and how many threads each rank gets.
 *
 * GPUs are told apart by UUID across a node's ranks, never by index: CUDA_VISIBLE_DEVICES
 * may show each rank its own GPU as number 0, or all of them to all.
 */
#ifndef RIBOGRID_WORKER_BIND_H
#define RIBOGRID_WORKER_BIND_H

#include "kernels/device/device.h"
#include "worker/exchange.h"

enum { BIND_HOST_BYTES = 64 };

typedef struct {
    device_t device;
    int n_threads;
    int64_t memory_bytes; /* of the host, for this rank */
    char host[BIND_HOST_BYTES];
} binding_t;

/*
 * Choose this rank's device and threads; every rank calls it.
 *
 * @param device     "auto", "cpu", "cuda" or "cuda:I" (I counts what this rank sees)
 * @param n_threads  0: the affinity mask's processors, shared by the ranks that share it
 * @return ST_OK, ST_EUSAGE (no such device), ST_EDEVICE or ST_EPEER
 */
status_t bind_choose(exchange_t *x, const char *device, int n_threads,
                     binding_t *out) MUST_CHECK;

#endif
