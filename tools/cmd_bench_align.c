/*
 * cmd_bench_align.c - `ribogrid bench align`: how fast pairs are aligned, beside others.
 */
#include "io/base/logmsg.h"
#include "tools/bench/bench_kernels.h"
#include "tools/bench/bench_peers.h"
#include "tools/bench/bench_print.h"
#include "tools/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIST_MAX = 16,
    PAIRS_MAX = 1 << 28,
    BATCHES_MAX = 1 << 20,
    PAIRS_OF_A_THREAD = 512, /* --pairs, where it is not given */
    PAIRS_OF_A_GPU = 65536,
    LENGTH_MAX = 100000
};

typedef struct {
    const char *kernel, *device, *input;
    const char *length, *identity, *gap, *pairs, *batches;
    int64_t match, mismatch, buffers, peer_pairs, runs, threads, codes;
    int emit, ends, band, peers;
    int pinned, init; /* -1: not given */
    bool json, tsv;
} args_t;

typedef struct {
    double at[LIST_MAX];
    int n;
} list_t;

typedef struct {
    args_t a;
    list_t lengths, identities, gaps, pairs, batches;
    device_t devices[DEVICES_MAX + 1];
    bench_kernels_opts_t kernels;
    bench_print_t print;
} bench_t;

#define AT(member) offsetof(args_t, member)

static const option_t options[] = {
    {OPTION_TEXT, "kernel", 'k', AT(kernel), "auto|all|NAME",
     "one that `ribogrid devices` lists, or baseline (auto)", 0, 0},
    {OPTION_TEXT, "device", 0, AT(device), "auto|cpu|cuda[:I]",
     "where; auto: GPU 0 if there is one, with --kernel all the CPU too", 0, 0},
    {OPTION_CHOICE, "emit", 0, AT(emit), "score|identity|both|cigar",
     "outputs; both: score and identity (both)", 0, 0},
    {OPTION_CHOICE, "ends", 0, AT(ends), "free|count|both", "kinds of ends (both)", 0, 0},
    {OPTION_TEXT, "length", 0, AT(length), "N,...", "letters (1500)", 0, 0},
    {OPTION_TEXT, "identity", 0, AT(identity), "PART,...",
     "of any two sequences, 0.6 to 1 (0.80)", 0, 0},
    {OPTION_INT, "match", 0, AT(match), "N", "score of a match (4)", 0, 10000},
    {OPTION_INT, "mismatch", 0, AT(mismatch), "N", "score of a mismatch (-5)", -10000,
     10000},
    {OPTION_TEXT, "gap", 0, AT(gap), "N,...", "score of a gap's letter (-7)", 0, 0},
    {OPTION_CHOICE, "band", 0, AT(band), "off|auto",
     "leave cells out that are proved not to matter (off)", 0, 0},
    {OPTION_INT, "codes", 0, AT(codes), "PERCENT",
     "sequences that hold 1 to 8 IUPAC codes (0)", 0, 100},
    {OPTION_TEXT, "input", 0, AT(input), "READS.fa",
     "pairs of real sequences instead of simulated ones", 0, 0},
    {OPTION_TEXT, "pairs", 0, AT(pairs), "N,...",
     "at most (512 a thread, 65536 for a GPU)", 0, 0},
    {OPTION_TEXT, "batches", 0, AT(batches), "N,...", "that the pairs are cut into (1)",
     0, 0},
    {OPTION_INT, "buffers", 0, AT(buffers), "N", "batches under way on a GPU (2)", 1, 2},
    {OPTION_CHOICE, "pinned", 0, AT(pinned), "on|off",
     "batches travel to a GPU and back in pinned memory (on)", 0, 0},
    {OPTION_CHOICE, "init", 0, AT(init), "host|device",
     "who writes the borders of --kernel baseline (host)", 0, 0},
    {OPTION_INT, "runs", 0, AT(runs), "N", "after one to warm up (5)", 1, BENCH_RUNS_MAX},
    {OPTION_INT, "threads", 0, AT(threads), "N", "of the CPU's kernels (1)", 1, 4096},
    {OPTION_CHOICE, "peers", 0, AT(peers), "on|off",
     "measure parasail, edlib and WFA2 too (on)", 0, 0},
    {OPTION_INT, "peer-pairs", 0, AT(peer_pairs), "N",
     "of the pairs, at equal steps, for the peers (128)", 1, 1000000},
    {OPTION_FLAG, "tsv", 0, AT(tsv), NULL, "a line a row, tabs between", 0, 0},
    {OPTION_FLAG, "json", 0, AT(json), NULL, "for machines", 0, 0},
    {OPTION_END, NULL, 0, 0, NULL, NULL, 0, 0}};

/* Numbers with commas between, each within least..most; whole ones unless parts. */
static status_t parse_list(const char *name, const char *text, double least, double most,
                           bool parts, list_t *out)
{
    const char *rest = text;
    char *end;

    for (out->n = 0; out->n < LIST_MAX; rest = end + 1) {
        double value = strtod(rest, &end);

        if (end == rest || strspn(rest, "-.0123456789") < (size_t)(end - rest) ||
            !(value >= least && value <= most) ||
            (!parts && value != (double)(long)value))
            break;
        out->at[out->n++] = value;
        if (*end == '\0')
            return ST_OK;
        if (*end != ',')
            break;
    }
    return options_misuse(&cmd_bench_align,
                          "--%s %s: give at most %d numbers from %g to %.9g, with commas",
                          name, text, LIST_MAX, least, most);
}

/* Whether --kernel and --device are words, and go together. */
static status_t check_names(const args_t *a, bool for_gpu, bool for_cpu)
{
    bool is_cpu = strcmp(a->device, "cpu") == 0, is_auto = strcmp(a->device, "auto") == 0;
    bool is_name = strcmp(a->kernel, "all") != 0 && strcmp(a->kernel, "auto") != 0;
    int index = 0;
    char after;

    if (is_name && !for_gpu && !for_cpu)
        return options_misuse(&cmd_bench_align,
                              "--kernel %s: this build has no such kernel", a->kernel);
    if (!is_auto && !is_cpu && strcmp(a->device, "cuda") != 0 &&
        (sscanf(a->device, "cuda:%d%c", &index, &after) != 1 || index < 0))
        return options_misuse(&cmd_bench_align,
                              "--device %s: give auto, cpu, cuda or cuda:I", a->device);
    if (is_name && !is_auto && !(is_cpu ? for_cpu : for_gpu))
        return options_misuse(&cmd_bench_align, "--kernel %s does not run on --device %s",
                              a->kernel, a->device);
    return ST_OK;
}

/* Where the kernels run: GPUs first. */
static status_t choose_devices(bench_t *b)
{
    device_t gpus[DEVICES_MAX];
    const char *device = b->a.device;
    bool is_auto = strcmp(device, "auto") == 0;
    bool for_gpu = bench_kernels_backend(&b->kernels, DEVICE_CUDA) != NULL;
    bool for_cpu = bench_kernels_backend(&b->kernels, DEVICE_CPU) != NULL;
    int n_gpus = 0, n = 0, index = 0;
    status_t st = check_names(&b->a, for_gpu, for_cpu);

    if (st != ST_OK)
        return st;
    if (is_auto && for_gpu != for_cpu) /* a kernel of one kind of device */
        device = for_cpu ? "cpu" : "cuda";
    if (sscanf(device, "cuda:%d", &index) != 1)
        index = 0;
    if (strcmp(device, "cpu") != 0)
        n_gpus = device_list_cuda(gpus);
    if (index < n_gpus)
        b->devices[n++] = gpus[index];
    else if (strncmp(device, "cuda", 4) == 0) {
        log_error("--device %s: there is none: %s", device,
                  n_gpus > 0 ? "fewer GPUs are here" : device_cuda_absence());
        return ST_EDEVICE;
    }
    if (n == 0 || (strcmp(b->a.kernel, "all") == 0 && is_auto))
        b->devices[n++] = device_cpu();
    b->kernels.devices = b->devices;
    b->kernels.n_devices = n;
    return ST_OK;
}

/* Options of GPUs and of the baseline, where there is neither. */
static status_t check_transfer(const bench_t *b)
{
    const args_t *a = &b->a;
    bool is_baseline = strcmp(a->kernel, "baseline") == 0;
    bool has_gpu = b->devices[0].kind == DEVICE_CUDA;

    if (a->init >= 0 && !is_baseline)
        return options_misuse(&cmd_bench_align, "--init goes with --kernel baseline");
    if (a->pinned >= 0 && !has_gpu)
        return options_misuse(&cmd_bench_align,
                              "--pinned: nothing travels without a GPU in --device");
    if (a->buffers > 0 && !has_gpu)
        return options_misuse(&cmd_bench_align,
                              "--buffers: nothing travels without a GPU in --device");
    if (is_baseline && a->buffers > 0)
        return options_misuse(
            &cmd_bench_align,
            "--buffers: --kernel baseline has one pair under way, and no batch");
    return ST_OK;
}

static status_t parse(int argc, char **argv, bench_t *b)
{
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    args_t *a = &b->a;
    status_t st = options_parse(&cmd_bench_align, argc, argv, a, words);

    if (st != ST_OK ||
        (st = parse_list("length", a->length, 1, LENGTH_MAX, false, &b->lengths)) !=
            ST_OK ||
        (st = parse_list("identity", a->identity, 0.6, 1, true, &b->identities)) !=
            ST_OK ||
        (st = parse_list("gap", a->gap, -10000, -1, false, &b->gaps)) != ST_OK ||
        (st = parse_list("batches", a->batches, 1, BATCHES_MAX, false, &b->batches)) !=
            ST_OK ||
        (a->pairs != NULL &&
         (st = parse_list("pairs", a->pairs, 1, PAIRS_MAX, false, &b->pairs)) != ST_OK))
        return st;
    if (a->match <= a->mismatch)
        return options_misuse(&cmd_bench_align, "--match must be more than --mismatch");
    if (a->json && a->tsv)
        return options_misuse(&cmd_bench_align, "give --json or --tsv, not both");
    if (a->input != NULL)
        b->lengths.n = b->identities.n = 1;
    b->kernels.kernel = a->kernel;
    b->kernels.init_on_device = a->init == 1;
    if ((st = choose_devices(b)) != ST_OK || (st = check_transfer(b)) != ST_OK)
        return st;
    if (a->pairs == NULL) {
        b->pairs.n = 1;
        b->pairs.at[0] = b->devices[0].kind == DEVICE_CUDA
                             ? PAIRS_OF_A_GPU
                             : (double)(PAIRS_OF_A_THREAD * a->threads);
    }
    b->kernels.n_runs = (int)a->runs;
    b->print = (bench_print_t){
        .format = a->json  ? BENCH_JSON
                  : a->tsv ? BENCH_TSV
                           : BENCH_TABLE,
        .has_peers = a->peers == 0,
    };
    return ST_OK;
}

/* All outputs and ends on one set of pairs. */
static status_t measure_pairs(bench_t *b, align_spec_t *spec, const bench_pairs_t *pairs,
                              bench_results_t *rows)
{
    static const align_emit_t emits[] = {EMIT_SCORE, EMIT_IDENTITY, EMIT_CIGAR};
    static const unsigned wanted[] = {1, 2, 3, 4}; /* by --emit: a bit an output */
    static const align_ends_t ends[] = {ENDS_FREE, ENDS_COUNT};
    status_t st = ST_OK;

    for (int e = 0; e < 2; e++)
        for (int o = 0; st == ST_OK && o < 3; o++) {
            if ((b->a.ends < 2 && b->a.ends != e) || !(wanted[b->a.emit] >> o & 1))
                continue;
            spec->ends = ends[e];
            spec->emit = emits[o];
            st = bench_kernels_run(pairs, spec, &b->kernels, rows);
            if (st == ST_OK && b->print.has_peers)
                st = bench_peers_run(pairs, spec, b->kernels.n_runs, rows);
        }
    return st == ST_OK ? bench_peers_check(pairs, rows) : st;
}

/* What is measured together: one set of pairs. */
typedef struct {
    double gap, length, identity, pairs, batches;
} point_t;

static status_t measure(bench_t *b, const point_t *at)
{
    bench_pairs_opts_t o = {.n = (int64_t)at->pairs,
                            .n_sample = b->a.peer_pairs,
                            .length = (int64_t)at->length,
                            .identity = at->identity,
                            .codes_percent = (int)b->a.codes,
                            .input = b->a.input};
    align_spec_t spec = {.emit = EMIT_IDENTITY,
                         .ends = b->a.ends == 0 ? ENDS_FREE : ENDS_COUNT,
                         .min_overlap = {1, 2},
                         .band = b->a.band == 1,
                         .transfer = {.pageable = b->a.pinned == 1,
                                      .buffers = b->a.buffers == 1 ? 1 : 2}};
    bench_results_t rows = {.n = 0};
    bench_pairs_t *pairs = NULL;
    status_t st;

    b->kernels.n_batches = (int64_t)at->batches;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, (int32_t)b->a.match,
                      (int32_t)b->a.mismatch, (int32_t)at->gap);
    if ((st = bench_pairs_make(&o, &spec, &pairs)) == ST_OK &&
        (st = measure_pairs(b, &spec, pairs, &rows)) == ST_OK) {
        bench_results_compare(&rows);
        bench_print_results(&b->print, &o, pairs, &spec.scoring, &rows);
    }
    bench_results_clear(&rows);
    bench_pairs_destroy(pairs);
    return st;
}

/* Every combination of what has a list. */
static status_t measure_all(bench_t *b)
{
    const list_t *lists[] = {&b->gaps, &b->lengths, &b->identities, &b->pairs,
                             &b->batches};
    enum { N_LISTS = sizeof(lists) / sizeof(lists[0]) };
    int n_points = 1;
    status_t st = ST_OK;

    for (int k = 0; k < N_LISTS; k++)
        n_points *= lists[k]->n;
    for (int i = 0; st == ST_OK && i < n_points; i++) {
        double at[N_LISTS];
        int left = i;

        for (int k = N_LISTS - 1; k >= 0; k--) { /* the last changes fastest */
            at[k] = lists[k]->at[left % lists[k]->n];
            left /= lists[k]->n;
        }
        st = measure(b, &(point_t){at[0], at[1], at[2], at[3], at[4]});
    }
    return st;
}

static int run(int argc, char **argv)
{
    bench_t b = {.a = {.kernel = "auto",
                       .device = "auto",
                       .length = "1500",
                       .identity = "0.80",
                       .gap = "-7",
                       .batches = "1",
                       .match = 4,
                       .mismatch = -5,
                       .pinned = -1,
                       .init = -1,
                       .peer_pairs = 128,
                       .runs = 5,
                       .threads = 1,
                       .emit = 2,
                       .ends = 2}};
    pool_t *pool = NULL;
    status_t st = parse(argc, argv, &b);

    if (st != ST_OK || (st = pool_create((int)b.a.threads, &pool)) != ST_OK)
        return status_exit_code(st);
    b.kernels.pool = pool;
    bench_print_begin(&b.print);
    if ((st = measure_all(&b)) == ST_OK)
        bench_print_end(&b.print);
    pool_destroy(pool);
    return status_exit_code(st);
}

const command_t cmd_bench_align = {
    .name = "bench align",
    .summary = "time every kernel, with parasail, edlib and WFA2 beside it",
    .usage = "[options]",
    .options = options,
    .notes = "Results are checked: some pairs against the reference, the peers' scores "
             "against the\nkernels'; a difference ends the benchmark with 1.  A rate "
             "counts the cells of the full\nmatrix; it is called effective where fewer "
             "may be computed.  `baseline` is a plain GPU\nkernel to compare with: one "
             "pair at a time, the whole matrix in device memory, scores\nalone.\n",
    .example = "ribogrid bench align --kernel all --gap -7,-8 --identity 0.8,0.97",
    .run = run,
};
