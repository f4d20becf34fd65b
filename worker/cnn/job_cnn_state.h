/*
 * job_cnn_state.h - the state of the job "cnn", which its files share.
 *
 * A step of the gang is JOB_CNN_ITERATIONS batches.  Task 0 is the curves and the choices
 * of algorithms; task k + 1 is tensor k of those that are saved: parameters, and states
 * of the solver and of batch norm.
 */
#ifndef RIBOGRID_WORKER_CNN_JOB_CNN_STATE_H
#define RIBOGRID_WORKER_CNN_JOB_CNN_STATE_H

#include "cnn/net/cnn_net.h"
#include "cnn/solve/cnn_trainer.h"
#include "worker/cnn/job_cnn.h"

enum { JOB_CNN_ITERATIONS = 8 };

/* What is known of a batch. */
typedef struct {
    double loss, accuracy, rate;
} job_cnn_point_t;

/* What is known of a test. */
typedef struct {
    int64_t iteration; /* iterations before it */
    double loss, accuracy;
} job_cnn_test_t;

typedef struct {
    job_t base;
    const cnn_opts_t *opts;
    int rank, n_ranks;

    /* on every rank */
    image_set_t images, test;
    cnn_net_t *net; /* with the solver's settings of the command line */
    cnn_program_t *training, *inference; /* of this rank's part of a batch */
    int *kept;                           /* [n_kept] tensors that are saved */
    int n_kept;
    int64_t n_iterations;

    /* rank 0, the owner of the log */
    buf_t net_text; /* the network, as its file has it, NUL-terminated */

    /* every rank, as a worker */
    cnn_trainer_t *trainer;
    buf_t choices;     /* of algorithms: text, NUL-terminated */
    bool has_agreed;   /* equal devices have equal choices */
    int64_t iteration; /* done */
    buf_t points;      /* job_cnn_point_t of each */
    buf_t tests;       /* job_cnn_test_t */
    double seconds;    /* of training, in all runs */
} job_cnn_t;

static inline int64_t job_cnn_n_tasks(const job_cnn_t *j)
{
    return j->n_kept + 1;
}

#endif
