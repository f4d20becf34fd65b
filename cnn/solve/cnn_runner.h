/*
 * cnn_runner.h - a program on a backend, with images as they are in files.
 *
 * Images, parameters and outputs of a program are 32-bit floats, whatever types it
 * computes with.
 */
#pragma once

#include "io/images/image_set.h"
#include "kernels/cnn/common/cnn_backend.h"

/* A zeroed one is none. */
typedef struct {
    const cnn_program_t *program;
    const cnn_backend_t *backend;
    void *state;
    int64_t batch;     /* images */
    int input, labels; /* tensors; labels -1: none */
    int output;        /* probabilities [batch][n_classes] */
    int64_t n_classes;
    pool_t *pool; /* NULL: the caller alone */
    void *images; /* [batch][values of an image] of the last set: floats, or
                   * bytes, of which a GPU makes floats; NULL: none yet; the
                   * backend's if it has a side */
    size_t images_bytes;
    bool are_bytes;
    int32_t *image_labels; /* [batch] */
    int64_t *which;        /* [batch] scratch of cnn_runner_classify */
    float *probabilities;  /* [batch][n_classes] of the last cnn_runner_classify */
} cnn_runner_t;

/* Find the choices of algorithms that were kept by an earlier run of the same program on
 * a device of the same name. @param out  gets text, NUL-terminated, or nothing
 * @return ST_OK or ST_ENOMEM */
status_t cnn_runner_find_choices(const cnn_context_t *context, buf_t *out) MUST_CHECK;

/*
 * Choose a backend and create its state, with choices of algorithms of the context, or
 * those of an earlier run.
 *
 * @param kernel    a backend's name, or NULL
 * @param fallback  the context's device, if it may become the CPU (backend_request_t), or
 *                  NULL
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE, ST_EDEVICE or ST_ELOST
 */
status_t cnn_runner_create(const cnn_context_t *context, const char *kernel,
                           device_t *fallback, cnn_runner_t *out) MUST_CHECK;

/* Free everything. */
void cnn_runner_destroy(cnn_runner_t *r);

/* Copy images of a set, and their labels if the program has any, to the device, as the
 * first n of the batch, by all threads of the pool. @param which  [n] their numbers in
 * the set @return ST_OK, ST_ENOMEM or ST_ELOST */
status_t cnn_runner_send_images(cnn_runner_t *r, const image_set_t *set,
                                const int64_t *which, int64_t n) MUST_CHECK;

/* Classify images first .. first + n - 1 of a set, at most a batch of them. */
status_t cnn_runner_classify(cnn_runner_t *r, const image_set_t *set, int64_t first,
                             int64_t n) MUST_CHECK;

/* @return of the batch's image i: the class of the largest probability, the first among
 * equals; the loss of a label, -log of its probability */
int32_t cnn_runner_best(const cnn_runner_t *r, int64_t i);
double cnn_runner_loss(const cnn_runner_t *r, int64_t i, int32_t label);
