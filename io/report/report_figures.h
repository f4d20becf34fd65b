/*
 * report_figures.h - the parts of HTML pages: frame, charts and tables.
 */
#pragma once

#include "io/base/status.h"
#include "io/report/report_data.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What all pages have: style, heading, key figures, provenance.
 *
 * A page loads no other files.  Its only script adds a button to each picture, an <svg>
 * with an id, that saves it as an SVG file. */

/* Begin a page. @param file  that it is about */
void report_frame_begin(FILE *to, const char *title, const char *file);

/* Write a key figure. @param label  printf's, of the arguments that follow */
void report_frame_card(FILE *to, const char *id, int64_t value, const char *label, ...)
    __attribute__((format(printf, 4, 5)));

/* Write tables of parameters, folded away, and end the page.
 * @param about  lines: section TAB name TAB value, of the sections "job", "run", "file",
 *               "otus" and "report" */
void report_frame_end(FILE *to, const char *about);

/* Counts as labelled bars, and the bars of a histogram, for pages. */

enum { REPORT_BARS_MAX = 24, REPORT_BAR_BYTES = 64 };

typedef struct {
    char label[REPORT_BAR_BYTES];
    int64_t count;
} report_bar_t;

typedef struct {
    const char *id;         /* of the element */
    const char *title;      /* a heading above */
    const char *one, *many; /* what is counted: "node", "nodes" */
    int n;
    report_bar_t bars[REPORT_BARS_MAX];
} report_bars_t;

/* Draw bars, on a logarithmic scale if they differ much; nothing without bars. */
void report_bars_draw(FILE *to, const report_bars_t *b);

/* Bins of values between two limits: one per whole number where there are few of these,
 * of powers of two where all are whole numbers from 0 on, else of equal width. */
typedef struct {
    double min, max;
    int n;
    double step;
    enum { REPORT_BINS_EACH, REPORT_BINS_DOUBLING, REPORT_BINS_EQUAL } kind;
} report_bins_t;

report_bins_t report_bins(double min, double max, int are_whole);

/* @return the bin of a value, 0 .. n - 1 */
int report_bins_of(const report_bins_t *bins, double value);

/* Set the number of bars and their labels; counts are 0. */
void report_bins_label(const report_bins_t *bins, report_bars_t *out);

/* A chart of lines and points, with a legend, for pages. */

/* Points in the order of x; those beyond 1e300 or NAN are left out. */
typedef struct {
    const char *name;
    int n;
    const double *x, *y; /* [n] */
    bool has_line, has_points;
} report_series_t;

typedef struct {
    const char *id, *label; /* of the element; what it shows, for screen readers */
    const char *x_title, *y_title;
    const char *y_unit; /* appended to each number of the axis */
    double x_min;       /* begin of the axis; 0: 0, or the smallest x below */
    bool is_x_log;      /* all x are whole numbers above 0, which are its ticks */
    double y_max;       /* end of the axis; 0: a little above the largest y */
    const report_series_t *series;
    int n_series;
} report_lines_t;

/* Draw a chart; nothing where no point has a value. @return whether it is drawn */
bool report_lines_draw(FILE *to, const report_lines_t *chart);

/* Write charts side by side, up to three in a row, as an SVG file. */
void report_lines_picture(FILE *to, const char *title, const report_lines_t *charts,
                          int n);

/* A chart of bars, each cut into the shares of its parts, for pages. */

typedef struct {
    const char *id, *label;   /* of the element; what it shows, for screen readers */
    const char *title;        /* of the axis */
    const char *unit;         /* of the values */
    const char *const *bars;  /* [n_bars] names */
    const char *const *parts; /* [n_parts] names */
    const double *values;     /* [n_bars][n_parts] at least 0 */
    int n_bars, n_parts;
} report_shares_t;

/* Draw the bars, from the top; parts that no bar has are left out. */
void report_shares_draw(FILE *to, const report_shares_t *chart);

/* Write the bars as an SVG file. */
void report_shares_picture(FILE *to, const char *title, const report_shares_t *chart);

/* Histograms of identities and the rank-abundance plot of OTUs, as SVG.
 */

/* Draw one bar of 1 % for each percentage that occurs, the last one from 99 to 100 %;
 * data-pairs holds its count (of pairs or whatever is counted). */
void report_charts_histogram(FILE *to, const report_histogram_t *histogram);

/* Draw abundance over rank on two logarithmic axes; the largest OTUs are points. */
void report_charts_otus(FILE *to, const report_otus_t *otus);

/* The composition of samples: bars of the taxa of their reads, for
 * pages, and a page of them. */

/* Taxa that are drawn in a colour of their own. */
enum { REPORT_TAXA_MAX = 10 };

/* Counts of reads.  A row holds n_samples of them; rows are those of the largest taxa,
 * then of all other taxa together, then of reads without a name at this rank. */
typedef struct {
    const char *title;
    const char *file;
    const char *rank;            /* "genus" */
    int64_t n_taxa;              /* all that occur */
    int n_shown;                 /* of these, the largest ones */
    const char *const *taxa;     /* [n_shown] lineages, names separated by ';' */
    int64_t n_samples;           /* at least 1 */
    const char *const *samples;  /* [n_samples] */
    const int64_t *counts;       /* [n_shown + 2][n_samples] */
    const report_bars_t *charts; /* [n_charts] below, of all samples */
    int n_charts;
    const char *about; /* as for report_frame_end */
} report_composition_t;

/* Draw the bars and write the table of taxa, of at least one read. */
void report_composition_draw(FILE *to, const report_composition_t *c);

/* Write the page; write errors are left in the stream's state. */
void report_composition_write(FILE *to, const report_composition_t *c);

/* A report's heat map of identities, with strips of phyla and a legend.
 *
 * For up to REPORT_HEAT_NAMED sequences each cell is an SVG element with the names of its
 * pair, and rows have names.  For more the cells are one embedded PNG, in which a script
 * looks up the cell at the pointer; axes, strips, names of taxa or OTUs and the legend
 * stay vectors. */

enum { REPORT_HEAT_NAMED = 32 };

/* @return the sequences that a name beside a map of n sequences takes */
int64_t report_heat_label_min(int64_t n);

/* @return ST_OK or ST_ENOMEM (logged) */
status_t report_heat_write(FILE *to, const report_data_t *data) MUST_CHECK;

/* A report's table of the largest OTUs: their representatives,
 * lineages and samples. */

/* Write the section; nothing without OTUs. */
void report_largest_write(FILE *to, const report_otus_t *otus);

/* The section of a report on sequences that chain OTUs together: a bar
 * chart and a table. */

void report_bridges_write(FILE *to, const report_data_t *data);

/* A page on queries against references: identities of best hits, numbers of hits,
 * the references and taxa found. */

typedef struct {
    const char *title;
    const char *file; /* the result file */
    int64_t n_queries, n_references;
    int64_t n_with_hit;               /* queries with an identity to any reference */
    report_histogram_t histogram;     /* queries by the identity of their best hit */
    bool is_by_score;                 /* the best hit is that of the highest score */
    const report_bars_t *hits;        /* queries by the number of their hits */
    const report_bars_t *evalues;     /* hits by E-value; without bars: they have none */
    const report_otus_t *otus;        /* closed-reference OTUs at the cutoff */
    const report_composition_t *taxa; /* of the best references; NULL: not known */
    const char *about;                /* as for report_frame_end */
} report_references_t;

/* Write the page; write errors are left in the stream's state. */
void report_references_write(FILE *to, const report_references_t *r);

/* A report as one self-contained HTML page.
 *
 * Charts are inline SVG, followed by the parameters and the provenance of the result
 * file.  The page loads no other files.  Equal input gives equal
 * bytes. */

/* Write the page.
 * @return ST_OK or ST_ENOMEM (logged); write errors are left in the stream's state */
status_t report_page_write(FILE *to, const report_data_t *data) MUST_CHECK;
