/*
 * svg_draw.h - text, numbers and axes of pictures and pages.
 */
#ifndef RIBOGRID_IO_REPORT_SVG_DRAW_H
#define RIBOGRID_IO_REPORT_SVG_DRAW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Write text as XML or HTML has it: & < > " are escaped, control characters blanks. */
void svg_draw_text(FILE *to, const char *text);

enum { SVG_NUMBER_BYTES = 32 };

/* "21,195" @return out */
const char *svg_draw_count(int64_t number, char out[SVG_NUMBER_BYTES]);

/* "10k", "2.5M": short, for axes. @return out */
const char *svg_draw_short(double number, char out[SVG_NUMBER_BYTES]);

/* @return a step of 1, 2 or 5 times a power of ten: at most n_max steps in the span */
double svg_draw_step(double span, int n_max);

/* An axis: values, in logarithms if so, on a stretch of pixels. */
typedef struct {
    double least, most; /* values; least > 0 where is_log */
    double from, to;    /* pixels */
    bool is_log;
} svg_axis_t;

/* @return where a value stands; beyond the ends it is the end */
double svg_draw_at(const svg_axis_t *axis, double value);

/*
 * Draw the ticks, short numbers and a title of an axis along the bottom or the left.
 *
 * @param at    the pixel, up or across, where the axis lies
 * @param grid  how far lines across the picture go from there; 0: none
 * @param unit  behind each number
 */
void svg_draw_bottom(FILE *to, const svg_axis_t *axis, double at, double grid,
                     const char *unit, const char *title);
void svg_draw_left(FILE *to, const svg_axis_t *axis, double at, double grid,
                   const char *unit, const char *title);

#endif
