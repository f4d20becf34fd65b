/*
 * scan_nfa.h - goes on with what has begun in an earlier piece.
 */
#pragma once

#include "kernels/automata/scan_backend.h"

/*
 * Scan a piece for matches that began before it, only.
 *
 * @param state   of scan_nfa_backend
 * @param before  [n_before] positions that are live where the piece begins, ascending
 * @param hits    scan_hit_t are appended, in any order
 * @param live    int32_t are appended, likewise
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t scan_carry(void *state, const scan_piece_t *piece, int thread,
                    const int32_t *before, int64_t n_before, buf_t *hits,
                    buf_t *live) MUST_CHECK;
