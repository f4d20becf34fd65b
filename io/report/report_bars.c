/*
 * report_bars.c - horizontal bars with their labels and counts; bins of a histogram.
 */
#include "io/report/report_figures.h"

#include "io/report/report_legend.h"
#include "io/report/svg_draw.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 640, ROW = 26, LEFT = 214, RIGHT = 540, TOP = 6, LABEL_BYTES = 24 };

/* A linear scale hides bars that are shorter than this part of the longest one. */
static const double max_ratio = 200;

static svg_axis_t axis_of(const report_bars_t *b)
{
    int64_t max = 1, min = INT64_MAX;

    for (int k = 0; k < b->n; k++) {
        max = b->bars[k].count > max ? b->bars[k].count : max;
        if (b->bars[k].count > 0 && b->bars[k].count < min)
            min = b->bars[k].count;
    }
    return (double)max > max_ratio * (double)min
               ? (svg_axis_t){0.5, (double)max, LEFT, RIGHT, true}
               : (svg_axis_t){0, (double)max, LEFT, RIGHT, false};
}

static void draw_bar(FILE *to, const report_bars_t *b, const svg_axis_t *x, int k)
{
    const report_bar_t *bar = &b->bars[k];
    const double end = bar->count > 0 ? svg_draw_at(x, (double)bar->count) : LEFT;
    const int y = TOP + k * ROW;
    char count[SVG_NUMBER_BYTES];

    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 10, y + 18);
    report_legend_name(to, bar->label, LABEL_BYTES);
    fprintf(to,
            "</text><rect class=\"bar\" data-count=\"%" PRId64
            "\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>",
            bar->count, LEFT, y + 3, end - LEFT, ROW - 6);
    svg_draw_text(to, bar->label);
    svg_draw_count(bar->count, count);
    fprintf(to, ": %s %s</title></rect><text x=\"%.1f\" y=\"%d\">%s</text>\n", count,
            bar->count == 1 ? b->one : b->many, end + 8, y + 18, count);
}

void report_bars_draw(FILE *to, const report_bars_t *b)
{
    const svg_axis_t x = axis_of(b);

    if (b->n == 0)
        return;
    fputs("<section><h3>", to);
    svg_draw_text(to, b->title);
    fprintf(to, "%s</h3>\n", x.is_log ? " (log scale)" : "");
    svg_draw_begin(to, b->id, WIDTH, 2 * TOP + b->n * ROW, 15, b->title);
    for (int k = 0; k < b->n; k++)
        draw_bar(to, b, &x, k);
    fputs("</svg></section>\n", to);
}

report_bins_t report_bins(double min, double max, int are_whole)
{
    const double span = max - min;
    report_bins_t b = {.min = min, .max = max, .step = 1};

    if (are_whole && span < REPORT_BARS_MAX) {
        b.kind = REPORT_BINS_EACH;
        b.n = (int)span + 1;
    } else if (are_whole && min >= 0) {
        b.kind = REPORT_BINS_DOUBLING; /* 0, 1, 2-3, 4-7, ...; at most what is left */
        b.n = ilogb(max) + 2;
        b.n = b.n < REPORT_BARS_MAX ? b.n : REPORT_BARS_MAX;
    } else {
        b.kind = REPORT_BINS_EQUAL;
        b.n = span > 0 ? 20 : 1;
        b.step = span > 0 ? span / b.n : 1;
    }
    return b;
}

int report_bins_of(const report_bins_t *b, double value)
{
    double at = (value - b->min) / b->step;

    if (b->kind == REPORT_BINS_DOUBLING)
        at = value < 1 ? 0 : ilogb(value) + 1;
    return at < b->n ? (int)fmax(at, 0) : b->n - 1;
}

void report_bins_label(const report_bins_t *b, report_bars_t *out)
{
    out->n = b->n;
    for (int k = 0; k < b->n; k++) {
        char *label = out->bars[k].label;
        const double low = k == 0 ? 0 : ldexp(1, k - 1);

        out->bars[k].count = 0;
        if (b->kind == REPORT_BINS_EACH)
            snprintf(label, REPORT_BAR_BYTES, "%.15g", b->min + k);
        else if (b->kind == REPORT_BINS_EQUAL)
            snprintf(label, REPORT_BAR_BYTES, "%.4g to %.4g", b->min + k * b->step,
                     b->min + (k + 1) * b->step);
        else if (k == b->n - 1 && 2 * low <= b->max)
            snprintf(label, REPORT_BAR_BYTES, "from %.15g on", low);
        else if (k < 2)
            snprintf(label, REPORT_BAR_BYTES, "%.15g", low);
        else
            snprintf(label, REPORT_BAR_BYTES, "%.15g to %.15g", low, 2 * low - 1);
    }
}
