/*
 * time_print.h - the table of `ribogrid cnn time`: tab-separated values, which
 * `ribogrid cnn report` reads.
 */
#ifndef RIBOGRID_TOOLS_CNN_TIME_PRINT_H
#define RIBOGRID_TOOLS_CNN_TIME_PRINT_H

#include "tools/cnn/time_run.h"

/* What the columns on the left say about a measurement. */
typedef struct {
    const char *net, *kernel, *type;
    int64_t batch;
    double locked_mhz; /* clock of the GPU's cores; NAN: not locked */
} time_print_case_t;

/* Print the names of the columns. */
void time_print_header(void);

/* Print a line. @param idle_w  what the GPU takes without work; NAN: unknown */
void time_print_line(const time_print_case_t *c, const time_run_t *t, int n_windows,
                     double idle_w);

#endif
