/*
 * file_page.h - a page on a result file: key figures, bars, and how it was made.
 */
#ifndef RIBOGRID_TOOLS_PRINT_FILE_PAGE_H
#define RIBOGRID_TOOLS_PRINT_FILE_PAGE_H

#include "io/base/status.h"
#include "io/report/report_figures.h"

#include <stdbool.h>
#include <stdio.h>

/* What is asked for. */
typedef struct {
    const char *input, *output; /* output NULL: stdout */
    const char *title;          /* NULL: that of the page */
    bool force;
} file_report_t;

/* Prints lines "section TAB name TAB value" on a file. */
typedef status_t file_describe_t(const char *path, FILE *to);

/* The lines of a file, of the run that made it, and of this report, as one text.
 * @param out  the caller's (free) @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t file_page_about(const char *path, file_describe_t *describe,
                         char **out) MUST_CHECK;

enum { FILE_PAGE_CARDS = 6, FILE_PAGE_CHARTS = 4 };

typedef struct {
    const char *title;
    const char *note; /* a sentence below the key figures; NULL: none */
    int n_cards;
    struct {
        const char *id, *label;
        int64_t value;
    } card[FILE_PAGE_CARDS];
    int n_charts;
    report_bars_t chart[FILE_PAGE_CHARTS];
} file_page_t;

/* Add a key figure. @param label  borrowed */
void file_page_card(file_page_t *page, const char *id, int64_t value, const char *label);

/* Add a chart. @return it, without bars; its texts are borrowed */
report_bars_t *file_page_chart(file_page_t *page, const char *id, const char *title,
                               const char *one, const char *many);

/* Write the page. @param describe  of the input
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t file_page_write(const file_page_t *page, const file_report_t *how,
                         file_describe_t *describe) MUST_CHECK;

#endif
