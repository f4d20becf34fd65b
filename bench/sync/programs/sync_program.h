/*
 * sync_program.h - programs whose blocks wait for each other in each round: an FFT,
 * bitonic sort, Smith-Waterman.
 *
 * Each is written once, as what its blocks do in round k (sync_program.cuh), and runs
 * with each kind of barrier, and with a launch, a dependent launch or a node of a graph
 * per round.
 */
#pragma once

#include "kernels/device/device.h"
#include "kernels/sync/sync_kind.h"

enum { SYNC_PROGRAM_KINDS = SYNC_GRAPH + 1 /* of sync_kind_t */ };

typedef struct {
    int n_rounds;
    double s[SYNC_PROGRAM_KINDS]; /* seconds of a run, the least of some; 0: not run */
    double work_s;                /* the same without barriers, which computes nonsense */
    double serial_s;              /* on one core of the CPU */
    double peer_s;                /* of the peer; 0: not installed, or none */
    double trace_s, copy_s;       /* following the path back: on the GPU; copying the
                                   * matrix to the host instead; 0: no path */
    double error;                 /* of an FFT: the largest relative error of a kind */
} sync_program_times_t;

/* What the variant of a program is. */
enum { SYNC_FFT_FEW /* rounds; otherwise the binary logarithm of each factor */ };
enum { SYNC_BITONIC_TILES, SYNC_BITONIC_STRIDES /* a round per stride */ };
enum { SYNC_SW_NAIVE, SYNC_SW_SIMPLE, SYNC_SW_COALESCED, SYNC_SW_TILED };

typedef struct {
    const char *name; /* for messages */
    int variant;
    int log2_size;  /* of points, of keys, or of rows and of columns */
    int only;       /* a kind, or -1: all */
    int max_blocks; /* of the grid; 0: as many as have work and fit on the GPU */
} sync_program_setup_t;

/*
 * Run a program on random input, and compare each result with the CPU's.
 *
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE; ST_EINPUT if a result is wrong, after a message
 */
typedef status_t sync_program_fn_t(const device_t *gpu, const sync_program_setup_t *setup,
                                   sync_program_times_t *out);

/* In a build with CUDA. */
#ifdef __cplusplus
extern "C" {
#endif
sync_program_fn_t sync_fft_run, sync_bitonic_run, sync_sw_run;
#ifdef __cplusplus
}
#endif
