/*
 * cmd_bench.c - `ribogrid bench`: finds the benchmark and runs it.
 */
#include "io/base/logmsg.h"
#include "tools/options/commands.h"

#include <stdio.h>
#include <string.h>

/* Commands named "bench X", where X is the word that the user types. */
const command_t *const benchmarks[] = {&cmd_bench_align, &cmd_bench_graph,
                                       &cmd_bench_classify, &cmd_bench_dispatch, NULL};

static const char *word_of(const command_t *benchmark)
{
    return benchmark->name + strlen("bench ");
}

static void print_help(void)
{
    printf("ribogrid %s: %s\n\nusage: ribogrid %s %s\n\n", cmd_bench.name,
           cmd_bench.summary, cmd_bench.name, cmd_bench.usage);
    for (int i = 0; benchmarks[i] != NULL; i++)
        printf("  %-10s %s\n", word_of(benchmarks[i]), benchmarks[i]->summary);
    printf("\n`ribogrid bench BENCHMARK --help` prints its options.\n\nexample:\n  %s\n",
           cmd_bench.example);
}

static int run(int argc, char **argv)
{
    const char *word = argc > 0 ? argv[0] : "";

    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_help();
        return EXIT_OK;
    }
    for (int i = 0; benchmarks[i] != NULL; i++)
        if (strcmp(word, word_of(benchmarks[i])) == 0)
            return benchmarks[i]->run(argc - 1, argv + 1);
    if (argc == 0)
        return status_exit_code(options_misuse(&cmd_bench, "give %s", cmd_bench.usage));
    return status_exit_code(options_misuse(&cmd_bench, "unknown benchmark '%s'", word));
}

static const option_t options[] = {{OPTION_END, NULL, 0, 0, NULL, NULL, 0, 0}};

const command_t cmd_bench = {
    .name = "bench",
    .summary = "measure the kernels of this machine, or simulate a large cluster",
    .usage = "BENCHMARK [options]",
    .options = options,
    .notes = NULL,
    .example = "ribogrid bench dispatch --ranks 4096 --sweep --svg scaling.svg",
    .n_words_min = 1,
    .n_words_max = 1,
    .on_all_ranks = true,
    .run = run,
};
