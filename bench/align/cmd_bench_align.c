/*
 * cmd_bench_align.c - `ribogrid-bench align`: measures how fast pairs are aligned, next
 * to other libraries.
 */
#include "bench/align/bench_align.h"
#include "bench/options/benchmarks.h"
#include "io/base/logmsg.h"
#include "io/seq/matrix_file.h"
#include "tools/options/option_tables.h"
#include "worker/align/align_opts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAIRS_MAX = 1 << 28,
    BATCHES_MAX = 1 << 20,
    PAIRS_PER_THREAD = 512, /* defaults of --pairs */
    PAIRS_PER_GPU = 65536,
    LENGTH_MAX = 10000000,
    COST_MAX = 2 * 10000, /* in halves */
    BOTH_ENDS = 2,        /* of --ends: free and counted in turn */
    /* --seconds */
    SECONDS_MAX = 60,
    SECONDS_PAIRS_MAX = 1 << 25,
    ATTEMPTS = 4 /* to find the number of pairs */
};

/* Rates in cells per second that the first attempt assumes: low, so that it ends soon. */
static const double GPU_RATE = 2e12, THREAD_RATE = 1e9;

typedef struct {
    align_opts_t scores; /* apart from `gap` and `ends` */
    const char *kernel, *device, *input;
    const char *length, *identity, *gap, *pairs, *seconds, *batches;
    int64_t buffers, peer_pairs, runs, threads, codes;
    int alphabet, emit, ends, band, peers, preset, pinned, init;
    bool tsv, in_halves, has_matrix, is_unchecked;
    score_matrix_t matrix; /* may come from a pipe: it is read once */
    char preset_options[ALIGN_PRESET_BYTES];
} args_t;

typedef struct {
    args_t a;
    bench_list_t lengths, identities, gaps, pairs, seconds, batches;
    double rate;         /* cells per second of the result before, for --seconds */
    device_t devices[2]; /* a GPU first */
    bench_kernels_opts_t kernels;
    bench_print_t print;
} bench_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {.word = WORD_ALPHABET,
     AT(alphabet),
     .value = "dna|protein",
     .help = ", with BLOSUM62 and gaps of 11 and 1 (dna)"},
    {.kind = OPTION_TEXT,
     .word = WORD_LENGTH,
     AT(length),
     .value = "N|NxN,...",
     .help = " of each sequence, or of query and target (1500)"},
    {OPTION_TEXT, "identity", 0, AT(identity), "FRACTION,...",
     "mean identity of two sequences, 0.55 to 1 (0.80)"},
    {.word = WORD_AMBIGUOUS, AT(codes), .help = ", 1 to 8 of them (0)"},
    {OPTION_INPUT, "input", 0, AT(input), "READS.fa",
     "real sequences instead of simulated ones"},
    {OPTION_TEXT, "pairs", 0, AT(pairs), "N,...",
     "maximum number of pairs (512 per thread, 65536 for a GPU)"},
    {.kind = OPTION_TEXT,
     .word = WORD_SECONDS,
     AT(seconds),
     .value = "S,...",
     .help = ", instead of --pairs: as many pairs as take about S seconds"},
    {.kind = OPTION_TABLE, .table = option_input},
    {.kind = OPTION_GROUP, .name = "What to compute"},
    {.word = WORD_EMIT,
     AT(emit),
     .value = "score|identity|both|cigar",
     .help = "; both: score and identity (both)"},
    {.word = WORD_ENDS,
     AT(ends),
     .value = "free|count|both",
     .help = ", or both in turn (both)"},
    {.kind = OPTION_GROUP, .name = "Scoring"},
    {.word = WORD_PRESET,
     AT(preset),
     .help = ", by the options that `ribogrid align --help` lists; others override them"},
    {.kind = OPTION_TABLE, AT(scores), .table = option_scores},
    {.kind = OPTION_TEXT, .word = WORD_GAP, AT(gap), .value = "N,...", .help = " (-7)"},
    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_TSV, AT(tsv), .help = ", one per result"},
    {.kind = OPTION_GROUP, .name = "Device"},
    {.word = WORD_KERNEL,
     AT(kernel),
     .value = "auto|all|NAME",
     .help = ", and baseline (auto)"},
    {.word = WORD_DEVICE, AT(device), .help = "; with --kernel all auto is the CPU, too"},
    {.word = WORD_BAND, AT(band), .value = "off|auto", .help = " (off)"},
    {.word = WORD_THREADS, AT(threads), .help = " of CPU kernels (1)"},
    {OPTION_TEXT, "batches", 0, AT(batches), "N,...",
     "number of batches to cut the pairs into (1)"},
    {OPTION_INT, "buffers", 0, AT(buffers), "N", "batches in flight on a GPU (2)", 1, 2},
    {OPTION_CHOICE, "pinned", 0, AT(pinned), "on|off",
     "copy batches to and from a GPU through pinned memory (on)"},
    {OPTION_CHOICE, "init", 0, AT(init), "host|device",
     "what writes the borders of --kernel baseline (host)"},
    {.kind = OPTION_GROUP, .name = "Run"},
    {.word = WORD_RUNS,
     AT(runs),
     .max = BENCH_RUNS_MAX,
     .help = ", after one to warm up (5)"},
    {.word = WORD_PEERS, AT(peers), .help = ": parasail, edlib and WFA2 (on)"},
    {OPTION_INT, "peer-pairs", 0, AT(peer_pairs), "N",
     "pairs for the peers, evenly spaced among all (128)", 1, 1000000},
    {OPTION_FLAG, "unchecked", 0, AT(is_unchecked), NULL,
     "align no pairs on a CPU for comparison: one of 100,000 bases takes a minute"},
    {.kind = OPTION_END}};

/* Parse a list of numbers, separated by commas. */
static status_t parse_list(const bench_numbers_t *o, const char *text, bench_list_t *out)
{
    if (bench_list_parse(o, text, out))
        return ST_OK;
    return options_misuse(&cmd_bench_align,
                          "--%s %s: give at most %d numbers%s from %g to %.9g, separated "
                          "by commas",
                          o->name, text, BENCH_LIST_MAX,
                          o->crosses ? ", or two as in 250x1500," : "", o->min, o->max);
}

/* Choose the devices to measure: that of --device, with --kernel all also the CPU. */
static status_t choose_devices(bench_t *b)
{
    const char *device = b->a.device, *kernel = b->a.kernel;
    const bool is_auto = strcmp(device, "auto") == 0, is_all = strcmp(kernel, "all") == 0;
    const bool is_name = !is_all && strcmp(kernel, "auto") != 0;
    const bool for_gpu = bench_kernels_backend(&b->kernels, DEVICE_CUDA) != NULL;
    const bool for_cpu = bench_kernels_backend(&b->kernels, DEVICE_CPU) != NULL;
    status_t st;

    if (is_name && !for_gpu && !for_cpu)
        return options_misuse(&cmd_bench_align,
                              "--kernel %s: this build has no such kernel", kernel);
    if (is_name && ((!for_cpu && strcmp(device, "cpu") == 0) ||
                    (!for_gpu && strncmp(device, "cuda", 4) == 0)))
        return options_misuse(&cmd_bench_align, "--kernel %s does not run on --device %s",
                              kernel, device);
    if (is_auto && for_gpu != for_cpu) /* the kernel runs on one kind of device */
        device = for_cpu ? "cpu" : "cuda";
    if ((st = one_device_find(&cmd_bench_align, device, &b->devices[0])) != ST_OK)
        return st;
    b->kernels.n_devices = 1;
    if (is_all && is_auto && device_is_gpu(&b->devices[0]))
        b->devices[b->kernels.n_devices++] = device_cpu();
    b->kernels.devices = b->devices;
    return ST_OK;
}

/* Reject options of GPUs and of the baseline where they do not apply. */
static status_t check_transfer(const bench_t *b)
{
    const args_t *a = &b->a;
    bool is_baseline = strcmp(a->kernel, "baseline") == 0;
    bool has_gpu = b->devices[0].kind == DEVICE_CUDA;

    if (IS_GIVEN(a, init) && !is_baseline)
        return options_misuse(&cmd_bench_align, "--init goes with --kernel baseline");
    if (IS_GIVEN(a, pinned) && !has_gpu)
        return options_misuse(&cmd_bench_align,
                              "--pinned applies to GPUs; --device has none");
    if (a->buffers > 0 && !has_gpu)
        return options_misuse(&cmd_bench_align,
                              "--buffers applies to GPUs; --device has none");
    if (is_baseline && a->buffers > 0)
        return options_misuse(
            &cmd_bench_align,
            "--buffers does not apply to --kernel baseline, which has no batches");
    return ST_OK;
}

static status_t parse_lists(bench_t *b)
{
    const struct {
        bench_numbers_t numbers;
        const char *text;
        bench_list_t *out;
    } lists[] = {
        {{"length", 1, LENGTH_MAX, false, true}, b->a.length, &b->lengths},
        {{"identity", BENCH_IDENTITY_MIN, 1, true, false}, b->a.identity, &b->identities},
        {{"gap", -COST_MAX / 2, -1, false, false}, b->a.gap, &b->gaps},
        {{"batches", 1, BATCHES_MAX, false, false}, b->a.batches, &b->batches},
        {{"pairs", 1, PAIRS_MAX, false, false}, b->a.pairs, &b->pairs},
        {{"seconds", 0.001, SECONDS_MAX, true, false}, b->a.seconds, &b->seconds},
    };
    status_t st = ST_OK;

    b->gaps.n = 1; /* without --gap: none of the list */
    if (b->a.pairs != NULL && b->a.seconds != NULL)
        return options_misuse(&cmd_bench_align, "give --pairs or --seconds, not both");
    for (size_t i = 0; st == ST_OK && i < sizeof(lists) / sizeof(lists[0]); i++)
        if (lists[i].text != NULL)
            st = parse_list(&lists[i].numbers, lists[i].text, lists[i].out);
    return st;
}

/* Set the scores of a spec and its ends; if both kinds are measured, free ones.
 * @param gap  if --gap is given */
static status_t set_scoring(args_t *a, double gap, align_spec_t *spec)
{
    align_opts_t scores = a->scores;
    char why[JOB_OPTS_WHY_BYTES];
    status_t st = ST_OK;

    if (a->gap != NULL)
        GIVE(&scores, gap, 2 * (int64_t)gap);
    if (a->ends != BOTH_ENDS)
        GIVE(&scores, ends, (align_ends_t)a->ends);
    scores.emit = EMIT_SCORE; /* presets have no options of identities here */
    if (IS_GIVEN(a, preset))
        align_preset_apply(a->preset, &scores, a->preset_options);
    if (align_opts_settle_scores(&scores, why) != ST_OK ||
        align_opts_set_alphabet(&scores, (alphabet_t)a->alphabet, why) != ST_OK)
        return options_misuse(&cmd_bench_align, "%s", why);
    if (scores.matrix != NULL && !a->has_matrix)
        st = matrix_file_read(scores.matrix, (alphabet_t)a->alphabet, &a->matrix);
    if (st != ST_OK)
        return st;
    a->has_matrix = scores.matrix != NULL;
    a->in_halves = scores.score_unit == SCORE_UNIT_HALF;
    align_opts_set_scores(&scores, a->has_matrix ? &a->matrix : NULL, spec);
    return ST_OK;
}

static bool measures_both_ends(const args_t *a)
{
    return a->ends == BOTH_ENDS && !IS_GIVEN(a, preset) &&
           !IS_GIVEN(&a->scores, end_gap_open) && a->scores.mode != MODE_LOCAL;
}

static status_t settle(bench_t *b)
{
    args_t *a = &b->a;
    align_spec_t checked;
    status_t st = parse_lists(b);
    bool has_gpu;

    if (st != ST_OK || (st = set_scoring(a, b->gaps.at[0], &checked)) != ST_OK)
        return st;
    if (IS_GIVEN(a, preset))
        log_info("preset %s: %s", align_preset_name(a->preset), a->preset_options);
    if (a->input != NULL)
        b->lengths.n = b->identities.n = 1;
    b->kernels.kernel = a->kernel;
    b->kernels.init_on_device = a->init == 1;
    b->kernels.is_unchecked = a->is_unchecked;
    if ((st = choose_devices(b)) != ST_OK || (st = check_transfer(b)) != ST_OK)
        return st;
    has_gpu = b->devices[0].kind == DEVICE_CUDA;
    if (a->pairs == NULL) {
        b->pairs.n = 1;
        b->pairs.at[0] =
            has_gpu ? PAIRS_PER_GPU : (double)(PAIRS_PER_THREAD * a->threads);
    }
    b->rate = has_gpu ? GPU_RATE : THREAD_RATE * (double)a->threads;
    b->kernels.n_runs = (int)a->runs;
    b->print.is_tsv = a->tsv;
    b->print.has_peers = a->peers == 0;
    b->print.in_halves = a->in_halves;
    return ST_OK;
}

/* Measure all outputs and ends on one set of pairs. */
static status_t measure_pairs(bench_t *b, align_spec_t *spec, const bench_pairs_t *pairs,
                              bench_results_t *results)
{
    static const align_emit_t emits[] = {EMIT_SCORE, EMIT_IDENTITY, EMIT_CIGAR};
    static const unsigned outputs[] = {1, 2, 3, 4}; /* by --emit: one bit per output */
    align_ends_t ends[] = {spec->ends, ENDS_COUNT};
    status_t st = ST_OK;

    for (int e = 0; e < (measures_both_ends(&b->a) ? 2 : 1); e++)
        for (int o = 0; st == ST_OK && o < 3; o++) {
            if (!(outputs[b->a.emit] >> o & 1))
                continue;
            spec->ends = ends[e];
            spec->emit = emits[o];
            st = bench_kernels_run(pairs, spec, &b->kernels, results);
            if (st == ST_OK && b->print.has_peers)
                st = bench_peers_run(pairs, spec, b->kernels.n_runs, results);
        }
    return st == ST_OK ? bench_peers_check(pairs, results) : st;
}

/* The parameters of one set of pairs. */
typedef struct {
    double gap, length, target_length, identity;
    double amount; /* of --pairs, or of --seconds */
    double batches;
} point_t;

/* @return how many pairs should take some seconds, at the rate of the result before */
static int64_t pairs_for(const bench_t *b, double seconds, double pair_cells)
{
    double n = seconds * b->rate / pair_cells;

    return n < 1 ? 1 : n < SECONDS_PAIRS_MAX ? (int64_t)n : SECONDS_PAIRS_MAX;
}

/* Note the rate of the slowest result.
 * @return the number of pairs to try next; 0: the results took about the wanted seconds,
 *         or there are no more pairs */
static int64_t more_pairs(bench_t *b, double wanted_s, const bench_pairs_t *pairs,
                          int64_t n_asked, const bench_results_t *results)
{
    double slowest = 0;
    int64_t n;

    for (int i = 0; i < results->n; i++) {
        const bench_result_t *r = &results->all[i];

        if (r->library == LIBRARY_OURS && r->n_pairs == pairs->n && r->median > slowest)
            slowest = r->median;
    }
    if (slowest <= 0) /* no kernel takes such pairs */
        return 0;
    b->rate = pairs->cells / slowest;
    n = pairs_for(b, wanted_s, pairs->cells / (double)pairs->n);
    return slowest < wanted_s / 2 && pairs->n == n_asked && n > n_asked ? n : 0;
}

static bench_pairs_opts_t pairs_opts(const bench_t *b, const point_t *at)
{
    int64_t n = b->a.seconds == NULL
                    ? (int64_t)at->amount
                    : pairs_for(b, at->amount, at->length * at->target_length);

    return (bench_pairs_opts_t){.alphabet = (alphabet_t)b->a.alphabet,
                                .n = n,
                                .n_sample = b->a.peer_pairs,
                                .length = (int64_t)at->length,
                                .target_length = (int64_t)at->target_length,
                                .identity = at->identity,
                                .codes_percent = (int)b->a.codes,
                                .input = b->a.input};
}

/* Measure one point; with --seconds again, with more pairs, until they take that long. */
static status_t measure(bench_t *b, const point_t *at)
{
    bench_pairs_opts_t o = pairs_opts(b, at);
    align_spec_t spec = {.emit = EMIT_IDENTITY, .min_overlap = {1, 2}}, made;
    bench_results_t results = {.n = 0};
    bench_pairs_t *pairs = NULL;
    status_t st = ST_OK;

    b->kernels.n_batches = (int64_t)at->batches;
    b->kernels.run = (align_run_t){.band = b->a.band == 1,
                                   .pageable = b->a.pinned == 1,
                                   .n_buffers = b->a.buffers == 1 ? 1 : 2};
    if ((st = set_scoring(&b->a, at->gap, &spec)) != ST_OK)
        return st;
    made = spec; /* what identities of simulated pairs are measured by */
    made.ends = o.length != o.target_length ? ENDS_FREE
                : measures_both_ends(&b->a) ? ENDS_COUNT
                                            : spec.ends;
    for (int attempt = 1; st == ST_OK; attempt++) {
        int64_t more = 0;

        if ((st = bench_pairs_make(&o, &made, &pairs)) != ST_OK ||
            (st = measure_pairs(b, &spec, pairs, &results)) != ST_OK)
            break;
        if (b->a.seconds != NULL && attempt < ATTEMPTS)
            more = more_pairs(b, at->amount, pairs, o.n, &results);
        if (more == 0) {
            bench_results_compare(&results);
            bench_print_results(&b->print, &o, pairs, &spec, &results);
            break;
        }
        o.n = more;
        bench_results_clear(&results);
        bench_pairs_destroy(pairs);
        pairs = NULL;
    }
    bench_results_clear(&results);
    bench_pairs_destroy(pairs);
    return st;
}

/* Measure every combination of the options that take lists. */
static status_t measure_all(bench_t *b)
{
    const bench_list_t *lists[] = {&b->gaps, &b->lengths, &b->identities,
                                   b->a.seconds != NULL ? &b->seconds : &b->pairs,
                                   &b->batches};
    enum { N_LISTS = sizeof(lists) / sizeof(lists[0]) };
    int n_points = 1;
    status_t st = ST_OK;

    for (int k = 0; k < N_LISTS; k++)
        n_points *= lists[k]->n;
    for (int i = 0; st == ST_OK && i < n_points; i++) {
        double at[N_LISTS], with[N_LISTS];
        int left = i;

        for (int k = N_LISTS - 1; k >= 0; k--) { /* the last changes fastest */
            at[k] = lists[k]->at[left % lists[k]->n];
            with[k] = lists[k]->with[left % lists[k]->n];
            left /= lists[k]->n;
        }
        st = measure(b, &(point_t){at[0], at[1], with[1], at[2], at[3], at[4]});
    }
    return st;
}

static void defaults(void *args)
{
    *(args_t *)args = (args_t){.kernel = "auto",
                               .device = "auto",
                               .length = "1500",
                               .identity = "0.80",
                               .batches = "1",
                               .peer_pairs = 128,
                               .runs = 5,
                               .threads = 1,
                               .emit = 2,
                               .ends = BOTH_ENDS,
                               .scores = align_opts_defaults()};
}

static status_t run(void *args)
{
    bench_t b = {.a = *(const args_t *)args};
    pool_t *pool = NULL;
    status_t st = settle(&b);

    if (st != ST_OK || (st = pool_create((int)b.a.threads, &pool)) != ST_OK)
        return st;
    b.kernels.pool = pool;
    bench_print_begin(&b.print);
    if ((st = measure_all(&b)) == ST_OK)
        bench_print_end(&b.print);
    pool_destroy(pool);
    return st;
}

static const option_rename_t renamed[] = {{"codes", NULL, "ambiguous"}, {NULL}};

const command_t cmd_bench_align = {
    .name = "align",
    .summary = "time every kernel, next to parasail, edlib and WFA2",
    .usage = "[options]",
    .options = options,
    .renamed = renamed,
    .args_bytes = sizeof(args_t),
    .notes =
        "Results are checked: some pairs against the reference, scores against those of\n"
        "the peers; a difference ends the benchmark with exit code 1. Rates count the\n"
        "cells of the full matrices; they are called effective if a kernel may compute\n"
        "fewer cells. `baseline` is a plain GPU kernel for comparison: one pair at a\n"
        "time, the whole matrix in device memory, scores only.\n",
    .example = "ribogrid-bench align --kernel all --gap -7,-8 --identity 0.8,0.97",
    .defaults = defaults,
    .run = run,
};
