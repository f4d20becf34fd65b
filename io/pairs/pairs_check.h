/*
 * pairs_check.h - the pairs of a result file are checked as they are read, so that what
 * uses them need not be: indices, order, numbers, CIGARs.
 *
 * The first pair that is impossible is logged in one line.  All return ST_OK or
 * ST_EINPUT.
 */
#pragma once

#include "io/base/status.h"
#include "io/pairs/pairs_file.h"

/*
 * Check a row of a dense file: pairs row, col0 .. col1-1, of which row < col.
 *
 * Every pair has 0 <= matches <= columns <= the bases of both sequences, and no more
 * matches than bases of the shorter one; columns = 0: it has no identity.
 *
 * @param score    [col1 - col0] a pair was computed if it has one; NULL: not read
 * @param matches  [col1 - col0] likewise columns; NULL: the file holds only scores
 */
status_t pairs_check_row(const pairs_file_t *file, int64_t row, int64_t col0,
                         int64_t col1, const int32_t *score, const int32_t *matches,
                         const int32_t *columns) MUST_CHECK;

/* Its two checks, of n pairs and without a message: that they have a score; and, for
 * sequences of these lengths, that pairs row, first .. first + n - 1 are possible.
 * @param is_mbl  matches are those of IDENTITY_MBL */
bool pairs_check_scores(const int32_t *score, int64_t n);
bool pairs_check_numbers(const int32_t *lengths, bool is_mbl, int64_t row, int64_t first,
                         int64_t n, const int32_t *matches, const int32_t *columns);

/*
 * Check hits of a sparse file: numbers as above, all with an identity, which reaches the
 * file's minimum; each in the range of its row, and columns ascending within a row.
 *
 * @param first   index of the first of them in the file
 * @param before  column of the hit before the first one, if that has the same row
 */
status_t pairs_check_hits(const pairs_file_t *file, int64_t first, int32_t before,
                          const pairs_hit_t *hits, int64_t n) MUST_CHECK;

/* Check that bytes begin .. begin + len - 1 of /cigar may be the CIGAR of a hit. */
status_t pairs_check_place(const pairs_file_t *file, const pairs_hit_t *hit,
                           int64_t begin, int64_t len) MUST_CHECK;

/*
 * Check that a text is a CIGAR that consumes all bases of a hit's sequences.
 *
 * @param runs    [len / 2] out; NULL: not wanted
 * @param n_runs  out
 */
status_t pairs_check_cigar(const pairs_file_t *file, const pairs_hit_t *hit,
                           const char *text, int64_t len, uint32_t *runs,
                           int64_t *n_runs) MUST_CHECK;
