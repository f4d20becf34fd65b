/*
 * graph_spec.c - the table of algorithms.
 */
#include "kernels/graph/common/graph_spec.h"

static const graph_info_t infos[GRAPH_N_ALGORITHMS] = {
    [GRAPH_BFS] = {.name = "bfs",
                   .summary = "breadth-first search: depths and parents of the nodes",
                   .has_sources = true,
                   .n_columns = 2,
                   .columns = {{"depth", GRAPH_INT32}, {"parent", GRAPH_NODE}}},
    [GRAPH_SSSP] = {.name = "sssp",
                    .summary = "lengths of the shortest paths from a source",
                    .uses_weights = true,
                    .has_sources = true,
                    .n_columns = 1,
                    .columns = {{"distance", GRAPH_INT64}}},
    [GRAPH_PAGERANK] = {.name = "pagerank",
                        .summary = "PageRank of the nodes",
                        .n_columns = 1,
                        .columns = {{"rank", GRAPH_REAL}}},
    [GRAPH_BETWEENNESS] = {.name = "betweenness",
                           .summary = "betweenness of the nodes, exact or from a sample "
                                      "of sources",
                           .has_sources = true,
                           .is_summed = true,
                           .n_columns = 1,
                           .columns = {{"centrality", GRAPH_REAL}}},
    [GRAPH_SPMV] = {.name = "spmv",
                    .summary = "product of the sparse matrix and a vector",
                    .uses_weights = true,
                    .n_columns = 1,
                    .columns = {{"y", GRAPH_REAL}}},
    [GRAPH_COMPONENTS] = {.name = "components",
                          .summary = "weakly connected components",
                          .n_columns = 1,
                          .columns = {{"component", GRAPH_NODE}}},
    [GRAPH_MST] = {.name = "mst",
                   .summary = "minimum spanning forest",
                   .is_undirected = true,
                   .uses_weights = true},
    [GRAPH_MIS] = {.name = "mis",
                   .summary = "maximal independent set, greedy by priority",
                   .is_undirected = true,
                   .n_columns = 1,
                   .columns = {{"in_set", GRAPH_FLAG}}},
    [GRAPH_COLORING] = {.name = "coloring",
                        .summary = "greedy coloring, largest degree first",
                        .is_undirected = true,
                        .n_columns = 1,
                        .columns = {{"color", GRAPH_INT32}}},
    [GRAPH_TRIANGLES] = {.name = "triangles",
                         .summary = "number of triangles that contain a node",
                         .is_undirected = true,
                         .n_columns = 1,
                         .columns = {{"triangles", GRAPH_INT64}}},
};

const graph_info_t *graph_info(graph_algorithm_t algorithm)
{
    return &infos[algorithm];
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
