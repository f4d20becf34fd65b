/*
 * dpc_live.h - the variables of a kernel: which a name means, which are needed behind a
 * wait, and which arguments are the same for all threads.
 */
#pragma once

#include "tools/dpc/dpc_model.h"

/* @return the variable or parameter that a token names, a node; -1: none */
int dpc_variable_at(const dpc_model_t *m, const dpc_function_t *f, size_t token);

/* @return whether code from one offset to another names a variable, or a macro does */
bool dpc_is_used(const dpc_model_t *m, const dpc_function_t *f, int node, size_t begin,
                 size_t end);

/* @return whether a variable may change after its declaration */
bool dpc_is_written(const dpc_model_t *m, const dpc_function_t *f, int node);

/* What becomes of something that is declared before a wait and used behind it. */
typedef enum {
    DPC_SAVED,
    DPC_KEPT,    /* shared memory: the contents are saved for each block */
    DPC_REPEATED /* declared again: constants, types, unused shared memory */
} dpc_fate_t;

typedef struct {
    int node;
    dpc_fate_t fate;
} dpc_live_t;

enum { DPC_LIVE_MAX = 96 };

/*
 * List what level `level` of a wait needs of its block.
 *
 * @param out  [DPC_LIVE_MAX]
 * @return how many; -1: something cannot be saved (logged), which dpc_check_live finds
 */
int dpc_live_at(const dpc_model_t *m, const dpc_kernel_t *k, const dpc_wait_t *w,
                int level, dpc_live_t *out);

/* Check that all that is needed behind waits can be saved, and mark shared memory whose
 * contents are. @return ST_OK or ST_EINPUT
 * (logged) */
status_t dpc_check_live(dpc_model_t *m) MUST_CHECK;

/* @return whether a kernel has such memory */
bool dpc_keeps_shared(const dpc_model_t *m, const dpc_kernel_t *k);

/* Find which parameters and sizes of consolidated children are the same for all items,
 * and which children need whole blocks (dpc_class.c). @return ST_OK or ST_EINPUT (logged)
 */
status_t dpc_classify(dpc_model_t *m) MUST_CHECK;
