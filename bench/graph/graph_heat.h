/*
 * graph_heat.h - the results of `ribogrid-bench graph` as a heat map, in SVG.
 */
#ifndef RIBOGRID_BENCH_GRAPH_GRAPH_HEAT_H
#define RIBOGRID_BENCH_GRAPH_GRAPH_HEAT_H

#include "bench/graph/graph_table.h"

#include <stdio.h>

/* Draw one row per setting and one column per algorithm: milliseconds, and the speed-up
 * over the baseline; the colour is the time relative to the fastest setting. */
void graph_heat_draw(FILE *to, const graph_table_t *t);

#endif
