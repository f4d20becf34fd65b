/*
 * cmd_selftest.c - `ribogrid selftest`: every kernel of every device of this machine
 * against the reference.
 */
#include "io/base/logmsg.h"
#include "tools/commands.h"
#include "tools/selftest_pairs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINES_MAX = 4096, LABEL_BYTES = 24, N_TIMED_MAX = 1 << 16, TIMED_SIDE = 12 };

static const double TIMED_S = 0.05;

typedef struct {
    int64_t seconds, threads;
} args_t;

#define AT(member) offsetof(args_t, member)

static const option_t options[] = {
    {OPTION_INT, "seconds", 0, AT(seconds), "N",
     "go on with other sequences for about so long (once through)", 0, 1000000},
    {OPTION_INT, "threads", 0, AT(threads), "N", "threads of the CPU (all processors)", 1,
     4096},
    {OPTION_END, NULL, 0, 0, NULL, NULL, 0, 0}};

/* A line of the table: one way to compute. */
typedef struct {
    char label[LABEL_BYTES]; /* the device's */
    const device_t *device;
    const aligner_backend_t *row;
    align_emit_t emit;
    align_ends_t ends;
    bool band;
    int64_t n_compared, n_wrong;
    double cells_per_s; /* 0: not timed */
    bool failed;
} line_t;

typedef struct {
    device_t cpus[SIMD_AVX512 + 1], gpus[DEVICES_MAX];
    int n_cpus, n_gpus;
    pool_t *pool;
    line_t *lines; /* [LINES_MAX] */
    int n_lines;
    selftest_pairs_t c;
    pair_t *pairs;  /* [c.n] that a row takes */
    int64_t *index; /* [c.n] of these among c.pairs */
    bool has_bar;
} selftest_t;

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add_lines(selftest_t *t, const char *label, const device_t *device,
                      const aligner_backend_t *row, bool has_band)
{
    for (int k = 0; k < 3 * 2 * SELFTEST_ENDS; k++) {
        line_t line = {.device = device,
                       .row = row,
                       .emit = (align_emit_t)(k / (2 * SELFTEST_ENDS)),
                       .ends = (align_ends_t)(k / 2 % SELFTEST_ENDS),
                       .band = k % 2 != 0};
        bool makes_sense = !line.band || (has_band && line.ends != ENDS_QUERY);

        snprintf(line.label, sizeof(line.label), "%s", label);
        if (makes_sense && t->n_lines < LINES_MAX)
            t->lines[t->n_lines++] = line;
    }
}

/* Every row on every device; the CPU is one device for each level of SIMD that it has.
 * The scalar row knows no levels and no band. */
static void list_lines(selftest_t *t)
{
    const aligner_backend_t *const *rows = aligner_backends();
    char label[LABEL_BYTES];

    for (int i = 0; i < t->n_gpus; i++)
        for (int r = 0; rows[r] != NULL; r++) {
            snprintf(label, sizeof(label), "cuda:%d", t->gpus[i].index);
            if (rows[r]->kind == DEVICE_CUDA)
                add_lines(t, label, &t->gpus[i], rows[r], true);
        }
    for (int level = t->n_cpus - 1; level >= 0; level--)
        for (int r = 0; rows[r] != NULL; r++) {
            bool is_scalar = strcmp(rows[r]->name, "scalar") == 0;

            snprintf(label, sizeof(label), "cpu%s%s", level > 0 ? "/" : "",
                     level > 0 ? device_simd_name((simd_level_t)level) : "");
            if (rows[r]->kind == DEVICE_CPU && (level == 0 || !is_scalar))
                add_lines(t, label, &t->cpus[level], rows[r], !is_scalar);
        }
}

static status_t align(const line_t *l, void *state, const pair_t *pairs, int64_t n,
                      pair_results_t *out)
{
    pair_batch_t batch = {pairs, n};
    status_t st = l->row->submit(state, &batch);

    return st == ST_OK ? l->row->wait(state, out) : st;
}

/* Whether pair k has the runs that the digest is of. */
static bool has_cigar(const pair_results_t *got, int64_t k, uint64_t digest)
{
    return selftest_pairs_digest(got->cigar + got->cigar_start[k],
                                 got->cigar_start[k + 1] - got->cigar_start[k]) == digest;
}

/* Count the pairs that differ, and tell the first of all. */
static void count_wrong(const selftest_t *t, line_t *l, int scoring, int64_t n,
                        const pair_results_t *got)
{
    const selftest_pairs_t *c = &t->c;

    for (int64_t k = 0; k < n; k++) {
        int64_t i = t->index[k];
        int32_t score = c->score[scoring][l->ends][i];
        int32_t matches = c->matches[scoring][l->ends][i];
        int32_t columns = c->columns[scoring][l->ends][i];
        bool identity = l->emit != EMIT_SCORE;
        bool same_cigar =
            l->emit != EMIT_CIGAR || has_cigar(got, k, c->cigar[scoring][l->ends][i]);

        l->n_compared++;
        if (got->score[k] == score && same_cigar &&
            (!identity || (got->matches[k] == matches && got->columns[k] == columns)))
            continue;
        if (l->n_wrong++ == 0)
            log_error(
                "%s, %s, %s, ends %s, band %s, scores %s: '%s' and '%s' have score, "
                "matches, columns %d %d %d, not %d %d %d%s",
                l->label, l->row->name, align_emit_name[l->emit],
                align_ends_name[l->ends], l->band ? "auto" : "off",
                selftest_pairs_scoring_name(scoring),
                seqset_name(c->set, t->pairs[k].query),
                seqset_name(c->set, t->pairs[k].target), score, matches, columns,
                got->score[k], identity ? got->matches[k] : matches,
                identity ? got->columns[k] : columns,
                same_cigar ? "" : ", and another CIGAR");
    }
}

/* Compare a row on the pairs that it takes under one scoring. */
static status_t compare(selftest_t *t, line_t *l, int scoring)
{
    align_spec_t spec = selftest_pairs_spec(scoring, l->emit, l->ends, l->band);
    const selftest_pairs_t *c = &t->c;
    pair_results_t got;
    void *state = NULL;
    int64_t n = 0;
    status_t st;

    for (int64_t i = 0; i < c->n; i++)
        if (l->row->takes(l->device, &spec, seqset_len(c->set, c->pairs[i].query),
                          seqset_len(c->set, c->pairs[i].target))) {
            t->index[n] = i;
            t->pairs[n++] = c->pairs[i];
        }
    if (n == 0)
        return ST_OK;
    st = l->row->create(l->device, t->pool, c->set, &spec, &state);
    if (st == ST_OK && (st = align(l, state, t->pairs, n, &got)) == ST_OK)
        count_wrong(t, l, scoring, n, &got);
    if (state != NULL)
        l->row->destroy(state);
    return st;
}

/* Time a row on more and more 16S-like pairs of the case. */
static status_t measure(selftest_t *t, line_t *l, pair_t *pairs)
{
    align_spec_t spec = selftest_pairs_spec(0, l->emit, l->ends, l->band);
    pair_results_t got;
    void *state = NULL;
    double seconds = 0;
    status_t st;

    if (!l->row->takes(l->device, &spec, 1500, 1500))
        return ST_OK;
    st = l->row->create(l->device, t->pool, t->c.set, &spec, &state);
    for (int64_t n = 4; st == ST_OK && n <= N_TIMED_MAX && seconds < TIMED_S; n *= 4) {
        double start, cells = 0;

        for (int64_t i = 0; i < n; i++) {
            int64_t a = i % TIMED_SIDE, b = (i / TIMED_SIDE + i + 1) % TIMED_SIDE;

            pairs[i] = (pair_t){(int32_t)a, (int32_t)b};
            cells += (double)seqset_len(t->c.set, a) * (double)seqset_len(t->c.set, b);
        }
        start = now_s();
        st = align(l, state, pairs, n, &got);
        seconds = now_s() - start;
        l->cells_per_s = cells / seconds;
    }
    if (state != NULL)
        l->row->destroy(state);
    return st;
}

static void show(const selftest_t *t, const char *text, int64_t round, int k)
{
    char bar[96];

    snprintf(bar, sizeof(bar), "selftest, round %" PRId64 ": %s %d of %d", round, text, k,
             t->n_lines);
    if (t->has_bar)
        log_bar(bar);
}

/* All lines once, on sequences of their own. */
static status_t run_round(selftest_t *t, int64_t round)
{
    pair_t *timed = malloc(N_TIMED_MAX * sizeof(*timed));
    status_t st = selftest_pairs_make((uint64_t)round, &t->c);

    show(t, "the reference", round, 0);
    for (int k = 0; st == ST_OK && k < SELFTEST_ENDS * SELFTEST_SCORINGS; k++)
        st = selftest_pairs_align(&t->c, k / SELFTEST_ENDS,
                                  (align_ends_t)(k % SELFTEST_ENDS), t->pool);
    t->pairs = malloc((size_t)t->c.n * sizeof(*t->pairs));
    t->index = malloc((size_t)t->c.n * sizeof(*t->index));
    if (st == ST_OK && (timed == NULL || t->pairs == NULL || t->index == NULL))
        st = log_nomem("pairs");
    for (int k = 0; st == ST_OK && k < t->n_lines; k++) {
        line_t *l = &t->lines[k];
        status_t done = l->failed ? ST_EDEVICE : ST_OK;

        show(t, "line", round, k + 1);
        for (int scoring = 0; done == ST_OK && scoring < SELFTEST_SCORINGS; scoring++)
            done = compare(t, l, scoring);
        if (done == ST_OK && l->cells_per_s <= 0)
            done = measure(t, l, timed);
        l->failed = done != ST_OK; /* which was logged; the others go on */
    }
    if (t->has_bar)
        log_bar(NULL);
    free(timed);
    free(t->pairs);
    free(t->index);
    selftest_pairs_free(&t->c);
    return st;
}

static void print_devices(const selftest_t *t)
{
    const device_t *cpu = &t->cpus[t->n_cpus - 1];

    printf("cpu: %s, %d threads\n", cpu->name, pool_n_threads(t->pool));
    for (int i = 0; i < t->n_gpus; i++)
        printf("cuda:%d: %s\n", t->gpus[i].index, t->gpus[i].name);
    if (t->n_gpus == 0)
        printf("cuda: none: %s\n", device_cuda_absence());
}

static void print_result(const line_t *l, bool coloured)
{
    bool bad = l->failed || l->n_wrong > 0;
    const char *colour = bad ? "\033[31m" : l->n_compared > 0 ? "\033[32m" : "\033[2m";

    printf("  %s", coloured ? colour : "");
    if (l->failed)
        printf("FAILED");
    else if (l->n_wrong > 0)
        printf("DIFFERS: %" PRId64, l->n_wrong);
    else
        printf("%s", l->n_compared > 0 ? "ok" : "does not take");
    printf("%s\n", coloured ? "\033[0m" : "");
}

/* @return how many lines are bad */
static int print_table(const selftest_t *t)
{
    bool coloured = isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL;
    int n_bad = 0, n_good = 0;

    printf("\n%-12s  %-12s  %-8s  %-5s  %-4s  %9s  %10s  %s\n", "device", "kernel",
           "output", "ends", "band", "pairs", "GCUPS", "result");
    for (int k = 0; k < t->n_lines; k++) {
        const line_t *l = &t->lines[k];
        char rate[24] = "-";

        if (l->cells_per_s > 0)
            snprintf(rate, sizeof(rate), "%.2f", 1e-9 * l->cells_per_s);
        printf("%-12s  %-12s  %-8s  %-5s  %-4s  %9" PRId64 "  %10s", l->label,
               l->row->name, align_emit_name[l->emit], align_ends_name[l->ends],
               l->band ? "auto" : "off", l->n_compared, rate);
        print_result(l, coloured);
        n_bad += l->failed || l->n_wrong > 0;
        n_good += !l->failed && l->n_wrong == 0 && l->n_compared > 0;
    }
    printf("\n%d good, %d bad\n", n_good, n_bad);
    return n_bad;
}

static status_t test(selftest_t *t, const args_t *a)
{
    double start = now_s();
    status_t st = ST_OK;
    int n_bad;

    print_devices(t);
    fflush(stdout);
    list_lines(t);
    for (int64_t round = 1;
         st == ST_OK && (round == 1 || now_s() - start < (double)a->seconds); round++)
        st = run_round(t, round);
    if (st != ST_OK)
        return st;
    if ((n_bad = print_table(t)) == 0)
        return ST_OK;
    log_error("selftest: %d ways to compute do not work here; do not use their kernels "
              "(--kernel, --device), and report this output",
              n_bad);
    return ST_EDEVICE;
}

static int run(int argc, char **argv)
{
    args_t a = {0};
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    selftest_t t = {.has_bar = log_has_terminal(NULL)};
    device_t cpu = device_cpu();
    status_t st = options_parse(&cmd_selftest, argc, argv, &a, words);

    if (st != ST_OK)
        return status_exit_code(st);
    for (int level = 0; level <= (int)cpu.simd; level++) {
        t.cpus[t.n_cpus] = cpu;
        t.cpus[t.n_cpus++].simd = (simd_level_t)level;
    }
    t.n_gpus = device_list_cuda(t.gpus);
    if ((t.lines = malloc(LINES_MAX * sizeof(*t.lines))) == NULL)
        return status_exit_code(log_nomem("the table"));
    if ((st = pool_create(a.threads > 0 ? (int)a.threads : cpu.n_cores, &t.pool)) ==
        ST_OK)
        st = test(&t, &a);
    pool_destroy(t.pool);
    free(t.lines);
    return status_exit_code(st);
}

const command_t cmd_selftest = {
    .name = "selftest",
    .summary = "compare every kernel of this machine's devices with the reference",
    .usage = "[options]",
    .options = options,
    .notes = "A line tells a device, a kernel and an output; the pairs compared, bit for "
             "bit; and\nthe speed on 16S-like pairs.  ok, DIFFERS or FAILED; 'does not "
             "take' is no fault.\n"
             "Exit codes: 0 all is well, 1 something differs or fails, 2 wrong usage.\n",
    .example = "ribogrid selftest",
    .n_words_min = 0,
    .n_words_max = 0,
    .run = run,
};
