/*
 * page_times.c - charts of times and energy, and their tables.
 */
#include "tools/cnn/page_times.h"

#include "io/base/logmsg.h"
#include "io/report/report_figures.h"
#include "tools/cnn/page_kinds.h"
#include "tools/cnn/page_number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

static bool is_whole(const time_row_t *r)
{
    return strcmp(r->word[TIME_LAYERS], "all") == 0;
}

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

static bool is_equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* ---- charts ---- */

/* A chart of one network. */
typedef struct {
    const char *id, *net, *label, *x_title, *y_title;
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
                                                      .label = c->label,
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
    static const struct {
        const char *name, *x_title, *y_title;
        time_column_t x, y, other;
    } charts[] = {
        {"rate", "images per batch (log scale)", "images per second", TIME_BATCH,
         TIME_IMAGES_PER_S, TIME_LOCKED_MHZ},
        {"energy", "images per batch (log scale)", "GPU, mJ per image", TIME_BATCH,
         TIME_GPU_MJ, TIME_LOCKED_MHZ},
        {"clock-rate", "locked clock, MHz (log scale)", "images per second",
         TIME_LOCKED_MHZ, TIME_IMAGES_PER_S, TIME_BATCH},
        {"clock-energy", "locked clock, MHz (log scale)", "GPU, mJ per image",
         TIME_LOCKED_MHZ, TIME_GPU_MJ, TIME_BATCH},
    };
    status_t st = ST_OK;

    fputs("<h3>", to);
    svg_draw_text(to, net);
    fputs("</h3>\n<div class=\"pair\">\n", to);
    for (size_t k = 0; st == ST_OK && k < sizeof(charts) / sizeof(charts[0]); k++) {
        char id[32];

        snprintf(id, sizeof(id), "%s-%d", charts[k].name, number);
        st = draw(to,
                  &(chart_t){.id = id,
                             .net = net,
                             .label = charts[k].y_title,
                             .x_title = charts[k].x_title,
                             .y_title = charts[k].y_title,
                             .x = charts[k].x,
                             .y = charts[k].y,
                             .other = charts[k].other},
                  t);
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
