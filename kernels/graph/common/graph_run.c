/*
 * graph_run.c - names of templates, updates and variants.
 */
#include "kernels/graph/common/graph_run.h"

const char *const graph_template_name[GRAPH_N_TEMPLATES] = {
    [GRAPH_TEMPLATE_AUTO] = "auto",      [GRAPH_THREAD_MAPPED] = "thread-mapped",
    [GRAPH_WARP_MAPPED] = "warp-mapped", [GRAPH_BLOCK_MAPPED] = "block-mapped",
    [GRAPH_DUAL_QUEUE] = "dual-queue",   [GRAPH_DBUF_GLOBAL] = "dbuf-global",
    [GRAPH_DBUF_SHARED] = "dbuf-shared", [GRAPH_MERGE_PATH] = "merge-path",
};

const char *const graph_update_name[] = {"atomic", "racy"};

const char *const graph_variant_name[GRAPH_N_VARIANTS] = {
    [GRAPH_VARIANT_AUTO] = "auto", [GRAPH_O_T_BM] = "O_T_BM", [GRAPH_O_T_QU] = "O_T_QU",
    [GRAPH_O_B_BM] = "O_B_BM",     [GRAPH_O_B_QU] = "O_B_QU", [GRAPH_U_T_BM] = "U_T_BM",
    [GRAPH_U_T_QU] = "U_T_QU",     [GRAPH_U_B_BM] = "U_B_BM", [GRAPH_U_B_QU] = "U_B_QU",
};
