/*
 * subset_backend.h - the subset construction: what finds all states of a group, and its
 * backends.
 *
 * States are numbered in the order in which the bytes 0, 1, 2 ... of the states before
 * them first lead to them, so all backends return the same numbers; subset_serial.c
 * defines them.
 */
#pragma once

#include "kernels/automata/subset.h"
#include "kernels/automata/word_set.h"
#include "kernels/device/backend.h"

typedef struct {
    buf_t keys; /* uint64_t [n][n_words] */
    buf_t next; /* int32_t [n][n_classes] */
} subset_states_t;

/* Where a GPU keeps the keys of states: in one array; where thread blocks allocate them,
 * each in memory of its own; by malloc on the device. */
typedef enum {
    SUBSET_ARENA,
    SUBSET_BLOCKS,
    SUBSET_MALLOC,
    SUBSET_N_ALLOCATORS
} subset_allocator_t;

/* As on the command line. */
extern const char *const subset_allocator_name[SUBSET_N_ALLOCATORS];

typedef struct {
    const device_t *device;
    pool_t *pool; /* threads that may help, or NULL */
    subset_allocator_t allocator;
} subset_context_t;

typedef struct {
    backend_t base; /* its rate: positions of patterns per second, roughly */

    status_t (*create)(const subset_context_t *context, void **state);

    /*
     * Find all states that bytes lead to.
     *
     * @param cancel  as in align_run_t
     * @param states  in: keys of the first ones, which differ; out: keys and rows, if
     *                they fit
     * @param fits    out: whether there are at most max_states
     * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST (logged); ST_ESTOPPED once
     *         cancelled
     */
    status_t (*find)(void *state, const subset_t *s, int64_t max_states,
                     const int *cancel, subset_states_t *states, bool *fits);

    /*
     * Find which states are equivalent; NULL: dfa_refine does.
     *
     * @param next      [n_states][n_classes]
     * @param block     [n_states] in: outputs; out: 0 .. n_blocks-1, equal where states
     * are equivalent
     * @param n_blocks  out
     */
    status_t (*refine)(void *state, const int32_t *next, int32_t n_states,
                       int32_t n_classes, const int *cancel, int32_t *block,
                       int32_t *n_blocks);

    void (*destroy)(void *state);
} subset_backend_t;

/* Of backends of CPUs: put the first states into a set, which is zeroed but for n_words.
 * @return ST_OK or ST_ENOMEM (logged) */
status_t subset_states_begin(const subset_states_t *states, word_set_t *set) MUST_CHECK;

/* Take all states, if they fit, and free the set.  @param next  their rows
 * @return st */
status_t subset_states_end(status_t st, bool fits, word_set_t *set, buf_t *next,
                           subset_states_t *out) MUST_CHECK;

extern const subset_backend_t subset_serial_backend;
extern const subset_backend_t subset_cpu_backend;
#ifdef RIBOGRID_HAVE_CUDA
extern const subset_backend_t subset_cuda_backend;
#endif
