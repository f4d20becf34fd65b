/*
 * report_charts.c - the histogram of identities and the rank-abundance plot of the OTUs.
 */
#include "io/report/report_charts.h"

#include "io/report/svg_draw.h"

#include <inttypes.h>
#include <math.h>

enum { WIDTH = 640, HEIGHT = 420, LEFT = 92, RIGHT = 622, TOP = 34, BOTTOM = 356 };
enum {
    N_POINTS = 40,   /* OTUs drawn as points */
    LINEAR_MAX = 100 /* a histogram with higher bars has a logarithmic axis */
};

static void begin(FILE *to, const char *id, const char *label)
{
    fprintf(to,
            "<svg id=\"%s\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"system-ui,sans-serif\" font-size=\"17\" "
            "fill=\"currentColor\" role=\"img\" aria-label=\"%s\">\n",
            id, WIDTH, HEIGHT, label);
}

/* @return the percentage at which the axis starts: a multiple of 5, at most 95 */
static int first_bar(const report_data_t *p)
{
    for (int k = 0; k < REPORT_BARS; k++)
        if (p->histogram[k] > 0)
            return k / 5 * 5 < 95 ? k / 5 * 5 : 95;
    return 0;
}

/* Mark the cutoff and write the number of pairs that reach it. */
static void draw_cutoff(FILE *to, const report_data_t *p, const svg_axis_t *x)
{
    char count[SVG_NUMBER_BYTES], percent[REPORT_PERCENT_BYTES];
    double at =
        svg_draw_at(x, 100.0 * (double)p->id.numerator / (double)p->id.denominator);

    if (at <= x->from)
        return;
    fprintf(to,
            "<path class=\"cutoff\" d=\"M%.1f %dV%d\"/>"
            "<text class=\"note\" x=\"%.1f\" y=\"%d\" text-anchor=\"end\">%s pairs at or "
            "above %s</text>\n",
            at, TOP - 8, BOTTOM, fmin(at + 40, RIGHT), TOP - 14,
            svg_draw_count(p->n_close, count), report_data_percent(&p->id, percent));
}

static void draw_bar(FILE *to, const svg_axis_t *x, const svg_axis_t *y, int k,
                     int64_t pairs)
{
    char count[SVG_NUMBER_BYTES];
    double left = svg_draw_at(x, k) + 0.75, top = svg_draw_at(y, (double)pairs);

    fprintf(to,
            "<rect class=\"bar\" data-percent=\"%d\" data-pairs=\"%" PRId64
            "\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>",
            k, pairs, left, top, svg_draw_at(x, k + 1) - 0.75 - left, BOTTOM - top);
    if (k < REPORT_BARS - 1)
        fprintf(to, "%d to below %d %%", k, k + 1);
    else
        fprintf(to, "100 %%");
    fprintf(to, ": %s pair%s</title></rect>\n", svg_draw_count(pairs, count),
            pairs == 1 ? "" : "s");
}

void report_charts_histogram(FILE *to, const report_data_t *p)
{
    svg_axis_t x = {first_bar(p), REPORT_BARS, LEFT, RIGHT, false}, y;
    int64_t max_pairs = 1;

    for (int k = 0; k < REPORT_BARS; k++)
        max_pairs = p->histogram[k] > max_pairs ? p->histogram[k] : max_pairs;
    y = max_pairs > LINEAR_MAX
            ? (svg_axis_t){0.5, 1.3 * (double)max_pairs, BOTTOM, TOP, true}
            : (svg_axis_t){0, fmax(1.05 * (double)max_pairs, 5), BOTTOM, TOP, false};
    begin(to, "histogram", "Histogram of identities");
    svg_draw_left(to, &y, LEFT, RIGHT - LEFT, "",
                  y.is_log ? "pairs (log scale)" : "pairs");
    svg_draw_bottom(to, &x, BOTTOM, 0, " %", "identity");
    for (int k = 0; k < REPORT_BARS; k++)
        if (p->histogram[k] > 0)
            draw_bar(to, &x, &y, k, p->histogram[k]);
    draw_cutoff(to, p, &x);
    fputs("</svg>\n", to);
}

/* Draw abundance over rank, with a vertex only where the abundance changes. */
static void draw_line(FILE *to, const report_data_t *p, const svg_axis_t *x,
                      const svg_axis_t *y)
{
    fprintf(to, "<path class=\"line\" d=\"");
    for (int64_t k = 0; k < p->n_otus; k++) {
        bool starts = k == 0 || p->otus[k] != p->otus[k - 1];
        bool ends = k == p->n_otus - 1 || p->otus[k] != p->otus[k + 1];

        if (starts || ends)
            fprintf(to, "%c%.1f %.1f", k == 0 ? 'M' : 'L', svg_draw_at(x, (double)k + 1),
                    svg_draw_at(y, (double)p->otus[k]));
    }
    fprintf(to, "\"/>\n");
}

void report_charts_otus(FILE *to, const report_data_t *p)
{
    char count[SVG_NUMBER_BYTES];
    svg_axis_t x = {1, fmax((double)p->n_otus, 10), LEFT, RIGHT, true};
    svg_axis_t y = {0.8, 1.3 * fmax((double)p->otus[0], 10), BOTTOM, TOP, true};

    begin(to, "otus", "OTUs by rank and abundance");
    svg_draw_left(to, &y, LEFT, RIGHT - LEFT, "", "sequences (log scale)");
    svg_draw_bottom(to, &x, BOTTOM, 0, "", "rank of the OTU (log scale)");
    draw_line(to, p, &x, &y);
    for (int64_t k = 0; k < p->n_otus && k < N_POINTS; k++)
        fprintf(
            to,
            "<circle class=\"otu\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"><title>OTU %" PRId64
            ": %s sequence%s</title></circle>\n",
            svg_draw_at(&x, (double)k + 1), svg_draw_at(&y, (double)p->otus[k]), k + 1,
            svg_draw_count(p->otus[k], count), p->otus[k] == 1 ? "" : "s");
    fputs("</svg>\n", to);
}
