/*
 * fuzz_graph_newick.c - libFuzzer target: arbitrary bytes as a tree.
 */
#include "tests/io/graphfile/read/fuzz_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return fuzz_graph(data, len, GRAPH_FORMAT_NEWICK);
}
