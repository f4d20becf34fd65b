/*
 * cmd_graph.c - `ribogrid graph`: an algorithm on a graph, into one HDF5 file.
 */
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
    {OPTION_CHOICE, "format", 0, JOB(read.format),
     "auto|edges|csv|tsv|mtx|gr|metis|csr|pairs",
     "format of GRAPH (auto: by its content and name)"},
    {OPTION_FRACTION, "id", 0, JOB(read.id), "FRACTION",
     "PAIRS.h5: edges are pairs with at least this identity (all pairs)"},
    {OPTION_FLAG, "directed", 0, JOB(read.is_directed), NULL,
     "edge lists: edges are directed, in spite of a comment 'Undirected'"},
    {OPTION_FLAG, "names", 0, JOB(read.has_names), NULL,
     "edge lists: nodes have names, also where these look like numbers"},
    {OPTION_FLAG, "symmetrize", 0, JOB(symmetrize), NULL,
     "add the reverse of every edge of a directed graph"},
    {OPTION_FLAG, "dedupe", 0, JOB(dedupe), NULL,
     "of edges between the same nodes keep the one with the smallest weight"},
    {OPTION_FLAG, "drop-loops", 0, JOB(drop_loops), NULL,
     "drop edges from a node to itself"},
    {OPTION_TEXT, "weights", 0, JOB(weights_text), "file|unit|uniform:LOW-HIGH[:SEED]",
     "sssp, spmv, mst: weights of the file (file, the default), all 1, or random ones"},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "What to compute"},
    {OPTION_TEXT, "source", 0, JOB(source_text), "NODE|random|max-degree",
     "where to start, by name or id (bfs, sssp: max-degree; betweenness: all nodes)"},
    {OPTION_INT, "sources", 0, JOB(n_sources), "N",
     "start from N nodes: random ones, or those of the highest degrees", 1, INT32_MAX},
    {.kind = OPTION_TABLE, JOB(seed), .table = option_seed},
    {OPTION_FRACTION, "damping", 0, JOB(damping), "FRACTION",
     "pagerank: probability to follow an arc ({})"},
    {OPTION_TEXT, "tolerance", 0, JOB(tolerance_text), "X",
     "pagerank: stop when the changes of all ranks add up to less (1e-6)"},
    {OPTION_INT, "max-iterations", 0, JOB(max_iterations), "N",
     "pagerank: stop after N iterations ({})", 1, INT32_MAX},
    {OPTION_CHOICE, "dangling", 0, JOB(dangling), "spread|leak",
     "pagerank: the rank of nodes without arcs goes to all nodes (spread), or is lost"},
    {OPTION_CHOICE, "order", 0, JOB(order), "id|degree|abundance",
     "mis: prefer small ids (id), small degrees, or abundant sequences of PAIRS.h5"},
    {OPTION_CHOICE, "vector", 0, JOB(vector), "ones|random",
     "spmv: the vector, all 1 (ones) or random from 0 to 1"},

    {.kind = OPTION_GROUP, .name = "How a kernel computes it (GPU; changes no result)"},
    {OPTION_CHOICE, "template", 0, JOB(loop_template),
     "auto|thread-mapped|warp-mapped|block-mapped|dual-queue|dbuf-global|dbuf-shared|"
     "merge-path",
     "which threads take which nodes"},
    {OPTION_INT, "lb-threshold", 0, JOB(lb_threshold), "N",
     "dual-queue, dbuf-global, dbuf-shared: larger degrees are large (32)", 1, INT32_MAX},
    {OPTION_CHOICE, "variant", 0, JOB(variant),
     "auto|O_T_BM|O_T_QU|O_B_BM|O_B_QU|U_T_BM|U_T_QU|U_B_BM|U_B_QU",
     "bfs, sssp: ordered or unordered, thread or block per node, bitmap or queue"},
    {OPTION_CHOICE, "adaptive", 0, JOB(adaptive), "on|off",
     "bfs, sssp: change the variant in flight ({}); off needs --variant or --template"},
    {OPTION_CHOICE, "update", 0, JOB(update), "atomic|racy",
     "bfs, sssp: write distances atomically (atomic), or racing, and repair them"},
    {OPTION_TEXT, "split", 0, JOB(split_text), "none|[virtual:]auto|[virtual:]MDA",
     "bfs, sssp: split nodes above degree MDA (auto: from a histogram) into copies, or "
     "virtual ones"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {OPTION_OUTPUT, "output", 'o', JOB(common.output), "OUT.h5", "the result file",
     .files = option_job_files},
    {OPTION_OUTPUT, "newick", 0, JOB(newick), "FILE",
     "mst: also write the dendrogram of single linkage"},
    {OPTION_FLAG, "verify", 0, JOB(verify), NULL,
     "check the result against its definition before it is written"},

    {.kind = OPTION_GROUP, .name = "Device"},
    {.kind = OPTION_TABLE, .table = option_device},
    {OPTION_CHOICE, "partition", 0, JOB(partition), "auto|on|off",
     "pagerank, components, bfs: divide the graph among the ranks (auto: if a rank's "
     "device does not hold it)"},
    {OPTION_SIZE, "device-memory", 0, JOB(device_bytes), "SIZE",
     "memory for the graph, beyond which it is divided (90 % of the GPU's; CPU: the "
     "rank's part of the host's)"},

    {.kind = OPTION_GROUP, .name = "Run"},
    {.kind = OPTION_TABLE, .table = option_run_tasks},
    {.kind = OPTION_END}};

static status_t find_algorithm(const char *name, graph_algorithm_t *out)
{
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++)
        if (strcmp(name, graph_info((graph_algorithm_t)a)->name) == 0) {
            *out = (graph_algorithm_t)a;
            return ST_OK;
        }
    return options_misuse(&cmd_graph, "unknown algorithm '%s'", name);
}

static status_t take(job_opts_t *opts)
{
    args_t *a = (args_t *)opts;

    return find_algorithm(a->algorithm, &a->job.algorithm);
}

static const job_command_t job = {.ops = &job_graph_ops, .take = take};

static void defaults(void *args)
{
    ((args_t *)args)->job = graph_opts_defaults();
}

static void print_algorithms(FILE *to)
{
    fprintf(to, "\nAlgorithms:\n");
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        const graph_info_t *info = graph_info((graph_algorithm_t)a);

        fprintf(to, "  %-12s %s\n", info->name, info->summary);
    }
}

const command_t cmd_graph = {
    .name = "graph",
    .summary = "search, rank, span or color a graph: pairs above an identity, or a file",
    .words = words,
    .usage = "-o OUT.h5 [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "GRAPH: PAIRS.h5 of `align` (sequences that are similar), Matrix Market, edge\n"
        "lists as of SNAP, CSV or TSV, DIMACS .gr or METIS, also compressed, or a graph\n"
        "in HDF5.\n"
        "`ribogrid graph make --help`: generated graphs.\n" JOB_NOTES(
            "OUT.h5.part") "With mpirun or srun --mpi=pmix, start one rank per GPU or "
                           "per node.\n",
    .example = "ribogrid graph mst pairs.h5 --newick tree.nwk -o mst.h5 && "
               "ribogrid view mst.h5",
    .print_more = print_algorithms,
    .defaults = defaults,
    .job = &job,
};
