/*
 * report_largest.c - the table of the largest OTUs.
 */
#include "io/report/report_figures.h"

#include "io/report/report_legend.h"
#include "io/report/svg_draw.h"

#include <inttypes.h>

/* Columns of samples, and bytes of texts in the table: both may be of any number. */
enum { SAMPLES_SHOWN = 12, NAME_BYTES = 60, SAMPLE_BYTES = 32 };

static int64_t n_shown(const report_otus_t *o)
{
    return o->n_samples < SAMPLES_SHOWN ? o->n_samples : SAMPLES_SHOWN;
}

static void write_head(FILE *to, const report_otus_t *o)
{
    fprintf(to,
            "<tr><th>OTU</th><th>abundance</th><th>sequences</th>"
            "<th class=\"text\">%s</th>%s",
            o->are_references ? "reference" : "representative",
            o->has_lineages ? "<th class=\"text\">lineage</th>" : "");
    for (int64_t s = 0; s < n_shown(o); s++) {
        fputs("<th class=\"sample\">", to);
        report_legend_short(to, o->samples[s], SAMPLE_BYTES);
        fputs("</th>", to);
    }
    fputs("</tr>\n", to);
}

static void write_row(FILE *to, const report_otus_t *o, int64_t k)
{
    const report_otu_t *otu = &o->largest[k];
    char count[SVG_NUMBER_BYTES];

    fprintf(to, "<tr class=\"largest\"><td>%" PRId64 "</td><td>%s</td>", k + 1,
            svg_draw_count(o->size[k], count));
    fprintf(to, "<td>%s</td>", svg_draw_count(otu->n_members, count));
    fputs("<td class=\"text name\">", to);
    report_legend_short(to, otu->representative, NAME_BYTES);
    fputs("</td>", to);
    if (o->has_lineages) {
        fputs("<td class=\"text\">", to);
        report_legend_lineage(to, otu->lineage != NULL ? otu->lineage : "none");
        fputs("</td>", to);
    }
    for (int64_t s = 0; s < n_shown(o); s++)
        fprintf(to, "<td>%s</td>", svg_draw_count(otu->in_sample[s], count));
    fputs("</tr>\n", to);
}

void report_largest_write(FILE *to, const report_otus_t *o)
{
    char count[SVG_NUMBER_BYTES];

    if (o->n_largest == 0)
        return;
    fprintf(to, "<section>\n<h2>Largest OTUs</h2>\n<p>The most abundant OTUs; %s.",
            o->are_references ? "sequences are the queries mapped to the reference"
                              : "the representative is the most abundant sequence");
    if (n_shown(o) < o->n_samples)
        fprintf(to, " The first %" PRId64 " of %s samples are shown.", n_shown(o),
                svg_draw_count(o->n_samples, count));
    fputs("</p>\n<div class=\"wide\">\n<table id=\"largest\" class=\"numbers\">\n", to);
    write_head(to, o);
    for (int64_t k = 0; k < o->n_largest; k++)
        write_row(to, o, k);
    fputs("</table>\n</div>\n</section>\n", to);
}
