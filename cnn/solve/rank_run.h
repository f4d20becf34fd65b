/*
 * rank_run.h - iterations of a training program on one rank of several.
 *
 * The program is that of a part of the batch (cnn_plan_compile_part).  Its CNN_GATHER
 * steps are done here, between those that the backend runs: every rank then merges the
 * same moments of all parts in the order of the ranks.
 *
 * Gradients are added up over all ranks in buckets (gradient_buckets.h), beside the
 * backward steps that follow: between GPUs on a second stream of each, where they lie;
 * otherwise in a buffer of the host, which is allocated once.  Sums are in the order that
 * NCCL or MPI adds them in: the same on all ranks, another one for another number of
 * ranks.
 */
#ifndef RIBOGRID_CNN_SOLVE_RANK_RUN_H
#define RIBOGRID_CNN_SOLVE_RANK_RUN_H

#include "kernels/cnn/common/cnn_backend.h"
#include "kernels/gang/gang.h"

typedef struct rank_run rank_run_t;

/*
 * Prepare iterations.
 *
 * @param program, backend, state, gang  borrowed until it is destroyed
 * @param bucket_bytes                   minimum size of a bucket; 0: 4 MiB
 * @return ST_OK, ST_ENOMEM or ST_ELOST
 */
status_t rank_run_create(const cnn_program_t *program, const cnn_backend_t *backend,
                         void *state, gang_t *gang, size_t bucket_bytes,
                         rank_run_t **out) MUST_CHECK;

/*
 * Begin all steps on this rank's part of a batch, as the backend's run does; every rank
 * calls it.  Loss and right answers are those of the whole batch then.
 *
 * @return ST_OK, ST_ENOMEM, ST_ELOST, or an error of the gang
 */
status_t rank_run_begin(rank_run_t *r, const cnn_iteration_t *now) MUST_CHECK;

/* Wait for what the ranks exchange in them; also after an error of rank_run_begin.
 * @return ST_OK, ST_ELOST, or an error of the gang */
status_t rank_run_end(rank_run_t *r) MUST_CHECK;

/* Takes NULL. */
void rank_run_destroy(rank_run_t *r);

#endif
