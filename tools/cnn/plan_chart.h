/*
 * plan_chart.h - draws the memory of a program over its steps.
 */
#ifndef RIBOGRID_TOOLS_CNN_PLAN_CHART_H
#define RIBOGRID_TOOLS_CNN_PLAN_CHART_H

#include "kernels/cnn/common/cnn_program.h"

#include <stdio.h>

/* Draw what lives at each step as stacked bars, and the size of the arena as a line, as
 * SVG. @param title  names network, batch and types */
void plan_chart_draw(FILE *to, const char *title, const cnn_program_t *program);

/* The same for a page, whose style has the classes grid, tick, part and arena.
 * @param number  of the chart in the page, from 1 */
void plan_chart_embed(FILE *to, int number, const char *label,
                      const cnn_program_t *program);

#endif
