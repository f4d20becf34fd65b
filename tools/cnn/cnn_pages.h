/*
 * cnn_pages.h - the parts of a page on networks: models, times, the cells of their
 * tables, and the chart of a plan.
 */
#pragma once

#include "cnn/net/cnn_net.h"
#include "io/modelfile/cnn_model.h"
#include "io/report/svg_draw.h"
#include "kernels/cnn/common/cnn_program.h"
#include "tools/cnn/cnn_times.h"

#include <math.h>
#include <stdio.h>

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

/* page_models.c: the part of a page on networks that shows their training and memory. */

/* A zeroed one is none. */
typedef struct {
    const char *path;   /* or the name of a shipped network */
    cnn_model_t *model; /* NULL: a network that is not trained */
    cnn_net_t *net;
    cnn_program_t *program; /* of training, on one rank */
    char type[8];           /* of its numbers */
} page_model_t;

/* Open what `cnn train` wrote, or a network.  A network is planned for its own batch and
 * fp32.
 * @param is_trained  the path is HDF5
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t page_model_open(const char *path, bool is_trained, page_model_t *out) MUST_CHECK;

/* Write learning curves with a table, then the memory of each plan. */
void page_models_write(FILE *to, const page_model_t *models, int n);

void page_model_close(page_model_t *m);

/* page_times.c: the part of a page on networks that shows times and energy. */

/* Write charts over batches and over locked clocks, shares of the kinds of layers, and
 * tables of all measurements. @return ST_OK or ST_ENOMEM */
status_t page_times_write(FILE *to, const time_table_t *table) MUST_CHECK;

/* @return the row of the most images per second of a whole network, or NULL */
const time_row_t *page_times_fastest(const time_table_t *table);

/* plan_chart.c: draws the memory of a program over its steps. */

/* Draw what lives at each step as stacked bars, and the size of the arena as a line, as
 * SVG. @param title  names network, batch and types */
void plan_chart_draw(FILE *to, const char *title, const cnn_program_t *program);

/* The same for a page, whose style has the classes grid, tick, part and arena.
 * @param number  of the chart in the page, from 1 */
void plan_chart_embed(FILE *to, int number, const char *label,
                      const cnn_program_t *program);
