/*
 * gang_nccl_absent.c - in the place of gang_nccl.cu in builds without NCCL.
 */
#include "io/base/logmsg.h"
#include "kernels/gang/gang_nccl.h"

bool gang_nccl_is_built(void)
{
    return false;
}

static status_t absent(void)
{
    log_error("this build has no NCCL");
    return ST_EDEVICE;
}

status_t gang_nccl_make_id(gang_nccl_id_t *out)
{
    (void)out;
    return absent();
}

status_t gang_nccl_create(const device_t *device, int rank, int n_ranks,
                          const gang_nccl_id_t *id, gang_t **out)
{
    (void)device;
    (void)rank;
    (void)n_ranks;
    (void)id;
    (void)out;
    return absent();
}
