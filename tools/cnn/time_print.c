/*
 * time_print.c - prints measurements.
 */
#include "tools/cnn/time_print.h"

#include "tools/cnn/time_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void time_print_header(void)
{
    for (int c = 0; c < TIME_N_COLUMNS; c++)
        printf("%s%s", c > 0 ? "\t" : "", time_column_name[c]);
    putchar('\n');
}

static void print_value(double value, const char *format)
{
    putchar('\t');
    if (isnan(value))
        printf("NA");
    else
        printf(format, value);
}

void time_print_line(const time_print_case_t *c, const time_run_t *t, int n_windows,
                     double idle_w)
{
    const double s = t->seconds[n_windows / 2], images = (double)c->batch;

    printf("%s\t%s\t%s\t%" PRId64 "\t%s\t%.4e\t%.4e\t%.4e\t%.1f\t%.2f", c->net, c->kernel,
           c->type, c->batch, t->kind == CNN_N_KINDS ? "all" : cnn_kind_name(t->kind),
           t->seconds[0], s, t->seconds[n_windows - 1], images / s, t->flops / s * 1e-9);
    print_value(1e3 * t->gpu_j / images, "%.3f");
    print_value(1e3 * (t->gpu_j - idle_w * s) / images, "%.3f");
    print_value(t->gpu_j / s, "%.1f");
    print_value(100 * t->gpu_spread, "%.1f");
    print_value(1e3 * t->cpu_j / images, "%.3f");
    print_value(100 * t->cpu_idle, "%.1f");
    print_value(c->locked_mhz, "%.0f");
    print_value(t->gpu_mhz, "%.0f");
    putchar('\n');
    fflush(stdout);
}
