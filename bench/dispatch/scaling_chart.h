/*
 * scaling_chart.h - draws the results of `ribogrid-bench dispatch`.
 */
#ifndef RIBOGRID_BENCH_DISPATCH_SCALING_CHART_H
#define RIBOGRID_BENCH_DISPATCH_SCALING_CHART_H

#include "bench/dispatch/scaling_table.h"

#include <stdio.h>

/*
 * Draw utilization and rank 0's load against the number of ranks, as SVG.
 *
 * @param rows  [n], n > 0, by increasing number of ranks
 */
void scaling_chart_draw(FILE *to, const scaling_row_t *rows, int n);

#endif
