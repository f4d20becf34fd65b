/*
 * cnn_trainer.h - trains a network on one rank's device: batches in, losses and new
 * parameters out.
 *
 * Several ranks train one network together: each computes its part of every batch, and
 * the gradients are added up over all ranks (rank_run.c), to what rounding in another
 * order leaves of them.  Everything else follows from the seed alone: the order of
 * images, initial parameters, dropout.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/status.h"
#include "io/images/image_set.h"
#include "io/modelfile/cnn_model.h"
#include "kernels/cnn/common/cnn_backend.h"
#include "kernels/cnn/common/cnn_program.h"
#include "kernels/gang/gang.h"

#include <stdint.h>

/* rank_run.c: iterations of a training program on one rank of several.
 *
 * The program is that of a part of the batch (cnn_plan_compile_part).  Its CNN_GATHER
 * steps are done here, between those that the backend runs: every rank then merges the
 * same moments of all parts in the order of the ranks.
 *
 * A program with CNN_SUM steps adds up each gradient in front of its update, and waits
 * for the sum: so within a limit of memory a gradient lives shortly.  Otherwise gradients
 * are added up over all ranks in buckets (below), beside the backward steps that follow:
 * between GPUs on a second stream of each, where they lie and where the updates follow;
 * otherwise in a buffer of the host, which is allocated once.  Sums are in the order that
 * NCCL or MPI adds them in: the same on all ranks, another one for another number of
 * ranks. */

/* Which gradients several ranks add up together, and after which
 * step of a program they can begin.
 *
 * A gradient is final behind the last backward step that writes it.  Buckets follow the
 * backward steps, from the network's last layers to its first; the first bucket also has
 * the loss and the number of right answers. */

typedef struct {
    int end;      /* its tensors are final behind steps [0, end) */
    int *tensors; /* [n] */
    int n;
    int64_t n_values;       /* of all its tensors */
    int64_t at;             /* its first value, in a buffer of all buckets */
    int update, end_update; /* steps [update, end_update) are the updates that read it */
    int unread; /* what these write is read by none of steps [unread, update) */
} gradient_bucket_t;

/* A zeroed one is empty. */
typedef struct {
    gradient_bucket_t *buckets; /* [n] */
    int n;
    int *tensors; /* of all buckets */
    int64_t n_values;
} gradient_buckets_t;

/*
 * Divide the gradients that a program's updates read.
 *
 * @param program    of training; its loss, right answers and gradients are CNN_F32
 * @param min_bytes  of a bucket, but for the last
 * @return ST_OK or ST_ENOMEM
 */
status_t gradient_buckets_make(const cnn_program_t *program, size_t min_bytes,
                               gradient_buckets_t *out) MUST_CHECK;

void gradient_buckets_free(gradient_buckets_t *b);

typedef struct rank_run rank_run_t;

/* All is borrowed until it is destroyed. */
typedef struct {
    const cnn_program_t *program;
    const cnn_backend_t *backend;
    void *state;
    gang_t *gang;
    size_t bucket_bytes;  /* minimum size of a bucket; 0: 2 MiB */
    const int64_t *parts; /* [n_ranks] images of each rank; NULL: as many on all */
    bool is_late; /* gradients of ranks above 0 count one iteration later; none of the
                   * program's steps is a CNN_GATHER */
} rank_run_opts_t;

/*
 * Prepare iterations.
 *
 * @return ST_OK, ST_ENOMEM, ST_ELOST, or ST_EUSAGE (logged: ranks that exchange in the
 *         memory of their devices do not run late, nor with parts of different sizes if
 *         there are gathers)
 */
status_t rank_run_create(const rank_run_opts_t *opts, rank_run_t **out) MUST_CHECK;

/*
 * Begin all steps on this rank's part of a batch, as the backend's run does; every rank
 * calls it.  Updates follow the gradients of the whole batch.
 *
 * Where ranks above 0 are late, they send the gradients of the iteration before, before
 * they compute those of this one: so rank 0 does not wait for what they compute
 * meanwhile.
 *
 * @param catches_up  of late ranks: they send those of this iteration, too, so that none
 *                    is left
 * @return ST_OK, ST_ENOMEM, ST_ELOST, or an error of the gang
 */
status_t rank_run_begin(rank_run_t *r, const cnn_iteration_t *now,
                        bool catches_up) MUST_CHECK;

/* Wait for what the ranks exchange in them; also after an error of rank_run_begin.
 * @param score  gets the whole batch's loss and right answers; where ranks are late,
 *               those of this rank's part
 * @return ST_OK, ST_ELOST, or an error of the gang */
status_t rank_run_end(rank_run_t *r, float score[2]) MUST_CHECK;

/* Takes NULL. */
void rank_run_destroy(rank_run_t *r);

/* Borrowed until the trainer is destroyed. */
typedef struct {
    const cnn_program_t *program;   /* of training; its batch is this rank's part */
    const cnn_program_t *test;      /* of inference with the same batch; NULL: no tests */
    const image_set_t *images;      /* with labels */
    const image_set_t *test_images; /* likewise; NULL: no tests */
    const device_t *device;
    pool_t *pool;
    const char *kernel;   /* a backend's name, or NULL */
    size_t memory_bytes;  /* that it may use on the device; 0: no limit */
    const char *choices;  /* of algorithms, as cnn_trainer_choices wrote them, taken
                           * where the device can; NULL: those of an earlier run, or
                           * measure; not kept after creation */
    int64_t batch;        /* of all ranks together */
    const int64_t *parts; /* [n_ranks] of each rank; NULL: as many on all */
    int64_t late_steps;   /* gradients of ranks above 0 count one iteration later, but for
                           * every late_steps-th one, after which none is left; 0: no */
    int64_t n_iterations; /* with late_steps: none is left after the last one */
    uint64_t seed;
    double (*rate)(const void *rate_arg, int64_t iteration); /* of learning */
    const void *rate_arg;
    int rank, n_ranks;
    size_t bucket_bytes; /* gradients that ranks add up at once; 0: a default */
} cnn_trainer_opts_t;

typedef struct cnn_trainer cnn_trainer_t;

/*
 * Choose a backend and allocate everything.  Parameters are 0 until they are restored.
 *
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE, ST_EDEVICE or ST_ELOST
 */
status_t cnn_trainer_create(const cnn_trainer_opts_t *opts,
                            cnn_trainer_t **out) MUST_CHECK;

/* @return the number of tensors that live as long as the program: parameters and states
 */
int cnn_trainer_n_kept(const cnn_trainer_t *t);

/* @return one of them, of which the values are NULL; its name lives as the program */
cnn_model_array_t cnn_trainer_kept(const cnn_trainer_t *t, int k);

/* Copy one of them to the device, or back. @return ST_OK or ST_ELOST */
status_t cnn_trainer_put(cnn_trainer_t *t, int k, const float *values) MUST_CHECK;
status_t cnn_trainer_get(cnn_trainer_t *t, int k, float *values) MUST_CHECK;

/* What a batch, or all test images, gave. */
typedef struct {
    double loss, accuracy; /* means over the images; of a batch whose other ranks are
                            * late, over those of this rank */
} cnn_score_t;

/* Train on one batch; every rank calls it, always with the same gang, which outlives the
 * trainer.  All ranks get the same score. @return ST_OK, ST_ENOMEM, ST_ELOST, or an
 * error of the gang */
status_t cnn_trainer_iterate(cnn_trainer_t *t, gang_t *gang, int64_t iteration,
                             cnn_score_t *out) MUST_CHECK;

/* Classify all test images; every rank calls it, and all get the same score. */
status_t cnn_trainer_test(cnn_trainer_t *t, gang_t *gang, cnn_score_t *out) MUST_CHECK;

/* Append the backend's choices of algorithms. @return ST_OK or ST_ENOMEM */
status_t cnn_trainer_choices(cnn_trainer_t *t, buf_t *out) MUST_CHECK;

/* Takes NULL. */
void cnn_trainer_destroy(cnn_trainer_t *t);

/* The order in which training takes images: every epoch takes each image
 * once, in a random order that follows from the seed and the epoch.
 *
 * Batches follow each other without regard to epochs: the last batch of one goes on with
 * the first images of the next, so that every batch has the same size. */

typedef struct {
    int64_t n; /* images */
    uint64_t seed;
    int64_t epoch;  /* of `order`; -1: none yet */
    int64_t *order; /* [n] */
} image_order_t;

/* @param n  at least 1 @return ST_OK or ST_ENOMEM */
status_t image_order_create(int64_t n, uint64_t seed, image_order_t *out) MUST_CHECK;

/* @return the image at a position of the sequence of all epochs, counted from 0; fast
 * for positions of one epoch */
int64_t image_order_at(image_order_t *o, int64_t position);

void image_order_free(image_order_t *o);

/* rank_choices.c: one choice of algorithms for all ranks whose devices are equal. */

/*
 * Pass rank 0's choices to every rank; every rank calls it.
 *
 * @param kernel, device  names: ranks that have rank 0's take its choices
 * @param mine            rank 0's choices
 * @param out             gets the choices that this rank has to take, NUL-terminated, or
 *                        nothing
 * @return ST_OK, ST_ENOMEM, or an error of the gang
 */
status_t rank_choices_agree(gang_t *gang, const char *kernel, const char *device,
                            const char *mine, buf_t *out) MUST_CHECK;
