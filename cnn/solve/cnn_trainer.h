/*
 * cnn_trainer.h - trains a network on one rank's device: batches in, losses and new
 * parameters out.
 *
 * Several ranks train one network together: each computes its part of every batch, and
 * the gradients are added up over all ranks (rank_run.h), to what rounding in another
 * order leaves of them.  Everything else follows from the seed alone: the order of
 * images, initial parameters, dropout.
 */
#ifndef RIBOGRID_CNN_SOLVE_CNN_TRAINER_H
#define RIBOGRID_CNN_SOLVE_CNN_TRAINER_H

#include "io/images/image_set.h"
#include "io/modelfile/cnn_model.h"
#include "kernels/cnn/common/cnn_backend.h"
#include "kernels/gang/gang.h"

/* Borrowed until the trainer is destroyed. */
typedef struct {
    const cnn_program_t *program;   /* of training; its batch is this rank's part */
    const cnn_program_t *test;      /* of inference with the same batch; NULL: no tests */
    const image_set_t *images;      /* with labels */
    const image_set_t *test_images; /* likewise; NULL: no tests */
    const device_t *device;
    pool_t *pool;
    const char *kernel;  /* a backend's name, or NULL */
    const char *choices; /* of algorithms, as cnn_trainer_choices wrote them in an
                          * earlier run; NULL: measure */
    int64_t batch;       /* of all ranks together */
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

/* @return the name of its backend */
const char *cnn_trainer_kernel(const cnn_trainer_t *t);

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
    double loss, accuracy; /* means over the images */
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

#endif
