/*
 * report_bridges.c - sequences that chain OTUs together, as bars and as a table.
 */
#include "io/report/report_figures.h"

#include "io/report/report_legend.h"
#include "io/report/svg_draw.h"

#include <inttypes.h>
#include <math.h>

enum { WIDTH = 640, LEFT = 250, RIGHT = 560, ROW = 26 };
/* Bytes of a name beside its bar, at the pointer and in the table. */
enum { NAME_BYTES = 20, NAME_LONG = 120, NAME_LISTED = 60 };

static void write_count(FILE *to, int64_t n, const char *one, const char *more)
{
    char count[SVG_NUMBER_BYTES];

    fprintf(to, "%s %s", svg_draw_count(n, count), n == 1 ? one : more);
}

static void write_text(FILE *to, const report_data_t *p)
{
    const report_bridges_t *b = p->bridges;
    char percent[REPORT_PERCENT_BYTES];

    report_data_percent(&p->otus->id, percent);
    fputs("<h2>Bridges between OTUs</h2>\n<p>", to);
    if (b->n_clusters == 0) {
        fprintf(to,
                "No cluster of single linkage at %s holds more than one OTU: no sequence "
                "chains OTUs together.</p>\n",
                percent);
        return;
    }
    write_count(to, b->n_clusters, "cluster", "clusters");
    fprintf(to, " of single linkage at %s, of ", percent);
    write_count(to, b->n_sequences, "sequence", "sequences");
    fprintf(to, ", %s more than one OTU. ", b->n_clusters == 1 ? "holds" : "hold");
    if (b->n > 0)
        fprintf(to,
                "The sequences below are close to several OTUs, and many shortest paths "
                "between other sequences, in steps of at least %s, lead through them "
                "(betweenness). Each may be a chimera, an intermediate species or an "
                "error of sequencing: this is a hint, no proof.",
                percent);
    else
        fputs("No sequence that is close to several OTUs lies on a shortest path "
              "between others.",
              to);
    if (b->n_sources < b->n_sequences) {
        fputs(" Betweenness is estimated, from the paths that start at ", to);
        write_count(to, b->n_sources, "random sequence", "random sequences");
        fputs(".", to);
    }
    fputs("</p>\n", to);
}

static void draw_bar(FILE *to, const report_bridge_t *bridge, double largest, int row)
{
    double width = (RIGHT - LEFT) * bridge->betweenness / largest;
    char count[SVG_NUMBER_BYTES];
    int y = row * ROW;

    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 10, y + 18);
    report_legend_short(to, bridge->name, NAME_BYTES);
    fprintf(to,
            "</text><rect class=\"bridge\" data-betweenness=\"%.6g\" x=\"%d\" y=\"%d\" "
            "width=\"%.1f\" height=\"%d\"><title>",
            bridge->betweenness, LEFT, y + 3, fmax(width, 1), ROW - 6);
    report_legend_short(to, bridge->name, NAME_LONG);
    fprintf(to, ": %" PRId64 " OTUs</title></rect><text x=\"%.1f\" y=\"%d\">%s</text>\n",
            bridge->n_otus, LEFT + width + 8, y + 18,
            svg_draw_count((int64_t)llround(bridge->betweenness), count));
}

static void draw_bars(FILE *to, const report_bridges_t *b)
{
    svg_draw_begin(to, "bridges", WIDTH, (double)(b->n * ROW), 15,
                   "Betweenness of bridges");
    for (int64_t k = 0; k < b->n; k++)
        draw_bar(to, &b->bridges[k], b->bridges[0].betweenness, (int)k);
    fputs("</svg>\n", to);
}

static void write_table(FILE *to, const report_bridges_t *b)
{
    char count[SVG_NUMBER_BYTES];

    fputs("<div class=\"wide\">\n<table id=\"bridge-table\" class=\"numbers\">\n"
          "<tr><th>sequence</th><th>betweenness</th><th>close sequences</th>"
          "<th>OTUs</th><th>its OTU</th></tr>\n",
          to);
    for (int64_t k = 0; k < b->n; k++) {
        const report_bridge_t *bridge = &b->bridges[k];

        fputs("<tr><td>", to);
        report_legend_short(to, bridge->name, NAME_LISTED);
        fprintf(to, "</td><td>%.1f</td><td>%s</td>", bridge->betweenness,
                svg_draw_count(bridge->n_neighbors, count));
        fprintf(to, "<td>%s</td>", svg_draw_count(bridge->n_otus, count));
        if (bridge->otu >= 0)
            fprintf(to, "<td>%s</td></tr>\n", svg_draw_count(bridge->otu + 1, count));
        else
            fputs("<td>none</td></tr>\n", to);
    }
    fputs("</table>\n</div>\n", to);
}

void report_bridges_write(FILE *to, const report_data_t *p)
{
    fputs("<section>\n", to);
    write_text(to, p);
    if (p->bridges->n > 0) {
        draw_bars(to, p->bridges);
        write_table(to, p->bridges);
    }
    fputs("</section>\n", to);
}
