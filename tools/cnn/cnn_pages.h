/*
 * cnn_pages.h - the parts of a page on networks: models, times, the cells of their
 * tables, and the chart of a plan.
 */
#pragma once

#include "cnn/memory/device_limit.h"
#include "cnn/net/cnn_net.h"
#include "cnn/plan/cnn_plan.h"
#include "cnn/rates/cnn_rates.h"
#include "io/modelfile/cnn_model.h"
#include "io/report/svg_draw.h"
#include "kernels/cnn/common/cnn_program.h"
#include "tools/cnn/cnn_times.h"
#include "tools/options/options.h"

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

/* A program within a limit, or without one. */
typedef struct {
    const char *label; /* of the limit; NULL: none */
    const cnn_program_t *program;
    double limit_bytes;
    double images_per_s, full_images_per_s; /* without a limit; NAN: not known */
} plan_panel_t;

/* Draw what lives at each step as stacked bars, what is out of the arena above it, and
 * the size of the arena as a line, for each panel; then speeds over limits, where at
 * least two are known; as SVG. @param title  names network, batch and types */
void plan_chart_draw(FILE *to, const char *title, const plan_panel_t *panels, int n);

/* The first for a page, whose style has the classes grid, tick, part and arena.
 * @param number  of the chart in the page, from 1 */
void plan_chart_embed(FILE *to, int number, const char *label,
                      const cnn_program_t *program);

/* plan_limits.c: programs within limits, and how fast they are. */

/* A zeroed one is none. */
typedef struct {
    const cnn_net_t *net;
    const char *name; /* as the command line has it */
    const cnn_plan_options_t *how;
    swap_policy_t policy;
    swap_rematerialize_t rematerialize;
    const cnn_program_t *whole; /* without a limit, all on the device */
    const device_t *cpu;
    const device_t *device;    /* NULL: a GPU of any size */
    int n_threads;             /* of a CPU; 0: those of the rates, or all cores */
    cnn_rates_t rates, on_cpu; /* on_cpu: of steps that are placed there */
    bool has_rates, has_on_cpu;

    int n; /* below */
    char labels[OPTION_SIZES_MAX][DEVICE_LIMIT_TEXT_BYTES];
    size_t bytes[OPTION_SIZES_MAX];
    cnn_program_t *programs[OPTION_SIZES_MAX];
    double seconds[OPTION_SIZES_MAX]; /* NAN: not known */
} plan_limits_t;

/* Make the program of each limit, and predict its time. @return ST_OK, ST_ENOMEM,
 * ST_EUSAGE or ST_EINPUT (logged: no rates of copies) */
status_t plan_limits_make(plan_limits_t *l, const option_sizes_t *limits) MUST_CHECK;

void plan_limits_print(FILE *to, const plan_limits_t *l, bool is_tsv);

plan_panel_t plan_limits_panel(const plan_limits_t *l, int i);

void plan_limits_free(plan_limits_t *l);
