/*
 * scan_join.h - continues matches that begin in one piece in the pieces that follow.
 */
#pragma once

#include "kernels/automata/scan_backend.h"

typedef struct scan_join scan_join_t;

/* Begin before the first piece of a record.
 * @param nfa, pool  borrowed; threads that share the work, or NULL: the caller alone
 * @return ST_OK or ST_ENOMEM (logged) */
status_t scan_join_create(const nfa_t *nfa, pool_t *pool, scan_join_t **out) MUST_CHECK;

/*
 * Complete the hits of the next pieces, which have been scanned each by itself.
 *
 * @param pieces  [n] that follow each other, and those of the call before
 * @param found   [n] in: of each piece by itself; out: hits of the whole
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t scan_join_pieces(scan_join_t *j, const scan_piece_t *pieces, int64_t n,
                          scan_found_t *found) MUST_CHECK;

/* Takes NULL. */
void scan_join_destroy(scan_join_t *j);
