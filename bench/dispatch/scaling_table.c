/*
 * scaling_table.c - derives loads and limits from simulated runs, prints and draws them.
 */
#include "bench/dispatch/dispatch_bench.h"

#include "io/report/report_figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_COLUMNS = 18 };

static double per_run_second(const scaling_row_t *r, double seconds)
{
    return r->run.seconds > 0 ? seconds / r->run.seconds : 0;
}

static double storer_cpu_s(const scaling_row_t *r)
{
    return r->store_cpu_s * (double)r->run.n_stored;
}

/* CPU time of rank 0's main thread: receiving messages and acting on them. */
static double main_s(const scaling_row_t *r)
{
    return r->run.dispatch_s + r->run.receive_s;
}

scaling_limit_t scaling_table_limit(const scaling_row_t *r)
{
    double n = (double)r->run.n_results, each = r->results_per_s / (double)r->n_ranks;
    const struct {
        const char *what;
        double seconds; /* per result */
    } resources[] = {{"store", r->store_s / (double)r->n_shards},
                     {"dispatcher", main_s(r) / n},
                     {"link", r->run.link_s / n}};
    scaling_limit_t limit = {"none", INFINITY};

    for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++)
        if (1 / (resources[i].seconds * each) < limit.n_ranks)
            limit =
                (scaling_limit_t){resources[i].what, 1 / (resources[i].seconds * each)};
    return limit;
}

static const char *const names[N_COLUMNS] = {
    "ranks",       "shards",        "sequences",   "tiles",           "tile_bytes",
    "seconds",     "utilization",   "rank0_load",  "dispatcher_load", "receive_load",
    "storer_load", "store_busy",    "link_busy",   "unused",          "messages_per_s",
    "bytes_per_s", "us_per_result", "saturated_at"};

static void values_of(const scaling_row_t *r, double out[N_COLUMNS])
{
    const simulated_run_t *s = &r->run;
    double n = (double)s->n_results;
    const double values[N_COLUMNS] = {(double)r->n_ranks,
                                      (double)r->n_shards,
                                      (double)r->n_sequences,
                                      (double)r->n_tiles,
                                      (double)r->tile_bytes,
                                      s->seconds,
                                      s->utilization,
                                      per_run_second(r, main_s(r) + storer_cpu_s(r)),
                                      per_run_second(r, s->dispatch_s),
                                      per_run_second(r, s->receive_s),
                                      per_run_second(r, storer_cpu_s(r)),
                                      per_run_second(r, s->store_s),
                                      per_run_second(r, s->link_s),
                                      s->n_unused,
                                      per_run_second(r, (double)s->n_messages),
                                      per_run_second(r, n * (double)r->tile_bytes),
                                      1e6 * main_s(r) / n,
                                      scaling_table_limit(r).n_ranks};

    memcpy(out, values, sizeof(values));
}

/* Print counts in full, other values with four digits. */
static void print_value(double value)
{
    printf(value == floor(value) && fabs(value) < 1e12 ? "%.0f" : "%.4g", value);
}

void scaling_table_print_tsv(const scaling_row_t *rows, int n)
{
    for (int k = 0; k < N_COLUMNS; k++)
        printf("%s\t", names[k]);
    printf("limit\n");
    for (int i = 0; i < n; i++) {
        double values[N_COLUMNS];

        values_of(&rows[i], values);
        for (int k = 0; k < N_COLUMNS; k++) {
            print_value(values[k]);
            printf("\t");
        }
        printf("%s\n", scaling_table_limit(&rows[i]).what);
    }
}

/* ---- the chart ---- */

static double percent(double fraction)
{
    return 100 * fmin(fmax(fraction, 0), 1);
}

void scaling_chart_draw(FILE *f, const scaling_row_t *rows, int n)
{
    double ranks[SCALING_ROWS_MAX], used[SCALING_ROWS_MAX], store[SCALING_ROWS_MAX],
        thread[SCALING_ROWS_MAX];
    const report_series_t series[] = {
        {"workers' utilization", n, ranks, used, true, true},
        {"rank 0's log busy (store rate)", n, ranks, store, true, true},
        {"main thread's CPU", n, ranks, thread, true, true},
    };
    const report_lines_t chart = {.id = "scaling",
                                  .label = "Loads over the number of ranks",
                                  .x_title = "ranks (log scale)",
                                  .y_title = "load",
                                  .y_unit = " %",
                                  .is_x_log = true,
                                  .y_max = 100,
                                  .series = series,
                                  .n_series = sizeof(series) / sizeof(series[0])};
    const scaling_limit_t limit = scaling_table_limit(&rows[n - 1]);
    char title[160];

    for (int i = 0; i < n; i++) {
        ranks[i] = (double)rows[i].n_ranks;
        used[i] = percent(rows[i].run.utilization);
        store[i] = percent(per_run_second(&rows[i], rows[i].run.store_s));
        thread[i] = percent(per_run_second(&rows[i], main_s(&rows[i])));
    }
    snprintf(title, sizeof(title),
             "One dispatcher, simulated workers; %.0f ranks: the %s is the limit",
             limit.n_ranks, limit.what);
    report_lines_picture(f, title, &chart, 1);
}
