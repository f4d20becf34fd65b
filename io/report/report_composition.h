/*
 * report_composition.h - the composition of samples: bars of the taxa of their reads, for
 * pages, and a page of them.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_COMPOSITION_H
#define RIBOGRID_IO_REPORT_REPORT_COMPOSITION_H

#include "io/report/report_bars.h"

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

#endif
