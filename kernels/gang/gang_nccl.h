/*
 * gang_nccl.h - the gang between GPUs, through NCCL: every rank has a GPU of its own.
 *
 * Built where CUDA and NCCL are found (CMake option RIBOGRID_NCCL); NCCL is called in
 * gang_nccl.cu only.
 */
#pragma once

#include "kernels/device/device.h"
#include "kernels/gang/gang.h"

enum { GANG_NCCL_ID_BYTES = 128 };

/* What the ranks of one gang have in common. */
typedef struct {
    char bytes[GANG_NCCL_ID_BYTES];
} gang_nccl_id_t;

/* @return whether this build has it */
bool gang_nccl_is_built(void);

/* Make an id on one rank, which passes it to the others. @return ST_OK or ST_EDEVICE */
status_t gang_nccl_make_id(gang_nccl_id_t *out) MUST_CHECK;

/*
 * Begin to join the gang; every rank calls it.  The first operation waits for all ranks,
 * and fails where one of them does not join.
 *
 * @param device  this rank's own GPU
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE, ST_ELOST or ST_EPEER
 */
status_t gang_nccl_create(const device_t *device, int rank, int n_ranks,
                          const gang_nccl_id_t *id, gang_t **out) MUST_CHECK;
