/*
 * report_charts.c - the histogram of identities and the rank-abundance plot of the OTUs.
 */
#include "io/report/report_figures.h"

#include "io/report/svg_draw.h"

#include <inttypes.h>
#include <math.h>

enum { WIDTH = 640, HEIGHT = 420, LEFT = 92, RIGHT = 608, TOP = 34, BOTTOM = 356 };
enum {
    N_POINTS = 40,   /* OTUs drawn as points */
    LINEAR_MAX = 100 /* a histogram with higher bars has a logarithmic axis */
};

static double percent_of(const fraction_t *f)
{
    return 100.0 * fraction_value(f);
}

enum { N_BARS = REPORT_BARS - 1 }; /* the last bar includes identity 1 */

static int64_t pairs_of(const report_histogram_t *h, int bar)
{
    return h->bars[bar] + (bar == N_BARS - 1 ? h->bars[N_BARS] : 0);
}

/* @return the percentage at which the axis starts: where a file of hits starts, else a
 *         multiple of 5 */
static double first_percent(const report_histogram_t *h)
{
    int first = 0;

    if (h->min_identity.denominator != 0)
        return fmin(percent_of(&h->min_identity), N_BARS - 1);
    while (first < N_BARS - 1 && pairs_of(h, first) == 0)
        first++;
    return pairs_of(h, first) > 0 ? first / 5 * 5 : 0;
}

/* Mark the cutoff and write how many reach it. */
static void draw_cutoff(FILE *to, const report_histogram_t *h, const svg_axis_t *x)
{
    char count[SVG_NUMBER_BYTES], percent[REPORT_PERCENT_BYTES];
    double at = svg_draw_at(x, percent_of(&h->id));
    bool is_left = at < (LEFT + RIGHT) / 2.0;

    if (at <= x->from)
        return;
    fprintf(to,
            "<path class=\"cutoff\" d=\"M%.1f %dV%d\"/>"
            "<text class=\"note\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s %s at "
            "or above %s</text>\n",
            at, TOP - 8, BOTTOM, is_left ? at : fmin(at + 40, RIGHT), TOP - 14,
            is_left ? "start" : "end", svg_draw_count(h->n_reached, count),
            h->n_reached == 1 ? h->one : h->many, report_data_percent(&h->id, percent));
}

static void draw_bar(FILE *to, const report_histogram_t *h, const svg_axis_t *x,
                     const svg_axis_t *y, int k)
{
    char count[SVG_NUMBER_BYTES];
    const int64_t pairs = pairs_of(h, k);
    double left = svg_draw_at(x, k) + 0.75, top = svg_draw_at(y, (double)pairs);

    fprintf(to,
            "<rect class=\"bar\" data-percent=\"%d\" data-pairs=\"%" PRId64
            "\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>",
            k, pairs, left, top, svg_draw_at(x, k + 1) - 0.75 - left, BOTTOM - top);
    fprintf(to, "%.4g to %s%d %%: %s %s</title></rect>\n", fmax(k, x->min),
            k < N_BARS - 1 ? "below " : "", k + 1, svg_draw_count(pairs, count),
            pairs == 1 ? h->one : h->many);
}

void report_charts_histogram(FILE *to, const report_histogram_t *h)
{
    svg_axis_t x = {first_percent(h), N_BARS, LEFT, RIGHT, false}, y;
    int64_t max_pairs = 1;
    char title[64];

    for (int k = 0; k < N_BARS; k++)
        max_pairs = pairs_of(h, k) > max_pairs ? pairs_of(h, k) : max_pairs;
    y = max_pairs > LINEAR_MAX
            ? (svg_axis_t){0.5, 1.3 * (double)max_pairs, BOTTOM, TOP, true}
            : (svg_axis_t){0, fmax(1.05 * (double)max_pairs, 5), BOTTOM, TOP, false};
    svg_draw_begin(to, "histogram", WIDTH, HEIGHT, 17, "Histogram of identities");
    snprintf(title, sizeof(title), "%s%s", h->many, y.is_log ? " (log scale)" : "");
    svg_draw_left(to, &y, LEFT, RIGHT - LEFT, "", title);
    svg_draw_bottom(to, &x, BOTTOM, 0, " %", "identity");
    for (int k = 0; k < N_BARS; k++)
        if (pairs_of(h, k) > 0)
            draw_bar(to, h, &x, &y, k);
    draw_cutoff(to, h, &x);
    fputs("</svg>\n", to);
}

/* Draw abundance over rank, with a vertex only where the abundance changes. */
static void draw_line(FILE *to, const report_otus_t *o, const svg_axis_t *x,
                      const svg_axis_t *y)
{
    fprintf(to, "<path class=\"line\" d=\"");
    for (int64_t k = 0; k < o->n_otus; k++) {
        bool starts = k == 0 || o->size[k] != o->size[k - 1];
        bool ends = k == o->n_otus - 1 || o->size[k] != o->size[k + 1];

        if (starts || ends)
            fprintf(to, "%c%.1f %.1f", k == 0 ? 'M' : 'L', svg_draw_at(x, (double)k + 1),
                    svg_draw_at(y, (double)o->size[k]));
    }
    fprintf(to, "\"/>\n");
}

void report_charts_otus(FILE *to, const report_otus_t *o)
{
    char count[SVG_NUMBER_BYTES];
    double largest = o->n_otus > 0 ? (double)o->size[0] : 1;
    svg_axis_t x = {1, fmax((double)o->n_otus, 10), LEFT, RIGHT, true};
    svg_axis_t y = {0.8, 1.3 * fmax(largest, 10), BOTTOM, TOP, true};

    svg_draw_begin(to, "otus", WIDTH, HEIGHT, 17, "OTUs by rank and abundance");
    svg_draw_left(to, &y, LEFT, RIGHT - LEFT, "", "abundance (log scale)");
    svg_draw_bottom(to, &x, BOTTOM, 0, "", "rank of the OTU (log scale)");
    draw_line(to, o, &x, &y);
    for (int64_t k = 0; k < o->n_otus && k < N_POINTS; k++)
        fprintf(
            to,
            "<circle class=\"otu\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"><title>OTU %" PRId64
            ": abundance %s</title></circle>\n",
            svg_draw_at(&x, (double)k + 1), svg_draw_at(&y, (double)o->size[k]), k + 1,
            svg_draw_count(o->size[k], count));
    fputs("</svg>\n", to);
}
