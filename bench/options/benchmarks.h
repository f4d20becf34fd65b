/*
 * benchmarks.h - the benchmarks, one file each: commands of `ribogrid-bench`.
 */
#ifndef RIBOGRID_BENCH_OPTIONS_BENCHMARKS_H
#define RIBOGRID_BENCH_OPTIONS_BENCHMARKS_H

#include "tools/options/options.h"

extern const command_t cmd_bench_align;
extern const command_t cmd_bench_classify;
extern const command_t cmd_bench_dispatch;
extern const command_t cmd_bench_graph;

#endif
