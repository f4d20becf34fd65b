/*
 * pairs_parts.h - the parts of a result file that files of matrices and of hits share, as
 * they are written.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_PARTS_H
#define RIBOGRID_IO_PAIRS_PAIRS_PARTS_H

#include "io/pairs/pairs_file.h"
#include "io/store/h5util.h"

/* Log that a file cannot be made, and what to do. @return ST_EIO */
status_t pairs_parts_fail(const char *path, const char *verb);

/* Write the root attributes that every file has. @return whether it went well */
bool pairs_parts_root(hid_t file, const pairs_head_t *head);

/* Write /run, with what became of the pairs unless counts is NULL. */
bool pairs_parts_run(hid_t file, const pairs_head_t *head, const pairs_counts_t *counts);

/* Write names and lengths of sequences first .. first+n-1 as a group. */
bool pairs_parts_names(hid_t file, const char *group, const seqset_t *set, int64_t first,
                       int64_t n);

/* Write the letters of the first n, and abundances, members and samples, to
 * /sequences, /members and /samples. */
bool pairs_parts_sequences(hid_t file, const pairs_head_t *head, const seqset_t *set,
                           int64_t n);

/* Have the disk keep a finished file. @return ST_OK or ST_EIO */
status_t pairs_parts_sync(const char *path) MUST_CHECK;

#endif
