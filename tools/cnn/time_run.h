/*
 * time_run.h - how long a network takes on a device, and the energy it needs.
 *
 * A window runs many iterations: forward and backward passes on random images, without
 * the update.  Windows of GPUs last several seconds, because the counter of energy moves
 * about every 100 ms.
 */
#ifndef RIBOGRID_TOOLS_CNN_TIME_RUN_H
#define RIBOGRID_TOOLS_CNN_TIME_RUN_H

#include "cnn/energy/energy_meter.h"
#include "cnn/net/cnn_net.h"
#include "kernels/cnn/common/cnn_backend.h"

enum { TIME_RUN_WINDOWS_MAX = 99 };

typedef struct {
    const cnn_net_t *net;
    const cnn_context_t *context; /* its program is one of training */
    const cnn_backend_t *backend;
    energy_meter_t *meter;
    double window_s; /* shortest length of a window */
    int n_windows;   /* 1 to TIME_RUN_WINDOWS_MAX */
    bool is_by_kind; /* then also each kind of layer alone */
    uint64_t seed;   /* of images and first parameters */
} time_run_opts_t;

/* The whole, or a kind of layer, whose steps run one by one; steps that run as one count
 * for the kind of the first. */
typedef struct {
    cnn_kind_t kind;                      /* CNN_N_KINDS: the whole */
    double flops;                         /* of an iteration */
    double seconds[TIME_RUN_WINDOWS_MAX]; /* [n_windows] of an iteration, ascending */
    /* joules of an iteration and the processors' idle part: medians; NAN: no source */
    double gpu_j, cpu_j, cpu_idle;
    double gpu_spread; /* of gpu_j: largest / smallest - 1 */
    double gpu_mhz;    /* clock of the GPU's cores right after the last window; or NAN */
} time_run_t;

/*
 * Measure a program.
 *
 * @param choices  NULL, or what the backend's choices of algorithms are appended to
 * @param out      [CNN_N_KINDS + 1] the whole first
 * @param n_out    their number
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE, ST_EDEVICE or ST_ELOST
 */
status_t time_run_measure(const time_run_opts_t *opts, buf_t *choices, time_run_t *out,
                          int *n_out) MUST_CHECK;

#endif
