/*
 * fuzz_graph_edges.c - libFuzzer target: arbitrary bytes as an edge list, separated by
 * blanks, commas or tabs.
 */
#include "tests/io/graphfile/read/fuzz_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    for (int format = GRAPH_FORMAT_EDGES; format <= GRAPH_FORMAT_TSV; format++)
        fuzz_graph(data, len, (graph_format_t)format);
    return 0;
}
