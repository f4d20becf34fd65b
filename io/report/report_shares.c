/*
 * report_shares.c - horizontal bars of equal length.
 */
#include "io/report/report_figures.h"

#include "io/report/report_legend.h"
#include "io/report/svg_draw.h"

#include <math.h>
#include <stdbool.h>

enum {
    WIDTH = 1060,
    LEFT = 330,
    RIGHT = 790,
    LEGEND = 900,
    TOP = 8,
    ROW = 30,
    LINE = 28,
    AXIS = 54,
    NAME_BYTES = 34
};

static double value_at(const report_shares_t *c, int bar, int part)
{
    return c->values[bar * c->n_parts + part];
}

static double whole_of(const report_shares_t *c, int bar)
{
    double sum = 0;

    for (int p = 0; p < c->n_parts; p++)
        sum += value_at(c, bar, p);
    return sum;
}

static const char *color_of(int part)
{
    return part < SVG_N_CATEGORIES ? svg_color_category[part] : svg_color_other[part % 2];
}

static void draw_bar(FILE *to, const report_shares_t *c, int bar)
{
    const double whole = whole_of(c, bar);
    const int y = TOP + bar * ROW;
    double below = 0;

    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 12, y + 20);
    report_legend_name(to, c->bars[bar], NAME_BYTES);
    fputs("</text>\n", to);
    for (int p = 0; p < c->n_parts && whole > 0 && isfinite(whole); p++) {
        const double value = value_at(c, bar, p), scale = (RIGHT - LEFT) / whole;

        if (value <= 0)
            continue;
        fprintf(to,
                "<rect class=\"cell\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" "
                "fill=\"%s\"><title>",
                LEFT + scale * below, y + 3, scale * value, ROW - 6, color_of(p));
        svg_draw_text(to, c->bars[bar]);
        fputs(": ", to);
        svg_draw_text(to, c->parts[p]);
        fprintf(to, ", %.4g %s (%.1f %%)</title></rect>\n", value, c->unit,
                100 * value / whole);
        below += value;
    }
    fprintf(to, "<text x=\"%d\" y=\"%d\">%.3g %s</text>\n", RIGHT + 10, y + 20, whole,
            c->unit);
}

/* @return whether any bar has a part */
static bool is_shown(const report_shares_t *c, int part)
{
    for (int b = 0; b < c->n_bars; b++)
        if (value_at(c, b, part) > 0)
            return true;
    return false;
}

static void draw_legend(FILE *to, const report_shares_t *c)
{
    int y = TOP;

    for (int p = 0; p < c->n_parts; p++) {
        if (!is_shown(c, p))
            continue;
        fprintf(to,
                "<g class=\"legend\"><rect x=\"%d\" y=\"%d\" width=\"16\" height=\"16\" "
                "fill=\"%s\"/><text x=\"%d\" y=\"%d\">",
                LEGEND, y + 4, color_of(p), LEGEND + 24, y + 18);
        svg_draw_text(to, c->parts[p]);
        fputs("</text></g>\n", to);
        y += LINE;
    }
}

static int bottom_of(const report_shares_t *c)
{
    return TOP + c->n_bars * ROW;
}

static int legend_bottom_of(const report_shares_t *c)
{
    int y = TOP;

    for (int p = 0; p < c->n_parts; p++)
        y += is_shown(c, p) ? LINE : 0;
    return y;
}

static void draw_bars(FILE *to, const report_shares_t *c)
{
    const svg_axis_t x = {0, 100, LEFT, RIGHT, false};

    svg_draw_bottom(to, &x, bottom_of(c), 0, " %", c->title);
    for (int b = 0; b < c->n_bars; b++)
        draw_bar(to, c, b);
}

void report_shares_draw(FILE *to, const report_shares_t *c)
{
    const svg_keyed_t size = {LEGEND, bottom_of(c) + AXIS, WIDTH - LEGEND,
                              legend_bottom_of(c), 17};

    svg_draw_keyed_begin(to, c->id, &size, c->label);
    draw_bars(to, c);
    svg_draw_key_begin(to, &size);
    draw_legend(to, c);
    svg_draw_key_end(to);
}

void report_shares_picture(FILE *to, const char *title, const report_shares_t *c)
{
    enum { HEAD = 44 };
    const int chart = bottom_of(c) + AXIS, legend = legend_bottom_of(c);
    const int height = HEAD + (chart > legend ? chart : legend);

    svg_draw_begin(to, c->id, WIDTH, height, 17, c->label);
    fprintf(to,
            "<style>svg{color:#222}.tick{stroke:#222;stroke-width:1;fill:none}"
            "</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"28\" font-size=\"18\">",
            LEFT);
    svg_draw_text(to, title);
    fprintf(to, "</text>\n<g transform=\"translate(0 %d)\">\n", HEAD);
    draw_bars(to, c);
    draw_legend(to, c);
    fputs("</g>\n</svg>\n", to);
}
