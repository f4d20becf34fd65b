/*
 * report_lines.h - a chart of lines and points, with a legend, for pages.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_LINES_H
#define RIBOGRID_IO_REPORT_REPORT_LINES_H

#include <stdbool.h>
#include <stdio.h>

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
    bool is_x_log;      /* all x are whole numbers above 0, which are its ticks */
    double y_max;       /* end of the axis; 0: a little above the largest y */
    const report_series_t *series;
    int n_series;
} report_lines_t;

/* Draw a chart; nothing where no point has a value. @return whether it is drawn */
bool report_lines_draw(FILE *to, const report_lines_t *chart);

#endif
