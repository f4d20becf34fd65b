/*
 * pairs_tiles.h - the pairs of a result file as records of the log of a larger job, which
 * has the file's sequences before its own.
 */
#pragma once

#include "io/pairs/pairs_file.h"

#include "io/base/buf.h"

/*
 * Append the records of tiles first, first + 1, ..., as a run would make them, but that
 * those of hits do not count what filters dropped, and the others count no pair without
 * an identity (pairs_record_count does).  Nothing is checked that it finds.
 *
 * @param grid  of the job: its first rows are the file's, and so are the columns of a
 *              rectangle
 * @param end   tiles first .. end-1 are of one row, with pairs of the file alone
 * @param out   of each record its bytes (int64_t), and these; there is at least one, and
 *              fewer than wanted if they are large
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (the file is damaged; logged)
 */
status_t pairs_tiles_read(const pairs_file_t *file, const tile_grid_t *grid,
                          int64_t first, int64_t end, buf_t *out) MUST_CHECK;

/* The same of a file's own grid of matrices, with scores, matches and columns alone. */
status_t pairs_tiles_read_numbers(const pairs_file_t *file, int64_t first, int64_t end,
                                  buf_t *out) MUST_CHECK;

/* What these are checked by, where the file is not open; borrowed. */
typedef struct {
    const char *path;       /* for messages */
    const int32_t *lengths; /* [n] bases */
    bool is_mbl;            /* matches are those of IDENTITY_MBL */
} pairs_tiles_check_t;

/*
 * Unpack and check the next tile of what pairs_tiles_read_numbers made.
 *
 * @param at       in: where it begins, 0 at first; out: where the next one does
 * @param matches  [3 x side x side] out: its matches, columns behind them, both row by
 *                 row, and scratch
 * @return ST_OK or ST_EINPUT (logged)
 */
status_t pairs_tiles_next_numbers(const pairs_tiles_check_t *check, const buf_t *tiles,
                                  int64_t side, const tile_t *tile, size_t *at,
                                  int32_t *matches) MUST_CHECK;
