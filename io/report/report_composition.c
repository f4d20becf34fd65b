/*
 * report_composition.c - stacked bars, one per sample, and a table of taxa.
 */
#include "io/report/report_figures.h"

#include "io/base/plural.h"
#include "io/report/report_legend.h"
#include "io/report/svg_draw.h"

#include <inttypes.h>
#include <string.h>

enum {
    WIDTH = 1180,
    LEFT = 246,
    RIGHT = 720,
    LEGEND = 812,
    TOP = 8,
    ROW = 30,
    LINE = 28,
    AXIS = 54,
    NAME_BYTES = 18,
    NAME_LISTED = 60
};

/* Colours besides those of svg_color_category, by Paul Tol. */
static const char *const more_colors[REPORT_TAXA_MAX - SVG_N_CATEGORIES] = {"#44aa99",
                                                                            "#999933"};

/* @return the number of rows of counts */
static int n_series(const report_composition_t *c)
{
    return c->n_shown + 2;
}

static const char *color_of(const report_composition_t *c, int series)
{
    if (series >= c->n_shown)
        return svg_color_other[series - c->n_shown];
    return series < SVG_N_CATEGORIES ? svg_color_category[series]
                                     : more_colors[series - SVG_N_CATEGORIES];
}

/* @return the name of a series; of a lineage the lowest one */
static const char *name_of(const report_composition_t *c, int series)
{
    const char *last;

    if (series == c->n_shown)
        return "other taxa";
    if (series > c->n_shown)
        return "unclassified";
    last = strrchr(c->taxa[series], ';');
    return last != NULL ? last + 1 : c->taxa[series];
}

static int64_t count_of(const report_composition_t *c, int series, int64_t sample)
{
    return c->counts[series * c->n_samples + sample];
}

/* @return the reads of a series in all samples */
static int64_t total_of(const report_composition_t *c, int series)
{
    int64_t total = 0;

    for (int64_t s = 0; s < c->n_samples; s++)
        total += count_of(c, series, s);
    return total;
}

/* @return the reads of a sample */
static int64_t reads_of(const report_composition_t *c, int64_t sample)
{
    int64_t reads = 0;

    for (int k = 0; k < n_series(c); k++)
        reads += count_of(c, k, sample);
    return reads;
}

static void draw_part(FILE *to, const report_composition_t *c, int64_t sample, int series,
                      int64_t before, int64_t reads)
{
    const int64_t count = count_of(c, series, sample);
    const double scale = (double)(RIGHT - LEFT) / (double)reads;
    char text[SVG_NUMBER_BYTES];

    fprintf(to,
            "<rect class=\"taxon cell\" data-series=\"%d\" data-reads=\"%" PRId64
            "\" x=\"%.2f\" y=\"%" PRId64 "\" width=\"%.2f\" height=\"%d\" fill=\"%s\">"
            "<title>",
            series, count, LEFT + scale * (double)before, TOP + sample * ROW + 3,
            scale * (double)count, ROW - 6, color_of(c, series));
    svg_draw_text(to, c->samples[sample]);
    fputs(": ", to);
    svg_draw_text(to, series < c->n_shown ? c->taxa[series] : name_of(c, series));
    fprintf(to, ", %s read%s (%.1f %%)</title></rect>\n", svg_draw_count(count, text),
            plural(count), 100 * (double)count / (double)reads);
}

static void draw_sample(FILE *to, const report_composition_t *c, int64_t sample)
{
    const int64_t reads = reads_of(c, sample), y = TOP + sample * ROW + 20;
    char text[SVG_NUMBER_BYTES];
    int64_t before = 0;

    fprintf(to, "<text class=\"sample\" x=\"%d\" y=\"%" PRId64 "\" text-anchor=\"end\">",
            LEFT - 12, y);
    report_legend_name(to, c->samples[sample], NAME_BYTES);
    fprintf(to, "</text><text x=\"%d\" y=\"%" PRId64 "\">%s</text>\n", RIGHT + 10, y,
            svg_draw_count(reads, text));
    for (int k = 0; k < n_series(c); k++)
        if (count_of(c, k, sample) > 0) {
            draw_part(to, c, sample, k, before, reads);
            before += count_of(c, k, sample);
        }
}

static void draw_legend(FILE *to, const report_composition_t *c)
{
    int y = TOP + 4;

    for (int k = 0; k < n_series(c); k++)
        if (total_of(c, k) > 0) {
            fprintf(to,
                    "<g class=\"legend\"><rect x=\"%d\" y=\"%d\" width=\"16\" "
                    "height=\"16\" fill=\"%s\"/><text x=\"%d\" y=\"%d\"><title>",
                    LEGEND, y, color_of(c, k), LEGEND + 26, y + 14);
            svg_draw_text(to, k < c->n_shown ? c->taxa[k] : name_of(c, k));
            fputs("</title>", to);
            report_legend_short(to, name_of(c, k), 2 * NAME_BYTES - 10);
            fputs("</text></g>\n", to);
            y += LINE;
        }
}

static void draw(FILE *to, const report_composition_t *c)
{
    const svg_axis_t x = {0, 100, LEFT, RIGHT, false};
    const int64_t bottom = TOP + c->n_samples * ROW;
    const svg_keyed_t size = {LEGEND, (double)(bottom + AXIS), WIDTH - LEGEND,
                              TOP + n_series(c) * LINE, 17};

    svg_draw_keyed_begin(to, "composition", &size, "Composition of samples");
    svg_draw_bottom(to, &x, (double)bottom, 0, " %", "reads");
    for (int64_t s = 0; s < c->n_samples; s++)
        draw_sample(to, c, s);
    svg_draw_key_begin(to, &size);
    draw_legend(to, c);
    svg_draw_key_end(to);
}

static void write_table(FILE *to, const report_composition_t *c, int64_t reads)
{
    char text[SVG_NUMBER_BYTES];

    fputs(
        "<div class=\"wide\">\n<table id=\"taxa\" class=\"numbers\">\n<tr><th>taxon</th>"
        "<th>reads</th><th>of all</th><th class=\"text\">lineage</th></tr>\n",
        to);
    for (int k = 0; k < n_series(c); k++) {
        const int64_t total = total_of(c, k);

        if (total == 0)
            continue;
        fputs("<tr><td>", to);
        report_legend_short(to, name_of(c, k), NAME_LISTED);
        fprintf(to, "</td><td>%s</td><td>%.1f %%</td><td class=\"text\">",
                svg_draw_count(total, text), 100 * (double)total / (double)reads);
        report_legend_lineage(to, k < c->n_shown ? c->taxa[k] : "");
        fputs("</td></tr>\n", to);
    }
    fputs("</table>\n</div>\n", to);
}

/* @return the reads of all samples */
static int64_t all_reads(const report_composition_t *c)
{
    int64_t reads = 0;

    for (int64_t s = 0; s < c->n_samples; s++)
        reads += reads_of(c, s);
    return reads;
}

void report_composition_draw(FILE *to, const report_composition_t *c)
{
    draw(to, c);
    write_table(to, c, all_reads(c));
}

void report_composition_write(FILE *to, const report_composition_t *c)
{
    report_frame_begin(to, c->title, c->file);
    fputs("<div class=\"cards\">\n", to);
    report_frame_card(to, "n-reads", all_reads(c), "reads");
    report_frame_card(to, "n-samples", c->n_samples, "samples");
    report_frame_card(to, "n-taxa", c->n_taxa, "taxa of rank %s", c->rank);
    report_frame_card(to, "n-unclassified", total_of(c, c->n_shown + 1),
                      "reads without a taxon of this rank");
    fputs("</div>\n<h2>Composition</h2>\n<p>Reads of each sample by taxon of rank ", to);
    svg_draw_text(to, c->rank);
    fputs("; the numbers beside the bars are reads. Point at a part for its name.</p>\n",
          to);
    report_composition_draw(to, c);
    fputs("<h2>Support</h2>\n<div class=\"pair\">\n", to);
    for (int k = 0; k < c->n_charts; k++)
        report_bars_draw(to, &c->charts[k]);
    fputs("</div>\n", to);
    report_frame_end(to, c->about);
}
