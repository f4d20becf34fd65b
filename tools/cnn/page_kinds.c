/*
 * page_kinds.c - time and energy of each kind of layer.
 */
#include "tools/cnn/page_kinds.h"

#include "io/base/logmsg.h"
#include "io/report/report_figures.h"
#include "kernels/cnn/common/cnn_op.h"
#include "tools/cnn/page_number.h"

#include <stdlib.h>
#include <string.h>

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

static bool is_same_case(const time_row_t *a, const time_row_t *b)
{
    const double x = a->value[TIME_LOCKED_MHZ], y = b->value[TIME_LOCKED_MHZ];

    for (int c = TIME_NET; c <= TIME_BATCH; c++)
        if (strcmp(a->word[c], b->word[c]) != 0)
            return false;
    return x == y || (isnan(x) && isnan(y));
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

static void collect(const time_table_t *t, cases_t *out)
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
            if (strcmp(t->rows[i].word[TIME_LAYERS], "all") == 0 &&
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

static void write_table(FILE *to, const cases_t *all)
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

status_t page_kinds_write(FILE *to, const time_table_t *t)
{
    cases_t all = {.cases = calloc((size_t)t->n + 1, sizeof(*all.cases))};
    status_t st = ST_OK;

    if (all.cases == NULL)
        return log_nomem("a chart");
    collect(t, &all);
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
            write_table(to, &all);
    }
    free(all.cases);
    return st;
}
