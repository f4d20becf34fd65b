/*
 * job_cnn_state.h - the state of the job "cnn", and the functions that its files share.
 *
 * A step of the gang is JOB_CNN_ITERATIONS batches.  Task 0 is the curves and the choices
 * of algorithms; task k + 1 is tensor k of those that are saved: parameters, and states
 * of the solver and of batch norm.
 */
#pragma once

#include "cnn/net/cnn_net.h"
#include "cnn/rates/cnn_rates.h"
#include "cnn/solve/cnn_trainer.h"
#include "worker/cnn/batch_split.h"
#include "worker/cnn/cnn_opts.h"
#include "worker/job_output.h"

enum { JOB_CNN_ITERATIONS = 8 };

/* What a child_fetch of the job asks for. */
enum { CNN_CHILD_IMAGES = JOB_CHILD_FIRST, CNN_CHILD_TEST_IMAGES };

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
    size_t memory_bytes;                 /* that it may use on the device; 0: no limit */
    int *kept;                           /* [n_kept] tensors that are saved */
    int n_kept;
    int64_t n_iterations;
    batch_split_t split;
    cnn_place_t place; /* of layers; never CNN_PLACE_AUTO */
    buf_t known;       /* of several ranks: choices of algorithms to begin with: text,
                        * NUL-terminated, or nothing */

    /* rank 0, the owner of the log */
    buf_t net_text; /* the network, as its file has it, NUL-terminated */

    /* every rank, as a worker */
    const char *kernel;     /* a backend's name */
    gang_t *lone;           /* of a rank that trains alone; NULL: not yet */
    cnn_trainer_t *trainer; /* NULL: until the first step, or what is restored */
    buf_t choices;          /* of algorithms: text, NUL-terminated */
    int64_t iteration;      /* done */
    buf_t points;           /* job_cnn_point_t of each */
    buf_t tests;            /* job_cnn_test_t */
    double seconds;         /* of training, in all runs */

    /* of this run, within a limit */
    double batches_s; /* of n_timed batches, the first ones left out */
    int64_t n_run, n_timed;
    double predicted_s; /* of a batch, with the kernel of these rates; 0: not known */
    cnn_rates_t rates;
} job_cnn_t;

static inline int64_t job_cnn_n_tasks(const job_cnn_t *j)
{
    return j->n_kept + 1;
}

/* @return whether this rank computes: not beside another one that trains alone */
static inline bool job_cnn_trains(const job_cnn_t *j)
{
    return !j->split.is_alone || j->rank == j->split.lead;
}

/* @return ranks that train together */
static inline int job_cnn_n_together(const job_cnn_t *j)
{
    return j->split.is_alone ? 1 : j->n_ranks;
}

/* @return whether gradients of ranks above 0 count one iteration later */
static inline bool job_cnn_is_late(const job_cnn_t *j)
{
    return j->opts->merge == CNN_MERGE_ASYNC && job_cnn_n_together(j) > 1;
}

/* @return images of a batch that a rank computes */
static inline int64_t job_cnn_part(const job_cnn_t *j, int rank)
{
    return j->split.parts != NULL ? j->split.parts[rank]
                                  : j->net->solver.batch / job_cnn_n_together(j);
}

/* ---- job_cnn_input.c ---- */

/* Fill in the images, the network and its programs. */
status_t job_cnn_read(job_cnn_t *j, exchange_t *x) MUST_CHECK;

/* ---- choice_exchange.c ---- */

/*
 * Pass rank 0's choices of algorithms to the ranks with a device of its name.
 *
 * @param known  of rank 0: text, NUL-terminated, or nothing; of others: out, the same
 * @return likewise on all ranks ST_OK, ST_ENOMEM, ST_EINPUT or ST_EPEER
 */
status_t choice_exchange(exchange_t *x, const char *device, buf_t *known) MUST_CHECK;

/* ---- job_cnn_train.c ---- */

/* @return what a checkpoint has, about */
double job_cnn_checkpoint_bytes(const job_cnn_t *j);

void job_cnn_load(const job_opts_t *opts, const device_t *device);
status_t job_cnn_prepare(job_t *job, const char **kernel_name, double *guess);
void job_cnn_release(job_t *job);
bool job_cnn_is_over(const job_t *job, int64_t k);
status_t job_cnn_step(job_t *job, gang_t *gang, int64_t k);
bool job_cnn_holds(const job_t *job, int64_t task);
status_t job_cnn_save(job_t *job, int64_t task, buf_t *out);
status_t job_cnn_restore(job_t *job, int64_t task, int64_t version, const void *data,
                         size_t len);

/* Take the curves of a record of task 0. @param choices  out, in `data`: of algorithms */
status_t job_cnn_restore_curves(job_cnn_t *j, const void *data, size_t len,
                                const char **choices) MUST_CHECK;

/* As check_record of job_ops_t. */
const char *job_cnn_check_record(job_t *job, int64_t task, int64_t version,
                                 const buf_t *record) MUST_CHECK;
