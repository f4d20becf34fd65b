/*
 * page_number.h - numbers in the tables of `ribogrid cnn report`.
 */
#ifndef RIBOGRID_TOOLS_CNN_PAGE_NUMBER_H
#define RIBOGRID_TOOLS_CNN_PAGE_NUMBER_H

#include "io/report/svg_draw.h"

#include <math.h>

/* Write a cell with four digits, "26,348" or "0.02"; NAN: a dash. */
static inline void page_number_cell(FILE *to, double value)
{
    char text[SVG_NUMBER_BYTES];

    if (isnan(value))
        fputs("<td>&ndash;</td>", to);
    else if (fabs(value) >= 1000 && fabs(value) < 1e15)
        fprintf(to, "<td>%s</td>", svg_draw_count(llround(value), text));
    else
        fprintf(to, "<td>%.4g</td>", value);
}

/* Write a cell with percent of a fraction; NAN: a dash. */
static inline void page_percent_cell(FILE *to, double fraction)
{
    if (isnan(fraction))
        fputs("<td>&ndash;</td>", to);
    else
        fprintf(to, "<td>%.2f</td>", 100 * fraction);
}

/* Write a cell with text. @param tag  "td" or "th" */
static inline void page_text_cell(FILE *to, const char *tag, const char *text)
{
    fprintf(to, "<%s>", tag);
    svg_draw_text(to, text);
    fprintf(to, "</%s>", tag);
}

#endif
