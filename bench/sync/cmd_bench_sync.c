/*
 * cmd_bench_sync.c - `ribogrid-bench sync`: times the barriers of all blocks of a kernel
 * on a GPU, beside other ways to have one kernel follow another, and programs with them.
 */
#include "bench/options/benchmarks.h"
#include "bench/sync/sync_programs.h"
#include "bench/sync/sync_table.h"
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "kernels/registry/backends.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct {
    job_opts_t common;
    const char *blocks, *block_threads, *sizes, *svg;
    int barrier, program; /* 0: all, or none; else one more than the kind, the program */
    int64_t n_rounds;
    bool tsv;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

#define BARRIER_BLOCKS "1,2,8,16,32,64,132,264,528"

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "What to measure"},
    {OPTION_CHOICE, "barrier", 0, AT(barrier), /* in the order of sync_kind_t */
     "all|lock|acquire|lock-free|cluster-first|cluster|cooperative|launch|dependent|"
     "graph|"
     "while-node|tail",
     "only this one ({})"},
    {OPTION_TEXT, "blocks", 0, AT(blocks), "N,...",
     "blocks of the grid (" BARRIER_BLOCKS "; of programs as many as have work)"},
    {OPTION_TEXT, "block-threads", 0, AT(block_threads), "N,...",
     "threads of a block ({})"},
    {OPTION_INT, "rounds", 0, AT(n_rounds), "N", "barriers of a run ({})", 1000,
     10000000},
    {.kind = OPTION_GROUP, .name = "Programs, in place of barriers alone"},
    {OPTION_CHOICE, "program", 0, AT(program), "none|" SYNC_PROGRAM_NAMES "|all",
     "run this one, or all ({})"},
    {OPTION_TEXT, "sizes", 0, AT(sizes), "N,...",
     "binary logarithms of their sizes (as fits each)"},
    {.kind = OPTION_GROUP, .name = "Device"},
    {.word = WORD_DEVICE, AT(common.device)},
    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_TSV, AT(tsv), .help = ", one per number"},
    {.word = WORD_SVG, AT(svg), .help = " the times over the blocks"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_END}};

enum { LAUNCHES_MAX = 5000, BLOCKS_MAX = 65536, THREADS_MAX = 1024, STEP = 32 };

typedef struct {
    device_t device;
    bench_list_t blocks, threads;
    int only; /* a sync_kind_t, or -1 */
    sync_table_t table;
} bench_t;

/* @return the largest cluster that divides a grid; 1: the kind has none */
static int cluster_of(sync_kind_t kind, int n_blocks)
{
    int size = kind == SYNC_CLUSTER ? SYNC_CLUSTER_MAX : SYNC_CLUSTER_MAX / 2;

    if (kind == SYNC_CLUSTER)
        return n_blocks;
    if (kind != SYNC_CLUSTER_FIRST)
        return 1;
    while (n_blocks % size != 0)
        size /= 2;
    return size;
}

static bool is_possible(sync_kind_t kind, int n_blocks)
{
    if (kind == SYNC_CLUSTER)
        return n_blocks <= SYNC_CLUSTER_MAX;
    return kind != SYNC_CLUSTER_FIRST || cluster_of(kind, n_blocks) > 1;
}

static status_t measure(bench_t *b, const args_t *a, sync_kind_t kind, int n_blocks,
                        int n_threads)
{
    const bool is_barrier = kind < SYNC_BARRIERS;
    sync_setup_t setup = {kind,
                          n_blocks,
                          n_threads,
                          cluster_of(kind, n_blocks),
                          is_barrier || a->n_rounds < LAUNCHES_MAX ? a->n_rounds
                                                                   : LAUNCHES_MAX,
                          false};
    int64_t n_stale = 0;
    double s, checked_s;
    status_t st = sync_measure_on_gpu(&b->device, &setup, &s, &n_stale);

    if (st == ST_OK && is_barrier) {
        setup.checks = true;
        st = sync_measure_on_gpu(&b->device, &setup, &checked_s, &n_stale);
    }
    if (st != ST_OK)
        return st;
    b->table.rows[b->table.n++] =
        (sync_row_t){kind, n_blocks, n_threads, setup.cluster, s, 0};
    if (n_stale == 0)
        return ST_OK;
    log_error("%s: %" PRId64 " reads behind a barrier were not what had been written",
              sync_kind_name[kind], n_stale);
    return ST_EINPUT;
}

static status_t measure_all(bench_t *b, const args_t *a)
{
    status_t st = ST_OK;

    for (int t = 0; t < b->threads.n; t++)
        for (int kind = 0; kind < SYNC_KINDS; kind++)
            for (int n = 0; st == ST_OK && n < b->blocks.n; n++)
                if ((b->only < 0 || b->only == kind) &&
                    is_possible((sync_kind_t)kind, (int)b->blocks.at[n]))
                    st = measure(b, a, (sync_kind_t)kind, (int)b->blocks.at[n],
                                 (int)b->threads.at[t]);
    sync_table_fit(&b->table);
    return st;
}

/* Measure, print, and draw to a file if there is one. */
static status_t run_barriers(bench_t *b, const args_t *a, FILE *svg)
{
    status_t st;

    b->table.device = b->device.name;
    b->table.n_cores = b->device.n_cores;
    if ((st = measure_all(b, a)) != ST_OK)
        return st;
    if (a->tsv)
        sync_table_tsv(&b->table);
    else
        sync_table_print(&b->table);
    if (svg != NULL)
        sync_table_draw(svg, &b->table);
    return ST_OK;
}

static status_t parse_list(const bench_numbers_t *allowed, const char *text,
                           bench_list_t *out)
{
    return bench_list_parse(allowed, text, out)
               ? ST_OK
               : options_misuse(&cmd_bench_sync,
                                "--%s %s: give at most %d numbers, from %.0f to %.0f, "
                                "separated by commas",
                                allowed->name, text, BENCH_LIST_MAX, allowed->min,
                                allowed->max);
}

static status_t run(void *args)
{
    const args_t *a = args;
    static bench_t b;
    const sync_programs_opts_t programs = {a->program - 1, a->sizes,
                                           a->blocks != NULL ? &b.blocks : NULL,
                                           a->barrier - 1, a->tsv};
    whole_file_t *to = NULL;
    status_t st;

    b.only = a->barrier - 1;
    if (a->program == 0 && a->sizes != NULL)
        return options_misuse(&cmd_bench_sync, "--sizes: give --program, too");
    if (a->program != 0 && (IS_GIVEN(a, block_threads) || IS_GIVEN(a, n_rounds)))
        return options_misuse(&cmd_bench_sync,
                              "--block-threads, --rounds: give no --program, which "
                              "has its own");
    if ((a->program != 0 &&
         (st = sync_programs_check(&cmd_bench_sync, &programs)) != ST_OK) ||
        (st = parse_list(&(bench_numbers_t){"blocks", 1, BLOCKS_MAX, false, false},
                         a->blocks != NULL ? a->blocks : BARRIER_BLOCKS, &b.blocks)) !=
            ST_OK ||
        (st = parse_list(&(bench_numbers_t){"block-threads", STEP, THREADS_MAX, false,
                                            false},
                         a->block_threads, &b.threads)) != ST_OK ||
        (st = one_device_find(&cmd_bench_sync, a->common.device, &b.device)) != ST_OK)
        return st;
    for (int k = 0; k < b.threads.n; k++)
        if ((int)b.threads.at[k] % STEP != 0)
            return options_misuse(&cmd_bench_sync,
                                  "--block-threads: give multiples of %d", STEP);
    if (!device_is_gpu(&b.device) || sync_measure_on_gpu == NULL)
        return options_misuse(&cmd_bench_sync, "no GPU: %s", device_cuda_absence());
    if (a->svg != NULL &&
        (st = whole_file_open(a->svg, WHOLE_FILE_TEXT, a->common.force, &to)) != ST_OK)
        return st;
    FILE *svg = to != NULL ? whole_file_stream(to) : NULL;

    st = a->program != 0 ? sync_programs_run(&b.device, &programs, svg)
                         : run_barriers(&b, a, svg);
    return to != NULL ? whole_file_close(to, st) : st;
}

static void defaults(void *args)
{
    *(args_t *)args = (args_t){.common = job_opts_defaults(),
                               .block_threads = "256",
                               .n_rounds = 20000};
}

const command_t cmd_bench_sync = {
    .name = "sync",
    .summary = "time barriers of all blocks of a kernel on a GPU",
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "Barriers run in one kernel. In the place of one, `launch` is a kernel per "
        "round\n"
        "in one stream, `dependent` the same by programmatic dependent launch, `graph` "
        "a\n"
        "node of a CUDA graph, `while-node` the body of such a node, and `tail` a "
        "kernel\n"
        "that the one in front launches. A grid whose blocks do not fit on the GPU at\n"
        "the same time is refused. Each barrier runs once more with a write before and\n"
        "a read behind it: one that is stale ends the benchmark with exit code 1.\n"
        "\n"
        "`model` is fixed + check (if there are several blocks) + far (if more than 8) "
        "+\n"
        "atomic per block + crowd per further block of a multiprocessor, fitted to the\n"
        "numbers of blocks.\n"
        "\n"
        "Programs: `fft` of complex numbers, in two or three rounds, next to cuFFT, and\n"
        "`fft-radix-2` with a round per factor; `bitonic` sort of 32-bit keys, next to\n"
        "CUB, and `bitonic-strides` with a round per stride; Smith-Waterman with the\n"
        "matrix stored by rows (`sw-naive`), antidiagonals (`sw-simple`), antidiagonals\n"
        "of whole lines (`sw-coalesced`), or by rows with a warp per tile (`sw-tiled`).\n"
        "Each runs with every barrier, and with a launch, a dependent launch and a node\n"
        "of a graph per round. The share of synchronisation is what the same kernel\n"
        "takes less without barriers. With --blocks they run on grids of these sizes,\n"
        "and --svg draws the times over them. Results are compared with the CPU's; a\n"
        "difference ends the benchmark with exit code 1.\n",
    .example = "ribogrid-bench sync --block-threads 32,256 --svg sync.svg",
    .defaults = defaults,
    .run = run,
};
