/*
 * report_legend.h - the colours of a report's heat map and the legend that explains them.
 */
#pragma once

#include "io/base/status.h"
#include "io/report/report_data.h"
#include "io/report/svg_draw.h"

#include <stdio.h>

/* Steps of the colour scale and of opacity.  A cell's opacity falls with its coverage:
 * the fraction of its pairs that have an identity. */
enum { REPORT_COLORS = 63, REPORT_OPACITIES = 4 };
typedef struct {
    double min_coverage;
    uint8_t alpha;
    const char *label;
} report_opacity_t;
extern const report_opacity_t report_legend_opacity[REPORT_OPACITIES];

/* @return the index into report_legend_opacity of a coverage above 0 */
int report_legend_opacity_of(double coverage);

/* The colour of cells without identities, and the ground below translucent cells. */
extern const char *const report_legend_missing;

/* The colour scale spans the identities from low to 1. */
typedef struct {
    double low;
    bool is_cut;                        /* some cells are below low */
    bool has_missing;                   /* some cells have no identity */
    bool has_opacity[REPORT_OPACITIES]; /* the opacities that occur */
} report_scale_t;

/* Choose the scale: low is the multiple of 5 % that 99 % of the cells reach, or the
 * cutoff of a file of hits if that is higher.
 * @return ST_OK or ST_ENOMEM (logged) */
status_t report_legend_scale(const report_data_t *data, report_scale_t *out) MUST_CHECK;

/* Choose the strips' colours; the largest strips have one of their own.
 * @param colors  [n_strips] */
void report_legend_colors(const report_heat_map_t *heat_map, const char **colors);

/* Draw the scale and the legend of the strips downwards from their top left corner.
 * @return their bottom */
double report_legend_draw(FILE *to, const report_data_t *data,
                          const report_scale_t *scale, const char *const *colors,
                          double left, double top);

/* Write a name, shortened to max_len bytes and an ellipsis if it is longer. */
void report_legend_short(FILE *to, const char *name, int max_len);

/* The same, with the whole name as the title of the text. */
void report_legend_name(FILE *to, const char *name, int max_len);

/* Write a lineage of at most 240 bytes as HTML that may break after each name; shorten a
 * longer one. */
void report_legend_lineage(FILE *to, const char *lineage);
