/*
 * svg_png.h - an image with a palette as a data URI: PNG (ISO/IEC 15948) in base64.
 */
#ifndef RIBOGRID_IO_REPORT_SVG_PNG_H
#define RIBOGRID_IO_REPORT_SVG_PNG_H

#include "io/base/status.h"
#include "io/report/svg_color.h"

#include <stdio.h>

/*
 * Write "data:image/png;base64,...".
 *
 * @param cells    [height x width] indices into the palette
 * @param palette  [n_colors] at most 256
 * @return ST_OK or ST_ENOMEM (logged); write errors are left in the stream's state
 */
status_t svg_png_write(FILE *to, const uint8_t *cells, int width, int height,
                       const svg_rgba_t *palette, int n_colors) MUST_CHECK;

#endif
