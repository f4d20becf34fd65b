/*
 * class_table_print.h - prints and draws the results of `ribogrid-bench classify`.
 */
#ifndef RIBOGRID_BENCH_CLASSIFY_CLASS_TABLE_PRINT_H
#define RIBOGRID_BENCH_CLASSIFY_CLASS_TABLE_PRINT_H

#include "bench/classify/class_table.h"

#include <stdio.h>

/* Print rows as a table of means and 95 % intervals. */
void class_table_print(const class_table_t *t);

/* Print rows and curves, one tab-separated line per number. */
void class_table_tsv(const class_table_t *t);

/* Draw the curves of both protocols as SVG. */
void class_table_draw(FILE *to, const class_table_t *t);

#endif
