/*
 * bench_main.c - the program `ribogrid-bench`.
 */
#include "bench/options/benchmarks.h"
#include "tools/options/program.h"

#include <stddef.h>

int main(int argc, char **argv)
{
    static const command_t *const benchmarks[] = {
        &cmd_bench_align,    &cmd_bench_graph,
        &cmd_bench_classify, &cmd_bench_automata,
        &cmd_bench_ihist,    &cmd_bench_mesh,
        &cmd_bench_sync,     &cmd_bench_dispatch,
        &cmd_bench_device,   NULL};
    const program_t program = {
        .name = "ribogrid-bench",
        .summary = "benchmarks of ribogrid's kernels, classification and scaling",
        .example = "ribogrid-bench dispatch --ranks 4096 --sweep --svg scaling.svg",
        .commands = benchmarks,
        .on_all_ranks = true,
    };

    return program_run(&program, argc, argv);
}
