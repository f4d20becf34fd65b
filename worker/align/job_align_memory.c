/*
 * job_align_memory.c - what --memory and --device-memory leave to batches, and to the
 * residues of a built database.
 */
#include "worker/align/align_memory.h"
#include "worker/align/job_align_state.h"

/* The fraction of a rank's memory, or of --memory if it is given, for the residues of a
 * built database. */
enum { WINDOW_DIVISOR = 4, WINDOW_GIVEN_DIVISOR = 2 };

int64_t job_align_window(const job_align_t *j)
{
    const binding_t *b = j->opts->common.binding;

    if (b != NULL && device_is_gpu(&b->device))
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
