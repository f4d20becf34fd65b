/*
 * cpu_rounds.h - greedy algorithms in rounds (Jones, Plassmann 1993; Blelloch, Fineman,
 * Shun 2012): a node is decided when enough of its neighbors that come before it are.
 *
 * Nodes are tried in the order of a list, and their decisions are seen at once, so that a
 * long chain needs few rounds if the list is in order of priority.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_CPU_CPU_ROUNDS_H
#define RIBOGRID_KERNELS_GRAPH_CPU_CPU_ROUNDS_H

#include "kernels/graph/cpu/cpu_state.h"

/* Decide a node. @return false: it has to wait for others */
typedef bool (*cpu_decide_fn_t)(void *ctx, int32_t node, int thread);

/*
 * Decide all nodes of a list.
 *
 * @param nodes    [n_nodes]; is overwritten
 * @param waiting  [n_nodes] memory
 * @return the number of rounds, or -1 without memory (logged)
 */
int64_t cpu_rounds(cpu_t *c, int32_t *nodes, int32_t *waiting, cpu_decide_fn_t decide,
                   void *ctx);

#endif
