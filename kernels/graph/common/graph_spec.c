/*
 * graph_spec.c - the table of algorithms, and names of choices.
 */
#include "kernels/graph/common/graph_spec.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define PATHS(TYPE, VALUES)                                                              \
    {                                                                                    \
        .name = "sssp", .summary = "lengths of the shortest paths from a source",        \
        .uses_weights = true, .adds_lengths = true, .has_sources = true, .n_columns = 1, \
        .columns = {                                                                     \
            {"distance", TYPE, VALUES}                                                   \
        }                                                                                \
    }

static const graph_info_t infos[GRAPH_N_ALGORITHMS] = {
    [GRAPH_BFS] = {.name = "bfs",
                   .summary = "breadth-first search: depths and parents of the nodes",
                   .has_sources = true,
                   .is_leveled = true,
                   .divided = {.node_bytes = 32, .reads_arcs_in = true},
                   .n_columns = 2,
                   .columns = {{"depth", GRAPH_INT32, GRAPH_VALUES_REACHED},
                               {"parent", GRAPH_NODE, GRAPH_VALUES_REACHED}}},
    [GRAPH_SSSP] = PATHS(GRAPH_INT64, GRAPH_VALUES_DISTANCE),
    [GRAPH_PAGERANK] = {.name = "pagerank",
                        .summary = "PageRank of the nodes",
                        .options = GRAPH_OPTIONS_ITERATIONS | GRAPH_OPTIONS_FROM,
                        .divided = {.node_bytes = 56,
                                    .reads_arcs_in = true,
                                    .counts_arcs_out = true},
                        .n_columns = 1,
                        .columns = {{"rank", GRAPH_REAL, GRAPH_VALUES_PART_OF_1}}},
    [GRAPH_BETWEENNESS] = {.name = "betweenness",
                           .summary = "betweenness of the nodes, exact or from a sample "
                                      "of sources",
                           .has_sources = true,
                           .is_summed = true,
                           .n_columns = 1,
                           .columns = {{"centrality", GRAPH_REAL, GRAPH_VALUES_PAIRS}}},
    [GRAPH_SPMV] = {.name = "spmv",
                    .summary = "product of the sparse matrix and a vector",
                    .uses_weights = true,
                    .options = GRAPH_OPTIONS_VECTOR,
                    .n_columns = 1,
                    .columns = {{"y", GRAPH_REAL, GRAPH_VALUES_ANY}}},
    [GRAPH_COMPONENTS] = {.name = "components",
                          .summary = "weakly connected components",
                          .options = GRAPH_OPTIONS_FROM,
                          .divided = {.node_bytes = 8},
                          .n_columns = 1,
                          .columns = {{"component", GRAPH_NODE, GRAPH_VALUES_NODE}}},
    [GRAPH_MST] = {.name = "mst",
                   .summary = "minimum spanning forest",
                   .is_undirected = true,
                   .uses_weights = true,
                   .gives_arcs = true,
                   .options = GRAPH_OPTIONS_TREE},
    [GRAPH_MIS] = {.name = "mis",
                   .summary = "maximal independent set, greedy by priority",
                   .is_undirected = true,
                   .options = GRAPH_OPTIONS_ORDER,
                   .n_columns = 1,
                   .columns = {{"in_set", GRAPH_FLAG, GRAPH_VALUES_FLAG}}},
    [GRAPH_COLORING] = {.name = "coloring",
                        .summary = "greedy coloring, largest degree first",
                        .is_undirected = true,
                        .n_columns = 1,
                        .columns = {{"color", GRAPH_INT32, GRAPH_VALUES_NODE}}},
    [GRAPH_TRIANGLES] = {.name = "triangles",
                         .summary = "number of triangles that contain a node",
                         .is_undirected = true,
                         .n_columns = 1,
                         .columns = {{"triangles", GRAPH_INT64, GRAPH_VALUES_PAIRS}}},
    [GRAPH_DESCENDANTS] = {.name = "tree-descendants",
                           .summary = "descendants and leaves below the nodes of a tree",
                           .is_forest = true,
                           .options = GRAPH_OPTIONS_LEAVES,
                           .n_columns = 2,
                           .columns = {{"descendants", GRAPH_INT32, GRAPH_VALUES_NODE},
                                       {"leaves", GRAPH_INT32, GRAPH_VALUES_COUNT}}},
    [GRAPH_HEIGHTS] = {.name = "tree-heights",
                       .summary = "heights of the nodes of a tree above their leaves",
                       .is_forest = true,
                       .n_columns = 1,
                       .columns = {{"height", GRAPH_INT32, GRAPH_VALUES_NODE}}},
};

const graph_info_t *graph_info(graph_algorithm_t algorithm)
{
    return &infos[algorithm];
}

static const graph_info_t real_paths = PATHS(GRAPH_REAL, GRAPH_VALUES_LENGTH);

const graph_info_t *graph_info_on(graph_algorithm_t algorithm, const csr_t *g)
{
    return algorithm == GRAPH_SSSP && g->value != NULL ? &real_paths : &infos[algorithm];
}

int graph_type_bytes(graph_type_t type)
{
    static const int bytes[GRAPH_N_TYPES] = {[GRAPH_INT32] = 4,
                                             [GRAPH_INT64] = 8,
                                             [GRAPH_REAL] = 8,
                                             [GRAPH_NODE] = 4,
                                             [GRAPH_FLAG] = 1};

    return bytes[type];
}

bool graph_values_have(graph_values_t values, int64_t n_nodes, double value)
{
    const double n = (double)n_nodes;

    switch (values) {
    case GRAPH_VALUES_FLAG:
        return value >= 0 && value <= 1;
    case GRAPH_VALUES_NODE:
        return value >= 0 && value <= n - 1;
    case GRAPH_VALUES_COUNT:
        return value >= 0 && value <= n;
    case GRAPH_VALUES_REACHED:
        return value >= -1 && value <= n - 1;
    case GRAPH_VALUES_DISTANCE:
        return value >= -1 && value <= (n - 1) * INT32_MAX;
    case GRAPH_VALUES_LENGTH:
        return value == -1 || (value >= 0 && value <= DBL_MAX);
    case GRAPH_VALUES_PAIRS:
        return value >= 0 && value <= n * n;
    case GRAPH_VALUES_PART_OF_1:
        return value >= 0 && value <= 1 + 1e-6;
    case GRAPH_VALUES_ANY:
        return true;
    }
    return false;
}

const char *graph_names(bool (*has)(graph_algorithm_t algorithm, const void *arg),
                        const void *arg, char out[GRAPH_NAMES_BYTES])
{
    out[0] = '\0';
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        const size_t len = strlen(out);

        if (has((graph_algorithm_t)a, arg))
            snprintf(out + len, GRAPH_NAMES_BYTES - len, "%s%s", len > 0 ? ", " : "",
                     infos[a].name);
    }
    return out;
}

const char *const graph_template_name[GRAPH_N_TEMPLATES] = {
    [GRAPH_TEMPLATE_AUTO] = "auto",
    [GRAPH_THREAD_MAPPED] = "thread-mapped",
    [GRAPH_WARP_MAPPED] = "warp-mapped",
    [GRAPH_BLOCK_MAPPED] = "block-mapped",
    [GRAPH_DUAL_QUEUE] = "dual-queue",
    [GRAPH_DBUF_GLOBAL] = "dbuf-global",
    [GRAPH_DBUF_SHARED] = "dbuf-shared",
    [GRAPH_MERGE_PATH] = "merge-path",
    [GRAPH_DPAR_NAIVE] = "dpar-naive",
    [GRAPH_DPAR_OPT] = "dpar-opt",
    [GRAPH_FLAT] = "flat",
    [GRAPH_REC_NAIVE] = "rec-naive",
    [GRAPH_REC_HIER] = "rec-hier",
    [GRAPH_RECURSIVE] = "recursive",
};

unsigned graph_template_choice(graph_template_t t)
{
    if (t == GRAPH_RECURSIVE)
        return GRAPH_CHOICE_RECURSIVE;
    if (t >= GRAPH_FLAT)
        return GRAPH_CHOICE_RECURSION;
    return t >= GRAPH_DPAR_NAIVE ? GRAPH_CHOICE_LAUNCHES : GRAPH_CHOICE_TEMPLATE;
}

const char *const graph_consolidate_name[4] = {"none", "warp", "block", "grid"};

const char *const graph_allocator_name[3] = {"fixed", "pool", "malloc"};

const char *const graph_update_name[] = {"atomic", "racy"};

const char *const graph_variant_name[GRAPH_N_VARIANTS] = {
    [GRAPH_VARIANT_AUTO] = "auto", [GRAPH_O_T_BM] = "O_T_BM", [GRAPH_O_T_QU] = "O_T_QU",
    [GRAPH_O_B_BM] = "O_B_BM",     [GRAPH_O_B_QU] = "O_B_QU", [GRAPH_U_T_BM] = "U_T_BM",
    [GRAPH_U_T_QU] = "U_T_QU",     [GRAPH_U_B_BM] = "U_B_BM", [GRAPH_U_B_QU] = "U_B_QU",
};

const char *const graph_restart_name[] = {"auto", "cold", "warm", "set"};
