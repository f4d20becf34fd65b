/*
 * swap_program.h - programs for less memory than all their tensors take.
 *
 * Program and limit in, program out: tensors leave the arena for the swap area, in the
 * host's memory, and come back by steps of their own (CNN_EVICT, CNN_FETCH), at addresses
 * that are planned ahead.  Every tensor that leaves has one copy in the swap area for the
 * whole run, so that one which was not written since its last leave leaves without a
 * copy.  Instead of coming back, outputs of cheap forward steps may be computed again,
 * and steps of large tensors may be divided, which then pass in slices.  The new program
 * computes the same values as the old one, byte for byte, with algorithms that do not
 * depend on the number of images (cuDNN's do); but where nothing else fits, the sums of
 * batch norms are divided, which changes their rounding.
 *
 * Parameters and states keep their numbers: such a tensor is where it lies between two
 * runs of the program, in the arena or in the swap area.
 */
#pragma once

#include "io/base/status.h"
#include "kernels/cnn/common/cnn_program.h"

#include <stdbool.h>

/* Rows of the table of policies, in the order of swap_policy_name. */
typedef enum {
    SWAP_PLAN,   /* next uses are known: what moves least leaves, and returns early */
    SWAP_DEMAND, /* the least recently used leaves, and returns when a step needs it */
    SWAP_N_POLICIES
} swap_policy_t;

extern const char *const swap_policy_name[SWAP_N_POLICIES];

/* Whether forward steps compute again what left, in the order of their words. */
typedef enum {
    SWAP_REMATERIALIZE_AUTO, /* where that takes less time than copies */
    SWAP_REMATERIALIZE_OFF
} swap_rematerialize_t;

enum { SWAP_KEEP_BYTES = 65536, SWAP_SLICE_BYTES = 16 << 20 };

typedef struct {
    swap_policy_t policy;
    size_t keep_bytes; /* tensors of fewer bytes stay; SWAP_KEEP_BYTES but for tests */
    swap_rematerialize_t rematerialize; /* of SWAP_PLAN */
    size_t slice_bytes; /* of SWAP_PLAN: of a slice of what passes through the arena while
                         * a step is divided; 0: SWAP_SLICE_BYTES; less is for tests */
} swap_opts_t;

/* What a program needs at least. */
typedef struct {
    size_t arena_bytes;
    size_t swap_bytes; /* when its arena is that small */
} swap_need_t;

/*
 * Find the smallest arena for which swap_program_make makes a program.
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t swap_program_need(const cnn_program_t *program, const swap_opts_t *opts,
                           swap_need_t *out) MUST_CHECK;

/*
 * Make a program whose arena has at most `arena_bytes`.
 *
 * @param program      as cnn_plan_compile made it; what is placed on the CPU stays there
 * @param arena_bytes  at least what swap_program_need found
 * @param out          for cnn_program_destroy; a copy where everything fits
 * @return ST_OK or ST_ENOMEM
 */
status_t swap_program_make(const cnn_program_t *program, const swap_opts_t *opts,
                           size_t arena_bytes, cnn_program_t **out) MUST_CHECK;

/* What a program moves whenever it runs. */
typedef struct {
    double in_bytes, out_bytes;
    int n_fetches, n_evicts;
    int n_repeats; /* steps that compute something again */
    double repeats_flops, repeats_bytes;
    int n_split_sums; /* steps of batch norm that are divided */
    bool has_parts; /* of convolutions, and fully connected layers: no sum is divided, but
                     * cuDNN and cuBLAS may choose other algorithms for a part */
} swap_traffic_t;

swap_traffic_t swap_program_traffic(const cnn_program_t *program);
