/*
 * svg_color.h - colours that remain distinguishable with colour vision deficiency, on
 * light and on dark ground.
 */
#ifndef RIBOGRID_IO_REPORT_SVG_COLOR_H
#define RIBOGRID_IO_REPORT_SVG_COLOR_H

#include <stdint.h>

typedef struct {
    uint8_t red, green, blue, alpha;
} svg_rgba_t;

/* @param t  0 (dark violet) to 1 (yellow); clamped
 * @return the colour on a perceptually uniform scale (viridis: Smith and van der Walt
 *         2015) */
svg_rgba_t svg_color_scale(double t);

/* Colours for categories: seven of Okabe and Ito (2008) and Paul Tol's wine. */
enum { SVG_N_CATEGORIES = 8 };
extern const char *const svg_color_category[SVG_N_CATEGORIES];

/* Greys for all further categories; neighbours alternate. */
extern const char *const svg_color_other[2];

#endif
