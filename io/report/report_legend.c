/*
 * report_legend.c - colours and opacities of the heat map, and the legend that explains
 * them.
 */
#include "io/report/report_legend.h"

#include "io/base/compare.h"
#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "io/report/report_data.h"
#include "io/report/svg_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const report_opacity_t report_legend_opacity[REPORT_OPACITIES] = {
    {0.75, 255, "3/4 or more of the cell's"},
    {0.25, 185, "1/4 to 3/4"},
    {0.05, 125, "1/20 to 1/4"},
    {0, 70, "fewer"},
};
const char *const report_legend_missing = "#cdd1d5";

int report_legend_opacity_of(double coverage)
{
    int i = 0;

    while (i < REPORT_OPACITIES - 1 && coverage < report_legend_opacity[i].min_coverage)
        i++;
    return i;
}

status_t report_legend_scale(const report_data_t *p, report_scale_t *out)
{
    const report_heat_map_t *h = p->heat_map;
    int n_cells = h->side * h->side, n = 0;
    double *means = malloc((size_t)(n_cells + 1) * sizeof(*means));
    report_scale_t s = {.low = 0};

    if (means == NULL)
        return log_nomem("a scale of colours");
    for (int at = 0; at < n_cells; at++) {
        if (isnan(h->mean[at])) {
            s.has_missing = true;
        } else {
            means[n++] = h->mean[at];
            s.has_opacity[report_legend_opacity_of(h->coverage[at])] = true;
        }
    }
    qsort(means, (size_t)n, sizeof(*means), compare_double);
    if (n > 0)
        s.low = fmin(floor(means[n / 100] * 20 + 1e-9) / 20, 0.95);
    if (p->min_identity.denominator != 0)
        s.low = fmax(s.low, fmin((double)p->min_identity.numerator /
                                     (double)p->min_identity.denominator,
                                 0.99));
    s.is_cut = n > 0 && means[0] < s.low;
    free(means);
    *out = s;
    return ST_OK;
}

static int64_t size_of(const report_strip_t *s)
{
    return s->end - s->begin;
}

/* Find the strips that get a colour of their own: the largest ones, earlier ones first if
 * equal. @return their number */
static int largest_strips(const report_heat_map_t *h, int largest[SVG_N_CATEGORIES])
{
    int n = 0;

    for (; n < SVG_N_CATEGORIES && n < h->n_strips; n++) {
        largest[n] = -1;
        for (int i = 0; i < h->n_strips; i++) {
            bool is_taken = false;

            for (int k = 0; k < n; k++)
                is_taken = is_taken || largest[k] == i;
            if (!is_taken && (largest[n] < 0 ||
                              size_of(&h->strips[i]) > size_of(&h->strips[largest[n]])))
                largest[n] = i;
        }
    }
    return n;
}

void report_legend_colors(const report_heat_map_t *h, const char **colors)
{
    int largest[SVG_N_CATEGORIES], n = largest_strips(h, largest);

    for (int i = 0; i < h->n_strips; i++)
        colors[i] = svg_color_other[i % 2];
    for (int k = 0; k < n; k++)
        colors[largest[k]] = svg_color_category[k];
}

void report_legend_short(FILE *to, const char *name, int max_len)
{
    size_t len = strlen(name), keep = (size_t)max_len - 1;

    if (len <= (size_t)max_len) {
        svg_draw_text(to, name);
        return;
    }
    while (keep > 0 && ((unsigned char)name[keep] & 0xc0) == 0x80)
        keep--; /* not inside a UTF-8 sequence */
    svg_draw_bytes(to, name, keep);
    fputs("\xe2\x80\xa6", to); /* ... */
}

void report_legend_name(FILE *to, const char *name, int max_len)
{
    fputs("<title>", to);
    svg_draw_text(to, name);
    fputs("</title>", to);
    report_legend_short(to, name, max_len);
}

void report_legend_lineage(FILE *to, const char *lineage)
{
    enum { LINEAGE_BYTES = 240 };

    if (strlen(lineage) > LINEAGE_BYTES) {
        report_legend_short(to, lineage, LINEAGE_BYTES);
        return;
    }
    for (size_t len; *lineage != '\0'; lineage += len) {
        len = strcspn(lineage, ";");
        len += lineage[len] == ';';
        svg_draw_bytes(to, lineage, len);
        if (lineage[len] != '\0')
            fputs("<wbr>", to);
    }
}

enum { BAR_WIDTH = 24, BAR_HEIGHT = 240, LINE = 25, SWATCH = 16 };

static void draw_swatch(FILE *to, double left, double y, const char *fill, double opacity)
{
    fprintf(to,
            "<rect class=\"missing\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" "
            "fill=\"%s\"/><rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" "
            "fill=\"%s\" fill-opacity=\"%.2f\"/>\n",
            left, y, SWATCH, SWATCH, report_legend_missing, left, y, SWATCH, SWATCH, fill,
            opacity);
}

static double draw_scale(FILE *to, const report_scale_t *s, double left, double y)
{
    double step = svg_draw_step(100 * (1 - s->low), 8);

    fprintf(to,
            "<text x=\"%.1f\" y=\"%.1f\" font-weight=\"600\">Mean identity</text>\n"
            "<defs><linearGradient id=\"scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">",
            left, y + 12);
    for (int i = 0; i <= 10; i++) {
        svg_rgba_t c = svg_color_scale(i / 10.0);

        fprintf(to, "<stop offset=\"%.1f\" stop-color=\"#%02x%02x%02x\"/>", i / 10.0,
                c.red, c.green, c.blue);
    }
    y += 26;
    fprintf(to,
            "</linearGradient></defs>\n<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" "
            "height=\"%d\" fill=\"url(#scale)\"/>\n",
            left, y, BAR_WIDTH, BAR_HEIGHT);
    for (double v = 100; v >= 100 * s->low - 1e-6; v -= step) {
        double at = y + BAR_HEIGHT * (100 - v) / (100 - 100 * s->low);
        bool is_last = v - step < 100 * s->low - 1e-6 && v < 100 * s->low + 1e-6;

        fprintf(to,
                "<path class=\"tick\" d=\"M%.1f %.1fh6\" stroke=\"currentColor\"/><text "
                "x=\"%.1f\" y=\"%.1f\">%s%.4g %%</text>\n",
                left + BAR_WIDTH, at, left + BAR_WIDTH + 12, at + 6,
                is_last && s->is_cut ? "to " : "", v);
    }
    return y + BAR_HEIGHT + 34;
}

/* Explain how cells are drawn whose pairs have no identity, or only some of them. */
static double draw_missing(FILE *to, const report_data_t *p, const report_scale_t *s,
                           double left, double y)
{
    char percent[REPORT_PERCENT_BYTES];
    bool is_pale = s->has_opacity[1] || s->has_opacity[2] || s->has_opacity[3];

    if (s->has_missing || is_pale) {
        fprintf(to,
                "<text x=\"%.1f\" y=\"%.1f\" font-weight=\"600\">Pairs with an "
                "identity</text>\n",
                left, y + 8);
        y += 22;
    }
    if (s->has_missing) {
        draw_swatch(to, left, y, report_legend_missing, 0);
        fprintf(to, "<text x=\"%.1f\" y=\"%.1f\">none%s%s</text>\n", left + SWATCH + 10,
                y + 13,
                p->min_identity.denominator != 0 ? ": below "
                : p->has_overlap                 ? ": overlap too short"
                                                 : "",
                p->min_identity.denominator != 0
                    ? report_data_percent(&p->min_identity, percent)
                    : "");
        y += LINE;
    }
    for (int i = 0; i < REPORT_OPACITIES; i++)
        if (is_pale && s->has_opacity[i]) {
            draw_swatch(to, left, y, "#22a884", report_legend_opacity[i].alpha / 255.0);
            fprintf(to, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", left + SWATCH + 10,
                    y + 13, report_legend_opacity[i].label);
            y += LINE;
        }
    return s->has_missing || is_pale ? y + 14 : y;
}

double report_legend_draw(FILE *to, const report_data_t *p, const report_scale_t *scale,
                          const char *const *colors, double left, double top)
{
    const report_heat_map_t *h = p->heat_map;
    char count[SVG_NUMBER_BYTES];
    int largest[SVG_N_CATEGORIES], n = largest_strips(h, largest);
    int64_t others = h->n;
    double y = draw_missing(to, p, scale, left, draw_scale(to, scale, left, top));

    if (n == 0)
        return y;
    fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" font-weight=\"600\">%s</text>\n", left,
            y + 8, "Phylum");
    y += 22;
    for (int k = 0; k < n; k++, y += LINE) {
        const report_strip_t *s = &h->strips[largest[k]];

        fputs("<g class=\"legend\">", to);
        draw_swatch(to, left, y, colors[largest[k]], 1);
        fprintf(to, "<text x=\"%.1f\" y=\"%.1f\">", left + SWATCH + 10, y + 13);
        report_legend_name(to, s->name, 18);
        fprintf(to, " <tspan class=\"soft\">%s</tspan></text></g>\n",
                svg_draw_count(size_of(s), count));
        others -= size_of(s);
    }
    if (h->n_strips > n) {
        fputs("<g class=\"legend\">", to);
        draw_swatch(to, left, y, svg_color_other[0], 1);
        fprintf(to,
                "<text x=\"%.1f\" y=\"%.1f\">%d other%s <tspan "
                "class=\"soft\">%s</tspan></text></g>\n",
                left + SWATCH + 10, y + 13, h->n_strips - n, plural(h->n_strips - n),
                svg_draw_count(others, count));
        y += LINE;
    }
    return y;
}

/* ---- percentages as a report shows them ---- */

const char *report_data_percent(const fraction_t *fraction,
                                char out[REPORT_PERCENT_BYTES])
{
    snprintf(out, REPORT_PERCENT_BYTES, "%.9g\xc2\xa0%%", /* a no-break space */
             100.0 * fraction_value(fraction));
    return out;
}
