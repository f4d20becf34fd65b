/*
 * scan_join.h - continues matches that begin in one piece in the pieces that follow.
 */
#pragma once

#include "kernels/automata/scan_backend.h"

/*
 * Complete the hits of pieces that have been scanned each by itself.
 *
 * @param pieces  [n] that follow each other, of one record
 * @param pool    threads that share the work; NULL: the caller alone
 * @param found   [n] in: of each piece by itself; out: hits of the whole
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t scan_join(const nfa_t *nfa, const scan_piece_t *pieces, int64_t n, pool_t *pool,
                   scan_found_t *found) MUST_CHECK;
