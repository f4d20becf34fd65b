/*
 * dfa_refine.h - which states of an automaton are equivalent.
 */
#pragma once

#include "kernels/automata/dfa_build.h"

/*
 * Divide states into blocks of equivalent ones.
 *
 * @param block     [n_states] out: 0 .. n_blocks-1, in any order
 * @param n_blocks  out
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t dfa_refine(const dfa_t *d, int32_t *block, int32_t *n_blocks) MUST_CHECK;
