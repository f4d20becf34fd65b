/*
 * report_references.c - key figures, histograms of best hits and of numbers of hits, taxa
 * and OTUs of references.
 */
#include "io/report/report_figures.h"

#include "io/report/svg_draw.h"

static void write_cards(FILE *to, const report_references_t *r)
{
    const report_histogram_t *h = &r->histogram;
    char percent[REPORT_PERCENT_BYTES];
    const double share =
        r->n_queries > 0 ? 100 * (double)h->n_reached / (double)r->n_queries : 0;

    fputs("<div class=\"cards\">\n", to);
    report_frame_card(to, "n-queries", r->n_queries, "queries");
    report_frame_card(to, "n-references", r->n_references, "references");
    report_frame_card(to, "n-reached", h->n_reached,
                      "queries with a hit at or above %s: %.1f %%",
                      report_data_percent(&h->id, percent), share);
    if (r->n_with_hit > h->n_reached)
        report_frame_card(to, "n-below", r->n_with_hit - h->n_reached,
                          "queries with lower identities only");
    report_frame_card(to, "n-without", r->n_queries - r->n_with_hit,
                      "queries without a hit in the file");
    report_frame_card(to, "n-found", r->otus->n_otus,
                      "references that are best hits at or above %s", percent);
    if (r->taxa != NULL)
        report_frame_card(to, "n-taxa", r->taxa->n_taxa, "taxa of rank %s found",
                          r->taxa->rank);
    fputs("</div>\n", to);
}

static void write_charts(FILE *to, const report_references_t *r)
{
    char percent[REPORT_PERCENT_BYTES];

    fprintf(to,
            "<div class=\"pair\">\n<section>\n<h2>Best hits</h2>\n<p>Queries by the "
            "identity of their best hit, the one of the highest %s, in steps of "
            "1&nbsp;%%.</p>\n",
            r->is_by_score ? "score" : "identity");
    report_charts_histogram(to, &r->histogram);
    fprintf(to,
            "</section>\n<section>\n<h2>OTUs by reference</h2>\n<p>An OTU is a reference "
            "with the queries whose best hit it is at or above %s.</p>\n",
            report_data_percent(&r->histogram.id, percent));
    report_charts_otus(to, r->otus);
    fputs("</section>\n</div>\n", to);
}

static void write_taxa(FILE *to, const report_references_t *r)
{
    char percent[REPORT_PERCENT_BYTES];

    if (r->taxa == NULL)
        return;
    fputs(
        "<section>\n<h2>Taxa found</h2>\n<p>Reads of each sample by the taxon, of rank ",
        to);
    svg_draw_text(to, r->taxa->rank);
    fprintf(to,
            ", of their best reference; unclassified are reads without a hit at or above "
            "%s, and those whose reference has no taxon of this rank. The numbers beside "
            "the bars are reads.</p>\n",
            report_data_percent(&r->histogram.id, percent));
    report_composition_draw(to, r->taxa);
    fputs("</section>\n", to);
}

void report_references_write(FILE *to, const report_references_t *r)
{
    report_frame_begin(to, r->title, r->file);
    write_cards(to, r);
    write_charts(to, r);
    report_bars_draw(to, r->hits);
    report_bars_draw(to, r->evalues);
    write_taxa(to, r);
    report_largest_write(to, r->otus);
    report_frame_end(to, r->about);
}
