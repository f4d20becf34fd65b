/*
 * automata_file.h - patterns and their automata as an HDF5 file (docs/file-format.md).
 */
#pragma once

#include "io/automata/dfa_set.h"
#include "io/base/pool.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"

extern const result_kind_t automata_file_kind;

typedef struct {
    nfa_t nfa;
    dfa_set_t dfas;
    char *job; /* everything they depend on; of a file, else NULL: not one of the arrays
                */
} automata_t;

extern const arrays_t automata_arrays;

/* Takes a zeroed one, too. */
void automata_free(automata_t *a);

/*
 * Write a file, which appears complete or not at all.
 *
 * @param force  replace an existing file
 * @param pool   threads that compress, or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t automata_file_write(const char *path, bool force, const automata_t *a,
                             const run_info_t *run, pool_t *pool) MUST_CHECK;

/*
 * Read and check a file.
 *
 * @param out  freed by automata_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t automata_file_read(const char *path, automata_t *out) MUST_CHECK;
