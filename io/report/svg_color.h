/*
 * svg_color.h - colours of pictures that those who see colours differently can tell
 * apart, on light and on dark ground.
 */
#ifndef RIBOGRID_IO_REPORT_SVG_COLOR_H
#define RIBOGRID_IO_REPORT_SVG_COLOR_H

#include <stdint.h>

typedef struct {
    uint8_t red, green, blue, alpha;
} svg_rgba_t;

/* @param t  0 (dark violet) to 1 (yellow); beyond is cut off
 * @return the colour of an evenly perceived scale (viridis: Smith and van der Walt 2015)
 */
svg_rgba_t svg_color_scale(double t);

/* Colours for kinds: Okabe and Ito (2008), and wine of Tol's. */
enum { SVG_N_KINDS = 8 };
extern const char *const svg_color_kind[SVG_N_KINDS];

/* For kinds beyond these; neighbours take turns. */
extern const char *const svg_color_other[2];

#endif
