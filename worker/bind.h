/*
 * bind.h - which device and how many threads each rank uses.
 *
 * GPUs of a host are identified by UUID, never by index: depending on
 * CUDA_VISIBLE_DEVICES, every rank may see its own GPU as number 0, or all ranks may see
 * all GPUs.
 */
#pragma once

#include "kernels/device/device.h"
#include "worker/exchange.h"

enum { BIND_HOST_BYTES = 64 };

typedef struct {
    device_t device;
    bool is_idle; /* "none": this rank computes nothing; device is the CPU's */
    int n_threads;
    int64_t memory_bytes; /* this rank's part of the host's memory */
    char host[BIND_HOST_BYTES];
} binding_t;

/*
 * Choose this rank's device and threads; every rank calls it.
 *
 * @param device     "auto", "cpu", "cuda" or "cuda:I" (I: index among the GPUs that this
 *                   rank sees); or "none": this rank dispatches to others only
 * @param n_threads  0: the processors of the affinity mask, divided among the ranks that
 *                   have the same mask
 * @return ST_OK, ST_EUSAGE (no such device), ST_EDEVICE or ST_EPEER
 */
status_t bind_choose(exchange_t *x, const char *device, int n_threads,
                     binding_t *out) MUST_CHECK;
