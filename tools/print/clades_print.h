/*
 * clades_print.h - how identities within and between taxa are printed and drawn.
 */
#pragma once

#include "graph/clades/clades_ask.h"

#include <stdio.h>

/* Print the table of all taxa whose borders are cuts.
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t clades_print_table(clades_file_t *f, const clades_t *c, const char *path,
                            FILE *to) MUST_CHECK;

/* Print what is counted of two taxa: a line per set of pairs, and the histogram.
 * @param count  of clades_ask */
void clades_print_answer(const clades_t *c, int32_t a, int32_t b, const int64_t *count,
                         FILE *to);

/* Write an SVG file: a chart per rank. @return ST_OK or ST_ENOMEM (logged) */
status_t clades_print_svg(const clades_t *c, FILE *to) MUST_CHECK;

/* Log once which pairs the file does not know. */
void clades_print_note(const clades_t *c, const char *path);
