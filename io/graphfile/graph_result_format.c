/*
 * graph_result_format.c - the tables of the result file of `graph`.
 */
#include "io/graphfile/graph_result_format.h"

enum { NODES = GRAPH_RESULT_NODES, SOURCES, EDGES, SAMPLES };

const char *const graph_result_type_name[] = {"int32", "int64", "real", "node", "flag"};

result_type_t graph_result_type(graph_type_t type)
{
    switch (type) {
    case GRAPH_INT32:
        return RESULT_INT32;
    case GRAPH_REAL:
        return RESULT_FLOAT64;
    case GRAPH_FLAG:
        return RESULT_UINT8;
    default:
        return RESULT_INT64;
    }
}

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [NODES] = {"n", "a node", "nodes", 0},
    [SOURCES] = {"s", "a source", "sources", 0},
    [EDGES] = {"k", "an edge", "edges", 0},
    [SAMPLES] = {"m", "a sample", "samples", 0},
};

#define AT(member) offsetof(graph_result_info_t, member)

const result_field_t graph_result_fields[] = {
    {.name = "@program",
     .type = RESULT_TEXT,
     .at = AT(program),
     .meaning = "the program that wrote the file"},
    {.name = "@algorithm",
     .type = RESULT_TEXT,
     .at = AT(algorithm),
     .meaning = "such as `bfs`; of `graph run` the program"},
    {.name = "@job",
     .type = RESULT_TEXT,
     .at = AT(job),
     .meaning = "everything that the results depend on, as lines `name=value`"},
    {.name = "/nodes@columns",
     .type = RESULT_TEXT,
     .at = AT(columns),
     .meaning = "the columns, one line per column: its name and its type, `int32`, "
                "`int64`, `real` (float64), `node` (int64) or `flag` (uint8)"},
    {.name = "/nodes@n_rows",
     .type = RESULT_INT,
     .at = AT(n_rows),
     .meaning = "rows of each column: 1, or s"},
    {.name = "/nodes/id",
     .type = RESULT_INT64,
     .at = AT(id),
     .shape = {NODES},
     .check = {RESULT_ASCENDS, 0, 0, 0},
     .meaning = "original ids"},
    {.name = "/nodes/name",
     .type = RESULT_TEXTS,
     .at = AT(name),
     .shape = {NODES},
     .is_optional = true,
     .meaning = "only if the input has names"},
    {.name = "/sources/id",
     .type = RESULT_INT64,
     .at = AT(source),
     .shape = {SOURCES},
     .is_optional = true,
     .meaning = "only if the algorithm starts from sources: original ids"},
    {.name = "/samples/name",
     .type = RESULT_TEXTS,
     .at = AT(sample),
     .shape = {SAMPLES},
     .is_optional = true,
     .meaning = "only of `tree-descendants` with `--leaf-weights`"},
    {.name = NULL},
};

#undef AT
#define AT(member) offsetof(graph_result_edges_t, member)

const result_field_t graph_result_edge_fields[] = {
    {.name = "/edges@weight_type",
     .type = RESULT_TEXT,
     .at = AT(weight_type),
     .is_optional = true,
     .meaning = "`int32`, `real` or `none`"},
    {.name = "/edges/source",
     .type = RESULT_INT64,
     .at = AT(source),
     .shape = {EDGES},
     .is_optional = true,
     .meaning = "only of `mst`: original ids"},
    {.name = "/edges/target",
     .type = RESULT_INT64,
     .at = AT(target),
     .shape = {EDGES},
     .is_optional = true,
     .meaning = "likewise"},
    {.name = "/edges/weight",
     .type = RESULT_INT32,
     .at = AT(weight),
     .shape = {EDGES},
     .is_optional = true,
     .meaning = "only if the graph has integer weights"},
    {.name = "/edges/weight",
     .type = RESULT_FLOAT64,
     .at = AT(value),
     .shape = {EDGES},
     .is_optional = true,
     .meaning = "only if the graph has real weights"},
    {.name = NULL},
};

#undef AT
#define AT(member) offsetof(graph_result_run_t, member)

const result_field_t graph_result_run_fields[] = {
    {.name = "/run@iterations",
     .type = RESULT_INT,
     .at = AT(iterations),
     .meaning = "of all tasks"},
    {.name = "/run@arcs_visited",
     .type = RESULT_INT,
     .at = AT(arcs_visited),
     .meaning = "by all tasks"},
    {.name = "/run@edges_per_second",
     .type = RESULT_REAL,
     .at = AT(edges_per_second),
     .unit = "1/s",
     .meaning = "arcs visited per second of kernels"},
    {.name = "/run@exchange_bytes",
     .type = RESULT_INT,
     .at = AT(exchange_bytes),
     .unit = "bytes",
     .meaning = "what all ranks have sent, of a graph that is divided among them"},
    {.name = "/run@verified",
     .type = RESULT_INT,
     .at = AT(verified),
     .meaning = "1: the result was checked against its definition"},
    {.name = "/run@choices",
     .type = RESULT_TEXT,
     .at = AT(choices),
     .is_optional = true,
     .meaning = "what options such as `--template` choose, as lines `name=value`"},
    {.name = "/run@decisions",
     .type = RESULT_TEXT,
     .at = AT(decisions),
     .is_optional = true,
     .meaning = "one line per choice of a kernel"},
    {.name = NULL},
};

const result_kind_t graph_result_kind = {
    .title = "Results of graph algorithms",
    .maker = "ribogrid graph",
    .format = "ribogrid-graph-result",
    .major = 1,
    .minor = 1,
    .what = "a result of `graph`",
    .dims = dims,
    .tables = {graph_result_fields, graph_result_edge_fields, graph_result_run_fields},
    .more =
        "Each column of `columns` is a dataset `/nodes/COLUMN`, n or s x n: one value "
        "per "
        "node, or one row per source. Nodes are given by their original ids, -1: none. "
        "[graph.md](graph.md#algorithms) says which columns an algorithm has, those of "
        "[graph run](graph-programs.md) are the program's, without `seconds_copy`, but "
        "with `seconds_compile`. With `/samples/name`, `/samples/count` (int64, m x n) "
        "has "
        "the sum of the counts of the leaves below a node, one row per sample; minor "
        "version 1 added both. `/run` "
        "has the seconds `seconds_read` (reading and building the graph), `seconds_copy` "
        "(to the device; the longest of all ranks), `seconds_kernels` (of all tasks, "
        "kernels alone) and `seconds_exchange` (of a graph that is divided among ranks: "
        "the longest of all ranks, with waiting for others).",
};
