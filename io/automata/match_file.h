/*
 * match_file.h - what `automata match` has found, as an HDF5 file (docs/file-format.md).
 */
#pragma once

#include "io/base/arrays.h"
#include "io/base/pool.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"

extern const result_kind_t match_file_kind;

/* A file, or some of its matches. */
typedef struct {
    int64_t n_patterns, n_hits;
    char **pattern;  /* [n_patterns] */
    int64_t *record; /* [n_hits] from 0; NULL: the input is one record */
    int64_t *end;    /* [n_hits] bytes of the record before the end of the match */
    int32_t *hit;    /* [n_hits] pattern */
    char *job;       /* lines "name=value": all that the content depends on */
    run_info_t info;
} match_file_t;

/* A file in the making: matches are written as they come, and not kept. */
typedef struct match_writer match_writer_t;

/*
 * Begin a file, which appears complete or not at all.
 *
 * @param force        replace an existing file
 * @param head         patterns, job and info; its matches do not count
 * @param has_records  the input is several
 * @param pool         threads that compress, borrowed until the end, or NULL
 * @return ST_OK, or ST_ENOMEM, ST_EIO or ST_EINPUT (logged), after which nothing has to
 *         be closed
 */
status_t match_writer_open(const char *path, bool force, const match_file_t *head,
                           bool has_records, pool_t *pool,
                           match_writer_t **out) MUST_CHECK;

/* Append the matches of `m`. @return ST_OK or ST_EIO (logged) */
status_t match_writer_add(match_writer_t *w, const match_file_t *m) MUST_CHECK;

/*
 * Close the file, and give it its name if all went well; remove it otherwise.
 *
 * @param w   NULL: it could not be opened
 * @param st  what came of writing, which has been logged
 * @return st, or what closing came to
 */
status_t match_writer_close(match_writer_t *w, status_t st) MUST_CHECK;

/* A file that is read: a block of matches after the other. */
typedef struct match_reader match_reader_t;

/*
 * Open a file, and read all but its matches.
 *
 * @param head  out: n_hits is their number; the reader's
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t match_reader_open(const char *path, match_reader_t **out,
                           const match_file_t **head) MUST_CHECK;

/*
 * Read and check the next matches.
 *
 * @param block  out: n_hits is 0 at the end; valid until the next call
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t match_reader_next(match_reader_t *r, const match_file_t **block) MUST_CHECK;

/* Takes NULL. */
void match_reader_close(match_reader_t *r);
