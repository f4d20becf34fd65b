/*
 * report_legend.h - what the colours of a report's heat map mean.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_LEGEND_H
#define RIBOGRID_IO_REPORT_REPORT_LEGEND_H

#include "io/report/report_page.h"
#include "io/report/svg_color.h"

/* A cell of which few pairs have an identity is paler. */
enum { REPORT_PALES = 4, REPORT_LEVELS = 63 };
typedef struct {
    double least; /* share from which on */
    uint8_t alpha;
    const char *words;
} report_pale_t;
extern const report_pale_t report_legend_pale[REPORT_PALES];

/* @return the index of a share above 0 */
int report_legend_paleness(double share);

/* Below the pale cells, and alone where there is no pair. */
extern const char *const report_legend_missing;

/* Identities from low to 1 have the whole scale. */
typedef struct {
    double low;
    bool is_cut; /* there are cells below low */
    bool has_missing;
    bool has_pale[REPORT_PALES]; /* whether cells of the share occur */
} report_scale_t;

/* Choose the scale: from the identity, in steps of 5 %, that 99 % of the cells reach.
 * @return ST_OK or ST_ENOMEM (logged) */
status_t report_legend_scale(const report_page_t *page, report_scale_t *out) MUST_CHECK;

/* Give the largest strips colours of their own. @param colors  [n_strips] */
void report_legend_colors(const report_heat_t *heat, const char **colors);

/* Draw scale and strips' legend, from a corner down. */
void report_legend_draw(FILE *to, const report_page_t *page, const report_scale_t *scale,
                        const char *const *colors, double left, double top);

/* Write a name, shortened to so many letters. */
void report_legend_short(FILE *to, const char *name, int most);

#endif
