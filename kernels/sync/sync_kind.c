/*
 * sync_kind.c - the names of barriers.
 */
#include "kernels/sync/sync_kind.h"

const char *const sync_kind_name[SYNC_KINDS] = {
    "lock",   "acquire",   "lock-free", "cluster-first", "cluster", "cooperative",
    "launch", "dependent", "graph",     "while-node",    "tail"};
