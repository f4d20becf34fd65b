/*
 * match_file.h - what `automata match` has found, as an HDF5 file (docs/file-format.md).
 */
#pragma once

#include "io/base/arrays.h"
#include "io/base/pool.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"

extern const result_kind_t match_file_kind;

/* A file in memory; what was read is freed by match_file_free. */
typedef struct {
    int64_t n_patterns, n_hits;
    char **pattern;  /* [n_patterns] */
    int64_t *record; /* [n_hits] from 0; NULL: the input is one record */
    int64_t *end;    /* [n_hits] bytes of the record before the end of the match */
    int32_t *hit;    /* [n_hits] pattern */
    char *job;       /* lines "name=value": all that the content depends on */
    run_info_t info;
} match_file_t;

/*
 * Write a file, which appears complete or not at all.
 *
 * @param force  replace an existing file
 * @param pool   threads that compress, or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t match_file_write(const char *path, bool force, const match_file_t *m,
                          pool_t *pool) MUST_CHECK;

/* Read and check a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t match_file_read(const char *path, match_file_t *out) MUST_CHECK;

/* Free what was read; takes a zeroed one, too. */
void match_file_free(match_file_t *m);
