/*
 * fuzz_graph_mtx.c - libFuzzer target: arbitrary bytes as a Matrix Market file.
 */
#include "tests/io/graphfile/read/fuzz_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return fuzz_graph(data, len, GRAPH_FORMAT_MATRIX_MARKET);
}
