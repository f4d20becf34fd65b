/*
 * cmd_selftest.c - `ribogrid selftest`: compares every kernel on every device of this
 * machine with the reference.
 */
#include "io/base/clock.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/seq/alphabet.h"
#include "io/seq/simulate.h"
#include "kernels/align/cpu/nw_trace.h"
#include "kernels/align/engine/aligner.h"
#include "kernels/registry/backends.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    job_opts_t common;
    int64_t half_seconds, seed;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t options[] = {
    {.word = WORD_SECONDS,
     AT(half_seconds),
     .help = ", with other sequences in each round (one round)"},
    {.kind = OPTION_TABLE, AT(seed), .table = option_seed},
    {.kind = OPTION_TABLE, .table = option_device},
    {.kind = OPTION_END}};

/* ---- the cases: pairs, and what the reference finds ---- */

/* Scorings: the first is `align`'s default, and the one that is timed. */
enum { N_SCORINGS = 4, N_ENDS = ALIGN_N_ENDS };

/* What the reference finds for a pair. */
typedef struct {
    int32_t score, matches, columns;
    uint64_t cigar; /* cigar_digest */
} found_t;

typedef struct {
    seqset_t *set;
    pair_t *pairs; /* [n] */
    int64_t n;
    found_t *found[N_SCORINGS][N_ENDS]; /* [n] */
} cases_t;

/* Few sequences are long: the reference computes about 10^8 cells per second. */
enum {
    N_SHORT = 24,
    N_16S = 12,
    LONG = 5000,
    PAIR_CELLS_MAX = 16 << 20,
    SHORT_PAIR_CELLS = 300 * 300
};

static const struct {
    const char *name; /* "match/mismatch/gap", with two scores of affine gaps */
    align_ambiguity_t ambiguity;
    int32_t match, mismatch;
    align_gap_t gap;
} scorings[N_SCORINGS] = {{"4/-5/-7", AMBIGUITY_N_MISMATCH, 4, -5, {-7, -7}},
                          {"5/-4/-10", AMBIGUITY_MATCH, 5, -4, {-10, -10}},
                          {"1/-1/-1", AMBIGUITY_MISMATCH, 1, -1, {-1, -1}},
                          {"2/-4/-20/-2", AMBIGUITY_N_MISMATCH, 2, -4, {-20, -2}}};

static const align_gap_t end_gap = {-2, -1}; /* of ENDS_PRICED */

/* @return the alignment under one of the scorings, without a minimum overlap */
static align_spec_t spec_of(int scoring, align_emit_t emit, align_ends_t ends)
{
    align_spec_t spec = {.emit = emit,
                         .ends = ends,
                         .end_gap = end_gap,
                         .min_overlap = {0, 1}};

    align_scoring_set(&spec.scoring, scorings[scoring].ambiguity, scorings[scoring].match,
                      scorings[scoring].mismatch, scorings[scoring].gap.extend);
    align_scoring_set_gap(&spec.scoring, scorings[scoring].gap);
    return spec;
}

/* Add a sequence that repeats `letters` n times. */
static status_t add_repeat(seqset_builder_t *b, const char *letters, int64_t n)
{
    buf_t codes = {0};
    char name[64];
    int name_len = snprintf(name, sizeof(name), "%.12s... x %d", letters, (int)n);
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < n; k++)
        for (const char *at = letters; st == ST_OK && *at != '\0'; at++) {
            uint8_t code = alphabet_code(ALPHABET_DNA, (unsigned char)*at);

            st = buf_append(&codes, &code, 1);
        }
    if (st == ST_OK)
        st = seqset_builder_add(b, name, (size_t)name_len, codes.data, codes.len);
    buf_free(&codes);
    return st;
}

/* Add a random sequence; one base in 20 is an ambiguity code. */
static status_t add_random(seqset_builder_t *b, rng_t *rng, int64_t len)
{
    uint8_t *codes = malloc((size_t)len);
    char name[32];
    int name_len = snprintf(name, sizeof(name), "random %d", (int)len);
    status_t st;

    if (codes == NULL)
        return log_nomem("sequences");
    for (int64_t i = 0; i < len; i++)
        codes[i] = rng_chance(rng, 1, 20) ? (uint8_t)(1 + rng_below(rng, CODE_N))
                                          : (uint8_t)(1 << rng_below(rng, 4));
    st = seqset_builder_add(b, name, (size_t)name_len, codes, (size_t)len);
    free(codes);
    return st;
}

static status_t add_simulated(seqset_builder_t *b, uint64_t seed, int64_t n, int64_t len)
{
    simulate_opts_t o = simulate_defaults();
    seqset_t *set;
    status_t st;

    o.n = n;
    o.length = len;
    o.seed = seed;
    if ((st = simulate_make(&o, &set)) != ST_OK)
        return st;
    for (int64_t i = 0; st == ST_OK && i < n; i++)
        st = seqset_builder_add(b, seqset_name(set, i), strlen(seqset_name(set, i)),
                                seqset_letters(set, i), (size_t)seqset_len(set, i));
    seqset_destroy(set);
    return st;
}

static status_t make_set(uint64_t seed, seqset_t **out)
{
    static const struct {
        const char *letters;
        int n;
    } repeats[] = {{"A", 1},           {"C", 1},    {"N", 1},    {"R", 1},
                   {"A", 33},          {"C", 33},   {"N", 64},   {"A", 512},
                   {"AC", 700},        {"GT", 700}, {"ACGT", 8}, {"TGCA", 16},
                   {"RYSWKMBDHVN", 30}};
    static const int lens[] = {2, 31, 32, 65, 127, 300, 1500, 1501, LONG};
    seqset_builder_t b = {0};
    rng_t rng = rng_seed(seed);
    status_t st = add_simulated(&b, seed, N_16S, 1500);

    if (st == ST_OK)
        st = add_simulated(&b, seed + 1, N_SHORT, 250);
    for (size_t i = 0; st == ST_OK && i < sizeof(repeats) / sizeof(repeats[0]); i++)
        st = add_repeat(&b, repeats[i].letters, repeats[i].n);
    for (size_t i = 0; st == ST_OK && i < sizeof(lens) / sizeof(lens[0]); i++)
        st = add_random(&b, &rng, lens[i]);
    if (st == ST_OK)
        st = seqset_builder_finish(&b, out);
    seqset_builder_free(&b);
    return st;
}

/* Choose pairs: one of three among the short sequences, every second two neighbours among
 * the 16S-like ones, and one in 43 of the others; none that would take the reference
 * seconds. */
static bool is_pair(const seqset_t *set, int64_t i, int64_t k)
{
    double cells = (double)seqset_len(set, i) * (double)seqset_len(set, k);

    if (cells > PAIR_CELLS_MAX)
        return false;
    if (cells > SHORT_PAIR_CELLS)
        return i < N_16S && k < N_16S ? k == i + 1 && i % 2 == 0 : (i * 7 + k) % 43 == 0;
    return (i + k) % 3 == 0;
}

/*
 * Make the sequences and pairs: 16S-like ones, and edge cases: single bases, only
 * ambiguity codes, repeats, equal sequences, sequences that share nothing, long ones.
 *
 * @param seed  selects the sequences
 * @param out   zeroed by the caller, who also frees it on failure
 * @return ST_OK or ST_ENOMEM
 */
static status_t make_cases(uint64_t seed, cases_t *out)
{
    status_t st = make_set(seed, &out->set);
    int64_t n = st == ST_OK ? out->set->n : 0;

    if (st != ST_OK)
        return st;
    if ((out->pairs = malloc((size_t)(n * n) * sizeof(*out->pairs))) == NULL)
        return log_nomem("pairs");
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            if (is_pair(out->set, i, k))
                out->pairs[out->n++] = (pair_t){(int32_t)i, (int32_t)k};
    return ST_OK;
}

/* What a thread aligns with. */
typedef struct {
    nw_values_t *row;
    nw_trace_t *trace;
    buf_t runs;
    bool failed;
} tracer_t;

typedef struct {
    const cases_t *cases;
    align_spec_t spec;
    found_t *found;
    tracer_t *tracers; /* [n_threads] */
} reference_t;

/* @return a digest of n runs of a CIGAR */
static uint64_t cigar_digest(const uint32_t *runs, int64_t n)
{
    return digest_add(DIGEST_START, runs, (size_t)n * sizeof(*runs));
}

static void align_one(void *ctx, int64_t pair, int thread)
{
    reference_t *k = ctx;
    const seqset_t *set = k->cases->set;
    pair_t p = k->cases->pairs[pair];
    const uint8_t *a = seqset_letters(set, p.query), *b = seqset_letters(set, p.target);
    int64_t m = seqset_len(set, p.query), n = seqset_len(set, p.target);
    tracer_t *t = &k->tracers[thread];
    nw_cell_t cell = nw_reference_pair(&k->spec, a, m, b, n, t->row);

    t->runs.len = 0;
    if (cell.columns > 0 &&
        nw_trace_pair(t->trace, a, m, b, n, &cell, NULL, &t->runs) != ST_OK)
        t->failed = true;
    k->found[pair] =
        (found_t){(int32_t)cell.score, (int32_t)cell.matches, (int32_t)cell.columns,
                  cigar_digest((const uint32_t *)(const void *)t->runs.data,
                               (int64_t)(t->runs.len / sizeof(uint32_t)))};
}

/* Align all pairs by the reference. @return ST_OK or ST_ENOMEM */
static status_t align_cases(cases_t *c, int scoring, align_ends_t ends, pool_t *pool)
{
    const int n_threads = pool_n_threads(pool);
    const size_t row_len = (size_t)seqset_max_len(c->set) + 1;
    reference_t k = {.cases = c,
                     .spec = spec_of(scoring, EMIT_CIGAR, ends),
                     .found = malloc((size_t)c->n * sizeof(*k.found)),
                     .tracers = calloc((size_t)n_threads, sizeof(*k.tracers))};
    status_t st = ST_OK;

    c->found[scoring][ends] = k.found;
    if (k.found == NULL || k.tracers == NULL) {
        free(k.tracers);
        return log_nomem("the reference");
    }
    for (int i = 0; st == ST_OK && i < n_threads; i++) {
        k.tracers[i].row = malloc(row_len * sizeof(*k.tracers[i].row));
        st = k.tracers[i].row != NULL
                 ? nw_trace_create(&k.spec, NULL, SIMD_NONE, &k.tracers[i].trace)
                 : log_nomem("the reference");
    }
    if (st == ST_OK)
        pool_run(pool, c->n, align_one, &k);
    for (int i = 0; i < n_threads; i++) {
        nw_trace_destroy(k.tracers[i].trace);
        buf_free(&k.tracers[i].runs);
        free(k.tracers[i].row);
        if (k.tracers[i].failed)
            st = ST_ENOMEM;
    }
    free(k.tracers);
    return st;
}

static void free_cases(cases_t *c)
{
    seqset_destroy(c->set);
    free(c->pairs);
    for (int scoring = 0; scoring < N_SCORINGS; scoring++)
        for (int ends = 0; ends < N_ENDS; ends++)
            free(c->found[scoring][ends]);
    memset(c, 0, sizeof(*c));
}

/* ---- the checks ---- */

enum { CHECKS_MAX = 4096, LABEL_BYTES = 24, N_TIMED_MAX = 1 << 16, TIMED_SIDE = 12 };

static const double TIMED_S = 0.05;

/* One check, and one line of the printed table: a backend on a device, computing one
 * output with one kind of ends, with or without a band. */
typedef struct {
    char label[LABEL_BYTES]; /* of the device */
    const device_t *device;
    const aligner_backend_t *backend;
    align_emit_t emit;
    align_ends_t ends;
    bool band;
    int64_t n_compared, n_wrong;
    double cells_per_s; /* 0: not timed */
    bool failed;
} check_t;

typedef struct {
    device_t cpus[SIMD_AVX512 + 1], gpus[DEVICES_MAX];
    int n_cpus, n_gpus;
    pool_t *pool;
    check_t *checks; /* [CHECKS_MAX] */
    int n_checks;
    cases_t cases;
    pair_t *pairs;      /* [cases.n] those that a backend takes */
    int64_t *index;     /* [cases.n] their indices in cases.pairs */
    const char *kernel; /* "auto": all */
    bool has_bar;
} selftest_t;

/* The scalar backend runs the reference; it is slow, so one scoring has to suffice. */
static bool is_reference(const aligner_backend_t *backend)
{
    return strcmp(backend->base.name, "scalar") == 0;
}

static void add_checks(selftest_t *t, const char *label, const device_t *device,
                       const aligner_backend_t *backend, bool has_band)
{
    if (strcmp(t->kernel, "auto") != 0 && strcmp(t->kernel, backend->base.name) != 0)
        return;
    for (int k = 0; k < 3 * 2 * N_ENDS; k++) {
        check_t check = {.device = device,
                         .backend = backend,
                         .emit = (align_emit_t)(k / (2 * N_ENDS)),
                         .ends = (align_ends_t)(k / 2 % N_ENDS),
                         .band = k % 2 != 0};
        bool may_have_band =
            has_band && (check.ends == ENDS_FREE || check.ends == ENDS_COUNT);

        snprintf(check.label, sizeof(check.label), "%s", label);
        if ((may_have_band || !check.band) && t->n_checks < CHECKS_MAX)
            t->checks[t->n_checks++] = check;
    }
}

/* List every backend on every device; the CPU counts as one device per SIMD level that it
 * has.  The scalar backend has neither SIMD levels nor a band. */
static void list_checks(selftest_t *t)
{
    char label[LABEL_BYTES];

    for (int i = 0; i < t->n_gpus; i++) {
        snprintf(label, sizeof(label), "cuda:%d", t->gpus[i].index);
        for (const backend_t *const *row = aligner_table.rows; *row != NULL; row++)
            if ((*row)->kind == t->gpus[i].kind)
                add_checks(t, label, &t->gpus[i], aligner_backend(*row), true);
    }
    for (int level = t->n_cpus - 1; level >= 0; level--) {
        snprintf(label, sizeof(label), "cpu%s%s", level > 0 ? "/" : "",
                 level > 0 ? device_simd_name((simd_level_t)level) : "");
        for (const backend_t *const *row = aligner_table.rows; *row != NULL; row++) {
            const aligner_backend_t *backend = aligner_backend(*row);
            const bool is_scalar = is_reference(backend);

            if ((*row)->kind == t->cpus[level].kind && (level == 0 || !is_scalar))
                add_checks(t, label, &t->cpus[level], backend, !is_scalar);
        }
    }
}

static status_t align(const check_t *check, void *state, const pair_t *pairs, int64_t n,
                      pair_results_t *out)
{
    pair_batch_t batch = {pairs, n};
    status_t st = check->backend->submit(state, &batch);

    return st == ST_OK ? check->backend->wait(state, out) : st;
}

/* @return whether the CIGAR of pair k has this digest */
static bool has_cigar(const pair_results_t *got, int64_t k, uint64_t digest)
{
    return cigar_digest(got->cigar + got->cigar_start[k],
                        got->cigar_start[k + 1] - got->cigar_start[k]) == digest;
}

/* Count the pairs that differ and log the first one. */
static void count_wrong(const selftest_t *t, check_t *check, int scoring, int64_t n,
                        const pair_results_t *got)
{
    const cases_t *cases = &t->cases;

    for (int64_t k = 0; k < n; k++) {
        const found_t *right = &cases->found[scoring][check->ends][t->index[k]];
        bool identity = check->emit != EMIT_SCORE;
        bool same_cigar = check->emit != EMIT_CIGAR || has_cigar(got, k, right->cigar);

        check->n_compared++;
        if (got->score[k] == right->score && same_cigar &&
            (!identity ||
             (got->matches[k] == right->matches && got->columns[k] == right->columns)))
            continue;
        if (check->n_wrong++ == 0)
            log_error(
                "%s, %s, %s, ends %s, band %s, scores %s: '%s' and '%s' should have "
                "score, matches, columns %d %d %d, not %d %d %d%s",
                check->label, check->backend->base.name, align_emit_name[check->emit],
                align_ends_name[check->ends], check->band ? "auto" : "off",
                scorings[scoring].name, seqset_name(cases->set, t->pairs[k].query),
                seqset_name(cases->set, t->pairs[k].target), right->score, right->matches,
                right->columns, got->score[k],
                identity ? got->matches[k] : right->matches,
                identity ? got->columns[k] : right->columns,
                same_cigar ? "" : ", and the CIGAR differs");
    }
}

/* Compare a backend with the reference, on the pairs that it takes under one scoring. */
static status_t compare(selftest_t *t, check_t *check, int scoring)
{
    align_spec_t spec = spec_of(scoring, check->emit, check->ends);
    const cases_t *cases = &t->cases;
    align_context_t context = {
        check->device, t->pool, cases->set, &spec, {.band = check->band}};
    pair_results_t got;
    void *state = NULL;
    int64_t n = 0;
    status_t st;

    for (int64_t i = 0; i < cases->n; i++)
        if (aligner_backend_takes(check->backend, &context,
                                  seqset_len(cases->set, cases->pairs[i].query),
                                  seqset_len(cases->set, cases->pairs[i].target))) {
            t->index[n] = i;
            t->pairs[n++] = cases->pairs[i];
        }
    if (n == 0)
        return ST_OK;
    st = check->backend->create(&context, &state);
    if (st == ST_OK && (st = align(check, state, t->pairs, n, &got)) == ST_OK)
        count_wrong(t, check, scoring, n, &got);
    if (state != NULL)
        check->backend->destroy(state);
    return st;
}

/* Time a backend on 16S-like pairs: ever more of them, until a run takes TIMED_S. */
static status_t measure(selftest_t *t, check_t *check, pair_t *pairs)
{
    align_spec_t spec = spec_of(0, check->emit, check->ends);
    align_context_t context = {
        check->device, t->pool, t->cases.set, &spec, {.band = check->band}};
    pair_results_t got;
    void *state = NULL;
    double seconds = 0;
    status_t st;

    if (!aligner_backend_takes(check->backend, &context, 1500, 1500))
        return ST_OK;
    st = check->backend->create(&context, &state);
    for (int64_t n = 4; st == ST_OK && n <= N_TIMED_MAX && seconds < TIMED_S; n *= 4) {
        double start, cells = 0;

        for (int64_t i = 0; i < n; i++) {
            int64_t a = i % TIMED_SIDE, b = (i / TIMED_SIDE + i + 1) % TIMED_SIDE;

            pairs[i] = (pair_t){(int32_t)a, (int32_t)b};
            cells +=
                (double)seqset_len(t->cases.set, a) * (double)seqset_len(t->cases.set, b);
        }
        start = clock_now_s();
        st = align(check, state, pairs, n, &got);
        seconds = clock_now_s() - start;
        check->cells_per_s = cells / seconds;
    }
    if (state != NULL)
        check->backend->destroy(state);
    return st;
}

static void show(const selftest_t *t, const char *text, int64_t round, int k)
{
    char bar[96];

    snprintf(bar, sizeof(bar), "selftest, round %" PRId64 ": %s %d of %d", round, text, k,
             t->n_checks);
    if (t->has_bar)
        log_bar(bar);
}

/* Run every check once, on the sequences of this round. */
static status_t run_round(selftest_t *t, int64_t round, uint64_t seed)
{
    pair_t *timed = malloc(N_TIMED_MAX * sizeof(*timed));
    status_t st = make_cases(seed, &t->cases);

    show(t, "the reference", round, 0);
    for (int k = 0; st == ST_OK && k < N_ENDS * N_SCORINGS; k++)
        st = align_cases(&t->cases, k / N_ENDS, (align_ends_t)(k % N_ENDS), t->pool);
    t->pairs = malloc((size_t)t->cases.n * sizeof(*t->pairs));
    t->index = malloc((size_t)t->cases.n * sizeof(*t->index));
    if (st == ST_OK && (timed == NULL || t->pairs == NULL || t->index == NULL))
        st = log_nomem("pairs");
    for (int k = 0; st == ST_OK && k < t->n_checks; k++) {
        check_t *check = &t->checks[k];
        status_t done = check->failed ? ST_EDEVICE : ST_OK;
        int scoring = is_reference(check->backend) ? N_SCORINGS - 1 : 0;

        show(t, "check", round, k + 1);
        for (; done == ST_OK && scoring < N_SCORINGS; scoring++)
            done = compare(t, check, scoring);
        if (done == ST_OK && check->cells_per_s <= 0)
            done = measure(t, check, timed);
        check->failed = done != ST_OK; /* logged; the other checks go on */
    }
    if (t->has_bar)
        log_bar(NULL);
    free(timed);
    free(t->pairs);
    free(t->index);
    free_cases(&t->cases);
    return st;
}

static void print_devices(const selftest_t *t)
{
    printf("cpu: %s, %d threads\n", device_cpu().name, pool_n_threads(t->pool));
    for (int i = 0; i < t->n_gpus; i++)
        printf("cuda:%d: %s\n", t->gpus[i].index, t->gpus[i].name);
    if (t->n_gpus == 0 && device_list_cuda((device_t[DEVICES_MAX]){{0}}) == 0)
        printf("cuda: none: %s\n", device_cuda_absence());
}

static void print_result(const check_t *check, bool coloured)
{
    bool bad = check->failed || check->n_wrong > 0;
    const char *colour = bad                     ? "\033[31m"
                         : check->n_compared > 0 ? "\033[32m"
                                                 : "\033[2m";

    printf("  %s", coloured ? colour : "");
    if (check->failed)
        printf("FAILED");
    else if (check->n_wrong > 0)
        printf("DIFFERS: %" PRId64, check->n_wrong);
    else
        printf("%s", check->n_compared > 0 ? "ok" : "does not take");
    printf("%s\n", coloured ? "\033[0m" : "");
}

/* @return the number of checks that failed */
static int print_table(const selftest_t *t)
{
    bool coloured = isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL;
    int n_bad = 0, n_good = 0;

    printf("\n%-12s  %-12s  %-8s  %-6s  %-4s  %9s  %10s  %s\n", "device", "kernel",
           "output", "ends", "band", "pairs", "GCUPS", "result");
    for (int k = 0; k < t->n_checks; k++) {
        const check_t *check = &t->checks[k];
        char rate[24] = "-";

        if (check->cells_per_s > 0)
            snprintf(rate, sizeof(rate), "%.2f", 1e-9 * check->cells_per_s);
        printf("%-12s  %-12s  %-8s  %-6s  %-4s  %9" PRId64 "  %10s", check->label,
               check->backend->base.name, align_emit_name[check->emit],
               align_ends_name[check->ends], check->band ? "auto" : "off",
               check->n_compared, rate);
        print_result(check, coloured);
        n_bad += check->failed || check->n_wrong > 0;
        n_good += !check->failed && check->n_wrong == 0 && check->n_compared > 0;
    }
    printf("\n%d good, %d bad\n", n_good, n_bad);
    return n_bad;
}

static status_t test(selftest_t *t, const args_t *a)
{
    double start = clock_now_s();
    status_t st = ST_OK;
    int n_bad;

    print_devices(t);
    fflush(stdout);
    list_checks(t);
    for (int64_t round = 1;
         st == ST_OK &&
         (round == 1 || clock_now_s() - start < 0.5 * (double)a->half_seconds);
         round++)
        st = run_round(t, round, (uint64_t)(a->seed + round - 1));
    if (st != ST_OK)
        return st;
    if ((n_bad = print_table(t)) == 0)
        return ST_OK;
    log_error(
        "selftest: %d checks failed; avoid these kernels with --kernel or --device, "
        "and report this output",
        n_bad);
    return ST_EDEVICE;
}

/* Find the devices to test: those of --device and --kernel, or all. */
static status_t choose_devices(selftest_t *t, job_opts_t *o)
{
    char why[JOB_OPTS_WHY_BYTES];
    device_t one = device_cpu();
    bool is_all;
    status_t st = job_opts_settle_device(&o->device, o->kernel, &aligner_table, why);

    if (st != ST_OK)
        return options_misuse(&cmd_selftest, "%s", why);
    is_all = strcmp(o->device, "auto") == 0;
    if (!is_all && (st = one_device_find(&cmd_selftest, o->device, &one)) != ST_OK)
        return st;
    t->kernel = o->kernel;
    if (is_all)
        t->n_gpus = device_list_cuda(t->gpus);
    else if (device_is_gpu(&one))
        t->gpus[t->n_gpus++] = one;
    for (int level = 0; !device_is_gpu(&one) && level <= (int)one.simd; level++) {
        t->cpus[t->n_cpus] = one;
        t->cpus[t->n_cpus++].simd = (simd_level_t)level;
    }
    return ST_OK;
}

static void defaults(void *args)
{
    ((args_t *)args)->seed = 1;
}

static status_t run(void *args)
{
    args_t *a = args;
    selftest_t t = {.has_bar = log_has_terminal(NULL)};
    status_t st = choose_devices(&t, &a->common);

    if (st != ST_OK)
        return st;
    if ((t.checks = malloc(CHECKS_MAX * sizeof(*t.checks))) == NULL)
        return log_nomem("the table");
    if ((st = job_opts_pool(&a->common, &t.pool)) == ST_OK)
        st = test(&t, a);
    pool_destroy(t.pool);
    free(t.checks);
    return st;
}

const command_t cmd_selftest = {
    .name = "selftest",
    .summary = "compare every kernel on every device of this machine with the reference",
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "Prints one line per device, kernel and output: the number of pairs, compared "
        "bit for "
        "bit,\nthe speed on 16S-like pairs, and the result: ok, DIFFERS or FAILED "
        "('does not take'\nis not an error).\n"
        "Without --device and --kernel all are compared, without a GPU those of the "
        "CPU.\n"
        "Exit codes: 0 all ok, 1 a kernel differs or fails, 2 invalid command line.\n",
    .example = "ribogrid selftest",
    .on_all_ranks = true,
    .defaults = defaults,
    .run = run,
};
