/*
 * sync_programs.c - runs programs with each kind of barrier, prints and draws them.
 */
#include "bench/sync/sync_programs.h"

#include "bench/sync/programs/sync_program.h"
#include "io/report/report_figures.h"

#include <math.h>

#ifdef RIBOGRID_HAVE_CUDA
#define ON_GPU(run) run
#else
#define ON_GPU(run) NULL
#endif

static const struct {
    const char *name, *sizes, *peer;
    int min, max; /* binary logarithms of sizes */
    int variant;
    sync_program_fn_t *run;
} programs[] = {/* in the order of SYNC_PROGRAM_NAMES */
                {"fft", "20,21,22", "cuFFT", 12, 26, SYNC_FFT_FEW, ON_GPU(sync_fft_run)},
                {"fft-radix-2", "12,16,20", "cuFFT", 12, 26, 1, ON_GPU(sync_fft_run)},
                {"bitonic", "12,13,14,15,16,18,20,22", "CUB", 12, 24, SYNC_BITONIC_TILES,
                 ON_GPU(sync_bitonic_run)},
                {"bitonic-strides", "12,16", "CUB", 12, 24, SYNC_BITONIC_STRIDES,
                 ON_GPU(sync_bitonic_run)},
                {"sw-naive", "11", NULL, 5, 13, SYNC_SW_NAIVE, ON_GPU(sync_sw_run)},
                {"sw-simple", "11", NULL, 5, 13, SYNC_SW_SIMPLE, ON_GPU(sync_sw_run)},
                {"sw-coalesced", "11", NULL, 5, 13, SYNC_SW_COALESCED,
                 ON_GPU(sync_sw_run)},
                {"sw-tiled", "11", NULL, 5, 13, SYNC_SW_TILED, ON_GPU(sync_sw_run)}};

enum { N_PROGRAMS = sizeof(programs) / sizeof(programs[0]) };
enum { BARS_MAX = N_PROGRAMS * SYNC_PROGRAM_KINDS, PARTS = 2, LABEL_BYTES = 48 };

static const double MS = 1e3;

/* Bars of the chart: milliseconds of each kind. */
typedef struct {
    int n;
    char labels[BARS_MAX][LABEL_BYTES];
    double values[BARS_MAX][PARTS];
} chart_t;

/* Lines of a chart per program: milliseconds of each kind over the blocks. */
typedef struct {
    int n_charts, n_points[SYNC_PROGRAM_KINDS * N_PROGRAMS];
    char titles[N_PROGRAMS][LABEL_BYTES], ids[N_PROGRAMS][LABEL_BYTES];
    double x[SYNC_PROGRAM_KINDS * N_PROGRAMS][BENCH_LIST_MAX],
        y[SYNC_PROGRAM_KINDS * N_PROGRAMS][BENCH_LIST_MAX];
} lines_t;

static bool is_wanted(const sync_programs_opts_t *o, int k)
{
    return o->program == N_PROGRAMS || o->program == k;
}

static bool sizes_of(const sync_programs_opts_t *o, int k, bench_list_t *out)
{
    const bench_numbers_t allowed = {"sizes", programs[k].min, programs[k].max, false,
                                     false};

    return bench_list_parse(&allowed, o->sizes != NULL ? o->sizes : programs[k].sizes,
                            out);
}

status_t sync_programs_check(const command_t *command, const sync_programs_opts_t *o)
{
    bench_list_t sizes;

    if (o->only >= SYNC_PROGRAM_KINDS)
        return options_misuse(command, "--barrier %s: programs do not run with it",
                              sync_kind_name[o->only]);
    for (int k = 0; k < N_PROGRAMS; k++)
        if (is_wanted(o, k) && !sizes_of(o, k, &sizes))
            return options_misuse(command,
                                  "--sizes %s: give binary logarithms from %d to %d for "
                                  "the program %s",
                                  o->sizes, programs[k].min, programs[k].max,
                                  programs[k].name);
    return ST_OK;
}

/* @return the share of a kind that is not work */
static double share_of(const sync_program_times_t *t, int kind)
{
    return fmax(0, 1 - t->work_s / t->s[kind]);
}

/* @param blocks  of the grid; 0: as many as fit */
static void print_tsv(int k, int size, int blocks, const sync_program_times_t *t)
{
    for (int kind = 0; kind < SYNC_PROGRAM_KINDS; kind++)
        if (t->s[kind] > 0)
            printf("%s\t%d\t%d\t%d\t%s\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.1e\n",
                   programs[k].name, size, blocks, t->n_rounds, sync_kind_name[kind],
                   t->s[kind] * MS, t->work_s * MS, t->peer_s * MS, t->serial_s * MS,
                   t->trace_s * MS, t->copy_s * MS, t->error);
}

static void print_text(int k, int size, int blocks, const sync_program_times_t *t)
{
    const double launch_s = t->s[SYNC_LAUNCH];

    printf("%s of 2^%d, %d rounds", programs[k].name, size, t->n_rounds);
    if (blocks > 0)
        printf(", %d blocks", blocks);
    printf(": one core %.4f ms", t->serial_s * MS);
    if (programs[k].peer != NULL && t->peer_s > 0)
        printf(", %s %.4f ms", programs[k].peer, t->peer_s * MS);
    else if (programs[k].peer != NULL)
        printf(", %s not found", programs[k].peer);
    if (t->error > 0)
        printf(", error %.1e", t->error);
    if (t->trace_s > 0)
        printf(", path on the GPU %.4f ms, matrix to the host %.4f ms", t->trace_s * MS,
               t->copy_s * MS);
    printf("\n  %-14s %9s %6s %6s %9s\n", "barrier", "ms", "share", "gain", "of peer");
    for (int kind = 0; kind < SYNC_PROGRAM_KINDS; kind++) {
        if (t->s[kind] <= 0)
            continue;
        printf("  %-14s %9.4f %5.0f%%", sync_kind_name[kind], t->s[kind] * MS,
               100 * share_of(t, kind));
        if (launch_s > 0)
            printf(" %5.0f%%", 100 * (1 - t->s[kind] / launch_s) + 0.0);
        else
            printf(" %6s", "-");
        if (t->peer_s > 0)
            printf(" %9.2f\n", t->s[kind] / t->peer_s);
        else
            printf(" %9s\n", "-");
    }
}

/* Add a program to the chart, in place of its size before. */
static void add_bars(chart_t *c, int first, int k, int size,
                     const sync_program_times_t *t)
{
    c->n = first;
    for (int kind = 0; kind < SYNC_PROGRAM_KINDS; kind++) {
        if (t->s[kind] <= 0)
            continue;
        const double ms = t->s[kind] * MS, share = share_of(t, kind);

        snprintf(c->labels[c->n], LABEL_BYTES, "%s 2^%d, %s", programs[k].name, size,
                 sync_kind_name[kind]);
        c->values[c->n][0] = ms * (1 - share);
        c->values[c->n++][1] = ms * share;
    }
}

/* Add a program to the lines, in place of its size before.
 * @param is_first  of the numbers of blocks */
static void add_points(lines_t *l, int k, int size, int blocks,
                       const sync_program_times_t *t, bool is_first)
{
    snprintf(l->ids[l->n_charts], LABEL_BYTES, "%s", programs[k].name);
    snprintf(l->titles[l->n_charts], LABEL_BYTES, "%s of 2^%d: blocks (log scale)",
             programs[k].name, size);
    for (int kind = 0; kind < SYNC_PROGRAM_KINDS; kind++) {
        const int line = l->n_charts * SYNC_PROGRAM_KINDS + kind;
        int *n = &l->n_points[line];

        *n = is_first ? 0 : *n;
        if (t->s[kind] <= 0 || (kind == SYNC_CLUSTER && blocks > SYNC_CLUSTER_MAX))
            continue;
        l->x[line][*n] = blocks;
        l->y[line][(*n)++] = t->s[kind] * MS;
    }
}

/* Run a program at one size, with each number of blocks. */
static status_t run_size(const device_t *gpu, const sync_programs_opts_t *o, int k,
                         int size, chart_t *chart, lines_t *lines)
{
    const int first = chart->n, n_blocks = o->blocks != NULL ? o->blocks->n : 1;
    status_t st = ST_OK;

    for (int i = 0; i < n_blocks; i++) {
        const int blocks = o->blocks != NULL ? (int)o->blocks->at[i] : 0;
        const sync_program_setup_t setup = {programs[k].name, programs[k].variant, size,
                                            o->only, blocks};
        sync_program_times_t t;

        if ((st = programs[k].run(gpu, &setup, &t)) != ST_OK)
            return st;
        if (o->tsv)
            print_tsv(k, size, blocks, &t);
        else
            print_text(k, size, blocks, &t);
        add_bars(chart, first, k, size, &t);
        if (o->blocks != NULL)
            add_points(lines, k, size, blocks, &t, i == 0);
    }
    return st;
}

/* Run a program at all of its sizes. */
static status_t run_program(const device_t *gpu, const sync_programs_opts_t *o, int k,
                            chart_t *chart, lines_t *lines)
{
    const int first = chart->n;
    bench_list_t sizes;
    status_t st = ST_OK;

    if (!sizes_of(o, k, &sizes))
        return ST_EUSAGE;
    for (int i = 0; st == ST_OK && i < sizes.n; i++) {
        chart->n = first; /* the last size is drawn */
        st = run_size(gpu, o, k, (int)sizes.at[i], chart, lines);
    }
    lines->n_charts++;
    return st;
}

static void draw_lines(FILE *to, const lines_t *l)
{
    report_series_t series[SYNC_PROGRAM_KINDS * N_PROGRAMS];
    report_lines_t charts[N_PROGRAMS];

    for (int c = 0, n = 0; c < l->n_charts; c++) {
        charts[c] = (report_lines_t){.id = l->ids[c],
                                     .label = "Time of a program over blocks",
                                     .x_title = l->titles[c],
                                     .y_title = "time",
                                     .y_unit = " ms",
                                     .is_x_log = true,
                                     .series = &series[n]};
        for (int kind = 0; kind < SYNC_PROGRAM_KINDS; kind++) {
            const int line = c * SYNC_PROGRAM_KINDS + kind;

            if (l->n_points[line] == 0)
                continue;
            series[n++] = (report_series_t){sync_kind_name[kind],
                                            l->n_points[line],
                                            l->x[line],
                                            l->y[line],
                                            true,
                                            true};
            charts[c].n_series++;
        }
    }
    report_lines_picture(to, "Programs over the number of their blocks", charts,
                         l->n_charts);
}

static void draw(FILE *to, const chart_t *c)
{
    static const char *const parts[PARTS] = {"work", "synchronisation"};
    const char *bars[BARS_MAX];

    for (int i = 0; i < c->n; i++)
        bars[i] = c->labels[i];
    report_shares_picture(to, "Programs whose blocks wait for each other",
                          &(report_shares_t){.id = "programs",
                                             .label = "Share of synchronisation",
                                             .title = "share of the time",
                                             .unit = " ms",
                                             .bars = bars,
                                             .parts = parts,
                                             .values = &c->values[0][0],
                                             .n_bars = c->n,
                                             .n_parts = PARTS});
}

status_t sync_programs_run(const device_t *gpu, const sync_programs_opts_t *o, FILE *svg)
{
    static chart_t chart;
    static lines_t lines;
    status_t st = ST_OK;

    if (o->tsv)
        puts("program\tlog2_size\tblocks\trounds\tbarrier\tms\tms_without_barriers\t"
             "ms_of_peer\tms_serial\tms_path\tms_copy\terror");
    else
        printf("%s, %d multiprocessors; share: of synchronisation; gain: over a launch "
               "per round\n\n",
               gpu->name, gpu->n_cores);
    for (int k = 0; st == ST_OK && k < N_PROGRAMS; k++)
        if (is_wanted(o, k))
            st = run_program(gpu, o, k, &chart, &lines);
    if (st == ST_OK && svg != NULL && o->blocks != NULL)
        draw_lines(svg, &lines);
    else if (st == ST_OK && svg != NULL)
        draw(svg, &chart);
    return st;
}
