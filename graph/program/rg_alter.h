/*
 * rg_alter.h - changes of the graph (rg_changes.h) with what a running program has of its
 * nodes and edges: attributes, collections and values.
 */
#pragma once

#include "graph/program/rg_state.h"

/*
 * Carry out a statement.
 *
 * @param a, b    nodes, where the statement has them
 * @param weight  finite
 * @param node    out: the new node; else not set
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t rg_alter(rg_state_t *s, rg_alter_t how, int64_t a, int64_t b, double weight,
                  int64_t *node) MUST_CHECK;

/* Make the changes that are left at the end of a program, and move the graph out if it is
 * another one now. @return ST_OK or ST_ENOMEM (logged) */
status_t rg_alter_finish(rg_state_t *s, rg_result_t *out) MUST_CHECK;
