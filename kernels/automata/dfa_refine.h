/*
 * dfa_refine.h - which states of an automaton are equivalent.
 */
#pragma once

#include "kernels/automata/dfa_build.h"

/*
 * Divide states into blocks of equivalent ones.
 *
 * @param cancel    as in align_run_t
 * @param block     [n_states] out: 0 .. n_blocks-1, in any order
 * @param n_blocks  out
 * @return ST_OK, ST_ENOMEM (logged) or, cancelled, ST_ESTOPPED
 */
status_t dfa_refine(const dfa_t *d, const int *cancel, int32_t *block,
                    int32_t *n_blocks) MUST_CHECK;
