/*
 * svg_draw.h - text, numbers, axes, colours and images for SVG charts and HTML pages.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Write text for XML or HTML as valid UTF-8: & < > " are escaped, control characters
 * become blanks; U+FFFD replaces bytes that are no UTF-8 and characters that change the
 * direction of the text after them (U+202A to U+202E, U+2066 to U+2069). */
void svg_draw_text(FILE *to, const char *text);

/* The same for len bytes. */
void svg_draw_bytes(FILE *to, const char *text, size_t len);

/* Open a chart, "<svg ...>", which has this label for screen readers. */
void svg_draw_begin(FILE *to, const char *id, double width, double height, int font_size,
                    const char *label);

/* A chart with a key (legend), which pages show on its right, or below it where they are
 * narrow: begin, draw the chart, svg_draw_key_begin, draw the key, svg_draw_key_end.
 * Chart and key share coordinates: the key begins at x = width. */
typedef struct {
    double width, height; /* of the chart alone */
    double key_width, key_height;
    int font_size;
} svg_keyed_t;
void svg_draw_keyed_begin(FILE *to, const char *id, const svg_keyed_t *size,
                          const char *label);
void svg_draw_key_begin(FILE *to, const svg_keyed_t *size);
void svg_draw_key_end(FILE *to);

enum { SVG_NUMBER_BYTES = 32 };

/* Format as "21,195". @return out */
const char *svg_draw_count(int64_t number, char out[SVG_NUMBER_BYTES]);

/* Format as "10k" or "2.5M", for axes. @return out */
const char *svg_draw_short(double number, char out[SVG_NUMBER_BYTES]);

/* @return the smallest step of 1, 2 or 5 times a power of ten that divides the span into
 *         at most n_max steps */
double svg_draw_step(double span, int n_max);

/* An axis maps values min .. max to pixels from .. to. */
typedef struct {
    double min, max; /* min > 0 if is_log */
    double from, to;
    bool is_log;
} svg_axis_t;

/* @return the pixel of a value, clamped to the ends of the axis */
double svg_draw_at(const svg_axis_t *axis, double value);

/*
 * Draw an axis along the bottom or the left: ticks, short numbers and a title.
 *
 * @param at    the pixel of the axis itself, vertical or horizontal
 * @param grid  length of the grid lines in pixels; 0: none
 * @param unit  appended to each number
 */
void svg_draw_bottom(FILE *to, const svg_axis_t *axis, double at, double grid,
                     const char *unit, const char *title);
void svg_draw_left(FILE *to, const svg_axis_t *axis, double at, double grid,
                   const char *unit, const char *title);

/* Colours that remain distinguishable with colour vision deficiency, on
 * light and on dark ground. */

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

/* An image with a palette as a data URI: PNG (ISO/IEC 15948) in base64. */

/*
 * Write "data:image/png;base64,...".
 *
 * @param cells    [height x width] indices into the palette
 * @param palette  [n_colors] at most 256
 * @return ST_OK or ST_ENOMEM (logged); write errors are left in the stream's state
 */
status_t svg_png_write(FILE *to, const uint8_t *cells, int width, int height,
                       const svg_rgba_t *palette, int n_colors) MUST_CHECK;
