/*
 * report_page.c - the HTML page of a report: key figures, charts, tables.
 */
#include "io/report/report_figures.h"

#include "io/report/svg_draw.h"

#include <inttypes.h>

/* The numbers of pairs with and without an identity; a file of hits has only those at or
 * above its cutoff. */
static void write_pair_cards(FILE *to, const report_data_t *p)
{
    char count[SVG_NUMBER_BYTES], percent[REPORT_PERCENT_BYTES];
    int64_t n_pairs = p->n * (p->n - 1) / 2;

    svg_draw_count(n_pairs, count);
    if (p->min_identity.denominator != 0) {
        report_frame_card(to, "n-pairs", p->n_identities,
                          "pairs at or above the cutoff of %s",
                          report_data_percent(&p->min_identity, percent));
        report_frame_card(to, "n-missing", n_pairs - p->n_identities,
                          "pairs below the cutoff, not aligned or not stored");
        return;
    }
    report_frame_card(to, "n-pairs", p->n_identities, "pairs with an identity, of %s",
                      count);
    if (p->n_identities < n_pairs)
        report_frame_card(to, "n-missing", n_pairs - p->n_identities,
                          "pairs without identity%s",
                          p->has_overlap ? ": overlap below --min-overlap" : "");
}

/* @return whether a file of hits holds exactly the pairs at or above an identity */
static bool is_cutoff(const report_data_t *p, const fraction_t *id)
{
    const fraction_t *cutoff = &p->min_identity;

    return cutoff->denominator != 0 &&
           cutoff->numerator * id->denominator == id->numerator * cutoff->denominator;
}

/* The key figures. */
static void write_cards(FILE *to, const report_data_t *p)
{
    const report_otus_t *o = p->otus;
    char percent[REPORT_PERCENT_BYTES];

    report_data_percent(&o->id, percent);
    fputs("<div class=\"cards\">\n", to);
    report_frame_card(to, "n-sequences", p->n, "sequences");
    write_pair_cards(to, p);
    if (!is_cutoff(p, &o->id))
        report_frame_card(to, "n-close", p->n_close, "pairs at or above %s", percent);
    report_frame_card(to, "n-otus", o->n_otus, "OTUs by %s at %s", o->method, percent);
    report_frame_card(to, "n-singletons", o->n_single, "OTUs of one sequence");
    if (o->n_left_out > 0)
        report_frame_card(to, "n-left-out", o->n_left_out,
                          "sequences left out, in OTUs with an abundance below %" PRId64,
                          o->min_size);
    if (p->heat_map->n_strips > 0)
        report_frame_card(to, "n-kinds", p->heat_map->n_phyla, "phyla");
    fputs("</div>\n", to);
}

/* A map of hits shows the largest OTUs. */
static void write_shown(FILE *to, const report_data_t *p)
{
    const report_heat_map_t *h = p->heat_map;
    char otus[SVG_NUMBER_BYTES], all[SVG_NUMBER_BYTES], n[SVG_NUMBER_BYTES];

    fprintf(to, "<p>Rows and columns are the %s sequences of ", svg_draw_count(h->n, n));
    if (h->n_labels < p->otus->n_otus)
        fprintf(to, "the %s OTUs that have most, of %s OTUs",
                svg_draw_count(h->n_labels, otus), svg_draw_count(p->otus->n_otus, all));
    else
        fputs("all OTUs", to);
    fprintf(
        to,
        "; a map of all sequences would be almost empty. OTUs are outlined, and numbered "
        "as in the table below; ");
}

static status_t write_heat(FILE *to, const report_data_t *p)
{
    const report_heat_map_t *h = p->heat_map;
    char percent[REPORT_PERCENT_BYTES];

    if (p->min_identity.denominator == 0)
        fputs("<h2>Identity of every pair</h2>\n", to);
    else
        fprintf(to, "<h2>Pairs at or above %s</h2>\n",
                report_data_percent(&p->min_identity, percent));
    if (h->shows_otus)
        write_shown(to, p);
    else
        fprintf(to, "<p>Rows and columns are the sequences in %s; ", h->order);
    fprintf(to, "the colour is the mean identity of a cell's pairs.%s</p>\n",
            h->n_strips > 0 ? " Point at a cell or a strip for names."
                            : " Point at a cell for its pair.");
    return report_heat_write(to, p);
}

static void write_charts(FILE *to, const report_data_t *p)
{
    const report_histogram_t histogram = {p->histogram, p->min_identity, p->otus->id,
                                          p->n_close,   "pair",          "pairs"};
    char count[SVG_NUMBER_BYTES], percent[REPORT_PERCENT_BYTES];
    int64_t n_equal = p->histogram[REPORT_BARS - 1];

    fprintf(to,
            "<div class=\"pair\">\n<section>\n<h2>Identities</h2>\n"
            "<p>Pairs by identity, in steps of 1&nbsp;%%. <span id=\"n-equal\">%s</span> "
            "pair%s an identity of 100&nbsp;%%.</p>\n",
            svg_draw_count(n_equal, count), n_equal == 1 ? " has" : "s have");
    report_charts_histogram(to, &histogram);
    fputs("</section>\n<section>\n<h2>OTUs</h2>\n<p>OTUs by ", to);
    svg_draw_text(to, p->otus->method);
    fprintf(to, " at %s", report_data_percent(&p->otus->id, percent));
    if (p->otus->file != NULL) {
        fputs(" in <code>", to);
        svg_draw_text(to, p->otus->file);
        fputs("</code>", to);
    }
    fputs(", in order of their abundance.</p>\n", to);
    report_charts_otus(to, p->otus);
    fputs("</section>\n</div>\n", to);
}

status_t report_page_write(FILE *to, const report_data_t *p)
{
    status_t st;

    report_frame_begin(to, p->title, p->file);
    write_cards(to, p);
    st = write_heat(to, p);
    write_charts(to, p);
    report_largest_write(to, p->otus);
    if (p->bridges != NULL)
        report_bridges_write(to, p);
    report_frame_end(to, p->about);
    return st;
}
