/*
 * page_times.c - charts of times and energy, of whole networks and of each kind of layer,
 * and their tables.
 */
#include "tools/cnn/cnn_pages.h"

#include "io/base/logmsg.h"
#include "io/report/report_figures.h"
#include "kernels/cnn/common/cnn_op.h"
#include "tools/cnn/cnn_times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- kinds of layers ---- */

enum { NAME_BYTES = 128 };

/* What was measured by kind: a network on a kernel, in a batch, at a clock. */
typedef struct {
    const time_row_t *kind[CNN_N_KINDS]; /* NULL: not measured, or no such layer */
    const time_row_t *whole;             /* or NULL */
    char name[NAME_BYTES];
} case_t;

typedef struct {
    case_t *cases;
    int n;
} cases_t;

static bool is_equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool is_whole(const time_row_t *r)
{
    return strcmp(r->word[TIME_LAYERS], time_all) == 0;
}

/* What kinds of layers are parts of: training, or in older tables, which have no update,
 * passes alone. */
static bool is_wider(const time_row_t *r, const time_row_t *other)
{
    return strcmp(r->word[TIME_LAYERS], time_training) == 0 ||
           (is_whole(r) && other == NULL);
}

static bool is_same_case(const time_row_t *a, const time_row_t *b)
{
    for (int c = TIME_NET; c <= TIME_BATCH; c++)
        if (strcmp(a->word[c], b->word[c]) != 0)
            return false;
    return is_equal(a->value[TIME_LOCKED_MHZ], b->value[TIME_LOCKED_MHZ]);
}

/* @return the kind of a row, or CNN_N_KINDS */
static int kind_of(const time_row_t *r)
{
    int k = 0;

    while (k < CNN_N_KINDS &&
           strcmp(cnn_kind_name((cnn_kind_t)k), r->word[TIME_LAYERS]) != 0)
        k++;
    return k;
}

static const time_row_t *row_of(const case_t *c)
{
    int k = 0;

    while (c->kind[k] == NULL)
        k++;
    return c->kind[k];
}

static void name_case(case_t *c, const time_row_t *r)
{
    int len = snprintf(c->name, NAME_BYTES, "%.40s, %.12s %.12s, batch %.10s",
                       r->word[TIME_NET], r->word[TIME_KERNEL], r->word[TIME_TYPE],
                       r->word[TIME_BATCH]);

    if (!isnan(r->value[TIME_LOCKED_MHZ]))
        snprintf(c->name + len, NAME_BYTES - (size_t)len, ", %.0f MHz",
                 r->value[TIME_LOCKED_MHZ]);
}

static void collect_kinds(const time_table_t *t, cases_t *out)
{
    for (int i = 0; i < t->n; i++) {
        const int kind = kind_of(&t->rows[i]);
        int k = 0;

        if (kind == CNN_N_KINDS)
            continue;
        while (k < out->n && !is_same_case(row_of(&out->cases[k]), &t->rows[i]))
            k++;
        if (k == out->n)
            name_case(&out->cases[out->n++], &t->rows[i]);
        out->cases[k].kind[kind] = &t->rows[i];
    }
    for (int k = 0; k < out->n; k++)
        for (int i = 0; i < t->n; i++)
            if (is_wider(&t->rows[i], out->cases[k].whole) &&
                is_same_case(row_of(&out->cases[k]), &t->rows[i]))
                out->cases[k].whole = &t->rows[i];
}

/* @return a value of a kind; 0: none */
static double value_of(const case_t *c, int kind, time_column_t column)
{
    const double value = c->kind[kind] != NULL ? c->kind[kind]->value[column] : NAN;

    return isnan(value) || value < 0 ? 0 : value;
}

static double sum_of(const case_t *c, time_column_t column)
{
    double sum = 0;

    for (int k = 0; k < CNN_N_KINDS; k++)
        sum += value_of(c, k, column);
    return sum;
}

static status_t draw_bars(FILE *to, const cases_t *all, const char *id, const char *title,
                          const char *unit, time_column_t column, double factor)
{
    const char *parts[CNN_N_KINDS];
    const char **bars = malloc((size_t)all->n * sizeof(*bars));
    double *values = malloc((size_t)all->n * CNN_N_KINDS * sizeof(*values));
    int n = 0;

    if (bars == NULL || values == NULL) {
        free(bars);
        free(values);
        return log_nomem("a chart");
    }
    for (int k = 0; k < CNN_N_KINDS; k++)
        parts[k] = cnn_kind_name((cnn_kind_t)k);
    for (int b = 0; b < all->n; b++) {
        if (sum_of(&all->cases[b], column) <= 0)
            continue;
        for (int k = 0; k < CNN_N_KINDS; k++)
            values[n * CNN_N_KINDS + k] = factor * value_of(&all->cases[b], k, column);
        bars[n++] = all->cases[b].name;
    }
    if (n > 0)
        report_shares_draw(to, &(report_shares_t){.id = id,
                                                  .label = title,
                                                  .title = title,
                                                  .unit = unit,
                                                  .bars = bars,
                                                  .parts = parts,
                                                  .values = values,
                                                  .n_bars = n,
                                                  .n_parts = CNN_N_KINDS});
    free(bars);
    free(values);
    return ST_OK;
}

static void write_line(FILE *to, const case_t *c, const char *layers, double seconds,
                       double mj)
{
    fputs("<tr>", to);
    page_text_cell(to, "td", c->name);
    page_text_cell(to, "td", layers);
    page_number_cell(to, 1e3 * seconds);
    page_percent_cell(to, seconds / sum_of(c, TIME_MEDIAN_S));
    page_number_cell(to, mj);
    page_percent_cell(to, mj / sum_of(c, TIME_GPU_MJ));
    fputs("</tr>\n", to);
}

static void write_kinds(FILE *to, const cases_t *all)
{
    fputs("<div class=\"wide\"><table id=\"kinds\" class=\"numbers\">\n<tr>"
          "<th>network</th><th>layers</th><th>ms per batch</th><th>% of the sum</th>"
          "<th>GPU mJ per image</th><th>% of the sum</th></tr>\n",
          to);
    for (int i = 0; i < all->n; i++) {
        const case_t *c = &all->cases[i];

        for (int k = 0; k < CNN_N_KINDS; k++)
            if (c->kind[k] != NULL)
                write_line(to, c, cnn_kind_name((cnn_kind_t)k),
                           c->kind[k]->value[TIME_MEDIAN_S],
                           c->kind[k]->value[TIME_GPU_MJ]);
        if (c->whole != NULL)
            write_line(to, c, "the whole, at once", c->whole->value[TIME_MEDIAN_S],
                       c->whole->value[TIME_GPU_MJ]);
    }
    fputs("</table></div>\n", to);
}

/* Write bars and a table of the kinds, if any were measured. @return ST_OK or ST_ENOMEM
 */
static status_t page_kinds_write(FILE *to, const time_table_t *t)
{
    cases_t all = {.cases = calloc((size_t)t->n + 1, sizeof(*all.cases))};
    status_t st = ST_OK;

    if (all.cases == NULL)
        return log_nomem("a chart");
    collect_kinds(t, &all);
    if (all.n > 0) {
        fputs("<h2>Kinds of layers</h2>\n<p>Each kind alone, its steps one by one. The "
              "numbers beside the bars are sums over the kinds; point at a part for its "
              "value.</p>\n",
              to);
        st = draw_bars(to, &all, "kinds-time", "time of a batch", "ms", TIME_MEDIAN_S,
                       1e3);
        if (st == ST_OK)
            st = draw_bars(to, &all, "kinds-energy", "energy of the GPU, per image", "mJ",
                           TIME_GPU_MJ, 1);
        if (st == ST_OK)
            write_kinds(to, &all);
    }
    free(all.cases);
    return st;
}

/* ---- rows ---- */

const time_row_t *page_times_fastest(const time_table_t *t)
{
    const time_row_t *best = NULL;

    for (int i = 0; i < t->n; i++) {
        const time_row_t *r = &t->rows[i];

        if (is_whole(r) && (best == NULL ||
                            r->value[TIME_IMAGES_PER_S] > best->value[TIME_IMAGES_PER_S]))
            best = r;
    }
    return best;
}

/* ---- charts ---- */

/* A chart of one network. */
typedef struct {
    const char *id, *net, *x_title, *y_title;
    time_column_t x, y;
    time_column_t other; /* also distinguishes series: batch or locked clock */
} chart_t;

/* Its rows in the order of their series, and of x within them. */
typedef struct {
    const time_row_t **rows; /* [n] */
    double *x, *y;           /* [n] */
    report_series_t *series; /* [n_series] */
    char (*names)[96];       /* [n_series] */
    int n, n_series;
} content_t;

static bool is_in(const chart_t *c, const time_row_t *r)
{
    return is_whole(r) && strcmp(r->word[TIME_NET], c->net) == 0 && r->value[c->x] > 0 &&
           !isnan(r->value[c->y]);
}

static bool is_same_series(const chart_t *c, const time_row_t *a, const time_row_t *b)
{
    return strcmp(a->word[TIME_KERNEL], b->word[TIME_KERNEL]) == 0 &&
           strcmp(a->word[TIME_TYPE], b->word[TIME_TYPE]) == 0 &&
           is_equal(a->value[c->other], b->value[c->other]);
}

/* Append the rows of the series of a row, in the order of x. */
static void add_series(const chart_t *c, const time_table_t *t, const time_row_t *first,
                       content_t *out)
{
    report_series_t *s = &out->series[out->n_series];
    char *name = out->names[out->n_series++];
    const int begin = out->n;
    int len = snprintf(name, sizeof(out->names[0]), "%.30s %.10s",
                       first->word[TIME_KERNEL], first->word[TIME_TYPE]);

    if (!isnan(first->value[c->other]))
        snprintf(name + len, sizeof(out->names[0]) - (size_t)len,
                 c->other == TIME_BATCH ? ", batch %.0f" : ", %.0f MHz",
                 first->value[c->other]);
    for (int i = 0; i < t->n; i++) {
        const time_row_t *r = &t->rows[i];
        int at = out->n;

        if (!is_in(c, r) || !is_same_series(c, first, r))
            continue;
        for (; at > begin && out->rows[at - 1]->value[c->x] > r->value[c->x]; at--)
            out->rows[at] = out->rows[at - 1];
        out->rows[at] = r;
        out->n++;
    }
    for (int i = begin; i < out->n; i++) {
        out->x[i] = out->rows[i]->value[c->x];
        out->y[i] = out->rows[i]->value[c->y];
    }
    *s = (report_series_t){name,           out->n - begin, out->x + begin,
                           out->y + begin, true,           true};
}

static void collect(const chart_t *c, const time_table_t *t, content_t *out)
{
    for (int i = 0; i < t->n; i++) {
        bool is_known = false;

        if (!is_in(c, &t->rows[i]))
            continue;
        for (int k = 0; !is_known && k < out->n; k++)
            is_known = is_same_series(c, out->rows[k], &t->rows[i]);
        if (!is_known)
            add_series(c, t, &t->rows[i], out);
    }
}

/* @return whether a line would have a length */
static bool has_two_x(const content_t *d)
{
    for (int i = 1; i < d->n; i++)
        if (d->x[i] != d->x[0])
            return true;
    return false;
}

/* Draw a chart, if there are two values of x. */
static status_t draw(FILE *to, const chart_t *c, const time_table_t *t)
{
    const size_t n = (size_t)t->n + 1;
    content_t d = {.rows = malloc(n * sizeof(*d.rows)),
                   .x = malloc(n * sizeof(*d.x)),
                   .y = malloc(n * sizeof(*d.y)),
                   .series = malloc(n * sizeof(*d.series)),
                   .names = malloc(n * sizeof(*d.names))};
    status_t st = d.rows != NULL && d.x != NULL && d.y != NULL && d.series != NULL &&
                          d.names != NULL
                      ? ST_OK
                      : log_nomem("a chart");

    if (st == ST_OK)
        collect(c, t, &d);
    if (st == ST_OK && has_two_x(&d)) {
        fputs("<div>", to);
        (void)report_lines_draw(to, &(report_lines_t){.id = c->id,
                                                      .label = c->y_title,
                                                      .x_title = c->x_title,
                                                      .y_title = c->y_title,
                                                      .y_unit = "",
                                                      .is_x_log = true,
                                                      .series = d.series,
                                                      .n_series = d.n_series});
        fputs("</div>\n", to);
    }
    free(d.rows);
    free(d.x);
    free(d.y);
    free(d.series);
    free(d.names);
    return st;
}

static status_t draw_net(FILE *to, const time_table_t *t, const char *net, int number)
{
    static const chart_t charts[] = {
        {"rate", NULL, "images per batch (log scale)", "images per second", TIME_BATCH,
         TIME_IMAGES_PER_S, TIME_LOCKED_MHZ},
        {"energy", NULL, "images per batch (log scale)", "GPU, mJ per image", TIME_BATCH,
         TIME_GPU_MJ, TIME_LOCKED_MHZ},
        {"clock-rate", NULL, "locked clock, MHz (log scale)", "images per second",
         TIME_LOCKED_MHZ, TIME_IMAGES_PER_S, TIME_BATCH},
        {"clock-energy", NULL, "locked clock, MHz (log scale)", "GPU, mJ per image",
         TIME_LOCKED_MHZ, TIME_GPU_MJ, TIME_BATCH},
    };
    status_t st = ST_OK;

    fputs("<h3>", to);
    svg_draw_text(to, net);
    fputs("</h3>\n<div class=\"pair\">\n", to);
    for (size_t k = 0; st == ST_OK && k < sizeof(charts) / sizeof(charts[0]); k++) {
        chart_t c = charts[k];
        char id[32];

        snprintf(id, sizeof(id), "%s-%d", c.id, number);
        c.id = id;
        c.net = net;
        st = draw(to, &c, t);
    }
    fputs("</div>\n", to);
    return st;
}

/* @return whether row i is the first of its network */
static bool is_first_of_net(const time_table_t *t, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(t->rows[k].word[TIME_NET], t->rows[i].word[TIME_NET]) == 0)
            return false;
    return true;
}

/* ---- the table ---- */

static const struct {
    const char *title;
    time_column_t column;
    double factor;
} columns[] = {
    {"locked MHz", TIME_LOCKED_MHZ, 1},
    {"images/s", TIME_IMAGES_PER_S, 1},
    {"ms per batch", TIME_MEDIAN_S, 1e3},
    {"TFLOPS", TIME_GFLOPS, 1e-3},
    {"GPU mJ per image", TIME_GPU_MJ, 1},
    {"above idle", TIME_GPU_MJ_ABOVE_IDLE, 1},
    {"W", TIME_GPU_W, 1},
    {"spread %", TIME_GPU_SPREAD, 1},
    {"CPU mJ per image", TIME_CPU_MJ, 1},
    {"CPU idle %", TIME_CPU_IDLE, 1},
    {"GPU MHz", TIME_GPU_MHZ, 1},
};

enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static bool has_values(const time_table_t *t, time_column_t column)
{
    for (int i = 0; i < t->n; i++)
        if (is_whole(&t->rows[i]) && !isnan(t->rows[i].value[column]))
            return true;
    return false;
}

/* Columns without any value are left out. */
static void write_table(FILE *to, const time_table_t *t)
{
    bool shows[N_COLUMNS];

    fputs("<div class=\"wide\"><table id=\"times\" class=\"numbers\">\n<tr>"
          "<th>network</th><th>kernel</th><th>type</th><th>batch</th>",
          to);
    for (int c = 0; c < N_COLUMNS; c++)
        if ((shows[c] = has_values(t, columns[c].column)))
            page_text_cell(to, "th", columns[c].title);
    fputs("</tr>\n", to);
    for (int i = 0; i < t->n; i++) {
        if (!is_whole(&t->rows[i]))
            continue;
        fputs("<tr>", to);
        for (int c = TIME_NET; c <= TIME_BATCH; c++)
            page_text_cell(to, "td", t->rows[i].word[c]);
        for (int c = 0; c < N_COLUMNS; c++)
            if (shows[c])
                page_number_cell(to,
                                 t->rows[i].value[columns[c].column] * columns[c].factor);
        fputs("</tr>\n", to);
    }
    fputs("</table></div>\n", to);
}

status_t page_times_write(FILE *to, const time_table_t *t)
{
    status_t st = ST_OK;
    int number = 0;

    if (t->n == 0)
        return ST_OK;
    fputs(
        "<h2>Time and energy</h2>\n<p>Forward and backward passes on random images, "
        "medians of several windows. Energy is that of the whole GPU; above idle leaves "
        "out what it takes without work. A dash stands for a source that the machine "
        "lacks.</p>\n",
        to);
    for (int i = 0; st == ST_OK && i < t->n; i++)
        if (is_first_of_net(t, i))
            st = draw_net(to, t, t->rows[i].word[TIME_NET], ++number);
    if (st != ST_OK)
        return st;
    write_table(to, t);
    return page_kinds_write(to, t);
}
