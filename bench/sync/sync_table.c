/*
 * sync_table.c - prints and draws rounds.
 */
#include "bench/sync/sync_table.h"

#include "bench/sync/sync_model.h"
#include "io/report/report_figures.h"

#include <math.h>

static const double US = 1e6;
enum { CHARTS_MAX = 6 };

/* @return the number of rows from `first` on that have its kind and number of threads */
static int group_of(const sync_table_t *t, int first)
{
    int n = 1;

    while (first + n < t->n && t->rows[first + n].kind == t->rows[first].kind &&
           t->rows[first + n].n_threads == t->rows[first].n_threads)
        n++;
    return n;
}

static sync_model_t model_of(const sync_table_t *t, int first, int n)
{
    int blocks[BENCH_LIST_MAX];
    double s[BENCH_LIST_MAX];

    for (int i = 0; i < n; i++) {
        blocks[i] = t->rows[first + i].n_blocks;
        s[i] = t->rows[first + i].s;
    }
    return sync_model_fit(blocks, s, n, t->n_cores);
}

void sync_table_fit(sync_table_t *t)
{
    for (int first = 0, n; first < t->n; first += n) {
        n = group_of(t, first);
        const sync_model_t model = model_of(t, first, n);

        for (int i = first; i < first + n; i++)
            t->rows[i].model_s = sync_model_at(&model, t->rows[i].n_blocks, t->n_cores);
    }
}

static double percent_off(const sync_row_t *row)
{
    return round(100 * (row->model_s / row->s - 1)) + 0.0; /* no -0 */
}

void sync_table_print(const sync_table_t *t)
{
    printf("%s, %d multiprocessors; microseconds of a round\n\n", t->device, t->n_cores);
    printf("%-14s %7s %6s %7s %9s %9s %6s\n", "barrier", "threads", "blocks", "cluster",
           "measured", "model", "off");
    for (int i = 0; i < t->n; i++) {
        const sync_row_t *row = &t->rows[i];

        printf("%-14s %7d %6d %7d %9.3f %9.3f %5.0f%%\n", sync_kind_name[row->kind],
               row->n_threads, row->n_blocks, row->cluster, row->s * US,
               row->model_s * US, percent_off(row));
    }
    printf("\n%-14s %7s", "model", "threads");
    for (int i = 0; i < SYNC_MODEL_TERMS; i++)
        printf(" %8s", sync_model_term[i]);
    puts("");
    for (int first = 0, n; first < t->n; first += n) {
        n = group_of(t, first);
        const sync_model_t model = model_of(t, first, n);

        printf("%-14s %7d", sync_kind_name[t->rows[first].kind],
               t->rows[first].n_threads);
        for (int i = 0; i < SYNC_MODEL_TERMS; i++)
            printf(" %8.4f", model.s[i] * US);
        puts("");
    }
}

void sync_table_tsv(const sync_table_t *t)
{
    puts("barrier\tblocks\tthreads\tcluster\tus_per_round\tus_of_model");
    for (int i = 0; i < t->n; i++) {
        const sync_row_t *row = &t->rows[i];

        printf("%s\t%d\t%d\t%d\t%.3f\t%.3f\n", sync_kind_name[row->kind], row->n_blocks,
               row->n_threads, row->cluster, row->s * US, row->model_s * US);
    }
}

/* The points of a chart. */
typedef struct {
    double x[SYNC_TABLE_MAX], y[SYNC_TABLE_MAX];
    report_series_t series[SYNC_KINDS * CHARTS_MAX];
    char title[CHARTS_MAX][64], id[CHARTS_MAX][16];
} points_t;

/* @return whether a row is of another chart than the one before: one of barriers and one
 * of launches for each number of threads */
static bool is_other_chart(const sync_table_t *t, int i)
{
    return i == 0 || t->rows[i].n_threads != t->rows[i - 1].n_threads ||
           (t->rows[i].kind < SYNC_BARRIERS) != (t->rows[i - 1].kind < SYNC_BARRIERS);
}

void sync_table_draw(FILE *to, const sync_table_t *t)
{
    static points_t p;
    report_lines_t charts[CHARTS_MAX];
    int n_charts = 0, n_series = 0;

    for (int first = 0, n; first < t->n; first += n) {
        n = group_of(t, first);
        if (is_other_chart(t, first)) {
            if (n_charts == CHARTS_MAX)
                break;
            snprintf(p.title[n_charts], sizeof(p.title[n_charts]),
                     "blocks of %d threads (log scale)", t->rows[first].n_threads);
            snprintf(p.id[n_charts], sizeof(p.id[n_charts]), "sync%d", n_charts);
            charts[n_charts] =
                (report_lines_t){.id = p.id[n_charts],
                                 .label = "Time of a round over blocks",
                                 .x_title = p.title[n_charts],
                                 .y_title = t->rows[first].kind < SYNC_BARRIERS
                                                ? "round with a barrier"
                                                : "round with a launch",
                                 .y_unit = " us",
                                 .is_x_log = true,
                                 .series = &p.series[n_series]};
            n_charts++;
        }
        for (int i = first; i < first + n; i++) {
            p.x[i] = t->rows[i].n_blocks;
            p.y[i] = t->rows[i].s * US;
        }
        p.series[n_series++] = (report_series_t){
            sync_kind_name[t->rows[first].kind], n, &p.x[first], &p.y[first], true, true};
        charts[n_charts - 1].n_series++;
    }
    report_lines_picture(to, "Rounds of blocks that wait for each other", charts,
                         n_charts);
}
