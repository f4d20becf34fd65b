/*
 * device_limit.h - networks in the memory that a device may give them.
 *
 * Before anything is allocated it is known what programs and kernels take, and what
 * cannot fit is refused.
 */
#pragma once

#include "cnn/memory/swap_program.h"
#include "kernels/cnn/common/cnn_backend.h"

#include <stdint.h>

/* As on the command line. */
typedef struct {
    int64_t bytes; /* of the device; 0: what is free */
    swap_policy_t policy;
    swap_rematerialize_t rematerialize;
} device_limit_t;

enum { DEVICE_LIMIT_TEXT_BYTES = 32 };

/* What surrounds the programs. */
typedef struct {
    const device_t *device; /* NULL: a GPU, of any size */
    const char *kernel;     /* a backend's name, or NULL */
    int n_threads;          /* of the pool that computes on a CPU */
    int64_t free_bytes;     /* of a GPU's memory, where no limit is given; 0: unknown */
    int64_t host_bytes; /* of the host's memory, for the swap area; a CPU's: for all */
    bool is_whole;      /* nothing may leave: ranks train together without a
                         * limit */
} device_place_t;

/*
 * Replace programs that are in memory together by such that fit.
 *
 * Without a limit they stay where all is free that they take; on a GPU that has less,
 * what is free is the limit, but for a reserve for libraries.  Of two programs the first
 * gets what the second, a network's test, leaves: that takes a quarter, or what it needs
 * if that is more.
 *
 * @param programs      [n] n is 1 or 2; out: the new ones
 * @param memory_bytes  out: the limit that they were made for, and within which kernels
 *                      are created; 0: none
 * @return ST_OK, ST_ENOMEM or ST_EUSAGE (logged: the smallest limit that works, and the
 *         host's memory for it)
 */
status_t device_limit_apply(const device_limit_t *limit, const device_place_t *place,
                            cnn_program_t **programs, int n,
                            size_t *memory_bytes) MUST_CHECK;

/* Find whether a program alone fits within a limit; without one it does.
 * @return ST_OK or ST_ENOMEM, or what the choice of a backend says (logged) */
status_t device_limit_fits(const device_limit_t *limit, const device_place_t *place,
                           cnn_program_t *program, bool *fits) MUST_CHECK;

/* @return bytes as a limit on the command line, rounded up: "613M", "7200K" */
const char *device_limit_text(size_t bytes, char text[DEVICE_LIMIT_TEXT_BYTES]);
