/*
 * report_page.c - the HTML page of a report: heading, key figures, charts, tables.
 */
#include "io/report/report_page.h"

#include "io/report/report_bridges.h"
#include "io/report/report_charts.h"
#include "io/report/report_heat.h"
#include "io/report/svg_draw.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--ground:#fff;"
    "--card:#f5f7f9;--line:#d5dae0;--bar:#0072b2;--mark:#d55e00;--missing:#cdd1d5}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8ebee;--soft:#a3acb5;"
    "--ground:#14171a;--card:#1e2328;--line:#39414a;--bar:#56b4e9;--mark:#ff9a4d;"
    "--missing:#454b52}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--ground);color:var(--ink);"
    "font:17px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}\n"
    "main{max-width:1180px;margin:0 auto;padding:28px 24px 60px}\n"
    "h1{font-size:30px;line-height:1.2;margin:0 0 4px}\n"
    "h2{font-size:22px;margin:44px 0 4px}\n"
    "p{margin:0 0 12px;max-width:92ch}\n"
    "p,figcaption,.soft{color:var(--soft)}\n"
    "tspan.soft{fill:var(--soft)}\n"
    "code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.92em}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(165px,1fr));"
    "gap:12px;margin:20px 0 0}\n"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:8px;"
    "padding:10px 16px;line-height:1.35}\n"
    ".card b{display:block;font-size:22px;line-height:1.25;"
    "font-variant-numeric:tabular-nums}\n"
    ".card span{color:var(--soft);font-size:15px}\n"
    "svg{display:block;width:100%;height:auto}\n"
    "#heat{max-width:1060px;margin:14px 0 0}\n"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(430px,1fr));"
    "gap:0 34px}\n"
    ".missing{fill:var(--missing)}\n"
    ".tick{stroke:currentColor;stroke-width:1;fill:none}\n"
    ".grid{stroke:var(--line);stroke-width:1}\n"
    ".title,.note{font-weight:600}\n"
    ".bar{fill:var(--bar)}.bar:hover,.strip:hover,.cell:hover{opacity:.75}\n"
    ".line{fill:none;stroke:var(--bar);stroke-width:2.5;stroke-linejoin:round}\n"
    ".otu,.bridge{fill:var(--bar)}\n"
    ".cutoff{stroke:var(--mark);stroke-width:2;stroke-dasharray:6 4}\n"
    ".note{fill:var(--mark)}\n"
    "table{border-collapse:collapse;width:100%;font-size:15px;margin:8px 0 20px}\n"
    "td{padding:4px 10px 4px 0;border-bottom:1px solid var(--line);"
    "vertical-align:top;overflow-wrap:anywhere}\n"
    "td:first-child{color:var(--soft);white-space:nowrap;width:1%;padding-right:22px}\n"
    "h3{font-size:17px;margin:18px 0 0}\n"
    "@media print{:root{color-scheme:light}main{max-width:none}}\n";

/* @param label  printf's, of the arguments that follow */
static void write_card(FILE *to, const char *id, int64_t value, const char *label, ...)
    __attribute__((format(printf, 4, 5)));
static void write_card(FILE *to, const char *id, int64_t value, const char *label, ...)
{
    char text[256], count[SVG_NUMBER_BYTES];
    va_list args;

    va_start(args, label);
    vsnprintf(text, sizeof(text), label, args);
    va_end(args);
    fprintf(to, "<div class=\"card\" id=\"%s\"><b>%s</b><span>", id,
            svg_draw_count(value, count));
    svg_draw_text(to, text);
    fputs("</span></div>\n", to);
}

/* The numbers of pairs with and without an identity; a file of hits has only those at or
 * above its cutoff. */
static void write_pair_cards(FILE *to, const report_data_t *p)
{
    char count[SVG_NUMBER_BYTES], percent[REPORT_PERCENT_BYTES];
    int64_t n_pairs = p->n * (p->n - 1) / 2;

    svg_draw_count(n_pairs, count);
    if (p->min_identity.denominator != 0) {
        write_card(to, "n-pairs", p->n_identities, "pairs at or above the cutoff of %s",
                   report_data_percent(&p->min_identity, percent));
        write_card(to, "n-missing", n_pairs - p->n_identities,
                   "pairs below the cutoff, not aligned or not stored");
        return;
    }
    write_card(to, "n-pairs", p->n_identities, "pairs with an identity, of %s", count);
    if (p->n_identities < n_pairs)
        write_card(to, "n-missing", n_pairs - p->n_identities, "pairs without identity%s",
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
    write_card(to, "n-sequences", p->n, "sequences");
    write_pair_cards(to, p);
    if (!is_cutoff(p, &o->id))
        write_card(to, "n-close", p->n_close, "pairs at or above %s", percent);
    write_card(to, "n-otus", o->n_otus, "OTUs by %s at %s", o->method, percent);
    write_card(to, "n-singletons", o->n_single, "OTUs of one sequence");
    if (o->n_left_out > 0)
        write_card(to, "n-left-out", o->n_left_out,
                   "sequences left out, in OTUs with an abundance below %" PRId64,
                   o->min_size);
    if (p->heat_map->n_strips > 0)
        write_card(to, "n-kinds", p->heat_map->n_phyla, "phyla");
    fputs("</div>\n", to);
}

static status_t write_heat(FILE *to, const report_data_t *p)
{
    char percent[REPORT_PERCENT_BYTES];

    if (p->min_identity.denominator == 0)
        fputs("<h2>Identity of every pair</h2>\n", to);
    else
        fprintf(to, "<h2>Pairs at or above %s</h2>\n",
                report_data_percent(&p->min_identity, percent));
    fprintf(
        to,
        "<p>Rows and columns are the sequences in %s; the colour is the mean identity "
        "of a cell's pairs.%s</p>\n",
        p->heat_map->order,
        p->heat_map->n_strips > 0 ? " Point at a strip for its name." : "");
    return report_heat_write(to, p);
}

static void write_charts(FILE *to, const report_data_t *p)
{
    char count[SVG_NUMBER_BYTES], percent[REPORT_PERCENT_BYTES];
    int64_t n_equal = p->histogram[REPORT_BARS - 1];

    fprintf(to,
            "<div class=\"pair\">\n<section>\n<h2>Identities</h2>\n"
            "<p>Pairs by identity, in steps of 1&nbsp;%%. <span id=\"n-equal\">%s</span> "
            "pair%s an identity of 100&nbsp;%%.</p>\n",
            svg_draw_count(n_equal, count), n_equal == 1 ? " has" : "s have");
    report_charts_histogram(to, p);
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

/* Write the lines of one section as a table. */
static void write_table(FILE *to, const char *about, const char *section,
                        const char *title)
{
    size_t section_len = strlen(section);

    fprintf(to, "<section><h3>%s</h3>\n<table id=\"%s\">\n", title, section);
    for (const char *line = about; *line != '\0';) {
        size_t len = strcspn(line, "\n");

        if (strncmp(line, section, section_len) == 0 && line[section_len] == '\t') {
            const char *at = line + section_len + 1;
            size_t name_len = strcspn(at, "\t\n");
            const char *text = at[name_len] == '\t' ? at + name_len + 1 : at + name_len;

            fputs("<tr><td>", to);
            svg_draw_bytes(to, at, name_len);
            fputs("</td><td>", to);
            svg_draw_bytes(to, text, (size_t)(line + len - text));
            fputs("</td></tr>\n", to);
        }
        line += len + (line[len] == '\n');
    }
    fputs("</table></section>\n", to);
}

status_t report_page_write(FILE *to, const report_data_t *p)
{
    status_t st;

    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<title>",
          to);
    svg_draw_text(to, p->title);
    fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>", style);
    svg_draw_text(to, p->title);
    fputs("</h1>\n<p><code>", to);
    svg_draw_text(to, p->file);
    fputs("</code></p>\n", to);
    write_cards(to, p);
    st = write_heat(to, p);
    write_charts(to, p);
    if (p->bridges != NULL)
        report_bridges_write(to, p);
    fputs("<h2>Parameters and provenance</h2>\n<div class=\"pair\">\n", to);
    write_table(to, p->about, "job", "What was computed");
    write_table(to, p->about, "run", "The run");
    write_table(to, p->about, "file", "The file");
    write_table(to, p->about, "report", "This report");
    fputs("</div>\n</main>\n</body>\n</html>\n", to);
    return st;
}
