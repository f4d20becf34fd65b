/*
 * rank_train.h - trains a small network on one or several ranks that are threads.
 */
#pragma once

#include "io/base/buf.h"
#include "kernels/cnn/common/cnn_program.h"
#include "kernels/device/device.h"
#include "tests/support/thread_gang.h"

typedef struct {
    const char *layers;      /* of the network's text, with [solver] */
    const device_t *devices; /* [n_ranks] */
    const char *kernel;
    const char *choices; /* of algorithms; NULL: measure */
    bool is_tf32;
    int n_ranks, n_iterations;
    const int64_t *parts; /* of the batch; NULL: equal */
    int64_t late_steps;   /* as of cnn_trainer_opts_t */
    size_t bucket_bytes;
    bool is_limited; /* each rank within the smallest arena; sums are steps */
    gang_t *(*gang_of)(void *arg, gang_t *threads); /* NULL: the gang of the threads */
    void *arg;
} rank_train_t;

enum { RANK_TRAIN_BATCH = 12 };

/* What a training left, on every rank. */
typedef struct {
    float *values[THREAD_GANG_RANKS_MAX]; /* [n] parameters and states */
    int64_t n;
    double loss[THREAD_GANG_RANKS_MAX];      /* of the last batch */
    double accuracy[THREAD_GANG_RANKS_MAX];  /* likewise */
    double test_loss[THREAD_GANG_RANKS_MAX]; /* of the test images */
    buf_t choices;                           /* rank 0's, NUL-terminated */
} rank_trained_t;

/* Train on random images of 2 x 8 x 8 and 3 classes. @return ST_OK or an error */
status_t rank_train(const rank_train_t *how, rank_trained_t *out);

void rank_trained_free(rank_trained_t *t);

/* @return the largest difference of parameters or states of rank 0, divided by the
 * largest of all */
double rank_trained_difference(const rank_trained_t *a, const rank_trained_t *b);
