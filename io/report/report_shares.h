/*
 * report_shares.h - a chart of bars, each cut into the shares of its parts, for pages.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_SHARES_H
#define RIBOGRID_IO_REPORT_REPORT_SHARES_H

#include <stdio.h>

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

#endif
