/*
 * report_frame.h - what all pages have: style, heading, key figures, provenance.
 *
 * A page loads no other files.  Its only script adds a button to each picture, an <svg>
 * with an id, that saves it as an SVG file.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_FRAME_H
#define RIBOGRID_IO_REPORT_REPORT_FRAME_H

#include <stdint.h>
#include <stdio.h>

/* Begin a page. @param file  that it is about */
void report_frame_begin(FILE *to, const char *title, const char *file);

/* Write a key figure. @param label  printf's, of the arguments that follow */
void report_frame_card(FILE *to, const char *id, int64_t value, const char *label, ...)
    __attribute__((format(printf, 4, 5)));

/* Write tables of parameters, folded away, and end the page.
 * @param about  lines: section TAB name TAB value, of the sections "job", "run", "file",
 *               "otus" and "report" */
void report_frame_end(FILE *to, const char *about);

#endif
