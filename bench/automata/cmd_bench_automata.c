/*
 * cmd_bench_automata.c - `ribogrid-bench automata`: measures how fast patterns are found,
 * next to Hyperscan and RE2.
 */
#include "bench/automata/automata_bench.h"
#include "bench/options/benchmarks.h"
#include "io/automata/pattern_file.h"
#include "io/base/logmsg.h"
#include "io/file/packed_input.h"
#include "kernels/automata/dfa_compress.h"
#include "kernels/automata/dfa_group.h"
#include "kernels/registry/backends.h"
#include "tools/options/option_tables.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    job_opts_t common;
    const char *patterns, *input;
    int64_t n_bytes, n_runs, seed, batch;
    bool without_peers;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "PATTERNS", 0, AT(patterns)},
                                 {OPTION_INPUT, "INPUT[.gz]|made", 0, AT(input)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {OPTION_SIZE, "bytes", 0, AT(n_bytes), "SIZE",
     "repeat the input up to this size (64M)", 1, 1 << 30},
    {.kind = OPTION_TABLE, AT(seed), .table = option_seed},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "What to measure"},
    {.word = WORD_KERNEL,
     AT(common.kernel),
     .help = " of `ribogrid automata match` ({})"},
    {OPTION_FLAG, "no-peers", 0, AT(without_peers), NULL, "leave out Hyperscan and RE2"},

    {.kind = OPTION_GROUP, .name = "Device"},
    {.word = WORD_DEVICE, AT(common.device)},
    {.word = WORD_THREADS, AT(common.n_threads), .help = " (all processors)"},
    {OPTION_INT, "batch", 0, AT(batch), "N",
     "pieces of 256 KiB that a GPU scans side by side (64)", 1, 4096},

    {.kind = OPTION_GROUP, .name = "Run"},
    {.word = WORD_RUNS,
     AT(n_runs),
     .max = AUTOMATA_RUNS_MAX,
     .help = ", after one to warm up (5)"},
    {.kind = OPTION_END}};

/* ---- input ---- */

/* Repeat an input, or cut it, to a size. */
static status_t repeat(buf_t *bytes, size_t n)
{
    const size_t once = bytes->len;
    status_t st = bytes->len < n ? buf_reserve(bytes, n - bytes->len) : ST_OK;

    for (; st == ST_OK && bytes->len < n; bytes->len++)
        bytes->data[bytes->len] = bytes->data[bytes->len - once];
    if (bytes->len > n)
        bytes->len = n;
    return st;
}

static status_t read_all(const args_t *a, automata_bench_t *b)
{
    int64_t n_skipped;
    status_t st = pattern_file_read(a->patterns, true, &b->nfa, &n_skipped);

    if (st != ST_OK)
        return st;
    st = strcmp(a->input, "made") == 0
             ? automata_make_input(&b->nfa, a->n_bytes, (uint64_t)a->seed, &b->bytes)
             : packed_input_read_file(a->input, &b->bytes);
    if (st == ST_OK && b->bytes.len == 0) {
        log_error("%s is empty", a->input);
        st = ST_EINPUT;
    }
    return st == ST_OK ? repeat(&b->bytes, (size_t)a->n_bytes) : st;
}

/* ---- measurements ---- */

static const automata_peer_t peers[] = {
#ifdef RIBOGRID_HAVE_HYPERSCAN
    automata_measure_hyperscan,
#endif
#ifdef RIBOGRID_HAVE_RE2
    automata_measure_re2,
#endif
    NULL};

static void print(const automata_bench_t *b, automata_runs_t *r, bool *same)
{
    automata_print(b, r);
    *same = *same && r->same;
}

/* Make the automata that a kernel runs, if it runs some. */
static status_t build(const char *kernel, automata_bench_t *b)
{
    const dfa_limits_t limits = {.max_states = 2000, .max_bytes = 1 << 30};
    const bool is_compressed = strcmp(kernel, scan_adfa_backend.base.name) == 0;
    status_t st = ST_OK;

    if (is_compressed || strcmp(kernel, scan_dfa_backend.base.name) == 0)
        st = dfa_group_all(&b->nfa, &limits, NULL, &b->dfas);
    return st == ST_OK && is_compressed
               ? dfa_compress(&b->dfas, &(dfa_compress_t){DFA_RULE_SKIP, 1}, NULL)
               : st;
}

/* Measure the kernel on the CPU with one thread and with all, or on a GPU. */
static status_t measure_kernel(const args_t *a, automata_bench_t *b, bool *same)
{
    const int all = a->common.n_threads > 0 ? a->common.n_threads : device_cpu().n_cores;
    const scan_context_t context = {.nfa = &b->nfa, .dfas = &b->dfas};
    backend_request_t request = {.name = a->common.kernel};
    static automata_runs_t runs; /* large */
    const backend_t *row;
    device_t device;
    status_t st = one_device_find(&cmd_bench_automata, a->common.device, &device);

    request.device = &device;
    if (st == ST_OK)
        st = build(a->common.kernel, b);
    if (st == ST_OK)
        st = backend_choose(&scan_table, &request, &context, &row);
    for (int n = device_is_gpu(&device) ? all : 1; st == ST_OK && n <= all;
         n = n < all ? all : all + 1)
        if ((st = automata_measure(b, (const scan_backend_t *)row, &device, n, &runs)) ==
            ST_OK)
            print(b, &runs, same);
    return st;
}

static status_t measure_all(const args_t *a, automata_bench_t *b)
{
    static automata_runs_t runs; /* large */
    bool same = true;
    status_t st;

    automata_print_head();
    st = measure_kernel(a, b, &same);
    for (int k = 0; st == ST_OK && !a->without_peers && peers[k] != NULL; k++)
        if ((st = peers[k](b, &runs)) == ST_OK)
            print(b, &runs, &same);
    if (st == ST_OK && !same) {
        log_error("matches differ");
        st = ST_EINPUT;
    }
    return st;
}

static void defaults(void *args)
{
    args_t *a = args;

    a->common.device = "auto";
    a->common.kernel = "auto";
    a->n_bytes = 64000000;
    a->n_runs = 5;
    a->seed = 1;
    a->batch = 256;
}

static status_t run(void *args)
{
    const args_t *a = args;
    automata_bench_t b = {.n_runs = (int)a->n_runs, .batch = (int)a->batch};
    status_t st = read_all(a, &b);

    if (st == ST_OK)
        st = measure_all(a, &b);
    nfa_free(&b.nfa);
    dfa_set_free(&b.dfas);
    buf_free(&b.bytes);
    buf_free(&b.matches);
    return st;
}

const command_t cmd_bench_automata = {
    .name = "automata",
    .summary = "time the search for patterns, next to Hyperscan and RE2",
    .words = words,
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "PATTERNS are those of `ribogrid automata build`; patterns that it does not take "
        "are\n"
        "left out. INPUT is a file, or `made` of texts that the patterns describe. A\n"
        "kernel's time includes the copies to and from a GPU; those of its kernels alone "
        "are\n"
        "in a line of their own. Hyperscan scans one block, RE2::Set finds patterns but "
        "not\n"
        "where they end, both on one thread. A difference in what is found ends the\n"
        "benchmark with exit code 1.\n",
    .example = "ribogrid-bench automata patterns.txt made --bytes 16M",
    .defaults = defaults,
    .run = run,
};
