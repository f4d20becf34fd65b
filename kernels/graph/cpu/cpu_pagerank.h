/*
 * cpu_pagerank.h - what passes over all nodes and over working sets share.
 */
#pragma once

#include "kernels/graph/common/pagerank_restart.h"
#include "kernels/graph/cpu/cpu_state.h"

enum { CPU_PAGERANK_GRAIN = 1024 /* nodes of a range: a power of two */ };

/*
 * Pass over working sets, until the ranks change by less than the tolerance or,
 * with GRAPH_RESTART_AUTO, sets have too many arcs.
 *
 * @param out           its ranks are those to begin with
 * @param n_set_passes  out: passes that were not over all nodes
 * @param change        out: of the last pass, INFINITY before the first
 * @return ST_OK, ST_ENOMEM (logged) or ST_ESTOPPED
 */
status_t cpu_pagerank_sets(cpu_t *c, graph_result_t *out, int64_t *n_set_passes,
                           double *change) MUST_CHECK;
