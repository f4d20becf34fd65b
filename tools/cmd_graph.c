/*
 * cmd_graph.c - `ribogrid graph`: an algorithm on a graph, into one HDF5 file.
 */
#include "io/base/near_word.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/graph/graph_opts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    graph_opts_t job;
    const char *algorithm;
} args_t;

#define JOB(member) OPTION_AT(args_t, job.member)

static const option_t words[] = {{OPTION_TEXT, "ALGORITHM", 0,
                                  OPTION_AT(args_t, algorithm)},
                                 {OPTION_INPUT, "GRAPH", 0, JOB(input)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {.kind = OPTION_TABLE, OPTION_AT(args_t, job), .table = option_graph_input},
    {.word = WORD_WEIGHTS,
     JOB(weights_text),
     .help = ", with sssp, spmv and mst: those of the file (file, the default), all 1, "
             "or random ones"},

    {.kind = OPTION_GROUP, .name = "What to compute"},
    {.word = WORD_SOURCE,
     JOB(source_text),
     .help = " (bfs, sssp: max-degree; betweenness: all nodes)"},
    {.word = WORD_SOURCES,
     JOB(n_sources),
     .help = ": random ones, or those of the highest degrees"},
    {.kind = OPTION_TABLE, JOB(seed), .table = option_seed},
    {OPTION_FRACTION, "damping", 0, JOB(damping), "FRACTION",
     "pagerank: probability to follow an arc ({})"},
    {OPTION_TEXT, "tolerance", 0, JOB(tolerance_text), "X",
     "pagerank: stop when the changes of all ranks add up to less (1e-6)"},
    {.word = WORD_MAX_ITERATIONS, JOB(max_iterations), .help = " of pagerank ({})"},
    {OPTION_CHOICE, "dangling", 0, JOB(dangling), "spread|leak",
     "pagerank: the rank of nodes without arcs goes to all nodes (spread), or is lost"},
    {.word = WORD_ORDER,
     JOB(order),
     .value = "id|degree|abundance",
     .help =
         ", with mis: small ids (id), small degrees, or abundant sequences of PAIRS.h5"},
    {OPTION_CHOICE, "vector", 0, JOB(vector), "ones|random",
     "spmv: the vector, all 1 (ones) or random from 0 to 1"},

    {OPTION_INPUT, "leaf-weights", 0, JOB(leaf_weights), "TABLE.tsv",
     "tree-descendants: add up the counts of leaves, such as reads per sample, in every "
     "clade"},
    {OPTION_INPUT, "from", 0, JOB(from), "OLD.h5",
     "pagerank, components: begin with the result on the graph before `graph update`"},
    {OPTION_CHOICE, "restart", 0, JOB(restart), "auto|cold|warm|set",
     "pagerank --from: begin with equal ranks (cold), or with those of OLD.h5 and all "
     "nodes (warm) or those near changes (set)"},

    {.kind = OPTION_GROUP, .name = "How a kernel computes it (GPU; changes no result)"},
    {OPTION_CHOICE, "template", 0, JOB(loop_template),
     "auto|thread-mapped|warp-mapped|block-mapped|dual-queue|dbuf-global|dbuf-shared|"
     "merge-path|dpar-naive|dpar-opt|flat|rec-naive|rec-hier|recursive",
     "which threads take which nodes; kernels that launch others for large nodes (dpar) "
     "or, in bfs, for nodes whose depth falls (recursive); trees: each adds to its "
     "ancestors (flat), or recursion by such kernels"},
    {OPTION_INT, "lb-threshold", 0, JOB(lb_threshold), "N",
     "dual-queue, dbuf-global, dbuf-shared, dpar: larger degrees are large (32)", 1,
     INT32_MAX},
    {OPTION_CHOICE, "consolidate", 0, JOB(consolidate), "none|warp|block|grid",
     "dpar-naive, rec-naive, recursive: launch one kernel for all nodes that get one of "
     "a warp, a "
     "block or the grid"},
    {OPTION_INT, "buffer", 0, JOB(buffer), "N",
     "with --consolidate warp|block: nodes of a launch, at most (all)", 1, 256},
    {.word = WORD_ALLOCATOR,
     JOB(allocator),
     .value = "fixed|pool|malloc",
     .help = " what these launches read: in a fixed place for each, in a pool, or by "
             "malloc on the device ({})"},
    {.word = WORD_POOL_SIZE,
     JOB(pool_bytes),
     .help = " all buffers of --allocator pool or malloc ({})"},
    {OPTION_TEXT, "child", 0, JOB(child_text), "KC_1|KC_16|KC_32|1-1|BxT",
     "with --consolidate: blocks of the kernel: a part of what the GPU holds "
     "(KC_32: warp, KC_16: block, KC_1: grid), one per node, or B of T threads"},
    {.word = WORD_VARIANT,
     JOB(variant),
     .value = "auto|O_T_BM|O_T_QU|O_B_BM|O_B_QU|U_T_BM|U_T_QU|U_B_BM|U_B_QU",
     .help = " (bfs, sssp): ordered or unordered, thread or block per node, bitmap or "
             "queue"},
    {OPTION_CHOICE, "adaptive", 0, JOB(adaptive), "on|off",
     "bfs, sssp: change the variant in flight ({}); off needs --variant or --template"},
    {OPTION_CHOICE, "update", 0, JOB(update), "atomic|racy",
     "bfs, sssp: write distances atomically (atomic), or racing, and repair them"},
    {.word = WORD_SPLIT,
     JOB(split_text),
     .value = "none|[virtual:]auto|[virtual:]MDA",
     .help = " nodes above degree MDA (auto: from a histogram) into copies, or virtual "
             "ones; with dpar, launch kernels for them instead (bfs, sssp)"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .value = "OUT.h5",
     .files = option_job_files,
     .help = ": what was computed"},
    {.word = WORD_NEWICK,
     JOB(newick),
     .help = ": the dendrogram of single linkage (mst)"},
    {OPTION_FLAG, "verify", 0, JOB(verify), NULL,
     "check the result against its definition before it is written"},

    {.kind = OPTION_TABLE, .table = option_any_device},
    {OPTION_CHOICE, "partition", 0, JOB(partition), "auto|on|off",
     "pagerank, components, bfs: divide the graph among the ranks (auto: if a rank's "
     "device does not hold it)"},
    {.word = WORD_DEVICE_MEMORY,
     JOB(device_bytes),
     .help = " for the graph, beyond which it is divided (90 % of the GPU's; CPU: the "
             "rank's part of the host's)"},

    {.kind = OPTION_TABLE, .table = option_run_tasks},
    {.kind = OPTION_END}};

static status_t find_algorithm(const char *name, graph_algorithm_t *out)
{
    near_word_t near = near_word_begin(name, strlen(name));
    char guess[NEAR_WORD_BYTES];

    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        const char *candidate = graph_info((graph_algorithm_t)a)->name;

        if (strcmp(name, candidate) == 0) {
            *out = (graph_algorithm_t)a;
            return ST_OK;
        }
        near_word_try(&near, candidate);
    }
    return options_misuse(&cmd_graph, "unknown algorithm '%s'%s", name,
                          near_word_text(&near, "", guess));
}

static status_t take(job_opts_t *opts)
{
    args_t *a = (args_t *)opts;

    return find_algorithm(a->algorithm, &a->job.algorithm);
}

static const option_rename_t renamed[] = {{"format", NULL, "input-format"}, {NULL}};

static const job_command_t job = {.ops = &job_graph_ops,
                                  .takes_remote = true,
                                  .take = take};

static void defaults(void *args)
{
    ((args_t *)args)->job = graph_opts_defaults();
}

static void print_algorithms(FILE *to)
{
    fprintf(to, "\nAlgorithms:\n");
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        const graph_info_t *info = graph_info((graph_algorithm_t)a);

        fprintf(to, "  %-16s %s\n", info->name, info->summary);
    }
}

const command_t cmd_graph = {
    .name = "graph",
    .summary = "search, rank, span or color a graph: pairs above an identity, or a file",
    .words = words,
    .usage = "-o OUT.h5 [options]",
    .options = options,
    .renamed = renamed,
    .args_bytes = sizeof(args_t),
    .notes =
        "GRAPH: PAIRS.h5 of `align` (sequences that are similar), Matrix Market, edge\n"
        "lists as of SNAP, CSV or TSV, DIMACS .gr, METIS, a tree in Newick's format, "
        "also\n"
        "compressed, or a graph in HDF5.\n"
        "`ribogrid graph make --help`: generated graphs.\n" JOB_NOTES(
            "OUT.h5.part") "With mpirun or srun --mpi=pmix, start one rank per GPU or "
                           "per node.\n",
    .example = "ribogrid graph mst pairs.h5 --newick tree.nwk -o mst.h5 && "
               "ribogrid view mst.h5",
    .print_more = print_algorithms,
    .defaults = defaults,
    .job = &job,
};
