/*
 * plan_print.h - tables of `ribogrid cnn plan`.
 */
#ifndef RIBOGRID_TOOLS_CNN_PLAN_PRINT_H
#define RIBOGRID_TOOLS_CNN_PLAN_PRINT_H

#include "kernels/cnn/common/cnn_program.h"

#include <stdio.h>

/* Print the steps, totals by part and kind of layer, and memory. */
void plan_print_table(FILE *to, const cnn_program_t *program);

/* Print one line per step: step, part, layer, operation, kind, input, output, flops,
 * bytes, live_bytes. */
void plan_print_tsv(FILE *to, const cnn_program_t *program);

#endif
