/*
 * job_align_memory.c - what --memory and --device-memory leave to batches, and to the
 * residues of a built database.
 */
#include "worker/align/align_memory.h"
#include "worker/align/job_align_state.h"

#include <string.h>

/* The fraction of a rank's memory, or of --memory if it is given, for the residues of a
 * built database. */
enum { WINDOW_DIVISOR = 4, WINDOW_GIVEN_DIVISOR = 2 };

/* The fraction of a GPU's memory, or of --device-memory if it is less, that all sequences
 * may take. */
enum { DEVICE_SET_DIVISOR = 2 };

/* Zeros around a sequence on a GPU, about. */
enum { DEVICE_SET_PADS = 96 };

bool job_align_may_window(const job_align_t *j)
{
    const char *kernel = j->opts->common.kernel;

    return j->opts->composition != COMP_OFF &&
           (strcmp(kernel, "auto") == 0 || strcmp(kernel, "pscan") == 0);
}

bool job_align_in_windows(const job_align_t *j, const device_t *device)
{
    const int64_t given = j->opts->device_bytes, all = device->memory_bytes;
    const int64_t bytes = given > 0 && given < all ? given : all;

    return device_is_gpu(device) && job_align_may_window(j) &&
           (j->in_blocks || j->set->offset[j->set->n] + DEVICE_SET_PADS * j->set->n >
                                bytes / DEVICE_SET_DIVISOR);
}

int64_t job_align_window(const job_align_t *j)
{
    const binding_t *b = j->opts->common.binding;

    if (b != NULL && device_is_gpu(&b->device) && !job_align_may_window(j))
        return INT64_MAX; /* they are copied to the device */
    if (IS_GIVEN(j->opts, batch_bytes))
        return j->opts->batch_bytes / WINDOW_GIVEN_DIVISOR;
    return b != NULL ? b->memory_bytes / WINDOW_DIVISOR : INT64_MAX;
}

int64_t job_align_batch_bytes(const job_align_t *j)
{
    const int64_t bytes = j->opts->batch_bytes;

    return j->in_blocks && IS_GIVEN(j->opts, batch_bytes)
               ? bytes - bytes / WINDOW_GIVEN_DIVISOR
               : bytes;
}

static align_memory_t memory_of(const job_align_t *j)
{
    return (align_memory_t){.search = j->search,
                            .set = j->set,
                            .spec = &j->spec,
                            .tile_values = tile_grid_values(&j->grid),
                            .host_bytes = job_align_batch_bytes(j),
                            .device_bytes = j->device_bytes,
                            .n_strands = j->n_strands,
                            .is_sparse = j->is_sparse,
                            .places = JOB_PLACES};
}

int job_align_batch_limit(const job_align_t *j)
{
    const align_memory_t m = memory_of(j);

    return align_memory_max_tiles(&m);
}

search_limits_t job_align_limits(const job_align_t *j)
{
    const align_memory_t m = memory_of(j);

    return align_memory_limits(&m);
}
