/*
 * device_table.c - rates of a stream, beside a model.
 */
#include "bench/device/device_table.h"

#include "io/base/byte_size.h"
#include "io/report/report_figures.h"

#include <math.h>
#include <stdbool.h>

static const char *const way_name[] = {"up", "down"};
static const double giga = 1e-9, micro = 1e6;

/* ---- the model ---- */

static double predict(const device_table_t *t, const device_row_t *row)
{
    const double one = row->bytes / t->bytes_per_s[row->way] + t->message_s[row->way];
    const double ends = row->bytes / t->end_bytes_per_s[row->way] + t->round_trip_s;

    return row->bytes / fmax(one, (one + ends) / row->n);
}

/* Sum of squared logarithms of what the model is off by. */
static double misfit(const device_table_t *t, device_way_t way)
{
    double sum = 0;

    for (int i = 0; i < t->n; i++)
        if (t->rows[i].way == way)
            sum += pow(log(predict(t, &t->rows[i]) / t->rows[i].rate), 2);
    return sum;
}

/* Try steps up and down in turn, smaller and smaller ones. */
static void fit_way(device_table_t *t, device_way_t way)
{
    enum { PARAMETERS = 3 };
    double *of[PARAMETERS] = {&t->bytes_per_s[way], &t->message_s[way],
                              &t->end_bytes_per_s[way]};

    *of[0] = 1e8;
    *of[1] = 1e-6;
    for (int i = 0; i < t->n; i++)
        if (t->rows[i].way == way)
            *of[0] = fmax(*of[0], t->rows[i].rate);
    *of[2] = 4 * *of[0];
    for (double step = 2; step > 1.001; step = sqrt(step)) {
        bool is_better = true;

        while (is_better) {
            is_better = false;
            for (int k = 0; k < 2 * PARAMETERS; k++) {
                const double before = misfit(t, way), old = *of[k / 2];

                *of[k / 2] = k % 2 == 0 ? old * step : old / step;
                if (misfit(t, way) < before - 1e-9)
                    is_better = true;
                else
                    *of[k / 2] = old;
            }
        }
    }
}

void device_table_fit(device_table_t *t)
{
    for (int way = 0; way < DEVICE_WAYS; way++)
        fit_way(t, (device_way_t)way);
    for (int i = 0; i < t->n; i++)
        t->rows[i].model = predict(t, &t->rows[i]);
}

static double best_rate(const device_table_t *t)
{
    double best = 0;

    for (int i = 0; i < t->n; i++)
        best = fmax(best, t->rows[i].rate);
    return best;
}

/* ---- tables ---- */

void device_table_print(const device_table_t *t)
{
    char size[BYTE_SIZE_TEXT_BYTES];

    printf("%s: began in %.3g s, a message and its answer take %.1f us\n\n", t->stream,
           t->start_s, t->round_trip_s * micro);
    printf("%-5s %9s %10s %9s %9s %6s\n", "way", "messages", "bytes", "GB/s", "model",
           "off");
    for (int i = 0; i < t->n; i++) {
        const device_row_t *row = &t->rows[i];

        printf("%-5s %9d %10s %9.4g %9.4g %5.0f%%\n", way_name[row->way], row->n,
               byte_size_text(row->bytes, size), row->rate * giga, row->model * giga,
               100 * (row->model / row->rate - 1));
    }
    puts("");
    for (int way = 0; way < DEVICE_WAYS; way++)
        printf(
            "model, %s: %.3g GB/s on the way, %.3g at both ends, %.1f us per message\n",
            way_name[way], t->bytes_per_s[way] * giga, t->end_bytes_per_s[way] * giga,
            t->message_s[way] * micro);
    if (t->plain > 0)
        printf("a plain socket: %.3g GB/s, of which the best rate above is %.0f %%\n",
               t->plain * giga, 100 * best_rate(t) / t->plain);
}

void device_table_tsv(const device_table_t *t)
{
    puts("way\tmessages\tbytes\tbytes_per_s\tof_model");
    for (int i = 0; i < t->n; i++)
        printf("%s\t%d\t%.0f\t%.4g\t%.4g\n", way_name[t->rows[i].way], t->rows[i].n,
               t->rows[i].bytes, t->rows[i].rate, t->rows[i].model);
    printf("start\t\t\t%.6f\t\nround-trip\t\t\t%.9f\t\n", t->start_s, t->round_trip_s);
}

/* The points of the charts: a series of points per number of messages, then one of lines
 * for its model. */
typedef struct {
    double x[DEVICE_TABLE_MAX], y[DEVICE_TABLE_MAX], model[DEVICE_TABLE_MAX];
    report_series_t series[2 * DEVICE_TABLE_MAX];
    char name[DEVICE_TABLE_MAX][32];
    int n_series;
} points_t;

/* @return how many rows from `first` on have its way and number of messages */
static int group_of(const device_table_t *t, int first)
{
    int n = 1;

    while (first + n < t->n && t->rows[first + n].way == t->rows[first].way &&
           t->rows[first + n].n == t->rows[first].n)
        n++;
    return n;
}

static void add_group(points_t *p, const device_table_t *t, int first, int n)
{
    for (int i = first; i < first + n; i++) {
        p->x[i] = fmax(1, t->rows[i].bytes / 1024);
        p->y[i] = t->rows[i].rate * giga;
        p->model[i] = t->rows[i].model * giga;
    }
    snprintf(p->name[first], sizeof(p->name[first]), "%d on the way", t->rows[first].n);
    p->series[p->n_series++] =
        (report_series_t){p->name[first], n, &p->x[first], &p->y[first], false, true};
    p->series[p->n_series++] =
        (report_series_t){"model", n, &p->x[first], &p->model[first], true, false};
}

void device_table_draw(FILE *to, const device_table_t *t)
{
    static points_t p;
    report_lines_t charts[DEVICE_WAYS];

    p.n_series = 0;
    for (int way = 0, first = 0; way < DEVICE_WAYS; way++) {
        charts[way] = (report_lines_t){.id = way_name[way],
                                       .label = "Rate over the size of messages",
                                       .x_title = way == DEVICE_UP
                                                      ? "KiB of a message to the device"
                                                      : "KiB of one from the device",
                                       .y_title = "rate",
                                       .y_unit = " GB/s",
                                       .is_x_log = true,
                                       .series = &p.series[p.n_series]};
        for (int n; first < t->n && (int)t->rows[first].way == way; first += n) {
            n = group_of(t, first);
            add_group(&p, t, first, n);
        }
        charts[way].n_series = (int)(&p.series[p.n_series] - charts[way].series);
    }
    report_lines_picture(to, t->stream, charts, DEVICE_WAYS);
}
