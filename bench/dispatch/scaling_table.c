/*
 * scaling_table.c - derives loads and limits from simulated runs, prints and draws them.
 */
#include "bench/dispatch/dispatch_bench.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_COLUMNS = 17 };

static double per_run_second(const scaling_row_t *r, double seconds)
{
    return r->run.seconds > 0 ? seconds / r->run.seconds : 0;
}

static double storer_cpu_s(const scaling_row_t *r)
{
    return r->store_cpu_s * (double)r->run.n_results;
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
    } resources[] = {{"store", r->store_s},
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
    "ranks",         "sequences",   "tiles",           "tile_bytes",     "seconds",
    "utilization",   "rank0_load",  "dispatcher_load", "receive_load",   "storer_load",
    "store_busy",    "link_busy",   "unused",          "messages_per_s", "bytes_per_s",
    "us_per_result", "saturated_at"};

static void values_of(const scaling_row_t *r, double out[N_COLUMNS])
{
    const simulated_run_t *s = &r->run;
    double n = (double)s->n_results;
    const double values[N_COLUMNS] = {(double)r->n_ranks,
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

void scaling_table_print_json(const scaling_row_t *rows, int n)
{
    printf("[");
    for (int i = 0; i < n; i++) {
        double values[N_COLUMNS];

        values_of(&rows[i], values);
        printf("%s\n  {", i > 0 ? "," : "");
        for (int k = 0; k < N_COLUMNS; k++) {
            printf("\"%s\": ", names[k]);
            print_value(values[k]);
            printf(", ");
        }
        printf("\"limit\": \"%s\"}", scaling_table_limit(&rows[i]).what);
    }
    printf("\n]\n");
}

/* ---- the chart ---- */

enum { WIDTH = 760, HEIGHT = 440, LEFT = 70, RIGHT = 600, TOP = 60, BOTTOM = 380 };

typedef struct {
    const char *label, *color, *dash;
    double (*value)(const scaling_row_t *row); /* 0..1 */
} curve_t;

static double utilization(const scaling_row_t *r)
{
    return r->run.utilization;
}

static double store_busy(const scaling_row_t *r)
{
    return r->run.store_s / r->run.seconds;
}

static double main_load(const scaling_row_t *r)
{
    return (r->run.dispatch_s + r->run.receive_s) / r->run.seconds;
}

static const curve_t curves[] = {
    {"workers' utilization", "#1b6ca8", "", utilization},
    {"log busy (store rate)", "#c0392b", "7 4", store_busy},
    {"main thread's CPU", "#2e7d32", "2 3", main_load},
};
enum { N_CURVES = sizeof(curves) / sizeof(curves[0]) };

typedef struct {
    double min, max; /* base-2 logarithms of ranks */
} axis_t;

static double x_of(const axis_t *a, double ranks)
{
    double span = a->max > a->min ? a->max - a->min : 1;

    return LEFT + (log2(ranks) - a->min) / span * (RIGHT - LEFT);
}

static double y_of(double fraction)
{
    return BOTTOM - fmin(fmax(fraction, 0), 1) * (BOTTOM - TOP);
}

static void draw_axes(FILE *f, const axis_t *a)
{
    for (int percent = 0; percent <= 100; percent += 20)
        fprintf(f,
                "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d %%</text>\n",
                LEFT, RIGHT, y_of(percent / 100.0), y_of(percent / 100.0), LEFT - 8,
                y_of(percent / 100.0) + 4, percent);
    for (double power = a->min; power <= a->max; power++)
        fprintf(f,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#333\"/>\n"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n",
                x_of(a, exp2(power)), x_of(a, exp2(power)), BOTTOM, BOTTOM + 5,
                x_of(a, exp2(power)), BOTTOM + 20, exp2(power));
    fprintf(f,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#333\"/>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">ranks (log scale)</text>\n",
            LEFT, RIGHT, BOTTOM, BOTTOM, (LEFT + RIGHT) / 2, BOTTOM + 44);
}

static void draw_curve(FILE *f, const axis_t *a, const scaling_row_t *rows, int n,
                       const curve_t *c)
{
    fprintf(f,
            "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\" "
            "stroke-dasharray=\"%s\" points=\"",
            c->color, c->dash);
    for (int i = 0; i < n; i++)
        fprintf(f, "%.1f,%.1f ", x_of(a, (double)rows[i].n_ranks),
                y_of(c->value(&rows[i])));
    fprintf(f, "\"/>\n");
    for (int i = 0; i < n; i++)
        fprintf(f, "<circle r=\"3\" cx=\"%.1f\" cy=\"%.1f\" fill=\"%s\"/>\n",
                x_of(a, (double)rows[i].n_ranks), y_of(c->value(&rows[i])), c->color);
}

/* Label each curve at its right end; labels are kept a line apart. */
static void draw_labels(FILE *f, const scaling_row_t *last)
{
    double at[N_CURVES];

    for (int i = 0; i < N_CURVES; i++) {
        at[i] = y_of(curves[i].value(last)) + 4;
        for (int again = 0; again < N_CURVES; again++)
            for (int k = 0; k < i; k++)
                if (fabs(at[i] - at[k]) < 18)
                    at[i] = at[k] + 18 < BOTTOM + 8 ? at[k] + 18 : at[k] - 18;
        fprintf(f, "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s</text>\n", RIGHT + 10, at[i],
                curves[i].color, curves[i].label);
    }
}

static void draw_limit(FILE *f, const axis_t *a, const scaling_row_t *last)
{
    scaling_limit_t limit = scaling_table_limit(last);
    double x = x_of(a, limit.n_ranks);

    if (x < LEFT || x > RIGHT)
        return;
    fprintf(
        f,
        "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#555\" "
        "stroke-dasharray=\"1 4\"/>\n<text x=\"%.1f\" y=\"%d\" "
        "text-anchor=\"middle\" fill=\"#555\">%.0f ranks: the %s is the limit</text>\n",
        x, x, TOP - 6, BOTTOM, fmin(x, RIGHT - 80), TOP - 12, limit.n_ranks, limit.what);
}

void scaling_chart_draw(FILE *f, const scaling_row_t *rows, int n)
{
    axis_t a = {log2((double)rows[0].n_ranks), log2((double)rows[n - 1].n_ranks)};

    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"24\" font-size=\"16\">One dispatcher, simulated workers: "
            "%" PRId64 " to %" PRId64 " ranks</text>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, rows[0].n_ranks, rows[n - 1].n_ranks);
    draw_axes(f, &a);
    for (int i = 0; i < N_CURVES; i++)
        draw_curve(f, &a, rows, n, &curves[i]);
    draw_labels(f, &rows[n - 1]);
    draw_limit(f, &a, &rows[n - 1]);
    fprintf(f, "</svg>\n");
}
