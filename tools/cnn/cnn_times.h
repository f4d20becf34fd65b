/*
 * cnn_times.h - times and energy of networks: how they are measured, and the table that
 * `ribogrid cnn time` prints, tab-separated values, and `ribogrid cnn report` reads.
 */
#pragma once

#include "cnn/energy/energy_meter.h"
#include "cnn/net/cnn_net.h"
#include "cnn/rates/cnn_rates.h"
#include "io/base/buf.h"
#include "kernels/cnn/common/cnn_backend.h"

#include <stdbool.h>
#include <stdio.h>

/* time_run.c: how long a network takes on a device, and the energy it needs.
 *
 * A window runs many iterations on random images: forward and backward passes, as other
 * programs are measured; then the same with the update, which is what training computes.
 * Where updates are among the backward steps (cnn/memory), there is the latter alone.
 * With the kinds of layers there are copies in and out ("fetch", "evict"), as programs
 * for less memory have them.
 * Windows of GPUs last several seconds, because the counter of energy moves
 * about every 100 ms. */

enum { TIME_RUN_WINDOWS_MAX = 99, TIME_RUN_RESULTS_MAX = CNN_N_KINDS + 4 };

/* Words of the column "layers" for more than one kind of layer. */
extern const char time_all[], time_training[];

typedef struct {
    const cnn_net_t *net;
    const cnn_context_t *context; /* its program is one of training */
    const cnn_backend_t *backend;
    energy_meter_t *meter;
    double window_s; /* shortest length of a window */
    int n_windows;   /* 1 to TIME_RUN_WINDOWS_MAX */
    bool is_by_kind; /* also each kind of layer alone, and copies */
    uint64_t seed;   /* of images and first parameters */
} time_run_opts_t;

/* Forward and backward passes ("all"), these with the update ("training"), or a kind of
 * layer, whose steps run one by one; steps that run as one count for the kind of the
 * first. */
typedef struct {
    const char *layers;                   /* the table's word for it */
    double flops, bytes;                  /* of an iteration; bytes that copies move */
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
 * @param out      [TIME_RUN_RESULTS_MAX] "all" and "training" first
 * @param n_out    their number
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE, ST_EDEVICE or ST_ELOST
 */
status_t time_run_measure(const time_run_opts_t *opts, buf_t *choices, time_run_t *out,
                          int *n_out) MUST_CHECK;

/* time_table.c: the table. */

/* Columns, from left to right: words up to TIME_LAYERS, and numbers from TIME_BATCH on.
 */
typedef enum {
    TIME_NET,
    TIME_KERNEL,
    TIME_TYPE,
    TIME_BATCH,
    TIME_LAYERS, /* time_all, time_training, a kind of layer, or a copy's operation */
    TIME_MIN_S,
    TIME_MEDIAN_S,
    TIME_MAX_S,
    TIME_IMAGES_PER_S,
    TIME_GFLOPS,
    TIME_GPU_MJ, /* per image */
    TIME_GPU_MJ_ABOVE_IDLE,
    TIME_GPU_W,
    TIME_GPU_SPREAD,
    TIME_CPU_MJ,
    TIME_CPU_IDLE,
    TIME_LOCKED_MHZ,
    TIME_GPU_MHZ,
    TIME_GB_PER_S, /* that steps read and write, or copies move */
    TIME_N_COLUMNS,
    TIME_N_WORDS = TIME_LAYERS + 1
} time_column_t;

typedef struct {
    char *word[TIME_N_WORDS];
    double value[TIME_N_COLUMNS]; /* of numbers; NAN: not measured */
} time_row_t;

/* A zeroed one is empty. */
typedef struct {
    int n;
    time_row_t *rows;
    buf_t
        notes; /* lines: "run", TAB, the file, TAB, what a line that begins with # says */
} time_table_t;

/*
 * Append the rows and notes of a file.
 *
 * @param is_table  out: whether the file begins as a table; nothing is read if not
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t time_table_read(const char *path, time_table_t *table,
                         bool *is_table) MUST_CHECK;

void time_table_free(time_table_t *table);

/* What the columns on the left say about a measurement. */
typedef struct {
    const char *net, *kernel, *type;
    int64_t batch;
    double locked_mhz; /* clock of the GPU's cores; NAN: not locked */
} time_print_case_t;

/* Print the names of the columns. */
void time_print_header(FILE *to);

/* Print a line. @param idle_w  what the GPU takes without work; NAN: unknown */
void time_print_line(FILE *to, const time_print_case_t *c, const time_run_t *t,
                     int n_windows, double idle_w);

/* time_rates.c: rates of a network (cnn/rates) from measurements. */

/* Take rates of the results of time_run_measure, with the kinds of layers.
 * @return false: the kinds are not among them */
bool time_rates_of(const time_run_t *results, int n, int n_windows, const char *kernel,
                   const device_t *device, int n_threads, cnn_rates_t *out);

/*
 * Read rates from a table of `ribogrid cnn time --kinds`, those of the fastest kernel and
 * clock.
 *
 * @param net, type  words of the table; of the network the last part of its path counts
 * @param program    of training; must be what was measured
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t time_rates_read(const char *path, const char *net, const char *type,
                         const cnn_program_t *program, cnn_rates_t *out) MUST_CHECK;
