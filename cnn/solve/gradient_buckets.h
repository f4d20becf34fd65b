/*
 * gradient_buckets.h - which gradients several ranks add up together, and after which
 * step of a program they can begin.
 *
 * A gradient is final behind the last backward step that writes it.  Buckets follow the
 * backward steps, from the network's last layers to its first; the first bucket also has
 * the loss and the number of right answers.
 */
#ifndef RIBOGRID_CNN_SOLVE_GRADIENT_BUCKETS_H
#define RIBOGRID_CNN_SOLVE_GRADIENT_BUCKETS_H

#include "io/base/status.h"
#include "kernels/cnn/common/cnn_program.h"

typedef struct {
    int end;      /* its tensors are final behind steps [0, end) */
    int *tensors; /* [n] */
    int n;
    int64_t n_values; /* of all its tensors */
    int64_t at;       /* its first value, in a buffer of all buckets */
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

#endif
